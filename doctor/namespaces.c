/* SPDX-License-Identifier: MIT
 *
 * Each kind of namespace, inside a user namespace of our own as the sandbox has it, and something
 * done in it that only works inside: getting one is no proof (AppArmor gives one without rights).
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "probe.h"

#ifndef CLONE_NEWTIME
#    define CLONE_NEWTIME 0x80 /* Linux 5.6 */
#endif

#define APPARMOR "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
#define DEBIAN   "/proc/sys/kernel/unprivileged_userns_clone"
#define LIMIT    "/proc/sys/user/max_user_namespaces"
#define SHIFT    1000   /* seconds */
#define BELOW    "/tmp" /* covered in the namespace */

/* One kind. `prove` returns 0 or an errno; it is called in the namespace. `step` is what it does.
 */
struct kind {
    int flags;
    int (*prove)(void);
    const char *step;
};

static int write_text(const char *path, const char *text)
{
    cleanup_close int file = open(path, O_WRONLY | O_CLOEXEC);

    return file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : errno;
}

/* 0 or an errno. `*step` is where it failed. */
static int enter_user_namespace(const char **step)
{
    cleanup_free char *users = xprintf("0 %u 1", geteuid());
    cleanup_free char *groups = xprintf("0 %u 1", getegid());
    int error;

    *step = "unshare(CLONE_NEWUSER)";
    if (unshare(CLONE_NEWUSER) != 0)
        return errno;
    *step = "writing its uid_map";
    error = write_text("/proc/self/setgroups", "deny");
    if (!error)
        error = write_text("/proc/self/uid_map", users);
    return error ? error : write_text("/proc/self/gid_map", groups);
}

static int cover_folder(void)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tallyman", BELOW, "tmpfs", 0, NULL) != 0)
        return errno;
    return 0;
}

static int enter(const struct kind *kind, bool as_user, const char **step)
{
    int error = as_user ? enter_user_namespace(step) : 0;

    if (error)
        return error;
    *step = "unshare";
    if (kind->flags && unshare(kind->flags) != 0)
        return errno;
    *step = kind->step;
    return kind->prove();
}

/* --- why not --------------------------------------------------------------------------------- */

/* `root`: of the machine; inside, everybody is. */
static void explain(struct doctor_finding *finding, const char *step, int error, bool root)
{
    probe_answer(finding, DOCTOR_NO, "%s: %s", step, strerror(error));
    if (probe_sysctl(APPARMOR, 0) == 1 && !root) {
        probe_add(finding, "kernel.apparmor_restrict_unprivileged_userns is 1");
        probe_cure(finding,
                   "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a profile for "
                   "tallyman with the line \"userns,\" in /etc/apparmor.d");
    } else if (probe_sysctl(LIMIT, 1) == 0) {
        probe_add(finding, "user.max_user_namespaces is 0");
        probe_cure(finding, "sysctl user.max_user_namespaces=10000");
    } else if (probe_sysctl(DEBIAN, 1) == 0 && !root) {
        probe_add(finding, "kernel.unprivileged_userns_clone is 0");
        probe_cure(finding, "sysctl kernel.unprivileged_userns_clone=1");
    } else if (probe_own_status("Seccomp_filters:", 0) > 0 && (error == EPERM || error == ENOSYS)) {
        probe_add(finding, "a seccomp filter around us may refuse it");
        probe_cure(finding, "docker run --security-opt seccomp=unconfined --security-opt "
                            "apparmor=unconfined");
    } else if (error == EINVAL || error == ENOSYS) {
        probe_cure(finding, "a kernel that was built with it (gVisor and WSL1 have none)");
    }
}

/* --- trying ---------------------------------------------------------------------------------- */

struct trial {
    const struct kind *kind;
    struct doctor_finding *finding; /* shared with us */
    bool as_user;
    bool root;
};

static int run_trial(const void *data)
{
    const struct trial *trial = data;
    const char *step;
    int error = enter(trial->kind, trial->as_user, &step);

    if (error)
        explain(trial->finding, step, error, trial->root);
    else
        probe_answer(trial->finding, DOCTOR_YES, "%s works", trial->kind->step);
    return error != 0;
}

static void try_kind(struct doctor_finding *finding, const struct kind *kind)
{
    struct trial trial = {kind, finding, true, geteuid() == 0};
    struct doctor_finding first;

    if (probe_step(run_trial, &trial) == 0)
        return;
    if (!finding->detail[0])
        probe_answer(finding, DOCTOR_NO, "the trial was ended by a signal");
    if (!kind->flags || !trial.root)
        return;
    /* Root needs no user namespace for the others. */
    first = *finding;
    trial.as_user = false;
    if (probe_step(run_trial, &trial) == 0) {
        finding->answer = DOCTOR_LIMITED;
        probe_add(finding, "as root only, without a user namespace");
        memcpy(finding->cure, first.cure, sizeof finding->cure);
    } else {
        *finding = first;
    }
}

