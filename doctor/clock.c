/* SPDX-License-Identifier: MIT
 *
 * A static program of our own making, under the witness: its call is reported, and its vDSO goes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe.h"
#include "program.h"
#include "vdso.h"
#include "watched.h"

#define PATIENCE_MS 5000
#define YAMA        "/proc/sys/kernel/yama/ptrace_scope"

struct trial {
    int program;
    int calls;               /* of uname, which the program makes once */
    int seize;               /* result of vdso_seize */
    enum vdso_outcome image; /* what became of its exec, when seized */
    int status;              /* PROGRAM_* or -1 */
};

static int execute(const void *data)
{
    const struct trial *trial = data;
    char *const argv[] = {(char *)"program", NULL};
    char *const environment[] = {NULL};

    syscall(SYS_execveat, trial->program, "", argv, environment, AT_EMPTY_PATH);
    return PROGRAM_NOT_EXECUTED;
}

/* The child has one thread, and makes two watched calls: the exec and the program's. */
static void follow(struct trial *trial, struct watched *watched, bool remove)
{
    struct watched_call call;
    struct vdso_trace trace;

    while (watched_next(watched, &call)) {
        bool executes = call.notice.data.nr == SYS_execveat;
        bool seized = false;

        if (executes && remove) {
            trial->seize = vdso_seize(&trace, watched->child, watched->child);
            seized = trial->seize == 0;
        }
        trial->calls += call.notice.data.nr == SYS_uname;
        watched_answer(watched, &call);
        if (seized)
            trial->image = vdso_wait(&trace, PATIENCE_MS, NULL, NULL);
    }
    trial->status = watched_end(watched);
}

/* False, and said why, when it could not be tried. */
static bool try(struct trial *trial, bool remove, struct doctor_finding *finding)
{
    struct watched watched;

    *trial = (struct trial){.program = program_static(), .status = -1};
    if (trial->program < 0) {
        probe_answer(finding, DOCTOR_NO, "cannot make a program to try it with: %s",
                     strerror(errno));
        return false;
    }
    watched_start(&watched, execute, trial);
    if (watched.listener.fd < 0) {
        probe_answer(finding, DOCTOR_NO, WATCHED_NO_LISTENER);
        probe_cure(finding, WATCHED_CURE);
        watched_end(&watched);
        return false;
    }
    follow(trial, &watched, remove);
    close(trial->program);
    if (trial->status == PROGRAM_WITHOUT_VDSO || trial->status == PROGRAM_WITH_VDSO)
        return true;
    probe_answer(finding, DOCTOR_NO, "a program made for the trial did not run");
    return false;
}

void probe_static_program(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    struct trial trial;

    (void)settings;
    if (!try(&trial, false, finding))
        return;
    if (trial.calls == 1)
        probe_answer(finding, DOCTOR_LIMITED,
                     "the shim cannot be in them; the kernel reported their call. Blind: which of "
                     "their variables they read");
    else
        probe_answer(finding, DOCTOR_NO, "a static program's call was not reported");
    probe_cure(finding, "link dynamically against glibc, or accept: --accept-blind-spot "
                        "unread-environment");
}

static void say_kept(struct doctor_finding *finding, const struct trial *trial)
{
    long scope = probe_sysctl(YAMA, -1);

    if (trial->seize == EBUSY)
        probe_answer(finding, DOCTOR_NO, "our processes are traced already (strace, gdb)");
    else if (trial->seize)
        probe_answer(finding, DOCTOR_NO, "ptrace: %s", strerror(trial->seize));
    else
        probe_answer(finding, DOCTOR_NO, "the program still found its vDSO");
    if (scope > 1)
        probe_add(finding, "kernel.yama.ptrace_scope is %ld", scope);
}

void probe_vdso(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    struct trial trial;

    (void)settings;
    if (!try(&trial, true, finding))
        return;
    if (trial.seize || trial.status != PROGRAM_WITHOUT_VDSO)
        say_kept(finding, &trial);
    else if (trial.image == VDSO_ABSENT)
        probe_answer(finding, DOCTOR_YES, "this kernel gives programs no vDSO");
    else
        probe_answer(finding, DOCTOR_YES, "the vDSO was taken away: a static program found none");
}
