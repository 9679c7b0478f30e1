/* SPDX-License-Identifier: MIT
 *
 * The bytes of the policy block: a manifest compiled for the judge. One block, made once per run by
 * policy_compile(), then only read: in memory, or from a file mapped read-only by every process of
 * the build. It holds no pointers, only offsets, so it works at any address aligned to eight bytes.
 *
 *   struct policy, then the arrays that its spans name (each aligned to eight), then the strings
 *
 * A string is an offset into `strings`, and NUL-terminated there; POLICY_NONE says there is none.
 * Numbers are of the machine's own byte order: a block never leaves the machine that made it.
 *
 * The judge trusts a block. Whoever takes one from elsewhere calls policy_check() first: a block
 * that passes cannot make the judge read outside it or run for ever, whatever its bytes say.
 *
 * POLICY_VERSION changes with any change to this file; a reader refuses another version.
 */
#ifndef TALLYMAN_POLICY_H
#define TALLYMAN_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tallyman/event.h"

#define POLICY_MAGIC    0x6c6f70796c6c6174ull /* "tallypol" */
#define POLICY_VERSION  1u
#define POLICY_NONE     UINT32_MAX
#define POLICY_SIZE_MAX 0x40000000u /* 1 GiB */

/* `count` elements (bytes for `strings`) from `offset`, counted from the start of the block. */
struct policy_span {
    uint32_t offset;
    uint32_t count;
};

/* What a rule declares. */
enum policy_section {
    POLICY_INPUT,       /* reading, listing, looking, executing */
    POLICY_OUTPUT,      /* likewise, and writing */
    POLICY_SCRATCH,     /* likewise */
    POLICY_ABSENT,      /* looking for what is not there */
    POLICY_ENVIRONMENT, /* a variable */
    POLICY_ENDPOINT,    /* a place on the network */
    POLICY_VALUE,       /* clock, randomness, identity or resources */
    POLICY_WAIVER,      /* nothing; what it matches is accepted for now */
    POLICY_SECTION_COUNT
};

#define POLICY_RULE_TAKES_AWAY 1u /* written with `!` */

/* A line of the manifest. The position is its number; where two rules have literal prefixes of the
 * same length, the later one decides. */
struct policy_rule {
    uint32_t text;   /* string: as a person reads it */
    uint32_t line;   /* in the manifest, from 1; 0 built in or from a named set */
    uint32_t action; /* the action that it belongs to, POLICY_NONE: the whole build */
    uint32_t value;  /* ENVIRONMENT, string: the value given; POLICY_NONE: the caller's is passed */
    uint16_t section; /* enum policy_section */
    uint16_t channel; /* WAIVER, VALUE: enum channel */
    uint32_t flags;   /* POLICY_RULE_* */
};

/* Names with literal beginnings form trees: a node is a name below its parent. A path is a chain of
 * component names below POLICY_SPACE_PATHS; a variable is one name below POLICY_SPACE_VARIABLES;
 * the subject of a waiver for the file system is a path below POLICY_SPACE_WAIVERS. */
enum policy_space {
    POLICY_SPACE_PATHS,
    POLICY_SPACE_VARIABLES,
    POLICY_SPACE_WAIVERS,
    POLICY_SPACE_COUNT
};

/* The first POLICY_SPACE_COUNT nodes are the roots of the spaces; their `parent` is POLICY_NONE. */
struct policy_node {
    uint32_t parent;      /* always a smaller number than the node's own */
    uint32_t name;        /* string */
    uint32_t name_length; /* bytes */
    uint32_t below;       /* a rule that declares this path or one below it; POLICY_NONE none. The
                             folders that lead to something declared may be looked at. For the root
                             of POLICY_SPACE_WAIVERS: a rule when there is any */
    uint32_t first_ref;   /* references whose pattern starts here and needs no further filter;
                             POLICY_NONE none */
    uint32_t fan;         /* index of a struct policy_fan; POLICY_NONE: no groups at this node */
};

/* Which groups a node has. */
struct policy_fan {
    uint64_t heads; /* bit n: there are groups with a head of n bytes */
    uint64_t tails; /* bit n: likewise with a tail of n bytes */
};

/* Hash table from (parent, name) to node, open addressing with linear probing; the number of slots
 * is a power of two, at least one is free. policy_hash.h has the hash. */
struct policy_edge {
    uint32_t node; /* POLICY_NONE: free */
    uint32_t tag;  /* upper half of the hash */
};

/* References at a node whose pattern continues with known bytes: the next component starts with the
 * head, the last one ends with the tail. A hash table from (node, head, tail), as above. */
struct policy_group {
    uint32_t node; /* POLICY_NONE: free */
    uint32_t head; /* string; the bytes themselves, not a pattern */
    uint32_t tail; /* string, likewise */
    uint16_t head_length;
    uint16_t tail_length;
    uint32_t first_ref;
};

