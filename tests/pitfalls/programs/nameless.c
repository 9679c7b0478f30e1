/* SPDX-License-Identifier: MIT
 *
 * B22: things with a descriptor and without a name in the file system.
 */
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    int ends[2], memory = memfd_create("nameless", 0);
    int things[] = {memory, timerfd_create(CLOCK_MONOTONIC, 0), eventfd(0, 0), epoll_create1(0)};

    for (unsigned i = 0; i < sizeof things / sizeof *things; i++)
        printf("%d %d\n", things[i] >= 0, fchmod(things[i], 0700));
    printf("%d\n", ftruncate(memory, 4096));
    printf("%d\n", pipe(ends) || fchmod(ends[0], 0600));
    return 0;
}
