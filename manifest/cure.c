/* SPDX-License-Identifier: MIT */
#include "cure.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The word that starts at the offset: to the end of the line, or to what ends a plain word. */
static char *word_at(struct reader *reader, size_t offset)
{
    const char *text = reader->text + offset;
    bool collection = text[0] == '[' || text[0] == '{';
    size_t length = 0;

    while (offset + length < reader->length && length < 200) {
        char c = text[length];
        bool last = offset + length + 1 == reader->length;

        if (c == '\n' || c == '\r' ||
            (c == '#' && length && isspace((unsigned char)text[length - 1])))
            break;
        if (!collection && (strchr(",]}", c) || (c == ':' && (last || text[length + 1] == ' '))))
            break;
        length++;
    }
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return xmemdup(text, length);
}

static char *quote_it(const char *word, const char *what)
{
    const char *mark = strchr(word, '\'') ? "\"" : "'";

    return xprintf("%s; quote it: %s%s%s", what, mark, word, mark);
}

static const struct surprise {
    char start;
    const char *text;
} surprises[] = {
    {'*', "a word that starts with * is an alias in YAML"},
    {'&', "a word that starts with & is an anchor in YAML"},
    {'!', "a word that starts with ! is a tag in YAML"},
    {'%', "a word cannot start with % in YAML"},
    {'@', "a word cannot start with @ in YAML"},
    {'`', "a word cannot start with ` in YAML"},
    {'[', "a word that starts with [ is a list in YAML"},
    {'{', "a word that starts with { is a mapping in YAML"},
    {'|', "a word that starts with | is a block of lines in YAML"},
    {'>', "a word that starts with > is a block of lines in YAML"},
};

/* The surprise in the word that starts at the offset, as a sentence with its cure; NULL when none.
 */
static char *surprise_at(struct reader *reader, size_t offset)
{
    for (size_t i = 0; offset < reader->length && i < sizeof(surprises) / sizeof(surprises[0]); i++)
        if (surprises[i].start == reader->text[offset]) {
            char *word = word_at(reader, offset);
            char *cure = quote_it(word, surprises[i].text);

            free(word);
            return cure;
        }
    return NULL;
}

/* The first place in the line of `offset` where a value starts: after "- " or ": ". */
static size_t value_start(struct reader *reader, size_t offset)
{
    size_t start = offset;

    while (start && reader->text[start - 1] != '\n')
        start--;
    for (size_t i = start; i + 1 < reader->length && reader->text[i] != '\n'; i++) {
        if (reader->text[i] == ' ' || (i == start && reader->text[i] != '-'))
            continue;
        if ((reader->text[i] == '-' || reader->text[i] == ':') && reader->text[i + 1] == ' ') {
            i++;
            while (i < reader->length && reader->text[i] == ' ')
                i++;
            if (i < reader->length && reader->text[i] != '-')
                return i;
            i--;
        }
    }
    return offset;
}

static void place_of(struct reader *reader, size_t offset, int *line, int *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset && i < reader->length; i++) {
        if (reader->text[i] == '\n') {
            (*line)++;
            *column = 1;
        } else if ((reader->text[i] & 0xc0) != 0x80) {
            (*column)++;
        }
    }
}

static void explain_bytes(struct reader *reader, const yaml_parser_t *parser)
{
    int line, column;

    place_of(reader, parser->problem_offset, &line, &column);
    if (parser->problem_value >= 0x80)
        reader_report_at(reader, line, column,
                         "expected UTF-8: %s; write such a byte of a path as \"\\x%02x\" in double "
                         "quotes",
                         parser->problem, (unsigned)parser->problem_value & 0xff);
    else
        reader_report_at(reader, line, column, "expected text: %s (0x%02x)", parser->problem,
                         (unsigned)parser->problem_value & 0xff);
}

static bool says(const yaml_parser_t *parser, const char *words)
{
    return parser->problem && strstr(parser->problem, words);
}

/* Cures that hang on libyaml's words; NULL when there is none. */
static const char *cure_of_problem(struct reader *reader, const yaml_parser_t *parser,
                                   size_t offset)
{
    if (offset < reader->length && reader->text[offset] == '\t')
        return "a tab cannot indent in YAML; use spaces";
    if (says(parser, "mapping values are not allowed"))
        return "a second \": \" in one line; quote the value, or start a new line for the key";
    if (says(parser, "unknown escape character"))
        return "in double quotes a backslash starts one of YAML's own escapes; use single quotes";
    if (says(parser, "unexpected end of stream") || says(parser, "unexpected document indicator"))
        return "a quote is opened here and never closed";
    if (says(parser, "could not find expected ':'"))
        return "expected \"key: value\", with a blank after the colon";
    if (says(parser, "did not find expected key"))
        return "expected a key that is indented like the ones before it";
    if (says(parser, "did not find expected '-' indicator"))
        return "expected \"- \" indented like the ones before it";
    if (says(parser, "did not find expected ',' or"))
        return "expected a comma or the closing bracket";
    return NULL;
}

