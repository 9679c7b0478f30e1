/* SPDX-License-Identifier: MIT
 *
 * The shim, in real programs that report in to a real log.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "launch.h"
#include "log_reader.h"
#include "place.h"
#include "probe.h"
#include "program.h"
#include "shim_environment.h"
#include "signals.h"
#include "tallyman/event.h"

#define NARROW_LOG "probe" /* removed with the folder */
#define MANY       1000

struct shim {
    struct place place;
    struct launch_signals signals;
    char *path; /* NULL: said why */
};

static void find_shim(struct shim *shim, struct doctor_finding *finding)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;

    signals_take(&shim->signals);
    place_make(&shim->place);
    shim->path = launch_find_shim(NULL, &shim->place.directory, &why);
    if (!shim->path)
        probe_answer(finding, DOCTOR_NO, "%s", why.data);
}

static void give_back(struct shim *shim)
{
    place_remove(&shim->place);
    free(shim->path);
}

void probe_shim(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    struct shim shim;

    (void)settings;
    find_shim(&shim, finding);
    if (shim.path &&
        launch_probe(&shim.place.directory, &shim.place.facts, shim.path, &shim.signals, &why) != 0)
        probe_answer(finding, DOCTOR_NO, "%s", why.data);
    else if (shim.path)
        probe_answer(finding, DOCTOR_YES, "%s reported in", shim.path);
    give_back(&shim);
}

/* --- 32-bit ---------------------------------------------------------------------------------- */

static _Noreturn void execute(int program, char **environment)
{
    char *const argv[] = {(char *)"program", NULL};

    syscall(SYS_execveat, program, "", argv, environment, AT_EMPTY_PATH);
    _exit(errno == ENOEXEC ? 127 : 126);
}

static void note_start(void *context, const struct record_view *record)
{
    *(bool *)context |= record->head->kind == EVENT_PROCESS_START;
}

static bool has_reported(int log)
{
    struct log_reader *reader = log_reader_new(log, false);
    bool reported = false;

    log_reader_pass(reader, true, MANY, note_start, &reported);
    log_reader_free(reader);
    return reported;
}

static void try_narrow(const struct shim *shim, int program, struct doctor_finding *finding)
{
    cleanup_free char *path = xprintf("%s/%s", shim->place.directory.path, NARROW_LOG);
    cleanup_close int log =
        run_directory_make_log(&shim->place.directory, NARROW_LOG, &shim->place.facts);
    char **environment = shim_environment_new(shim->path, path);
    pid_t child = log < 0 ? -1 : fork();
    int status = 0;

    if (child == 0)
        execute(program, environment);
    if (child < 0 || waitpid(child, &status, 0) != child)
        die_errno("cannot start a process");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        probe_answer(finding, DOCTOR_NO, "a 32-bit program did not start%s",
                     WIFEXITED(status) && WEXITSTATUS(status) == 127
                         ? ": the kernel has no 32-bit mode"
                         : "");
    else if (has_reported(log))
        probe_answer(finding, DOCTOR_YES, "%s reported in", shim->path);
    else
        probe_answer(finding, DOCTOR_NO, "a 32-bit program started and did not report in");
    unlinkat(shim->place.directory.folder, NARROW_LOG, 0);
    shim_environment_free(environment);
}

void probe_shim32(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    cleanup_close int program = program_narrow();
    struct shim shim;

    (void)settings;
    find_shim(&shim, finding);
    if (!shim.path)
        ;
    else if (access(PROGRAM_NARROW_LOADER, X_OK) != 0)
        probe_answer(finding, DOCTOR_NO,
                     "there is no 32-bit C library here (no %s), so only static "
                     "32-bit programs run",
                     PROGRAM_NARROW_LOADER);
    else if (!strstr(shim.path, "/$LIB/"))
        probe_answer(finding, DOCTOR_NO, "tallyman was installed without a 32-bit shim");
    else if (program < 0)
        probe_answer(finding, DOCTOR_NO, "cannot make a program to try it with: %s",
                     strerror(errno));
    else
        try_narrow(&shim, program, finding);
    give_back(&shim);
}
