/* SPDX-License-Identifier: MIT */
#include "explain_document.h"

#include "quote.h"

static void add_rule(struct buffer *out, const struct nearest *nearest)
{
    quote_display(out, nearest->rule.data, nearest->rule.length);
    if (nearest->line)
        buffer_printf(out, " (line %d)", nearest->line);
}

/* What the rule says of a name that it matches. */
static const char *other_use(const struct explanation_part *part)
{
    switch (part->finding.class) {
    case FINDING_WRITE:
        return " matches its name, but not for writing";
    case FINDING_PROBE:
        return " matches its name, but not for looking where nothing is";
    default:
        return " matches its name, but it was there";
    }
}

void explain_add_nearest(struct buffer *out, const struct explanation_part *part)
{
    const struct analysis_member *member = &part->finding.members[0];
    const struct nearest *nearest = &part->nearest;
    struct text name = member->resolved.length ? member->resolved : member->subject;

    switch (nearest->why) {
    case NEAREST_NONE:
        buffer_add_text(out, "none comes near");
        break;
    case NEAREST_PARTS:
        buffer_add_text(out, "the nearest is ");
        add_rule(out, nearest);
        buffer_add_text(out, ", and the two part after ");
        quote_display(out, name.bytes, nearest->common);
        break;
    case NEAREST_SECTION:
        add_rule(out, nearest);
        buffer_add_text(out, other_use(part));
        break;
    case NEAREST_ACTION:
        add_rule(out, nearest);
        buffer_add_text(out, " matches it, for the action ");
        quote_display(out, nearest->part.data, nearest->part.length);
        buffer_add_text(out, " alone");
        break;
    case NEAREST_SPELLED:
        add_rule(out, nearest);
        buffer_add_text(out, " is spelled nearly the same");
        break;
    case NEAREST_PORT:
        add_rule(out, nearest);
        buffer_add_text(out, " names the host with another port");
        break;
    case NEAREST_KEY:
        buffer_add_text(out, "the manifest does not have the key ");
        add_rule(out, nearest);
        break;
    }
}
