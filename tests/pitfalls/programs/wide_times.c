/* SPDX-License-Identifier: MIT
 *
 * B5: what a 32-bit program calls when its times have 64 bits. Compiled by the script.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <utime.h>

int main(void)
{
    struct stat status;
    struct timespec now;
    struct timeval day;

    printf("%d\n", (int)sizeof(time_t));
    printf("%d\n", stat("u.txt", &status));
    printf("%d\n", (int)status.st_size);
    printf("%d\n", lstat("d.txt", &status));
    printf("%d\n", fstatat(AT_FDCWD, "absent", &status, 0));
    printf("%d %d\n", clock_gettime(CLOCK_REALTIME, &now), gettimeofday(&day, NULL));
    printf("%d\n", time(NULL) > 1000000);
    printf("%d\n",
           utimensat(AT_FDCWD, "d.txt", (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 2}}, 0));
    printf("%d\n", utime("u.txt", &(struct utimbuf){3, 4}));
    return 0;
}