/* Where the word starts that the problem may come from. */
static size_t suspect(struct reader *reader, const yaml_parser_t *parser, size_t offset)
{
    if (parser->context && strstr(parser->context, "alias"))
        return reader_offset(reader, parser->context_mark.index);
    if (says(parser, "did not find expected") || says(parser, "could not find expected"))
        return value_start(reader, offset);
    return offset;
}

static void report_surprise(struct reader *reader, size_t offset, const char *surprise)
{
    int line, column;

    place_of(reader, offset, &line, &column);
    reader_report_at(reader, line, column, "not YAML: %s", surprise);
}

void cure_explain(struct reader *reader, const yaml_parser_t *parser)
{
    const yaml_mark_t *mark = &parser->problem_mark;
    const char *cure;
    char *surprise;
    size_t offset, word;

    if (parser->error == YAML_READER_ERROR) {
        explain_bytes(reader, parser);
        return;
    }
    if (parser->error == YAML_MEMORY_ERROR)
        die("out of memory");
    if (says(parser, "unexpected end of stream") && parser->context_mark.index)
        mark = &parser->context_mark;
    offset = reader_offset(reader, mark->index);
    word = suspect(reader, parser, offset);
    surprise = surprise_at(reader, word);
    cure = cure_of_problem(reader, parser, offset);
    if (surprise)
        report_surprise(reader, word, surprise);
    else if (cure)
        reader_report_at(reader, (int)mark->line + 1, (int)mark->column + 1, "not YAML: %s", cure);
    else
        reader_report_at(reader, (int)mark->line + 1, (int)mark->column + 1, "not YAML: %s%s%s",
                         parser->context ? parser->context : "", parser->context ? ", " : "",
                         parser->problem ? parser->problem : "unknown reason");
    free(surprise);
}

static bool one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (!strcasecmp(word, *words))
            return true;
    return false;
}

/* What YAML 1.1 reads in a plain word instead of its text; NULL: its text. */
static const char *read_as(const char *word)
{
    static const char *const truths[] = {"yes", "no", "true", "false", "on", "off", NULL};
    const char *digits = word + (*word == '-' || *word == '+');

    if (!*word || !strcmp(word, "~") || !strcasecmp(word, "null"))
        return "nothing";
    if (one_of(word, truths))
        return "true or false";
    if (digits[0] == '0' && digits[1] && !digits[1 + strspn(digits + 1, "01234567_")])
        return "an octal number";
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'b') && digits[2] &&
        !digits[2 + strspn(digits + 2, "0123456789abcdefABCDEF_")])
        return "a number";
    if (!isdigit((unsigned char)digits[0]))
        return NULL;
    if (strchr(digits, '_') && !digits[strspn(digits, "0123456789_")])
        return "a number";
    if (strchr(digits, ':') && !digits[strspn(digits, "0123456789:")])
        return "a number in base 60";
    if (strchr(digits, '.') && strchr(digits, '.') == strrchr(digits, '.') &&
        !digits[strspn(digits, "0123456789.")])
        return "a number";
    return NULL;
}

static size_t count_characters(const yaml_node_t *node)
{
    size_t count = 0;

    for (size_t i = 0; i < node->data.scalar.length; i++)
        count += (node->data.scalar.value[i] & 0xc0) != 0x80;
    return count;
}

/* A tag of the user's making, or "! word": libyaml has then taken the '!' away. */
static bool has_tag(struct reader *reader, const yaml_node_t *node)
{
    size_t offset;

    if (node->tag && strncmp((const char *)node->tag, "tag:yaml.org,2002:", 18))
        return true;
    if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
        node->start_mark.line != node->end_mark.line ||
        node->end_mark.index - node->start_mark.index == count_characters(node))
        return false;
    offset = reader_offset(reader, node->start_mark.index);
    return offset + 1 < reader->length && reader->text[offset] == '!' &&
           reader->text[offset + 1] != '!';
}

bool cure_is_text(struct reader *reader, const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE || has_tag(reader, node))
        return false;
    return node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
           !read_as((const char *)node->data.scalar.value);
}

char *cure_for_node(struct reader *reader, const yaml_node_t *node)
{
    const char *value = (const char *)node->data.scalar.value;
    const char *what;
    char *line, *cure;

    if (has_tag(reader, node))
        return surprise_at(reader, reader_offset(reader, node->start_mark.index));
    if (node->type == YAML_SEQUENCE_NODE || node->type == YAML_MAPPING_NODE) {
        bool list = node->type == YAML_SEQUENCE_NODE;
        bool flow = list ? node->data.sequence.style == YAML_FLOW_SEQUENCE_STYLE
                         : node->data.mapping.style == YAML_FLOW_MAPPING_STYLE;

        if (!flow)
            return xstrdup(list ? "this is a list" : "this is a mapping");
        return surprise_at(reader, reader_offset(reader, node->start_mark.index));
    }
    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return xstrdup("this is text in quotes");
    what = read_as(value);
    if (!what)
        return xprintf("this is the text \"%.60s\"", value);
    if (!*value)
        return xstrdup("nothing is given here");
    line = xprintf("YAML reads %.60s as %s", value, what);
    cure = quote_it(value, line);
    free(line);
    return cure;
}
