/* SPDX-License-Identifier: MIT */
#include "log_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "die.h"
#include "log_walk.h"
#include "owner.h"
#include "tallyman/event.h"

#define KEPT_BYTES      4096u /* of a released chunk: its head stays readable */
#define CHUNK_BYTES_MAX ((size_t)CHUNK_UNITS_MAX * LOG_UNIT)
#define GAP_STEPS_MAX   65536u /* units of a gap looked at in one pass but the last */
#define OWNER_ASK_NS    UINT64_C(2000000000)

/* A chunk that was seen and not yet released, or (in `released`) one that was given back without
 * its owner's word that nobody adds to it. */
struct open_chunk {
    uint32_t unit;
    uint32_t units;
    uint32_t owner;
    uint32_t taken;      /* bytes of records delivered */
    uint32_t glanced;    /* bytes of records that were shown whole */
    uint64_t seen;       /* when first seen, for the owner's age */
    uint64_t asked;      /* when the owner's age was last compared with it */
    uint64_t busy_since; /* when it was first seen sealed with somebody at work in it */
    bool safe_next;      /* delivered; log_reader_release may mark it */
    bool sealed_by_reader;
};

/* Units [first, end) that were taken but hold no chunk (yet). */
struct gap {
    uint32_t first;
    uint32_t end;
};

struct log_reader {
    int file;
    bool trust_marks;
    uint32_t cursor; /* first unit not yet looked at */
    uint32_t next_unit;
    uint32_t limit;
    uint32_t limit_at_start;
    uint32_t released_units;
    uint32_t told_units; /* released_units as the writers know it */
    bool read_failed;    /* in the present pass */
    struct open_chunk *chunks;
    size_t chunk_count, chunk_room;
    struct open_chunk *released;
    size_t released_count, released_room;
    struct gap *gaps;
    size_t gap_count, gap_room;
    uint64_t *buffer;            /* CHUNK_BYTES_MAX; uint64_t for its alignment */
    struct log_control *control; /* mapped for futex(2) alone, never read through */
    struct log_totals totals;
};

#define GROW(array, count, room)                                                                   \
    do {                                                                                           \
        if ((count) == (room)) {                                                                   \
            (room) = (room) ? 2 * (room) : 64;                                                     \
            (array) = xrealloc((array), (room) * sizeof *(array));                                 \
        }                                                                                          \
    } while (0)

