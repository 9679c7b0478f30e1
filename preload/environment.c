/* SPDX-License-Identifier: MIT */
#include "environment.h"

#include <unistd.h>

#include "log.h"
#include "note.h"
#include "raw.h"
#include "real.h"
#include "text.h"

#define RUN_PREFIX     TALLYMAN_RUN_VARIABLE "="
#define PRELOAD_PREFIX "LD_PRELOAD="
#define TRACE_PREFIX   "LD_TRACE_LOADED_OBJECTS="
#define SHIM_NAME      "/libtallyman.so"
#define ENTRY_ROOM     512u
#define SLOTS_ROOM     4096u
#define REST_ROOM      1024u

static struct {
    struct environment_run run;
    bool found;
    char shim[ENTRY_ROOM]; /* our entry in LD_PRELOAD, as it was written there */
    char rest[REST_ROOM];  /* LD_PRELOAD=... without it */
} kept;

/* --- finding and hiding --------------------------------------------------------------------- */

/* "<path>:<16 hex digits>" */
static bool parse_run(const char *value)
{
    size_t length = text_length(value);
    uint64_t execution = 0;

    if (length < 18 || length - 17 >= sizeof kept.run.log || value[length - 17] != ':')
        return false;
    for (size_t i = length - 16; i < length; i++) {
        char digit = value[i];
        bool letter = digit >= 'a' && digit <= 'f';

        if (!letter && (digit < '0' || digit > '9'))
            return false;
        execution = execution << 4 | (uint64_t)(letter ? digit - 'a' + 10 : digit - '0');
    }
    text_copy(kept.run.log, value, length - 17);
    kept.run.log[length - 17] = '\0';
    kept.run.plain = execution & RUN_PLAIN_IMAGE;
    kept.run.witnessed = execution & RUN_WITNESSED;
    kept.run.execution = execution & ~(RUN_PLAIN_IMAGE | RUN_WITNESSED);
    return true;
}

/* For code that runs before libc knows its environment (the preinit array, IFUNC resolvers): the
 * kernel's view of it, through a small window. */
static bool find_in_proc(void)
{
    char window[256], value[sizeof kept.run.log + 24];
    size_t matched = 0, length = 0;
    const size_t prefix = sizeof RUN_PREFIX - 1;
    bool at_start = true, done = false;
    long fd, got;

    door_open(); /* ahead of knowing whether there is a witness: this look is nobody's access */
    fd = raw_open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && !done && (got = raw_read((int)fd, window, sizeof window)) > 0)
        for (long i = 0; i < got && !done; i++) {
            if (matched == prefix) {
                if (length < sizeof value)
                    value[length++] = window[i];
                done = window[i] == '\0';
            } else if (at_start && window[i] == RUN_PREFIX[matched]) {
                matched++;
            } else {
                matched = 0;
                at_start = window[i] == '\0';
            }
        }
    if (fd >= 0)
        raw_close((int)fd);
    return done && length <= sizeof value && value[length - 1] == '\0' && parse_run(value);
}

const struct environment_run *environment_find_run(void)
{
    if (kept.found)
        return &kept.run;
    if (!environ) {
        kept.found = find_in_proc();
        return kept.found ? &kept.run : NULL;
    }
    for (char **entry = environ; *entry && !kept.found; entry++)
        if (text_starts(*entry, RUN_PREFIX))
            kept.found = parse_run(*entry + sizeof RUN_PREFIX - 1);
    return kept.found ? &kept.run : NULL;
}

const struct environment_run *environment_run(void)
{
    return &kept.run;
}

const char *environment_value(const char *name)
{
    size_t length = text_length(name);

    for (char **entry = environ; entry && *entry; entry++)
        if (text_starts(*entry, name) && (*entry)[length] == '=')
            return *entry + length + 1;
    return NULL;
}

static bool ends_in_shim(const char *entry, size_t length)
{
    const size_t name = sizeof SHIM_NAME - 1;

    if (length < name)
        return false;
    for (size_t i = 0; i < name; i++)
        if (entry[length - name + i] != SHIM_NAME[i])
            return false;
    return true;
}

bool environment_serves_siblings(void)
{
    for (const char *at = kept.shim; *at; at++)
        if (text_starts(at, "/$LIB/") || text_starts(at, "/${LIB}/"))
            return true;
    return false;
}

bool environment_is_shim(const char *path)
{
    return ends_in_shim(path, text_length(path));
}

/* The shim's entry within the value of LD_PRELOAD; entries end at blanks and colons. NULL: not
 * there. */
