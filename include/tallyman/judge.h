/* SPDX-License-Identifier: MIT
 *
 * The judge: is this access declared? One matcher over the policy block (policy.h), used by the
 * supervisor, the analyzer and (later) the shim. It allocates nothing, takes no lock, calls no libc
 * function, uses under 1 KiB of stack and may run in a signal handler.
 */
#ifndef TALLYMAN_JUDGE_H
#define TALLYMAN_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tallyman/event.h"

struct policy; /* policy.h: the read-only block; position-independent, mapped or in memory */

enum verdict { VERDICT_DECLARED, VERDICT_UNDECLARED, VERDICT_WAIVED };

#define JUDGE_NO_RULE   UINT32_MAX
#define JUDGE_NO_ACTION UINT32_MAX

struct question {
    enum event_kind kind;
    const char *subject; /* bytes, no NUL needed. Paths: absolute, without "//", "." and, where they
                            do not cross a link, ".." */
    size_t subject_length;
    const char *resolved; /* paths: the name the kernel resolves it to; NULL when the same */
    size_t resolved_length;
    uint32_t action; /* policy_action_of the process, or JUDGE_NO_ACTION */
    bool absent;     /* the access found nothing (ENOENT, ENOTDIR, unset variable) */
    bool made;       /* the build itself made the thing in this run: declared for all but WRITE */
};

struct judgement {
    enum verdict verdict;
    uint32_t rule; /* index for policy_rule_text, or JUDGE_NO_RULE */
};

struct judgement judge(const struct policy *policy, const struct question *question);

/* The action (index) that takes a process, given its program and arguments (`argv`: NUL after each,
 * `argv_length` bytes in all) and its parent's action. */
uint32_t policy_action_of(const struct policy *policy, const char *exe, size_t exe_length,
                          const char *argv, size_t argv_length, uint32_t parent_action);

uint32_t policy_rule_count(const struct policy *policy);
/* The rule as a person reads it ("inputs: /usr/include/"); points into the block. */
const char *policy_rule_text(const struct policy *policy, uint32_t rule);
/* Line in the manifest; 0 for a built-in rule or one from a named set. */
uint32_t policy_rule_line(const struct policy *policy, uint32_t rule);
/* True when the rule is a waiver. */
bool policy_rule_is_waiver(const struct policy *policy, uint32_t rule);

#endif
