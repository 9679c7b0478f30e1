/* SPDX-License-Identifier: MIT
 *
 * C12: exec gives -1 and errno, posix_spawn gives the number itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

int main(void)
{
    static const char *const paths[] = {"/nope", "plain", "empty", "plain/below", "loop"};
    char *arguments[] = {"x", NULL};
    pid_t pid;

    close(open("plain", O_CREAT | O_WRONLY, 0644));
    close(open("empty", O_CREAT | O_WRONLY, 0755));
    if (symlink("loop", "loop") != 0)
        return 1;
    for (int i = 0; i < 5; i++) {
        errno = 0;
        int result = execve(paths[i], arguments, environ);
        int error = errno;
        errno = 77;
        int spawned = posix_spawn(&pid, paths[i], NULL, NULL, arguments, environ);
        printf("%s: %d %d, %d %d\n", paths[i], result, error, spawned, errno);
        errno = 0;
        result = execvp(i == 0 ? "surely-not-there" : paths[1], arguments);
        printf("%d %d\n", result, errno);
    }
    return 0;
}
