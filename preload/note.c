/* SPDX-License-Identifier: MIT */
#include "note.h"

#include <errno.h>

#include "environment.h"
#include "log.h"
#include "raw.h"
#include "self.h"
#include "subject.h"
#include "text.h"

/* Folding key of everything but the strings. */
static uint64_t seed_of(const struct call *call, enum event_kind kind, uint32_t flags)
{
    uint64_t facts = (uint64_t)kind | (uint64_t)(flags & RECORD_KEYED) << 16 |
                     (uint64_t)(uint32_t)call->error << 32;

    return text_mix(facts ^ TEXT_KEY_2, self_process() ^ TEXT_KEY_1);
}

static void fill_head(struct log_slot *slot, const struct call *call, enum event_kind kind,
                      uint32_t flags)
{
    struct record *record = slot->record;

    record->kind = (uint16_t)kind;
    record->hook = (uint16_t)call->hook;
    record->error = call->error;
    record->flags = flags;
    record->time = call->time ? call->time : log_time();
    self_identify(record);
}

/* --- names and texts ------------------------------------------------------------------------ */

void note_strings(const struct call *call, enum event_kind kind, const char *subject, size_t length,
                  const char *other, size_t other_length, uint64_t value)
{
    struct log_slot slot;
    char *at;

    if (!log_reserve(&slot, length + other_length))
        return;
    at = (char *)(slot.record + 1);
    fill_head(&slot, call, kind, 0);
    slot.record->value = value;
    slot.record->subject = (uint32_t)length;
    slot.record->other = (uint32_t)other_length;
    text_copy(at, subject, length);
    text_copy(at + length, other, other_length);
    log_commit(&slot, length + other_length, 0);
}

void note_text(const struct call *call, enum event_kind kind, const char *text, uint64_t value,
               uint32_t flags)
{
    size_t length = text_length(text);
    struct log_slot slot;

    if (length > ARGUMENT_MAX) {
        length = ARGUMENT_MAX;
        flags |= RECORD_CUT;
    }
    if (!log_reserve(&slot, length))
        return;
    fill_head(&slot, call, kind, flags);
    slot.record->value = value;
    slot.record->subject = (uint32_t)length;
    text_copy((char *)(slot.record + 1), text, length);
    log_commit(&slot, length, 0);
}

void note_names(const struct call *call, enum event_kind kind, const char *prefix, const char *name)
{
    size_t before = text_length(prefix), length = text_length(name);
    uint32_t flags = 0;
    struct log_slot slot;
    uint64_t key;

    if (length > ARGUMENT_MAX) {
        length = ARGUMENT_MAX;
        flags |= RECORD_CUT;
    }
    key = text_hash(name, length, text_hash(prefix, before, seed_of(call, kind, flags)));
    if (log_fold(key) || !log_reserve(&slot, before + length))
        return;
    fill_head(&slot, call, kind, flags);
    slot.record->subject = (uint32_t)(before + length);
    text_copy((char *)(slot.record + 1), prefix, before);
    text_copy((char *)(slot.record + 1) + before, name, length);
    log_commit(&slot, before + length, key);
}

void note_name(const struct call *call, enum event_kind kind, const char *name)
{
    size_t length = text_length(name);
    uint64_t key = text_hash(name, length, seed_of(call, kind, 0));

    if (!log_fold(key))
        note_names(call, kind, "", name);
}

/* --- paths ---------------------------------------------------------------------------------- */

/* A subject that the kernel could not read either: nobody knows its name, but it is not left out.
 */
static void note_unreadable(const struct call *call, enum event_kind kind, uint32_t flags)
{
    uint64_t key = seed_of(call, kind, flags | RECORD_UNREADABLE) ^ 1;
    struct log_slot slot;

    if (log_fold(key) || !log_reserve(&slot, 0))
        return;
    fill_head(&slot, call, kind, flags | RECORD_UNREADABLE);
    log_commit(&slot, 0, key);
}

static bool is_unreadable(const struct call *call, const char *path)
{
    return !path || call->error == EFAULT;
}

/* A path whose own text settles which file it is, given the current folder. */
static bool is_plain(int dirfd, const char *path)
{
    return path[0] == '/' || dirfd == AT_FDCWD;
}

