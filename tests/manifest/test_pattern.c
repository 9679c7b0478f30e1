/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>
#include "match.h"

static bool text(const char *pattern, const char *bytes)
{
    return match_text(pattern, strlen(pattern), bytes, strlen(bytes));
}

static bool path(const char *pattern, bool covers, const char *bytes)
{
    return match_path(pattern, covers, bytes, strlen(bytes));
}

Test(pattern, stars_and_question_marks_match_as_in_a_shell)
{
    cr_expect(text("", ""));
    cr_expect(text("*", ""));
    cr_expect(text("a*b*c", "aXbYYc"));
    cr_expect(text("a*b*c", "abbc"));
    cr_expect_not(text("a*b*c", "abb"));
    cr_expect(text("?*", "x"));
    cr_expect_not(text("?", ""));
    cr_expect(text("*", ".hidden"));
    cr_expect(text("*gen.py", "tools/gen.py"));
}

Test(pattern, classes_have_ranges_negation_and_brackets)
{
    cr_expect(text("[a-c]", "b"));
    cr_expect_not(text("[a-c]", "d"));
    cr_expect(text("[!a-c]", "d"));
    cr_expect(text("[^a-c]", "d"));
    cr_expect(text("[]]", "]"));
    cr_expect(text("[!]]", "x"));
    cr_expect(text("[a-]", "-"));
    cr_expect(text("[\\]-a]", "]"));
    cr_expect(text("[\x80-\xff]", "\xe4"));
}

Test(pattern, damaged_patterns_stand_for_themselves)
{
    cr_expect(text("[abc", "[abc"));
    cr_expect(text("x\\", "x\\"));
    cr_expect_not(text("[", "a"));
}

Test(pattern, many_stars_take_no_exponential_time)
{
    char pattern[201], bytes[4001];

    for (int i = 0; i < 100; i++)
        memcpy(pattern + 2 * i, "*a", 2);
    pattern[200] = '\0';
    memset(bytes, 'a', 4000);
    bytes[3999] = 'b';
    bytes[4000] = '\0';
    cr_expect_not(text(pattern, bytes));
}

Test(pattern, two_stars_as_a_component_span_folders)
{
    cr_expect(path("**", false, "a/b/c"));
    cr_expect(path("**", false, ""));
    cr_expect(path("**/c", false, "a/b/c"));
    cr_expect(path("**/c", false, "c"));
    cr_expect_not(path("**/c", false, "a/bc"));
    cr_expect(path("a/**/b/**/c", false, "a/x/b/b/y/c"));
    cr_expect_not(path("a/**/b/c", false, "a/b/x/c"));
    cr_expect(path("*/**", false, "a"));
    cr_expect_not(path("*/**", false, ""));
}

Test(pattern, a_covering_pattern_matches_what_lies_below)
{
    cr_expect(path("a/b", true, "a/b/c/d"));
    cr_expect_not(path("a/b", false, "a/b/c/d"));
    cr_expect(path("**/test", true, "x/test/y"));
    cr_expect_not(path("a/b", true, "a"));
    cr_expect_not(path("a/b", true, "a/bb"));
}
