/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "log_reader.h"
#include "log_writer.h"
#include "tallyman/event.h"

#define RECORDS 40

struct seen {
    uint64_t records;
    uint64_t count;
    uint64_t last_value;
    bool in_order;
};

static void note(void *context, const struct record_view *record)
{
    struct seen *seen = context;
    volatile char sum = 0; /* every byte that the view promises is there */

    for (uint32_t i = 0; i < record->head->subject; i++)
        sum = (char)(sum + record->subject[i]);
    for (uint32_t i = 0; i < record->head->other; i++)
        sum = (char)(sum + record->other[i]);
    seen->in_order = seen->records == 0 || record->head->value > seen->last_value;
    seen->last_value = record->head->value;
    seen->records++;
    seen->count += record->count;
}

static struct seen read_all(int log, bool final, struct log_totals *totals)
{
    struct seen seen = {0};
    struct log_reader *reader = log_reader_new(log, false);

    while (log_reader_pass(reader, final, 1000, note, &seen))
        ;
    log_reader_release(reader);
    if (totals)
        *totals = log_reader_totals(reader);
    log_reader_free(reader);
    return seen;
}

/* One chunk with RECORDS records; each has its number as value. */
static int small_log(struct log_writer *writer, struct record **records)
{
    int log = log_writer_make_log(1000);

    log_writer_open(writer, log, 1, 0);
    for (int i = 0; i < RECORDS; i++)
        records[i] =
            log_writer_add(writer, EVENT_READ, 7, "/usr/include/stdio.h", NULL, 0, (uint64_t)i + 1);
    return log;
}

Test(log_reader, every_record_comes_out_once_and_in_order)
{
    struct record *records[RECORDS];
    struct log_writer writer;
    int log = small_log(&writer, records);

    records[3]->count = 12;
    log_writer_close(&writer, true);
    struct seen seen = read_all(log, false, NULL);

    cr_assert_eq(seen.records, RECORDS);
    cr_assert_eq(seen.count, RECORDS + 11);
    cr_assert(seen.in_order);
}

Test(log_reader, what_was_drained_before_is_subtracted)
{
    struct record *records[RECORDS];
    struct log_writer writer;
    int log = small_log(&writer, records);

    records[3]->count = 12;
    records[3]->drained = 10;
    records[4]->drained = 1;
    log_writer_close(&writer, true);
    struct seen seen = read_all(log, false, NULL);

    cr_assert_eq(seen.records, RECORDS - 1);
    cr_assert_eq(seen.count, RECORDS);
}

Test(log_reader, an_open_chunk_waits_for_its_seal_or_the_end)
{
    struct record *records[RECORDS];
    struct log_writer writer;
    int log = small_log(&writer, records);

    cr_assert_eq(read_all(log, false, NULL).records, 0);
    cr_assert_eq(read_all(log, true, NULL).records, RECORDS);
    log_writer_close(&writer, true);
}

Test(log_reader, a_sealed_chunk_waits_for_those_at_work_in_it)
{
    struct record *records[RECORDS];
    struct log_writer writer;
    int log = small_log(&writer, records);

    writer.chunk->sealed = 1;
    writer.chunk->active = 1;
    cr_assert_eq(read_all(log, false, NULL).records, 0);
    writer.chunk->active = 0;
    cr_assert_eq(read_all(log, false, NULL).records, RECORDS);
    log_writer_close(&writer, true);
}

Test(log_reader, the_chunk_of_a_process_that_is_gone_is_taken)
{
    int log = log_writer_make_log(1000);
    pid_t child = fork();

    if (child == 0) {
        struct log_writer writer;

        log_writer_open(&writer, log, 1, (uint32_t)getpid());
        log_writer_add(&writer, EVENT_READ, 7, "/a", NULL, 0, 1);
        raise(SIGKILL);
    }
    waitpid(child, NULL, 0);
    cr_assert_eq(read_all(log, false, NULL).records, 1);
}

Test(log_reader, the_chunk_of_a_process_that_lives_is_not_taken)
{
    int log = log_writer_make_log(1000);
    struct log_writer writer;

    log_writer_open(&writer, log, 1, (uint32_t)getpid());
    log_writer_add(&writer, EVENT_READ, 7, "/a", NULL, 0, 1);
    cr_assert_eq(read_all(log, false, NULL).records, 0);
}

