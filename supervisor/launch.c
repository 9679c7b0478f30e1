/* SPDX-License-Identifier: MIT */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "command_image.h"
#include "descriptor_mail.h"
#include "quote.h"
#include "shim_environment.h"
#include "tallyman/event.h"
#include "tallyman/record.h"
#include "tallyman/status.h"

#define PROBE_SECONDS 10
#define MESSAGE_MAX   1000
#define MESSENGER_MS  10000

static char *beside_program(const char *relative)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    char *slash;

    if (length <= 0)
        return NULL;
    path[length] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    slash[1] = '\0';
    char *joined = xprintf("%s%s", path, relative);
    char *real = realpath(joined, NULL);

    free(joined);
    return real;
}

/* The one that was asked for, or the one that belongs to this program: in the build tree,
 * installed. */
static char *locate(const char *given, struct buffer *why)
{
    const char *const relative[] = {SHIM_IN_BUILD_TREE, SHIM_INSTALLED};
    char *path;

    if (!given || !*given)
        given = getenv("TALLYMAN_SHIM");
    if (given && *given) {
        path = realpath(given, NULL);
        if (!path)
            buffer_printf(why, "%s: cannot find the shim: %s", given, strerror(errno));
        return path;
    }
    for (size_t i = 0; i < sizeof relative / sizeof *relative; i++) {
        path = beside_program(relative[i]);
        if (path)
            return path;
    }
    buffer_printf(why,
                  "the shim libtallyman.so is not where this program expects it (%s beside it); "
                  "install tallyman again, or name it in TALLYMAN_SHIM",
                  SHIM_INSTALLED);
    return NULL;
}

/* Where the library folders of two ABIs lie beside each other and both hold a shim, "$LIB" lets
 * each program's loader choose its own (ld.so(8)). NULL where there is one shim alone. */
static char *for_both_abis(const char *path)
{
    static const struct {
        const char *own, *sibling;
    } folders[] = {
        {"/lib/x86_64-linux-gnu/", "/lib/i386-linux-gnu/"}, /* Debian */
        {"/lib64/", "/lib/"},
    };

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *at = strstr(path, folders[i].own);
        const char *rest = at ? at + strlen(folders[i].own) : NULL;
        cleanup_free char *sibling = NULL;

        if (!at)
            continue;
        sibling = xprintf("%.*s%s%s", (int)(at - path), path, folders[i].sibling, rest);
        if (access(sibling, R_OK) == 0)
            return xprintf("%.*s/$LIB/%s", (int)(at - path), path, rest);
    }
    return NULL;
}

/* LD_PRELOAD is split at blanks and colons, with no way to quote them. */
static bool can_be_preloaded(const char *path)
{
    return strpbrk(path, " :\t\n") == NULL;
}

char *launch_find_shim(const char *given, const struct run_directory *directory, struct buffer *why)
{
    cleanup_free char *path = locate(given, why);
    cleanup_free char *link = NULL;
    struct statvfs status;

    if (!path)
        return NULL;
    if (access(path, R_OK) != 0) {
        buffer_printf(why, "%s: cannot read the shim: %s", path, strerror(errno));
        return NULL;
    }
    if (statvfs(path, &status) == 0 && (status.f_flag & ST_NOEXEC)) {
        buffer_printf(why,
                      "%s: the shim lies on a file system mounted noexec, programs cannot load "
                      "it; install tallyman elsewhere",
                      path);
        return NULL;
    }
    if (can_be_preloaded(path)) {
        char *both = for_both_abis(path);

        return both ? both : steal_ptr(&path);
    }
    link = xprintf("%s/%s", directory->path, LAUNCH_SHIM_LINK);
    if (!can_be_preloaded(link)) {
        buffer_printf(why,
                      "%s: a path with a blank or a colon cannot be preloaded, and so cannot %s; "
                      "name a folder without them in TALLYMAN_RUNTIME_DIR",
                      path, link);
        return NULL;
    }
    if (symlinkat(path, directory->folder, LAUNCH_SHIM_LINK) != 0) {
        buffer_printf(why, "%s: cannot make a link to the shim: %s", link, strerror(errno));
        return NULL;
    }
    return steal_ptr(&link);
}

