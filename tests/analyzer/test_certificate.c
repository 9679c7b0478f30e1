/* SPDX-License-Identifier: MIT
 *
 * What the evidence rests on.
 */
#include "analysis.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "small_run.h"

static struct small_run run;

static void open_run(void)
{
    small_run_open(&run);
}

static void close_run(void)
{
    small_run_close(&run);
}

TestSuite(certificate, .init = open_run, .fini = close_run);

static struct analysis *judged(const char *sql)
{
    small_run_execute(&run, sql);
    small_run_judge(&run, NULL);
    return small_run_load(&run);
}

Test(certificate, processes_are_counted_by_what_became_of_the_shim)
{
    struct analysis *analysis = judged("UPDATE process SET shim = 'static' WHERE id = 1");
    const struct analysis_certificate *certificate = &analysis->certificate;

    cr_assert_eq(certificate->shim_count, 2);
    cr_assert_str_eq(certificate->shims[0].name, "loaded");
    cr_assert_eq(certificate->shims[0].processes, 2);
    cr_assert_str_eq(certificate->shims[1].name, "static");
    cr_assert_eq(certificate->shims[1].processes, 1);
    analysis_free(analysis);
}

#define BOTH                                                                                       \
    "INSERT INTO event (process, channel, operation, subject, source) VALUES"                      \
    " (3, 'filesystem', 'read', '/opt/x', 0), (3, 'filesystem', 'read', '/opt/x', 1),"             \
    " (3, 'filesystem', 'read', '/opt/y', 1), (2, 'filesystem', 'read', '/opt/y', 1),"             \
    " (3, 'clock', 'clock', 'realtime', 0), (3, 'clock', 'clock', 'realtime', 1),"                 \
    " (1, 'filesystem', 'read', '/opt/z', 1);"                                                     \
    "UPDATE process SET shim = 'static' WHERE id = 1;"

Test(certificate, accesses_are_counted_by_who_recorded_them)
{
    struct analysis *analysis = judged(BOTH "UPDATE run SET witness = 'gaps'");
    const struct analysis_certificate *certificate = &analysis->certificate;

    cr_assert_eq(certificate->shim, 2);
    cr_assert_eq(certificate->witness, 5);
    cr_assert_eq(certificate->confirmed, 2);
    cr_assert_not(certificate->measured, "the kernel did not report everything");
    cr_assert_eq(certificate->missed_count, 0);
    analysis_free(analysis);
}

Test(certificate, the_recall_is_of_processes_with_the_shim)
{
    struct analysis *analysis = judged(BOTH "UPDATE run SET witness = 'full'");
    const struct analysis_certificate *certificate = &analysis->certificate;

    cr_assert(certificate->measured);
    cr_assert_eq(certificate->recall.seen, 4);
    cr_assert_eq(certificate->recall.recorded, 2);
    cr_assert_eq(certificate->channels[CHANNEL_FILESYSTEM].seen, 3);
    cr_assert_eq(certificate->channels[CHANNEL_FILESYSTEM].recorded, 1);
    cr_assert_eq(certificate->channels[CHANNEL_CLOCK].recorded, 1);
    cr_assert_eq(certificate->missed_count, 1);
    cr_assert_str_eq(certificate->missed[0].subject.bytes, "/opt/y");
    cr_assert_eq(certificate->missed[0].processes, 2);
    analysis_free(analysis);
}

#define SPOTS                                                                                      \
    "INSERT INTO blind_spot (run, process, class, detail, count) VALUES"                           \
    " (1, 3, 'static', '/opt/gen', 2), (1, NULL, 'witness-off', NULL, 1),"                         \
    " (1, 2, 'static', '/opt/gen', 1), (1, 1, 'static', NULL, 1), (1, 1, 'newer', NULL, 1);"       \
    "UPDATE run SET evidence = 'incomplete'"

static const struct analysis_blind_class *class_of(const struct analysis *analysis,
                                                   const char *name)
{
    for (size_t i = 0; i < analysis->blind_class_count; i++)
        if (strcmp(analysis->blind_classes[i].name, name) == 0)
            return &analysis->blind_classes[i];
    cr_assert_fail("no blind spot %s", name);
    return NULL;
}

static void check_names(const struct analysis *analysis, enum analysis_blind_name which,
                        const char *expected)
{
    size_t count;
    struct text *names =
        analysis_blind_names(analysis, class_of(analysis, "static"), which, &count);
    struct buffer line = BUFFER_INIT;

    for (size_t i = 0; i < count; i++)
        buffer_printf(&line, "%s ", names[i].bytes);
    cr_assert_str_eq(line.data, expected);
    buffer_fini(&line);
    free(names);
}

Test(certificate, blind_spots_are_summed_up_by_class_with_their_programs)
{
    struct analysis *analysis = judged(SPOTS);

    cr_assert_eq(analysis->blind_class_count, 3);
    cr_assert_eq(class_of(analysis, "static")->count, 4);
    cr_assert_neq(*class_of(analysis, "static")->remedy, '\0');
    cr_assert_str_eq(class_of(analysis, "newer")->remedy, "", "not known to this version");
    check_names(analysis, BLIND_NAME_DETAIL, "/opt/gen ");
    check_names(analysis, BLIND_NAME_PROGRAM, "make sh cc1 ");
    check_names(analysis, BLIND_NAME_EITHER, "make /opt/gen ");
    analysis_free(analysis);
}

Test(certificate, evidence_suffices_when_each_class_is_accepted)
{
    struct analysis *analysis = judged(SPOTS);

    analysis_accept(analysis, "static");
    analysis_accept(analysis, "newer");
    analysis_accept(analysis, "lost-records");
    cr_assert_not(analysis_suffices(analysis));
    analysis_accept(analysis, "witness-off");
    cr_assert(analysis_suffices(analysis));
    cr_assert_not(analysis->complete, "what is accepted stays incomplete");
    analysis_free(analysis);
}

Test(certificate, a_run_that_did_not_end_never_suffices)
{
    struct analysis *analysis = judged(SPOTS ", ended = NULL");

    analysis_accept(analysis, "static");
    analysis_accept(analysis, "newer");
    analysis_accept(analysis, "witness-off");
    cr_assert_not(analysis_suffices(analysis));
    analysis_free(analysis);
}
