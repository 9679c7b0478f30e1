/* SPDX-License-Identifier: MIT */
#include "nearest.h"

#include <criterion/criterion.h>
#include <string.h>

#include "manifest.h"
#include "support.h"

static struct nearest nearest;

static void check(const char *text, enum event_kind kind, const char *name, bool absent,
                  enum nearest_why why, const char *rule)
{
    struct buffer errors = BUFFER_INIT;
    struct manifest *manifest = manifest_parse("m.yaml", text, strlen(text), "/proj", &errors);
    struct unmatched unmatched = {kind, name, strlen(name), absent};

    cr_assert_not_null(manifest, "%s", errors.data);
    nearest_fini(&nearest);
    nearest_find(manifest, &unmatched, &nearest);
    manifest_free(manifest);
    cr_assert_eq(nearest.why, why, "%s: %d, %s", name, nearest.why, nearest.rule.data);
    cr_assert_str_eq(nearest.rule.length ? nearest.rule.data : "", rule, "%s", name);
}

Test(nearest, of_paths_the_rule_with_most_names_in_common_comes_nearest)
{
    const char *text = "version: 1\n"
                       "inputs: [/usr/share/x, /usr/include/a/**, /usr/include/b.h]\n"
                       "outputs: [/usr/include/b/c/d]\n";

    check(text, EVENT_READ, "/usr/include/b/c/x", false, NEAREST_PARTS,
          "outputs: /usr/include/b/c/d");
    cr_assert_eq(nearest.common, strlen("/usr/include/b/c"));
    cr_assert_eq(nearest.line, 3);
    check(text, EVENT_READ, "/usr/share/y", false, NEAREST_PARTS, "inputs: /usr/share/x");
    check(text, EVENT_READ, "/opt/y", false, NEAREST_NONE, "");
}

Test(nearest, where_two_part_at_the_same_name_the_one_that_is_spelled_alike_comes_nearest)
{
    check("version: 1\ninputs: [/opt/sdk/incldue, /opt/sdk/bin]\n", EVENT_READ,
          "/opt/sdk/include/x.h", false, NEAREST_PARTS, "inputs: /opt/sdk/incldue");
    check("version: 1\ninputs: [/opt/sdk/bin, /opt/sdk/incldue]\n", EVENT_READ,
          "/opt/sdk/include/x.h", false, NEAREST_PARTS, "inputs: /opt/sdk/incldue");
}

Test(nearest, a_pattern_that_ends_otherwise_is_near)
{
    check("version: 1\ninputs: [src/**/*.c, lib]\n", EVENT_READ, "/proj/src/a/x.h", false,
          NEAREST_PARTS, "inputs: src/**/*.c");
    cr_assert_eq(nearest.common, strlen("/proj/src"));
}

Test(nearest, a_rule_for_another_use_is_said_to_match)
{
    const char *text = "version: 1\ninputs: [src]\nabsent: [/opt/none]\n";

    check(text, EVENT_WRITE, "/proj/src/a.o", false, NEAREST_SECTION, "inputs: src");
    check(text, EVENT_READ, "/opt/none", false, NEAREST_SECTION, "absent: /opt/none");
}

Test(nearest, a_rule_of_an_action_is_said_to_be_for_it_alone)
{
    check("version: 1\nactions:\n  - {name: gen, match: {exe: python3}, inputs: [tools/**]}\n",
          EVENT_READ, "/proj/tools/g.py", false, NEAREST_ACTION, "inputs: tools/**");
    cr_assert_str_eq(nearest.part.data, "gen");
}

Test(nearest, of_variables_the_one_that_is_spelled_alike_comes_nearest)
{
    const char *text = "version: 1\nenvironment: {LNAG: {pass: true}, HOME: /x}\n";

    check(text, EVENT_GETENV, "LANG", false, NEAREST_SPELLED, "environment: LNAG");
    check(text, EVENT_GETENV, "SOMETHING", false, NEAREST_NONE, "");
}

Test(nearest, of_endpoints_the_one_of_the_same_host_comes_nearest)
{
    const char *text = "version: 1\nnetwork: [\"loopback:80\", \"192.0.2.1:443\", "
                       "\"pypi.example:443\", \"unix:/run/x.sock\"]\n";

    check(text, EVENT_CONNECT, "127.0.0.1:81", false, NEAREST_PORT, "network: loopback:80");
    check(text, EVENT_CONNECT, "[::1]:81", false, NEAREST_PORT, "network: loopback:80");
    check(text, EVENT_CONNECT, "192.0.2.1:80", false, NEAREST_PORT, "network: 192.0.2.1:443");
    check(text, EVENT_LOOKUP, "pipy.example", false, NEAREST_SPELLED, "network: pypi.example:443");
    check(text, EVENT_CONNECT, "unix:/run/y.sock", false, NEAREST_SPELLED,
          "network: unix:/run/x.sock");
    check(text, EVENT_CONNECT, "203.0.113.200:9", false, NEAREST_NONE, "");
}

Test(nearest, of_values_the_key_that_would_declare_them_is_named)
{
    check("version: 1\n", EVENT_CLOCK_READ, "realtime", false, NEAREST_KEY, "clock");
    check("version: 1\n", EVENT_CPU, "affinity", false, NEAREST_KEY, "resources");
    check("version: 1\n", EVENT_READ, "/dev/urandom", false, NEAREST_KEY, "randomness");
    check("version: 1\n", EVENT_LOCALE, "de_DE", false, NEAREST_KEY, "environment: LC_ALL");
}

Test(nearest, waivers_and_rules_that_take_away_are_not_near)
{
    check("version: 1\ninputs: [\"!/opt/a\"]\nwaivers:\n"
          "  - {channel: filesystem, subject: /opt/a, reason: r}\n",
          EVENT_READ, "/opt/b", false, NEAREST_NONE, "");
}

Test(nearest, names_of_any_kind_are_taken)
{
    check("version: 1\ninputs: [/opt/a]\n", EVENT_READ, "relative", false, NEAREST_NONE, "");
    check("version: 1\ninputs: [/opt/a]\n", EVENT_READ, "", false, NEAREST_NONE, "");
    check("version: 1\ninputs: [/opt/a]\n", EVENT_READ, "/", false, NEAREST_NONE, "");
    check("version: 1\ninputs: [/opt/a]\n", EVENT_READ, "/opt", false, NEAREST_PARTS,
          "inputs: /opt/a");
}
