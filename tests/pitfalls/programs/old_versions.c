/* SPDX-License-Identifier: MIT
 *
 * A12: a program that was linked when other versions of these functions were the current ones. Its
 * current folder holds "script", without a first line, and "dangling", a link to nothing.
 */
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#ifdef __i386__
#    define VERSION(version64, version32) version32
#else
#    define VERSION(version64, version32) version64
#endif
#define OLD(id, name, version64, version32, ret, fails, params, args, event)                       \
    __asm__(".symver asked_" #id ", " #name "@" VERSION(#version64, #version32));                  \
    ret asked_##id params;
#define OLD_CUSTOM(id, name, version64, version32, ret, fails, params, args, event)                \
    OLD(id, name, version64, version32, ret, fails, params, args, event)
#include "tallyman/hooks_old.def"

static int visited;

static int count(const char *path, const struct stat *status, int what, struct FTW *where)
{
    (void)path, (void)status, (void)what, (void)where;
    visited++;
    return 0;
}

static int count64(const char *path, const struct stat64 *status, int what, struct FTW *where)
{
    (void)path, (void)status, (void)what, (void)where;
    visited++;
    return 0;
}

static void say_end(const char *name, int result, pid_t child)
{
    int status = -1;

    if (result == 0)
        waitpid(child, &status, 0);
    printf("%s: %s, status %d\n", name, strerror(result), status);
}

int main(int count_of, char **arguments)
{
    char *command[] = {"./script", NULL}, *searched[] = {"script", NULL}, room[4096];
    cpu_set_t set;
    glob_t found;
    glob64_t found64;
    pid_t child = 0;
    int result;

    (void)count_of;
    result = asked_posix_spawn_old(&child, command[0], NULL, NULL, command, arguments + 1);
    say_end("posix_spawn", result, child);
    setenv("PATH", ".", 1);
    result = asked_posix_spawnp_old(&child, searched[0], NULL, NULL, searched, arguments + 1);
    say_end("posix_spawnp", result, child);
    errno = 0;
    printf("realpath: %d", asked_realpath_old(".", NULL) != NULL);
    printf(" %s", strerror(errno));
    printf(" %d\n", asked_realpath_old(".", room) == room);
    result = asked_glob_old("dangling", 0, NULL, &found);
    printf("glob: %d %zu\n", result, result ? 0 : found.gl_pathc);
    result = asked_glob64_old("dangling", 0, NULL, &found64);
    printf("glob64: %d %zu\n", result, result ? 0 : found64.gl_pathc);
    result = asked_nftw_old(".", count, 3, 0x4000);
    printf("nftw: %d %d\n", result, visited);
    result = asked_nftw64_old(".", count64, 3, 0x4000);
    printf("nftw64: %d %d\n", result, visited);
    CPU_ZERO(&set);
    result = asked_sched_getaffinity_old(0, &set);
    printf("sched_getaffinity: %d %d\n", result, CPU_COUNT(&set));
    CPU_ZERO(&set);
    result = asked_pthread_getaffinity_np_old(pthread_self(), sizeof set, &set);
    printf("pthread_getaffinity_np: %d %d\n", result, CPU_COUNT(&set));
    CPU_ZERO(&set);
    result = asked_pthread_getaffinity_np_older(pthread_self(), &set);
    printf("pthread_getaffinity_np: %d %d\n", result, CPU_COUNT(&set));
    return 0;
}
