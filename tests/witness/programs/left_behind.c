/* SPDX-License-Identifier: MIT
 *
 * Leaves a process behind that is in a session of its own and keeps no descriptor. When the file
 * "go" is there it opens "u.txt" and writes how that went into "went", then ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TRIES 3000

static void stay(void)
{
    FILE *to;
    int file;

    setsid();
    for (int i = 0; i < 3; i++)
        close(i);
    for (int i = 0; i < TRIES && access("go", F_OK) != 0; i++)
        usleep(10000);
    file = open("u.txt", O_RDONLY);
    to = fopen("went.new", "w");
    if (to) {
        fprintf(to, "%s\n", file < 0 ? strerror(errno) : "opened");
        fclose(to);
        rename("went.new", "went");
    }
}

int main(void)
{
    pid_t child = fork();

    if (child == 0)
        stay();
    else
        printf("%d\n", (int)child);
    return 0;
}
