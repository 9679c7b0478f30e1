/* SPDX-License-Identifier: MIT
 *
 * Which Debian package owns a file, from dpkg's own files. Each of them is read once for any number
 * of questions: ask with packages_want, then packages_scan, then packages_owner.
 */
#ifndef ANALYZER_PACKAGES_H
#define ANALYZER_PACKAGES_H

#include <stddef.h>
#include <stdint.h>

struct packages;

/* `root`: folder that holds the machine's root, "" for this machine. */
struct packages *packages_new(const char *root);
void packages_free(struct packages *packages);

/* Asks for an absolute path, which is copied. Returns the number of the question. */
uint32_t packages_want(struct packages *packages, const char *path, size_t length);

/* 0, also where there is no dpkg; TALLY_ERR_SYSTEM (errno) when its files cannot be read. */
int packages_scan(struct packages *packages);

/* "name version"; NULL: no package, or a folder that several share. Lives as long as `packages`. */
const char *packages_owner(const struct packages *packages, uint32_t question);

#endif
