/* SPDX-License-Identifier: MIT */
#include "spelling.h"

#include <criterion/criterion.h>

static const char *const commands[] = {"run", "report", "check", "manifest", "recover"};

Test(spelling, a_slip_of_the_finger_finds_the_word_that_was_meant)
{
    cr_assert_str_eq(spelling_nearest("repotr", commands, 5), "report");
    cr_assert_str_eq(spelling_nearest("chek", commands, 5), "check");
    cr_assert_str_eq(spelling_nearest("manifset", commands, 5), "manifest");
    cr_assert_str_eq(spelling_nearest("runn", commands, 5), "run");
}

Test(spelling, small_and_capital_letters_are_the_same)
{
    static const char *const names[] = {"inputs", "outputs", NULL};

    cr_assert_str_eq(spelling_nearest_of("INPUTS", names), "inputs");
    cr_assert_str_eq(spelling_nearest_of("Outptus", names), "outputs");
    cr_assert_null(spelling_nearest_of("clock", names));
}

Test(spelling, a_word_like_no_other_finds_nothing)
{
    cr_assert_null(spelling_nearest("explain", commands, 5));
    cr_assert_null(spelling_nearest("x", commands, 5));
    cr_assert_null(spelling_nearest("", commands, 5));
}

Test(spelling, neighbours_that_changed_places_are_one_slip)
{
    cr_assert_eq(spelling_distance("ab", "ba"), 1);
    cr_assert_eq(spelling_distance("kitten", "sitting"), 3);
    cr_assert_eq(spelling_distance("", "abc"), 3);
    cr_assert_eq(spelling_distance("same", "same"), 0);
}

Test(spelling, a_very_long_word_is_no_slip_of_the_finger)
{
    char word[300];

    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    cr_assert_null(spelling_nearest(word, commands, 5));
}
