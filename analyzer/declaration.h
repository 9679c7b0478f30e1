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

/* Files and folders that were only looked at or listed: they say the least. */
bool finding_is_glance(const struct analysis_finding *finding);

#endif
