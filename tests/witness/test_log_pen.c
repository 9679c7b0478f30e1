/* SPDX-License-Identifier: MIT
 *
 * What the witness writes into the log, read back by the reader of the supervisor.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "log_pen.h"
#include "log_reader.h"
#include "log_writer.h"
#include "tallyman/event.h"
#include "tallyman/record.h"

#define LIMIT 1024

static int file;
static struct log_pen *pen;

static void set_up(void)
{
    file = log_writer_make_log(LIMIT);
    pen = log_pen_new(file);
    cr_assert_not_null(pen);
}

static void tear_down(void)
{
    log_pen_free(pen);
    close(file);
}

TestSuite(log_pen, .init = set_up, .fini = tear_down);

static void write_at(uint64_t time, uint32_t pid, const char *subject, bool fold)
{
    struct record head = {
        .kind = EVENT_READ, .pid = pid, .thread = pid, .flags = RECORD_WITNESS, .time = time};

    log_pen_write(pen, &head, subject, strlen(subject), "other", 5, fold);
}

struct found {
    size_t records;
    uint64_t accesses;
    char last[64], other[64];
};

static void take(void *context, const struct record_view *record)
{
    struct found *found = context;
    size_t length = record->head->subject < sizeof found->last - 1 ? record->head->subject : 0;

    found->records++;
    found->accesses += record->count;
    memcpy(found->last, record->subject, length);
    found->last[length] = '\0';
    memcpy(found->other, record->other, record->head->other);
    found->other[record->head->other] = '\0';
}

static struct found read_back(void)
{
    struct log_reader *reader = log_reader_new(file, false);
    struct found found = {0};

    while (log_reader_pass(reader, true, 1000, take, &found))
        ;
    cr_expect_eq(log_reader_totals(reader).damaged, 0);
    log_reader_free(reader);
    return found;
}

Test(log_pen, a_record_is_read_as_it_was_written)
{
    struct found found;

    write_at(1, 7, "/a/path", false);
    found = read_back();
    cr_expect_eq(found.records, 1);
    cr_expect_str_eq(found.last, "/a/path");
    cr_expect_str_eq(found.other, "other");
}

Test(log_pen, equal_records_are_counted_up)
{
    struct found found;

    for (int i = 0; i < 1000; i++)
        write_at(1, 7, "/a/path", true);
    found = read_back();
    cr_expect_eq(found.records, 1);
    cr_expect_eq(found.accesses, 1000);
}

Test(log_pen, records_of_other_processes_are_others)
{
    struct found found;

    write_at(1, 7, "/a/path", true);
    write_at(1, 8, "/a/path", true);
    write_at(1, 7, "/another", true);
    found = read_back();
    cr_expect_eq(found.records, 3);
}

Test(log_pen, what_may_not_be_folded_is_not)
{
    write_at(1, 7, "/a/path", false);
    write_at(1, 7, "/a/path", false);
    cr_expect_eq(read_back().records, 2);
}

Test(log_pen, a_chunk_is_handed_over_after_a_while)
{
    struct log_reader *reader = log_reader_new(file, false);
    struct found found = {0};

    write_at(1, 7, "/a/path", true);
    write_at(2000000000, 7, "/a/path", true);
    log_reader_pass(reader, false, 1000, take, &found);
    cr_expect_eq(found.records, 1, "the sealed chunk alone");
    log_reader_free(reader);
}

static void *write_many(void *number)
{
    char subject[300];

    memset(subject, 'x', sizeof subject - 1);
    subject[sizeof subject - 1] = '\0';
    for (uint32_t i = 0; i < 1500; i++)
        write_at(1, (uint32_t)(uintptr_t)number * 10000 + i, subject, i % 2);
    return NULL;
}

Test(log_pen, two_threads_may_write_over_many_chunks)
{
    pthread_t threads[2];

    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, write_many, (void *)i);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    cr_expect_eq(read_back().records, 3000);
    cr_expect_eq(log_pen_lost(pen), 0);
}

Test(log_pen, ids_are_never_given_twice)
{
    uint64_t first = log_pen_new_id(pen);

    cr_expect_neq(first, 0);
    cr_expect_eq(log_pen_new_id(pen), first + 1);
}

Test(log_pen, an_environment_is_written_once)
{
    cr_expect(log_pen_first_environment(pen, 12345));
    cr_expect_not(log_pen_first_environment(pen, 12345));
    cr_expect(log_pen_first_environment(pen, 54321));
}

Test(log_pen, a_log_that_is_cut_off_loses_records_and_kills_nobody)
{
    write_at(1, 7, "/a/path", false);
    cr_assert_eq(ftruncate(file, 0), 0);
    for (int i = 0; i < 10; i++)
        write_at(1, 7, "/a/path", false);
    cr_expect_eq(log_pen_lost(pen), 10);
    cr_expect_eq(log_pen_new_id(pen), 0);
    cr_expect_not(log_pen_first_environment(pen, 1));
}

Test(log_pen, a_log_that_is_closed_takes_nothing_more)
{
    uint32_t closed = LOG_CLOSED;

    cr_assert_eq(pwrite(file, &closed, sizeof closed, offsetof(struct log_control, state)),
                 sizeof closed);
    write_at(1, 7, "/a/path", false);
    cr_expect_eq(log_pen_lost(pen), 1);
}
