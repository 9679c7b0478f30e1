/* SPDX-License-Identifier: MIT
 *
 * Files: which rule decides, and what it declares.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
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

TestSuite(judge, .fini = forget, .timeout = 60);

Test(judge, an_input_may_be_read_listed_looked_at_and_run_but_not_written)
{
    declare("inputs: [src/**]\n");
    expect_declared(policy, READ, "/proj/src/a.c");
    expect_declared(policy, LIST, "/proj/src");
    expect_declared(policy, STAT, "/proj/src/deep/er/x");
    expect_declared(policy, EXECUTE, "/proj/src/gen.sh");
    expect_undeclared(policy, WRITE, "/proj/src/a.c");
    expect_undeclared(policy, READ, "/proj/other");
}

Test(judge, outputs_and_scratch_may_be_written_and_read_back)
{
    declare("outputs: [build]\nscratch: [/tmp/**]\n");
    expect_declared(policy, WRITE, "/proj/build/x.o");
    expect_declared(policy, READ, "/proj/build/x.o");
    expect_declared(policy, MKDIR, "/proj/build");
    expect_declared(policy, UNLINK, "/tmp/ccx.s");
    expect_undeclared(policy, WRITE, "/proj/built");
}

Test(judge, rules_match_whole_components)
{
    declare("inputs: [/usr, d]\n");
    expect_declared(policy, READ, "/usr/include/stdio.h");
    expect_undeclared(policy, READ, "/usrlocal/x");
    expect_declared(policy, READ, "/proj/d/x");
    expect_undeclared(policy, READ, "/proj/d2/x");
    expect_undeclared(policy, READ, "/projd/x");
}

Test(judge, a_wildcard_stays_in_its_component)
{
    declare("inputs: ['src/*.c', 'lib/?.h', 'v[0-9]/x', 'w[!a]/x']\n");
    expect_declared(policy, READ, "/proj/src/a.c");
    expect_undeclared(policy, READ, "/proj/src/a.h");
    expect_undeclared(policy, READ, "/proj/src/sub/a.c");
    expect_declared(policy, READ, "/proj/lib/a.h");
    expect_undeclared(policy, READ, "/proj/lib/ab.h");
    expect_declared(policy, READ, "/proj/v7/x");
    expect_undeclared(policy, READ, "/proj/va/x");
    expect_declared(policy, READ, "/proj/wb/x");
    expect_undeclared(policy, READ, "/proj/wa/x");
}

Test(judge, two_stars_span_any_number_of_components)
{
    declare("inputs: ['**/*.c', 'a/**/z', '/opt/**/include/**']\n");
    expect_declared(policy, READ, "/proj/x.c");
    expect_declared(policy, READ, "/proj/deep/er/x.c");
    expect_declared(policy, READ, "/proj/a/z");
    expect_declared(policy, READ, "/proj/a/b/c/z");
    expect_undeclared(policy, READ, "/proj/a/b/c/zz");
    expect_declared(policy, READ, "/opt/include/x.h");
    expect_declared(policy, READ, "/opt/llvm/17/include/deep/x.h");
    expect_undeclared(policy, READ, "/opt/llvm/17/lib/x.so");
}

Test(judge, a_path_or_pattern_that_names_a_folder_covers_what_lies_below)
{
    declare("inputs: [src, '/opt/*/include', 'gen/*']\n");
    expect_declared(policy, READ, "/proj/src");
    expect_declared(policy, READ, "/proj/src/a/b/c");
    expect_declared(policy, READ, "/opt/llvm/include/a/b.h");
    expect_declared(policy, READ, "/proj/gen/a");
    expect_undeclared(policy, READ, "/proj/gen/a/b");
}

Test(judge, a_backslash_quotes_a_wildcard)
{
    declare("inputs: ['src/\\*.c', 'x\\[1]/y*']\n");
    expect_declared(policy, READ, "/proj/src/*.c");
    expect_undeclared(policy, READ, "/proj/src/a.c");
    expect_declared(policy, READ, "/proj/x[1]/yes");
    expect_undeclared(policy, READ, "/proj/x1/yes");
}

Test(judge, an_exclamation_mark_takes_away_and_a_longer_rule_gives_back)
{
    declare("inputs: ['src/**', '!src/private/**', src/private/ok.h, '!src/**/*.bak']\n");
    expect_declared(policy, READ, "/proj/src/a.c");
    expect_undeclared(policy, READ, "/proj/src/private/key");
    expect_declared(policy, READ, "/proj/src/private/ok.h");
    expect_undeclared(policy, READ, "/proj/src/sub/a.bak");
}

