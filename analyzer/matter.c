/* SPDX-License-Identifier: MIT */
#include "matter.h"

#include <errno.h>

#include "endpoint.h"
#include "group.h"
#include "operation.h"

/* Who makes a folder that is there already ("mkdir -p") has looked at it, and changed nothing. */
static enum event_kind kind_of(const struct summary *summary)
{
    return summary->kind == EVENT_MKDIR && summary->outcome == EEXIST ? EVENT_STAT : summary->kind;
}

struct matter matter_of_summary(const struct summary *summary, uint32_t action)
{
    return (struct matter){
        .kind = kind_of(summary),
        .subject = summary->subject,
        .action = action,
        .absent = summary->outcome == ENOENT || summary->outcome == ENOTDIR,
        .made = summary->made,
        .no_follow = operation_no_follow(summary->kind, summary->flags),
    };
}

/* Binding to a path makes a file there: who may make it may bind it. */
static struct judgement judge_socket_file(const struct matter *matter, const struct policy *policy,
                                          struct text name, struct judgement judgement)
{
    struct endpoint endpoint = endpoint_of(name);
    struct question question = {
        .kind = EVENT_MKNOD,
        .subject = endpoint.path.bytes,
        .subject_length = endpoint.path.length,
        .action = matter->action,
    };
    struct judgement file;

    if (endpoint.kind != ENDPOINT_PATH)
        return judgement;
    file = judge(policy, &question);
    return file.verdict == VERDICT_DECLARED ? file : judgement;
}

uint32_t matter_deciding_subject(const struct matter *matter, const struct subjects *subjects)
{
    const struct subject *subject = &subjects->rows[matter->subject];

    if (subject->resolved == MAP_NONE ||
        (matter->no_follow &&
         !path_same_last_name(subject->name, subjects->rows[subject->resolved].name)))
        return matter->subject;
    return subject->resolved;
}

struct judgement matter_judge(const struct matter *matter, const struct policy *policy,
                              const struct subjects *subjects)
{
    const struct subject *subject = &subjects->rows[matter->subject];
    struct question question = {
        .kind = matter->kind,
        .subject = subject->name.bytes,
        .subject_length = subject->name.length,
        .action = matter->action,
        .absent = matter->absent,
        .made = matter->made,
    };
    uint32_t deciding = matter_deciding_subject(matter, subjects);
    struct judgement judgement;

    if (deciding != matter->subject) {
        question.resolved = subjects->rows[deciding].name.bytes;
        question.resolved_length = subjects->rows[deciding].name.length;
    }
    judgement = judge(policy, &question);
    if (matter->kind == EVENT_BIND && judgement.verdict == VERDICT_UNDECLARED)
        return judge_socket_file(matter, policy, subject->name, judgement);
    return judgement;
}
