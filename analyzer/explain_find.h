/* SPDX-License-Identifier: MIT
 *
 * What a person means by a name: the rows of `subject` behind it, among those that a run used.
 */
#ifndef ANALYZER_EXPLAIN_FIND_H
#define ANALYZER_EXPLAIN_FIND_H

#include "analysis.h"

/* In this order, the first that has an answer counts. */
enum found_by {
    FOUND_NAME,        /* a subject as the run has it: a path (from the root of the project, or of
                          where the user is), a variable, "host:port" */
    FOUND_HOST,        /* a host without its port, a known service */
    FOUND_FINGERPRINT, /* of a finding, or at least four digits of it */
    FOUND_CATEGORY,    /* of categories.def */
    FOUND_PACKAGE,
    FOUND_FOLDER, /* all below a path; always when it ends in a slash */
    FOUND_END,    /* the end of a path, in whole names */
    FOUND_NOTHING
};

struct finding_subjects {
    enum found_by by;
    int64_t *ids; /* of subject, ascending */
    size_t count, room;
    char fingerprint[17];      /* FINGERPRINT: the whole of it */
    enum category_id category; /* CATEGORY: that one */
    bool all; /* every use of the subjects, not only those of the fingerprint or category */
};

/* 0 with at least one id; TALLY_ERR_NOT_FOUND with one line in `why`: that there is none, with the
 * nearest names, or that there are several. finding_subjects_fini in any case. */
int explain_find(struct finding_subjects *found, sqlite3 *db, const struct analysis *analysis,
                 const char *subject, const char *cwd, struct buffer *why);
void finding_subjects_fini(struct finding_subjects *found);

void finding_subjects_add(struct finding_subjects *found, int64_t id);
/* Puts them in order, each once. */
void finding_subjects_settle(struct finding_subjects *found, enum found_by by);

/* Can it be one, or the start of one? */
bool explain_is_fingerprint(const char *asked, size_t length);

const char *found_by_name(enum found_by by);

#endif
