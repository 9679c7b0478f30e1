/* SPDX-License-Identifier: MIT */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "die.h"
#include "hook_names.h"
#include "id_map.h"
#include "tallyman/event.h"

enum mark_kind { MARK_START, MARK_CALL, MARK_END };

struct mark {
    uint64_t time;
    uint64_t id; /* START: the serial; CALL: the execution, 0 unknown */
    uint8_t kind;
    bool executed;
    bool failed; /* CALL: as if it were not there; kept, for the mark may come again */
};

struct life {
    struct mark *marks; /* by time */
    size_t count, room;
    uint32_t failures;
};

struct timeline {
    struct id_map lives; /* by pid */
    uint64_t known;      /* every mark before is there; of later ones some may be missing */
};

struct timeline *timeline_new(void)
{
    return xcalloc(1, sizeof(struct timeline));
}

void timeline_free(struct timeline *timeline)
{
    if (!timeline)
        return;
    for (size_t i = 0; i < timeline->lives.room; i++) {
        struct life *life = timeline->lives.slots[i].value;

        if (life)
            free(life->marks);
        free(life);
    }
    id_map_fini(&timeline->lives);
    free(timeline);
}

static struct life *get(struct timeline *timeline, uint32_t pid)
{
    struct life *life = id_map_get(&timeline->lives, pid);

    if (!life) {
        life = xcalloc(1, sizeof *life);
        id_map_put(&timeline->lives, pid, life);
    }
    return life;
}

/* Index of the first mark later than `time`: nearly always the end. */
static size_t later(const struct life *life, uint64_t time)
{
    size_t at = life->count;

    while (at > 0 && life->marks[at - 1].time > time)
        at--;
    return at;
}

static bool is_same(const struct mark *a, const struct mark *b)
{
    return a->kind == b->kind && a->id == b->id && (a->id || a->time == b->time);
}

static bool is_there(const struct life *life, const struct mark *mark, size_t at)
{
    while (at > 0 && life->marks[at - 1].time == mark->time) {
        if (is_same(&life->marks[--at], mark))
            return true;
    }
    return false;
}

static void add(struct timeline *timeline, uint32_t pid, const struct mark *mark)
{
    struct life *life;
    size_t at;

    if (pid == 0)
        return;
    life = get(timeline, pid);
    at = later(life, mark->time);
    if (is_there(life, mark, at))
        return;
    if (life->count == life->room) {
        life->room = life->room ? 2 * life->room : 4;
        life->marks = xrealloc(life->marks, life->room * sizeof *life->marks);
    }
    memmove(&life->marks[at + 1], &life->marks[at], (life->count - at) * sizeof *life->marks);
    life->marks[at] = *mark;
    life->count++;
}

void timeline_start(struct timeline *timeline, uint32_t pid, uint64_t time, uint64_t serial,
                    bool executed)
{
    struct mark mark = {.time = time, .id = serial, .kind = MARK_START, .executed = executed};

    add(timeline, pid, &mark);
}

static void add_call(struct timeline *timeline, uint32_t pid, uint64_t time, uint64_t execution)
{
    struct mark mark = {.time = time, .id = execution, .kind = MARK_CALL};

    add(timeline, pid, &mark);
}

static void fail_call(struct timeline *timeline, uint32_t pid, uint64_t execution)
{
    struct life *life = id_map_get(&timeline->lives, pid);

    for (size_t i = life ? life->count : 0; i > 0 && execution; i--) {
        struct mark *mark = &life->marks[i - 1];

        if (mark->kind != MARK_CALL || mark->id != execution)
            continue;
        life->failures += !mark->failed;
        mark->failed = true;
        return;
    }
}

void timeline_end(struct timeline *timeline, uint32_t pid, uint64_t time)
{
    struct mark mark = {.time = time, .kind = MARK_END};

    add(timeline, pid, &mark);
}

