/* SPDX-License-Identifier: MIT */
#include "category.h"

#include <fnmatch.h>
#include <string.h>

#include "buffer.h"
#include "cleanup.h"
#include "endpoint.h"
#include "operation.h"

static const struct category categories[] = {
#define CATEGORY(id, name, severity, title, why, remedy)                                           \
    [CATEGORY_##id] = {CATEGORY_##id, name, SEVERITY_##severity, title, why, remedy},
#include "categories.def"
#undef CATEGORY
};

struct pattern {
    const char *pattern;
    enum category_id category;
};

static const struct pattern places_known[] = {
#define PLACE(pattern, category) {pattern, CATEGORY_##category},
#include "places.def"
#undef PLACE
    {NULL, CATEGORY_COUNT},
};

static const struct pattern system_files[] = {
#define SYSTEM_FILE(pattern, category) {pattern, CATEGORY_##category},
#include "system_files.def"
#undef SYSTEM_FILE
    {NULL, CATEGORY_COUNT},
};

const struct category *category_of_id(enum category_id id)
{
    return &categories[id];
}

const char *severity_name(enum severity severity)
{
    static const char *const names[] = {
        [SEVERITY_NOTE] = "note",
        [SEVERITY_WARNING] = "warning",
        [SEVERITY_ERROR] = "error",
    };

    return names[severity];
}

bool category_is_installed(enum category_id category)
{
    return category < CATEGORY_INSTALLED_COUNT;
}

/* CATEGORY_COUNT when no row matches. */
static enum category_id match(const struct pattern *patterns, const char *path)
{
    while (patterns->pattern && fnmatch(patterns->pattern, path, 0) != 0)
        patterns++;
    return patterns->category;
}

/* Folders that the system's packages fill. */
static bool is_of_system(const char *path)
{
    static const char *const folders[] = {"/usr",  "/lib", "/lib32", "/lib64", "/libx32", "/bin",
                                          "/sbin", "/etc", "/opt",   "/var",   "/run",    "/boot"};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);

        if (strncmp(path, folders[i], length) == 0 && (!path[length] || path[length] == '/'))
            return true;
    }
    return path[0] == '/' && !path[1];
}

static enum category_id of_installed(const struct use_of_file *use, const char *path)
{
    enum category_id category = match(system_files, path);

    if (category != CATEGORY_COUNT)
        return category;
    if (use->kind == EVENT_EXECUTE)
        return CATEGORY_TOOLCHAIN;
    return use->package.length || is_of_system(path) ? CATEGORY_SYSTEM_FILE : CATEGORY_OUTSIDE_FILE;
}

enum category_id category_of_file(const struct places *places, const struct use_of_file *use)
{
    cleanup_buffer struct buffer path = BUFFER_INIT;
    struct text rest;
    enum place place = places_find(places, use->path, &rest);
    enum category_id known;

    if (use->class == FINDING_PROBE)
        return CATEGORY_SEARCH_PROBE;
    if (place == PLACE_ROOT)
        return use->class == FINDING_WRITE ? CATEGORY_SOURCE_WRITE : CATEGORY_PROJECT_FILE;
    if (place == PLACE_HOME)
        buffer_add_char(&path, '~');
    buffer_add(&path, place == PLACE_HOME ? rest.bytes : use->path.bytes,
               place == PLACE_HOME ? rest.length : use->path.length);
    buffer_add_text(&path, "");
    /* Where a checkout lies says nothing about what lies beside it. */
    known = place == PLACE_BESIDE ? CATEGORY_COUNT : match(places_known, path.data);
    if (use->class == FINDING_WRITE)
        return known == CATEGORY_TEMPORARY || known == CATEGORY_DEVICE ||
                       known == CATEGORY_PROC_SYS || known == CATEGORY_PACKAGE_CACHE
                   ? known
                   : CATEGORY_UNDECLARED_WRITE;
    if (known != CATEGORY_COUNT)
        return known;
    return place == PLACE_BESIDE ? CATEGORY_OUTSIDE_FILE : of_installed(use, path.data);
}

static bool starts_with(struct text text, const char *start)
{
    return text.length >= strlen(start) && memcmp(text.bytes, start, strlen(start)) == 0;
}

/* Whom a machine asks for names is its own setting, and nothing that a build fetches from. */
static bool is_name_server(struct text subject)
{
    static const char port[] = ":53";

    return subject.length > strlen(port) && !starts_with(subject, "unix:") &&
           memcmp(subject.bytes + subject.length - strlen(port), port, strlen(port)) == 0;
}

static enum category_id of_network(enum event_kind kind, enum finding_class class,
                                   struct text subject)
{
    struct endpoint endpoint = endpoint_of(subject);

    if (kind == EVENT_LOOKUP || is_name_server(subject))
        return CATEGORY_DNS;
    if (starts_with(subject, "netlink:"))
        return CATEGORY_PROC_SYS;
    if (class == FINDING_SERVICE || starts_with(subject, "unix:"))
        return CATEGORY_AMBIENT_SERVICE;
    return endpoint_is_local(&endpoint) ? CATEGORY_LOCAL_PORT : CATEGORY_REMOTE_HOST;
}

enum category_id category_of_value(enum channel channel, enum event_kind kind,
                                   enum finding_class class, struct text subject)
{
    switch (channel) {
    case CHANNEL_NETWORK:
        return of_network(kind, class, subject);
    case CHANNEL_CLOCK:
        return CATEGORY_WALL_CLOCK;
    case CHANNEL_ENVIRONMENT:
        if (kind == EVENT_LOCALE)
            return CATEGORY_LOCALE;
        return kind == EVENT_VISIBLE ? CATEGORY_ENVIRONMENT_VISIBLE : CATEGORY_ENVIRONMENT_READ;
    case CHANNEL_RANDOMNESS:
        return CATEGORY_RANDOM_DEVICE;
    case CHANNEL_IDENTITY:
        return CATEGORY_USER_HOST;
    default:
        return CATEGORY_CPU_MEMORY;
    }
}
