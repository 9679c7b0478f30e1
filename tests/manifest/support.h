/* SPDX-License-Identifier: MIT */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "buffer.h"
#include "manifest.h"
#include "tallyman/policy.h"

/* Parses "version: 1\n" and `body` with the folder /proj, which does not exist; fails the test when
 * there are errors. */
struct manifest *parse_body(const char *body);

/* The same, compiled; checked by policy_check(). */
struct policy *policy_of(const char *body);

/* Parses the whole text and returns the errors; the test owns them. "" when there are none. */
char *errors_of(const char *text);

/* A verdict on the subject. "GIVEN>RESOLVED" has both names. */
enum verdict verdict_on(const struct policy *policy, enum event_kind kind, const char *subject);
enum verdict verdict_on_absent(const struct policy *policy, enum event_kind kind,
                               const char *subject);
struct judgement judge_in(const struct policy *policy, enum event_kind kind, const char *subject,
                          uint32_t action);

#define expect_declared(policy, kind, subject)                                                     \
    cr_expect_eq(verdict_on(policy, EVENT_##kind, subject), VERDICT_DECLARED, "%s", subject)
#define expect_undeclared(policy, kind, subject)                                                   \
    cr_expect_eq(verdict_on(policy, EVENT_##kind, subject), VERDICT_UNDECLARED, "%s", subject)
#define expect_waived(policy, kind, subject)                                                       \
    cr_expect_eq(verdict_on(policy, EVENT_##kind, subject), VERDICT_WAIVED, "%s", subject)
#define expect_declared_absent(policy, kind, subject)                                              \
    cr_expect_eq(verdict_on_absent(policy, EVENT_##kind, subject), VERDICT_DECLARED, "%s", subject)
#define expect_undeclared_absent(policy, kind, subject)                                            \
    cr_expect_eq(verdict_on_absent(policy, EVENT_##kind, subject), VERDICT_UNDECLARED, "%s",       \
                 subject)

#endif
