/* SPDX-License-Identifier: MIT
 *
 * Real programs of each C library, started under a filter of our own that reports clock reads: a
 * program that has lost its vDSO shows up there.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "notified.h"
#include "signals.h"
#include "vdso.h"
#include "witness_memory.h"

#define PATIENCE_MS 10000
#define SECOND_US   1000000
#define STATUS      7 /* of clock_reader */

#define PROGRAM(name) PROGRAMS "/clock_reader_" name

struct command {
    const char *path;
    const char *how;
};

static void execute(const void *data)
{
    const struct command *command = data;
    char *const argv[] = {(char *)command->path, (char *)command->how, NULL};
    char *const environment[] = {(char *)"FIRST=1", (char *)"SECOND=two", NULL};

    execve(command->path, argv, environment);
    _exit(1);
}

struct outcome {
    int images[VDSO_ENDED + 1];
    int clock_calls;
    int seize; /* the last result */
    struct vdso_image image;
    char arguments[256], environment[256];
};

static void look(const struct vdso_image *image, void *data)
{
    struct outcome *outcome = data;

    outcome->image = *image;
    witness_read(image->pid, image->arguments, outcome->arguments, sizeof outcome->arguments - 1);
    witness_read(image->pid, image->environment, outcome->environment,
                 sizeof outcome->environment - 1);
}

/* Follows every exec of the child and counts its clock calls until it has ended. */
static struct outcome watch(struct notified *notified, bool trace_execs)
{
    struct outcome outcome = {.seize = 0};
    struct seccomp_notif call;

    cr_assert(notified->listener >= 0);
    while (notified_next(notified, &call)) {
        struct vdso_trace trace;
        bool seized = false;

        if (notified_is_exec(&call) && trace_execs) {
            char path[64];
            FILE *file;
            int process = 0;

            snprintf(path, sizeof path, "/proc/%u/status", call.pid);
            file = fopen(path, "r");
            while (file && process == 0 && fgets(path, sizeof path, file))
                sscanf(path, "Tgid: %d", &process);
            if (file)
                fclose(file);
            outcome.seize = vdso_seize(&trace, process, (pid_t)call.pid);
            seized = outcome.seize == 0;
        } else if (!notified_is_exec(&call)) {
            outcome.clock_calls++;
        }
        notified_continue(notified, &call);
        if (seized)
            outcome.images[vdso_wait(&trace, PATIENCE_MS, look, &outcome)]++;
    }
    notified_end(notified);
    return outcome;
}

static void assert_exit_status(pid_t child, int expected)
{
    int status = 0;

    cr_assert_eq(waitpid(child, &status, 0), child, "the child's end was taken away");
    cr_assert(WIFEXITED(status), "status %x", status);
    cr_assert_eq(WEXITSTATUS(status), expected);
}

static struct outcome run(const char *path, const char *how)
{
    struct command command = {path, how};
    struct notified notified = notified_start(execute, &command);
    struct outcome outcome = watch(&notified, true);

    assert_exit_status(notified.child, STATUS);
    return outcome;
}

/* False where the tools to build that program were not there. */
static bool is_built(const char *path)
{
    return access(path, X_OK) == 0;
}

static void assert_asks_the_kernel(const char *path, bool narrow)
{
    struct outcome outcome;

    if (!is_built(path))
        cr_skip_test("no tools to build %s", path);
    outcome = run(path, "read");
    cr_assert_eq(outcome.images[VDSO_REMOVED], 1);
    cr_assert(outcome.clock_calls >= 3, "%d clock calls", outcome.clock_calls);
    cr_assert_eq(outcome.image.narrow, narrow);
}

Test(vdso, a_static_program_reads_the_clock_unseen_while_it_has_its_vdso)
{
    struct command command = {PROGRAM("static"), "read"};
    struct notified notified = notified_start(execute, &command);
    struct outcome outcome = watch(&notified, false);

    assert_exit_status(notified.child, STATUS);
    cr_assert_eq(outcome.clock_calls, 0);
}

Test(vdso, a_static_program_asks_the_kernel_for_the_time_without_it)
{
    assert_asks_the_kernel(PROGRAM("static"), false);
}

Test(vdso, a_program_of_musl_asks_the_kernel_for_the_time_without_it)
{
    assert_asks_the_kernel(PROGRAM("musl"), false);
}

