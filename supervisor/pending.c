/* SPDX-License-Identifier: MIT */
#include "pending.h"

#include <stdlib.h>
#include <string.h>

#include "bytes_hash.h"
#include "die.h"
#include "id_map.h"

/* What waits for a pid to become known. */
struct waiting {
    uint32_t pid;
    uint32_t parent_pid; /* at its first access */
    size_t version;      /* of the marks of both, when it was last looked at */
    bool looked_at;
    bool gone; /* no process had the pid when the last pass ended */
    struct held *held;
    size_t count, room;
    uint32_t *slots; /* index + 1 by hash, open addressing; 0 free */
    size_t slot_room;
};

struct pending {
    struct timeline *timeline;
    struct process_table *processes;
    held_sink sink;
    void *context;
    struct held *fresh; /* not looked at: the timeline was not known so far */
    size_t fresh_count, fresh_room;
    struct waiting **waiting;
    size_t waiting_count, waiting_room;
    struct id_map by_pid;
    size_t held_count;
};

/* How far what is not known yet is settled all the same. */
enum finality { NOT_YET, PID_GONE, AT_THE_END };

struct pending *pending_new(struct timeline *timeline, struct process_table *processes,
                            held_sink sink, void *context)
{
    struct pending *pending = xcalloc(1, sizeof *pending);

    pending->timeline = timeline;
    pending->processes = processes;
    pending->sink = sink;
    pending->context = context;
    return pending;
}

static void free_waiting(struct waiting *waiting)
{
    for (size_t i = 0; i < waiting->count; i++)
        free(waiting->held[i].detail);
    free(waiting->held);
    free(waiting->slots);
    free(waiting);
}

void pending_free(struct pending *pending)
{
    if (!pending)
        return;
    for (size_t i = 0; i < pending->fresh_count; i++)
        free(pending->fresh[i].detail);
    for (size_t i = 0; i < pending->waiting_count; i++)
        free_waiting(pending->waiting[i]);
    free(pending->fresh);
    free(pending->waiting);
    id_map_fini(&pending->by_pid);
    free(pending);
}

void pending_add(struct pending *pending, const struct held *held)
{
    if (pending->fresh_count == pending->fresh_room) {
        pending->fresh_room = pending->fresh_room ? 2 * pending->fresh_room : 256;
        pending->fresh = xrealloc(pending->fresh, pending->fresh_room * sizeof *pending->fresh);
    }
    pending->fresh[pending->fresh_count++] = *held;
}

/* --- whose it is ---------------------------------------------------------------------------- */

static uint64_t row_of_parent(const struct pending *pending, const struct held *held)
{
    struct place place =
        timeline_find(pending->timeline, held->parent_pid, (uint64_t)held->row.first);

    return place.kind == PLACE_ROW ? place.serial : 0;
}

/* A child that never reported in. Whatever else it did goes to the same row. */
static uint64_t add_child(struct pending *pending, const struct held *held, const char *how)
{
    uint64_t time = (uint64_t)held->row.first;
    uint64_t serial = process_table_child(pending->processes, held->pid, held->parent_pid, time,
                                          row_of_parent(pending, held), how);

    timeline_start(pending->timeline, held->pid, time, serial, false);
    return serial;
}

/* The child of a program without shim cannot report in before it runs another program: what it does
 * until then is a fork's. */
static bool is_silent_fork(const struct pending *pending, const struct held *held,
                           const struct place *place)
{
    uint64_t parent = place->before_call ? row_of_parent(pending, held) : 0;

    return parent && !process_table_has_shim(pending->processes, parent);
}

/* The serial; 0 when it is not known yet. */
static uint64_t find_row(struct pending *pending, struct held *held, enum finality finality)
{
    bool executes = held->row.operation == EVENT_EXECUTE;
    struct place place = timeline_find(pending->timeline, held->pid,
                                       (uint64_t)held->row.first - executes /* its own mark */);

    held->since = place.since;
    if (executes && !place.before) {
        uint64_t parent = row_of_parent(pending, held);

        if (parent) /* a spawn: the child has done nothing of its own */
            return parent;
    }
    if (is_silent_fork(pending, held, &place))
        return add_child(pending, held, "fork");
    if (place.kind == PLACE_ROW)
        return place.serial;
    if (place.kind == PLACE_OPEN && (finality == NOT_YET || (finality == PID_GONE && place.before)))
        return 0;
    if (place.before)
        return place.before;
    return add_child(pending, held, place.after_call ? "unobserved" : "fork");
}

static bool hand_on(struct pending *pending, struct held *held, enum finality finality)
{
    uint64_t serial = find_row(pending, held, finality);

    if (serial == 0)
        return false;
    held->row.process = process_table_row(pending->processes, serial);
    pending->sink(pending->context, held);
    free(held->detail);
    return true;
}