void timeline_mark(struct timeline *timeline, const struct record *head)
{
    switch (head->kind) {
    case EVENT_PROCESS_START:
        timeline_start(timeline, head->pid, head->time, head->process,
                       (head->value & START_FORKED) == 0);
        break;
    case EVENT_EXECUTE:
        if (head->flags & RECORD_WITNESS) {
            if (head->error == 0)
                add_call(timeline, head->pid, head->time, 0);
        } else if (hook_is_exec(head->hook)) {
            add_call(timeline, head->pid, head->time, head->value);
        }
        break;
    case EVENT_EXECUTE_FAILED:
        fail_call(timeline, head->pid, head->value);
        break;
    case EVENT_PROCESS_EXIT:
        if (!(head->flags & RECORD_IMPLIED) && (WIFEXITED(head->error) || WIFSIGNALED(head->error)))
            timeline_end(timeline, (uint32_t)head->value, head->time);
        break;
    default:
        break;
    }
}

void timeline_known(struct timeline *timeline, uint64_t until)
{
    timeline->known = until;
}

/* What of a life is known without a hole. */
struct view {
    const struct mark *marks;
    size_t count;
};

static struct view view_of(const struct timeline *timeline, uint32_t pid)
{
    const struct life *life = id_map_get(&timeline->lives, pid);

    if (!life || timeline->known == 0)
        return (struct view){NULL, 0};
    return (struct view){life->marks, later(life, timeline->known - 1)};
}

/* The next mark that counts, from *at on; NULL at the end. */
static const struct mark *ahead(const struct view *life, size_t *at)
{
    while (*at < life->count && life->marks[*at].failed)
        ++*at;
    return *at < life->count ? &life->marks[(*at)++] : NULL;
}

static const struct mark *back(const struct view *life, size_t *at)
{
    while (*at > 0 && life->marks[*at - 1].failed)
        --*at;
    return *at > 0 ? &life->marks[--*at] : NULL;
}

static struct place row(struct place place, uint64_t serial)
{
    place.kind = PLACE_ROW;
    place.serial = serial;
    return place;
}

/* Nobody had started under that pid: whoever starts next without an end in between had begun. */
static struct place find_next(struct place place, const struct view *life, size_t at)
{
    const struct mark *mark = ahead(life, &at);

    place.before_call = !place.after_call && (!mark || mark->kind != MARK_START || mark->executed);
    while (mark && mark->kind == MARK_CALL)
        mark = ahead(life, &at);
    if (mark && mark->kind == MARK_START)
        return row(place, mark->id);
    if (mark)
        place.kind = PLACE_NOBODY;
    return place;
}

/* Between a call and what comes next is the new image's loader when a start follows, and the old
 * image whose call failed when another call does. */
static struct place find_in_call(struct place place, const struct view *life, size_t at)
{
    size_t next = at;
    const struct mark *mark = ahead(life, &next);

    if (mark && mark->kind == MARK_START && (mark->executed || !place.before))
        return row(place, mark->id);
    if (!place.before)
        return find_next(place, life, at);
    if (mark && mark->kind != MARK_END)
        return row(place, place.before);
    return place; /* an end: it may have died before it reported in, which is found out later */
}

struct place timeline_find(const struct timeline *timeline, uint32_t pid, uint64_t time)
{
    struct view life = view_of(timeline, pid);
    struct place place = {.kind = PLACE_OPEN};
    const struct mark *mark;
    size_t next = life.count, at;

    while (next > 0 && life.marks[next - 1].time > time)
        next--;
    at = next;
    mark = back(&life, &at);
    place.since = mark ? mark->time : 0;
    place.after_call = mark && mark->kind == MARK_CALL;
    while (mark && mark->kind == MARK_CALL)
        mark = back(&life, &at);
    place.before = mark && mark->kind == MARK_START ? mark->id : 0;
    if (place.after_call)
        return find_in_call(place, &life, next);
    return place.before ? row(place, place.before) : find_next(place, &life, next);
}

uint64_t timeline_became(const struct timeline *timeline, uint32_t pid, uint64_t time)
{
    struct view life = view_of(timeline, pid);
    const struct mark *mark;
    size_t next = life.count;

    while (next > 0 && life.marks[next - 1].time > time)
        next--;
    do
        mark = ahead(&life, &next);
    while (mark && mark->kind == MARK_CALL);
    return mark && mark->kind == MARK_START && mark->executed ? mark->id : 0;
}

size_t timeline_version(const struct timeline *timeline, uint32_t pid)
{
    const struct life *life = id_map_get(&timeline->lives, pid);

    return life ? view_of(timeline, pid).count + life->failures : 0;
}
