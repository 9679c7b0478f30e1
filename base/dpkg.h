/* SPDX-License-Identifier: MIT
 *
 * The files in which dpkg keeps what is installed (/var/lib/dpkg: status, info/NAME.list), taken
 * apart. Words point into the text that was read.
 */
#ifndef BASE_DPKG_H
#define BASE_DPKG_H

#include <stdbool.h>
#include <stddef.h>

#define DPKG_FOLDER "/var/lib/dpkg"

struct dpkg_word {
    const char *bytes; /* NULL: not there */
    size_t length;
};

/* One paragraph of the file `status`. */
struct dpkg_entry {
    struct dpkg_word package, version, architecture, status;
};

/* The whole file; NULL with errno. The caller frees. */
char *dpkg_read(const char *path, size_t *length);

/* Takes the next line from `*at`, without its newline; false at the end. */
bool dpkg_next_line(const char **at, const char *end, struct dpkg_word *line);

/* Takes the next paragraph from the text of `status`; false at the end. */
bool dpkg_next_entry(const char **at, const char *end, struct dpkg_entry *entry);

/* False for what was removed and left its settings behind. */
bool dpkg_is_installed(const struct dpkg_entry *entry);

bool dpkg_word_is(struct dpkg_word word, const char *text);

#endif
