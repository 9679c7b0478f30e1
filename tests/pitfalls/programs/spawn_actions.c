/* SPDX-License-Identifier: MIT
 *
 * Starts cat with a file as its input, in the folder "inner", where its output is made.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

int main(int count, char **arguments)
{
    char *command[] = {"cat", NULL};
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t child;

    (void)count;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "u.txt", O_RDONLY, 0);
    posix_spawn_file_actions_addchdir_np(&actions, "inner");
    posix_spawn_file_actions_addopen(&actions, 1, "made", O_WRONLY | O_CREAT, 0600);
    if (posix_spawn(&child, "/bin/cat", &actions, NULL, command, arguments + 1) != 0)
        return 1;
    waitpid(child, &status, 0);
    printf("%d\n", status);
    return 0;
}