Test(judge, of_equal_literal_beginnings_the_later_rule_wins)
{
    struct policy *first = policy_of("inputs: ['src/**', '!src/*.h']\n");
    struct policy *last = policy_of("inputs: ['!src/*.h', 'src/**']\n");

    expect_undeclared(first, READ, "/proj/src/a.h");
    expect_declared(last, READ, "/proj/src/a.h");
    free(first);
    free(last);
}

Test(judge, the_literal_beginning_is_counted_in_bytes)
{
    declare("inputs: ['src/ab*', '!src/a*', '!src/*']\n");
    expect_declared(policy, READ, "/proj/src/abc");
    expect_undeclared(policy, READ, "/proj/src/axe");
    expect_undeclared(policy, READ, "/proj/src/b");
}

Test(judge, a_longer_input_inside_an_output_must_not_be_written)
{
    declare("inputs: [build/config.h]\noutputs: [build/**]\n");
    expect_declared(policy, WRITE, "/proj/build/a.o");
    expect_undeclared(policy, WRITE, "/proj/build/config.h");
    expect_declared(policy, READ, "/proj/build/config.h");
}

Test(judge, an_absent_rule_declares_the_probe_and_not_the_find)
{
    declare("inputs: [/usr/**]\nabsent: [/usr/local/include/**, /etc/site]\n");
    expect_declared_absent(policy, READ, "/usr/local/include/x.h");
    expect_undeclared(policy, READ, "/usr/local/include/x.h");
    expect_declared(policy, STAT, "/usr/local/include");
    expect_undeclared(policy, LIST, "/usr/local/include/sub");
    expect_declared_absent(policy, STAT, "/etc/site");
    expect_undeclared(policy, STAT, "/etc/site");
    expect_undeclared_absent(policy, STAT, "/etc/other");
}

Test(judge, a_probe_below_any_rule_is_declared_whatever_the_operation)
{
    declare("inputs: [src/**, '!src/no/**']\n");
    expect_declared_absent(policy, READ, "/proj/src/missing.h");
    expect_declared_absent(policy, UNLINK, "/proj/src/missing.o");
    expect_undeclared_absent(policy, READ, "/proj/src/no/x");
}

Test(judge, folders_that_lead_to_something_declared_may_be_looked_at_but_not_listed)
{
    declare("inputs: [/usr/include/**, '!/usr/share/**']\n");
    expect_declared(policy, STAT, "/");
    expect_declared(policy, STAT, "/usr");
    expect_declared(policy, CHDIR, "/usr/");
    expect_undeclared(policy, LIST, "/usr");
    expect_undeclared(policy, STAT, "/usr/share");
    expect_undeclared(policy, STAT, "/usr/lib");
}

Test(judge, a_link_to_a_declared_target_is_declared)
{
    declare("inputs: [u.txt]\n");
    expect_declared(policy, READ, "/elsewhere/link>/proj/u.txt");
    expect_undeclared(policy, READLINK, "/elsewhere/link>/proj/u.txt");
}

Test(judge, a_declared_link_to_an_undeclared_target_is_undeclared)
{
    declare("inputs: [d2.txt, 'src/**']\n");
    expect_undeclared(policy, READ, "/proj/d2.txt>/proj/u.txt");
    expect_declared(policy, READLINK, "/proj/d2.txt>/proj/u.txt");
    expect_declared(policy, READLINK, "/proj/d2.txt");
    expect_undeclared(policy, READ, "/proj/src/l>/etc/passwd");
    expect_undeclared(policy, READ, "/proj/src/sub/x>/etc/x");
}

