/* SPDX-License-Identifier: MIT
 *
 * What is no file: variables, endpoints, the clock and its kin. Values of variables are in no
 * database, and so in no manifest that is made from one.
 */
#include "synthesis_step.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "declaration.h"
#include "manifest_text.h"
#include "tallyman/status.h"

static const struct {
    enum channel channel;
    enum draft_section section;
} values[] = {
    {CHANNEL_CLOCK, DRAFT_CLOCK},
    {CHANNEL_RANDOMNESS, DRAFT_RANDOMNESS},
    {CHANNEL_IDENTITY, DRAFT_IDENTITY},
    {CHANNEL_RESOURCES, DRAFT_RESOURCES},
};

static bool is_open(const struct needs *needs, enum channel channel)
{
    for (uint32_t i = 0; i < needs->count; i++)
        if (!needs->rows[i].covered && needs->rows[i].channel == channel)
            return true;
    return false;
}

int synthesis_add_values(struct synthesis_step *step)
{
    if (synthesis_judge(step) < 0)
        return TALLY_ERR_FORMAT;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (is_open(step->needs, values[i].channel))
            draft_add(step->draft, values[i].section, xstrdup("real"));
    return synthesis_judge(step) < 0 ? TALLY_ERR_FORMAT : 0;
}

int synthesis_add_endpoints(struct synthesis_step *step)
{
    for (uint32_t i = 0; i < step->needs->count; i++) {
        const struct need *need = &step->needs->rows[i];
        struct buffer text = BUFFER_INIT;

        if (!need->covered && need->channel == CHANNEL_NETWORK &&
            declaration_add_endpoint(&text, need->matter.kind, need->name))
            draft_add(step->draft, DRAFT_NETWORK, buffer_take(&text));
        else
            buffer_fini(&text);
    }
    return synthesis_judge(step) < 0 ? TALLY_ERR_FORMAT : 0;
}

/* --- variables ------------------------------------------------------------------------------ */

struct variable {
    struct text name;
    bool asked;
};

static int compare(const void *one, const void *other)
{
    const struct variable *a = one, *b = other;

    return strcmp(a->name.bytes, b->name.bytes);
}

/* Sorted, each once; the caller frees. */
static struct variable *open_variables(const struct needs *needs, size_t *count)
{
    struct variable *variables = xcalloc(needs->count, sizeof *variables);
    size_t kept = 0;

    *count = 0;
    for (uint32_t i = 0; i < needs->count; i++) {
        const struct need *need = &needs->rows[i];

        if (need->covered || need->channel != CHANNEL_ENVIRONMENT)
            continue;
        /* Any of the variables that choose a locale declares it. */
        variables[(*count)++] =
            need->matter.kind == EVENT_LOCALE
                ? (struct variable){{"LANG", 4}, true}
                : (struct variable){need->name, need->matter.kind == EVENT_GETENV};
    }
    qsort(variables, *count, sizeof *variables, compare);
    for (size_t i = 0; i < *count; i++) {
        if (kept && compare(&variables[kept - 1], &variables[i]) == 0)
            variables[kept - 1].asked |= variables[i].asked;
        else
            variables[kept++] = variables[i];
    }
    *count = kept;
    return variables;
}

/* With its underscore; 0 none. */
static size_t family_length(struct text name)
{
    const char *line = memchr(name.bytes, '_', name.length);
    size_t length = line ? (size_t)(line + 1 - name.bytes) : 0;

    return length > 2 ? length : 0;
}

/* How many variables from here on are of one family. */
static size_t family_size(const struct variable *variables, size_t count)
{
    size_t length = family_length(variables->name);
    size_t size = 1;

    while (length && size < count && variables[size].name.length > length &&
           variables[size].asked == variables->asked &&
           memcmp(variables[size].name.bytes, variables->name.bytes, length) == 0)
        size++;
    return size;
}

static void add_family(struct synthesis_step *step, const struct variable *variable)
{
    cleanup_buffer struct buffer pattern = BUFFER_INIT;
    struct buffer text = BUFFER_INIT;

    manifest_quote(&pattern, (struct text){variable->name.bytes, family_length(variable->name)});
    buffer_add_char(&pattern, '*');
    manifest_add_scalar(&text, pattern.data, pattern.length);
    draft_add(step->draft, variable->asked ? DRAFT_ASKED : DRAFT_VISIBLE, buffer_take(&text));
}

static void add_variable(struct synthesis_step *step, const struct variable *variable)
{
    struct buffer text = BUFFER_INIT;

    manifest_add_name(&text, variable->name);
    draft_add(step->draft, variable->asked ? DRAFT_ASKED : DRAFT_VISIBLE, buffer_take(&text));
}

int synthesis_add_variables(struct synthesis_step *step)
{
    /* So many of one family, and a pattern stands for them. */
    static const size_t least[] = {
        [SYNTHESIS_TIGHT] = SIZE_MAX, [SYNTHESIS_BALANCED] = 3, [SYNTHESIS_LOOSE] = 2};
    size_t count;
    cleanup_free struct variable *variables = open_variables(step->needs, &count);

    for (size_t i = 0; i < count;) {
        size_t size = family_size(&variables[i], count - i);

        if (size >= least[step->balance]) {
            add_family(step, &variables[i]);
            i += size;
        } else {
            add_variable(step, &variables[i++]);
        }
    }
    return synthesis_judge(step) < 0 ? TALLY_ERR_FORMAT : 0;
}