Test(log_reader, a_torn_record_is_counted_and_the_next_one_read)
{
    struct record *records[RECORDS];
    struct log_totals totals;
    struct log_writer writer;
    int log = small_log(&writer, records);

    records[5]->word = (records[5]->word & RECORD_SIZE_MASK) | RECORD_RESERVED;
    memset(records[9], 0, records[9]->word & RECORD_SIZE_MASK);
    log_writer_close(&writer, true);
    cr_assert_eq(read_all(log, false, &totals).records, RECORDS - 2);
    cr_assert_eq(totals.damaged, 2);
}

Test(log_reader, padding_is_stepped_over)
{
    struct record *records[RECORDS];
    struct log_totals totals;
    struct log_writer writer;
    int log = small_log(&writer, records);

    records[5]->word |= RECORD_PADDING;
    log_writer_close(&writer, true);
    cr_assert_eq(read_all(log, false, &totals).records, RECORDS - 1);
    cr_assert_eq(totals.damaged, 0);
}

/* Writes one byte over another and reads the log anew; gives back what came out. */
static uint64_t read_with_byte(int log, off_t at, unsigned char byte)
{
    unsigned char before;
    uint64_t records;

    cr_assert_eq(pread(log, &before, 1, at), 1);
    cr_assert_eq(pwrite(log, &byte, 1, at), 1);
    records = read_all(log, true, NULL).records;
    cr_assert_eq(pwrite(log, &before, 1, at), 1);
    return records;
}

/* Reading gives the chunk back; a copy stays whole. */
static int copy_log(int log, size_t size)
{
    int copy = memfd_create("copy", 0);
    char *bytes = calloc(1, size);

    cr_assert(pread(log, bytes, size, 0) > 0);
    cr_assert(pwrite(copy, bytes, size, 0) > 0);
    free(bytes);
    return copy;
}

Test(log_reader, no_byte_of_a_record_can_hurt_more_than_that_record)
{
    static const unsigned char bytes[] = {0, 1, 0x7f, 0x80, 0xff};
    struct record *records[RECORDS];
    struct log_writer writer;
    int log = small_log(&writer, records);
    size_t offset = (size_t)((char *)records[7] - (char *)writer.chunk);

    log_writer_close(&writer, true);
    for (size_t i = 0; i < sizeof(struct record); i++) {
        for (size_t j = 0; j < sizeof bytes; j++) {
            int copy = copy_log(log, 2 * LOG_UNIT);
            uint64_t records_read = read_with_byte(copy, (off_t)(LOG_UNIT + offset + i), bytes[j]);

            /* The size in the first word can hide what follows; before it nothing is lost. */
            cr_assert(records_read >= (i < 4 ? 7 : RECORDS - 1), "byte %zu = %d: %llu", i, bytes[j],
                      (unsigned long long)records_read);
            cr_assert(records_read <= RECORDS);
            close(copy);
        }
    }
}

Test(log_reader, no_byte_of_the_heads_can_do_harm)
{
    static const unsigned char bytes[] = {0, 1, 0x7f, 0x80, 0xff};
    struct record *records[RECORDS];
    struct log_writer writer;
    int log = small_log(&writer, records);

    log_writer_close(&writer, true);
    for (size_t i = 0; i < sizeof(struct log_control) - sizeof(uint64_t) * LOG_ENVIRONMENTS; i++) {
        for (size_t j = 0; j < sizeof bytes; j++) {
            int copy = copy_log(log, 2 * LOG_UNIT);

            cr_assert(read_with_byte(copy, (off_t)i, bytes[j]) <= RECORDS);
            close(copy);
        }
    }
    for (size_t i = 0; i < sizeof(struct chunk); i++) {
        for (size_t j = 0; j < sizeof bytes; j++) {
            int copy = copy_log(log, 2 * LOG_UNIT);

            cr_assert(read_with_byte(copy, (off_t)(LOG_UNIT + i), bytes[j]) <= RECORDS);
            close(copy);
        }
    }
}