static const char *find_shim(const char *value, size_t *length)
{
    while (*value) {
        *length = 0;
        while (value[*length] && value[*length] != ':' && value[*length] != ' ')
            (*length)++;
        if (ends_in_shim(value, *length))
            return value;
        value += *length;
        if (*value)
            value++;
    }
    return NULL;
}

/* Takes the shim out of one LD_PRELOAD entry. Returns what shall stand in its place, NULL nothing.
 */
static char *without_shim(char *entry)
{
    char *value = entry + sizeof PRELOAD_PREFIX - 1;
    size_t length = 0, before, after;
    const char *shim = find_shim(value, &length);

    if (!shim)
        return entry;
    if (length < sizeof kept.shim) {
        text_copy(kept.shim, shim, length);
        kept.shim[length] = '\0';
    }
    before = (size_t)(shim - entry);
    shim += length;
    if (*shim)
        shim++;
    else if (before > sizeof PRELOAD_PREFIX - 1)
        before--;
    after = text_length(shim);
    if (before + after == sizeof PRELOAD_PREFIX - 1)
        return NULL;
    if (before + after >= sizeof kept.rest)
        return entry;
    text_copy(kept.rest, entry, before);
    text_copy(kept.rest + before, shim, after + 1);
    return kept.rest;
}

void environment_hide(void)
{
    char **to = environ;

    if (!to)
        return;
    for (char **from = environ; *from; from++) {
        char *entry = *from;

        if (text_starts(entry, RUN_PREFIX))
            continue;
        if (text_starts(entry, PRELOAD_PREFIX) && !(entry = without_shim(entry)))
            continue;
        *to++ = entry;
    }
    *to = NULL;
}

/* True when the shim can be handed on. A program may be started before our constructor has run:
 * from another library's, or from the preinit array, where libc has no environment yet and the
 * loader's name of the shim must do. */
static bool knows_shim(void)
{
    size_t length;

    if (!kept.shim[0])
        environment_hide();
    for (const struct link_map *map = real_objects(); map && !kept.shim[0]; map = map->l_next) {
        length = text_length(map->l_name);
        if (ends_in_shim(map->l_name, length) && length < sizeof kept.shim)
            text_copy(kept.shim, map->l_name, length + 1);
    }
    return kept.shim[0];
}

/* Whether a loader that starts here and now can open the shim. Where it cannot (in a chroot, as
 * another user, with no descriptor left) it would print an error for every program. */
static bool shim_in_reach(void)
{
    const struct link_map *map = real_objects();
    long fd;

    while (map && !ends_in_shim(map->l_name, text_length(map->l_name)))
        map = map->l_next;
    if (!map)
        return true;
    fd = raw_open(map->l_name, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        raw_close((int)fd);
    return fd >= 0;
}

/* --- recording ------------------------------------------------------------------------------ */

/* Lower case letters match both cases. */
static const char *const secret_words[] = {
#define SECRET(word) word,
#include "tallyman/secrets.def"
#undef SECRET
};

static bool has_word(const char *name, size_t length, const char *word)
{
    size_t size = text_length(word);

    for (size_t at = 0; at + size <= length; at++) {
        size_t same = 0;

        while (same < size && (name[at + same] | 0x20) == word[same])
            same++;
        if (same == size)
            return true;
    }
    return false;
}

static bool looks_secret(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof secret_words / sizeof *secret_words; i++)
        if (has_word(name, length, secret_words[i]))
            return true;
    return false;
}

static void note_entry(const struct call *call, const char *entry, uint64_t block)
{
    size_t length = text_length(entry), name = 0;
    uint64_t hash;

    while (name < length && entry[name] != '=')
        name++;
    if (name == length || looks_secret(entry, name)) {
        note_strings(call, EVENT_ENVIRONMENT_ENTRY, entry, name, NULL, 0, block);
        return;
    }
    hash = text_stable_hash(entry + name + 1, length - name - 1);
    note_strings(call, EVENT_ENVIRONMENT_ENTRY, entry, name, (const char *)&hash, sizeof hash,
                 block);
}

/* Has this block's list been written? If not, `*slot` is where to say so afterwards, NULL no place.
 */
static bool is_known(uint64_t block, uint64_t **slot)
{
    uint64_t *table = log_control()->environments;

    *slot = NULL;
    for (uint64_t probe = 0; probe < 8; probe++) {
        uint64_t *at = &table[(block + probe) % LOG_ENVIRONMENTS];
        uint64_t value = __atomic_load_n(at, __ATOMIC_ACQUIRE);

        if (value == block)
            return true;
        if (value == 0) {
            *slot = at;
            return false;
        }
    }
    return false;
}