static void restore_signals(const struct launch_signals *signals)
{
    sigaction(SIGCHLD, &signals->child, NULL);
    sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

/* In the child. Tells the parent the errno of a failed exec through `report`. */
static _Noreturn void execute(const char *program, char *const *argv, char **environment,
                              const struct launch_signals *signals, int report)
{
    int error;

    restore_signals(signals);
    execvpe(program, argv, environment);
    error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(TALLY_EXIT_FAILURE);
    _exit(TALLY_EXIT_NOT_FOUND);
}

/* What the messenger says. */
struct mail {
    pid_t messenger;
    struct witness_listener listener;
};

/* A process beside the command, not its child, with the same table of descriptors: it hands the
 * supervisor the listener that the command makes. The command itself cannot: the filter would
 * report the call before anybody listens. Forking is left to the kernel's call, for glibc has no
 * function with these flags; neither process needs glibc's own idea of its thread. */
static void start_messenger(const int *inner, int channel)
{
    struct mail mail;
    struct pollfd wait = {inner[0], POLLIN, 0};

    if (syscall(SYS_clone, (long)(CLONE_FILES | CLONE_PARENT | SIGCHLD), 0, 0, 0, 0) != 0)
        return;
    if (poll(&wait, 1, MESSENGER_MS) != 1 ||
        read(inner[0], &mail.listener, sizeof mail.listener) != (ssize_t)sizeof mail.listener)
        _exit(1);
    mail.messenger = getpid();
    descriptor_send(channel, &mail, sizeof mail, mail.listener.fd);
    _exit(0);
}

/* In the child. What it opened is closed by its exec, which also parts it from the messenger. */
static void install_filter(char **environment, int channel)
{
    struct witness_listener listener;
    int inner[2];

    if (pipe2(inner, O_CLOEXEC) != 0)
        return;
    start_messenger(inner, channel);
    listener = witness_filter_install();
    if (listener.fd >= 0)
        shim_environment_witnessed(environment);
    if (write(inner[1], &listener, sizeof listener) != (ssize_t)sizeof listener)
        _exit(TALLY_EXIT_FAILURE);
}

static ssize_t read_all(int file, void *into, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t got = read(file, (char *)into + done, size - done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

struct start {
    pid_t child;
    int report[2];  /* pipe: the errno of a failed exec */
    int channel[2]; /* sockets: the listener */
};

/* Waits until the listener is known and handed over. */
static void hand_over_listener(const struct start *start, const struct launch_watch *watch)
{
    struct mail mail = {.listener = {.error = EAGAIN}};
    int descriptor = -1;

    if (descriptor_receive(start->channel[0], &mail, sizeof mail, &descriptor))
        waitpid(mail.messenger, NULL, 0);
    mail.listener.fd = descriptor;
    watch->start(watch->context, mail.listener);
}

static bool open_channels(struct start *start)
{
    if (pipe2(start->report, O_CLOEXEC) != 0)
        return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, start->channel) == 0)
        return true;
    close(start->report[0]);
    close(start->report[1]);
    return false;
}

static int wait_for_exec(struct start *start, const struct launch_watch *watch)
{
    int error = 0;

    close(start->report[1]);
    close(start->channel[1]);
    if (watch)
        hand_over_listener(start, watch);
    if (read_all(start->report[0], &error, sizeof error) == (ssize_t)sizeof error) {
        waitpid(start->child, NULL, 0);
        start->child = LAUNCH_NO_PROGRAM;
    }
    close(start->report[0]);
    close(start->channel[0]);
    return error;
}

pid_t launch_command(char *const *argv, const char *shim, const char *log_path,
                     const struct launch_signals *signals, const struct launch_watch *watch)
{
    char **environment = shim ? shim_environment_new(shim, log_path) : NULL;
    cleanup_buffer struct buffer program = BUFFER_INIT;
    struct start start = {.child = LAUNCH_NO_PROCESS};
    int error = 0;

    /* The search along PATH is ours, not an access of the build's. */
    command_file(argv[0], &program);
    if (open_channels(&start)) {
        start.child = fork();
        if (start.child == 0) {
            if (watch)
                install_filter(environment, start.channel[1]);
            execute(program.data, argv, environment ? environment : environ, signals,
                    start.report[1]);
        }
        error = start.child < 0 ? errno : wait_for_exec(&start, watch);
    } else {
        error = errno;
    }
    shim_environment_free(environment);
    errno = error;
    return start.child;
}

/* --- the probe ------------------------------------------------------------------------------ */

static pid_t start_probe(char *const *argv, const char *shim, const char *log_path,
                         const struct launch_signals *signals, int output)
{
    char **environment = shim_environment_new(shim, log_path);
    pid_t child = fork();

    if (child == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);

        restore_signals(signals);
        if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
            dup2(output, STDERR_FILENO) < 0)
            _exit(TALLY_EXIT_FAILURE);
        alarm(PROBE_SECONDS);
        execve(argv[0], argv, environment);
        _exit(TALLY_EXIT_NOT_FOUND);
    }
    shim_environment_free(environment);
    return child;
}

/* True when the log holds the start of a process. */
static bool has_reported(int log)
{
    struct {
        struct chunk chunk;
        struct record record;
    } first;

    return pread(log, &first, sizeof first, LOG_UNIT) == (ssize_t)sizeof first &&
           first.chunk.magic == CHUNK_MAGIC && first.record.kind == EVENT_PROCESS_START &&
           (first.record.word & RECORD_COMMITTED);
}

static bool run_probe(char *const *argv, const struct run_directory *directory,
                      const struct run_facts *facts, const char *shim,
                      const struct launch_signals *signals, char *message)
{
    cleanup_free char *log_path = xprintf("%s/%s", directory->path, LAUNCH_PROBE_LOG);
    cleanup_close int log = run_directory_make_log(directory, LAUNCH_PROBE_LOG, facts);
    int output[2];
    ssize_t length;
    pid_t child;
    bool reported;

    message[0] = '\0';
    if (log < 0 || pipe2(output, O_CLOEXEC) != 0)
        return false;
    child = start_probe(argv, shim, log_path, signals, output[1]);
    close(output[1]);
    length = child > 0 ? read_all(output[0], message, MESSAGE_MAX - 1) : 0;
    close(output[0]);
    message[length] = '\0';
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    reported = has_reported(log);
    unlinkat(directory->folder, LAUNCH_PROBE_LOG, 0);
    return reported;
}

int launch_probe(const struct run_directory *directory, const struct run_facts *facts,
                 const char *shim, const struct launch_signals *signals, struct buffer *why)
{
    char *const first[] = {(char *)"/bin/true", NULL};
    char *const second[] = {(char *)"/proc/self/exe", (char *)"--version", NULL};
    char message[MESSAGE_MAX], other[MESSAGE_MAX];

    if (run_probe(first, directory, facts, shim, signals, message) ||
        run_probe(second, directory, facts, shim, signals, other))
        return 0;
    message[strcspn(message, "\n")] = '\0';
    buffer_printf(why,
                  "%s: a program started with the shim did not report in, so nothing would be "
                  "seen of the build; it was not started",
                  shim);
    if (message[0]) {
        buffer_add_text(why, ". The loader says: ");
        quote_display(why, message, strlen(message));
    }
    return TALLY_ERR_SYSTEM;
}
