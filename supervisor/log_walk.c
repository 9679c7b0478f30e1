/* SPDX-License-Identifier: MIT */
#include "log_walk.h"

#include <string.h>

#include "tallyman/event.h"

#define COUNT_MAX (UINT64_C(1) << 48)

static uint32_t word_at(const char *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

static bool size_fits(uint32_t size, size_t room)
{
    return size >= sizeof(struct record) && size % RECORD_ALIGNMENT == 0 && size <= room;
}

static bool makes_sense(const struct record *head, uint32_t size)
{
    uint64_t strings = (uint64_t)head->subject + head->other;

    return head->kind != EVENT_NONE && head->kind < EVENT_KIND_COUNT &&
           strings <= size - sizeof *head && head->process <= LOG_ID_MAX &&
           (head->process != 0 || (head->flags & RECORD_WITNESS)) && head->time != 0 &&
           head->time <= INT64_MAX && head->error >= 0 && head->count != 0 &&
           head->count <= COUNT_MAX && head->drained <= head->count;
}

static void deliver(struct log_walk *walk, const char *bytes, uint32_t size)
{
    struct record head;
    struct record_view view;

    memcpy(&head, bytes, sizeof head);
    if (!makes_sense(&head, size)) {
        walk->damaged++;
        return;
    }
    view.head = &head;
    view.subject = bytes + sizeof head;
    view.other = view.subject + head.subject;
    view.count = head.count - head.drained;
    if (view.count == 0)
        return;
    walk->records++;
    walk->sink(walk->context, &view);
}

/* Room that was taken and given up, or the rest of a chunk; may be shorter than a record's head. */
static bool is_padding(uint32_t state, uint32_t size, size_t room)
{
    return state == (RECORD_COMMITTED | RECORD_PADDING) && size >= RECORD_ALIGNMENT &&
           size % RECORD_ALIGNMENT == 0 && size <= room;
}

/* Steps over zeros and, after nonsense, over whatever follows it, to the next word that can be the
 * start of a record. */
void log_walk(struct log_walk *walk, const char *bytes, size_t length)
{
    bool searching = false; /* the present stretch of zeros or nonsense was counted */
    bool whole = true;

    walk->whole = 0;
    for (size_t at = 0; at + RECORD_ALIGNMENT <= length;) {
        uint32_t word = word_at(bytes + at);
        uint32_t size = word & RECORD_SIZE_MASK;
        uint32_t state = word & ~RECORD_SIZE_MASK;
        bool padding = is_padding(state, size, length - at);

        if (!padding && ((state != RECORD_COMMITTED && state != RECORD_RESERVED) ||
                         !size_fits(size, length - at))) {
            walk->damaged += !searching;
            searching = true;
            whole = false;
            at += RECORD_ALIGNMENT;
            continue;
        }
        searching = false;
        if (state == RECORD_COMMITTED)
            deliver(walk, bytes + at, size);
        else if (state == RECORD_RESERVED)
            walk->damaged++;
        whole = whole && state != RECORD_RESERVED;
        at += size;
        if (whole)
            walk->whole = at;
    }
}
