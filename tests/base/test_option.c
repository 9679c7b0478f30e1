/* SPDX-License-Identifier: MIT */
#include "option.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdlib.h>
#include <string.h>

static bool all, quiet;
static const char *output, *mode;
static long run;
static struct option_list names;

static const struct option table[] = {
    {'a', "all", OPTION_FLAG, &all, NULL, NULL, "show all"},
    {'q', "quiet", OPTION_FLAG, &quiet, NULL, NULL, "say nothing"},
    {'o', "output", OPTION_TEXT, &output, "FILE", NULL, "write there"},
    {0, "mode", OPTION_CHOICE, &mode, "MODE", "audit|enforce", "what happens"},
    {0, "run", OPTION_NUMBER, &run, "ID", NULL, "which run"},
    {0, "accept", OPTION_LIST, &names, "CLASS", "static|secure", "do not count it"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

#define PARSE(stop, ...)                                                                           \
    char *argv[] = {"test", __VA_ARGS__, NULL};                                                    \
    int argc = (int)(sizeof argv / sizeof *argv) - 1;                                              \
    int word = option_parse(table, argc, argv, stop)

Test(option, values_follow_as_a_word_or_after_an_equals_sign)
{
    PARSE(false, "--output", "a", "--mode=enforce", "--run=7");

    cr_assert_str_eq(output, "a");
    cr_assert_str_eq(mode, "enforce");
    cr_assert_eq(run, 7);
    cr_assert_eq(word, argc);
}

Test(option, short_options_take_their_value_with_or_without_a_space)
{
    {
        PARSE(false, "-oa");

        cr_assert_str_eq(output, "a");
        cr_assert_eq(word, argc);
    }
    {
        PARSE(false, "-o", "-");

        cr_assert_str_eq(output, "-");
        cr_assert_eq(word, argc);
    }
}

Test(option, flags_share_a_dash)
{
    PARSE(false, "-qao", "x");

    cr_assert(all && quiet);
    cr_assert_str_eq(output, "x");
    cr_assert_eq(word, argc);
}

Test(option, words_and_options_may_be_mixed)
{
    PARSE(false, "one", "--all", "two", "-o", "x", "three");

    cr_assert_eq(argc - word, 3);
    cr_assert_str_eq(argv[word], "one");
    cr_assert_str_eq(argv[word + 1], "two");
    cr_assert_str_eq(argv[word + 2], "three");
    cr_assert(all);
}

Test(option, two_dashes_end_the_options)
{
    PARSE(false, "one", "--", "--all", "-x");

    cr_assert_not(all);
    cr_assert_eq(argc - word, 3);
    cr_assert_str_eq(argv[word], "one");
    cr_assert_str_eq(argv[word + 1], "--all");
    cr_assert_str_eq(argv[word + 2], "-x");
}

Test(option, a_command_keeps_its_own_options)
{
    PARSE(true, "-q", "make", "--all", "-j2");

    cr_assert(quiet);
    cr_assert_not(all);
    cr_assert_str_eq(argv[word], "make");
    cr_assert_eq(argc - word, 3);
}

Test(option, a_list_gathers_every_value)
{
    PARSE(false, "--accept", "static", "--accept=secure");

    cr_assert_eq(word, argc);
    cr_assert_eq(names.count, 2);
    cr_assert_str_eq(names.items[0], "static");
    cr_assert_str_eq(names.items[1], "secure");
}

Test(option, help_is_found_where_the_parser_would_meet_it_and_not_as_a_value)
{
    char *asked[] = {"test", "x", "-q", "--help", NULL};
    char *value[] = {"test", "-o", "--help", NULL};
    char *command[] = {"test", "-q", "make", "--help", NULL};
    char *ended[] = {"test", "--", "--help", NULL};
    char *letters[] = {"test", "-qh", NULL};

    cr_assert(option_wants_help(table, 4, asked, false));
    cr_assert_not(option_wants_help(table, 3, value, false));
    cr_assert_not(option_wants_help(table, 4, command, true));
    cr_assert_not(option_wants_help(table, 3, ended, false));
    cr_assert(option_wants_help(table, 2, letters, false));
}

/* Criterion runs each test in a process of its own, so a parser that ends it is seen by its status;
 * the messages are tested through the program, in tests/cli. */
Test(option, an_unknown_option_is_wrong_usage, .exit_code = 2)
{
    cr_redirect_stderr();
    PARSE(false, "--outptu=x");
    cr_assert_fail("%d", word);
}

Test(option, a_missing_value_is_wrong_usage, .exit_code = 2)
{
    cr_redirect_stderr();
    PARSE(false, "--output");
    cr_assert_fail("%d", word);
}

Test(option, a_value_for_a_flag_is_wrong_usage, .exit_code = 2)
{
    cr_redirect_stderr();
    PARSE(false, "--all=yes");
    cr_assert_fail("%d", word);
}

Test(option, an_unknown_choice_is_wrong_usage, .exit_code = 2)
{
    cr_redirect_stderr();
    PARSE(false, "--mode=audi");
    cr_assert_fail("%d", word);
}

Test(option, a_number_must_be_one, .exit_code = 2)
{
    cr_redirect_stderr();
    PARSE(false, "--run=-1");
    cr_assert_fail("%d", word);
}

static char *printed(void (*print)(const struct option *, FILE *))
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    print(table, out);
    fclose(out);
    return text;
}

Test(option, whatever_is_printed_names_every_option)
{
    void (*const printers[])(const struct option *, FILE *) = {option_print_help, option_print_bash,
                                                               option_print_zsh};

    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++) {
        char *text = printed(printers[i]);

        for (const struct option *row = table; row->name; row++)
            cr_assert_not_null(strstr(text, row->name), "printer %zu lacks --%s", i, row->name);
        cr_assert_not_null(strstr(text, "help"));
        free(text);
    }
}

Test(option, no_line_of_help_is_wider_than_a_terminal)
{
    char *text = printed(option_print_help);

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_assert_leq(strlen(line), 80, "%s", line);
    free(text);
}
