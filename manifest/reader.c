/* SPDX-License-Identifier: MIT */
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "cure.h"
#include "quote.h"
#include "yaml_bytes.h"

#define DEPTH_MAX   100
#define ANCHORS_MAX 1000
#define ALIASES_MAX 1000
#define TAGS_MAX    10

static void keep_problem(struct reader *reader, int line, int column, char *text)
{
    struct problem *problem;

    if (reader->problem_count >= READER_PROBLEMS_MAX) {
        reader->problem_count++;
        free(text);
        return;
    }
    if (reader->problem_count == reader->problem_room) {
        reader->problem_room = reader->problem_room ? 2 * reader->problem_room : 16;
        reader->problems =
            xrealloc(reader->problems, reader->problem_room * sizeof(*reader->problems));
    }
    problem = &reader->problems[reader->problem_count];
    problem->line = line;
    problem->column = column;
    problem->order = reader->problem_count++;
    problem->text = text;
}

static char *format_text(const char *format, va_list arguments) PRINTF_LIKE(1, 0);

static char *format_text(const char *format, va_list arguments)
{
    char *text;

    if (vasprintf(&text, format, arguments) < 0)
        die("out of memory");
    return text;
}

void reader_report_at(struct reader *reader, int line, int column, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    keep_problem(reader, line, column, format_text(format, arguments));
    va_end(arguments);
}

void reader_report(struct reader *reader, const yaml_node_t *node, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    keep_problem(reader, reader_line(node), reader_column(node), format_text(format, arguments));
    va_end(arguments);
}