void environment_note(void)
{
    struct call call = {.hook = HOOK_COUNT};
    uint64_t block = TEXT_KEY_1, none = 0, *slot;

    for (char **entry = environ; entry && *entry; entry++)
        block = text_hash(*entry, text_length(*entry), block);
    block |= block == 0;
    note_strings(&call, EVENT_ENVIRONMENT_BLOCK, "", 0, NULL, 0, block);
    if (is_known(block, &slot))
        return;
    for (char **entry = environ; entry && *entry; entry++)
        note_entry(&call, *entry, block);
    /* Only now: a process that dies in between must not leave a name without a list. */
    if (slot)
        __atomic_compare_exchange_n(slot, &none, block, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* --- handing on ----------------------------------------------------------------------------- */

struct sizes {
    size_t entries;
    size_t preload; /* bytes of the old LD_PRELOAD value */
    const char *old_preload;
    bool has_run;
    bool has_shim;
    bool lists_only; /* the loader prints its libraries and runs nothing (ldd) */
};

/* The environment that is shown while `shown.users` calls need it. Never unmapped while the process
 * lives: another thread may be walking it. */
static struct {
    uint32_t users;
    uint32_t next_slot;
    char **ours;
    char **as_filled; /* a copy of the pointers in `ours`, to see whether somebody changed them */
    char *slots;      /* room for the run's variable, once for each of several calls at a time */
    char **theirs;
    char *map;
    size_t size;
} shown;

/* An entry that this program has from us, for the time of a call, and not from its maker. */
static bool is_shown(const char *entry)
{
    return shown.map && entry >= shown.map && entry < shown.map + shown.size;
}

static struct sizes measure(char *const *block)
{
    struct sizes sizes = {0};
    size_t ignored;

    for (; block && block[sizes.entries]; sizes.entries++) {
        const char *entry = block[sizes.entries];

        if (text_starts(entry, RUN_PREFIX) && !is_shown(entry))
            sizes.has_run = true;
        if (text_starts(entry, TRACE_PREFIX))
            sizes.lists_only = true;
        if (text_starts(entry, PRELOAD_PREFIX) && !sizes.old_preload) {
            sizes.old_preload = entry + sizeof PRELOAD_PREFIX - 1;
            sizes.preload = text_length(sizes.old_preload);
            sizes.has_shim = !is_shown(entry) && find_shim(sizes.old_preload, &ignored);
        }
    }
    return sizes;
}

/* A program that names a run itself (a nested tallyman) knows what it does. */
static bool may_hand_on(const struct sizes *sizes)
{
    return !sizes->has_run && !sizes->has_shim && !sizes->lists_only && shim_in_reach();
}

static char *write_preload(char *at, const struct sizes *sizes)
{
    size_t shim = text_length(kept.shim);

    text_copy(at, PRELOAD_PREFIX, sizeof PRELOAD_PREFIX - 1);
    at += sizeof PRELOAD_PREFIX - 1;
    text_copy(at, kept.shim, shim);
    at += shim;
    if (sizes->preload) {
        *at++ = ':';
        text_copy(at, sizes->old_preload, sizes->preload);
        at += sizes->preload;
    }
    *at++ = '\0';
    return at;
}

static void write_run(char *at, uint64_t execution)
{
    size_t log = text_length(kept.run.log);

    text_copy(at, RUN_PREFIX, sizeof RUN_PREFIX - 1);
    at += sizeof RUN_PREFIX - 1;
    text_copy(at, kept.run.log, log);
    at[log] = ':';
    text_hex(at + log + 1, execution, 16);
    at[log + 17] = '\0';
}

/* Fills a new block in `map`: pointers first, then our two strings. LD_PRELOAD keeps its place.
 * Returns what follows. */
static char *fill(char **map, char *const *block, const struct sizes *sizes, uint64_t execution)
{
    char *preload = (char *)(map + sizes->entries + 3);
    char *run = write_preload(preload, sizes);
    char **to = map;

    for (size_t i = 0; i < sizes->entries; i++) {
        bool is_preload = sizes->old_preload == block[i] + sizeof PRELOAD_PREFIX - 1;

        if (is_shown(block[i]) && !is_preload)
            continue;
        *to++ = is_preload && !is_shown(block[i]) ? preload : block[i];
    }
    if (!sizes->old_preload)
        *to++ = preload;
    write_run(run, execution);
    *to++ = run;
    *to = NULL;
    return run + text_length(run) + 1;
}

static uint64_t token(uint64_t execution, enum image_class class)
{
    return execution | (class == IMAGE_EXPECTED ? RUN_PLAIN_IMAGE : 0) |
           (kept.run.witnessed ? RUN_WITNESSED : 0);
}

static size_t size_for(const struct sizes *sizes, size_t more)
{
    size_t size = (sizes->entries + 3) * sizeof(char *) + sizeof PRELOAD_PREFIX + sizes->preload +
                  text_length(kept.shim) + 2 + sizeof RUN_PREFIX + text_length(kept.run.log) + 18 +
                  more;

    return (size + 4095) & ~(size_t)4095;
}

struct environment_copy environment_copy(char *const *block, uint64_t execution,
                                         enum image_class class, const char *path)
{
    struct environment_copy copy = {.block = (char **)(uintptr_t)block};
    size_t length = path ? text_length(path) + 1 : 0;
    struct sizes sizes;
    char *behind;

    /* A wild pointer is the kernel's to refuse. NULL is allowed and means no variables. */
    if (!image_takes_shim(class) || !knows_shim() || (block && !raw_readable(block, sizeof *block)))
        return copy;
    sizes = measure(block);
    if (!may_hand_on(&sizes))
        return copy;
    copy.size = size_for(&sizes, length);
    copy.map = raw_map(copy.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!copy.map) {
        copy.size = 0;
        return copy;
    }
    copy.block = copy.map;
    behind = fill(copy.block, block, &sizes, token(execution, class));
    text_copy(behind, path, length);
    copy.path = path ? behind : NULL;
    return copy;
}

void environment_release(struct environment_copy *copy)
{
    if (copy->map)
        raw_unmap(copy->map, copy->size);
    copy->map = NULL;
}

static void remember_filled(size_t offset)
{
    char **from = shown.ours;
    char **to = (char **)(void *)(shown.map + offset);

    shown.as_filled = to;
    while ((*to++ = *from++))
        ;
}

static bool was_changed(void)
{
    for (size_t i = 0; shown.as_filled[i] || shown.ours[i]; i++)
        if (shown.ours[i] != shown.as_filled[i] && !is_shown(shown.ours[i]))
            return true;
    return false;
}

/* For a call beside another: the program that the other starts has its id by now, so the variable
 * may say the next. */
static void show_next(uint64_t value)
{
    size_t size = sizeof RUN_PREFIX + text_length(kept.run.log) + 18;
    uint32_t slot = __atomic_fetch_add(&shown.next_slot, 1, __ATOMIC_RELAXED);

    if (!shown.ours)
        return;
    write_run(shown.slots + slot % (SLOTS_ROOM / size) * size, value);
    for (char **entry = environ; entry && *entry; entry++)
        if (is_shown(*entry) && text_starts(*entry, RUN_PREFIX))
            *entry = shown.slots + slot % (SLOTS_ROOM / size) * size;
}

static bool map_shown(size_t size)
{
    size_t needed = 2 * size + SLOTS_ROOM;

    if (needed > shown.size) {
        shown.map = raw_map(needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        shown.size = shown.map ? needed : 0;
    }
    shown.slots = shown.map + 2 * size;
    return shown.map;
}

void environment_show(uint64_t execution, enum image_class class)
{
    struct sizes sizes;

    if (__atomic_fetch_add(&shown.users, 1, __ATOMIC_ACQ_REL)) {
        show_next(token(execution, class));
        return;
    }
    if (!knows_shim())
        return;
    sizes = measure(environ);
    if (!may_hand_on(&sizes) || !map_shown(size_for(&sizes, 0)))
        return;
    shown.theirs = environ;
    fill((char **)(void *)shown.map, shown.theirs, &sizes, token(execution, class));
    shown.ours = (char **)(void *)shown.map;
    remember_filled(size_for(&sizes, 0));
    environ = shown.ours;
}

/* What another thread changed meanwhile must not be lost: setenv and unsetenv change `ours` in
 * place, or put a copy of it into `environ`. The program then goes on with that. */
void environment_unshow(void)
{
    if (__atomic_fetch_sub(&shown.users, 1, __ATOMIC_ACQ_REL) != 1 || !shown.ours)
        return;
    if (environ == shown.ours && !was_changed()) {
        environ = shown.theirs;
    } else {
        if (environ == shown.ours) {
            shown.map = NULL;
            shown.size = 0;
        }
        environment_hide();
    }
    shown.ours = NULL;
}