static uint64_t plain_key(const struct subject_path *path, uint64_t seed)
{
    if (path->text[0] != '/')
        seed ^= text_mix(subject_folder_epoch() + 1, TEXT_KEY_1);
    return text_hash(path->text, path->length, seed);
}

struct draft {
    const struct call *call;
    enum event_kind kind;
    uint32_t flags;
    const struct subject_path *first;
    const struct subject_path *second; /* may be NULL */
    const char *extra;                 /* written as the second string instead; may be NULL */
    size_t extra_length;
    uint64_t value;
    uint64_t key; /* 0: to be made from the finished strings */
};

static size_t room_for(const struct draft *draft, size_t folder)
{
    return subject_room(draft->first, folder) +
           (draft->second ? subject_room(draft->second, folder) : draft->extra_length);
}

/* Writes both strings behind the head. False when a folder's name did not fit. */
static bool write_strings(const struct draft *draft, struct log_slot *slot)
{
    struct record *record = slot->record;
    char *at = (char *)(record + 1);
    size_t used = 0;

    if (!subject_write(draft->first, at, slot->room, &used, &record->flags, &slot->dirty))
        return false;
    record->subject = (uint32_t)used;
    if (draft->second) {
        size_t more = 0, dirty = 0;
        bool fits = subject_write(draft->second, at + used, slot->room - used, &more,
                                  &record->flags, &dirty);

        slot->dirty = used + dirty;
        record->other = (uint32_t)more;
        return fits;
    }
    text_copy(at + used, draft->extra, draft->extra_length);
    record->other = (uint32_t)draft->extra_length;
    slot->dirty = used + draft->extra_length;
    return true;
}

static bool try_write(const struct draft *draft, size_t folder)
{
    struct log_slot slot;
    uint64_t key = draft->key;
    size_t used;

    if (!log_reserve(&slot, room_for(draft, folder)))
        return true; /* counted as lost: trying again would count it twice */
    fill_head(&slot, draft->call, draft->kind, draft->flags);
    slot.record->value = draft->value;
    if (!write_strings(draft, &slot)) {
        log_abandon(&slot);
        return false;
    }
    used = slot.record->subject + slot.record->other;
    if (!key) {
        key = text_hash((char *)(slot.record + 1), used,
                        seed_of(draft->call, draft->kind, draft->flags) ^ slot.record->subject ^
                            draft->value << 20);
        if (log_fold(key)) {
            log_abandon(&slot);
            return true;
        }
    }
    log_commit(&slot, used, key);
    return true;
}

static void write_draft(const struct draft *draft)
{
    if (!try_write(draft, subject_folder_hint()) && !try_write(draft, SUBJECT_FOLDER_MAX))
        log_count_lost();
}

void note_path(const struct call *call, enum event_kind kind, int dirfd, const char *path,
               uint32_t flags)
{
    struct subject_path first;
    struct draft draft = {.call = call, .kind = kind, .flags = flags, .first = &first};

    if (is_unreadable(call, path)) {
        note_unreadable(call, kind, flags);
        return;
    }
    if (!path[0]) /* names nothing, or the descriptor itself (AT_EMPTY_PATH) */
        return;
    first = subject_path(dirfd, path, &draft.flags);
    if (is_plain(dirfd, path)) {
        draft.key = plain_key(&first, seed_of(call, kind, flags));
        if (log_fold(draft.key))
            return;
    }
    write_draft(&draft);
}

void note_opened(const struct call *call, enum event_kind kind, int dirfd, const char *path,
                 uint32_t flags, int fd)
{
    char name[SUBJECT_KERNEL_NAME];
    struct subject_path first;
    struct draft draft = {.call = call, .kind = kind, .flags = flags, .first = &first};
    long length;

    if (call->error || is_unreadable(call, path) || fd < 0 || !subject_is_magic(path)) {
        note_path(call, kind, dirfd, path, flags);
        return;
    }
    length = subject_kernel_name(fd, name, sizeof name);
    if (length == 0)
        return;
    first = subject_path(dirfd, path, &draft.flags);
    if (length < 0)
        draft.flags |= RECORD_UNRESOLVED;
    /* Files of /proc have no better name; theirs would hold a process's number. */
    if (length > 0 && !text_starts(name, "/proc/")) {
        draft.extra = name;
        draft.extra_length = (size_t)length;
    }
    write_draft(&draft);
}

