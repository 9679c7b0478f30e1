/* SPDX-License-Identifier: MIT
 *
 * libFuzzer target: the bytes become a log's chunk (first byte 0..63), the whole log (128..255), or
 * the choices of a generator (64..127) whose records are good in themselves and tell impossible
 * stories of a few pids: images that start twice, calls that never were, the witness's records of
 * processes that nobody announced. They go through the reader and on into a database in
 * memory-backed storage. Nothing may crash, hang or read what it must not.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log_writer.h"
#include "run_fixture.h"

#define BYTES_MAX (4 * (size_t)LOG_UNIT)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static struct store *store;

static void open_store(void)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    struct run_facts facts;
    char path[] = "/dev/shm/tallyman-fuzz-XXXXXX";
    bool resumed;
    int file = mkstemp(path);

    run_fixture_fill_facts(&facts);
    if (file < 0 || store_open(&store, path, &why) != 0 ||
        store_begin_run(store, &facts, &resumed) == 0)
        abort();
    close(file);
    unlink(path);
    run_facts_free(&facts);
}

/* A chunk whose head is good, so that the fuzzer gets to the records. */
static void write_chunk(int log, const uint8_t *bytes, size_t length)
{
    struct chunk head = {.magic = CHUNK_MAGIC,
                         .units = 4,
                         .sealed = 1,
                         .tail = length,
                         .capacity = BYTES_MAX - sizeof head,
                         .generation = 1};
    uint32_t next = 5;

    if (pwrite(log, &next, sizeof next, offsetof(struct log_control, next_unit)) < 0 ||
        pwrite(log, &head, sizeof head, LOG_UNIT) < 0 ||
        pwrite(log, bytes, length, LOG_UNIT + sizeof head) < 0)
        abort();
}

#define CHOICES 8 /* bytes for a record */

static uint64_t some_id(uint8_t choice)
{
    static const uint64_t odd[] = {0, LOG_ID_MAX, RUN_NO_EXECUTION, LOG_ID_MAX - 1};

    return choice < 16 ? choice : odd[choice % 4];
}

static void write_choice(struct log_writer *writer, const uint8_t *choice)
{
    char subject[] = "/a/b";
    struct record *record;

    subject[3] = (char)('a' + choice[7] % 4);
    record = log_writer_add(writer, (enum event_kind)(choice[0] % EVENT_KIND_COUNT),
                            some_id(choice[1]), subject, choice[7] & 16 ? "/c" : NULL, 0, 0);
    record->pid = 100 + choice[2] % 4;
    record->time = 1 + choice[3];
    record->flags = (choice[4] & 1 ? RECORD_WITNESS : 0) | choice[4] >> 1;
    record->hook = choice[5] == 255 ? UINT16_MAX : choice[5];
    record->value = some_id(choice[6] % 20) << 8 | choice[6];
    if (record->kind == EVENT_EXECUTE || record->kind == EVENT_EXECUTE_FAILED)
        record->value = some_id(choice[6]);
    else if (choice[4] & 1 && record->process == 0)
        record->value = 100 + choice[6] % 4;
    record->error = choice[7] & 32 ? choice[6] % 40 : 0;
}

static bool some_are_gone(uint32_t pid)
{
    return pid % 2;
}

/* Stories, read in passes at any moment. */
static void tell(const uint8_t *bytes, size_t length)
{
    struct ingest_counts counts = {0};
    int log = log_writer_make_log(1000);
    struct log_reader *reader = log_reader_new(log, false);
    struct ingest *ingest = ingest_new(store, NULL, &counts);
    struct log_writer writers[2];

    log_writer_open(&writers[0], log, 1, 0);
    log_writer_open(&writers[1], log, 1, 0);
    ingest_watch_pids(ingest, some_are_gone);
    for (; length >= CHOICES; bytes += CHOICES, length -= CHOICES) {
        write_choice(&writers[bytes[0] >> 7], bytes);
        if (bytes[7] >= 64)
            continue;
        log_reader_pass(reader, bytes[7] < 16, 100, ingest_record, ingest);
        log_reader_glance(reader, ingest_glance, ingest);
        ingest_flush(ingest, bytes[3]);
        log_reader_release(reader);
    }
    log_writer_close(&writers[0], true);
    log_writer_close(&writers[1], false);
    while (log_reader_pass(reader, true, 1000, ingest_record, ingest))
        ;
    ingest_finish(ingest);
    ingest_free(ingest);
    log_reader_free(reader);
    close(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct ingest_counts counts = {0};
    struct drain *drain;
    int log;

    if (length < 1 || length > BYTES_MAX - sizeof(struct chunk))
        return 0;
    if (!store)
        open_store();
    if (bytes[0] >= 64 && bytes[0] < 128) {
        tell(bytes + 1, length - 1);
        return 0;
    }
    log = log_writer_make_log(1000);
    if (bytes[0] < 64)
        write_chunk(log, bytes + 1, length - 1);
    else if (pwrite(log, bytes + 1, length - 1, 0) < 0)
        abort();
    drain = drain_new(log, store, NULL, &counts, bytes[0] & 1);
    drain_rest(drain);
    ingest_finish(drain_ingest(drain));
    drain_free(drain);
    close(log);
    return 0;
}
