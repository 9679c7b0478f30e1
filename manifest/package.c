/* SPDX-License-Identifier: MIT */
#include "package.h"

#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "die.h"
#include "dpkg.h"
#include "match.h" /* the judge's patterns */
#include "manifest.h"

static const char *packages_folder = DPKG_FOLDER;

void manifest_use_packages(const char *folder)
{
    packages_folder = folder ? folder : DPKG_FOLDER;
}

static bool is_wanted(const struct dpkg_entry *entry, const char *name, const char *architecture)
{
    return dpkg_is_installed(entry) && entry->version.bytes && dpkg_word_is(entry->package, name) &&
           (!architecture || dpkg_word_is(entry->architecture, architecture));
}

/* The installed version of that name; NULL when there is none. The caller frees. */
static char *find_version(const char *name, const char *architecture)
{
    cleanup_free char *path = xprintf("%s/status", packages_folder);
    size_t length = 0;
    cleanup_free char *text = dpkg_read(path, &length);
    const char *at = text;
    struct dpkg_entry entry;

    while (text && dpkg_next_entry(&at, text + length, &entry))
        if (is_wanted(&entry, name, architecture))
            return xmemdup(entry.version.bytes, entry.version.length);
    return NULL;
}

static void split_list(const char *text, size_t length, char ***files, size_t *count)
{
    const char *at = text;
    struct dpkg_word line;
    size_t room = 0;

    while (dpkg_next_line(&at, text + length, &line)) {
        if (!line.length || line.bytes[0] != '/' || dpkg_word_is(line, "/."))
            continue;
        if (*count == room) {
            room = room ? 2 * room : 64;
            *files = xrealloc(*files, room * sizeof(**files));
        }
        (*files)[(*count)++] = xmemdup(line.bytes, line.length);
    }
}

/* The list of files: NAME.list, or NAME:ARCHITECTURE.list for what can be installed for several at
 * once. Without an architecture the first in alphabetic order is taken. NULL: there is none. */
static char *read_list(const char *name, const char *architecture, size_t *length)
{
    cleanup_free char *plain = xprintf("%s/info/%s.list", packages_folder, name);
    cleanup_free char *qualified =
        xprintf("%s/info/%s:%s.list", packages_folder, name, architecture ? architecture : "*");
    char *list = NULL;
    glob_t names;

    if (!architecture)
        list = dpkg_read(plain, length);
    if (list)
        return list;
    if (!glob(qualified, GLOB_NOESCAPE, NULL, &names)) {
        list = dpkg_read(names.gl_pathv[0], length);
        globfree(&names);
    }
    return list ? list : dpkg_read(plain, length);
}

enum package_state package_read(const char *name, const char *version, char ***files, size_t *count,
                                char **found)
{
    cleanup_free char *plain = xstrdup(name);
    cleanup_free char *installed = NULL;
    cleanup_free char *list = NULL;
    char *architecture = strchr(plain, ':');
    size_t length = 0;

    *files = NULL;
    *count = 0;
    *found = NULL;
    if (architecture)
        *architecture++ = '\0';
    if (version) { /* else there is no need to read dpkg's large file of states */
        installed = find_version(plain, architecture);
        if (!installed)
            return PACKAGE_MISSING;
        if (!match_text(version, strlen(version), installed, strlen(installed))) {
            *found = steal_ptr(&installed);
            return PACKAGE_OTHER_VERSION;
        }
    }
    list = read_list(plain, architecture, &length);
    if (!list)
        return PACKAGE_MISSING;
    split_list(list, length, files, count);
    return PACKAGE_FOUND;
}

void package_free(char **files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(files[i]);
    free(files);
}
