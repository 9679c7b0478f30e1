/* SPDX-License-Identifier: MIT
 *
 * Files of dpkg that are read: info/NAME[:ARCH].list, status and diversions, below /var/lib/dpkg.
 */
#include "package_reader.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "cleanup.h"

/* `from` of every package but `keeper` lies at `to` instead. */
struct diversion {
    struct dpkg_word from, to, keeper;
};

struct scan {
    struct packages *packages;
    char *text; /* of the diversions */
    struct diversion *diversions;
    size_t diversion_count;
    /* As the .list files are called: name or name:architecture. */
    struct names keys;
    char **key_texts;
    uint32_t *numbers; /* of packages, by key */
};

static void load_diversions(struct scan *scan)
{
    cleanup_free char *path = packages_path(scan->packages, DPKG_FOLDER "/diversions");
    size_t length = 0;
    const char *at;
    struct dpkg_word lines[3];
    size_t count = 0;

    at = scan->text = packages_read(scan->packages, path, PACKAGE_FILE_MAX, &length);
    while (scan->text && dpkg_next_line(&at, scan->text + length, &lines[count])) {
        if (++count < 3)
            continue;
        count = 0;
        scan->diversions =
            xrealloc(scan->diversions, (scan->diversion_count + 1) * sizeof *scan->diversions);
        scan->diversions[scan->diversion_count++] =
            (struct diversion){lines[0], lines[1], lines[2]};
    }
}

static void take_line(const struct scan *scan, uint32_t package, struct dpkg_word line)
{
    for (size_t i = 0; package != MAP_NONE && i < scan->diversion_count; i++) {
        const struct diversion *diversion = &scan->diversions[i];

        if (diversion->from.length == line.length &&
            memcmp(diversion->from.bytes, line.bytes, line.length) == 0 &&
            !dpkg_word_is(diversion->keeper, packages_name(scan->packages, package))) {
            line = diversion->to;
            break;
        }
    }
    packages_give(scan->packages, package, line.bytes, line.length);
}

static uint32_t add_package(struct scan *scan, const char *key, size_t length)
{
    char *text = xmemdup(key, length);
    uint32_t number = names_add(&scan->keys, text, length);

    if ((number & (number - 1)) == 0) {
        size_t room = number ? number * 2ul : 1ul;

        scan->key_texts = xrealloc(scan->key_texts, room * sizeof *scan->key_texts);
        scan->numbers = xrealloc(scan->numbers, room * sizeof *scan->numbers);
    }
    scan->key_texts[number] = text;
    scan->numbers[number] = packages_add(
        scan->packages, (struct dpkg_word){text, strcspn(text, ":")}, (struct dpkg_word){"", 0});
    return scan->numbers[number];
}

static void scan_list(struct scan *scan, const char *folder, const char *file)
{
    cleanup_free char *path = xprintf("%s/%s", folder, file);
    size_t length = 0;
    cleanup_free char *text = packages_read(scan->packages, path, PACKAGE_FILE_MAX, &length);
    const char *at = text;
    struct dpkg_word line;
    uint32_t package;

    if (!text)
        return;
    package = add_package(scan, file, strlen(file) - strlen(".list"));
    while (dpkg_next_line(&at, text + length, &line))
        take_line(scan, package, line);
}

static void scan_lists(struct scan *scan)
{
    cleanup_free char *folder = packages_path(scan->packages, DPKG_FOLDER "/info");
    DIR *listing = opendir(folder);
    const struct dirent *entry;

    if (!listing) {
        if (errno != ENOENT)
            packages_note_trouble(scan->packages, folder, strerror(errno));
        return;
    }
    while ((entry = readdir(listing))) {
        size_t length = strlen(entry->d_name);

        if (length > 5 && strcmp(entry->d_name + length - 5, ".list") == 0)
            scan_list(scan, folder, entry->d_name);
    }
    closedir(listing);
}

static void use_entry(const struct scan *scan, const struct dpkg_entry *entry)
{
    cleanup_free char *key = NULL;
    uint32_t number;

    if (!entry->package.bytes || !entry->version.bytes)
        return;
    number = names_find(&scan->keys, entry->package.bytes, entry->package.length);
    if (number == MAP_NONE && entry->architecture.bytes) {
        key = xprintf("%.*s:%.*s", (int)entry->package.length, entry->package.bytes,
                      (int)entry->architecture.length, entry->architecture.bytes);
        number = names_find(&scan->keys, key, strlen(key));
    }
    if (number != MAP_NONE && scan->numbers[number] != MAP_NONE)
        packages_set_version(scan->packages, scan->numbers[number], entry->version);
}

static void load_versions(struct scan *scan)
{
    cleanup_free char *path = packages_path(scan->packages, DPKG_FOLDER "/status");
    size_t length = 0;
    cleanup_free char *text = packages_read(scan->packages, path, PACKAGE_FILE_MAX, &length);
    const char *at = text;
    struct dpkg_entry entry;

    while (text && dpkg_next_entry(&at, text + length, &entry))
        use_entry(scan, &entry);
}

void packages_scan_dpkg(struct packages *packages)
{
    struct scan scan = {.packages = packages};

    load_diversions(&scan);
    scan_lists(&scan);
    if (scan.keys.count > 0)
        load_versions(&scan);
    for (size_t i = 0; i < scan.keys.count; i++)
        free(scan.key_texts[i]);
    free(scan.key_texts);
    free(scan.numbers);
    free(scan.diversions);
    free(scan.text);
    names_fini(&scan.keys);
}