Test(log_reader, a_log_that_is_cut_off_anywhere_is_read_up_to_there)
{
    struct record *records[RECORDS];
    struct log_writer writer;
    int log = small_log(&writer, records);
    uint64_t before = 0;

    log_writer_close(&writer, true);
    for (off_t size = 0; size < 2 * LOG_UNIT; size += 104) {
        int copy = copy_log(log, 2 * LOG_UNIT);

        cr_assert_eq(ftruncate(copy, size), 0);
        uint64_t now = read_all(copy, true, NULL).records;

        cr_assert(now >= before && now <= RECORDS);
        before = now;
        close(copy);
    }
}

Test(log_reader, random_bytes_do_no_harm)
{
    unsigned state = 12345;

    for (int round = 0; round < 300; round++) {
        struct record *records[RECORDS];
        struct log_writer writer;
        int log = small_log(&writer, records);

        for (int i = 0; i < 1 + round % 40; i++) {
            state = state * 1103515245u + 12345u;
            off_t at = LOG_UNIT + (off_t)(state >> 8) % (6 * 1024);
            unsigned char byte = (unsigned char)(state >> 16);

            cr_assert_eq(pwrite(log, &byte, 1, at), 1);
        }
        log_writer_close(&writer, true);
        cr_assert(read_all(log, true, NULL).records <= RECORDS + 40u);
        close(log);
    }
}

Test(log_reader, a_wild_number_of_units_costs_no_time, .timeout = 20)
{
    struct record *records[RECORDS];
    struct log_writer writer;
    int log = small_log(&writer, records);

    writer.control->next_unit = UINT32_MAX;
    log_writer_close(&writer, true);
    cr_assert_eq(read_all(log, true, NULL).records, RECORDS);
}

Test(log_reader, a_chunk_whose_head_comes_late_is_found)
{
    struct log_reader *reader;
    struct log_writer writer, second;
    struct seen seen = {0};
    int log = log_writer_make_log(1000);

    log_writer_open(&writer, log, 3, 0);
    log_writer_add(&writer, EVENT_READ, 7, "/a", NULL, 0, 1);
    log_writer_open(&second, log, 2, 0);
    log_writer_add(&second, EVENT_READ, 8, "/b", NULL, 0, 2);
    writer.chunk->magic = 0;
    reader = log_reader_new(log, false);
    log_reader_pass(reader, false, 1000, note, &seen);
    writer.chunk->magic = CHUNK_MAGIC;
    log_writer_close(&writer, true);
    log_writer_close(&second, true);
    log_reader_pass(reader, false, 1000, note, &seen);
    cr_assert_eq(seen.records, 2);
    log_reader_free(reader);
}

Test(log_reader, two_chunks_in_the_same_place_are_not_both_believed)
{
    struct record *records[RECORDS];
    struct log_writer writer;
    int log = small_log(&writer, records);
    struct chunk fake = {.magic = CHUNK_MAGIC,
                         .units = 2,
                         .sealed = 1,
                         .capacity = 2 * LOG_UNIT - sizeof fake,
                         .generation = 1};

    log_writer_close(&writer, true);
    log_writer_open(&writer, log, 1, 0);
    log_writer_add(&writer, EVENT_READ, 9, "/b", NULL, 0, 100);
    log_writer_close(&writer, true);
    fake.tail = fake.capacity;
    cr_assert_eq(pwrite(log, &fake, sizeof fake, LOG_UNIT), (ssize_t)sizeof fake);
    cr_assert(read_all(log, true, NULL).records <= RECORDS + 1);
}

Test(log_reader, room_is_given_back_and_the_head_stays)
{
    struct log_writer writer;
    struct stat before, after;
    struct log_control control;
    struct chunk head;
    int log = log_writer_make_log(1000);

    log_writer_open(&writer, log, 64, 0);
    for (int i = 0; i < 5000; i++)
        log_writer_add(&writer, EVENT_READ, 7, "/usr/include/stdio.h", NULL, 0, (uint64_t)i + 1);
    log_writer_close(&writer, true);
    fstat(log, &before);
    cr_assert_eq(read_all(log, false, NULL).records, 5000);
    fstat(log, &after);
    cr_assert(after.st_blocks * 512 < before.st_blocks * 512 / 4);
    cr_assert_eq(pread(log, &head, sizeof head, LOG_UNIT), (ssize_t)sizeof head);
    cr_assert_eq(head.magic, CHUNK_MAGIC);
    cr_assert_eq(head.drained, head.tail);
    cr_assert(pread(log, &control, sizeof control, 0) > 0);
    cr_assert_eq(control.released, 64);
}

