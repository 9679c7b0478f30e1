/* SPDX-License-Identifier: MIT
 *
 * Programs without shim that execute programs without shim, in unusual ways. The new image is this
 * program again, with the case "open", unless said otherwise.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

#define OWN "/proc/self/exe"

extern char **environ;
static char *const again[] = {(char *)"again", (char *)"open", NULL};

static int failed(const char *what)
{
    perror(what);
    return 1;
}

static int open_one(char **arguments)
{
    int file = open(arguments[0] ? arguments[0] : "d.txt", O_RDONLY);

    return file < 0 ? failed("open") : 0;
}

static int copy_in_memory(void)
{
    int from = open(OWN, O_RDONLY), to = memfd_create("copy", 0);
    struct stat status;

    if (from < 0 || to < 0 || fstat(from, &status) != 0)
        exit(failed("copy"));
    while (sendfile(to, from, NULL, (size_t)status.st_size) > 0)
        ;
    return to;
}

static int memory(char **arguments)
{
    (void)arguments;
    syscall(SYS_execveat, copy_in_memory(), "", again, environ, AT_EMPTY_PATH);
    return failed("execveat");
}

static int memory_by_name(char **arguments)
{
    char name[40];

    (void)arguments;
    snprintf(name, sizeof name, "/proc/self/fd/%d", copy_in_memory());
    execve(name, again, environ);
    return failed(name);
}

static int descriptor(char **arguments)
{
    int file = open(OWN, O_PATH);

    (void)arguments;
    syscall(SYS_execveat, file, "", again, environ, AT_EMPTY_PATH);
    return failed("execveat");
}

static int nothing(char **arguments)
{
    (void)arguments;
    return execve("", again, environ) == -1 && errno == ENOENT ? 0 : failed("execve");
}

static int no_vector(char **arguments)
{
    (void)arguments;
    syscall(SYS_execve, arguments[0], NULL, NULL);
    return failed(arguments[0]);
}

static int file_named(char **arguments)
{
    execve(arguments[0], arguments, environ);
    return failed(arguments[0]);
}

/* As many arguments, and one variable that large. */
static int huge(char **arguments)
{
    static char *many[4000], *variables[3];
    size_t count = 0;

    (void)arguments;
    many[count++] = again[0];
    many[count++] = again[1];
    many[count++] = (char *)"d.txt";
    while (count < sizeof many / sizeof *many - 1)
        many[count++] = (char *)"one of very many arguments, of which each is not long";
    variables[0] = malloc(120000);
    memset(variables[0], 'v', 119999);
    memcpy(variables[0], "LARGE=", 6);
    variables[0][119999] = '\0';
    variables[1] = (char *)"LAST=1";
    execve(OWN, many, variables);
    return failed("execve");
}

static void *execute(void *unused)
{
    (void)unused;
    execve(OWN, again, environ);
    exit(failed("execve"));
}

static void *wait_in_opens(void *unused)
{
    for (;;)
        close(open("u.txt", O_RDONLY));
    return unused;
}

/* While other threads wait in reported calls. */
static int second_thread(char **arguments)
{
    pthread_t thread;

    (void)arguments;
    for (int i = 0; i < 4; i++)
        pthread_create(&thread, NULL, wait_in_opens, NULL);
    pthread_create(&thread, NULL, execute, NULL);
    while (pause() == -1)
        ;
    return 1;
}

/* All threads at once: one of them succeeds. */
static int all_threads(char **arguments)
{
    pthread_t thread;

    (void)arguments;
    for (int i = 0; i < 8; i++)
        pthread_create(&thread, NULL, execute, NULL);
    while (pause() == -1)
        ;
    return 1;
}

static int many(char **arguments)
{
    int count = atoi(arguments[0]), status, failures = 0;

    for (int i = 0; i < count; i++) {
        pid_t child = fork();

        if (child == 0) {
            execve(OWN, again, environ);
            _exit(1);
        }
        failures += child < 0;
    }
    while (wait(&status) > 0)
        failures += status != 0;
    printf("%d\n", failures);
    return 0;
}

static int after_fork(char **arguments)
{
    int status;
    pid_t child = vfork();

    (void)arguments;
    if (child == 0) {
        execve(OWN, again, environ);
        _exit(1);
    }
    waitpid(child, &status, 0);
    return status != 0;
}

const struct one_case cases[] = {
    {"open", open_one},
    {"memory", memory},
    {"memory-by-name", memory_by_name},
    {"descriptor", descriptor},
    {"nothing", nothing},
    {"no-vector", no_vector},
    {"file", file_named},
    {"huge", huge},
    {"second-thread", second_thread},
    {"all-threads", all_threads},
    {"many", many},
    {"vfork", after_fork},
    {0},
};
