/* SPDX-License-Identifier: MIT
 *
 * The parser. What is printed from the same rows is in option_print.c.
 */
#include "option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "cleanup.h"
#include "spelling.h"
#include "quote.h"

/* Where the parser stands. `letters` is the rest of a group of short options. */
struct parser {
    const struct option *table;
    int argc;
    char **argv;
    int at;
    const char *letters;
};

/* An option as it was met: `row` is NULL for --help. */
struct met {
    const struct option *row;
    char spelling[64]; /* "--format" or "-o", for messages */
    const char *value; /* after '=' or directly after the letter; NULL none yet */
    bool known;
};

static const struct option *find_name(const struct option *table, const char *name, size_t length)
{
    for (; table->name; table++)
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0)
            return table;
    return NULL;
}

static const struct option *find_letter(const struct option *table, char letter)
{
    for (; table->name; table++)
        if (table->letter && table->letter == letter)
            return table;
    return NULL;
}

static struct met meet_long(const struct option *table, const char *word)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    struct met met = {0};

    met.row = find_name(table, name, length);
    met.known = met.row || (length == 4 && memcmp(name, "help", 4) == 0);
    met.value = name[length] ? name + length + 1 : NULL;
    snprintf(met.spelling, sizeof met.spelling, "--%.*s", (int)length, name);
    return met;
}

static struct met meet_letter(struct parser *parser)
{
    struct met met = {0};
    char letter = *parser->letters++;

    met.row = find_letter(parser->table, letter);
    met.known = met.row || letter == 'h';
    snprintf(met.spelling, sizeof met.spelling, "-%c", letter);
    if (met.row && met.row->type != OPTION_FLAG && *parser->letters) {
        met.value = parser->letters + (*parser->letters == '=');
        parser->letters = "";
    }
    return met;
}

/* The next option at parser->at or in the group begun before; false at a word or the end. */
static bool next_option(struct parser *parser, struct met *met)
{
    const char *word;

    if (!parser->letters || !*parser->letters) {
        parser->letters = NULL;
        if (parser->at >= parser->argc)
            return false;
        word = parser->argv[parser->at];
        if (word[0] != '-' || !word[1] || strcmp(word, "--") == 0)
            return false;
        parser->at++;
        if (word[1] == '-') {
            *met = meet_long(parser->table, word);
            return true;
        }
        parser->letters = word + 1;
    }
    *met = meet_letter(parser);
    return true;
}

static _Noreturn void refuse_unknown(const struct option *table, const char *spelling)
{
    cleanup_buffer struct buffer shown = BUFFER_INIT;
    const char *names[64] = {"help"};
    const char *nearest;
    size_t count = 1;

    quote_display(&shown, spelling, strlen(spelling));
    for (; table->name && count < sizeof names / sizeof *names; table++)
        names[count++] = table->name;
    nearest = spelling[1] == '-' ? spelling_nearest(spelling + 2, names, count) : NULL;
    if (nearest)
        usage("unknown option '%s'; did you mean '--%s'?", shown.data, nearest);
    usage("unknown option '%s'", shown.data);
}

static bool is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);

    while (length) {
        size_t size = strcspn(choices, "|");

        if (size == length && memcmp(choices, value, length) == 0)
            return true;
        if (!choices[size])
            return false;
        choices += size + 1;
    }
    return false;
}

static void check_choice(const struct met *met, const char *value)
{
    cleanup_buffer struct buffer known = BUFFER_INIT;
    cleanup_buffer struct buffer shown = BUFFER_INIT;

    if (is_choice(met->row->choices, value))
        return;
    quote_display(&shown, value, strlen(value));
    buffer_add_char(&shown, '\'');
    for (const char *at = met->row->choices; *at; at++)
        buffer_add_text(&known, *at == '|' ? ", " : (char[]){*at, '\0'});
    usage("%s does not know '%s; known: %s", met->spelling, shown.data, known.data);
}

static long number(const struct met *met, const char *text)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (errno || *end || text[0] < '0' || text[0] > '9') {
        cleanup_buffer struct buffer shown = BUFFER_INIT;

        quote_display(&shown, text, strlen(text));
        usage("%s needs a number, not '%s'", met->spelling, shown.data ? shown.data : "");
    }
    return value;
}

static void append(struct option_list *list, const char *value)
{
    list->items = xrealloc(list->items, (size_t)(list->count + 1) * sizeof *list->items);
    list->items[list->count++] = value;
}

static void store(const struct met *met, const char *value)
{
    const struct option *row = met->row;

    if (row->choices)
        check_choice(met, value);
    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)row->target = true;
        break;
    case OPTION_TEXT:
    case OPTION_CHOICE:
        *(const char **)row->target = value;
        break;
    case OPTION_NUMBER:
        *(long *)row->target = number(met, value);
        break;
    case OPTION_LIST:
        append(row->target, value);
        break;
    }
}

/* The value that belongs to the option just met; NULL for a flag. */
static const char *take_value(struct parser *parser, const struct met *met)
{
    if (!met->row || met->row->type == OPTION_FLAG) {
        if (met->value)
            usage("%s takes no value", met->spelling);
        return NULL;
    }
    if (met->value)
        return met->value;
    if (parser->at >= parser->argc)
        usage("%s needs a value: %s", met->spelling, met->row->value);
    return parser->argv[parser->at++];
}

int option_parse(const struct option *table, int argc, char **argv, bool stop_at_first)
{
    struct parser parser = {.table = table, .argc = argc, .argv = argv, .at = 1};
    cleanup_free char **words = xcalloc((size_t)argc + 1, sizeof *words);
    int count = 0;
    struct met met;

    for (;;) {
        while (next_option(&parser, &met)) {
            if (!met.known)
                refuse_unknown(table, met.spelling);
            const char *value = take_value(&parser, &met);
            if (met.row)
                store(&met, value);
        }
        if (parser.at >= argc)
            break;
        if (strcmp(argv[parser.at], "--") == 0) {
            parser.at++;
            break;
        }
        if (stop_at_first)
            return parser.at;
        words[count++] = argv[parser.at++];
    }
    /* All before parser.at is used up, so the gathered words fit in front of it. */
    if (count)
        memcpy(argv + parser.at - count, words, (size_t)count * sizeof *words);
    return parser.at - count;
}

bool option_wants_help(const struct option *table, int argc, char **argv, bool stop_at_first)
{
    struct parser parser = {.table = table, .argc = argc, .argv = argv, .at = 1};
    struct met met;

    for (;;) {
        while (next_option(&parser, &met)) {
            if (met.known && !met.row)
                return true;
            if (met.row && met.row->type != OPTION_FLAG && !met.value)
                parser.at++;
        }
        if (parser.at >= argc || stop_at_first || strcmp(argv[parser.at], "--") == 0)
            return false;
        parser.at++;
    }
}
