/* SPDX-License-Identifier: MIT
 *
 * ELF symbol look-up in the chain of loaded objects. Facts: System V gABI (dynamic section, symbol
 * table), GNU hash (binutils, DT_GNU_HASH), symbol versions (LSB core, .gnu.version).
 */
#include "real.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <time.h>

#include "direct.h"
#include "raw.h"
#include "text.h"

real_function real_table[HOOK_END];
real_function behind_table[HOOK_END];

/* All names in one block with an offset each: no relocations at load time. */
static const struct hook_names {
#define ROW(name)                                                            char name[sizeof #name];
#define OLD(id, name, version64, version32, ret, fails, params, args, event) char id[sizeof #name];
#define OLD_CUSTOM(id, name, version64, version32, ret, fails, params, args, event)                \
    char id[sizeof #name];
#define HOOK(name, ret, fails, params, args, event, note)   ROW(name)
#define CHANGE(name, ret, fails, params, args, event, note) ROW(name)
#define CUSTOM(name, ret, fails, params, args, event, note) ROW(name)
#include "tallyman/hooks.def"
#ifdef __i386__
#    include "tallyman/hooks_time64.def"
#endif
#include "tallyman/hooks_old.def"
#undef ROW
#undef OLD
#undef OLD_CUSTOM
} names = {
#define ROW(name)                                                                   .name = #name,
#define OLD(id, name, version64, version32, ret, fails, params, args, event)        .id = #name,
#define OLD_CUSTOM(id, name, version64, version32, ret, fails, params, args, event) .id = #name,
#include "tallyman/hooks.def"
#ifdef __i386__
#    include "tallyman/hooks_time64.def"
#endif
#include "tallyman/hooks_old.def"
#undef ROW
#undef OLD
#undef OLD_CUSTOM
};

static const uint16_t name_offsets[HOOK_END] = {
#define ROW(name) [HOOK_##name] = offsetof(struct hook_names, name),
#include "tallyman/hooks.def"
#ifdef __i386__
#    include "tallyman/hooks_time64.def"
#endif
#define OLD(id, name, version64, version32, ret, fails, params, args, event)        ROW(id)
#define OLD_CUSTOM(id, name, version64, version32, ret, fails, params, args, event) ROW(id)
#include "tallyman/hooks_old.def"
#undef ROW
#undef HOOK
#undef CHANGE
#undef CUSTOM
#undef OLD
#undef OLD_CUSTOM
};

/* The version that a wrapper of hooks_old.def is for. */
static const char old_versions[HOOK_END - HOOK_OLD][16] = {
#ifdef __i386__
#    define ROW(id, version64, version32) [HOOK_##id - HOOK_OLD] = #    version32,
#else
#    define ROW(id, version64, version32) [HOOK_##id - HOOK_OLD] = #    version64,
#endif
#define OLD(id, name, version64, version32, ret, fails, params, args, event)                       \
    ROW(id, version64, version32)
#define OLD_CUSTOM(id, name, version64, version32, ret, fails, params, args, event)                \
    ROW(id, version64, version32)
#include "tallyman/hooks_old.def"
#undef ROW
#undef OLD
#undef OLD_CUSTOM
};

struct object {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *gnu_hash;
    const uint32_t *hash;
    const uint16_t *versions;
    const ElfW(Verdef) * definitions; /* what the numbers in `versions` mean */
    const char *version;              /* the one that is wanted, NULL: the current one */
    bool hidden;                      /* take hidden versions, too */
};

/* The loader relocates most objects' dynamic entries in place, but not those of the vDSO. */
static const void *locate(const struct link_map *map, ElfW(Addr) at)
{
    return (const void *)(at < map->l_addr ? at + map->l_addr : at);
}

static struct object object_of(const struct link_map *map)
{
    struct object object = {0};

    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        const void *at = locate(map, entry->d_un.d_ptr);

        if (entry->d_tag == DT_SYMTAB)
            object.symbols = at;
        else if (entry->d_tag == DT_STRTAB)
            object.strings = at;
        else if (entry->d_tag == DT_GNU_HASH)
            object.gnu_hash = at;
        else if (entry->d_tag == DT_HASH)
            object.hash = at;
        else if (entry->d_tag == DT_VERSYM)
            object.versions = at;
        else if (entry->d_tag == DT_VERDEF)
            object.definitions = at;
    }
    return object;
}

static bool is_definition(const struct object *object, const ElfW(Verdef) * definition,
                          uint16_t number)
{
    const char *at = (const char *)definition + definition->vd_aux;
    const ElfW(Verdaux) *name = (const ElfW(Verdaux) *)(const void *)at;

    return definition->vd_ndx == number &&
           text_equal(object->strings + name->vda_name, object->version);
}

