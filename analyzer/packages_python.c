/* SPDX-License-Identifier: MIT
 *
 * Python distributions that pip and its like have put into a folder site-packages or dist-packages,
 * of the system or of a virtual environment. Each has a folder of its own there: NAME.dist-info
 * with METADATA and RECORD (packaging.python.org, "Recording installed projects"), or in older ones
 * NAME.egg-info with PKG-INFO and installed-files.txt. Only folders are looked into below which the
 * run used something.
 */
#include "package_reader.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "cleanup.h"

#define LIBRARIES_MAX 4096

struct library {
    struct packages *packages;
    struct dpkg_word folder; /* ".../site-packages" */
    size_t prefix;           /* bytes of it up to where the environment starts */
};

/* A kind of folder that describes a distribution. */
struct kind {
    const char *ending, *description, *files;
    bool quoted; /* the list has columns, and names may stand in quotes */
    bool inside; /* names in the list start from the describing folder */
};

static const struct kind kinds[] = {
    {".dist-info", "METADATA", "RECORD", true, false},
    {".egg-info", "PKG-INFO", "installed-files.txt", false, true},
};

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text);

    return length > strlen(ending) && strcmp(text + length - strlen(ending), ending) == 0;
}

/* The library that a path lies in, the innermost; false when it is in none. */
static bool library_of(struct dpkg_word path, struct dpkg_word *folder)
{
    static const char *const names[] = {"/site-packages/", "/dist-packages/"};
    size_t length = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size = strlen(names[i]);
        const char *at = path.bytes;

        while ((at = memmem(at, path.length - (size_t)(at - path.bytes), names[i], size))) {
            size_t end = (size_t)(at - path.bytes) + size - 1;

            length = end > length ? end : length;
            at += size - 1;
        }
    }
    *folder = (struct dpkg_word){path.bytes, length};
    return length > 0;
}

/* Programs lie in the same environment, PREFIX/bin beside PREFIX/lib/python3/site-packages: so far
 * up, and no further, a list is believed. */
static size_t prefix_of(struct dpkg_word folder)
{
    size_t length = folder.length;

    for (int up = 0; up < 3; up++) {
        const char *slash = memrchr(folder.bytes, '/', length);

        if (!slash || slash == folder.bytes)
            return folder.length;
        length = (size_t)(slash - folder.bytes);
    }
    return length;
}

/* Tools write either end of line. */
static bool next_line(const char **at, const char *end, struct dpkg_word *line)
{
    if (!dpkg_next_line(at, end, line))
        return false;
    if (line->length && line->bytes[line->length - 1] == '\r')
        line->length--;
    return true;
}

/* Adds the names one by one; ".." takes one away. */
static void add_below(struct buffer *path, struct dpkg_word name)
{
    const char *at = name.bytes, *end = name.bytes + name.length;

    while (at < end) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        size_t length = (size_t)((slash ? slash : end) - at);

        if (length == 2 && memcmp(at, "..", 2) == 0) {
            const char *last = path->length ? memrchr(path->data, '/', path->length) : NULL;

            path->length = last ? (size_t)(last - path->data) : 0;
        } else if (length && !(length == 1 && *at == '.')) {
            buffer_add_char(path, '/');
            buffer_add(path, at, length);
        }
        at += length + 1;
    }
}

/* The file and the folders between it and the library. */
static void give(const struct library *library, uint32_t package, struct buffer *path)
{
    const char *folder = library->folder.bytes;
    size_t length = path->length;

    if (length <= library->prefix || memcmp(path->data, folder, library->prefix) != 0 ||
        path->data[library->prefix] != '/')
        return;
    packages_give(library->packages, package, path->data, length);
    if (length <= library->folder.length || memcmp(path->data, folder, library->folder.length) != 0)
        return;
    while (length > library->folder.length + 1) {
        length--;
        if (path->data[length] == '/')
            packages_give(library->packages, package, path->data, length);
    }
}

