/* SPDX-License-Identifier: MIT
 *
 * SHA-256 of many files at once, by two threads.
 */
#ifndef ANALYZER_FILE_DIGEST_H
#define ANALYZER_FILE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define FILE_DIGEST_LENGTH 64          /* hexadecimal digits */
#define FILE_DIGEST_MAX    (1ll << 30) /* bytes of a file that are still read */

enum file_digest_state {
    FILE_DIGEST_DONE,
    FILE_DIGEST_LARGE,
    FILE_DIGEST_UNREADABLE,
    FILE_DIGEST_BUSY,   /* it changed while it was read */
    FILE_DIGEST_SPECIAL /* no file on a disk: its content is made up at each reading */
};

struct file_digest {
    const char *path; /* of a regular file, borrowed; a link there is not followed */
    int64_t size;     /* as it was seen before; counts for the progress */
    enum file_digest_state state;
    char hex[FILE_DIGEST_LENGTH + 1]; /* empty unless DONE */
};

/* Called now and then once it takes longer than a second, with bytes; NULL is allowed. */
typedef void (*file_digest_progress)(int64_t done, int64_t all);

void file_digests(struct file_digest *files, size_t count, file_digest_progress progress);

#endif
