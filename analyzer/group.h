/* SPDX-License-Identifier: MIT
 *
 * Which accesses a person acts on together. The rules look at one access alone, never at the
 * others, so that a group is named the same in every run.
 */
#ifndef ANALYZER_GROUP_H
#define ANALYZER_GROUP_H

#include "analysis.h"

/* Where paths are measured from. */
struct places {
    struct text root; /* of the project */
    struct text home; /* of the caller; empty unknown */
    struct text user, host;
};

/* The folder that holds the project, where its other contents are likely to belong to the project's
 * world: not when it is the caller's home, a folder for temporary files or near the root. Empty
 * else. */
struct text places_beside(const struct places *places);

/* Which of them the path lies in, the innermost first; `rest` is what follows the folder's name. */
enum place { PLACE_ROOT, PLACE_BESIDE, PLACE_HOME, PLACE_ELSEWHERE };
enum place places_find(const struct places *places, struct text path, struct text *rest);

struct group {
    const char *kind;          /* what the name is: static */
    struct text name;          /* points into the subject, its package or static text */
    enum category_id category; /* of this member; all are of one, or all are installed files */
};

/* A connection under way (EINPROGRESS) counts as one that was answered: what became of it is not
 * known, and the build asked for the service in any case. */
enum finding_class group_class(enum event_kind kind, struct text subject, int outcome);

/* `package` is "name version" or empty; it names the group of what is read alone. */
struct group group_of(const struct places *places, enum channel channel, enum event_kind kind,
                      enum finding_class class, struct text subject, struct text package);

/* What a fingerprint says of the category: one word for all kinds of installed files, and one for
 * variables that were read and those that could be seen. */
const char *group_category_word(enum category_id category);

/* Where the access is shown: reading /dev/urandom is a use of randomness. */
enum channel group_channel(enum event_kind kind, struct text subject);

/* What tells uses of one group apart, for its fingerprint. Files and variables need one declaration
 * for all uses. */
void group_add_what(struct buffer *out, enum channel channel, enum finding_class class,
                    enum event_kind kind);

/* 16 hex digits of a SHA-256 over what stays the same on every machine: the caller's home and name,
 * the project's place and the host's name are replaced. `what` is of group_add_what. */
void group_fingerprint(const struct places *places, enum channel channel, const char *what,
                       const struct group *group, char fingerprint[17]);

/* The name of a group as the fingerprint has it: "{root}/x", "~/x", "{user}". */
void group_add_stable_name(const struct places *places, enum channel channel, struct text name,
                           struct buffer *out);

/* True when the path is the folder or below it. */
bool path_is_within(struct text path, struct text folder);
/* True when both end in the same name: then they differ by links among the folders alone, and not
 * because the name itself is a link. */
bool path_same_last_name(struct text one, struct text other);

#endif
