/* SPDX-License-Identifier: MIT */
#include "supervisor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "command_image.h"
#include "drain.h"
#include "launch.h"
#include "progress.h"
#include "quote.h"
#include "run_directory.h"
#include "signals.h"
#include "survivors.h"
#include "tallyman/status.h"
#include "witness.h"

#define TICK_MS       100
#define SURVIVOR_TICK 20
#define CLOSED_EARLY  "the log was closed while the build ran: the supervisor stood still"

struct supervision {
    const struct run_options *options;
    struct run_result *result;
    struct run_facts facts;
    struct run_directory directory;
    struct launch_signals signals;
    struct signal_wait wait;
    struct survivors before; /* children that the process already had */
    struct store *store;     /* NULL: no database */
    struct drain *drain;
    struct ingest_counts counts;
    struct progress progress;
    struct witness *witness;   /* NULL: there is none */
    const char *witness_lacks; /* why not; NULL: not wanted, or it is there */
    struct buffer trouble;     /* with the database */
    char *shim;
    int *inherited; /* descriptors */
    size_t inherited_count;
};

/* Our descriptors must not become the command's stdin, stdout or stderr. What the caller closed is
 * filled while we open ours, and closed again for the command by O_CLOEXEC. */
static void fill_standard_descriptors(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static bool is_refusal(int status)
{
    return status == TALLY_ERR_FORMAT || status == TALLY_ERR_VERSION || status == TALLY_ERR_CORRUPT;
}

/* A file that must not be touched ends the run before it starts. Any other trouble does not stop
 * the build: the log is kept for `recover`. */
static bool open_database(struct supervision *run)
{
    int status = store_open(&run->store, run->options->database, &run->trouble);

    if (is_refusal(status)) {
        warn("%s", run->trouble.data);
        return false;
    }
    if (status)
        return true;
    bool resumed;

    run->result->run = store_begin_run(run->store, &run->facts, &resumed);
    if (run->result->run == 0)
        buffer_add_text(&run->trouble, store_failure(run->store));
    return true;
}

static bool prepare(struct supervision *run)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;

    run->shim = launch_find_shim(run->options->shim, &run->directory, &why);
    if (!run->shim ||
        launch_probe(&run->directory, &run->facts, run->shim, &run->signals, &why) != 0) {
        warn("%s", why.data);
        return false;
    }
    return open_database(run);
}

static int status_of_exec(pid_t failure, int error)
{
    if (failure == LAUNCH_NO_PROCESS)
        return TALLY_EXIT_FAILURE;
    return error == ENOENT || error == ENOTDIR ? TALLY_EXIT_NOT_FOUND : TALLY_EXIT_NOT_EXECUTABLE;
}

/* Another C library's loader would load the shim and crash; that of another processor mode would
 * complain, unless there is a shim for each. */
static bool fits_command(const char *shim, const char *name)
{
    cleanup_buffer struct buffer path = BUFFER_INIT;
    enum image_class class = command_image(name, strstr(shim, "/$LIB/"), &path);

    return class != IMAGE_FOREIGN_LIBC && class != IMAGE_FOREIGN_ABI;
}

static enum witness_mode witness_mode(const char *word)
{
    return strcmp(word, "full") == 0   ? WITNESS_FULL
           : strcmp(word, "gaps") == 0 ? WITNESS_GAPS
                                       : WITNESS_OFF;
}

static void prepare_witness(struct supervision *run)
{
    struct witness_setting setting = {.log = run->directory.log,
                                      .mode = witness_mode(run->options->witness),
                                      .shim = run->shim,
                                      .directory = run->directory.path};

    if (setting.mode == WITNESS_OFF)
        return;
    run->witness = witness_new(&setting, &run->witness_lacks);
    if (run->witness)
        survivors_add(&run->before, witness_guard_process(run->witness));
}

static void give_up_witness(struct supervision *run, const char *why)
{
    run->witness_lacks = why;
    witness_free(run->witness);
    run->witness = NULL;
}

