/* SPDX-License-Identifier: MIT */
#include "log_writer.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "die.h"

#define LOG_SIZE ((off_t)1 << 36)

int log_writer_make_log(uint32_t limit)
{
    struct log_control control = {.magic = LOG_MAGIC,
                                  .version = LOG_VERSION,
                                  .unit = LOG_UNIT,
                                  .state = LOG_OPEN,
                                  .heartbeat = 1,
                                  .limit = limit,
                                  .next_unit = 1,
                                  .monotonic_start = 1};
    int file = memfd_create("log", MFD_CLOEXEC);

    if (file < 0 || ftruncate(file, LOG_SIZE) != 0 ||
        pwrite(file, &control, sizeof control, 0) != (ssize_t)sizeof control)
        die_errno("cannot make a log");
    return file;
}

static void *map(int file, uint64_t offset, size_t size)
{
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);

    if (mapped == MAP_FAILED)
        die_errno("cannot map the log");
    return mapped;
}

void log_writer_open(struct log_writer *writer, int file, uint32_t units, uint32_t owner)
{
    *writer = (struct log_writer){.file = file, .units = units, .owner = owner, .time = 1000};
    writer->control = map(file, 0, LOG_UNIT);
}

static void leave_chunk(struct log_writer *writer, bool seal)
{
    if (!writer->chunk)
        return;
    if (seal)
        __atomic_store_n(&writer->chunk->sealed, 1, __ATOMIC_SEQ_CST);
    munmap(writer->chunk, writer->chunk_size);
    writer->chunk = NULL;
}

void log_writer_close(struct log_writer *writer, bool seal)
{
    leave_chunk(writer, seal);
    munmap(writer->control, LOG_UNIT);
    writer->control = NULL;
}

static void wait_for_room(struct log_control *control)
{
    for (;;) {
        uint32_t released = __atomic_load_n(&control->released, __ATOMIC_SEQ_CST);
        uint32_t held = __atomic_load_n(&control->next_unit, __ATOMIC_SEQ_CST) - 1 - released;
        struct timespec most = {1, 0};

        if (held < __atomic_load_n(&control->limit, __ATOMIC_SEQ_CST))
            return;
        __atomic_fetch_add(&control->waiting, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &control->released, FUTEX_WAIT, released, &most, NULL, 0);
        __atomic_fetch_sub(&control->waiting, 1, __ATOMIC_SEQ_CST);
    }
}

static void take_chunk(struct log_writer *writer)
{
    uint32_t unit;
    uint64_t at;

    leave_chunk(writer, true);
    wait_for_room(writer->control);
    unit = __atomic_fetch_add(&writer->control->next_unit, writer->units, __ATOMIC_SEQ_CST);
    at = (uint64_t)unit * LOG_UNIT;
    writer->chunk_size = (size_t)writer->units * LOG_UNIT;
    if (fallocate(writer->file, 0, (off_t)at, (off_t)writer->chunk_size) != 0)
        die_errno("no room for a chunk");
    writer->chunk = map(writer->file, at, writer->chunk_size);
    writer->chunk->units = writer->units;
    writer->chunk->capacity = writer->chunk_size - sizeof *writer->chunk;
    writer->chunk->owner_pid = writer->owner;
    writer->chunk->generation = unit;
    __atomic_store_n(&writer->chunk->magic, CHUNK_MAGIC, __ATOMIC_RELEASE);
}

struct record *log_writer_reserve(struct log_writer *writer, size_t text)
{
    size_t size =
        (sizeof(struct record) + text + RECORD_ALIGNMENT - 1) & ~(size_t)(RECORD_ALIGNMENT - 1);
    struct chunk *chunk = writer->chunk;
    struct record *record;

    if (!chunk || chunk->tail + size > chunk->capacity) {
        take_chunk(writer);
        chunk = writer->chunk;
    }
    record = (struct record *)(void *)((char *)(chunk + 1) + chunk->tail);
    chunk->tail += size;
    record->word = (uint32_t)size | RECORD_RESERVED;
    return record;
}

void log_writer_commit(struct record *record)
{
    uint32_t size = record->word & RECORD_SIZE_MASK;

    __atomic_store_n(&record->word, size | RECORD_COMMITTED, __ATOMIC_RELEASE);
}

struct record *log_writer_add(struct log_writer *writer, enum event_kind kind, uint64_t process,
                              const char *subject, const char *other, int32_t error, uint64_t value)
{
    size_t first = strlen(subject), second = other ? strlen(other) : 0;
    struct record *record = log_writer_reserve(writer, first + second);

    record->kind = (uint16_t)kind;
    record->process = process;
    record->pid = (uint32_t)process;
    record->error = error;
    record->time = ++writer->time;
    record->value = value;
    record->count = 1;
    record->subject = (uint32_t)first;
    record->other = (uint32_t)second;
    memcpy(record + 1, subject, first);
    if (other)
        memcpy((char *)(record + 1) + first, other, second);
    log_writer_commit(record);
    return record;
}

void log_writer_start(struct log_writer *writer, uint64_t process, uint32_t pid,
                      uint32_t parent_pid, uint64_t from, uint32_t how, const char *exe)
{
    struct record *record = log_writer_add(writer, EVENT_PROCESS_START, process, exe, "/",
                                           (int32_t)parent_pid, from << 8 | how);

    record->pid = pid;
}

struct record *log_writer_saw(struct log_writer *writer, enum event_kind kind, uint32_t pid,
                              uint32_t parent_pid, const char *subject, int32_t error)
{
    struct record *record = log_writer_add(writer, kind, 0, subject, NULL, error, parent_pid);

    record->pid = pid;
    record->flags = RECORD_WITNESS;
    return record;
}