Test(judge, a_rule_that_goes_on_behind_a_link_names_its_target)
{
    declare("inputs: [vendor/lib/**, tool]\n");
    expect_declared(policy, READ, "/proj/vendor/lib/x.h>/opt/vendor-1/lib/x.h");
    expect_declared(policy, READ, "/proj/vendor/lib/x.h>/opt/vendor/lib/x.h");
    expect_undeclared(policy, READ, "/proj/tool/x>/opt/tool-1/x");
}

Test(judge, side_doors_to_the_root_do_not_help)
{
    declare("inputs: [/proc/self/**]\n");
    expect_declared(policy, READ, "/proc/self/maps>/proc/123/maps");
    expect_undeclared(policy, READ, "/proc/self/root/etc/shadow>/etc/shadow");
    expect_undeclared(policy, READ, "/proc/self/cwd/x>/proj/x");
}

Test(judge, a_write_through_a_link_is_judged_by_its_target)
{
    declare("inputs: [in]\noutputs: [build/**]\n");
    expect_undeclared(policy, WRITE, "/proj/build/l>/etc/outside");
    expect_declared(policy, WRITE, "/proj/in/l>/proj/build/x");
    expect_declared(policy, UNLINK, "/proj/build/l>/etc/outside");
    expect_undeclared(policy, UNLINK, "/proj/build/l/x>/etc/x");
}

Test(judge, what_is_taken_away_under_one_name_stays_away_under_the_other)
{
    declare("inputs: [/a/**, /b/**, '!/a/x', '!/b/y']\n");
    expect_undeclared(policy, READ, "/a/x>/b/x");
    expect_undeclared(policy, READ, "/a/y>/b/y");
    expect_declared(policy, READ, "/a/z>/b/z");
}

Test(judge, links_on_the_way_to_a_rule_are_followed_when_it_is_compiled)
{
    char folder[] = "/tmp/tallyman-links-XXXXXX";
    char *body, *real, *link, *pair;

    cr_assert(mkdtemp(folder));
    real = xprintf("%s/real", folder);
    link = xprintf("%s/link", folder);
    cr_assert_eq(mkdir(real, 0755), 0);
    cr_assert_eq(symlink("real", link), 0);
    body = xprintf("inputs: ['%s/**', '%s/new/one']\n", link, link);
    declare(body);
    /* Two links, so that the names alone do not show which rule spoke of which. */
    pair = xprintf("%s/libz.so.1>%s/libz.so.1.2", link, real);
    expect_declared(policy, READ, pair);
    free(pair);
    pair = xprintf("%s/new/one", real);
    expect_declared(policy, READ, pair);
    unlink(link);
    rmdir(real);
    rmdir(folder);
    free(pair);
    free(body);
    free(real);
    free(link);
}

Test(judge, parent_components_that_cross_a_link_match_nothing_by_that_name)
{
    declare("inputs: [src/**]\n");
    expect_undeclared(policy, READ, "/proj/src/l/../../etc/passwd");
    expect_declared(policy, READ, "/proj/l/../f>/proj/src/f");
}

Test(judge, spellings_with_extra_slashes_are_the_same_path)
{
    declare("inputs: [src//./x/../**, y/]\n");
    expect_declared(policy, READ, "/proj//src///a");
    expect_declared(policy, READ, "/proj/y/");
    expect_undeclared(policy, READ, "(deleted)/src/a");
    expect_undeclared(policy, READ, "");
}

Test(judge, what_the_build_made_is_declared_for_all_but_writing)
{
    struct question question = {.kind = EVENT_READ,
                                .subject = "/elsewhere/t",
                                .subject_length = 12,
                                .action = JUDGE_NO_ACTION,
                                .made = true};

    declare("");
    cr_expect_eq(judge(policy, &question).verdict, VERDICT_DECLARED);
    question.kind = EVENT_WRITE;
    cr_expect_eq(judge(policy, &question).verdict, VERDICT_UNDECLARED);
}

Test(judge, bytes_that_are_not_utf_8_match_byte_for_byte)
{
    declare("inputs: [\"a\\xff\\xe4\", \"u\\u00ff\", \"n\\n\"]\n");
    expect_declared(policy, READ, "/proj/a\xff\xe4");
    expect_undeclared(policy, READ, "/proj/a\xc3\xbf\xc3\xa4");
    expect_declared(policy, READ, "/proj/u\xc3\xbf");
    expect_declared(policy, READ, "/proj/n\n");
}

