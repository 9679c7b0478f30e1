/* SPDX-License-Identifier: MIT
 *
 * The witness: its filter, its listener, a call that is reported and goes on, and what that costs.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cleanup.h"
#include "probe.h"
#include "signals.h"
#include "tallyman/door.h"
#include "watched.h"
#include "witness_memory.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#    define SECCOMP_IOCTL_NOTIF_SET_FLAGS      SECCOMP_IOW(4, __u64) /* Linux 6.6 */
#    define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

#define ROUNDS     2000
#define FREE_CALLS 50 /* before the measurement, for caches and clock speed */

static const char looked_for[] = "/";

static int open_folder(const void *unused)
{
    (void)unused;
    return syscall(SYS_openat, AT_FDCWD, looked_for, O_RDONLY | O_DIRECTORY, 0) < 0;
}

static int do_nothing(const void *unused)
{
    (void)unused;
    return 0;
}

static void say_why_not(const struct watched *watched, struct doctor_finding *finding)
{
    probe_answer(finding, DOCTOR_NO, "%s (%s)", witness_filter_reason(watched->listener.error),
                 strerror(watched->listener.error));
    if (watched->listener.error == EBUSY)
        probe_cure(finding, "run tallyman where no other listener is above it: outside the other "
                            "`tallyman run`, or in a container whose manager has none");
}

/* For what needs a listener and is not the listener. */
static bool start(struct watched *watched, int (*work)(const void *data), const void *data,
                  struct doctor_finding *finding)
{
    watched_start(watched, work, data);
    if (watched->listener.fd >= 0)
        return true;
    probe_answer(finding, DOCTOR_NO, WATCHED_NO_LISTENER);
    probe_cure(finding, WATCHED_CURE);
    watched_end(watched);
    return false;
}

static void say_what_is_lost(struct doctor_finding *finding, const struct watched *watched)
{
    if (watched->listener.unprivileged) {
        finding->answer = DOCTOR_LIMITED;
        probe_add(finding, "as an ordinary user, with no_new_privs: sudo, su and other set-id "
                           "programs run without their privileges in a build");
        probe_cure(finding, "where a build needs set-id programs, run tallyman as root, or: docker "
                            "run --cap-add SYS_ADMIN");
    }
}

void probe_listener(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    struct watched watched;
    struct watched_call call;
    char path[sizeof looked_for + 1];

    (void)settings;
    watched_start(&watched, open_folder, NULL);
    if (watched.listener.fd < 0) {
        say_why_not(&watched, finding);
        watched_end(&watched);
        return;
    }
    if (!watched_next(&watched, &call) || call.notice.data.nr != SYS_openat) {
        probe_answer(finding, DOCTOR_NO, "a call was made and not reported");
    } else if (witness_read_string((pid_t)call.notice.pid, call.notice.data.args[1], path,
                                   sizeof path) < 0) {
        probe_answer(finding, DOCTOR_LIMITED, "a call is reported, its path cannot be read: %s",
                     strerror(errno));
    } else {
        probe_answer(finding, DOCTOR_YES, "a call was reported with its path");
    }
    if (!watched_answer(&watched, &call))
        probe_answer(finding, DOCTOR_NO, "a reported call cannot be let go: %s", strerror(errno));
    if (watched_end(&watched) != 0)
        probe_answer(finding, DOCTOR_NO, "a reported call failed when it went on");
    if (finding->answer == DOCTOR_YES)
        say_what_is_lost(finding, &watched);
}

void probe_wait_killable(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    struct watched watched;

    (void)settings;
    if (!start(&watched, do_nothing, NULL, finding))
        return;
    if (watched.listener.interruptible)
        probe_answer(finding, DOCTOR_NO, "no SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV");
    else
        probe_answer(finding, DOCTOR_YES, "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV");
    watched_end(&watched);
}

static bool ask_for_fast_hand_over(const struct watched *watched)
{
    return ioctl(watched->listener.fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
                 SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP) == 0;
}

