/* SPDX-License-Identifier: MIT */
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "probe.h"

#define ESSENTIAL true
#define USEFUL    false

const struct doctor_row doctor_rows[] = {
#define PROBE(id, essential, title, cost, cure) {#id, essential, title, cost, cure, probe_##id},
#include "probes.def"
#undef PROBE
};
const size_t doctor_row_count = sizeof doctor_rows / sizeof *doctor_rows;

static bool is_administrator(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};

    return syscall(SYS_capget, &header, data) == 0 &&
           (data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN));
}

void doctor_examine(struct doctor_report *report, const struct doctor_settings *settings)
{
    struct utsname names = {.sysname = ""};

    uname(&names);
    *report = (struct doctor_report){
        .findings = xcalloc(doctor_row_count, sizeof *report->findings),
        .user = geteuid(),
        .administrator = is_administrator(),
        .filters = (int)probe_own_status("Seccomp_filters:", -1),
    };
    snprintf(report->kernel, sizeof report->kernel, "%.60s %.64s", names.sysname, names.release);
    snprintf(report->machine, sizeof report->machine, "%.64s", names.machine);
    signal(SIGCHLD, SIG_DFL);
    for (size_t i = 0; i < doctor_row_count; i++)
        probe_try(&doctor_rows[i], &report->findings[i], settings);
}

void doctor_report_free(struct doctor_report *report)
{
    free(report->findings);
    report->findings = NULL;
}

bool doctor_is_well(const struct doctor_report *report)
{
    for (size_t i = 0; i < doctor_row_count; i++) {
        if (doctor_rows[i].essential && report->findings[i].answer == DOCTOR_NO)
            return false;
    }
    return true;
}

const char *doctor_answer_word(enum doctor_answer answer)
{
    static const char *const words[] = {"no", "limited", "yes"};

    return words[answer];
}

const char *doctor_cure(const struct doctor_row *row, const struct doctor_finding *finding)
{
    if (finding->answer == DOCTOR_YES)
        return NULL;
    return finding->cure[0] ? finding->cure : row->cure;
}
