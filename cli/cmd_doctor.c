/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <unistd.h>

#include "buffer.h"
#include "command.h"
#include "doctor.h"
#include "reports.h"
#include "tallyman/status.h"

#define SECONDS_MAX 3600

static const char *database = "tallyman.db";
static long seconds = DOCTOR_SECONDS;
static bool json;

const struct option cmd_doctor_options[] = {
    {'o', "output", OPTION_TEXT, &database, "DB", NULL,
     "the database that runs would be added to; without it ./tallyman.db"},
    {0, "json", OPTION_FLAG, &json, NULL, NULL, "print JSON, for scripts"},
    {0, "limit", OPTION_NUMBER, &seconds, "SECONDS", NULL,
     "how long one trial may take; without it 10"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

int cmd_doctor(int argc, char **argv)
{
    int word = option_parse(cmd_doctor_options, argc, argv, false);
    struct doctor_settings settings = {.database = database, .seconds = seconds};
    cleanup_buffer struct buffer out = BUFFER_INIT;
    struct report_settings terminal = {.database = database};
    struct doctor_report report;
    bool well;

    if (word < argc)
        usage("doctor takes no words, but was given '%s'", argv[word]);
    if (seconds == 0 || seconds > SECONDS_MAX)
        usage("--limit takes 1 to %d seconds, not %ld", SECONDS_MAX, seconds);
    doctor_examine(&report, &settings);
    well = doctor_is_well(&report);
    report_settings_for(STDOUT_FILENO, &terminal);
    if (json)
        doctor_print_json(&report, &out);
    else
        doctor_print_text(&report, terminal.colour, &out);
    doctor_report_free(&report);
    if (fwrite(out.data, 1, out.length, stdout) != out.length || fflush(stdout) != 0)
        die_errno("cannot write");
    return well ? TALLY_EXIT_CLEAN : TALLY_EXIT_FINDINGS;
}