/* As the loader sees it: what has no version stands for every one. */
static bool has_version(const struct object *object, uint32_t index)
{
    const ElfW(Verdef) *at = object->definitions;
    uint16_t number = object->versions[index] & 0x7fff;

    if (number <= VER_NDX_GLOBAL)
        return true;
    while (at && !is_definition(object, at, number))
        at = at->vd_next ? (const void *)((const char *)at + at->vd_next) : NULL;
    return at;
}

/* A definition that a reference without version binds to: not undefined, not hidden. Names that are
 * there for old programs alone (__secure_getenv) have hidden versions only: `hidden` asks for
 * those.
 */
static bool matches(const struct object *object, uint32_t index, const char *name)
{
    const ElfW(Sym) *symbol = &object->symbols[index];

    if (symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0)
        return false;
    if (object->versions && object->version && !has_version(object, index))
        return false;
    if (object->versions && !object->version && !object->hidden &&
        (object->versions[index] & 0x8000))
        return false;
    return text_equal(object->strings + symbol->st_name, name);
}

static uint32_t gnu_hash_of(const char *name)
{
    uint32_t hash = 5381;

    while (*name)
        hash = hash * 33 + (unsigned char)*name++;
    return hash;
}

static uint32_t find_by_gnu_hash(const struct object *object, const char *name)
{
    const uint32_t *table = object->gnu_hash;
    uint32_t hash = gnu_hash_of(name), buckets = table[0], first = table[1], bloom_size = table[2];
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(const void *)(table + 4);
    const uint32_t *bucket = (const uint32_t *)(bloom + bloom_size);
    const uint32_t *chain = bucket + buckets;
    const unsigned bits = sizeof(ElfW(Addr)) * 8;
    ElfW(Addr) word = bloom[hash / bits & (bloom_size - 1)];
    uint32_t index;

    if (!(word >> (hash % bits) & word >> ((hash >> table[3]) % bits) & 1))
        return 0;
    index = bucket[hash % buckets];
    if (index < first)
        return 0;
    for (;; index++) {
        if ((chain[index - first] | 1) == (hash | 1) && matches(object, index, name))
            return index;
        if (chain[index - first] & 1)
            return 0;
    }
}

