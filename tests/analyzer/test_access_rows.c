/* SPDX-License-Identifier: MIT */
#include "access_rows.h"

#include <criterion/criterion.h>

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

TestSuite(access_rows, .init = open_run, .fini = close_run);

struct sums {
    long rows, unread, count, declared, undeclared;
};

static void sum(const struct access_row_of *row, void *data)
{
    struct sums *sums = data;

    sums->rows++;
    sums->unread += row->process < 0;
    sums->count += row->count;
    sums->declared += row->verdict == VERDICT_DECLARED;
    sums->undeclared += row->verdict == VERDICT_UNDECLARED;
}

static struct sums sums_of(size_t most)
{
    struct sums sums = {0};
    long subject = small_run_number(&run, "SELECT id FROM subject WHERE name = '/opt/x'");

    cr_assert_eq(access_rows_of_subject(run.db, 1, subject, most, sum, &sums), 0, "%s",
                 sqlite3_errmsg(run.db));
    return sums;
}

static void check_same_sums(long undeclared)
{
    struct sums all = sums_of(SIZE_MAX);

    cr_assert_eq(all.rows, 4);
    cr_assert_eq(all.unread, 0);
    cr_assert_eq(all.count, 10);
    cr_assert_eq(all.undeclared, undeclared);
    for (size_t most = 0; most < 5; most++) {
        struct sums some = sums_of(most);

        cr_assert_eq(some.count, all.count, "%zu", most);
        cr_assert_eq(some.rows, all.rows, "%zu", most);
        cr_assert_eq(some.declared, all.declared, "%zu", most);
        cr_assert_eq(some.undeclared, all.undeclared, "%zu", most);
        cr_assert_eq(some.unread == 0, most >= 4, "%zu", most);
    }
}

static void use_by_all(void)
{
    small_run_execute(&run, "INSERT INTO event (process, channel, operation, subject, count) VALUES"
                            " (1, 'filesystem', 'read', '/opt/x', 1),"
                            " (2, 'filesystem', 'read', '/opt/x', 2),"
                            " (3, 'filesystem', 'read', '/opt/x', 3),"
                            " (3, 'filesystem', 'stat', '/opt/x', 4)");
}

Test(access_rows, what_is_added_up_is_what_the_rows_are)
{
    use_by_all();
    small_run_judge(&run, NULL);
    check_same_sums(4);
}

Test(access_rows, verdicts_by_action_are_the_same_added_up)
{
    use_by_all();
    small_run_judge(&run, "version: 1\nactions:\n"
                          "  - {name: compile, match: {exe: \"**/cc1\"}, inputs: [/opt/x]}\n");
    check_same_sums(2);
}
