/* SPDX-License-Identifier: MIT
 *
 * Lines of a manifest about a finding, ready to be pasted: each text is valid YAML with the key
 * that it belongs under.
 */
#ifndef ANALYZER_DECLARATION_H
#define ANALYZER_DECLARATION_H

#include "analysis.h"

/* What would declare all members; nothing where no rule could, or only one that declares much more.
 */
void declaration_add(struct buffer *out, const struct analysis *analysis,
                     const struct analysis_finding *finding);
/* Entries of `waivers:` for all members, with a reason and an owner to be filled in. */
void waiver_add(struct buffer *out, const struct analysis *analysis,
                const struct analysis_finding *finding);

/* Elements of the lists `inputs` ("{package: libc6-dev=2.36*}", pinned to the upstream version, so
 * that a security update fits as well) and `network`; false: it cannot be declared. */
void declaration_add_package(struct buffer *out, struct text package, bool pinned);
bool declaration_add_endpoint(struct buffer *out, enum event_kind kind, struct text subject);
/* Debian's packages are the ones that a manifest knows; "name version". */
bool package_is_debian(struct text package);

/* Files and folders that were only looked at or listed: they say the least. */
bool finding_is_glance(const struct analysis_finding *finding);

#endif
