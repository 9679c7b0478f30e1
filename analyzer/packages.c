/* SPDX-License-Identifier: MIT
 *
 * Files of dpkg that are read: info/NAME[:ARCH].list, status and diversions, below /var/lib/dpkg.
 */
#include "packages.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buffer.h"
#include "cleanup.h"
#include "dpkg.h"
#include "map.h"
#include "memory.h"

#define SHARED (UINT32_MAX - 1) /* several packages have this folder */

struct package {
    const char *name;  /* without architecture */
    const char *key;   /* as the .list file is called: name or name:architecture */
    const char *label; /* "name version" */
};

/* `from` of every package but `keeper` lies at `to` instead. */
struct diversion {
    const char *from, *to, *keeper;
};

struct packages {
    const char *root;
    bool merged_usr; /* /bin, /lib ... are links to those below /usr */
    struct memory *memory;
    struct names wanted; /* paths, in the spelling without /usr where that is merged */
    uint32_t *owners;    /* by question: number of a package, MAP_NONE or SHARED */
    struct package *rows;
    uint32_t count;
    struct diversion *diversions;
    size_t diversion_count;
    char *trouble; /* with the first file that could not be read */
    size_t unreadable;
};

static char *path_of(const struct packages *packages, const char *below)
{
    return xprintf("%s%s", packages->root, below);
}

struct packages *packages_new(const char *root)
{
    struct packages *packages = xcalloc(1, sizeof *packages);
    cleanup_free char *bin = NULL;
    struct stat status;

    packages->memory = memory_new();
    packages->root = memory_copy(packages->memory, root, strlen(root));
    bin = path_of(packages, "/bin");
    packages->merged_usr = lstat(bin, &status) == 0 && S_ISLNK(status.st_mode);
    return packages;
}

void packages_free(struct packages *packages)
{
    if (!packages)
        return;
    names_fini(&packages->wanted);
    free(packages->owners);
    free(packages->rows);
    free(packages->diversions);
    free(packages->trouble);
    memory_free(packages->memory);
    free(packages);
}

/* One spelling for /usr/lib/x and /lib/x, where they are the same. */
static void unify(const struct packages *packages, const char **path, size_t *length)
{
    static const char *const folders[] = {"/bin", "/sbin", "/lib"};

    if (!packages->merged_usr || *length < 5 || memcmp(*path, "/usr/", 5) != 0)
        return;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t size = strlen(folders[i]);
        const char *rest = *path + 4 + size;
        const char *end = *path + *length;

        if (*length < 4 + size || memcmp(*path + 4, folders[i], size) != 0)
            continue;
        /* lib has kin: lib32, lib64, libx32; libexec is not merged. */
        if (i == 2 && end - rest >= 2 && (memcmp(rest, "32", 2) == 0 || memcmp(rest, "64", 2) == 0))
            rest += 2;
        else if (i == 2 && end - rest >= 3 && memcmp(rest, "x32", 3) == 0)
            rest += 3;
        if (rest == end || *rest == '/') {
            *path += 4;
            *length -= 4;
        }
        return;
    }
}

uint32_t packages_want(struct packages *packages, const char *path, size_t length)
{
    size_t before = packages->wanted.count;
    uint32_t question;

    unify(packages, &path, &length);
    question = names_find(&packages->wanted, path, length);
    if (question != MAP_NONE)
        return question;
    question = names_add(&packages->wanted, memory_copy(packages->memory, path, length), length);
    if ((before & (before - 1)) == 0)
        packages->owners =
            xrealloc(packages->owners, (before ? before * 2 : 1) * sizeof *packages->owners);
    packages->owners[question] = MAP_NONE;
    return question;
}

static void load_diversions(struct packages *packages)
{
    cleanup_free char *path = path_of(packages, DPKG_FOLDER "/diversions");
    size_t length = 0;
    cleanup_free char *text = dpkg_read(path, &length);
    const char *at = text;
    const char *parts[3];
    struct dpkg_word line;
    size_t part = 0;

    while (text && dpkg_next_line(&at, text + length, &line)) {
        parts[part++] = memory_copy(packages->memory, line.bytes, line.length);
        if (part < 3)
            continue;
        part = 0;
        packages->diversions = xrealloc(packages->diversions, (packages->diversion_count + 1) *
                                                                  sizeof *packages->diversions);
        packages->diversions[packages->diversion_count++] =
            (struct diversion){parts[0], parts[1], parts[2]};
    }
}

static void own(struct packages *packages, uint32_t question, uint32_t package)
{
    uint32_t *owner = &packages->owners[question];
    const char *name = packages->rows[package].name;

    if (*owner == MAP_NONE || strcmp(name, "base-files") == 0)
        *owner = package;
    else if (*owner != SHARED && strcmp(packages->rows[*owner].name, "base-files") != 0 &&
             strcmp(packages->rows[*owner].name, name) != 0)
        *owner = SHARED;
}

