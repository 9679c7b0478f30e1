/* SPDX-License-Identifier: MIT */
#include "process_set.h"

#include <criterion/criterion.h>

#include "small_run.h"

static struct buffer set = BUFFER_INIT;
static uint32_t last = UINT32_MAX;

static void add(uint32_t process, int64_t rows, int64_t count, bool timed)
{
    process_set_add(&set, &last, &(struct process_entry){process, rows, count, 77}, timed);
}

static void expect(struct process_set *reader, uint32_t process, int64_t rows, int64_t count)
{
    struct process_entry entry;

    cr_assert(process_set_next(reader, &entry));
    cr_assert_eq(entry.process, process);
    cr_assert_eq(entry.rows, rows);
    cr_assert_eq(entry.count, count);
}

Test(process_set, what_was_added_is_read)
{
    struct process_set reader;
    struct process_entry entry;

    add(0, 1, 1, false);
    add(1, 3, INT64_MAX, false);
    add(70000, 1, 1, false);
    reader = process_set_read(set.data, set.length, 70001, false);
    expect(&reader, 0, 1, 1);
    expect(&reader, 1, 3, INT64_MAX);
    expect(&reader, 70000, 1, 1);
    cr_assert_not(process_set_next(&reader, &entry));
}

Test(process_set, neighbours_take_a_byte_each)
{
    for (uint32_t i = 0; i < 100; i++)
        add(i, 1, 1, false);
    cr_assert_eq(set.length, 100);
}

Test(process_set, times_come_with_the_sets_that_have_them)
{
    struct process_set reader;
    struct process_entry entry;

    add(4, 1, 2, true);
    reader = process_set_read(set.data, set.length, 5, true);
    cr_assert(process_set_next(&reader, &entry));
    cr_assert_eq(entry.first, 77);
    cr_assert_not(process_set_next(&reader, &entry));
}

Test(process_set, a_process_that_is_not_in_the_run_ends_the_set)
{
    struct process_set reader;
    struct process_entry entry;

    add(3, 1, 1, false);
    add(9, 1, 1, false);
    reader = process_set_read(set.data, set.length, 9, false);
    expect(&reader, 3, 1, 1);
    cr_assert_not(process_set_next(&reader, &entry));
    reader = process_set_read(set.data, set.length, 0, false);
    cr_assert_not(process_set_next(&reader, &entry));
}

Test(process_set, bytes_that_are_cut_off_or_never_end_are_no_entry)
{
    static const unsigned char endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                            0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    struct process_set reader = process_set_read(endless, sizeof endless, 100, false);
    struct process_entry entry;

    cr_assert_not(process_set_next(&reader, &entry));
    add(90, 5, 5, true);
    for (size_t length = 0; length < set.length; length++) {
        reader = process_set_read(set.data, length, 100, true);
        cr_assert_not(process_set_next(&reader, &entry));
    }
}

/* Across actions of a manifest the verdict on one summary differs, and both are counted. */
Test(process_set, a_summary_is_judged_for_each_action_of_its_processes)
{
    static const char manifest[] = "version: 1\ninputs: [\"**\"]\n"
                                   "actions:\n  - name: compile\n    match: {exe: \"**/cc1\"}\n"
                                   "    inputs: [/usr/include/**]\n";
    struct small_run run;
    struct analysis *analysis;

    small_run_open(&run);
    small_run_execute(&run, "INSERT INTO event (process, channel, operation, subject, count) VALUES"
                            " (2, 'filesystem', 'read', '/usr/include/a.h', 3),"
                            " (3, 'filesystem', 'read', '/usr/include/a.h', 4)");
    small_run_judge(&run, manifest);
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM access_summary"), 1);
    cr_assert_eq(small_run_number(&run, "SELECT count(*) FROM judgement"), 2);
    cr_assert_eq(small_run_number(&run, "SELECT sum(used) FROM rule WHERE text LIKE '%include%'"),
                 1);
    analysis = small_run_load(&run);
    cr_assert_eq(analysis->channels[CHANNEL_FILESYSTEM].declared, 1);
    cr_assert_eq(analysis->channels[CHANNEL_FILESYSTEM].undeclared, 1);
    cr_assert_eq(analysis->channels[CHANNEL_FILESYSTEM].occurrences, 3);
    cr_assert_eq(analysis->findings[0].process_count, 1);
    cr_assert_eq(analysis->processes[analysis->findings[0].processes[0]].id, 2);
    cr_assert_eq(small_run_number(&run, "SELECT process FROM v_access WHERE verdict = 'declared'"),
                 3);
    analysis_free(analysis);
    small_run_close(&run);
}
