/* SPDX-License-Identifier: MIT
 *
 * What a test and the process whose calls it lets fail share: one page in a file that both map.
 */
#ifndef FAIL_PAGE_H
#define FAIL_PAGE_H

#include <stdint.h>

#define FAULT_PAGE_FILE "page" /* where the shim's calls are to fail: in the current folder */

struct fail_page {
    uint64_t fail_at;      /* test: the call that fails, from 1; 0: none */
    uint32_t choice;       /* test: which of the errors that this call can have */
    uint32_t ignored;      /* test: bits of enum fail_family that neither count nor fail */
    uint64_t calls;        /* that could have failed, so far */
    uint32_t choices;      /* how many errors the failed call can have; 0: none failed */
    int32_t error;         /* that it failed with */
    uint64_t failed_where; /* its system call number, or an index of its name */
    char failed[24];       /* its name */
};

enum fail_family { FAIL_SYSTEM = 1, FAIL_MEMORY = 2 };

#endif