Test(vdso, a_program_of_go_asks_the_kernel_for_the_time_without_it)
{
    assert_asks_the_kernel(PROGRAM("go"), false);
}

Test(vdso, a_32_bit_program_asks_the_kernel_for_the_time_without_it)
{
    assert_asks_the_kernel(PROGRAM("static32"), true);
}

Test(vdso, the_new_images_arguments_and_environment_can_be_read_before_it_runs)
{
    static const char arguments[] = PROGRAM("static") "\0read";
    static const char environment[] = "FIRST=1\0SECOND=two";
    struct outcome outcome = run(PROGRAM("static"), "read");

    cr_assert_eq(outcome.image.arguments_size, sizeof arguments);
    cr_assert_arr_eq(outcome.arguments, arguments, sizeof arguments);
    cr_assert_eq(outcome.image.environment_size, sizeof environment);
    cr_assert_arr_eq(outcome.environment, environment, sizeof environment);
}

Test(vdso, an_exec_that_fails_leaves_the_process_as_it_was)
{
    struct outcome outcome = run(PROGRAM("static"), "missing");

    cr_assert_eq(outcome.images[VDSO_REMOVED], 1);
    cr_assert_eq(outcome.images[VDSO_NO_IMAGE], 1);
    cr_assert_eq(outcome.clock_calls, 3);
}

Test(vdso, a_second_thread_that_executes_is_followed_to_the_processs_id)
{
    struct outcome outcome = run(PROGRAM("static"), "exec");

    cr_assert_eq(outcome.images[VDSO_REMOVED], 2);
    cr_assert_eq(outcome.clock_calls, 3);
}

/* --- grandchildren --------------------------------------------------------------------------- */

static void run_below(const void *data)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        execute(data);
    if (waitpid(child, &status, 0) != child)
        _exit(97);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 96);
}

Test(vdso, a_parent_gets_the_status_of_a_child_that_was_traced)
{
    struct command command = {PROGRAM("static"), "read"};
    struct notified notified = notified_start(run_below, &command);
    struct outcome outcome = watch(&notified, true);

    assert_exit_status(notified.child, STATUS);
    cr_assert_eq(outcome.images[VDSO_REMOVED], 1);
}

static void wait_for_killed(const void *data)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        execute(data);
    if (waitpid(child, &status, 0) != child)
        _exit(97);
    _exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? STATUS : 96);
}

/* Killed between the seizure and the answer. */
static enum vdso_outcome kill_while_seized(struct notified *notified)
{
    struct seccomp_notif call;
    struct vdso_trace trace;
    enum vdso_outcome outcome;

    cr_assert(notified_next(notified, &call));
    cr_assert_eq(vdso_seize(&trace, (pid_t)call.pid, (pid_t)call.pid), 0);
    kill((pid_t)call.pid, SIGKILL);
    usleep(SECOND_US / 10);
    cr_assert_not(notified_continue(notified, &call));
    outcome = vdso_wait(&trace, PATIENCE_MS, NULL, NULL);
    notified_end(notified);
    return outcome;
}

