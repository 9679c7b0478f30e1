/* SPDX-License-Identifier: MIT */
#include "ingest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "command_image.h"
#include "die.h"
#include "hook_names.h"
#include "path_names.h"
#include "pending.h"
#include "process_table.h"
#include "timeline.h"
#include "witnessed.h"

struct ingest {
    struct store *store;
    const struct policy *policy;
    struct ingest_counts *counts;
    struct timeline *timeline;
    struct process_table *processes;
    struct pending *pending;
    bool (*is_gone)(uint32_t pid); /* NULL: nobody is asked */
    struct path_names *names;
    uint64_t damaged;
};

static const struct {
    uint8_t channel;
    uint8_t class;
} kinds[EVENT_KIND_COUNT] = {
#define EVENT(id, channel, class, name, text) {CHANNEL_##channel, ACCESS_##class},
#include "tallyman/events.def"
#undef EVENT
};

/* What was pending and is known now. */
static void take_held(void *context, const struct held *held)
{
    struct ingest *ingest = context;

    if (held->row.operation == EVENT_BLIND_SPOT)
        store_blind_spot(ingest->store, held->row.process, (enum blind_spot)held->row.subject,
                         held->detail, held->detail_length, (uint64_t)held->row.count);
    else
        store_access(ingest->store, &held->row);
}

struct ingest *ingest_new(struct store *store, const struct policy *policy,
                          struct ingest_counts *counts)
{
    struct ingest *ingest = xcalloc(1, sizeof *ingest);

    ingest->store = store;
    ingest->policy = policy;
    ingest->counts = counts;
    ingest->timeline = timeline_new();
    ingest->processes = process_table_new(store, ingest->timeline);
    ingest->pending = pending_new(ingest->timeline, ingest->processes, take_held, ingest);
    process_table_load(ingest->processes);
    ingest->names = path_names_new();
    return ingest;
}

void ingest_free(struct ingest *ingest)
{
    if (!ingest)
        return;
    pending_free(ingest->pending);
    process_table_free(ingest->processes);
    timeline_free(ingest->timeline);
    path_names_free(ingest->names);
    free(ingest);
}

static void note_resolved(struct ingest *ingest, struct subject *subject, const char *name,
                          size_t length)
{
    struct subject *resolved = store_subject(ingest->store, CHANNEL_FILESYSTEM, name, length);

    if (resolved && resolved != subject)
        store_resolved(ingest->store, subject, resolved);
}

/* The subject of a path, with the name that the kernel resolves it to. `kernel`, where the shim
 * asked for it, is the better answer. */
static struct subject *path_subject(struct ingest *ingest, const char *path, size_t length,
                                    uint32_t flags, const char *kernel, size_t kernel_length)
{
    struct path_view name = path_normalise(ingest->names, path, length);
    struct subject *subject =
        store_subject(ingest->store, CHANNEL_FILESYSTEM, name.data, name.length);
    struct path_view resolved;

    if (!subject)
        return NULL;
    if (kernel_length) {
        if (!subject->resolved)
            note_resolved(ingest, subject, kernel, kernel_length);
        subject->resolved = true;
    } else if (!subject->resolved) {
        bool follow = (flags & RECORD_NO_FOLLOW) == 0;

        /* One that was looked at without following it may still be followed later. */
        subject->resolved = follow;
        if (path_resolve(ingest->names, subject->name, subject->length, follow, &resolved))
            note_resolved(ingest, subject, resolved.data, resolved.length);
    }
    return subject;
}

/* The objects behind the name are others now. */
static void forget(struct ingest *ingest, struct subject *subject)
{
    path_names_changed(ingest->names, subject->name, subject->length);
    subject->resolved = false;
}

static bool is_change_of_name(uint16_t kind)
{
    return kind == EVENT_RENAME || kind == EVENT_RENAME_TO || kind == EVENT_SYMLINK ||
           kind == EVENT_UNLINK || kind == EVENT_RMDIR || kind == EVENT_LINK_TO;
}