static int compare_problems(const void *left, const void *right)
{
    const struct problem *a = left, *b = right;

    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

void reader_flush(struct reader *reader, struct buffer *errors)
{
    size_t kept = reader->problem_count;

    if (kept > READER_PROBLEMS_MAX)
        kept = READER_PROBLEMS_MAX;
    if (kept)
        qsort(reader->problems, kept, sizeof(*reader->problems), compare_problems);
    for (size_t i = 0; i < kept; i++) {
        struct problem *problem = &reader->problems[i];

        buffer_printf(errors, "%s:%d:%d: ", reader->name, problem->line, problem->column);
        quote_display(errors, problem->text, strlen(problem->text));
        buffer_add_char(errors, '\n');
        free(problem->text);
    }
    if (reader->problem_count > kept)
        buffer_printf(errors, "%s:1:1: %zu further errors are not shown\n", reader->name,
                      reader->problem_count - kept);
    free(reader->problems);
    reader->problems = NULL;
    reader->problem_count = reader->problem_room = 0;
}

int reader_line(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}

int reader_column(const yaml_node_t *node)
{
    return (int)node->start_mark.column + 1;
}

yaml_node_t *reader_node(const struct reader *reader, int index)
{
    return yaml_document_get_node(reader->document, index);
}

size_t reader_advance(const struct reader *reader, size_t offset, size_t characters)
{
    const unsigned char *text = (const unsigned char *)reader->text;

    while (characters-- && offset < reader->length) {
        offset++;
        while (offset < reader->length && (text[offset] & 0xc0) == 0x80)
            offset++;
    }
    return offset;
}

size_t reader_offset(struct reader *reader, size_t character)
{
    bool mark = reader->length >= 3 && !memcmp(reader->text, "\xef\xbb\xbf", 3);

    if (character < reader->last_character || !reader->last_character) {
        reader->last_character = 0;
        reader->last_offset = mark ? 3 : 0;
    }
    reader->last_offset =
        reader_advance(reader, reader->last_offset, character - reader->last_character);
    reader->last_character = character;
    return reader->last_offset;
}

/* A manifest is one document; what follows it would be ignored silently. */
static void check_end(struct reader *reader, yaml_parser_t *parser)
{
    yaml_document_t second;
    yaml_node_t *root;

    if (!yaml_parser_load(parser, &second)) {
        cure_explain(reader, parser);
        return;
    }
    root = yaml_document_get_root_node(&second);
    if (root)
        reader_report(reader, root,
                      "expected the end: a manifest is one YAML document; remove the "
                      "line \"---\" or \"...\" before this");
    yaml_document_delete(&second);
}

/* Tokens of which libyaml takes time that grows with the square of their number or depth. */
struct burden {
    int depth;
    int anchors, aliases, tags;
};

static void weigh_token(struct burden *burden, const yaml_token_t *token)
{
    switch (token->type) {
    case YAML_FLOW_SEQUENCE_START_TOKEN:
    case YAML_FLOW_MAPPING_START_TOKEN:
        burden->depth++;
        break;
    case YAML_FLOW_SEQUENCE_END_TOKEN:
    case YAML_FLOW_MAPPING_END_TOKEN:
        burden->depth--;
        break;
    case YAML_ANCHOR_TOKEN:
        burden->anchors++;
        break;
    case YAML_ALIAS_TOKEN:
        burden->aliases++;
        break;
    case YAML_TAG_DIRECTIVE_TOKEN:
        burden->tags++;
        break;
    default:
        break;
    }
}

/* What there is too much of; NULL when all is well. */
static const char *too_much(const struct burden *burden)
{
    if (burden->depth > DEPTH_MAX)
        return "at most 100 lists and mappings in one another";
    if (burden->anchors > ANCHORS_MAX)
        return "at most 1000 anchors (&)";
    if (burden->aliases > ALIASES_MAX)
        return "at most 1000 aliases (*)";
    if (burden->tags > TAGS_MAX)
        return "at most 10 tag directives";
    return NULL;
}

static bool may_be_heavy(const struct reader *reader)
{
    size_t signs = 0;

    for (size_t i = 0; i < reader->length && signs <= TAGS_MAX; i++)
        signs += strchr("[{&%", reader->text[i]) && reader->text[i];
    return signs > TAGS_MAX;
}

/* Looks at the tokens before libyaml puts them together. */
static bool is_light(struct reader *reader)
{
    struct burden burden = {0};
    const char *reason = NULL;
    bool end = false;
    yaml_parser_t parser;
    yaml_token_t token;

    if (!may_be_heavy(reader))
        return true;
    if (!yaml_parser_initialize(&parser))
        die("out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)reader->text, reader->length);
    while (!reason && !end && yaml_parser_scan(&parser, &token)) {
        weigh_token(&burden, &token);
        reason = too_much(&burden);
        if (reason)
            reader_report_at(reader, (int)token.start_mark.line + 1,
                             (int)token.start_mark.column + 1, "expected %s", reason);
        end = token.type == YAML_STREAM_END_TOKEN;
        yaml_token_delete(&token);
    }
    yaml_parser_delete(&parser);
    return !reason;
}

bool reader_load(struct reader *reader, yaml_document_t *document)
{
    yaml_parser_t parser;
    bool good = false;

    if (reader->length > MANIFEST_SIZE_MAX) {
        reader_report_at(reader, 1, 1, "expected at most %u MiB of text", MANIFEST_SIZE_MAX >> 20);
        return false;
    }
    if (!is_light(reader))
        return false;
    if (!yaml_parser_initialize(&parser))
        die("out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)reader->text, reader->length);
    if (!yaml_parser_load(&parser, document)) {
        cure_explain(reader, &parser);
    } else if (!yaml_document_get_root_node(document)) {
        reader_report_at(reader, 1, 1,
                         "expected a manifest that starts with \"version: 1\"; this is "
                         "empty");
        yaml_document_delete(document);
    } else {
        good = true;
        reader->document = document;
        yaml_bytes_restore(reader, document);
        check_end(reader, &parser);
    }
    yaml_parser_delete(&parser);
    return good;
}

bool reader_is_word(const yaml_node_t *node, const char *word)
{
    return node->type == YAML_SCALAR_NODE && node->data.scalar.length == strlen(word) &&
           !memcmp(node->data.scalar.value, word, node->data.scalar.length);
}

void reader_expected(struct reader *reader, const yaml_node_t *node, const char *expects)
{
    cleanup_free char *cure =
        reader->problem_count < READER_PROBLEMS_MAX ? cure_for_node(reader, node) : NULL;

    reader_report(reader, node, "expected %s%s%s", expects, cure ? "; " : "", cure ? cure : "");
}

const char *reader_text(struct reader *reader, const yaml_node_t *node, const char *expects)
{
    if (node->type != YAML_SCALAR_NODE || !cure_is_text(reader, node)) {
        reader_expected(reader, node, expects);
        return NULL;
    }
    if (memchr(node->data.scalar.value, '\0', node->data.scalar.length)) {
        reader_report(reader, node, "expected %s; a NUL byte cannot be part of it", expects);
        return NULL;
    }
    return (const char *)node->data.scalar.value;
}

bool reader_number(struct reader *reader, const yaml_node_t *node, uint64_t max,
                   const char *expects, uint64_t *number)
{
    const char *text;
    char *end;
    unsigned long long value;

    if (node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        text = (const char *)node->data.scalar.value;
        errno = 0;
        value = strtoull(text, &end, 10);
        if (text[0] >= '0' && text[0] <= '9' && !*end && !errno && value <= max &&
            (text[0] != '0' || !text[1])) {
            *number = value;
            return true;
        }
    }
    reader_expected(reader, node, expects);
    return false;
}

bool reader_flag(struct reader *reader, const yaml_node_t *node, const char *expects, bool *flag)
{
    if (node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        *flag = reader_is_word(node, "true");
        if (*flag || reader_is_word(node, "false"))
            return true;
    }
    reader_expected(reader, node, expects);
    return false;
}