Test(log_reader, nothing_is_given_back_before_the_facts_are_safe)
{
    struct record *records[RECORDS];
    struct log_writer writer;
    struct seen seen = {0};
    int log = small_log(&writer, records);
    struct log_reader *reader = log_reader_new(log, false);

    log_writer_close(&writer, true);
    log_reader_pass(reader, false, 1000, note, &seen);
    log_reader_free(reader); /* as if the database had failed here */
    cr_assert_eq(seen.records, RECORDS);
    cr_assert_eq(read_all(log, true, NULL).records, RECORDS);
}

Test(log_reader, marks_count_for_recover_alone)
{
    struct record *records[RECORDS];
    struct log_writer writer;
    struct seen seen = {0};
    int log = small_log(&writer, records);
    struct log_reader *reader;

    writer.chunk->drained = writer.chunk->tail; /* any process could write that */
    log_writer_close(&writer, true);
    reader = log_reader_new(log, true);
    log_reader_pass(reader, true, 1000, note, &seen);
    cr_assert_eq(seen.records, 0);
    cr_assert(log_reader_totals(reader).stored > 0);
    log_reader_free(reader);
    cr_assert_eq(read_all(log, false, NULL).records, RECORDS);
}

Test(log_reader, a_record_added_after_its_owner_was_gone_is_found_at_the_end)
{
    struct log_writer writer;
    struct seen seen = {0};
    int log = log_writer_make_log(1000);
    struct log_reader *reader = log_reader_new(log, false);

    log_writer_open(&writer, log, 1, 0x7ffffff0); /* no such process */
    log_writer_add(&writer, EVENT_READ, 7, "/a", NULL, 0, 1);
    log_reader_pass(reader, false, 1000, note, &seen);
    log_reader_release(reader);
    cr_assert_eq(seen.records, 1);
    log_writer_add(&writer, EVENT_READ, 7, "/b", NULL, 0, 2);
    log_reader_pass(reader, true, 1000, note, &seen);
    cr_assert_eq(seen.records, 2);
    log_reader_free(reader);
}

Test(log_reader, writers_wait_for_room_and_lose_nothing, .timeout = 60)
{
    enum { WRITERS = 8, EACH = 3000, LIMIT = 4 };
    struct seen seen = {0};
    int log = log_writer_make_log(LIMIT), status;
    struct log_reader *reader = log_reader_new(log, false);
    int alive = WRITERS;

    for (int i = 0; i < WRITERS; i++) {
        if (fork() == 0) {
            struct log_writer writer;

            log_writer_open(&writer, log, 1, (uint32_t)getpid());
            for (int j = 0; j < EACH; j++)
                log_writer_add(&writer, EVENT_READ, (uint64_t)i + 1, "/usr/include/stdio.h", NULL,
                               0, (uint64_t)j + 1);
            log_writer_close(&writer, true);
            _exit(0);
        }
    }
    while (alive) {
        bool more = log_reader_pass(reader, false, 500, note, &seen);

        log_reader_release(reader);
        if (!more)
            log_reader_adjust_limit(reader);
        while (alive && waitpid(-1, &status, WNOHANG) > 0)
            alive--;
        usleep(500);
    }
    while (log_reader_pass(reader, true, 100000, note, &seen))
        ;
    cr_assert_eq(seen.records, WRITERS * EACH);
    log_reader_free(reader);
}

Test(log_reader, what_was_written_before_a_kill_is_there, .timeout = 60)
{
    uint64_t *done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned state = 99;

    for (int round = 0; round < 60; round++) {
        int log = log_writer_make_log(100000);
        pid_t child;

        *done = 0;
        child = fork();
        if (child == 0) {
            struct log_writer writer;

            log_writer_open(&writer, log, 1, (uint32_t)getpid());
            for (uint64_t i = 1;; i++) {
                log_writer_add(&writer, EVENT_READ, 7, "/usr/include/stdio.h", NULL, 0, i);
                __atomic_store_n(done, i, __ATOMIC_SEQ_CST);
            }
        }
        state = state * 1103515245u + 12345u;
        usleep(200 + (state >> 16) % 4000);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        struct seen seen = read_all(log, false, NULL);

        cr_assert(seen.records == *done || seen.records == *done + 1);
        close(log);
    }
}