static void judge_for_progress(struct ingest *ingest, uint16_t kind, struct subject *subject,
                               int32_t error)
{
    struct question question = {.kind = kind,
                                .subject = subject->name,
                                .subject_length = subject->length,
                                .action = JUDGE_NO_ACTION,
                                .absent = error == ENOENT || error == ENOTDIR,
                                .made = subject->made};
    uint64_t bit = UINT64_C(1) << (kind % 64);

    if (!ingest->policy || (subject->judged & bit))
        return;
    if (kinds[kind].channel == CHANNEL_FILESYSTEM &&
        (subject->length == 0 || *subject->name != '/'))
        return;
    subject->judged |= bit;
    if (judge(ingest->policy, &question).verdict == VERDICT_UNDECLARED)
        atomic_fetch_add_explicit(&ingest->counts->undeclared, 1, memory_order_relaxed);
}

/* Of an access that is not known to be any process's: the kernel saw a pid make it. */
static struct held held_of(const struct record_view *record)
{
    return (struct held){
        .row = {.count = (int64_t)record->count, .first = (int64_t)record->head->time},
        .pid = record->head->pid,
        .parent_pid = (uint32_t)record->head->value,
    };
}

static void add_row(struct ingest *ingest, const struct record_view *record,
                    const struct access_row *row)
{
    struct held held;

    if (row->process) {
        store_access(ingest->store, row);
        return;
    }
    held = held_of(record);
    held.row = *row;
    pending_add(ingest->pending, &held);
}

/* A record of the witness without a process has a pid, or concerns the whole run. */
static void add_blind_spot(struct ingest *ingest, const struct record_view *record,
                           enum blind_spot class, const char *detail, size_t length)
{
    const struct record *head = record->head;
    struct held held;

    if (head->process || head->pid == 0) {
        store_blind_spot(ingest->store,
                         head->process ? process_table_id(ingest->processes, head) : 0, class,
                         detail, length, record->count);
        return;
    }
    held = held_of(record);
    held.row.operation = EVENT_BLIND_SPOT;
    held.row.subject = class;
    held.detail = detail ? xmemdup(detail, length) : NULL;
    held.detail_length = detail ? length : 0;
    pending_add(ingest->pending, &held);
}

static void add_access(struct ingest *ingest, const struct record_view *record, uint16_t kind,
                       struct subject *subject, const struct subject *other)
{
    const struct record *head = record->head;
    bool witnessed = head->flags & RECORD_WITNESS;
    struct access_row row = {
        .process = head->process ? process_table_id(ingest->processes, head) : 0,
        .subject = subject->id,
        .other = other ? other->id : 0,
        .count = (int64_t)record->count,
        .first = (int64_t)head->time,
        .hook = witnessed ? witness_call_name(head->hook) : hook_name(head->hook),
        .outcome = head->error,
        .flags = head->flags & RECORD_KEYED,
        .operation = (uint8_t)kind,
        .source = witnessed,
    };

    if (kinds[kind].class == ACCESS_WRITE && head->error == 0) {
        subject->made = true;
        if (is_change_of_name(kind))
            forget(ingest, subject);
    }
    judge_for_progress(ingest, kind, subject, head->error);
    add_row(ingest, record, &row);
    atomic_fetch_add_explicit(&ingest->counts->accesses, record->count, memory_order_relaxed);
}

/* The shim could not tell from which folder the path starts: nobody knows which file that was. Not
 * where the program's own descriptor was none. */
static void note_unresolved(struct ingest *ingest, const struct record_view *record)
{
    const struct record *head = record->head;

    if ((head->flags & RECORD_UNRESOLVED) && head->error != EBADF && head->error != ENOTDIR)
        add_blind_spot(ingest, record, BLIND_SPOT_UNREADABLE, NULL, 0);
}