/* Before the command runs: its processes look there. */
static bool announce_witness(const struct supervision *run)
{
    uint32_t mode = witness_mode(run->options->witness);

    return pwrite(run->directory.log, &mode, sizeof mode, offsetof(struct log_control, witness)) ==
           (ssize_t)sizeof mode;
}

static void start_witness(void *context, struct witness_listener listener)
{
    struct supervision *run = context;

    if (listener.fd < 0)
        give_up_witness(run, witness_filter_reason(listener.error));
    else if (!announce_witness(run) || !witness_start(run->witness, listener))
        give_up_witness(run, "its threads cannot be started");
}

static bool launch(struct supervision *run)
{
    const char *name = run->options->argv[0];
    const char *shim = fits_command(run->shim, name) ? run->shim : NULL;
    const struct launch_watch watch = {start_witness, run};

    group_watch_start(&run->wait.group);
    run->wait.command = launch_command(run->options->argv, shim, run->directory.log_path,
                                       &run->signals, run->witness ? &watch : NULL);
    if (run->wait.command > 0)
        return true;
    run->result->exit_status = status_of_exec(run->wait.command, errno);
    if (run->wait.command == LAUNCH_NO_PROCESS)
        warn_errno("cannot start a process for the command");
    else if (errno == ENOENT)
        warn("%s: command not found", name);
    else
        warn_errno("%s: cannot be executed", name);
    return false;
}

/* What the caller handed over for the command, beyond the standard three. */
static void list_inherited(struct supervision *run)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    size_t room = 0;

    while (folder && (entry = readdir(folder))) {
        int fd = atoi(entry->d_name);

        if (fd <= STDERR_FILENO || fd == dirfd(folder))
            continue;
        if (run->inherited_count == room) {
            room = room ? 2 * room : 16;
            run->inherited = xrealloc(run->inherited, room * sizeof *run->inherited);
        }
        run->inherited[run->inherited_count++] = fd;
    }
    if (folder)
        closedir(folder);
}

/* The command has its own copies. A reader at the other end of a pipe waits for the last writer,
 * and that must not be us. */
static void give_up_descriptors(struct supervision *run)
{
    int null;

    if (!run->options->own_process)
        return;
    for (size_t i = 0; i < run->inherited_count; i++)
        close(run->inherited[i]);
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return;
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    close(null);
}

static void kill_all(struct supervision *run)
{
    struct survivors all = survivors_list(&run->before);

    if (run->before.unsure && !run->wait.ended) /* others may be the caller's */
        kill(run->wait.command, SIGKILL);
    for (size_t i = 0; i < all.count && !run->before.unsure; i++) {
        if (all.pids[i] != run->wait.group.child)
            kill(all.pids[i], SIGKILL);
    }
    survivors_free(&all);
}

static void force_when_due(struct supervision *run)
{
    if (run->wait.force_ns && signals_clock() >= run->wait.force_ns)
        kill_all(run);
}

static void wait_for_command(struct supervision *run)
{
    while (!run->wait.ended) {
        signals_wait(&run->wait, TICK_MS);
        progress_show(&run->progress, &run->counts);
        force_when_due(run);
    }
}

/* Waits until nothing of the build is left, but not longer than the grace time or a signal. */
static struct survivors wait_for_rest(struct supervision *run)
{
    long grace = run->options->grace_ms < 0 ? SUPERVISOR_GRACE_MS : run->options->grace_ms;
    uint64_t end = signals_clock() + (uint64_t)grace * 1000000;
    int requests = run->wait.requests;
    struct survivors left = {NULL, 0, false};

    group_watch_stop(&run->wait.group);
    while (signals_reap(&run->wait)) {
        survivors_free(&left);
        left = survivors_list(&run->before);
        if ((left.count == 0 && !left.unsure) || signals_clock() >= end ||
            run->wait.requests > requests)
            return left;
        signals_wait(&run->wait, SURVIVOR_TICK);
        force_when_due(run);
    }
    survivors_free(&left);
    return left;
}

