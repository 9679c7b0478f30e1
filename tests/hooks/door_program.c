/* SPDX-License-Identifier: MIT
 *
 *   door_program MODE [taken]
 *
 * Calls of which the kernel tells or not, by the name of what they touch: "door-..." should not be
 * reported where the shim makes its calls through the door, "raw-..." always. With "taken" the
 * door's place is in use before the shim can have it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tallyman/door.h"

extern char **environ;

static void take_place(int count, char **arguments, char **variables)
{
    (void)variables;
    if (count > 2 && strcmp(arguments[2], "taken") == 0)
        mmap((void *)DOOR_ADDRESS, DOOR_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0);
}

__attribute__((section(".preinit_array"), used)) static void (*early)(int, char **,
                                                                      char **) = take_place;

static void check(int right, const char *what)
{
    if (!right) {
        printf("%s: %s\n", what, strerror(errno));
        exit(1);
    }
}

/* --- one of each ---------------------------------------------------------------------------- */

static void call_each(void)
{
    struct stat status;
    char text[4096];
    int fd = open("door-file", O_RDWR | O_CREAT | O_TRUNC, 0600);

    check(fd >= 0, "open");
    check(close(fd) == 0 && (fd = openat(AT_FDCWD, "door-file", O_RDONLY)) >= 0, "openat");
    close(fd);
    check(stat("door-file", &status) == 0 && S_ISREG(status.st_mode), "stat");
    check(symlink("door-file", "door-link") == 0, "symlink");
    check(lstat("door-link", &status) == 0 && S_ISLNK(status.st_mode), "lstat");
    check(fstatat(AT_FDCWD, "door-link", &status, 0) == 0 && S_ISREG(status.st_mode), "fstatat");
    check(access("door-file", R_OK) == 0 && access("door-absent", F_OK) == -1, "access");
    check(faccessat(AT_FDCWD, "door-file", R_OK, AT_EACCESS) == 0, "faccessat");
    check(readlink("door-link", text, sizeof text) == 9, "readlink");
    check(mkdir("door-folder", 0700) == 0 && rename("door-file", "door-folder/x") == 0, "rename");
    check(chmod("door-folder/x", 0640) == 0, "chmod");
    check(link("door-folder/x", "door-hard") == 0, "link");
    check(unlink("door-hard") == 0 && unlink("door-folder/x") == 0, "unlink");
    check(rmdir("door-folder") == 0 && unlink("door-link") == 0, "rmdir");
}

static void call_raw(void)
{
    syscall(SYS_openat, AT_FDCWD, "raw-open", O_RDONLY);
    syscall(SYS_readlink, "raw-readlink", NULL, 0);
    syscall(SYS_access, "raw-access", 0);
}

static void all(void)
{
    call_each();
    call_raw();
}

static void resolve(void)
{
    char *name;

    check(mkdir("door-folder", 0700) == 0 && symlink("door-folder", "door-link") == 0, "mkdir");
    name = realpath("door-link/../door-link/.", NULL);
    check(name && strstr(name, "/door-folder"), "realpath");
    check(unlink("door-link") == 0 && rmdir("door-folder") == 0, "rmdir");
}

/* --- other processes, threads, handlers ----------------------------------------------------- */

static void await(pid_t pid)
{
    int status;

    check(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "a child");
}

static void in_fork(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        all();
        _exit(0);
    }
    await(pid);
}

static void in_vfork(void)
{
    pid_t pid = vfork();

    if (pid == 0)
        _exit(access("door-absent", F_OK) != -1 || open("door-absent", O_RDONLY) != -1);
    await(pid);
}

static void *thread_body(void *unused)
{
    struct stat status;

    stat("door-absent", &status);
    open("raw-of-libc", O_RDONLY);
    return unused;
}

static void in_thread(void)
{
    pthread_t thread;

    check(pthread_create(&thread, NULL, thread_body, NULL) == 0, "pthread_create");
    check(pthread_join(thread, NULL) == 0, "pthread_join");
}

static void *wait_in_open(void *name)
{
    open(name, O_RDONLY);
    return NULL;
}

static void cancel(void)
{
    pthread_t thread;
    void *result = NULL;

    check(mkfifo("raw-fifo", 0600) == 0, "mkfifo");
    check(pthread_create(&thread, NULL, wait_in_open, "raw-fifo") == 0, "pthread_create");
    usleep(50000);
    check(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0, "pthread_join");
    puts(result == PTHREAD_CANCELED ? "cancelled" : "went on");
    unlink("raw-fifo");
}

static void cancelled(void *unused)
{
    (void)unused;
    puts("cancelled");
    fflush(stdout);
}

/* The only thread may cancel itself: its next open ends it. */
static void cancel_self(void)
{
    pthread_cleanup_push(cancelled, NULL);
    pthread_cancel(pthread_self());
    open("door-or-raw", O_RDONLY);
    puts("went on");
    pthread_cleanup_pop(0);
}

static volatile int handled;

static void handle(int signal_number)
{
    int error = errno;
    struct stat status;

    (void)signal_number;
    if (stat("door-absent", &status) == -1 && open("door-absent", O_RDONLY) == -1)
        handled++;
    errno = error;
}

static void in_handler(void)
{
    struct sigaction action = {.sa_handler = handle};

    check(sigaction(SIGUSR1, &action, NULL) == 0, "sigaction");
    for (int i = 0; i < 100; i++)
        raise(SIGUSR1);
    printf("%d\n", handled);
}

/* --- programs ------------------------------------------------------------------------------- */

static char *const run_nothing[] = {"true", NULL};

#define IN_CHILD(call)                                                                             \
    do {                                                                                           \
        pid_t child = fork();                                                                      \
        if (child == 0) {                                                                          \
            call;                                                                                  \
            _exit(9);                                                                              \
        }                                                                                          \
        await(child);                                                                              \
    } while (0)

static void dynamic_programs(void)
{
    setenv("PATH", "/nowhere:/usr/bin:/bin", 1);
    IN_CHILD(execve("/bin/true", run_nothing, environ));
    IN_CHILD(execv("/bin/true", run_nothing));
    IN_CHILD(execl("/bin/true", "true", (char *)NULL));
    IN_CHILD(execvp("true", run_nothing));
    IN_CHILD(execvp("/bin/true", run_nothing));
    IN_CHILD(execlp("true", "true", (char *)NULL));
    IN_CHILD(execv("./door-script", run_nothing));
}

static void static_program(void)
{
    IN_CHILD(execve("./raw-static", run_nothing, environ));
    setenv("PATH", "/nowhere:.:/usr/bin:/bin", 1);
    IN_CHILD(execvp("raw-static", run_nothing));
}

static void go_program(void)
{
    IN_CHILD(execv("./raw-go", run_nothing));
}

/* What libc's search makes of a file that the kernel cannot run: a script of the shell. */
static void shell_fallback(void)
{
    setenv("PATH", ".:/usr/bin:/bin", 1);
    IN_CHILD(execvp("raw-words", run_nothing));
}

static const struct mode {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"all", all},
    {"resolve", resolve},
    {"fork", in_fork},
    {"vfork", in_vfork},
    {"thread", in_thread},
    {"cancel", cancel},
    {"cancel-self", cancel_self},
    {"handler", in_handler},
    {"dynamic-programs", dynamic_programs},
    {"static-program", static_program},
    {"go-program", go_program},
    {"shell-fallback", shell_fallback},
};

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (count > 1 && strcmp(arguments[1], modes[i].name) == 0) {
            modes[i].run();
            puts("done");
            return 0;
        }
    return 2;
}
