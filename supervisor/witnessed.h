/* SPDX-License-Identifier: MIT
 *
 * Records of the kernel's witness, which differ from the shim's (record.h).
 */
#ifndef WITNESSED_H
#define WITNESSED_H

#include "process_table.h"

/* Any process of the build can write what looks like the witness's. */
bool witnessed_makes_sense(const struct process_table *processes, const struct record *head);

/* The witness saw the path before the call: from what it found, what the call then did. */
void witnessed_foretell(struct record *head);

#endif
