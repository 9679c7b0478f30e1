/* SPDX-License-Identifier: MIT */
#include "quote.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lets a shell read the words and print them with a NUL after each; what it printed is in `got`. */
static void read_back(const char *shell, const char *words, struct buffer *got)
{
    char name[] = "/tmp/test_quote.XXXXXX";
    struct buffer command = BUFFER_INIT;
    int file = mkstemp(name);
    char piece[4096];
    size_t length;
    FILE *output;

    cr_assert(file >= 0);
    buffer_printf(&command, "set -- %s\nprintf '%%s\\0' \"$@\"\n", words);
    cr_assert_eq(write(file, command.data, command.length), (ssize_t)command.length);
    close(file);
    buffer_clear(&command);
    buffer_printf(&command, "%s %s", shell, name);
    output = popen(command.data, "r");
    cr_assert_not_null(output);
    while ((length = fread(piece, 1, sizeof piece, output)) > 0)
        buffer_add(got, piece, length);
    cr_assert_eq(pclose(output), 0, "%s cannot read: %s", shell, words);
    unlink(name);
    buffer_fini(&command);
}

static void check_shell(const char *shell, const struct buffer *words,
                        const struct buffer *expected)
{
    struct buffer got = BUFFER_INIT;

    read_back(shell, words->data, &got);
    cr_assert_eq(got.length, expected->length, "%s: %zu bytes instead of %zu from: %s", shell,
                 got.length, expected->length, words->data);
    cr_assert_eq(memcmp(got.data, expected->data, got.length), 0, "%s differs: %s", shell,
                 words->data);
    buffer_fini(&got);
}

static void add_word(struct buffer *words, struct buffer *expected, const char *bytes,
                     size_t length)
{
    buffer_add_char(words, ' ');
    quote_word(words, bytes, length);
    buffer_add(expected, bytes, length);
    buffer_add_char(expected, '\0');
}

static void check_words(struct buffer *words, struct buffer *expected)
{
    check_shell("dash", words, expected);
    check_shell("bash", words, expected);
    check_shell("LC_ALL=C bash", words, expected);
    check_shell("LC_ALL=C.UTF-8 bash", words, expected);
    buffer_fini(words);
    buffer_fini(expected);
}

static const char *const awkward[] = {
    "plain",
    "",
    " ",
    "a b",
    "it's",
    "'",
    "''",
    "\"",
    "\\",
    "\\n",
    "$HOME",
    "`id`",
    "$(id)",
    "a\nb",
    "\n",
    "\n\n",
    "a\n",
    "\na",
    "a\n\n",
    "\n'",
    "'\n",
    "\n'\n",
    "\n%d",
    "\n%s%%",
    "\t",
    "tab\there",
    "\x1b[31mred\x1b[0m",
    "\xff\xfe.c",
    "\xff",
    "\xc3",
    "\xc3\xa9",
    "\xe2\x80\xae.txt",
    "\n\xc3\xa9",
    "\n\xff",
    "a\n\xc3\xa9\n",
    "-rf",
    "--",
    "*",
    "?",
    "[a]",
    "~",
    "~root",
    "#",
    "a#b",
    "!",
    "a!b",
    "{a,b}",
    "a;b",
    "a&b",
    "a|b",
    "<",
    ">",
    "=",
    "A=b",
    "%",
    "^",
    "; touch pwned #",
    "--split-string=x",
    "\x7f",
    "\x01\x02\n\x03",
    "\xed\xa0\x80",
    "\xf4\x90\x80\x80",
    "q'\"<&>]]>",
    "\r\n",
    "\r",
    "\\\n",
    "\n\\",
    "\n$x",
    "\n`",
    "\n\"",
};

Test(quote, awkward_words_read_back_as_they_are_in_dash_and_bash)
{
    struct buffer words = BUFFER_INIT;
    struct buffer expected = BUFFER_INIT;

    for (size_t i = 0; i < sizeof awkward / sizeof *awkward; i++)
        add_word(&words, &expected, awkward[i], strlen(awkward[i]));
    check_words(&words, &expected);
}

Test(quote, every_pair_of_bytes_reads_back)
{
    struct buffer words = BUFFER_INIT;
    struct buffer expected = BUFFER_INIT;

    for (int first = 1; first < 256; first++) {
        for (int second = 1; second < 256; second += 11) {
            char word[3] = {(char)first, (char)second, (char)((first + second) % 255 + 1)};

            add_word(&words, &expected, word, sizeof word);
        }
    }
    check_shell("dash", &words, &expected);
    buffer_fini(&words);
    buffer_fini(&expected);
}