#define TRY(id, flags, prove, step)                                                                \
    void probe_##id(struct doctor_finding *finding, const struct doctor_settings *settings)        \
    {                                                                                              \
        static const struct kind kind = {flags, prove, step};                                      \
                                                                                                   \
        (void)settings;                                                                            \
        try_kind(finding, &kind);                                                                  \
    }

/* --- the kinds ------------------------------------------------------------------------------- */

/* As far as a mount: only that needs the rights that AppArmor takes away. */
static int prove_user(void)
{
    return unshare(CLONE_NEWNS) == 0 ? cover_folder() : errno;
}

static int is_first(const void *unused)
{
    (void)unused;
    return getpid() != 1;
}

static int prove_pid(void)
{
    return probe_step(is_first, NULL) == 0 ? 0 : errno ? errno : EPERM;
}

static int prove_net(void)
{
    cleanup_close int socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "lo"};

    if (socket_ < 0 || ioctl(socket_, SIOCGIFFLAGS, &request) != 0)
        return errno;
    request.ifr_flags |= IFF_UP;
    return ioctl(socket_, SIOCSIFFLAGS, &request) == 0 ? 0 : errno;
}

static int differs_from_parent(const char *name)
{
    cleanup_free char *own = xprintf("/proc/self/ns/%s", name);
    cleanup_free char *parents = xprintf("/proc/%d/ns/%s", (int)getppid(), name);
    struct stat one, other;

    if (stat(own, &one) != 0)
        return errno;
    /* A user namespace hides the parent's from us, and then it is another one. */
    return stat(parents, &other) != 0 || one.st_ino != other.st_ino ? 0 : EEXIST;
}

static int prove_ipc(void)
{
    return differs_from_parent("ipc");
}

static int prove_cgroup(void)
{
    return differs_from_parent("cgroup");
}

static int prove_uts(void)
{
    static const char name[] = "tallyman-doctor";
    char found[sizeof name + 1] = "";

    if (sethostname(name, sizeof name - 1) != 0 || gethostname(found, sizeof found) != 0)
        return errno;
    return strcmp(found, name) == 0 ? 0 : EPERM;
}

static int is_later(const void *data)
{
    const struct timespec *before = data;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec < before->tv_sec + SHIFT;
}

static int prove_time(void)
{
    struct timespec before;
    cleanup_free char *shift = xprintf("monotonic %d 0", SHIFT);
    int error = write_text("/proc/self/timens_offsets", shift);

    if (error)
        return error;
    clock_gettime(CLOCK_MONOTONIC, &before);
    return probe_step(is_later, &before) == 0 ? 0 : EPERM;
}

/* Flags that came with the original cannot be taken away in a user namespace (EPERM). */
static int prove_bind(void)
{
    static const char folder[] = "/usr";
    struct statvfs status;
    unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;

    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(folder, folder, NULL, MS_BIND | MS_REC, NULL) != 0 || statvfs(folder, &status) != 0)
        return errno;
    flags |= status.f_flag &
             (ST_NOSUID | ST_NODEV | ST_NOEXEC | ST_NOATIME | ST_NODIRATIME | ST_RELATIME);
    if (mount(NULL, folder, NULL, flags, NULL) != 0)
        return errno;
    return access(folder, W_OK) != 0 ? 0 : EPERM;
}

static int make_file(const char *path)
{
    cleanup_close int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    return file < 0 ? errno : 0;
}

static int prove_overlay(void)
{
    int error = cover_folder();

    if (error)
        return error;
    if (chdir(BELOW) != 0 || mkdir("lower", 0700) != 0 || mkdir("upper", 0700) != 0 ||
        mkdir("work", 0700) != 0 || mkdir("merged", 0700) != 0 ||
        mount("tallyman", "merged", "overlay", 0, "lowerdir=lower,upperdir=upper,workdir=work") !=
            0)
        return errno;
    error = make_file("merged/file");
    if (error)
        return error;
    return access("upper/file", F_OK) == 0 && access("lower/file", F_OK) != 0 ? 0 : EIO;
}

static int mount_proc(const void *unused)
{
    (void)unused;
    return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0 ? 0 : errno;
}

static int prove_proc(void)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return errno;
    return probe_step(mount_proc, NULL);
}

TRY(user_namespace, 0, prove_user, "a mount in it")
TRY(mount_namespace, CLONE_NEWNS, cover_folder, "a mount of tmpfs")
TRY(pid_namespace, CLONE_NEWPID, prove_pid, "a first process")
TRY(net_namespace, CLONE_NEWNET, prove_net, "its loopback device")
TRY(ipc_namespace, CLONE_NEWIPC, prove_ipc, "a namespace of its own")
TRY(uts_namespace, CLONE_NEWUTS, prove_uts, "a host name of its own")
TRY(cgroup_namespace, CLONE_NEWCGROUP, prove_cgroup, "a namespace of its own")
TRY(time_namespace, CLONE_NEWTIME, prove_time, "a clock of its own")
TRY(bind_mount, CLONE_NEWNS, prove_bind, "a read-only bind mount")
TRY(overlay_mount, CLONE_NEWNS, prove_overlay, "an overlay mount")
TRY(proc_mount, CLONE_NEWNS | CLONE_NEWPID, prove_proc, "a mount of proc")
