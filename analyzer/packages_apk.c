/* SPDX-License-Identifier: MIT
 *
 * Alpine's package manager keeps one text: paragraphs of lines "P:name", "V:version", then for each
 * folder "F:usr/bin" the files in it, "R:name". Other letters say other things.
 */
#include "package_reader.h"

#include <stdlib.h>

#include "buffer.h"
#include "cleanup.h"

struct entry {
    uint32_t package; /* MAP_NONE: not added yet, or it cannot be */
    struct dpkg_word name, version, folder;
};

static void give(struct packages *packages, struct entry *entry, struct dpkg_word file,
                 struct buffer *path)
{
    buffer_clear(path);
    if (entry->folder.length)
        buffer_add_char(path, '/');
    buffer_add(path, entry->folder.bytes, entry->folder.length);
    if (file.length) {
        buffer_add_char(path, '/');
        buffer_add(path, file.bytes, file.length);
    }
    if (entry->package == MAP_NONE && entry->name.length) {
        entry->package = packages_add(packages, entry->name, entry->version);
        entry->name.length = 0;
    }
    if (path->length)
        packages_give(packages, entry->package, path->data, path->length);
}

static void take_line(struct packages *packages, struct entry *entry, struct dpkg_word line,
                      struct buffer *path)
{
    struct dpkg_word value = {line.bytes + 2, line.length - 2};

    switch (line.bytes[0]) {
    case 'P':
        entry->name = value;
        break;
    case 'V':
        entry->version = value;
        break;
    case 'F':
        entry->folder = value;
        give(packages, entry, (struct dpkg_word){"", 0}, path);
        break;
    case 'R':
        give(packages, entry, value, path);
        break;
    default:
        break;
    }
}

void packages_scan_apk(struct packages *packages)
{
    static const struct entry none = {.package = MAP_NONE};
    cleanup_free char *file = packages_path(packages, "/lib/apk/db/installed");
    cleanup_buffer struct buffer path = BUFFER_INIT;
    size_t length = 0;
    cleanup_free char *text = packages_read(packages, file, PACKAGE_FILE_MAX, &length);
    const char *at = text;
    struct dpkg_word line;
    struct entry entry = none;

    while (text && dpkg_next_line(&at, text + length, &line)) {
        if (line.length == 0)
            entry = none;
        else if (line.length >= 2 && line.bytes[1] == ':')
            take_line(packages, &entry, line, &path);
    }
}
