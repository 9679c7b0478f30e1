/* SPDX-License-Identifier: MIT
 *
 * Puts a policy block together: nodes, references and strings grow in memory and are laid out at
 * the end, as tallyman/policy.h says.
 */
#ifndef BLOCK_H
#define BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "buffer.h"
#include "tallyman/policy.h"

/* A reference before it is known where it goes. Head and tail are strings. */
struct block_ref {
    uint32_t node;
    uint32_t head, tail;
    uint16_t head_length, tail_length;
    struct policy_ref ref;
};

struct block {
    struct buffer strings;
    struct buffer fans, rules, endpoints, waivers, actions; /* arrays of their policy_ structs */
    struct policy_node *nodes;
    uint32_t node_count, node_room;
    struct policy_edge *edges;
    uint32_t edge_room; /* a power of two */
    struct block_ref *refs;
    uint32_t ref_count, ref_room;
    bool overflow; /* something does not fit into 32 bits; the block is of no use */
};

void block_init(struct block *block);
void block_fini(struct block *block);

uint32_t block_string(struct block *block, const char *bytes, size_t length);
uint32_t block_text(struct block *block, const char *text); /* POLICY_NONE for NULL */

/* The node of that name below `parent`; made when it is not there. */
uint32_t block_child(struct block *block, uint32_t parent, const char *name, size_t length);

/* `rest` is a pattern with unquoted wildcards or "". */
void block_ref(struct block *block, uint32_t node, const char *rest, struct policy_ref ref);

/* Lays everything out; NULL when it does not fit. `head` has the fields that are not spans. */
struct policy *block_finish(struct block *block, const struct policy *head, size_t *size);

#endif