Test(judge, a_waiver_speaks_only_where_nothing_declares)
{
    struct judgement judgement;

    declare("inputs: [/etc/ok]\n"
            "waivers:\n"
            "  - {channel: filesystem, subject: /etc, reason: r}\n"
            "  - {channel: environment, subject: 'X_*', reason: r}\n"
            "  - {channel: clock, subject: realtime, reason: r}\n");
    judgement = judge_in(policy, EVENT_READ, "/etc/localtime", JUDGE_NO_ACTION);
    expect_declared(policy, READ, "/etc/ok");
    expect_waived(policy, READ, "/etc/localtime");
    expect_waived(policy, READ, "/x>/etc/localtime");
    expect_undeclared(policy, READ, "/etcetera");
    expect_waived(policy, GETENV, "X_1");
    expect_undeclared(policy, GETENV, "Y");
    expect_waived(policy, CLOCK_READ, "realtime");
    expect_undeclared(policy, HOST, "host-name");
    cr_expect(policy_rule_is_waiver(policy, judgement.rule));
    cr_expect_eq(policy_rule_line(policy, judgement.rule), 4);
    cr_expect_str_eq(policy_rule_text(policy, judgement.rule), "waiver: filesystem /etc");
}

Test(judge, a_judgement_names_the_rule_and_its_line)
{
    struct judgement read, taken;

    declare("inputs:\n  - src/**\n  - '!src/x'\n");
    read = judge_in(policy, EVENT_READ, "/proj/src/a", JUDGE_NO_ACTION);
    taken = judge_in(policy, EVENT_READ, "/proj/src/x", JUDGE_NO_ACTION);
    cr_expect_str_eq(policy_rule_text(policy, read.rule), "inputs: src/**");
    cr_expect_eq(policy_rule_line(policy, read.rule), 3);
    cr_expect_str_eq(policy_rule_text(policy, taken.rule), "inputs: !src/x");
    cr_expect_eq(judge_in(policy, EVENT_READ, "/x", JUDGE_NO_ACTION).rule, JUDGE_NO_RULE);
    cr_expect_str_eq(policy_rule_text(policy, JUDGE_NO_RULE), "");
}

Test(judge, the_ambient_policy_declares_the_tree_and_nothing_else)
{
    struct buffer errors = BUFFER_INIT;
    struct manifest *manifest = manifest_ambient("/proj[1]");
    size_t size, length;

    policy = policy_compile(manifest, &size, &errors);
    cr_assert(policy);
    expect_declared(policy, WRITE, "/proj[1]/build/x");
    expect_declared(policy, READ, "/proj[1]/Makefile");
    expect_undeclared(policy, READ, "/proj1/Makefile");
    expect_undeclared(policy, READ, "/usr/include/stdio.h");
    expect_undeclared(policy, GETENV, "HOME");
    cr_expect_null(manifest_path(manifest));
    cr_expect_str_eq(manifest_text(manifest, &length), "");
    cr_expect_str_eq(manifest_root(manifest), "/proj[1]");
    manifest_free(manifest);
}

Test(judge, a_thousand_patterns_at_one_place_still_find_the_right_one)
{
    struct buffer body = BUFFER_INIT;

    buffer_add_text(&body, "inputs:\n");
    for (int i = 0; i < 1000; i++)
        buffer_printf(&body, "  - 'src/mod%d*/x'\n  - '**/*.e%d'\n", i, i);
    declare(body.data);
    expect_declared(policy, READ, "/proj/src/mod77-a/x");
    expect_undeclared(policy, READ, "/proj/src/mode/x");
    expect_declared(policy, READ, "/proj/deep/a.e999");
    expect_undeclared(policy, READ, "/proj/deep/a.f1");
    cr_expect_str_eq(
        policy_rule_text(policy,
                         judge_in(policy, EVENT_READ, "/proj/src/mod123/x", JUDGE_NO_ACTION).rule),
        "inputs: src/mod123*/x");
    buffer_fini(&body);
}