/* The older table, for objects linked without the GNU one. */
static uint32_t find_by_hash(const struct object *object, const char *name)
{
    const uint32_t *table = object->hash;
    const uint32_t *chain = table + 2 + table[0];
    uint32_t hash = 0;

    for (const char *at = name; *at; at++) {
        hash = (hash << 4) + (unsigned char)*at;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    for (uint32_t index = table[2 + hash % table[0]]; index; index = chain[index])
        if (matches(object, index, name))
            return index;
    return 0;
}

static uint32_t find_index(const struct object *object, const char *name)
{
    if (object->gnu_hash)
        return find_by_gnu_hash(object, name);
    return object->hash ? find_by_hash(object, name) : 0;
}

static ElfW(Addr) address_in(const struct link_map *map, const char *name, const char *version)
{
    struct object object = object_of(map);
    const ElfW(Sym) * symbol;
    uint32_t index;
    ElfW(Addr) at;

    if (!object.symbols || !object.strings)
        return 0;
    object.version = version;
    index = find_index(&object, name);
    if (!index && !version) {
        object.hidden = true;
        index = find_index(&object, name);
    }
    if (!index)
        return 0;
    symbol = &object.symbols[index];
    at = map->l_addr + symbol->st_value;
    if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
        at = ((ElfW(Addr)(*)(void))at)();
    return at;
}

static real_function find_in(const struct link_map *map, const char *name, const char *version)
{
    return (real_function)address_in(map, name, version);
}

struct headers {
    const ElfW(Phdr) * first;
    size_t count;
};

/* What getauxval would say, for a program that has a function of that name itself. */
static struct headers headers_from_kernel(void)
{
    struct headers headers = {NULL, 0};
    ElfW(auxv_t) window[8];
    long fd = raw_open("/proc/self/auxv", O_RDONLY | O_CLOEXEC), got;

    while (fd >= 0 && (got = raw_read((int)fd, window, sizeof window)) > 0)
        for (size_t i = 0; i < (size_t)got / sizeof *window; i++)
            if (window[i].a_type == AT_PHDR)
                headers.first = (const ElfW(Phdr) *)window[i].a_un.a_val;
            else if (window[i].a_type == AT_PHNUM)
                headers.count = window[i].a_un.a_val;
    if (fd >= 0)
        raw_close((int)fd);
    return headers;
}

static struct headers program_headers(void)
{
    static struct headers kept;
    struct headers headers = {(const ElfW(Phdr) *)getauxval(AT_PHDR), getauxval(AT_PHNUM)};

    if (headers.first)
        return headers;
    if (!__atomic_load_n(&kept.first, __ATOMIC_ACQUIRE)) {
        headers = headers_from_kernel();
        kept.count = headers.count;
        __atomic_store_n(&kept.first, headers.first, __ATOMIC_RELEASE);
    }
    return kept;
}

/* Through the program's DT_DEBUG entry; the loader's own _r_debug would be one more needed library.
 */
const struct link_map *real_objects(void)
{
    struct headers headers = program_headers();
    const ElfW(Phdr) *header = headers.first;
    size_t count = headers.count;
    ElfW(Addr) base = 0;
    const ElfW(Dyn) *dynamic = NULL;

    for (size_t i = 0; header && i < count; i++)
        if (header[i].p_type == PT_PHDR)
            base = (ElfW(Addr))header - header[i].p_vaddr;
    for (size_t i = 0; header && i < count; i++)
        if (header[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(base + header[i].p_vaddr);
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag == DT_DEBUG && dynamic->d_un.d_ptr)
            return ((const struct r_debug *)dynamic->d_un.d_ptr)->r_map;
    return NULL;
}

static const struct link_map *own_object(void)
{
    const struct link_map *map = real_objects();

    while (map && map->l_ld != _DYNAMIC)
        map = map->l_next;
    return map;
}

/* The first object behind the shim that defines the hook's symbol. */
static const struct link_map *find_behind(enum hook hook, real_function *function)
{
    const char *name = (const char *)&names + name_offsets[hook];
    const char *version = hook > HOOK_OLD ? old_versions[hook - HOOK_OLD] : NULL;

    for (const struct link_map *map = own_object(); map; map = map->l_next)
        if (map->l_ld != _DYNAMIC && (*function = find_in(map, name, version)))
            return map;
    *function = NULL;
    return NULL;
}

/* By the name that it gives itself: other objects may define any of its functions. */
static bool is_libc(const struct link_map *map)
{
    const char *strings = object_of(map).strings;

    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME)
            return strings && text_equal(strings + entry->d_un.d_val, "libc.so.6");
    return false;
}

static const struct link_map *libc_object(void)
{
    static const struct link_map *kept;
    const struct link_map *map = __atomic_load_n(&kept, __ATOMIC_RELAXED);

    if (!map) {
        for (map = real_objects(); map && !is_libc(map);)
            map = map->l_next;
        __atomic_store_n(&kept, map, __ATOMIC_RELAXED);
    }
    return map;
}

/* The process is asked for first: whether it reports in decides what a wrapper calls, and the
 * answer stays. */
real_function real_find(enum hook hook)
{
    bool wanted = direct_wanted();
    real_function function, direct = NULL;
    const struct link_map *map = find_behind(hook, &function);

    __atomic_store_n(&behind_table[hook], function, __ATOMIC_RELAXED);
    if (wanted && map && map == libc_object())
        direct = direct_function(hook);
    if (direct)
        function = direct;
    __atomic_store_n(&real_table[hook], function, __ATOMIC_RELAXED);
    return function;
}

real_function real_find_behind(enum hook hook)
{
    real_function function;

    find_behind(hook, &function);
    __atomic_store_n(&behind_table[hook], function, __ATOMIC_RELAXED);
    return function;
}

bool real_is_libcs(enum hook hook)
{
    real_function function;
    const struct link_map *map = find_behind(hook, &function);

    return map && map == libc_object();
}

real_function real_in_libc(const char *name)
{
    const struct link_map *map = libc_object();

    return map ? find_in(map, name, NULL) : NULL;
}

/* The program may have a copy of its own (a copy relocation), which libc then writes to. */
const char *real_single_threaded(void)
{
    static const char *found;
    static bool looked;

    if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
        const char *first = NULL;

        for (const struct link_map *map = real_objects(); map && !first; map = map->l_next)
            first = (const char *)address_in(map, "__libc_single_threaded", NULL);
        __atomic_store_n(&found, first, __ATOMIC_RELAXED);
        __atomic_store_n(&looked, true, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&found, __ATOMIC_RELAXED);
}

typedef int clock_function(clockid_t, struct timespec *);

static clock_function *vdso_clock(void)
{
    static clock_function *found;
    static bool looked;

    if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
        for (const struct link_map *map = real_objects(); map; map = map->l_next)
            if (text_starts(map->l_name, "linux-vdso.so") ||
                text_starts(map->l_name, "linux-gate.so"))
                found = (clock_function *)find_in(map, "__vdso_clock_gettime", NULL);
        __atomic_store_n(&looked, true, __ATOMIC_RELEASE);
    }
    return found;
}

uint64_t real_monotonic(void)
{
    struct timespec now = {0};
    clock_function *clock = vdso_clock();

    if (!clock || clock(CLOCK_MONOTONIC, &now) != 0)
        DOOR(SYS_clock_gettime, CLOCK_MONOTONIC, &now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