void probe_sync_wake_up(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    struct watched watched;

    (void)settings;
    if (!start(&watched, do_nothing, NULL, finding))
        return;
    if (ask_for_fast_hand_over(&watched))
        probe_answer(finding, DOCTOR_YES, "SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP");
    else
        probe_answer(finding, DOCTOR_NO, "no SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP: %s",
                     strerror(errno));
    watched_end(&watched);
}

/* --- what a report costs --------------------------------------------------------------------- */

/* uname(2) is watched, does next to nothing, and needs no path. */
static int measure(const void *data)
{
    uint64_t *times = *(uint64_t *const *)data;
    struct utsname names;

    for (int i = -FREE_CALLS; i < ROUNDS; i++) {
        uint64_t before = signals_clock();

        syscall(SYS_uname, &names);
        if (i >= 0)
            times[i] = signals_clock() - before;
    }
    return 0;
}

static int compare(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return a < b ? -1 : a > b;
}

static double at_share(const uint64_t *times, double share)
{
    return (double)times[(size_t)(share * (ROUNDS - 1))] / 1000;
}

static void say_times(struct doctor_finding *finding, uint64_t *times, double plain)
{
    qsort(times, ROUNDS, sizeof *times, compare);
    probe_answer(
        finding, DOCTOR_YES,
        "%.1f us (median of %d; 10 %% under %.1f, 90 %% under %.1f), %.1f us without report",
        at_share(times, 0.5), ROUNDS, at_share(times, 0.1), at_share(times, 0.9), plain);
    probe_number(finding, "median_us", at_share(times, 0.5));
    probe_number(finding, "low_us", at_share(times, 0.1));
    probe_number(finding, "high_us", at_share(times, 0.9));
    probe_number(finding, "plain_us", plain);
    probe_number(finding, "calls", ROUNDS);
}

void probe_notification(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    uint64_t *times = mmap(NULL, ROUNDS * sizeof *times, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct watched watched;
    double plain;

    (void)settings;
    if (times == MAP_FAILED)
        die_errno("cannot get memory");
    measure(&times);
    qsort(times, ROUNDS, sizeof *times, compare);
    plain = at_share(times, 0.5);
    memset(times, 0, ROUNDS * sizeof *times);
    if (!start(&watched, measure, &times, finding))
        return;
    ask_for_fast_hand_over(&watched);
    if (watched_end(&watched) == 0 && times[ROUNDS - 1])
        say_times(finding, times, plain);
    else
        probe_answer(finding, DOCTOR_NO, "the measurement was not finished");
}

/* --- the shim's way past it ------------------------------------------------------------------ */

static void *map_own_text(void)
{
    cleanup_close int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    return program < 0 ? MAP_FAILED
                       : mmap(NULL, DOOR_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, program, 0);
}

void probe_door(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    void *const door = (void *)(uintptr_t)DOOR_ADDRESS;
    void *text = map_own_text();
    void *place =
        mmap(door, DOOR_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    (void)settings;
    if (place == MAP_FAILED && errno == EEXIST) {
        probe_answer(finding, DOCTOR_LIMITED,
                     "%#x is taken in this program, by the shim of a run "
                     "around it",
                     DOOR_ADDRESS);
        probe_cure(finding, "run the doctor outside of `tallyman run`");
    } else if (place != door) {
        probe_answer(finding, DOCTOR_NO, "nothing can be mapped at %#x: %s", DOOR_ADDRESS,
                     strerror(errno));
    } else if (text == MAP_FAILED ||
               mremap(text, DOOR_SIZE, DOOR_SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, door) != door) {
        probe_answer(finding, DOCTOR_NO, "a page of a program cannot be moved to %#x: %s",
                     DOOR_ADDRESS, strerror(errno));
    } else {
        probe_answer(finding, DOCTOR_YES, "at %#x", DOOR_ADDRESS);
    }
}
