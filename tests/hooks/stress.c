/* SPDX-License-Identifier: MIT
 *
 *   stress MODE
 *
 * Programs that are hard on a preloaded library. Each prints what the test compares; none depends
 * on the shim.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void fail(const char *what)
{
    printf("%s: %s\n", what, strerror(errno));
    exit(1);
}

static void touch(const char *path)
{
    close(open(path, O_RDONLY));
}

static pthread_t start(void *(*body)(void *), void *argument)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, body, argument) != 0)
        fail("pthread_create");
    return thread;
}

static void on_alarm(void (*handler)(int), int microseconds)
{
    struct sigaction action = {.sa_handler = handler};
    struct itimerval every = {{0, microseconds}, {0, microseconds}};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

static void alarms_off(void)
{
    const struct itimerval never = {{0, 0}, {0, 0}};

    signal(SIGALRM, SIG_IGN);
    setitimer(ITIMER_REAL, &never, NULL);
}

/* --- fork while other threads are inside wrapped calls --- */

static void *busy(void *unused)
{
    for (;;) {
        touch("/etc/hostname");
        access("/etc/nope", R_OK);
    }
    return unused;
}

static void fork_beside_threads(void)
{
    for (int i = 0; i < 4; i++)
        start(busy, NULL);
    for (int i = 0; i < 2000; i++) {
        pid_t pid = fork();

        if (pid < 0)
            fail("fork");
        if (pid == 0) {
            touch("/etc/hosts");
            _exit(0);
        }
        if (waitpid(pid, NULL, 0) != pid)
            fail("waitpid");
    }
    puts("ok");
}

/* --- wrapped calls inside a fast timer's handler --- */

static volatile int handled;

static void count_and_touch(int signal_number)
{
    int error = errno;

    (void)signal_number;
    touch("/etc/hosts");
    handled++;
    errno = error;
}

static void timer(void)
{
    int bad = 0;

    on_alarm(count_and_touch, 200);
    for (int i = 0; i < 200000; i++) {
        int fd = open("/etc/hostname", O_RDONLY);

        bad += fd < 0;
        close(fd);
    }
    alarms_off();
    printf("%d %d\n", bad, handled);
}

/* --- threads that all make the first call at once --- */

static pthread_barrier_t gate;

static void *first_call(void *argument)
{
    struct timespec now;
    char name[32];

    snprintf(name, sizeof name, "absent-%d", (int)(long)argument);
    pthread_barrier_wait(&gate);
    clock_gettime(CLOCK_REALTIME, &now);
    access(name, R_OK);
    return NULL;
}

static void start_at_once(void)
{
    pthread_t threads[8];

    pthread_barrier_init(&gate, NULL, 8);
    for (long i = 0; i < 8; i++)
        threads[i] = start(first_call, (void *)i);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

/* --- many different names from many threads --- */

static void *many_names(void *argument)
{
    char name[32];

    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "name-%d-%d", (int)(long)argument, i);
        access(name, R_OK);
    }
    return NULL;
}

