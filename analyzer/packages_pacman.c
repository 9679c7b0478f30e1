/* SPDX-License-Identifier: MIT
 *
 * pacman keeps a folder for each package below /var/lib/pacman/local: `desc` with "%NAME%" and
 * "%VERSION%", each before a line with the value, and `files`, where "%FILES%" comes before the
 * paths, without a slash in front and for folders with one behind; a blank line ends a list.
 */
#include "package_reader.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "cleanup.h"

#define LOCAL "/var/lib/pacman/local"

/* The line behind the heading; empty when there is none. */
static struct dpkg_word value_of(const char *text, size_t length, const char *heading)
{
    const char *at = text;
    struct dpkg_word line;

    while (dpkg_next_line(&at, text + length, &line))
        if (dpkg_word_is(line, heading) && dpkg_next_line(&at, text + length, &line))
            return line;
    return (struct dpkg_word){"", 0};
}

static uint32_t read_description(struct packages *packages, const char *folder)
{
    cleanup_free char *path = xprintf("%s/desc", folder);
    size_t length = 0;
    cleanup_free char *text = packages_read(packages, path, PACKAGE_TEXT_MAX, &length);

    if (!text)
        return MAP_NONE;
    return packages_add(packages, value_of(text, length, "%NAME%"),
                        value_of(text, length, "%VERSION%"));
}

static void read_files(struct packages *packages, const char *folder, uint32_t package)
{
    cleanup_free char *path = xprintf("%s/files", folder);
    cleanup_buffer struct buffer file = BUFFER_INIT;
    size_t length = 0;
    cleanup_free char *text = packages_read(packages, path, PACKAGE_FILE_MAX, &length);
    const char *at = text;
    struct dpkg_word line;
    bool listed = false;

    while (text && dpkg_next_line(&at, text + length, &line)) {
        if (line.length == 0 || line.bytes[0] == '%') {
            listed = dpkg_word_is(line, "%FILES%");
            continue;
        }
        if (!listed)
            continue;
        buffer_clear(&file);
        buffer_add_char(&file, '/');
        buffer_add(&file, line.bytes, line.length - (line.bytes[line.length - 1] == '/'));
        packages_give(packages, package, file.data, file.length);
    }
}

void packages_scan_pacman(struct packages *packages)
{
    cleanup_free char *local = packages_path(packages, LOCAL);
    DIR *listing = opendir(local);
    const struct dirent *entry;

    if (!listing) {
        if (errno != ENOENT)
            packages_note_trouble(packages, local, strerror(errno));
        return;
    }
    while ((entry = readdir(listing))) {
        cleanup_free char *folder = xprintf("%s/%s", local, entry->d_name);
        uint32_t package;

        /* Beside the packages lies a file, ALPM_DB_VERSION. */
        if (entry->d_name[0] == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
            continue;
        package = read_description(packages, folder);
        if (package != MAP_NONE)
            read_files(packages, folder, package);
    }
    closedir(listing);
}