Test(log_reader, a_file_cut_off_by_a_process_does_not_kill_the_reader, .timeout = 60)
{
    int log = log_writer_make_log(100000);
    struct seen seen = {0};
    struct log_reader *reader = log_reader_new(log, false);
    struct log_writer writer;

    log_writer_open(&writer, log, 4, 0);
    for (int i = 0; i < 2000; i++)
        log_writer_add(&writer, EVENT_READ, 7, "/usr/include/stdio.h", NULL, 0, (uint64_t)i + 1);
    log_writer_close(&writer, true);
    log_reader_pass(reader, false, 100, note, &seen);
    cr_assert_eq(ftruncate(log, 100), 0);
    log_reader_release(reader);
    log_reader_pass(reader, true, 100000, note, &seen);
    log_reader_release(reader);
    log_reader_adjust_limit(reader);
    cr_assert(seen.records < 2000);
    cr_assert(log_reader_totals(reader).damaged > 0);
    log_reader_free(reader);
}

static void note_kinds(void *context, const struct record_view *record)
{
    unsigned *kinds = context;

    cr_assert_lt(record->head->kind, 32);
    *kinds |= 1u << record->head->kind;
}

#define STARTS_AND_CALLS (1u << EVENT_PROCESS_START | 1u << EVENT_EXECUTE)

Test(log_reader, a_glance_shows_what_tells_images_apart_in_chunks_that_are_open)
{
    struct log_writer writer;
    int log = log_writer_make_log(1000);
    struct log_reader *reader = log_reader_new(log, false);
    struct seen seen = {0};
    unsigned kinds = 0;

    log_writer_open(&writer, log, 1, 0);
    log_writer_start(&writer, 1, 100, 99, 0, START_EXECUTED, "/bin/make");
    log_writer_add(&writer, EVENT_READ, 1, "/a", NULL, 0, 0);
    log_writer_add(&writer, EVENT_EXECUTE, 1, "/bin/cc", NULL, 0, 2);
    cr_assert_not(log_reader_pass(reader, false, 1000, note, &seen));
    log_reader_glance(reader, note_kinds, &kinds);
    cr_assert_eq(kinds, STARTS_AND_CALLS);
    kinds = 0;
    log_reader_glance(reader, note_kinds, &kinds);
    cr_assert_eq(kinds, 0, "shown before");
    log_writer_close(&writer, true);
    log_reader_pass(reader, false, 1000, note, &seen);
    log_reader_glance(reader, note_kinds, &kinds);
    cr_assert_eq(kinds, 0, "taken");
    cr_assert_eq(seen.records, 3);
    cr_assert_eq(log_reader_totals(reader).damaged, 0);
    log_reader_free(reader);
    close(log);
}

Test(log_reader, a_glance_comes_back_to_a_record_that_was_not_complete)
{
    struct log_writer writer;
    int log = log_writer_make_log(1000);
    struct log_reader *reader = log_reader_new(log, false);
    struct seen seen = {0};
    struct record *late;
    unsigned kinds = 0;

    log_writer_open(&writer, log, 1, 0);
    late = log_writer_reserve(&writer, 8);
    log_writer_start(&writer, 1, 100, 99, 0, START_EXECUTED, "/bin/make");
    log_reader_pass(reader, false, 1000, note, &seen);
    log_reader_glance(reader, note_kinds, &kinds);
    cr_assert_eq(kinds, 1u << EVENT_PROCESS_START);
    *late = (struct record){.word = late->word,
                            .kind = EVENT_EXECUTE,
                            .process = 1,
                            .pid = 100,
                            .time = 5,
                            .count = 1,
                            .value = 2};
    log_writer_commit(late);
    kinds = 0;
    log_reader_glance(reader, note_kinds, &kinds);
    cr_assert_eq(kinds, STARTS_AND_CALLS, "the one behind it is shown again");
    log_reader_free(reader);
    log_writer_close(&writer, true);
    close(log);
}
