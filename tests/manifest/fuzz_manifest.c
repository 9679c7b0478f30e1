/* SPDX-License-Identifier: MIT
 *
 * libFuzzer target: bytes -> manifest -> policy -> judge. What parses must compile to a block that
 * policy_check() accepts and the judge works on; the block, with bytes of the input written over
 * it, must be refused or be just as safe.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "manifest.h"
#include "tallyman/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const subjects[] = {"/proj/src/a.c", "/usr/include/stdio.h",
                                       "/dev/urandom",  "PATH",
                                       "127.0.0.1:80",  "unix:/run/x",
                                       "realtime",      "passwd:build",
                                       "a.example",     "netlink:0",
                                       "[::1]:1",       "/"};

static void ask(const struct policy *policy, const uint8_t *data, size_t size)
{
    struct question question = {.action = JUDGE_NO_ACTION};
    uint32_t action = policy_action_of(policy, "/usr/bin/cc", 11, (const char *)data,
                                       size < 64 ? size : 64, JUDGE_NO_ACTION);

    for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
        for (int kind = EVENT_READ; kind < EVENT_KIND_COUNT; kind += 2) {
            question.kind = (enum event_kind)kind;
            question.subject = subjects[i];
            question.subject_length = strlen(subjects[i]);
            question.resolved = kind % 4 ? NULL : (const char *)data;
            question.resolved_length = size < 300 ? size : 300;
            question.action = kind % 3 ? action : JUDGE_NO_ACTION;
            question.absent = kind % 5 == 0;
            policy_rule_text(policy, judge(policy, &question).rule);
        }
}

static void damage(struct policy *policy, size_t policy_size, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 5 < size && i < 60; i += 6) {
        uint32_t at;

        memcpy(&at, data + i, sizeof(at));
        ((char *)policy)[at % policy_size] = (char)data[i + 4];
    }
    if (!policy_check(policy, policy_size))
        ask(policy, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer errors = BUFFER_INIT;
    struct manifest *manifest;
    struct policy *policy;
    size_t policy_size;

    setenv("HOME", "/home/u", 1);
    manifest_use_packages("/nonexistent");
    manifest = manifest_parse("fuzz", (const char *)data, size, "/proj", &errors);
    if ((manifest == NULL) != (errors.length != 0))
        abort();
    if (manifest) {
        manifest_lint(manifest, &errors);
        policy = policy_compile(manifest, &policy_size, &errors);
        if (!policy || policy_check(policy, policy_size))
            abort();
        ask(policy, data, size);
        damage(policy, policy_size, data, size);
        free(policy);
        manifest_free(manifest);
    }
    buffer_fini(&errors);
    return 0;
}