static void take_path(struct ingest *ingest, const struct record_view *record)
{
    const struct record *head = record->head;
    /* Not a name by which the kernel knows it: the link's text, the class of an image. */
    bool is_text = head->kind == EVENT_SYMLINK || head->kind == EVENT_EXECUTE;
    struct subject *subject =
        path_subject(ingest, record->subject, head->subject,
                     is_change_of_name(head->kind) ? RECORD_NO_FOLLOW : head->flags, record->other,
                     is_text ? 0 : head->other);

    note_unresolved(ingest, record);
    if (subject)
        add_access(ingest, record, head->kind, subject, NULL);
}

/* A rename or a hard link is two accesses: what became of the old name, and of the new one. */
static void take_pair(struct ingest *ingest, const struct record_view *record, uint16_t second)
{
    const struct record *head = record->head;
    struct subject *from =
        path_subject(ingest, record->subject, head->subject, RECORD_NO_FOLLOW, NULL, 0);
    struct subject *to =
        path_subject(ingest, record->other, head->other, RECORD_NO_FOLLOW, NULL, 0);

    note_unresolved(ingest, record);
    if (!from || !to)
        return;
    add_access(ingest, record, head->kind, from, to);
    add_access(ingest, record, second, to, from);
}

static void take_environment_entry(struct ingest *ingest, const struct record_view *record)
{
    const struct record *head = record->head;
    const struct subject *subject =
        store_subject(ingest->store, CHANNEL_ENVIRONMENT, record->subject, head->subject);
    char hash[17];
    uint64_t value;

    process_table_id(ingest->processes, head);
    if (!subject)
        return;
    if (head->other == sizeof value) {
        memcpy(&value, record->other, sizeof value);
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)value);
    }
    store_environment(ingest->store, (int64_t)head->value, subject,
                      head->other == sizeof value ? hash : NULL);
}

static void take_blind_spot(struct ingest *ingest, const struct record_view *record)
{
    const struct record *head = record->head;
    enum blind_spot class = blind_spot_find(record->subject, head->subject);

    if (class == BLIND_SPOT_COUNT) {
        ingest->damaged++;
        return;
    }
    add_blind_spot(ingest, record, class, head->other ? record->other : NULL, head->other);
}

static void take_start(struct ingest *ingest, const struct record_view *record)
{
    const struct record *head = record->head;
    const struct subject *exe = NULL;

    if (head->subject)
        exe = path_subject(ingest, record->subject, head->subject, 0, NULL, 0);
    process_table_start(ingest->processes, record, exe);
    atomic_store_explicit(&ingest->counts->processes, process_table_count(ingest->processes),
                          memory_order_relaxed);
}

static void take_execute(struct ingest *ingest, const struct record_view *record)
{
    const struct record *head = record->head;
    const struct subject *program =
        path_subject(ingest, record->subject, head->subject, head->flags, NULL, 0);

    note_unresolved(ingest, record);
    process_table_execute(ingest->processes, record, program);
    atomic_fetch_add_explicit(&ingest->counts->accesses, record->count, memory_order_relaxed);
}

static void take_access(struct ingest *ingest, const struct record_view *record)
{
    const struct record *head = record->head;
    struct subject *subject;

    if (head->flags & RECORD_UNREADABLE) {
        add_blind_spot(ingest, record, BLIND_SPOT_UNREADABLE, NULL, 0);
        return;
    }
    if (kinds[head->kind].channel == CHANNEL_FILESYSTEM) {
        take_path(ingest, record);
        return;
    }
    subject =
        store_subject(ingest->store, kinds[head->kind].channel, record->subject, head->subject);
    if (subject)
        add_access(ingest, record, head->kind, subject, NULL);
}

