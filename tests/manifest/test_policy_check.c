/* SPDX-License-Identifier: MIT
 *
 * Damaged blocks: either they are refused, or the judge comes through. Run under the sanitizers,
 * this finds every read outside the block.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "support.h"
#include "tallyman/status.h"

TestSuite(policy_check, .timeout = 240);

static const char body[] =
    "inputs: ['src/**', '!src/private/*.c', 'a[b-d]*/**/x?y', '**/*.h', /lib/x]\n"
    "outputs: [build]\n"
    "absent: [/usr/local/**]\n"
    "environment: {PATH: /bin, 'LC_*': {pass: true}}\n"
    "network: [loopback:1, 'unix:/run/*', '*.example:443']\n"
    "identity: {user: build, uid: 7}\n"
    "waivers:\n"
    "  - {channel: filesystem, subject: '/etc/*', reason: r}\n"
    "  - {channel: clock, subject: '*', reason: r}\n"
    "actions:\n"
    "  - {name: n, match: {exe: '**/cc', argument: '*.c'}, inputs: [in]}\n";

static struct policy *compile(size_t *size)
{
    struct buffer errors = BUFFER_INIT;
    struct manifest *manifest = parse_body(body);
    struct policy *policy = policy_compile(manifest, size, &errors);

    cr_assert(policy);
    manifest_free(manifest);
    return policy;
}

static void ask_everything(const struct policy *policy)
{
    static const char *const subjects[] = {"/proj/src/private/a.c",
                                           "/proj/abc/d/x1y",
                                           "/lib/x>/usr/lib/x",
                                           "/usr/local/x",
                                           "/etc/passwd",
                                           "PATH",
                                           "LC_ALL",
                                           "127.0.0.1:1",
                                           "unix:/run/s",
                                           "a.example",
                                           "passwd:build",
                                           "realtime",
                                           "/dev/urandom",
                                           "/",
                                           ""};

    for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
        for (int kind = EVENT_READ; kind < EVENT_KIND_COUNT; kind += i < 5 ? 3 : 1) {
            struct judgement judgement =
                judge_in(policy, (enum event_kind)kind, subjects[i], (uint32_t)kind % 2);

            cr_assert_leq(judgement.verdict, VERDICT_WAIVED);
            cr_assert_leq(strlen(policy_rule_text(policy, judgement.rule)), policy->size);
        }
    policy_action_of(policy, "/usr/bin/cc", 11, "cc\0x.c\0", 7, JUDGE_NO_ACTION);
}

Test(policy_check, a_fresh_block_passes_at_any_aligned_address)
{
    size_t size;
    struct policy *policy = compile(&size);
    char *moved = xmalloc(size + 8);

    cr_expect_eq(policy_check(policy, size), 0);
    memcpy(moved + 8, policy, size);
    cr_expect_eq(policy_check(moved + 8, size), 0);
    ask_everything((const struct policy *)(const void *)(moved + 8));
    memmove(moved + 1, moved + 8, size);
    cr_expect_eq(policy_check(moved + 1, size), TALLY_ERR_FORMAT);
    free(moved);
    free(policy);
}

Test(policy_check, other_files_and_versions_are_refused)
{
    size_t size;
    struct policy *policy = compile(&size);

    cr_expect_eq(policy_check(policy, 0), TALLY_ERR_FORMAT);
    cr_expect_eq(policy_check(policy, sizeof(*policy) - 1), TALLY_ERR_FORMAT);
    cr_expect_eq(policy_check(policy, size - 1), TALLY_ERR_CORRUPT);
    policy->version++;
    cr_expect_eq(policy_check(policy, size), TALLY_ERR_VERSION);
    policy->magic++;
    cr_expect_eq(policy_check(policy, size), TALLY_ERR_FORMAT);
    free(policy);
}

Test(policy_check, the_block_is_the_same_for_the_same_manifest)
{
    size_t size, again;
    struct policy *one = compile(&size), *other = compile(&again);

    cr_assert_eq(size, again);
    cr_expect_arr_eq((char *)one, (char *)other, size);
    free(one);
    free(other);
}

Test(policy_check, no_damaged_byte_makes_the_judge_read_outside)
{
    static const unsigned char flips[] = {0x01, 0x80, 0xff};
    size_t size, passed = 0;
    struct policy *policy = compile(&size);
    char *damaged = xmalloc(size);

    for (size_t i = 0; i < size; i += i < 1024 ? 1 : 3)
        for (size_t f = 0; f < sizeof(flips); f++) {
            memcpy(damaged, policy, size);
            damaged[i] ^= (char)flips[f];
            if (policy_check(damaged, size))
                continue;
            passed++;
            ask_everything((const struct policy *)(const void *)damaged);
        }
    cr_expect_gt(passed, 0);
    free(damaged);
    free(policy);
}

Test(policy_check, no_damaged_number_makes_the_judge_read_outside)
{
    static const uint32_t numbers[] = {0, 1, 0x7fffffff, 0xfffffffe, 0xffffffff};
    size_t size;
    struct policy *policy = compile(&size);
    char *damaged = xmalloc(size);

    for (size_t i = 0; i + 4 <= size; i += 4)
        for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
            memcpy(damaged, policy, size);
            memcpy(damaged + i, &numbers[n], 4);
            if (!policy_check(damaged, size))
                ask_everything((const struct policy *)(const void *)damaged);
        }
    free(damaged);
    free(policy);
}