/* --- waiting -------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct held *held)
{
    const struct access_row *row = &held->row;
    uint64_t hash = bytes_hash(held->detail ? held->detail : "", held->detail_length, held->since);

    hash = hash_mix(hash, (uint64_t)row->subject);
    hash = hash_mix(hash, (uint64_t)row->other);
    return hash_mix(hash,
                    (uint64_t)(uint32_t)row->outcome << 32 | row->flags << 8 | row->operation);
}

static bool are_equal(const struct held *a, const struct held *b)
{
    return a->since == b->since && a->row.subject == b->row.subject &&
           a->row.other == b->row.other && a->row.outcome == b->row.outcome &&
           a->row.flags == b->row.flags && a->row.operation == b->row.operation &&
           a->detail_length == b->detail_length &&
           (a->detail_length == 0 || memcmp(a->detail, b->detail, a->detail_length) == 0);
}

static uint32_t *find_slot(const struct waiting *waiting, const struct held *held)
{
    size_t mask = waiting->slot_room - 1;
    size_t at = hash_of(held) & mask;

    while (waiting->slots[at] && !are_equal(&waiting->held[waiting->slots[at] - 1], held))
        at = (at + 1) & mask;
    return &waiting->slots[at];
}

static void index_again(struct waiting *waiting)
{
    memset(waiting->slots, 0, waiting->slot_room * sizeof *waiting->slots);
    for (size_t i = 0; i < waiting->count; i++)
        *find_slot(waiting, &waiting->held[i]) = (uint32_t)i + 1;
}

static void grow(struct waiting *waiting)
{
    waiting->room = waiting->room ? 2 * waiting->room : 4;
    waiting->held = xrealloc(waiting->held, waiting->room * sizeof *waiting->held);
    waiting->slot_room = 2 * waiting->room;
    waiting->slots = xrealloc(waiting->slots, waiting->slot_room * sizeof *waiting->slots);
    index_again(waiting);
}

static struct waiting *waiting_of(struct pending *pending, const struct held *held)
{
    struct waiting *waiting = id_map_get(&pending->by_pid, held->pid);

    if (waiting)
        return waiting;
    waiting = xcalloc(1, sizeof *waiting);
    waiting->pid = held->pid;
    waiting->parent_pid = held->parent_pid;
    id_map_put(&pending->by_pid, held->pid, waiting);
    if (pending->waiting_count == pending->waiting_room) {
        pending->waiting_room = pending->waiting_room ? 2 * pending->waiting_room : 64;
        pending->waiting =
            xrealloc(pending->waiting, pending->waiting_room * sizeof(struct waiting *));
    }
    pending->waiting[pending->waiting_count++] = waiting;
    return waiting;
}

static void hold(struct pending *pending, struct held *held)
{
    struct waiting *waiting = waiting_of(pending, held);
    struct held *same;
    uint32_t *slot;

    waiting->gone = false;
    if (waiting->count == waiting->room)
        grow(waiting);
    slot = find_slot(waiting, held);
    if (*slot) {
        same = &waiting->held[*slot - 1];
        same->row.count += held->row.count;
        if (held->row.first < same->row.first) {
            same->row.first = held->row.first;
            same->row.hook = held->row.hook;
        }
        free(held->detail);
        return;
    }
    waiting->held[waiting->count++] = *held;
    *slot = (uint32_t)waiting->count;
    pending->held_count++;
}

static void look_again(struct pending *pending, struct waiting *waiting, enum finality finality)
{
    size_t version = timeline_version(pending->timeline, waiting->pid) +
                     timeline_version(pending->timeline, waiting->parent_pid);
    size_t kept = 0;

    if (finality == NOT_YET && waiting->looked_at && waiting->version == version)
        return;
    waiting->version = version;
    waiting->looked_at = true;
    for (size_t i = 0; i < waiting->count; i++) {
        if (!hand_on(pending, &waiting->held[i], finality))
            waiting->held[kept++] = waiting->held[i];
    }
    pending->held_count -= waiting->count - kept;
    waiting->count = kept;
    index_again(waiting);
}

static void look_at_waiting(struct pending *pending, bool (*is_gone)(uint32_t pid))
{
    size_t kept = 0;

    for (size_t i = 0; i < pending->waiting_count; i++) {
        struct waiting *waiting = pending->waiting[i];

        look_again(pending, waiting, waiting->gone ? PID_GONE : NOT_YET);
        if (waiting->count == 0) {
            id_map_remove(&pending->by_pid, waiting->pid);
            free_waiting(waiting);
            continue;
        }
        /* What it wrote before it went is known after the next pass. */
        waiting->gone = is_gone && is_gone(waiting->pid);
        pending->waiting[kept++] = waiting;
    }
    pending->waiting_count = kept;
}

void pending_settle(struct pending *pending, uint64_t safe, bool (*is_gone)(uint32_t pid))
{
    size_t kept = 0;

    timeline_known(pending->timeline, safe);
    look_at_waiting(pending, is_gone);
    for (size_t i = 0; i < pending->fresh_count; i++) {
        struct held *held = &pending->fresh[i];

        if ((uint64_t)held->row.first >= safe)
            pending->fresh[kept++] = *held;
        else if (!hand_on(pending, held, NOT_YET))
            hold(pending, held);
    }
    pending->fresh_count = kept;
}

static int by_first(const void *left, const void *right)
{
    const struct waiting *const *a = left, *const *b = right;
    int64_t first = (*a)->held[0].row.first, second = (*b)->held[0].row.first;

    return (first > second) - (first < second);
}

void pending_finish(struct pending *pending)
{
    pending_settle(pending, UINT64_MAX, NULL);
    /* A parent did something before its child, mostly: it has its row then. */
    if (pending->waiting_count)
        qsort(pending->waiting, pending->waiting_count, sizeof(struct waiting *), by_first);
    for (size_t i = 0; i < pending->waiting_count; i++) {
        look_again(pending, pending->waiting[i], AT_THE_END);
        free_waiting(pending->waiting[i]);
    }
    pending->waiting_count = 0;
    id_map_fini(&pending->by_pid);
}

size_t pending_count(const struct pending *pending)
{
    return pending->fresh_count + pending->held_count;
}
