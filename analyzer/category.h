/* SPDX-License-Identifier: MIT
 *
 * What kind of ambient state one access is about. Like grouping, it looks at the access alone, so
 * that the answer is the same in every run.
 */
#ifndef ANALYZER_CATEGORY_H
#define ANALYZER_CATEGORY_H

#include "analysis.h"
#include "group.h"

struct use_of_file {
    struct text path;    /* absolute */
    struct text package; /* "name version" or empty */
    enum event_kind kind;
    enum finding_class class;
};

enum category_id category_of_file(const struct places *places, const struct use_of_file *use);
/* Of an access of any channel but the file system. */
enum category_id category_of_value(enum channel channel, enum event_kind kind,
                                   enum finding_class class, struct text subject);

/* The first rows of categories.def are kinds of installed files. One package has several of them
 * and is one finding all the same, of the kind that most of its members are. */
#define CATEGORY_INSTALLED_COUNT (CATEGORY_OUTSIDE_FILE + 1)
bool category_is_installed(enum category_id category);

#endif
