/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct manifest *parse_body(const char *body)
{
    struct buffer errors = BUFFER_INIT;
    char *text = xprintf("version: 1\n%s", body);
    struct manifest *manifest = manifest_parse("m.yaml", text, strlen(text), "/proj", &errors);

    cr_assert(manifest, "%s", errors.data);
    free(text);
    buffer_fini(&errors);
    return manifest;
}

struct policy *policy_of(const char *body)
{
    struct buffer errors = BUFFER_INIT;
    struct manifest *manifest = parse_body(body);
    size_t size;
    struct policy *policy = policy_compile(manifest, &size, &errors);

    cr_assert(policy);
    cr_assert_eq(policy_check(policy, size), 0);
    manifest_free(manifest);
    buffer_fini(&errors);
    return policy;
}

char *errors_of(const char *text)
{
    struct buffer errors = BUFFER_INIT;
    struct manifest *manifest = manifest_parse("m.yaml", text, strlen(text), "/proj", &errors);

    cr_expect_eq(manifest == NULL, errors.length != 0);
    manifest_free(manifest);
    return buffer_take(&errors);
}

static struct judgement ask(const struct policy *policy, enum event_kind kind, const char *subject,
                            uint32_t action, bool absent)
{
    const char *arrow = strchr(subject, '>');
    struct question question = {.kind = kind,
                                .subject = subject,
                                .subject_length =
                                    arrow ? (size_t)(arrow - subject) : strlen(subject),
                                .resolved = arrow ? arrow + 1 : NULL,
                                .resolved_length = arrow ? strlen(arrow + 1) : 0,
                                .action = action,
                                .absent = absent};

    return judge(policy, &question);
}

enum verdict verdict_on(const struct policy *policy, enum event_kind kind, const char *subject)
{
    return ask(policy, kind, subject, JUDGE_NO_ACTION, false).verdict;
}

enum verdict verdict_on_absent(const struct policy *policy, enum event_kind kind,
                               const char *subject)
{
    return ask(policy, kind, subject, JUDGE_NO_ACTION, true).verdict;
}

struct judgement judge_in(const struct policy *policy, enum event_kind kind, const char *subject,
                          uint32_t action)
{
    return ask(policy, kind, subject, action, false);
}
