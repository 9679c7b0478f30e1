/* SPDX-License-Identifier: MIT
 *
 * libFuzzer target: the bytes become a log's chunk (first byte 0..127) or the whole log, and go
 * through the reader and on into a database in memory-backed storage. Nothing may crash, hang or
 * read what it must not.
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct ingest_counts counts = {0};
    struct drain *drain;
    int log;

    if (length < 1 || length > BYTES_MAX - sizeof(struct chunk))
        return 0;
    if (!store)
        open_store();
    log = log_writer_make_log(1000);
    if (bytes[0] < 128)
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