/* Paths that a rule spells out whole. Such a rule has the longest literal part that a rule for this
 * path can have, so it decides, and the tree need not be walked. A hash table, as above. */
struct policy_exact {
    uint32_t node; /* POLICY_NONE: free */
    uint32_t path; /* string */
    uint16_t length;
    uint16_t tag; /* uppermost bits of the hash */
    uint32_t first_ref;
};

#define POLICY_REF_COVERS     1u /* what it matches is declared with all that lies below */
#define POLICY_REF_LINKED     2u /* a link leads there; the rule also stands at the resolved name */
#define POLICY_REF_TAKES_AWAY 4u /* as POLICY_RULE_TAKES_AWAY of the rule */
#define POLICY_REF_MORE       8u /* the next reference belongs to the same place */

/* One pattern of a rule, with what the judge needs to know of the rule. References of one node or
 * group lie together, the one that wins first: by longer literal part, then by later rule. */
struct policy_ref {
    uint32_t rule;
    uint32_t rest;    /* string: the pattern after the node's path; "" when there is no more */
    uint32_t literal; /* bytes before the first wildcard of the whole pattern */
    uint32_t action;  /* of the rule */
    uint16_t section; /* of the rule */
    uint16_t flags;   /* POLICY_REF_* */
};

enum policy_endpoint_kind {
    POLICY_ENDPOINT_LOOPBACK, /* 127.0.0.0/8 and ::1 */
    POLICY_ENDPOINT_UNIX,     /* host: pattern of a socket's path, or "@" and an abstract name */
    POLICY_ENDPOINT_ADDRESS,  /* host: pattern of a numeric address */
    POLICY_ENDPOINT_HOST,     /* host: pattern of a name */
    POLICY_ENDPOINT_NETLINK,  /* host: pattern of the family's number */
    POLICY_ENDPOINT_KIND_COUNT
};

struct policy_endpoint {
    uint32_t rule;
    uint32_t kind; /* enum policy_endpoint_kind */
    uint32_t host; /* string; "" for LOOPBACK */
    uint32_t port; /* POLICY_NONE: any */
};

/* A waiver for any channel but the file system. */
struct policy_waiver {
    uint32_t rule;
    uint32_t channel; /* enum channel */
    uint32_t subject; /* string: pattern */
};

#define POLICY_ACTION_INPUTS                                                                       \
    1u /* has its own inputs: those of the build hold outside the root only */
#define POLICY_ACTION_OUTPUTS 2u /* likewise outputs */

struct policy_action {
    uint32_t name;     /* string */
    uint32_t exe;      /* string: pattern of a path; POLICY_NONE any */
    uint32_t argument; /* string: pattern of an argument after the first; POLICY_NONE any */
    uint32_t flags;    /* POLICY_ACTION_* */
};

/* Values declared one by one. A bit in `given` says that the thing is declared, a bit in `fixed`
 * that the field holds the value which enforce and sandbox mode supply. */
#define POLICY_CLOCK         0x001u
#define POLICY_CLOCK_ADVANCE 0x002u /* in `fixed`: the clock runs on from `clock` */
#define POLICY_RANDOMNESS    0x004u
#define POLICY_USER          0x008u
#define POLICY_UID           0x010u
#define POLICY_GID           0x020u
#define POLICY_HOST          0x040u
#define POLICY_CPUS          0x080u
#define POLICY_MEMORY        0x100u
#define POLICY_LIMITS        0x200u
#define POLICY_LOCALE        0x400u /* LANG, LC_ALL or another LC_ variable is declared */

struct policy_values {
    uint32_t given;
    uint32_t fixed;
    int64_t clock; /* Unix time in seconds */
    uint64_t seed;
    uint64_t memory; /* bytes */
    uint32_t cpus;
    uint32_t uid;
    uint32_t gid;
    uint32_t user; /* string */
    uint32_t host; /* string */
    uint32_t
        rules[CHANNEL_COUNT]; /* the rule that declares the channel's values, POLICY_NONE none */
};

struct policy {
    uint64_t magic;
    uint32_t version;
    uint32_t size; /* of the whole block */
    uint32_t root; /* string: the manifest's root */
    uint32_t root_length;
    struct policy_values values;
    struct policy_span rules;
    struct policy_span nodes;
    struct policy_span edges;
    struct policy_span fans;
    struct policy_span groups;
    struct policy_span exact;
    struct policy_span refs;
    struct policy_span endpoints;
    struct policy_span waivers;
    struct policy_span actions;
    struct policy_span strings; /* the last byte is NUL */
};

/* 0 when the `size` bytes at `block` (aligned to eight) are a policy that the judge can work on
 * safely; else TALLY_ERR_FORMAT, TALLY_ERR_VERSION or TALLY_ERR_CORRUPT. */
int policy_check(const void *block, size_t size);

#endif