static void distinct_names(void)
{
    pthread_t threads[8];

    for (long i = 0; i < 8; i++)
        threads[i] = start(many_names, (void *)i);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

/* --- a handler that jumps out of wrapped calls --- */

static sigjmp_buf back;

static void jump(int signal_number)
{
    (void)signal_number;
    siglongjmp(back, 1);
}

static void jump_out(void)
{
    static volatile int jumps, calls;
    char name[32];

    sigsetjmp(back, 1);
    if (jumps == 0)
        on_alarm(jump, 500);
    while (jumps++ < 3000)
        for (int i = 0; i < 100000; i++) {
            snprintf(name, sizeof name, "jumped-%d", calls++);
            access(name, R_OK);
        }
    alarms_off();
    access("after", R_OK);
    puts("done");
}

/* --- threads cancelled inside wrapped calls --- */

static void *until_cancelled(void *argument)
{
    long i = 0;
    char name[48];

    pthread_setcanceltype(argument ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
    for (;;) {
        snprintf(name, sizeof name, "%s-%ld-%ld", argument ? "async" : "deferred", (long)gettid(),
                 i++);
        if (argument)
            access(name, R_OK);
        else
            open(name, O_RDONLY);
    }
    return NULL;
}

static void cancel(void)
{
    for (long i = 0; i < 200; i++) {
        pthread_t thread = start(until_cancelled, (void *)(i & 1));
        void *result;

        usleep((useconds_t)(i * 7 % 500));
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED)
            fail("pthread_join");
    }
    access("after", R_OK);
    puts("done");
}

/* --- wrapped calls on the smallest stack that a handler can have --- */

static volatile int on_small_stack;

static void touch_there(int signal_number)
{
    char here;

    (void)signal_number;
    (void)here;
    open("absent-on-small-stack", O_RDONLY);
    access("absent-there", R_OK);
    on_small_stack = 1;
}

/* What the kernel needs for its frame, 2 KiB for the shim, 1 KiB for handler and libc; a page that
 * cannot be touched lies below. */
static void small_stack(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 3072;
    size_t whole = (size + page - 1) / page * page;
    char *map =
        mmap(NULL, page + whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_size = size};
    struct sigaction action = {.sa_handler = touch_there, .sa_flags = SA_ONSTACK};

    if (map == MAP_FAILED || mprotect(map, page, PROT_NONE) != 0)
        fail("mmap");
    memset(map + page, 0x5a, whole);
    stack.ss_sp = map + page + whole - size;
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
        fail("sigaltstack");
    raise(SIGUSR1);
    for (char *at = map + page; at < (char *)stack.ss_sp; at++)
        if (*at != 0x5a)
            fail("overrun");
    printf("ran %d\n", on_small_stack);
}

/* --- says after each call which one it was, until it is killed --- */

static void count_aloud(void)
{
    char name[32];

    for (int i = 0;; i++) {
        int length = snprintf(name, sizeof name, "killed-%07d\n", i);

        name[length - 1] = '\0';
        access(name, R_OK);
        name[length - 1] = '\n';
        syscall(SYS_write, 1, name, length);
    }
}

/* --- a vfork child that changes the environment it shares with its parent --- */

static void vfork_environment(void)
{
    static char *own[] = {"CHILD=1", "PATH=/usr/bin:/bin", NULL};
    char **before = environ;
    pid_t pid;

    fflush(stdout);
    pid = vfork();
    if (pid == 0) {
        environ = own;
        execlp("env", "env", (char *)NULL);
        _exit(9);
    }
    waitpid(pid, NULL, 0);
    printf("parent sees %s, %s\n", getenv("CHILD") ? "it" : "nothing",
           environ == own ? "the child's block" : "its own");
    environ = before;
    setenv("PARENT", "1", 1);
    fflush(stdout);
    printf("%d\n", system("env | sort"));
}

/* --- limits reached after the start --- */

static void no_descriptors(void)
{
    struct rlimit none = {3, 3};
    char name[64];

    setrlimit(RLIMIT_NOFILE, &none);
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "no-descriptors-%d-%030d", i, i);
        if (open(name, O_RDONLY) != -1 || errno != EMFILE) {
            puts("unexpected");
            return;
        }
    }
    puts("done");
}

static const struct mode {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"fork-beside-threads", fork_beside_threads},
    {"timer", timer},
    {"start-at-once", start_at_once},
    {"distinct-names", distinct_names},
    {"jump-out", jump_out},
    {"cancel", cancel},
    {"small-stack", small_stack},
    {"count-aloud", count_aloud},
    {"vfork-environment", vfork_environment},
    {"no-descriptors", no_descriptors},
};

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (count == 2 && strcmp(arguments[1], modes[i].name) == 0) {
            modes[i].run();
            return 0;
        }
    return 2;
}
