/* SPDX-License-Identifier: MIT
 *
 * See record.h for the protocol between writers and reader. Rules for editing this file: no libc,
 * no lock, and after every store think of a second thread, a signal handler that jumps away and
 * SIGKILL.
 */
#include "log.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "raw.h"
#include "real.h"
#include "self.h"
#include "text.h"

#define PATH_ROOM       512u
#define FOLD_SLOTS      512u /* one page of memory in every process */
#define AHEAD_UNITS     16u  /* 256 KiB, for a program that will be out of the log's reach */
#define CHUNKS_IN_LOG   64u
#define WAIT_NS         UINT64_C(990000000)
#define HEARTBEAT_WAITS 5 /* seconds without a heartbeat after which nobody waits any more */

static struct {
    struct log_control *control;
    struct chunk *current;
    uint32_t next_units; /* size of the next chunk */
    bool quiet;
    uint64_t last_time;
    char path[PATH_ROOM];
} state;

/* generation (24 bits) | tag of the key (16) | offset / 8 (24) */
static uint64_t fold_table[FOLD_SLOTS];

static size_t aligned(size_t size)
{
    return (size + RECORD_ALIGNMENT - 1) & ~(size_t)(RECORD_ALIGNMENT - 1);
}

static uint64_t fold_entry(const struct chunk *chunk, uint64_t key, uint64_t offset)
{
    return (chunk->generation & 0xffffff) << 40 | (key >> 48) << 24 | offset >> 3;
}

struct log_control *log_control(void)
{
    return state.control;
}

bool log_is_quiet(void)
{
    return __atomic_load_n(&state.quiet, __ATOMIC_RELAXED);
}

uint64_t log_time(void)
{
    if (!log_is_quiet())
        __atomic_store_n(&state.last_time, real_monotonic(), __ATOMIC_RELAXED);
    return __atomic_load_n(&state.last_time, __ATOMIC_RELAXED);
}

void log_count_lost(void)
{
    __atomic_fetch_add(&state.control->lost, 1, __ATOMIC_RELAXED);
}

uint64_t log_new_id(void)
{
    return __atomic_add_fetch(&state.control->next_id, 1, __ATOMIC_RELAXED);
}

static bool has_room(struct log_control *control, uint32_t released)
{
    return __atomic_load_n(&control->next_unit, __ATOMIC_RELAXED) - released <
           __atomic_load_n(&control->limit, __ATOMIC_RELAXED);
}

