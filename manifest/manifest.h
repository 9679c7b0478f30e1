/* SPDX-License-Identifier: MIT
 *
 * What a build declares: tallyman.yaml read, checked and compiled to the policy block that judge()
 * (tallyman/judge.h) works on. docs/manifest.md says what a manifest means.
 *
 * A manifest is immutable once loaded. It depends on its text, on the caller's home folder and
 * variables (only where the text names them) and on dpkg's database (only where it names packages).
 */
#ifndef MANIFEST_H
#define MANIFEST_H

#include <stddef.h>
#include "buffer.h"
#include "tallyman/judge.h"

struct manifest;

/* Reads the file. NULL when it has errors: `errors` then has one line for each, in the order of the
 * file: "file:line:column: text\n", or "path: cannot read: reason\n". The caller frees. */
struct manifest *manifest_load(const char *path, struct buffer *errors);

/* The same for text in memory. `name` stands in messages; `folder` (absolute) is where a relative
 * `root` starts, and the root itself when the text names none. */
struct manifest *manifest_parse(const char *name, const char *text, size_t length,
                                const char *folder, struct buffer *errors);

/* The same manifest as it would be in another checkout, whose root is `root`: what is relative to
 * the root of this one is relative to that. NULL when it does not parse there; `errors` as above.
 */
struct manifest *manifest_at(const struct manifest *manifest, const char *root,
                             struct buffer *errors);

/* The policy of a run without a manifest: the tree at `root` is input and output, nothing else is
 * declared. Never NULL. */
struct manifest *manifest_ambient(const char *root);

void manifest_free(struct manifest *manifest); /* NULL is allowed */

/* Folder that relative paths start from: absolute, links resolved where it exists. */
const char *manifest_root(const struct manifest *manifest);

/* As given to manifest_load or manifest_parse; NULL for the ambient one. */
const char *manifest_path(const struct manifest *manifest);

/* The text as it was read, NUL-terminated; "" and 0 for the ambient one. */
const char *manifest_text(const struct manifest *manifest, size_t *length);

/* One block of `*size` bytes, position-independent, laid out as tallyman/policy.h says; free() it.
 * NULL when the rules do not fit (a line in `errors`). */
struct policy *policy_compile(const struct manifest *manifest, size_t *size, struct buffer *errors);

/* Compares what lies on the disk with the digests in the manifest. Returns how many do not hold;
 * each is a line "file:line:column: text\n" in `problems`. */
int manifest_check_digests(const struct manifest *manifest, struct buffer *problems);

/* What is allowed and yet probably not meant; a line "file:line:column: warning: text\n" for each.
 */
void manifest_lint(const struct manifest *manifest, struct buffer *warnings);

/* Named rule sets, in the order of sets.def. */
int manifest_set_count(void);
const char *manifest_set_name(int set);
const char *manifest_set_text(int set); /* a fragment of YAML */

/* Where dpkg keeps its database; NULL for /var/lib/dpkg. For tests: the pointer is kept. */
void manifest_use_packages(const char *folder);

#endif
