/* SPDX-License-Identifier: MIT */
#include "dpkg.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "cleanup.h"

#define PIECE (1 << 16)

char *dpkg_read(const char *path, size_t *length)
{
    cleanup_close int file = open(path, O_RDONLY | O_CLOEXEC);
    cleanup_buffer struct buffer text = BUFFER_INIT;
    cleanup_free char *piece = NULL;
    ssize_t got;

    if (file < 0)
        return NULL;
    piece = xmalloc(PIECE);
    while ((got = read(file, piece, PIECE)) > 0)
        buffer_add(&text, piece, (size_t)got);
    if (got < 0)
        return NULL;
    *length = text.length;
    return buffer_take(&text);
}

bool dpkg_next_line(const char **at, const char *end, struct dpkg_word *line)
{
    const char *newline;

    if (*at >= end)
        return false;
    newline = memchr(*at, '\n', (size_t)(end - *at));
    *line = (struct dpkg_word){*at, (size_t)((newline ? newline : end) - *at)};
    *at = newline ? newline + 1 : end;
    return true;
}

static void take_field(struct dpkg_entry *entry, struct dpkg_word line)
{
    const struct {
        const char *name;
        struct dpkg_word *value;
    } fields[] = {
        {"Package: ", &entry->package},
        {"Version: ", &entry->version},
        {"Architecture: ", &entry->architecture},
        {"Status: ", &entry->status},
    };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        size_t length = strlen(fields[i].name);

        if (line.length < length || memcmp(line.bytes, fields[i].name, length) != 0)
            continue;
        *fields[i].value = (struct dpkg_word){line.bytes + length, line.length - length};
        return;
    }
}

bool dpkg_next_entry(const char **at, const char *end, struct dpkg_entry *entry)
{
    struct dpkg_word line;
    bool any = false;

    *entry = (struct dpkg_entry){0};
    while (dpkg_next_line(at, end, &line)) {
        if (line.length == 0 && any)
            return true;
        any = any || line.length;
        take_field(entry, line);
    }
    return any;
}

bool dpkg_is_installed(const struct dpkg_entry *entry)
{
    static const char state[] = " installed";
    size_t length = strlen(state);

    return entry->status.length >= length &&
           memcmp(entry->status.bytes + entry->status.length - length, state, length) == 0;
}

bool dpkg_word_is(struct dpkg_word word, const char *text)
{
    return word.bytes && word.length == strlen(text) && memcmp(word.bytes, text, word.length) == 0;
}