/* Without the look for the vDSO, which needs more stack. */
static uint64_t clock_now(void)
{
    struct timespec now = {0};

    DOOR(SYS_clock_gettime, CLOCK_MONOTONIC, &now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Back-pressure: waits for the supervisor to give units back. False when it is gone or has closed.
 */
static bool wait_for_room(struct log_control *control)
{
    const struct timespec second = {1, 0};
    uint32_t heartbeat = __atomic_load_n(&control->heartbeat, __ATOMIC_RELAXED);
    uint64_t mark = 0;
    int silent = 0;

    for (;;) {
        uint32_t released = __atomic_load_n(&control->released, __ATOMIC_ACQUIRE);
        uint32_t beat;

        if (__atomic_load_n(&control->state, __ATOMIC_RELAXED) != LOG_OPEN)
            return false;
        if (has_room(control, released))
            return true;
        mark = mark ? mark : clock_now();
        __atomic_fetch_add(&control->waiting, 1, __ATOMIC_SEQ_CST);
        RAW(SYS_futex, &control->released, FUTEX_WAIT, released, &second, 0, 0);
        __atomic_fetch_sub(&control->waiting, 1, __ATOMIC_SEQ_CST);
        beat = __atomic_load_n(&control->heartbeat, __ATOMIC_RELAXED);
        if (beat != heartbeat) {
            heartbeat = beat;
            mark = clock_now();
            silent = 0;
        } else if (clock_now() - mark >= WAIT_NS) {
            /* Whole waits are counted: signals cut them short, and where the process itself was
             * stopped the supervisor may have been, too. */
            mark = clock_now();
            if (++silent >= HEARTBEAT_WAITS)
                __atomic_store_n(&control->state, LOG_CLOSED, __ATOMIC_RELAXED);
        }
    }
}

/* Real blocks now: a full file system must be an error here and not SIGBUS later. A signal ends the
 * call (tmpfs undoes all of it then), so that a fast timer leaves time for small pieces only. */
static bool give_blocks(int fd, uint64_t offset, size_t size)
{
    size_t step = size;

    for (size_t at = 0; at < size; at += step) {
        long error;

        while ((error = raw_fallocate(fd, offset + at, step)) == -EINTR)
            step = LOG_UNIT;
        if (error)
            return false;
    }
    return true;
}

static struct chunk *map_chunk(int fd, uint32_t unit, uint32_t units)
{
    uint64_t offset = (uint64_t)unit * LOG_UNIT;
    size_t size = (size_t)units * LOG_UNIT;
    struct chunk *chunk;

    if (!give_blocks(fd, offset, size))
        return NULL;
    chunk = raw_map(size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    if (!chunk)
        return NULL;
    chunk->units = units;
    chunk->capacity = size - sizeof *chunk;
    /* A vfork child may be running: the chunk is its parent's all the same. */
    chunk->owner_pid = self_page.pid ? self_page.pid : raw_getpid();
    chunk->generation = unit;
    __atomic_store_n(&chunk->magic, CHUNK_MAGIC, __ATOMIC_RELEASE);
    return chunk;
}

static struct chunk *take_chunk_from(int fd, uint32_t units)
{
    struct chunk *chunk;
    uint32_t unit;

    if (!wait_for_room(state.control))
        return NULL;
    unit = __atomic_fetch_add(&state.control->next_unit, units, __ATOMIC_RELAXED);
    /* The file system may have room for one unit yet. The rest of what was taken stays a gap. */
    while (!(chunk = map_chunk(fd, unit, units)) && units > 1)
        units = 1;
    return chunk;
}

static struct chunk *take_chunk(uint32_t units)
{
    struct chunk *chunk;
    long fd;

    if (log_is_quiet() || (fd = raw_open(state.path, O_RDWR | O_CLOEXEC)) < 0)
        return NULL;
    chunk = take_chunk_from((int)fd, units);
    raw_close((int)fd);
    return chunk;
}

/* Each chunk is several times the one before, but a small part of a small log. */
static uint32_t next_units(void)
{
    uint32_t units = __atomic_load_n(&state.next_units, __ATOMIC_RELAXED);
    uint32_t most = __atomic_load_n(&state.control->limit, __ATOMIC_RELAXED) / CHUNKS_IN_LOG + 1;

    if (units < CHUNK_UNITS_MAX)
        __atomic_store_n(&state.next_units, units * 4, __ATOMIC_RELAXED);
    return units < most ? units : most;
}

/* Makes `fresh` the current chunk in place of `old`. Several threads may come here for the same
 * one: the first installs its own, the others give theirs up, empty. False when there is still no
 * other. */
static bool install_chunk(struct chunk *old, struct chunk *fresh)
{
    struct chunk *expected = old;

    if (!fresh)
        return __atomic_load_n(&state.current, __ATOMIC_ACQUIRE) != old;
    if (!__atomic_compare_exchange_n(&state.current, &expected, fresh, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        size_t size = (size_t)fresh->units * LOG_UNIT;

        __atomic_store_n(&fresh->sealed, 1, __ATOMIC_SEQ_CST);
        raw_unmap(fresh, size);
    }
    return true;
}

static bool replace_chunk(struct chunk *old)
{
    return install_chunk(old, take_chunk(next_units()));
}

static struct log_control *map_control(int fd)
{
    struct log_control *control = raw_map(LOG_UNIT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (control && control->magic == LOG_MAGIC && control->version == LOG_VERSION &&
        control->unit == LOG_UNIT && __atomic_load_n(&control->state, __ATOMIC_RELAXED) == LOG_OPEN)
        return control;
    if (control)
        raw_unmap(control, LOG_UNIT);
    return NULL;
}

bool log_open(const char *path)
{
    size_t length = text_length(path);
    struct log_control *control;
    long fd;

    if (length >= PATH_ROOM || (fd = raw_open(path, O_RDWR | O_CLOEXEC)) < 0)
        return false;
    control = map_control((int)fd);
    if (control) {
        text_copy(state.path, path, length + 1);
        state.next_units = 4;
        __atomic_store_n(&state.control, control, __ATOMIC_RELEASE);
        install_chunk(NULL, take_chunk_from((int)fd, 1));
    }
    raw_close((int)fd);
    return control != NULL;
}

void log_forked(void)
{
    struct chunk *parents = __atomic_load_n(&state.current, __ATOMIC_ACQUIRE);

    __atomic_store_n(&state.next_units, 1, __ATOMIC_RELAXED);
    /* Where no chunk can be had, the parent's serves on: records carry their process. */
    replace_chunk(parents);
}

static void leave(struct chunk *chunk)
{
    __atomic_fetch_sub(&chunk->active, 1, __ATOMIC_SEQ_CST);
}

/* Enters the current chunk: the reader releases no chunk while somebody is in it. Returns false
 * when there is none or it is sealed; `*chunk` is then what has to be replaced. */
static bool enter(struct chunk **chunk)
{
    *chunk = __atomic_load_n(&state.current, __ATOMIC_ACQUIRE);
    if (!*chunk)
        return false;
    __atomic_fetch_add(&(*chunk)->active, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&(*chunk)->sealed, __ATOMIC_SEQ_CST))
        return true;
    leave(*chunk);
    return false;
}

static struct record *record_at(struct chunk *chunk, uint64_t offset)
{
    return (struct record *)(void *)((char *)(chunk + 1) + offset);
}

bool log_fold(uint64_t key)
{
    uint64_t entry = __atomic_load_n(&fold_table[key % FOLD_SLOTS], __ATOMIC_ACQUIRE);
    uint64_t offset = (entry & 0xffffff) << 3;
    struct chunk *chunk;
    bool folded = false;

    if (!entry || !enter(&chunk))
        return false;
    if (fold_entry(chunk, key, offset) == entry && record_at(chunk, offset)->key == key) {
        __atomic_fetch_add(&record_at(chunk, offset)->count, 1, __ATOMIC_RELAXED);
        folded = true;
    }
    leave(chunk);
    return folded;
}

/* The rest of a chunk that is too small for the record that came first after it. */
static void pad_end(struct chunk *chunk, uint64_t offset)
{
    uint32_t rest;

    if (offset >= chunk->capacity)
        return;
    rest = (uint32_t)(chunk->capacity - offset);
    __atomic_store_n(&record_at(chunk, offset)->word, rest | RECORD_COMMITTED | RECORD_PADDING,
                     __ATOMIC_RELEASE);
}

/* Takes room in a chunk that was entered; seals it when it is full. */
static bool take_room(struct chunk *chunk, size_t size, struct log_slot *slot)
{
    uint64_t offset = __atomic_fetch_add(&chunk->tail, size, __ATOMIC_RELAXED);

    if (offset + size > chunk->capacity) {
        pad_end(chunk, offset);
        __atomic_store_n(&chunk->sealed, 1, __ATOMIC_SEQ_CST);
        leave(chunk);
        return false;
    }
    *slot =
        (struct log_slot){chunk, record_at(chunk, offset), size - sizeof(struct record), offset, 0};
    __atomic_store_n(&slot->record->word, (uint32_t)size | RECORD_RESERVED, __ATOMIC_RELEASE);
    return true;
}

bool log_reserve(struct log_slot *slot, size_t room)
{
    size_t size = aligned(sizeof(struct record) + room);
    struct chunk *chunk;

    if (size > LOG_UNIT - sizeof(struct chunk)) { /* more than the smallest chunk can take */
        log_count_lost();
        return false;
    }
    while (__atomic_load_n(&state.control->state, __ATOMIC_RELAXED) == LOG_OPEN) {
        if (enter(&chunk) && take_room(chunk, size, slot))
            return true;
        if (!replace_chunk(chunk)) {
            log_count_lost();
            return false;
        }
    }
    return false;
}

/* Gives back what was taken too much, unless somebody has written behind it by now. Returns the
 * size that the record has to have. */
static uint32_t give_back(struct log_slot *slot, size_t needed)
{
    size_t size = sizeof(struct record) + slot->room;
    uint64_t end = slot->offset + size;

    if (needed < size &&
        __atomic_compare_exchange_n(&slot->chunk->tail, &end, slot->offset + needed, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        size = needed;
    return (uint32_t)size;
}

void log_commit(struct log_slot *slot, size_t used, uint64_t key)
{
    struct record *record = slot->record;
    uint32_t size = give_back(slot, aligned(sizeof *record + used));

    record->key = key;
    record->count = 1;
    __atomic_store_n(&record->word, size | RECORD_COMMITTED, __ATOMIC_RELEASE);
    if (key)
        __atomic_store_n(&fold_table[key % FOLD_SLOTS], fold_entry(slot->chunk, key, slot->offset),
                         __ATOMIC_RELEASE);
    leave(slot->chunk);
}

void log_abandon(struct log_slot *slot)
{
    /* The head was written to, so a head's worth stays, as padding. */
    uint32_t size = give_back(slot, aligned(sizeof(struct record) + slot->dirty));

    __atomic_store_n(&slot->record->word, size | RECORD_COMMITTED | RECORD_PADDING,
                     __ATOMIC_RELEASE);
    leave(slot->chunk);
}

void log_take_ahead(void)
{
    struct chunk *current = __atomic_load_n(&state.current, __ATOMIC_ACQUIRE);

    __atomic_store_n(&state.next_units, AHEAD_UNITS, __ATOMIC_RELAXED);
    if (current)
        __atomic_store_n(&current->sealed, 1, __ATOMIC_SEQ_CST);
    replace_chunk(current);
}

void log_go_quiet(void)
{
    if (log_is_quiet())
        return;
    log_time();
    log_take_ahead();
    __atomic_store_n(&state.quiet, true, __ATOMIC_RELAXED);
}
