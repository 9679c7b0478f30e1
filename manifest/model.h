/* SPDX-License-Identifier: MIT
 *
 * A manifest in memory: what the parser makes, and the compiler, lint and the digest check read.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tallyman/policy.h"

/* One rule. Strings are owned; NULL where the kind of rule has none. */
struct rule {
    enum policy_section section;
    int line, column; /* in the manifest; 0 for a named set or a built-in rule */
    const char *set;  /* name of the set it comes from; not owned */
    uint32_t action;  /* POLICY_NONE: the whole build */
    bool takes_away;
    char *written; /* as it stands in the file, after `!` */
    char *pattern; /* paths: absolute, normalised; variables, waivers: a pattern of text;
                      endpoints: the host; NULL for a package and for values */
    char *package; /* name; `files` are its paths (no patterns) */
    bool missing;  /* the package is not installed */
    char **files;
    size_t file_count;
    char *digest;      /* 64 hexadecimal digits */
    char *value;       /* a variable's; NULL: the caller's is passed */
    uint32_t endpoint; /* enum policy_endpoint_kind */
    uint32_t port;
    uint32_t channel; /* values, waivers: enum channel */
    char *owner;      /* waivers */
    bool has_date;
};

struct action {
    char *name;
    char *exe;
    char *argument;
    uint32_t flags; /* POLICY_ACTION_* */
};

struct manifest {
    char *path; /* NULL: ambient */
    char *text;
    size_t length;
    char *folder; /* where a relative root starts */
    char *root;
    struct rule *rules;
    size_t rule_count, rule_room;
    bool full; /* it was said that there are too many rules */
    struct action *actions;
    size_t action_count, action_room;
    uint32_t given, fixed; /* POLICY_* bits, as in struct policy_values */
    int64_t clock;
    uint64_t seed, memory;
    uint32_t cpus, uid, gid;
    char *user, *host;
    int root_line, root_column; /* 0: no key `root` */
};

#define MANIFEST_RULES_MAX   250000u
#define MANIFEST_ACTIONS_MAX 10000u
#define MANIFEST_SIZE_MAX    (16u << 20)

/* Appends an empty rule; valid until the next one is added. */
struct rule *model_add_rule(struct manifest *manifest, enum policy_section section);
struct action *model_add_action(struct manifest *manifest);

/* "gcc: inputs: !/usr/include/ **", what a reader of the report is told. */
struct buffer;
void model_add_text(const struct rule *rule, struct buffer *out);

/* "file:line:column: " of a rule, for messages. */
void model_place(const struct manifest *manifest, const struct rule *rule, struct buffer *out);

#endif
