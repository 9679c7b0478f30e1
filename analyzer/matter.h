/* SPDX-License-Identifier: MIT
 *
 * What decides about an access: one question to the judge, asked of what the database holds.
 */
#ifndef ANALYZER_MATTER_H
#define ANALYZER_MATTER_H

#include "subjects.h"
#include "summaries.h"
#include "tallyman/judge.h"

struct matter {
    enum event_kind kind;
    uint32_t subject;
    uint32_t action;
    bool absent, made;
    bool no_follow; /* concerns a link itself, or binds a socket */
};

/* By processes that this action has taken. */
struct matter matter_of_summary(const struct summary *summary, uint32_t action);

struct judgement matter_judge(const struct matter *matter, const struct policy *policy,
                              const struct subjects *subjects);

/* The number of the name that decides: what a link leads to, where the matter follows it. */
uint32_t matter_deciding_subject(const struct matter *matter, const struct subjects *subjects);

#endif
