/* SPDX-License-Identifier: MIT */
#include "package.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "die.h"
#include "match.h" /* the judge's patterns */
#include "manifest.h"

static const char *packages_folder = "/var/lib/dpkg";

void manifest_use_packages(const char *folder)
{
    packages_folder = folder ? folder : "/var/lib/dpkg";
}

/* Fields of one entry of `status`, as far as they matter here. */
struct entry {
    char *name, *version, *architecture;
    bool installed;
};

static void entry_fini(struct entry *entry)
{
    free(entry->name);
    free(entry->version);
    free(entry->architecture);
    memset(entry, 0, sizeof(*entry));
}

static void take_field(char **field, const char *line, const char *name)
{
    size_t length = strlen(name);

    if (strncmp(line, name, length))
        return;
    free(*field);
    line += length;
    line += strspn(line, " ");
    *field = xmemdup(line, strcspn(line, "\n"));
}

/* Reads the next entry; false at the end of the file. */
static bool next_entry(FILE *status, struct entry *entry, char **line, size_t *room)
{
    bool any = false;

    entry_fini(entry);
    while (getline(line, room, status) > 0) {
        char *state = NULL;

        if (**line == '\n') {
            if (any)
                return true;
            continue;
        }
        any = true;
        take_field(&entry->name, *line, "Package:");
        take_field(&entry->version, *line, "Version:");
        take_field(&entry->architecture, *line, "Architecture:");
        take_field(&state, *line, "Status:");
        if (state)
            entry->installed = strstr(state, " installed") != NULL;
        free(state);
    }
    return any;
}

static bool is_wanted(const struct entry *entry, const char *name, const char *architecture)
{
    return entry->installed && entry->name && entry->version && entry->architecture &&
           !strcmp(entry->name, name) &&
           (!architecture || !strcmp(entry->architecture, architecture));
}

/* The installed entry of that name; `entry` is empty when there is none. */
static void find_entry(const char *name, const char *architecture, struct entry *entry)
{
    cleanup_free char *path = xprintf("%s/status", packages_folder);
    cleanup_stream FILE *status = fopen(path, "re");
    cleanup_free char *line = NULL;
    size_t room = 0;

    while (status && next_entry(status, entry, &line, &room))
        if (is_wanted(entry, name, architecture))
            return;
    entry_fini(entry);
}

static void read_list(FILE *list, char ***files, size_t *count)
{
    cleanup_free char *line = NULL;
    size_t line_room = 0, room = 0;
    ssize_t length;

    while ((length = getline(&line, &line_room, list)) > 0) {
        if (line[length - 1] == '\n')
            line[--length] = '\0';
        if (line[0] != '/' || !strcmp(line, "/."))
            continue;
        if (*count == room) {
            room = room ? 2 * room : 64;
            *files = xrealloc(*files, room * sizeof(**files));
        }
        (*files)[(*count)++] = xmemdup(line, (size_t)length);
    }
}

/* Opens the list of files: NAME.list, or NAME:ARCHITECTURE.list for what can be installed for
 * several at once. Without an architecture the first in alphabetic order is taken. */
static FILE *open_list(const char *name, const char *architecture)
{
    cleanup_free char *plain = xprintf("%s/info/%s.list", packages_folder, name);
    cleanup_free char *qualified =
        xprintf("%s/info/%s:%s.list", packages_folder, name, architecture ? architecture : "*");
    FILE *list = NULL;
    glob_t names;

    if (!architecture)
        list = fopen(plain, "re");
    if (list)
        return list;
    if (!glob(qualified, GLOB_NOESCAPE, NULL, &names)) {
        list = fopen(names.gl_pathv[0], "re");
        globfree(&names);
    }
    return list ? list : fopen(plain, "re");
}

enum package_state package_read(const char *name, const char *version, char ***files, size_t *count,
                                char **found)
{
    cleanup_free char *plain = xstrdup(name);
    cleanup_stream FILE *list = NULL;
    char *architecture = strchr(plain, ':');
    struct entry entry = {0};

    *files = NULL;
    *count = 0;
    *found = NULL;
    if (architecture)
        *architecture++ = '\0';
    if (version) { /* else there is no need to read dpkg's large file of states */
        find_entry(plain, architecture, &entry);
        if (entry.name &&
            !match_text(version, strlen(version), entry.version, strlen(entry.version)))
            *found = xstrdup(entry.version);
        else if (entry.name)
            list = open_list(plain, architecture);
        entry_fini(&entry);
        if (*found)
            return PACKAGE_OTHER_VERSION;
    } else {
        list = open_list(plain, architecture);
    }
    if (!list)
        return PACKAGE_MISSING;
    read_list(list, files, count);
    return PACKAGE_FOUND;
}

void package_free(char **files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(files[i]);
    free(files);
}