Test(vdso, a_child_that_is_killed_meanwhile_is_still_ours_to_wait_for)
{
    struct command command = {PROGRAM("static"), "read"};
    struct notified notified = notified_start(execute, &command);
    int status;

    cr_assert_eq(kill_while_seized(&notified), VDSO_ENDED);
    cr_assert_eq(waitpid(notified.child, &status, 0), notified.child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

Test(vdso, a_grandchild_that_is_killed_meanwhile_is_its_parents_to_wait_for)
{
    struct command command = {PROGRAM("static"), "read"};
    struct notified notified = notified_start(wait_for_killed, &command);

    cr_assert_eq(kill_while_seized(&notified), VDSO_ENDED);
    assert_exit_status(notified.child, STATUS);
}

/* --- who else is there ----------------------------------------------------------------------- */

Test(vdso, a_traced_process_is_left_to_its_tracer)
{
    struct command command = {PROGRAM("static"), "read"};
    struct notified notified = notified_start(execute, &command);
    struct seccomp_notif call;
    struct vdso_trace trace;
    char go;
    int ready[2], finished[2];
    pid_t tracer;

    cr_assert(notified_next(&notified, &call));
    cr_assert_eq(pipe(ready), 0);
    cr_assert_eq(pipe(finished), 0);
    tracer = fork();
    if (tracer == 0) {
        if (ptrace(PTRACE_SEIZE, notified.child, NULL, NULL) != 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        close(finished[1]);
        _exit(read(finished[0], &go, 1) == 0 ? 0 : 1);
    }
    cr_assert_eq(read(ready[0], &go, 1), 1);
    cr_assert_eq(vdso_seize(&trace, notified.child, notified.child), EBUSY);
    close(finished[1]);
    assert_exit_status(tracer, 0);
    notified_continue(&notified, &call);
    watch(&notified, false);
    assert_exit_status(notified.child, STATUS);
}

Test(vdso, what_must_not_be_traced_is_told_apart_from_what_is_traced)
{
    struct command command = {PROGRAM("static"), "read"};
    struct notified notified = notified_start(execute, &command);
    struct seccomp_notif call;
    pid_t stranger;

    if (geteuid() != 0)
        cr_skip_test("not root, so there is no other user to be");
    cr_assert(notified_next(&notified, &call));
    stranger = fork();
    if (stranger == 0) {
        struct vdso_trace trace;

        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(99);
        _exit(vdso_seize(&trace, notified.child, notified.child));
    }
    assert_exit_status(stranger, EPERM);
    notified_continue(&notified, &call);
    watch(&notified, false);
    assert_exit_status(notified.child, STATUS);
}

Test(vdso, what_is_gone_cannot_be_seized)
{
    struct vdso_trace trace;
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    cr_assert_eq(vdso_seize(&trace, child, child), ESRCH);
}

Test(vdso, nothing_stays_traced)
{
    struct command command = {"/bin/sleep", "10"};
    struct notified notified = notified_start(execute, &command);
    struct seccomp_notif call;
    struct vdso_trace trace;

    cr_assert(notified_next(&notified, &call));
    cr_assert_eq(vdso_seize(&trace, notified.child, notified.child), 0);
    notified_continue(&notified, &call);
    cr_assert_eq(vdso_wait(&trace, PATIENCE_MS, NULL, NULL), VDSO_REMOVED);
    cr_assert_eq(ptrace(PTRACE_SEIZE, notified.child, NULL, NULL), 0, "it cannot be traced again");
    kill(notified.child, SIGKILL);
    waitpid(notified.child, NULL, __WALL);
    notified_end(&notified);
}

/* A slow disk, say. Here it is our own answer that the exec waits for. */
Test(vdso, an_exec_that_takes_long_is_pending)
{
    struct command command = {PROGRAM("static"), "read"};
    struct notified notified = notified_start(execute, &command);
    struct seccomp_notif call;
    struct vdso_trace trace;

    cr_assert(notified_next(&notified, &call));
    cr_assert_eq(vdso_seize(&trace, notified.child, notified.child), 0);
    trace.asked = true; /* so that nothing stops it before the answer */
    cr_assert_eq(vdso_wait(&trace, 20, NULL, NULL), VDSO_PENDING);
    trace.asked = false;
    notified_continue(&notified, &call);
    cr_assert_eq(vdso_wait(&trace, PATIENCE_MS, NULL, NULL), VDSO_REMOVED);
    watch(&notified, false);
    assert_exit_status(notified.child, STATUS);
}

/* --- beside a thread that waits for children ------------------------------------------------- */

struct watching {
    struct notified notified;
    struct outcome outcome;
};

static void *watch_in_thread(void *context)
{
    struct watching *watching = context;

    watching->outcome = watch(&watching->notified, true);
    return NULL;
}

Test(vdso, a_thread_that_reaps_meanwhile_takes_no_stop_and_gets_the_end)
{
    for (int i = 0; i < 50; i++) {
        struct command command = {PROGRAM("static"), "exec"};
        struct watching watching = {.notified = notified_start(execute, &command)};
        struct signal_wait wait = {.command = watching.notified.child};
        pthread_t thread;

        cr_assert_eq(pthread_create(&thread, NULL, watch_in_thread, &watching), 0);
        for (int looks = 0; signals_reap(&wait) && looks < PATIENCE_MS * 10; looks++)
            usleep(100);
        pthread_join(thread, NULL);
        cr_assert(wait.ended);
        cr_assert_eq(wait.status, STATUS << 8);
        cr_assert_eq(watching.outcome.images[VDSO_REMOVED], 2);
    }
}
