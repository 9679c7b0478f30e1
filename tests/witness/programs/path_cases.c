/* SPDX-License-Identifier: MIT
 *
 * Paths that are hard to read out of another process.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

#define PAGE 4096

/* 0 when the call was refused with that error. */
static int refused(long result, int error)
{
    if (result == -1 && errno == error)
        return 0;
    fprintf(stderr, "%ld, %s instead of %s\n", result, strerror(errno), strerror(error));
    return 1;
}

static long open_at(long folder, const void *path, long flags)
{
    return syscall(SYS_openat, folder, path, flags, 0);
}

/* Two pages, of which the second is not there. */
static char *last_page(void)
{
    char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    munmap(page + PAGE, PAGE);
    return page;
}

static int upper_half(char **arguments)
{
    int folder = open("sub", O_RDONLY | O_DIRECTORY);

    (void)arguments;
    return open_at((long)(0xdeadbeef00000000u | (unsigned)folder), "in.txt", O_RDONLY) < 0;
}

static int current_upper_half(char **arguments)
{
    (void)arguments;
    return open_at((long)(uint32_t)AT_FDCWD, "u.txt", O_RDONLY) < 0;
}

static int too_long(char **arguments)
{
    char *path = malloc(3 * PAGE);

    (void)arguments;
    memset(path, 'a', 3 * PAGE);
    path[3 * PAGE - 1] = '\0';
    return refused(open_at(AT_FDCWD, path, O_RDONLY), ENAMETOOLONG);
}

static int unterminated(char **arguments)
{
    char *page = last_page();

    (void)arguments;
    memset(page, 'a', PAGE);
    return refused(open_at(AT_FDCWD, page + PAGE - 8, O_RDONLY), EFAULT);
}

static int end_of_page(char **arguments)
{
    char *page = last_page();

    (void)arguments;
    memcpy(page + PAGE - sizeof "u.txt", "u.txt", sizeof "u.txt");
    return open_at(AT_FDCWD, page + PAGE - sizeof "u.txt", O_RDONLY) < 0;
}

static int unmapped(char **arguments)
{
    (void)arguments;
    return refused(open_at(AT_FDCWD, last_page() + PAGE, O_RDONLY), EFAULT);
}

static int null(char **arguments)
{
    (void)arguments;
    return refused(open_at(AT_FDCWD, NULL, O_RDONLY), EFAULT);
}

static int empty(char **arguments)
{
    (void)arguments;
    return refused(open_at(AT_FDCWD, "", O_RDONLY), ENOENT);
}

static int no_folder(char **arguments)
{
    (void)arguments;
    return refused(open_at(99, "u.txt", O_RDONLY), EBADF) ||
           refused(open_at(open("u.txt", O_RDONLY), "u.txt", O_RDONLY), ENOTDIR);
}

static int deleted_folder(char **arguments)
{
    (void)arguments;
    if (mkdir("gone", 0777) != 0 || chdir("gone") != 0 || rmdir("../gone") != 0)
        return 1;
    return refused(open_at(AT_FDCWD, "u.txt", O_RDONLY), ENOENT);
}

static int named_deleted(char **arguments)
{
    (void)arguments;
    if (mkdir("x (deleted)", 0777) != 0 || chdir("x (deleted)") != 0)
        return 1;
    return open_at(AT_FDCWD, "../u.txt", O_RDONLY) < 0;
}

static int changed_root(char **arguments)
{
    (void)arguments;
    if (chroot("sub") != 0 || chdir("/") != 0)
        return 1;
    return open_at(AT_FDCWD, "/in.txt", O_RDONLY) < 0 || open_at(AT_FDCWD, "in.txt", O_RDONLY) < 0;
}

static int own_process(char **arguments)
{
    char target[PAGE];

    (void)arguments;
    return open_at(AT_FDCWD, "/proc/self/maps", O_RDONLY) < 0 ||
           syscall(SYS_readlink, "/proc/self/exe", target, sizeof target) <= 0;
}

static int own_descriptor(char **arguments)
{
    char name[40];

    (void)arguments;
    snprintf(name, sizeof name, "/dev/fd/%d", open("u.txt", O_RDONLY));
    return open_at(AT_FDCWD, name, O_RDONLY) < 0;
}

static int how(char **arguments)
{
    struct open_how wish = {.flags = O_RDONLY};

    (void)arguments;
    return syscall(SYS_openat2, AT_FDCWD, "u.txt", &wish, sizeof wish) < 0;
}

/* An absolute path then starts at the folder. */
static int how_in_root(char **arguments)
{
    struct open_how wish = {.flags = O_RDONLY, .resolve = RESOLVE_IN_ROOT};
    int folder = open("sub", O_RDONLY | O_DIRECTORY);

    (void)arguments;
    return syscall(SYS_openat2, folder, "/in.txt", &wish, sizeof wish) < 0;
}

const struct one_case cases[] = {
    {"upper-half", upper_half},
    {"current-upper-half", current_upper_half},
    {"too-long", too_long},
    {"unterminated", unterminated},
    {"end-of-page", end_of_page},
    {"unmapped", unmapped},
    {"null", null},
    {"empty", empty},
    {"no-folder", no_folder},
    {"deleted-folder", deleted_folder},
    {"named-deleted", named_deleted},
    {"changed-root", changed_root},
    {"own-process", own_process},
    {"own-descriptor", own_descriptor},
    {"how", how},
    {"how-in-root", how_in_root},
    {0},
};
