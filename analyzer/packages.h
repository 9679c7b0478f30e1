/* SPDX-License-Identifier: MIT
 *
 * Which package owns a file, from the package managers' own files. Each of them is read once for
 * any number of questions: ask with packages_want, then packages_scan, then packages_owner.
 */
#ifndef ANALYZER_PACKAGES_H
#define ANALYZER_PACKAGES_H

#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

struct packages;

/* `root`: folder that holds the machine's root, "" for this machine. */
struct packages *packages_new(const char *root);
void packages_free(struct packages *packages);

/* Asks for an absolute path, which is copied. Returns the number of the question. */
uint32_t packages_want(struct packages *packages, const char *path, size_t length);

/* Answers the questions. What cannot be read of the managers' files owns nothing; how much that is,
 * and why, is said in one line of `trouble`, which stays empty where all is well or there is no
 * package manager. */
void packages_scan(struct packages *packages, struct buffer *trouble);

/* "name version" of a Debian package, "rpm:name version" and so on for others
 * (package_managers.def); without the version where it is not known. NULL: no package, or a folder
 * that several share. Lives as long as `packages`. */
const char *packages_owner(const struct packages *packages, uint32_t question);

#endif
