/* SPDX-License-Identifier: MIT
 *
 * Calls on a descriptor in the place of a path: with AT_EMPTY_PATH or with none at all.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

#ifndef SYS_fchmodat2
#    define SYS_fchmodat2 452
#endif

static int failed(long result)
{
    if (result >= 0)
        return 0;
    perror("failed");
    return 1;
}

static int times(char **arguments)
{
    (void)arguments;
    return failed(syscall(SYS_utimensat, open("u.txt", O_RDWR), NULL, NULL, 0));
}

static int times_of_empty(char **arguments)
{
    (void)arguments;
    return failed(syscall(SYS_utimensat, open("u.txt", O_RDWR), "", NULL, AT_EMPTY_PATH));
}

static int owner(char **arguments)
{
    (void)arguments;
    return failed(
        syscall(SYS_fchownat, open("u.txt", O_PATH), "", getuid(), getgid(), AT_EMPTY_PATH));
}

static int mode(char **arguments)
{
    (void)arguments;
    return failed(syscall(SYS_fchmodat2, open("u.txt", O_PATH), "", 0600, AT_EMPTY_PATH));
}

static int name(char **arguments)
{
    int file = open("u.txt", O_PATH);

    (void)arguments;
    return failed(syscall(SYS_linkat, file, "", AT_FDCWD, "second", AT_EMPTY_PATH));
}

static int name_of_unnamed(char **arguments)
{
    int file = open(".", O_TMPFILE | O_WRONLY, 0600);
    char path[40];

    (void)arguments;
    if (failed(file))
        return 1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return failed(linkat(AT_FDCWD, path, AT_FDCWD, "second", AT_SYMLINK_FOLLOW));
}

static int target(char **arguments)
{
    int link = open("link", O_PATH | O_NOFOLLOW);
    char text[100];

    (void)arguments;
    return failed(syscall(SYS_readlinkat, link, "", text, sizeof text));
}

static int rights(char **arguments)
{
    (void)arguments;
    return failed(syscall(SYS_faccessat2, open("u.txt", O_PATH), "", R_OK, AT_EMPTY_PATH));
}

static int status_of_current(char **arguments)
{
    struct statx status;

    (void)arguments;
    return failed(syscall(SYS_statx, AT_FDCWD, "", AT_EMPTY_PATH, STATX_MODE, &status));
}

static int handle(char **arguments)
{
    struct {
        struct file_handle handle;
        unsigned char room[128];
    } found = {.handle.handle_bytes = sizeof found.room};
    int mount, folder = open(".", O_RDONLY | O_DIRECTORY);

    (void)arguments;
    if (failed(syscall(SYS_name_to_handle_at, AT_FDCWD, "u.txt", &found, &mount, 0)))
        return 1;
    return failed(syscall(SYS_open_by_handle_at, folder, &found, O_RDONLY));
}

const struct one_case cases[] = {
    {"times", times},
    {"times-of-empty", times_of_empty},
    {"owner", owner},
    {"mode", mode},
    {"name", name},
    {"name-of-unnamed", name_of_unnamed},
    {"target", target},
    {"rights", rights},
    {"handle", handle},
    {"status-of-current", status_of_current},
    {0},
};
