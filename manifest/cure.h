/* SPDX-License-Identifier: MIT
 *
 * YAML's surprises. A pattern such as *.c, !src or [a-z]* means something else in YAML, and what
 * libyaml then says does not help; here it is said what to write instead.
 */
#ifndef CURE_H
#define CURE_H

#include "reader.h"

/* Reports why the text is not YAML. */
void cure_explain(struct reader *reader, const yaml_parser_t *parser);

/* False for a scalar that YAML reads as a tag, a truth value, nothing, or a number whose text is
 * not the only way to write it: any other program that reads the file would see something else than
 * text. */
bool cure_is_text(struct reader *reader, const yaml_node_t *node);

/* Why the node is not what was expected and what to write, or NULL when that is plain to see. The
 * caller frees. */
char *cure_for_node(struct reader *reader, const yaml_node_t *node);

#endif
