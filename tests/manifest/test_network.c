/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "support.h"

static struct policy *policy;

/* The policy of the test: a manifest of these lines. */
static void declare(const char *body)
{
    free(policy);
    policy = policy_of(body);
}

static void forget(void)
{
    free(policy);
    policy = NULL;
}

TestSuite(network, .fini = forget);

Test(network, nothing_is_declared_by_default)
{
    declare("");
    expect_undeclared(policy, CONNECT, "127.0.0.1:80");
    expect_undeclared(policy, LOOKUP, "localhost");
    expect_undeclared(policy, LOOKUP, "service:http");
    expect_undeclared(policy, BIND, "0.0.0.0:0");
}

Test(network, loopback_is_this_machine_in_both_families)
{
    declare("network: [loopback:5432]\n");
    expect_declared(policy, CONNECT, "127.0.0.1:5432");
    expect_declared(policy, CONNECT, "127.1.2.3:5432");
    expect_declared(policy, BIND, "[::1]:5432");
    expect_declared(policy, CONNECT, "[::ffff:127.0.0.1]:5432");
    expect_undeclared(policy, CONNECT, "127.0.0.1:5433");
    expect_undeclared(policy, CONNECT, "128.0.0.1:5432");
    expect_declared(policy, LOOKUP, "localhost");
    expect_declared(policy, LOOKUP, "127.0.0.1");
    expect_undeclared(policy, LOOKUP, "example.org");
}

Test(network, any_port_is_a_star)
{
    declare("network: ['loopback:*', '*:443']\n");
    expect_declared(policy, CONNECT, "127.0.0.1:1");
    expect_declared(policy, CONNECT, "192.0.2.1:443");
    expect_undeclared(policy, CONNECT, "192.0.2.1:80");
    expect_declared(policy, LOOKUP, "anything.example");
}

Test(network, sockets_with_a_path_match_like_paths)
{
    declare("network: ['unix:/run/postgresql/*', 'unix:@x*', 'unix:s']\n");
    expect_declared(policy, CONNECT, "unix:/run/postgresql/.s.PGSQL.5432");
    expect_undeclared(policy, CONNECT, "unix:/run/postgresql/sub/s");
    expect_undeclared(policy, CONNECT, "unix:/run/docker.sock");
    expect_declared(policy, CONNECT, "unix:@xyz");
    expect_undeclared(policy, CONNECT, "unix:@abc");
    expect_declared(policy, CONNECT, "unix:/proj/s");
}

Test(network, a_named_host_may_be_looked_up_and_reached_by_address)
{
    declare("network: ['pypi.example:443', '*.cdn.example:443']\n");
    expect_declared(policy, LOOKUP, "pypi.example");
    expect_declared(policy, LOOKUP, "a.cdn.example");
    expect_declared(policy, LOOKUP, "service:https");
    expect_undeclared(policy, LOOKUP, "evil.example");
    expect_declared(policy, CONNECT, "192.0.2.7:443");
    expect_declared(policy, CONNECT, "[2001:db8::1]:443");
    expect_undeclared(policy, CONNECT, "192.0.2.7:80");
    expect_undeclared(policy, CONNECT, "127.0.0.1:443");
}

Test(network, an_address_is_matched_as_an_address)
{
    declare("network: ['192.0.2.*:80', '[2001:db8::*]:80', 'netlink:0']\n");
    expect_declared(policy, CONNECT, "192.0.2.9:80");
    expect_undeclared(policy, CONNECT, "192.0.3.9:80");
    expect_declared(policy, CONNECT, "[2001:db8::9]:80");
    expect_undeclared(policy, CONNECT, "[2001:db9::9]:80");
    expect_declared(policy, CONNECT, "netlink:0");
    expect_undeclared(policy, CONNECT, "netlink:9");
}

Test(network, a_socket_of_the_builds_own_needs_no_declaration)
{
    struct question question = {.kind = EVENT_CONNECT,
                                .subject = "127.0.0.1:80",
                                .subject_length = 12,
                                .action = JUDGE_NO_ACTION};

    declare("");
    cr_assert_eq(judge(policy, &question).verdict, VERDICT_UNDECLARED);
    question.made = true;
    cr_assert_eq(judge(policy, &question).verdict, VERDICT_DECLARED);
    question.kind = EVENT_BIND;
    cr_assert_eq(judge(policy, &question).verdict, VERDICT_DECLARED);
}
