/* SPDX-License-Identifier: MIT
 *
 * One YAML text on its way into a manifest. Errors are collected with their places and written out
 * in the order of the file.
 */
#ifndef READER_H
#define READER_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>
#include "buffer.h"
#include "model.h"

struct problem {
    int line, column; /* from 1 */
    size_t order;
    char *text;
};

struct reader {
    const char *name; /* of the file, for messages */
    const char *text;
    size_t length;
    const char *set; /* name of the rule set that is read; NULL: the manifest itself */
    struct manifest *manifest;
    yaml_document_t *document;
    uint32_t action; /* action that is read, POLICY_NONE outside of actions */
    struct problem *problems;
    size_t problem_count, problem_room;
    size_t last_character, last_offset; /* the place that reader_offset was asked for last */
};

/* Problems beyond this number are counted and not kept: a generated file can have one per line. */
#define READER_PROBLEMS_MAX 1000u

/* Composes the text. False when it is not YAML: the reason is among the problems. On success the
 * caller deletes the document. */
bool reader_load(struct reader *reader, yaml_document_t *document);

void reader_report_at(struct reader *reader, int line, int column, const char *format, ...)
    PRINTF_LIKE(4, 5);
void reader_report(struct reader *reader, const yaml_node_t *node, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Writes the problems as lines and forgets them. */
void reader_flush(struct reader *reader, struct buffer *errors);

int reader_line(const yaml_node_t *node);
int reader_column(const yaml_node_t *node);
yaml_node_t *reader_node(const struct reader *reader, int index);

/* The place in `text` of a character counted as libyaml counts. */
size_t reader_offset(struct reader *reader, size_t character);
size_t reader_advance(const struct reader *reader, size_t offset, size_t characters);

/* Text as a NUL-terminated string, or NULL after an error that says what was expected: not a
 * scalar, a NUL in it, or a plain word that YAML reads as something else than text. Points into the
 * node. */
const char *reader_text(struct reader *reader, const yaml_node_t *node, const char *expects);

/* True when the node is the plain or quoted word. */
bool reader_is_word(const yaml_node_t *node, const char *word);

/* A whole number in decimal, not quoted. */
bool reader_number(struct reader *reader, const yaml_node_t *node, uint64_t max,
                   const char *expects, uint64_t *number);
bool reader_flag(struct reader *reader, const yaml_node_t *node, const char *expects, bool *flag);

/* Says that the node is of the wrong kind and, for the well-known surprises of YAML, what to write.
 */
void reader_expected(struct reader *reader, const yaml_node_t *node, const char *expects);

/* Mappings by the rows of keys.def. */
enum scope {
    SCOPE_MANIFEST,
    SCOPE_PATH,
    SCOPE_VARIABLE,
    SCOPE_CLOCK,
    SCOPE_RANDOMNESS,
    SCOPE_IDENTITY,
    SCOPE_RESOURCES,
    SCOPE_WAIVER,
    SCOPE_ACTION,
    SCOPE_MATCH
};

/* What the function of a key is given. */
struct value {
    const yaml_node_t *key;
    const yaml_node_t *node;
    const char *expects;
    size_t rule; /* index of the rule or action that the mapping describes */
};

/* Reads a mapping; unknown, duplicate and missing keys are reported. */
void reader_mapping(struct reader *reader, const yaml_node_t *node, enum scope scope,
                    const char *expects, size_t rule);

/* Reports every key that occurs twice. */
void reader_check_duplicates(struct reader *reader, const yaml_node_t *mapping);

#define KEY(scope, name, read, required, expects)                                                  \
    void read_##read(struct reader *reader, const struct value *value);
#include "keys.def"
#undef KEY

#endif