static void take_record(struct ingest *ingest, const struct record_view *record)
{
    switch (record->head->kind) {
    case EVENT_PROCESS_START:
        take_start(ingest, record);
        break;
    case EVENT_PROCESS_ARGUMENT:
        process_table_argument(ingest->processes, record);
        break;
    case EVENT_PROCESS_EXIT:
        process_table_exit(ingest->processes, record);
        break;
    case EVENT_ENVIRONMENT_BLOCK:
        process_table_environment(ingest->processes, record);
        break;
    case EVENT_ENVIRONMENT_ENTRY:
        take_environment_entry(ingest, record);
        break;
    case EVENT_EXECUTE:
        take_execute(ingest, record);
        break;
    case EVENT_EXECUTE_FAILED:
        process_table_execute_failed(ingest->processes, record);
        break;
    case EVENT_BLIND_SPOT:
        take_blind_spot(ingest, record);
        break;
    case EVENT_RENAME:
    case EVENT_LINK:
        if (record->head->flags & RECORD_UNREADABLE)
            take_access(ingest, record);
        else
            take_pair(ingest, record,
                      record->head->kind == EVENT_RENAME ? EVENT_RENAME_TO : EVENT_LINK_TO);
        break;
    default:
        take_access(ingest, record);
    }
}

static void take_witnessed(struct ingest *ingest, const struct record_view *record)
{
    struct record head = *record->head;
    struct record_view view = {&head, record->subject, record->other, record->count};

    if (!witnessed_makes_sense(ingest->processes, &head)) {
        ingest->damaged++;
        return;
    }
    timeline_mark(ingest->timeline, &head);
    witnessed_foretell(&head);
    if (head.kind == EVENT_EXECUTE) {
        /* No more than an access: the shim's record names the image. The pid may be another image
         * already when the witness writes. */
        head.process = 0;
        take_access(ingest, &view);
    } else {
        take_record(ingest, &view);
    }
}

void ingest_record(void *context, const struct record_view *record)
{
    struct ingest *ingest = context;

    if (record->head->flags & RECORD_WITNESS) {
        take_witnessed(ingest, record);
        return;
    }
    timeline_mark(ingest->timeline, record->head);
    take_record(ingest, record);
}

void ingest_glance(void *context, const struct record_view *record)
{
    const struct ingest *ingest = context;

    timeline_mark(ingest->timeline, record->head);
}

void ingest_watch_pids(struct ingest *ingest, bool (*is_gone)(uint32_t pid))
{
    ingest->is_gone = is_gone;
}

void ingest_flush(struct ingest *ingest, uint64_t safe)
{
    pending_settle(ingest->pending, safe, ingest->is_gone);
    process_table_write(ingest->processes, safe);
}

void ingest_command(struct ingest *ingest, uint32_t pid, uint64_t time, const char *name)
{
    cleanup_buffer struct buffer path = BUFFER_INIT;
    enum image_class class = command_image(name, false, &path);
    const struct subject *exe = NULL;

    if (path.length && path.data[0] == '/')
        exe = path_subject(ingest, path.data, path.length, 0, NULL, 0);
    process_table_command(ingest->processes, pid, time, class, exe);
}

void ingest_command_ended(struct ingest *ingest, uint32_t pid, int status, uint64_t time,
                          const struct child_usage *usage)
{
    process_table_ended(ingest->processes, pid, status, time, usage);
}

void ingest_finish(struct ingest *ingest)
{
    process_table_add_missing(ingest->processes);
    pending_finish(ingest->pending);
    process_table_finish(ingest->processes);
    store_end_replaced(ingest->store);
}

void ingest_survivor(struct ingest *ingest, uint32_t pid, const char *command, size_t length)
{
    char head[32];
    struct buffer detail = BUFFER_INIT;

    snprintf(head, sizeof head, "pid %u: ", pid);
    buffer_add_text(&detail, head);
    buffer_add(&detail, command, length);
    store_blind_spot(ingest->store, process_table_find_pid(ingest->processes, pid),
                     BLIND_SPOT_SURVIVOR, detail.data, detail.length, 1);
    buffer_fini(&detail);
}

size_t ingest_pending(const struct ingest *ingest)
{
    return pending_count(ingest->pending);
}

uint64_t ingest_damaged(const struct ingest *ingest)
{
    return ingest->damaged;
}