static void note_survivors(struct supervision *run, const struct survivors *left)
{
    if (left->unsure)
        store_blind_spot(run->store, 0, BLIND_SPOT_SURVIVOR, NULL, 0, 1);
    for (size_t i = 0; i < left->count; i++) {
        cleanup_buffer struct buffer command = BUFFER_INIT;

        survivors_command(left->pids[i], &command);
        ingest_survivor(drain_ingest(run->drain), (uint32_t)left->pids[i],
                        command.data ? command.data : "", command.length);
    }
}

static void note_command_ended(struct supervision *run)
{
    const struct rusage *usage = &run->wait.usage;
    struct child_usage counted = {
        .user_us = (uint64_t)usage->ru_utime.tv_sec * 1000000u + (uint64_t)usage->ru_utime.tv_usec,
        .system_us =
            (uint64_t)usage->ru_stime.tv_sec * 1000000u + (uint64_t)usage->ru_stime.tv_usec,
        .max_resident_kib = (uint64_t)usage->ru_maxrss,
    };

    if (run->wait.command <= 0)
        return;
    ingest_command(drain_ingest(run->drain), (uint32_t)run->wait.command, run->facts.monotonic,
                   run->options->argv[0]);
    if (run->wait.ended)
        ingest_command_ended(drain_ingest(run->drain), (uint32_t)run->wait.command,
                             run->wait.status, run->wait.ended_ns, &counted);
}

static void note_blind_spots(struct supervision *run)
{
    struct log_totals totals = drain_totals(run->drain);
    struct witness_counts seen =
        run->witness ? witness_counts(run->witness) : (struct witness_counts){0};
    uint64_t damaged = totals.damaged + ingest_damaged(drain_ingest(run->drain));
    uint64_t lost = totals.lost + seen.lost;

    if (seen.taken_back)
        store_blind_spot(run->store, 0, BLIND_SPOT_INTERRUPTED, NULL, 0, seen.taken_back);
    if (lost)
        store_blind_spot(run->store, 0, BLIND_SPOT_LOST_RECORDS, NULL, 0, lost);
    if (damaged)
        store_blind_spot(run->store, 0, BLIND_SPOT_DAMAGED_LOG, NULL, 0, damaged);
    if (drain_closed_early(run->drain))
        store_blind_spot(run->store, 0, BLIND_SPOT_LOST_RECORDS, CLOSED_EARLY,
                         sizeof CLOSED_EARLY - 1, 1);
    if (!run->witness)
        store_blind_spot(run->store, 0, BLIND_SPOT_WITNESS_OFF, run->witness_lacks,
                         run->witness_lacks ? strlen(run->witness_lacks) : 0, 1);
}

static int64_t unix_time_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void finish_database(struct supervision *run, const struct survivors *left)
{
    struct run_end end = {.exit_status = run->result->exit_status,
                          .signal = run->result->signal,
                          .interrupted = run->wait.interrupted};

    if (!run->store)
        return;
    drain_rest(run->drain);
    note_command_ended(run);
    ingest_finish(drain_ingest(run->drain));
    note_survivors(run, left);
    note_blind_spots(run);
    end.ended = unix_time_ns();
    end.complete = store_blind_spots(run->store) == 0;
    run->result->complete = end.complete;
    store_end_run(run->store, &end);
    if (store_commit(run->store) != 0 && run->trouble.length == 0)
        buffer_add_text(&run->trouble, store_failure(run->store));
}

/* The line that says where the records are when the database does not have them. */
static void keep_log(struct supervision *run)
{
    cleanup_buffer struct buffer where = BUFFER_INIT;

    quote_word(&where, run->directory.path, strlen(run->directory.path));
    warn("%s; the records of this run are kept, make the database with: "
         "tallyman recover %s -o FILE",
         run->trouble.data, where.data);
    run->result->exit_status = TALLY_EXIT_FAILURE;
    run->result->complete = false;
    run->result->log_kept = xstrdup(run->directory.path);
}