struct log_reader *log_reader_new(int file, bool trust_marks)
{
    struct log_reader *reader = xcalloc(1, sizeof *reader);
    void *mapped = mmap(NULL, LOG_UNIT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    reader->file = file;
    reader->trust_marks = trust_marks;
    reader->cursor = 1;
    reader->next_unit = 1;
    reader->buffer = xmalloc(CHUNK_BYTES_MAX);
    reader->control = mapped == MAP_FAILED ? NULL : mapped;
    return reader;
}

void log_reader_free(struct log_reader *reader)
{
    if (!reader)
        return;
    if (reader->control)
        munmap(reader->control, LOG_UNIT);
    free(reader->chunks);
    free(reader->released);
    free(reader->gaps);
    free(reader->buffer);
    free(reader);
}

/* Reads as much as is there; what the file does not have is zero. Returns what was there. */
static size_t read_bytes(struct log_reader *reader, void *into, size_t size, uint64_t offset)
{
    size_t done = 0;

    while (done < size) {
        ssize_t got = pread(reader->file, (char *)into + done, size - done, (off_t)(offset + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            reader->read_failed = true;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    memset((char *)into + done, 0, size - done);
    return done;
}

static bool write_bytes(const struct log_reader *reader, const void *bytes, size_t size,
                        uint64_t offset)
{
    return pwrite(reader->file, bytes, size, (off_t)offset) == (ssize_t)size;
}

static bool read_chunk_head(struct log_reader *reader, uint32_t unit, struct chunk *head)
{
    return read_bytes(reader, head, sizeof *head, (uint64_t)unit * LOG_UNIT) == sizeof *head;
}

static bool is_chunk(const struct chunk *head, uint32_t unit, uint32_t end)
{
    return head->magic == CHUNK_MAGIC && head->units >= 1 && head->units <= CHUNK_UNITS_MAX &&
           head->units <= end - unit && head->generation == unit &&
           head->capacity == (uint64_t)head->units * LOG_UNIT - sizeof *head;
}

static void add_chunk(struct log_reader *reader, uint32_t unit, const struct chunk *head)
{
    uint32_t taken = 0;

    if (reader->trust_marks && head->drained <= head->capacity &&
        head->drained % RECORD_ALIGNMENT == 0) {
        taken = (uint32_t)head->drained;
        reader->totals.stored += taken;
    }
    GROW(reader->chunks, reader->chunk_count, reader->chunk_room);
    reader->chunks[reader->chunk_count++] = (struct open_chunk){.unit = unit,
                                                                .units = head->units,
                                                                .owner = head->owner_pid,
                                                                .taken = taken,
                                                                .seen = owner_clock(),
                                                                .asked = owner_clock()};
}

static void add_gap(struct log_reader *reader, uint32_t first, uint32_t end)
{
    struct gap *last = reader->gap_count ? &reader->gaps[reader->gap_count - 1] : NULL;

    if (first >= end)
        return;
    if (last && last->end == first) {
        last->end = end;
        return;
    }
    GROW(reader->gaps, reader->gap_count, reader->gap_room);
    reader->gaps[reader->gap_count++] = (struct gap){first, end};
}

/* First unit at or after `unit` that holds any data, at most `end`: a hostile next_unit may name
 * billions of units that were never written. */
static uint32_t next_data(const struct log_reader *reader, uint32_t unit, uint32_t end)
{
    off_t at = lseek(reader->file, (off_t)unit * LOG_UNIT, SEEK_DATA);

    if (at < 0)
        return errno == ENXIO ? end : unit;
    if ((uint64_t)at / LOG_UNIT >= end)
        return end;
    return (uint32_t)((uint64_t)at / LOG_UNIT);
}

/* Looks for chunks in [*at, end) and adds what holds none as gaps; at most `steps` units that hold
 * data without being a chunk. */
static void scan(struct log_reader *reader, uint32_t *at, uint32_t end, uint32_t *steps)
{
    while (*at < end && *steps) {
        struct chunk head;

        if (read_chunk_head(reader, *at, &head) && is_chunk(&head, *at, end)) {
            add_chunk(reader, *at, &head);
            *at += head.units;
            continue;
        }
        uint32_t next = next_data(reader, *at, end);

        if (next <= *at) {
            next = *at + 1;
            --*steps;
        }
        add_gap(reader, *at, next);
        *at = next;
    }
}

/* A chunk whose head was not written when its units were first looked at lies within one gap. */
static void scan_gaps(struct log_reader *reader, uint32_t *steps)
{
    struct gap *gaps = reader->gaps;
    size_t count = reader->gap_count;

    if (count == 0)
        return;
    reader->gaps = NULL;
    reader->gap_count = reader->gap_room = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t at = gaps[i].first;

        scan(reader, &at, gaps[i].end, steps);
        add_gap(reader, at, gaps[i].end);
    }
    free(gaps);
}

static void discover(struct log_reader *reader, bool final)
{
    struct log_control control;
    struct stat status;
    uint32_t steps = final ? UINT32_MAX : GAP_STEPS_MAX;
    uint64_t units;

    if (fstat(reader->file, &status) != 0) {
        reader->read_failed = true;
        return;
    }
    read_bytes(reader, &control, sizeof control, 0);
    units = (uint64_t)status.st_size / LOG_UNIT;
    if (control.next_unit > reader->next_unit)
        reader->next_unit = control.next_unit < units ? control.next_unit : (uint32_t)units;
    if (control.lost > reader->totals.lost)
        reader->totals.lost = control.lost;
    scan_gaps(reader, &steps);
    if (reader->cursor < reader->next_unit)
        scan(reader, &reader->cursor, reader->next_unit, &steps);
}

static uint32_t record_bytes(const struct chunk *head, const struct open_chunk *chunk)
{
    uint64_t room = (uint64_t)chunk->units * LOG_UNIT - sizeof *head;

    return (uint32_t)(head->tail < room ? head->tail : room) / RECORD_ALIGNMENT * RECORD_ALIGNMENT;
}

/* A known chunk whose head is no longer one was overwritten: what it held is gone. */
static bool still_there(struct log_reader *reader, struct open_chunk *chunk, struct chunk *head)
{
    if (read_chunk_head(reader, chunk->unit, head) && head->magic == CHUNK_MAGIC)
        return true;
    reader->totals.damaged++;
    return false;
}

static bool owner_has_ended(struct open_chunk *chunk)
{
    if (chunk->owner == 0)
        return false;
    if (owner_is_gone(chunk->owner))
        return true;
    /* A number is given again only after all the others: rarely worth the look. */
    if (owner_clock() - chunk->asked < OWNER_ASK_NS)
        return false;
    chunk->asked = owner_clock();
    return owner_was_replaced(chunk->owner, chunk->seen);
}

/* An owner that lives after all (in another pid namespace, or because a vfork child took the chunk
 * for it) sees the seal before it adds anything, and takes another chunk. */
static void seal(struct log_reader *reader, struct open_chunk *chunk)
{
    uint32_t sealed = 1;

    write_bytes(reader, &sealed, sizeof sealed,
                (uint64_t)chunk->unit * LOG_UNIT + offsetof(struct chunk, sealed));
    chunk->sealed_by_reader = true;
    atomic_thread_fence(memory_order_seq_cst); /* before `active` is read */
}

/* True when nothing can be added to the chunk any more; `head` is then as it will stay. */
static bool is_final(struct log_reader *reader, struct open_chunk *chunk, struct chunk *head)
{
    if (!head->sealed && owner_has_ended(chunk)) {
        seal(reader, chunk);
        if (!still_there(reader, chunk, head))
            return false;
    }
    if (!head->sealed)
        return false;
    if (head->active == 0)
        return true;
    /* Somebody was killed at work in it and never leaves, or needs a moment. */
    if (chunk->busy_since == 0)
        chunk->busy_since = owner_clock();
    return owner_clock() - chunk->busy_since > OWNER_ASK_NS && owner_has_ended(chunk);
}

/* Delivers what the chunk holds beyond `taken`. */
static void take(struct log_reader *reader, struct open_chunk *chunk, const struct chunk *head,
                 record_sink sink, void *context)
{
    uint32_t length = record_bytes(head, chunk);
    struct log_walk walk = {.sink = sink, .context = context};

    if (length <= chunk->taken)
        return;
    length -= chunk->taken;
    read_bytes(reader, reader->buffer, length,
               (uint64_t)chunk->unit * LOG_UNIT + sizeof *head + chunk->taken);
    log_walk(&walk, (const char *)reader->buffer, length);
    chunk->taken += length;
    reader->totals.records += walk.records;
    reader->totals.damaged += walk.damaged;
    reader->totals.chunks++;
}

static void take_late(struct log_reader *reader, record_sink sink, void *context)
{
    for (size_t i = 0; i < reader->released_count; i++) {
        struct open_chunk *chunk = &reader->released[i];
        struct chunk head;

        if (read_chunk_head(reader, chunk->unit, &head) && head.magic == CHUNK_MAGIC)
            take(reader, chunk, &head, sink, context);
    }
}

bool log_reader_pass(struct log_reader *reader, bool final, size_t limit, record_sink sink,
                     void *context)
{
    uint64_t start = reader->totals.records;
    bool more = false;

    reader->read_failed = false;
    discover(reader, final);
    for (size_t i = 0; i < reader->chunk_count; i++) {
        struct open_chunk *chunk = &reader->chunks[i];
        struct chunk head;

        if (chunk->safe_next)
            continue;
        if (reader->totals.records - start >= limit) {
            more = true;
            break;
        }
        if (!still_there(reader, chunk, &head)) {
            chunk->safe_next = true;
            continue;
        }
        if (!final && !is_final(reader, chunk, &head))
            continue;
        take(reader, chunk, &head, sink, context);
        chunk->safe_next = true;
    }
    if (final && !more)
        take_late(reader, sink, context);
    if (final && reader->read_failed) /* there is no other pass that would find it */
        reader->totals.damaged++;
    return more;
}

/* Shows what `glanced` does not cover. */
static void glance(struct log_reader *reader, struct open_chunk *chunk, struct log_walk *walk)
{
    struct chunk head;
    uint32_t length;

    if (!read_chunk_head(reader, chunk->unit, &head) || head.magic != CHUNK_MAGIC)
        return;
    length = record_bytes(&head, chunk);
    if (chunk->glanced < chunk->taken)
        chunk->glanced = chunk->taken;
    if (length <= chunk->glanced)
        return;
    length -= chunk->glanced;
    read_bytes(reader, reader->buffer, length,
               (uint64_t)chunk->unit * LOG_UNIT + sizeof head + chunk->glanced);
    log_walk(walk, (const char *)reader->buffer, length);
    chunk->glanced += (uint32_t)walk->whole;
}

struct glance {
    record_sink sink;
    void *context;
};

static void show(void *context, const struct record_view *record)
{
    const struct glance *glance = context;
    uint16_t kind = record->head->kind;

    if (kind == EVENT_PROCESS_START || kind == EVENT_PROCESS_EXIT || kind == EVENT_EXECUTE ||
        kind == EVENT_EXECUTE_FAILED)
        glance->sink(glance->context, record);
}

void log_reader_glance(struct log_reader *reader, record_sink sink, void *context)
{
    struct glance to = {sink, context};
    struct log_walk walk = {.sink = show, .context = &to};

    for (size_t i = 0; i < reader->chunk_count; i++) {
        if (!reader->chunks[i].safe_next)
            glance(reader, &reader->chunks[i], &walk);
    }
}

static void release_chunk(struct log_reader *reader, struct open_chunk *chunk)
{
    uint64_t at = (uint64_t)chunk->unit * LOG_UNIT;
    uint64_t taken = chunk->taken;

    write_bytes(reader, &taken, sizeof taken, at + offsetof(struct chunk, drained));
    fallocate(reader->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(at + KEPT_BYTES),
              (off_t)((uint64_t)chunk->units * LOG_UNIT - KEPT_BYTES));
    reader->released_units += chunk->units;
    if (chunk->sealed_by_reader || chunk->busy_since) {
        GROW(reader->released, reader->released_count, reader->released_room);
        reader->released[reader->released_count++] = *chunk;
    }
}

/* What could not be written is written the next time: writers wait for it. */
static void wake_writers(struct log_reader *reader)
{
    if (write_bytes(reader, &reader->released_units, sizeof reader->released_units,
                    offsetof(struct log_control, released)))
        reader->told_units = reader->released_units;
    if (reader->control) /* a page that is not there is EFAULT here, no signal */
        syscall(SYS_futex, &reader->control->released, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void log_reader_release(struct log_reader *reader)
{
    size_t kept = 0;

    for (size_t i = 0; i < reader->chunk_count; i++) {
        if (reader->chunks[i].safe_next)
            release_chunk(reader, &reader->chunks[i]);
        else
            reader->chunks[kept++] = reader->chunks[i];
    }
    reader->chunk_count = kept;
    if (reader->released_units != reader->told_units)
        wake_writers(reader);
}

/* Units that no pass can give back at present. */
static uint64_t units_held(const struct log_reader *reader)
{
    uint64_t held = 0;

    for (size_t i = 0; i < reader->chunk_count; i++)
        held += reader->chunks[i].units;
    for (size_t i = 0; i < reader->gap_count; i++)
        held += reader->gaps[i].end - reader->gaps[i].first;
    return held;
}

void log_reader_adjust_limit(struct log_reader *reader)
{
    uint64_t limit;
    uint32_t stored;

    if (reader->limit_at_start == 0) {
        struct log_control control;

        read_bytes(reader, &control, sizeof control, 0);
        if (control.limit == 0) /* not read, or overwritten */
            return;
        reader->limit = reader->limit_at_start = control.limit;
    }
    limit = reader->limit_at_start + units_held(reader);
    stored = limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
    if (stored != reader->limit)
        log_reader_set_limit(reader, stored);
}

bool log_reader_set_limit(struct log_reader *reader, uint32_t limit)
{
    bool written = write_bytes(reader, &limit, sizeof limit, offsetof(struct log_control, limit));

    if (written)
        reader->limit = limit;
    wake_writers(reader);
    return written;
}

struct log_totals log_reader_totals(const struct log_reader *reader)
{
    return reader->totals;
}

uint32_t log_reader_backlog(struct log_reader *reader)
{
    struct log_control control;

    read_bytes(reader, &control, offsetof(struct log_control, lost), 0);
    if (control.waiting)
        return UINT32_MAX;
    return control.next_unit > reader->next_unit ? control.next_unit - reader->next_unit : 0;
}
