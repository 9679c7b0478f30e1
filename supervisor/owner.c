/* SPDX-License-Identifier: MIT */
#include "owner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"

#define STARTTIME_FIELD 22

uint64_t owner_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Start of the process, or 0 when it cannot be told. */
static uint64_t start_of(uint32_t pid)
{
    char path[40], text[1024];
    cleanup_close int file = -1;
    ssize_t length;
    const char *at;

    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || (length = read(file, text, sizeof text - 1)) <= 0)
        return 0;
    text[length] = '\0';
    at = strrchr(text, ')'); /* the name before it may hold anything */
    for (int field = 2; at && field < STARTTIME_FIELD; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return 0;
    return strtoull(at, NULL, 10) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

bool owner_is_gone(uint32_t pid)
{
    return pid <= INT32_MAX && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

bool owner_was_replaced(uint32_t pid, uint64_t seen)
{
    return start_of(pid) > seen + 20000000u; /* start times are cut to a tick of 10 ms */
}
