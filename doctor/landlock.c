/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe.h"

static int restrict_reading(void)
{
    const struct landlock_ruleset_attr rules = {.handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);

    if (ruleset < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_landlock_restrict_self, ruleset, 0) != 0)
        return errno;
    return 0;
}

void probe_landlock(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    int error, version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
                                      LANDLOCK_CREATE_RULESET_VERSION);

    (void)settings;
    if (version < 0) {
        probe_answer(finding, DOCTOR_NO, "%s",
                     errno == EOPNOTSUPP ? "the kernel has it, and was started without it"
                     : errno == ENOSYS   ? "the kernel has none"
                                         : strerror(errno));
        if (errno == EPERM && probe_own_status("Seccomp_filters:", 0) > 0)
            probe_cure(finding, "docker run --security-opt seccomp=unconfined");
        return;
    }
    probe_number(finding, "abi", version);
    error = restrict_reading();
    if (error)
        probe_answer(finding, DOCTOR_NO, "version %d, and cannot be used: %s", version,
                     strerror(error));
    else if (open("/proc/self/exe", O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES)
        probe_answer(finding, DOCTOR_NO, "version %d, and does not refuse what it shall", version);
    else
        probe_answer(finding, DOCTOR_YES, "version %d", version);
}
