/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "support.h"

Test(sets, every_named_set_is_a_good_manifest_fragment)
{
    cr_assert_eq(manifest_set_count(), 11);
    for (int i = 0; i < manifest_set_count(); i++) {
        char *body = xprintf("use: [%s]\n", manifest_set_name(i));
        struct policy *policy = policy_of(body);

        cr_expect_gt(policy_rule_count(policy), 0, "%s", manifest_set_name(i));
        cr_expect_eq(manifest_set_text(i)[0], '#', "%s starts with what it is for",
                     manifest_set_name(i));
        free(policy);
        free(body);
    }
}

Test(sets, a_set_holds_on_a_machine_without_its_packages)
{
    struct policy *policy;

    manifest_use_packages("/nonexistent");
    policy = policy_of(
        "use: [base, locale-c, tz-utc, gcc, clang, make, cmake, autotools, python3, perl, "
        "git]\n");
    expect_undeclared(policy, EXECUTE, "/usr/bin/gcc-12");
    expect_declared(policy, READ, "/etc/ld.so.cache");
    free(policy);
    manifest_use_packages(NULL);
}

Test(sets, a_set_holds_for_a_caller_without_a_home_folder)
{
    struct policy *policy;

    setenv("HOME", "", 1);
    policy = policy_of("use: [git]\n");
    cr_expect(policy);
    free(policy);
}

Test(sets, rules_of_a_set_say_so_and_have_no_line)
{
    struct policy *policy = policy_of("use: [base]\n");
    struct judgement judgement = judge_in(policy, EVENT_READ, "/etc/ld.so.cache", JUDGE_NO_ACTION);

    cr_expect_str_eq(policy_rule_text(policy, judgement.rule), "base: inputs: /etc/ld.so.cache");
    cr_expect_eq(policy_rule_line(policy, judgement.rule), 0);
    free(policy);
}

Test(sets, the_manifest_can_overrule_a_set)
{
    struct policy *policy = policy_of("use: [base]\ninputs: ['!/etc/ld.so.cache']\n");

    expect_undeclared(policy, READ, "/etc/ld.so.cache");
    free(policy);
}

Test(sets, base_declares_devices_and_the_process_itself_and_not_the_machine)
{
    struct policy *policy = policy_of("use: [base]\n");

    expect_declared(policy, WRITE, "/dev/null");
    expect_declared(policy, READ, "/proc/self/status>/proc/99/status");
    expect_undeclared(policy, READ, "/proc/cpuinfo");
    expect_undeclared(policy, READ, "/etc/passwd");
    expect_declared_absent(policy, ACCESS, "/etc/ld.so.preload");
    expect_undeclared(policy, ACCESS, "/etc/ld.so.preload");
    expect_declared(policy, VISIBLE, "PWD");
    expect_undeclared(policy, VISIBLE, "HOME");
    free(policy);
}