static void take_line(struct packages *packages, uint32_t package, const char *line, size_t length)
{
    uint32_t question;

    for (size_t i = 0; i < packages->diversion_count; i++) {
        const struct diversion *diversion = &packages->diversions[i];

        if (strlen(diversion->from) == length && memcmp(diversion->from, line, length) == 0 &&
            strcmp(diversion->keeper, packages->rows[package].name) != 0) {
            line = diversion->to;
            length = strlen(line);
            break;
        }
    }
    unify(packages, &line, &length);
    question = names_find(&packages->wanted, line, length);
    if (question != MAP_NONE)
        own(packages, question, package);
}

static uint32_t add_package(struct packages *packages, const char *key, size_t length)
{
    uint32_t number = packages->count++;
    size_t name = strcspn(key, ":");

    if ((number & (number - 1)) == 0)
        packages->rows =
            xrealloc(packages->rows, (number ? number * 2ul : 1ul) * sizeof *packages->rows);
    packages->rows[number].key = memory_copy(packages->memory, key, length);
    packages->rows[number].name = memory_copy(packages->memory, key, name < length ? name : length);
    packages->rows[number].label = packages->rows[number].name;
    return number;
}

/* The first file that could not be read is named, the others are counted. */
static void note_trouble(struct packages *packages, const char *path)
{
    if (packages->unreadable++ == 0)
        packages->trouble = xprintf("%s: cannot be read (%s)", path, strerror(errno));
}

static void scan_list(struct packages *packages, const char *folder, const char *file)
{
    cleanup_free char *path = xprintf("%s/%s", folder, file);
    size_t length = 0;
    cleanup_free char *text = dpkg_read(path, &length);
    const char *at = text;
    struct dpkg_word line;
    uint32_t package;

    if (!text) {
        note_trouble(packages, path);
        return;
    }
    package = add_package(packages, file, strlen(file) - strlen(".list"));
    while (dpkg_next_line(&at, text + length, &line))
        take_line(packages, package, line.bytes, line.length);
}

static void scan_lists(struct packages *packages)
{
    cleanup_free char *folder = path_of(packages, DPKG_FOLDER "/info");
    DIR *listing = opendir(folder);
    const struct dirent *entry;

    if (!listing) {
        if (errno != ENOENT)
            note_trouble(packages, folder);
        return;
    }
    while ((entry = readdir(listing))) {
        size_t length = strlen(entry->d_name);

        if (length > 5 && strcmp(entry->d_name + length - 5, ".list") == 0)
            scan_list(packages, folder, entry->d_name);
    }
    closedir(listing);
}

static void use_entry(struct packages *packages, const struct names *keys,
                      const struct dpkg_entry *entry)
{
    cleanup_free char *label = NULL;
    cleanup_free char *key = NULL;
    uint32_t number;

    if (!entry->package.bytes || !entry->version.bytes)
        return;
    number = names_find(keys, entry->package.bytes, entry->package.length);
    if (number == MAP_NONE && entry->architecture.bytes) {
        key = xprintf("%.*s:%.*s", (int)entry->package.length, entry->package.bytes,
                      (int)entry->architecture.length, entry->architecture.bytes);
        number = names_find(keys, key, strlen(key));
    }
    if (number == MAP_NONE)
        return;
    label = xprintf("%.*s %.*s", (int)entry->package.length, entry->package.bytes,
                    (int)entry->version.length, entry->version.bytes);
    packages->rows[number].label = memory_copy(packages->memory, label, strlen(label));
}

static void load_versions(struct packages *packages)
{
    cleanup_free char *path = path_of(packages, DPKG_FOLDER "/status");
    size_t length = 0;
    cleanup_free char *text = dpkg_read(path, &length);
    const char *at = text;
    struct names keys = {0};
    struct dpkg_entry entry;

    if (!text)
        note_trouble(packages, path);
    for (uint32_t i = 0; i < packages->count; i++)
        names_add(&keys, packages->rows[i].key, strlen(packages->rows[i].key));
    while (text && dpkg_next_entry(&at, text + length, &entry))
        use_entry(packages, &keys, &entry);
    names_fini(&keys);
}

void packages_scan(struct packages *packages, struct buffer *trouble)
{
    if (packages->wanted.count == 0)
        return;
    load_diversions(packages);
    scan_lists(packages);
    if (packages->count > 0)
        load_versions(packages);
    if (!packages->unreadable)
        return;
    buffer_add_text(trouble, packages->trouble);
    if (packages->unreadable > 1)
        buffer_printf(trouble, " and %zu more", packages->unreadable - 1);
    buffer_add_text(trouble, ": some files are shown without the package that owns them");
}

const char *packages_owner(const struct packages *packages, uint32_t question)
{
    uint32_t owner = packages->owners[question];

    return owner == MAP_NONE || owner == SHARED ? NULL : packages->rows[owner].label;
}