Test(quote, every_byte_reads_back_before_and_after_a_newline)
{
    struct buffer words = BUFFER_INIT;
    struct buffer expected = BUFFER_INIT;

    for (int byte = 1; byte < 256; byte++) {
        add_word(&words, &expected, (char[]){(char)byte}, 1);
        add_word(&words, &expected, (char[]){'\n', (char)byte}, 2);
        add_word(&words, &expected, (char[]){(char)byte, '\n'}, 2);
    }
    check_words(&words, &expected);
}

Test(quote, words_of_random_bytes_read_back)
{
    static const char favourites[] = "'\"\\\n$`! \t\xff\xc3\xa9%{}()a";
    struct buffer words = BUFFER_INIT;
    struct buffer expected = BUFFER_INIT;

    srand(1);
    for (int i = 0; i < 300; i++) {
        char word[12];
        size_t length = (size_t)(rand() % 12);

        for (size_t j = 0; j < length; j++)
            word[j] = favourites[(size_t)rand() % (sizeof favourites - 1)];
        add_word(&words, &expected, word, length);
    }
    check_words(&words, &expected);
}

static void check_command(const char *argv, size_t length, const char *expected)
{
    struct buffer text = BUFFER_INIT;

    quote_command(&text, argv, length);
    cr_assert_str_eq(text.data, expected);
    buffer_fini(&text);
}

Test(quote, a_command_line_keeps_its_words_apart)
{
    static const char argv[] = "sh\0-c\0echo hi\0";

    check_command(argv, sizeof argv - 1, "sh -c 'echo hi'");
}

Test(quote, a_first_word_that_the_shell_would_take_for_its_own_is_quoted)
{
    static const char assignment[] = "A=b\0C=d\0";
    static const char keyword[] = "time\0make\0";

    check_command(assignment, sizeof assignment - 1, "'A=b' C=d");
    check_command(keyword, sizeof keyword - 1, "'time' make");
}

Test(quote, a_last_argument_without_its_nul_is_not_lost)
{
    check_command("a\0b", 3, "a b");
}

static void check_display(const char *bytes, const char *expected)
{
    struct buffer text = BUFFER_INIT;

    quote_display(&text, bytes, strlen(bytes));
    cr_assert_str_eq(text.data, expected);
    buffer_fini(&text);
}

Test(quote, what_could_steer_a_terminal_is_shown_as_hexadecimal)
{
    check_display("a\x1b[31m", "a\\x1b[31m");
    check_display("a\nb\r", "a\\x0ab\\x0d");
    check_display("\xc2\x9b"
                  "31m",
                  "\\xc2\\x9b31m");
    check_display("\xe2\x80\xae.txt", "\\xe2\\x80\\xae.txt");
    check_display("\xff\xfe.c", "\\xff\\xfe.c");
    check_display("\xef\xbf\xbe\xf0\x9f\xbf\xbf", "\\xef\\xbf\\xbe\\xf0\\x9f\\xbf\\xbf");
    check_display("\xef\xb7\x90\xef\xbf\xbd", "\\xef\\xb7\\x90\xef\xbf\xbd");
    check_display("back\\slash \xc3\xa9", "back\\slash \xc3\xa9");
}

Test(quote, shortening_cuts_between_characters_and_says_so)
{
    struct buffer text = BUFFER_INIT;

    quote_shortened(&text, "h\xc3\xa9llo world", 12, 6);
    cr_assert_str_eq(text.data, "h\xc3\xa9llo\xe2\x80\xa6");
    buffer_clear(&text);
    quote_shortened(&text, "hello", 5, 5);
    cr_assert_str_eq(text.data, "hello");
    buffer_fini(&text);
}

Test(quote, only_shortest_and_allowed_forms_are_utf8)
{
    cr_assert(text_is_utf8("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x9a\xa2", 17));
    cr_assert_not(text_is_utf8("\xc0\xaf", 2), "overlong");
    cr_assert_not(text_is_utf8("\xe0\x80\xaf", 3), "overlong");
    cr_assert_not(text_is_utf8("\xed\xa0\x80", 3), "surrogate");
    cr_assert_not(text_is_utf8("\xf4\x90\x80\x80", 4), "beyond the last");
    cr_assert_not(text_is_utf8("\xe2\x82", 2), "cut off");
    cr_assert_not(text_is_utf8("a\0b", 3), "NUL");
}