void note_paths(const struct call *call, enum event_kind kind, int old_dirfd, const char *old_path,
                int new_dirfd, const char *new_path, uint32_t flags)
{
    struct subject_path first, second;
    struct draft draft = {.call = call, .kind = kind, .first = &first, .second = &second};

    if (is_unreadable(call, old_path) || is_unreadable(call, new_path)) {
        note_unreadable(call, kind, flags);
        return;
    }
    draft.flags = flags;
    first = subject_path(old_dirfd, old_path, &draft.flags);
    second = subject_path(new_dirfd, new_path, &draft.flags);
    write_draft(&draft);
}

static bool is_wildcard(char letter)
{
    return letter == '*' || letter == '?' || letter == '[' || letter == '{' || letter == '\\';
}

#define PATTERN_ROOM 512u

void note_pattern(const struct call *call, const char *pattern)
{
    struct call implied = *call;
    char folder[PATTERN_ROOM];
    size_t length = 0, at = 0;

    for (; pattern[at] && !is_wildcard(pattern[at]); at++)
        if (pattern[at] == '/')
            length = at + 1;
    if (log_is_quiet() || *pattern == '~') /* GLOB_TILDE: libc knows whose home it is */
        return;
    if (length >= PATTERN_ROOM) {
        log_count_lost();
        return;
    }
    if (!pattern[at]) {
        implied.error = (int)-raw_access(AT_FDCWD, pattern, F_OK);
        note_path(&implied, EVENT_STAT, AT_FDCWD, pattern, RECORD_IMPLIED);
        return;
    }
    text_copy(folder, length ? pattern : ".", length + !length);
    folder[length + !length - (length > 1)] = '\0';
    implied.error = (int)-raw_access(AT_FDCWD, folder, R_OK);
    note_path(&implied, EVENT_LIST, AT_FDCWD, folder, RECORD_IMPLIED);
}

void note_trees(const struct call *call, char *const *paths)
{
    for (; *paths; paths++)
        note_path(call, EVENT_LIST, AT_FDCWD, *paths, 0);
}

void note_symlink(const struct call *call, const char *text, int dirfd, const char *path)
{
    struct subject_path first;
    struct draft draft = {.call = call, .kind = EVENT_SYMLINK, .first = &first, .extra = text};

    if (is_unreadable(call, path) || is_unreadable(call, text)) {
        note_unreadable(call, EVENT_SYMLINK, 0);
        return;
    }
    draft.extra_length = text_length(text);
    if (draft.extra_length > SUBJECT_PATH_MAX) {
        draft.extra_length = SUBJECT_PATH_MAX;
        draft.flags |= RECORD_CUT;
    }
    first = subject_path(dirfd, path, &draft.flags);
    write_draft(&draft);
}

void note_objects(void)
{
    struct call call = {.hook = HOOK_COUNT};

    for (const struct link_map *map = real_objects(); map; map = map->l_next)
        if (map->l_name[0] == '/' && !environment_is_shim(map->l_name))
            note_path(&call, EVENT_LOAD, AT_FDCWD, map->l_name, RECORD_IMPLIED);
}

void note_execute(const struct call *call, int dirfd, const char *path, uint64_t execution,
                  enum image_class class)
{
    char byte = (char)class;
    struct subject_path first;
    struct draft draft = {.call = call,
                          .kind = EVENT_EXECUTE,
                          .first = &first,
                          .extra = &byte,
                          .extra_length = 1,
                          .value = execution};

    first = subject_path(dirfd, path, &draft.flags);
    write_draft(&draft);
}

void note_descriptor(const struct call *call, enum event_kind kind, int fd, uint32_t flags)
{
    char name[SUBJECT_KERNEL_NAME];
    long length = subject_kernel_name(fd, name, sizeof name);
    struct subject_path first = {.text = name, .dirfd = AT_FDCWD};
    struct draft draft = {.call = call, .kind = kind, .flags = flags, .first = &first};

    if (length == 0 || call->error == EBADF)
        return;
    if (length < 0) {
        note_unreadable(call, kind, flags);
        return;
    }
    first.length = (size_t)length;
    draft.key = text_hash(name, first.length, seed_of(call, kind, flags));
    if (!log_fold(draft.key))
        write_draft(&draft);
}
