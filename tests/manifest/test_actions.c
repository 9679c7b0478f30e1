/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "support.h"

static const char body[] = "inputs: [src/**, /usr/**]\n"
                           "outputs: [build/**]\n"
                           "actions:\n"
                           "  - name: codegen\n"
                           "    match: {exe: '**/python3*', argument: '*gen.py'}\n"
                           "    inputs: [tools/gen.py, spec/*.json]\n"
                           "    outputs: [build/gen/**]\n"
                           "  - name: any-python\n"
                           "    match: {exe: 'python3*'}\n"
                           "    inputs: [py/**]\n";

#define ACTION_OF(policy, exe, argv, parent)                                                       \
    policy_action_of(policy, exe, strlen(exe), argv, sizeof(argv) - 1, parent)

Test(actions, the_first_that_matches_takes_the_process)
{
    struct policy *policy = policy_of(body);

    cr_expect_eq(
        ACTION_OF(policy, "/usr/bin/python3.11", "python3\0tools/gen.py\0", JUDGE_NO_ACTION), 0);
    cr_expect_eq(ACTION_OF(policy, "/usr/bin/python3.11", "python3\0x.py\0", JUDGE_NO_ACTION), 1);
    cr_expect_eq(ACTION_OF(policy, "/usr/bin/make", "make\0gen.py\0", JUDGE_NO_ACTION),
                 JUDGE_NO_ACTION);
    cr_expect_eq(ACTION_OF(policy, "/usr/bin/python3", "gen.py\0", JUDGE_NO_ACTION), 1,
                 "the first argument is the program's own name");
    free(policy);
}

Test(actions, children_stay_in_the_action_of_their_parent)
{
    struct policy *policy = policy_of(body);

    cr_expect_eq(ACTION_OF(policy, "/bin/sh", "sh\0", 0), 0);
    cr_expect_eq(ACTION_OF(policy, "/usr/bin/python3", "python3\0x.py\0", 0), 0);
    cr_expect_eq(ACTION_OF(policy, "/bin/sh", "sh\0", 99), JUDGE_NO_ACTION);
    free(policy);
}

Test(actions, inputs_and_outputs_of_an_action_narrow_those_of_the_build_in_the_root)
{
    struct policy *policy = policy_of(body);

    cr_expect_eq(judge_in(policy, EVENT_READ, "/proj/tools/gen.py", 0).verdict, VERDICT_DECLARED);
    cr_expect_eq(judge_in(policy, EVENT_READ, "/proj/src/a.c", 0).verdict, VERDICT_UNDECLARED);
    cr_expect_eq(judge_in(policy, EVENT_READ, "/usr/lib/python3.11/os.py", 0).verdict,
                 VERDICT_DECLARED);
    cr_expect_eq(judge_in(policy, EVENT_WRITE, "/proj/build/gen/x", 0).verdict, VERDICT_DECLARED);
    cr_expect_eq(judge_in(policy, EVENT_WRITE, "/proj/build/x", 0).verdict, VERDICT_UNDECLARED);
    cr_expect_eq(judge_in(policy, EVENT_READ, "/proj/tools/gen.py", JUDGE_NO_ACTION).verdict,
                 VERDICT_UNDECLARED);
    free(policy);
}

Test(actions, what_an_action_does_not_mention_is_not_narrowed)
{
    struct policy *policy = policy_of(body);

    cr_expect_eq(judge_in(policy, EVENT_WRITE, "/proj/build/x", 1).verdict, VERDICT_DECLARED);
    cr_expect_eq(judge_in(policy, EVENT_READ, "/proj/src/a.c", 1).verdict, VERDICT_UNDECLARED);
    cr_expect_eq(judge_in(policy, EVENT_READ, "/proj/py/a", 1).verdict, VERDICT_DECLARED);
    free(policy);
}
