/* SPDX-License-Identifier: MIT
 *
 * Environment, clock, randomness, identity, resources.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "support.h"

Test(values, a_variable_is_declared_by_name_or_pattern)
{
    struct policy *policy = policy_of("environment: {PATH: /bin, 'CI_*': {pass: true}, '*_ROOT': "
                                      "{pass: true}}\n");

    expect_declared(policy, GETENV, "PATH");
    expect_declared(policy, VISIBLE, "PATH");
    expect_undeclared(policy, GETENV, "PATHS");
    expect_declared(policy, VISIBLE, "CI_JOB/1");
    expect_declared(policy, GETENV, "QT_ROOT");
    expect_undeclared(policy, VISIBLE, "SECRET");
    expect_declared_absent(policy, GETENV, "CI_X");
    expect_undeclared_absent(policy, GETENV, "SECRET");
    free(policy);
}

Test(values, the_value_of_a_variable_is_in_the_policy)
{
    struct policy *policy = policy_of("environment: {PATH: '$${x}:/bin', LANG: {pass: true}}\n");
    const struct policy_rule *rules =
        (const struct policy_rule *)(const void *)((const char *)policy + policy->rules.offset);

    cr_expect_str_eq((const char *)policy + policy->strings.offset + rules[0].value, "${x}:/bin");
    cr_expect_eq(rules[1].value, POLICY_NONE);
    free(policy);
}

Test(values, the_locales_of_libc_itself_are_always_declared)
{
    struct policy *policy = policy_of("");

    expect_declared(policy, LOCALE, "C");
    expect_declared(policy, LOCALE, "POSIX");
    expect_declared(policy, LOCALE, "C.UTF-8");
    expect_declared(policy, LOCALE, "ANSI_X3.4-1968");
    expect_undeclared(policy, LOCALE, "de_DE.UTF-8");
    expect_undeclared(policy, LOCALE, "CC");
    free(policy);
}

Test(values, a_locale_is_declared_by_the_variable_that_chooses_it)
{
    const char *bodies[] = {
        "environment: {LANG: de_DE.UTF-8}\n", "environment: {LC_ALL: {pass: true}}\n",
        "environment: {'LC_*': {pass: true}}\n", "environment: {LC_TIME: {pass: true}}\n"};
    struct policy *other = policy_of("environment: {LANGUAGE: de}\n");

    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct policy *policy = policy_of(bodies[i]);

        expect_declared(policy, LOCALE, "de_DE.UTF-8");
        free(policy);
    }
    expect_undeclared(other, LOCALE, "de_DE.UTF-8");
    free(other);
}

Test(values, only_the_wall_clock_needs_declaring)
{
    struct policy *none = policy_of("");
    struct policy *fixed = policy_of("clock: {at: 1700000000, advance: true}\n");

    expect_declared(none, CLOCK_READ, "monotonic");
    expect_undeclared(none, CLOCK_READ, "realtime");
    expect_declared(fixed, CLOCK_READ, "realtime");
    cr_expect_eq(fixed->values.clock, 1700000000);
    cr_expect_eq(fixed->values.fixed, POLICY_CLOCK | POLICY_CLOCK_ADVANCE);
    free(none);
    free(fixed);
}

Test(values, random_devices_belong_to_randomness)
{
    struct policy *files = policy_of("inputs: [/dev/**]\n");
    struct policy *seed = policy_of("randomness: {seed: 42}\n");
    struct policy *waived =
        policy_of("waivers: [{channel: randomness, subject: /dev/urandom, reason: r}]\n");

    expect_undeclared(files, READ, "/dev/urandom");
    expect_undeclared(files, READ, "/x>/dev/random");
    expect_declared(files, READ, "/dev/null");
    expect_declared(seed, READ, "/dev/urandom");
    expect_declared(seed, RANDOM, "getrandom");
    expect_undeclared(files, RANDOM, "getrandom");
    expect_declared(files, SEED, "srand");
    expect_waived(waived, READ, "/dev/urandom");
    cr_expect_eq(seed->values.seed, 42);
    free(files);
    free(seed);
    free(waived);
}

Test(values, identity_is_declared_key_by_key)
{
    struct policy *policy = policy_of("identity: {user: build, uid: 1000, gid: 1001}\n");

    expect_declared(policy, USER, "user-id");
    expect_declared(policy, USER, "login-name");
    expect_declared(policy, USER, "passwd:build");
    expect_declared(policy, USER, "passwd:1000");
    expect_undeclared(policy, USER, "passwd:1001");
    expect_undeclared(policy, USER, "passwd:root");
    expect_declared(policy, GROUP, "group-id");
    expect_declared(policy, GROUP, "group:1001");
    expect_undeclared(policy, GROUP, "group:wheel");
    expect_undeclared(policy, HOST, "host-name");
    free(policy);
}

Test(values, a_real_identity_accepts_every_question)
{
    struct policy *policy = policy_of("identity: real\n");

    expect_declared(policy, USER, "user-id");
    expect_declared(policy, USER, "passwd:anyone");
    expect_declared(policy, GROUP, "group:anyone");
    expect_declared(policy, HOST, "kernel");
    free(policy);
}

Test(values, resources_are_declared_key_by_key)
{
    struct policy *policy = policy_of("resources: {cpus: 4, memory: 4GiB}\n");
    struct policy *all = policy_of("resources: real\n");

    expect_declared(policy, CPU, "online");
    expect_declared(policy, MEMORY, "physical");
    expect_undeclared(policy, LIMIT, "nofile");
    expect_declared(all, LIMIT, "nofile");
    cr_expect_eq(policy->values.memory, 4ull << 30);
    cr_expect_eq(policy->values.cpus, 4);
    free(policy);
    free(all);
}
