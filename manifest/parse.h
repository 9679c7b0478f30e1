/* SPDX-License-Identifier: MIT
 *
 * What the functions behind keys.def share.
 */
#ifndef PARSE_H
#define PARSE_H

#include "reader.h"

/* A new rule at the node's place, or NULL when there are too many (reported once). */
struct rule *parse_add_rule(struct reader *reader, const yaml_node_t *node,
                            enum policy_section section);

/* Calls `each` for every element of the list; reports a node that is no list. */
void parse_list(struct reader *reader, const struct value *value,
                void (*each)(struct reader *, const yaml_node_t *, const struct value *));

/* Reads one text into the manifest. `set`: name of the rule set, NULL for the manifest itself. */
void parse_text(struct manifest *manifest, const char *name, const char *text, size_t length,
                const char *set, struct buffer *errors);

/* Errors that take more than one rule to see. */
void parse_check_overlaps(struct reader *reader);

#endif
