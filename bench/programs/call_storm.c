/* SPDX-License-Identifier: MIT
 *
 * call_storm CALL COUNT PATH: makes the same call over and over; prints the nanoseconds of one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "stopwatch.h"

typedef int (*call_function)(const char *path);

static int call_open(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);

    return file < 0 ? -1 : close(file);
}

static int call_stat(const char *path)
{
    struct stat status;

    return stat(path, &status);
}

static int call_getenv(const char *path)
{
    (void)path;
    return getenv("PATH") ? 0 : -1;
}

static int call_clock_gettime(const char *path)
{
    struct timespec now;

    (void)path;
    return clock_gettime(CLOCK_REALTIME, &now);
}

static const struct {
    const char *name;
    call_function call;
} calls[] = {
    {"open", call_open},
    {"stat", call_stat},
    {"getenv", call_getenv},
    {"clock_gettime", call_clock_gettime},
};

int main(int argc, char **argv)
{
    long count = argc == 4 ? atol(argv[2]) : 0;

    for (size_t i = 0; count > 0 && i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (strcmp(argv[1], calls[i].name) != 0)
            continue;
        int64_t start = stopwatch_now();
        for (long round = 0; round < count; round++)
            if (calls[i].call(argv[3]) != 0)
                return 1;
        printf("%.1f\n", (double)(stopwatch_now() - start) / (double)count);
        return 0;
    }
    return 2;
}