static void set_status(struct supervision *run)
{
    int status = run->wait.status;

    run->result->interrupted = run->wait.interrupted;
    if (WIFSIGNALED(status)) {
        run->result->signal = WTERMSIG(status);
        run->result->exit_status = 128 + WTERMSIG(status);
    } else {
        run->result->exit_status = WEXITSTATUS(status);
    }
}

static void supervise(struct supervision *run)
{
    struct survivors left = {NULL, 0, false};
    bool started;

    prepare_witness(run);
    started = launch(run);
    run->drain = drain_new(run->directory.log, run->trouble.length ? NULL : run->store,
                           run->progress.on ? run->options->policy : NULL, &run->counts, false);
    if (started) {
        drain_start(run->drain);
        give_up_descriptors(run);
        wait_for_command(run);
        set_status(run);
        left = wait_for_rest(run);
    }
    group_watch_stop(&run->wait.group);
    witness_stop(run->witness);
    progress_erase(&run->progress);
    drain_stop(run->drain);
    if (run->trouble.length == 0)
        finish_database(run, &left);
    drain_free(run->drain);
    witness_free(run->witness);
    survivors_free(&left);
    if (store_close(run->store) != 0 && run->trouble.length == 0)
        buffer_add_text(&run->trouble, "cannot write the database");
    run->store = NULL;
    if (run->trouble.length && started)
        keep_log(run);
}

/* --- exit(3) in the middle, for want of memory ---------------------------------------------- */

static struct {
    struct supervision *run;
    pid_t process;
    pthread_t thread;
} guarded;

/* The build is not to blame: whoever waits for tallyman shall wait until the command has ended, and
 * its records are kept. The main thread goes on meanwhile when another one is here. */
static void end_early(void)
{
    struct supervision *run = guarded.run;
    const volatile bool *ended;

    if (!run || getpid() != guarded.process)
        return;
    guarded.run = NULL;
    group_watch_stop(&run->wait.group);
    if (run->wait.command <= 0) {
        run_directory_remove(&run->directory);
        return;
    }
    if (run->drain)
        drain_give_up(run->drain);
    ended = &run->wait.ended;
    while (!*ended) {
        if (pthread_equal(pthread_self(), guarded.thread))
            signals_wait(&run->wait, TICK_MS);
        else
            usleep(TICK_MS * 1000);
    }
    dprintf(STDERR_FILENO,
            "tallyman: the records of this run are kept, make the database with: tallyman recover "
            "%s -o FILE\n",
            run->directory.path);
}

static void guard(struct supervision *run)
{
    static bool registered;

    guarded.process = getpid();
    guarded.thread = pthread_self();
    guarded.run = run;
    if (!registered)
        registered = atexit(end_early) == 0;
}

/* -------------------------------------------------------------------------------------------- */

static void remember_children(struct supervision *run)
{
    siginfo_t info;

    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
        run->before = survivors_list(NULL);
}

int supervisor_run(const struct run_options *options, struct run_result *result)
{
    struct supervision run = {.options = options, .result = result};

    *result = (struct run_result){.exit_status = TALLY_EXIT_FAILURE};
    run.directory = (struct run_directory){.folder = -1, .log = -1};
    guard(&run);
    fill_standard_descriptors();
    list_inherited(&run);
    run_facts_collect(&run.facts, options);
    signals_take(&run.signals);
    remember_children(&run);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    run_directory_create(&run.directory, &run.facts);
    progress_start(&run.progress, options->progress && !options->quiet);
    if (prepare(&run))
        supervise(&run);
    else
        store_close(run.store);
    guarded.run = NULL;
    if (result->log_kept)
        run_directory_fini(&run.directory);
    else
        run_directory_remove(&run.directory);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    signals_restore(&run.signals);
    run_facts_free(&run.facts);
    survivors_free(&run.before);
    buffer_fini(&run.trouble);
    free(run.shim);
    free(run.inherited);
    return 0;
}