/* The first column of a line of RECORD: a quote in a quoted name is doubled. */
static void first_column(struct dpkg_word line, struct buffer *name)
{
    const char *at = line.bytes, *end = line.bytes + line.length;
    const char *comma = memchr(at, ',', line.length);

    if (line.length == 0 || *at != '"') {
        buffer_add(name, at, (size_t)((comma ? comma : end) - at));
        return;
    }
    for (at++; at < end; at++) {
        if (*at == '"' && (at + 1 == end || *++at != '"'))
            return;
        buffer_add_char(name, *at);
    }
}

static void read_list(const struct library *library, const struct kind *kind, const char *folder,
                      uint32_t package)
{
    cleanup_free char *below = xprintf("%s/%s", folder, kind->files);
    cleanup_free char *file = packages_path(library->packages, below);
    cleanup_buffer struct buffer path = BUFFER_INIT, name = BUFFER_INIT;
    size_t length = 0;
    cleanup_free char *text = packages_read(library->packages, file, PACKAGE_FILE_MAX, &length);
    const char *at = text;
    struct dpkg_word line;

    while (text && next_line(&at, text + length, &line)) {
        buffer_clear(&name);
        buffer_clear(&path);
        if (kind->quoted)
            first_column(line, &name);
        else
            buffer_add(&name, line.bytes, line.length);
        if (!name.length)
            continue;
        if (name.data[0] != '/' && kind->inside)
            buffer_add_text(&path, folder);
        else if (name.data[0] != '/')
            buffer_add(&path, library->folder.bytes, library->folder.length);
        add_below(&path, (struct dpkg_word){name.data, name.length});
        if (path.length)
            give(library, package, &path);
    }
}

/* "Name: x" and "Version: y" among the lines before the first blank one. */
static uint32_t read_description(const struct library *library, const struct kind *kind,
                                 const char *folder)
{
    static const char *const fields[] = {"Name: ", "Version: "};
    struct dpkg_word values[] = {{"", 0}, {"", 0}};
    cleanup_free char *below = xprintf("%s/%s", folder, kind->description);
    cleanup_free char *file = packages_path(library->packages, below);
    size_t length = 0;
    cleanup_free char *text = packages_read(library->packages, file, PACKAGE_TEXT_MAX, &length);
    const char *at = text;
    struct dpkg_word line;

    while (text && next_line(&at, text + length, &line) && line.length)
        for (size_t i = 0; i < 2; i++) {
            size_t size = strlen(fields[i]);

            if (line.length > size && memcmp(line.bytes, fields[i], size) == 0)
                values[i] = (struct dpkg_word){line.bytes + size, line.length - size};
        }
    return packages_add(library->packages, values[0], values[1]);
}

static void scan_library(const struct library *library)
{
    cleanup_free char *below = xprintf("%.*s", (int)library->folder.length, library->folder.bytes);
    cleanup_free char *path = packages_path(library->packages, below);
    DIR *listing = opendir(path);
    const struct dirent *entry;

    while (listing && (entry = readdir(listing)))
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            cleanup_free char *folder = NULL;
            uint32_t package;

            if (!ends_with(entry->d_name, kinds[i].ending) || entry->d_type == DT_REG)
                continue;
            folder = xprintf("%s/%s", below, entry->d_name);
            package = read_description(library, &kinds[i], folder);
            if (package != MAP_NONE)
                read_list(library, &kinds[i], folder, package);
        }
    if (listing)
        closedir(listing);
}

void packages_scan_python(struct packages *packages)
{
    struct names seen = {0};
    struct dpkg_word path;
    uint32_t at = 0;

    while (seen.count < LIBRARIES_MAX && packages_next_unowned(packages, &at, &path)) {
        struct library library = {.packages = packages};
        size_t before = seen.count;

        if (!library_of(path, &library.folder))
            continue;
        names_add(&seen, library.folder.bytes, library.folder.length);
        if (seen.count == before)
            continue;
        library.prefix = prefix_of(library.folder);
        scan_library(&library);
    }
    names_fini(&seen);
}
