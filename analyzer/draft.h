/* SPDX-License-Identifier: MIT
 *
 * A manifest that is being written: its rules, what it looks like as text, and which of a build's
 * needs it covers, which is found out by judging them by that text.
 */
#ifndef ANALYZER_DRAFT_H
#define ANALYZER_DRAFT_H

#include "needs.h"

/* In the order of the text. */
enum draft_section {
#define SECTION(id, key, title) DRAFT_##id,
#include "draft_sections.def"
#undef SECTION
    DRAFT_SECTION_COUNT
};

struct draft_rule {
    enum draft_section section;
    char *text;    /* a YAML scalar or mapping; a variable's name */
    char *why;     /* said behind it; NULL nothing */
    size_t excess; /* files it allows and nobody used */
    size_t names;  /* needs that it decided */
    int64_t count; /* their occurrences */
    uint32_t line;
    bool dropped;
};

struct draft {
    struct draft_rule *rules;
    size_t rule_count, room;
    bool *sets;       /* by the number of the named set */
    size_t set_names; /* needs that the sets and the rules built in decided */
    int64_t set_count;
    const char *root;   /* in the text; NULL: the folder of the manifest */
    struct buffer head; /* lines of comment at the top, without "# " */
};

struct draft *draft_new(void);
void draft_free(struct draft *draft); /* NULL is allowed */

/* Takes the text, and leaves out what is there already; the new rule, or NULL. A path that is an
 * output is no input any more. */
struct draft_rule *draft_add(struct draft *draft, enum draft_section section, char *text);

/* The text; `comments`: with what each line is for. Rules stand in the same lines in any case. */
void draft_write(struct draft *draft, bool comments, struct buffer *out);
/* Lines of it that say something. */
size_t draft_lines(const struct draft *draft);

/* Judges the needs: fills `covered` and `line` of them all, and the counts of the rules. How many
 * are not covered, or TALLY_ERR_FORMAT with lines in `why`: the text is no manifest. */
int64_t draft_judge(struct draft *draft, struct needs *needs, struct buffer *why);

#endif
