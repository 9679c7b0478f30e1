/* SPDX-License-Identifier: MIT
 *
 * The judge. It will run inside other people's processes, also in their signal handlers and in
 * vfork children. Rules for editing this file, judge_find.c, judge_network.c and match.c: no call
 * of libc (a test looks at the symbols), no copy of a struct that a compiler could turn into
 * memcpy, no allocation, no state, under 1 KiB of stack, no recursion.
 *
 * The block is trusted (policy_check() has seen it); the question is not.
 */
#include "tallyman/judge.h"

#include "match.h"
#include "judge_find.h"
#include "tallyman/policy.h"

static const unsigned char channel_of[] = {
#define EVENT(id, channel, class, name, text) CHANNEL_##channel,
#include "tallyman/events.def"
#undef EVENT
};

static const unsigned char class_of[] = {
#define EVENT(id, channel, class, name, text) ACCESS_##class,
#include "tallyman/events.def"
#undef EVENT
};

/* What one name of an access comes to. */
struct opinion {
    struct found found;
    bool declared;
    bool refused; /* taken away, or found where it must be absent */
};

static struct judgement answer(enum verdict verdict, uint32_t rule)
{
    struct judgement judgement = {verdict, rule};

    return judgement;
}

static void weigh(const struct policy *policy, const struct question *question, const char *path,
                  size_t length, struct opinion *opinion)
{
    struct search search = {
        .policy = policy, .action = question->action, .space = POLICY_SPACE_PATHS};
    enum access_class class = class_of[question->kind];

    find_path(&search, path, length, &opinion->found);
    opinion->declared = opinion->refused = false;
    if (class == ACCESS_LOOK && opinion->found.node != POLICY_NONE &&
        policy_nodes(policy)[opinion->found.node].below != POLICY_NONE) {
        opinion->declared = true;
        if (opinion->found.rule == POLICY_NONE)
            opinion->found.rule = policy_nodes(policy)[opinion->found.node].below;
        return;
    }
    if (opinion->found.rule == POLICY_NONE)
        return;
    if (opinion->found.takes_away) {
        opinion->refused = true;
        return;
    }
    switch (opinion->found.section) {
    case POLICY_INPUT:
        opinion->declared = class != ACCESS_WRITE || question->absent;
        break;
    case POLICY_OUTPUT:
    case POLICY_SCRATCH:
        opinion->declared = true;
        break;
    case POLICY_ABSENT:
        opinion->declared = question->absent;
        opinion->refused = !question->absent;
        break;
    }
}

/* How much of `given` is the link by which it got another name: what is left when the components
 * that both names end with are taken off; at least the first component. */
static size_t link_end(const struct question *question)
{
    const char *given = question->subject, *target = question->resolved;
    size_t i = question->subject_length, j = question->resolved_length;
    size_t end = i;

    while (i && j && given[i - 1] == target[j - 1]) {
        i--;
        j--;
        if (given[i] == '/')
            end = i;
    }
    if (end)
        return end;
    for (end = 1; end < question->subject_length && given[end] != '/';)
        end++;
    return end;
}

/* A rule that goes on after the link names what lies behind it, as /lib/ ** does where /lib is a
 * link to /usr/lib. A rule that ends at the link, or at a folder above it, does not. */
static bool names_target(const struct question *question, const struct found *found)
{
    size_t end = link_end(question);

    return found->literal_end > end || (found->literal_end == end && found->continues);
}

/* Is a name that is refused only a way to another one, which decides then? So it is when the rule
 * stands there as well. And where nothing may be found, a link that is itself declared may be. */
static bool leads_on(const struct policy *policy, const struct question *question,
                     const struct found *found)
{
    struct opinion link;

    if (found->linked)
        return true;
    if (found->takes_away)
        return false;
    weigh(policy, question, question->subject, link_end(question), &link);
    return link.declared;
}

/* Kinds that are about the name itself and never follow a link there. */
static bool concerns_name(enum event_kind kind)
{
    switch (kind) {
    case EVENT_READLINK:
    case EVENT_UNLINK:
    case EVENT_RMDIR:
    case EVENT_RENAME:
    case EVENT_RENAME_TO:
    case EVENT_SYMLINK:
    case EVENT_LINK_TO:
    case EVENT_MKDIR:
    case EVENT_MKNOD:
        return true;
    default:
        return false;
    }
}

static bool same_last_component(const struct question *question)
{
    size_t i = question->subject_length, j = question->resolved_length;

    while (i && j && question->subject[i - 1] == question->resolved[j - 1]) {
        if (question->subject[i - 1] == '/')
            return true;
        i--;
        j--;
    }
    return false;
}

static bool is_random_device(const char *path, size_t length)
{
    return same_text(path, length, "/dev/urandom") || same_text(path, length, "/dev/random") ||
           same_text(path, length, "/dev/hwrng");
}

static bool reads_randomness(const struct question *question)
{
    return class_of[question->kind] == ACCESS_READ &&
           (is_random_device(question->subject, question->subject_length) ||
            (question->resolved &&
             is_random_device(question->resolved, question->resolved_length)));
}

static struct judgement judge_value(const struct policy *policy, enum channel channel, uint32_t bit)
{
    if (policy->values.given & bit)
        return answer(VERDICT_DECLARED, policy->values.rules[channel]);
    return answer(VERDICT_UNDECLARED, JUDGE_NO_RULE);
}

static struct judgement judge_file(const struct policy *policy, const struct question *question)
{
    struct opinion given, target;

    if (question->made && class_of[question->kind] != ACCESS_WRITE)
        return answer(VERDICT_DECLARED, JUDGE_NO_RULE);
    if (reads_randomness(question))
        return judge_value(policy, CHANNEL_RANDOMNESS, POLICY_RANDOMNESS);
    weigh(policy, question, question->subject, question->subject_length, &given);
    if (!question->resolved || (concerns_name(question->kind) && !same_last_component(question))) {
        if (given.declared)
            return answer(VERDICT_DECLARED, given.found.rule);
        return answer(VERDICT_UNDECLARED, given.refused ? given.found.rule : JUDGE_NO_RULE);
    }
    if (given.refused && !leads_on(policy, question, &given.found))
        return answer(VERDICT_UNDECLARED, given.found.rule);
    weigh(policy, question, question->resolved, question->resolved_length, &target);
    if (target.refused)
        return answer(VERDICT_UNDECLARED, target.found.rule);
    if (target.declared)
        return answer(VERDICT_DECLARED, target.found.rule);
    if (given.declared && names_target(question, &given.found))
        return answer(VERDICT_DECLARED, given.found.rule);
    return answer(VERDICT_UNDECLARED, JUDGE_NO_RULE);
}

static struct judgement judge_variable(const struct policy *policy, const struct question *question)
{
    struct search search = {
        .policy = policy, .action = JUDGE_NO_ACTION, .space = POLICY_SPACE_VARIABLES};
    struct found found;

    find_name(&search, question->subject, question->subject_length, &found);
    return found.rule == POLICY_NONE ? answer(VERDICT_UNDECLARED, JUDGE_NO_RULE)
                                     : answer(VERDICT_DECLARED, found.rule);
}

/* Locales that are part of libc itself, and the names that nl_langinfo gives to their charsets. */
static struct judgement judge_locale(const struct policy *policy, const struct question *question)
{
    static const char built_in[][20] = {"C", "POSIX", "C.UTF-8", "ANSI_X3.4-1968", "UTF-8"};

    for (size_t i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++)
        if (same_text(question->subject, question->subject_length, built_in[i]))
            return answer(VERDICT_DECLARED, JUDGE_NO_RULE);
    return judge_value(policy, CHANNEL_ENVIRONMENT, POLICY_LOCALE);
}

static struct judgement judge_clock(const struct policy *policy, const struct question *question)
{
    if (same_text(question->subject, question->subject_length, "monotonic"))
        return answer(VERDICT_DECLARED, JUDGE_NO_RULE);
    return judge_value(policy, CHANNEL_CLOCK, POLICY_CLOCK);
}

/* "passwd:NAME" and "group:NAME" ask for the declared user or group when NAME is its name or
 * number; anything else asks what accounts the machine has. */
static bool names_account(const struct policy *policy, const struct question *question,
                          const char *prefix, uint32_t number_bit, uint32_t number)
{
    const struct policy_values *values = &policy->values;
    size_t length = text_length(prefix);
    const char *name = question->subject + length;

    if (!starts_with(question->subject, question->subject_length, prefix))
        return false;
    length = question->subject_length - length;
    if (values->fixed & number_bit && is_number(name, length, number))
        return true;
    if (values->fixed & POLICY_USER)
        return same_text(name, length, policy_string(policy, values->user));
    return false;
}

static struct judgement judge_identity(const struct policy *policy, const struct question *question)
{
    const struct policy_values *values = &policy->values;
    const char *subject = question->subject;
    size_t length = question->subject_length;
    uint32_t everyone = POLICY_USER | POLICY_UID;
    uint32_t bit = 0;

    if (question->kind == EVENT_HOST)
        bit = POLICY_HOST;
    else if (same_text(subject, length, "user-id"))
        bit = POLICY_UID;
    else if (same_text(subject, length, "group-id"))
        bit = POLICY_GID;
    else if (same_text(subject, length, "login-name") ||
             names_account(policy, question, "passwd:", POLICY_UID, values->uid))
        bit = everyone;
    else if (names_account(policy, question, "group:", POLICY_GID, values->gid))
        bit = POLICY_GID | POLICY_USER;
    else if ((values->given & ~values->fixed & everyone) == everyone)
        bit = everyone; /* `identity: real` accepts every question */
    return judge_value(policy, CHANNEL_IDENTITY, bit);
}

static struct judgement judge_resource(const struct policy *policy, const struct question *question)
{
    switch (question->kind) {
    case EVENT_CPU:
        return judge_value(policy, CHANNEL_RESOURCES, POLICY_CPUS);
    case EVENT_MEMORY:
        return judge_value(policy, CHANNEL_RESOURCES, POLICY_MEMORY);
    default:
        return judge_value(policy, CHANNEL_RESOURCES, POLICY_LIMITS);
    }
}

static struct judgement judge_network(const struct policy *policy, const struct question *question)
{
    uint32_t rule;

    if (question->made)
        return answer(VERDICT_DECLARED, JUDGE_NO_RULE);
    rule = find_endpoint(policy, question->kind == EVENT_LOOKUP, question->subject,
                         question->subject_length);
    if (rule == POLICY_NONE && question->resolved)
        rule = find_endpoint(policy, question->kind == EVENT_LOOKUP, question->resolved,
                             question->resolved_length);
    return rule == POLICY_NONE ? answer(VERDICT_UNDECLARED, JUDGE_NO_RULE)
                               : answer(VERDICT_DECLARED, rule);
}

static struct judgement judge_undeclared(const struct policy *policy,
                                         const struct question *question, enum channel channel)
{
    switch (channel) {
    case CHANNEL_FILESYSTEM:
        return judge_file(policy, question);
    case CHANNEL_NETWORK:
        return judge_network(policy, question);
    case CHANNEL_CLOCK:
        return judge_clock(policy, question);
    case CHANNEL_ENVIRONMENT:
        return question->kind == EVENT_LOCALE ? judge_locale(policy, question)
                                              : judge_variable(policy, question);
    case CHANNEL_RANDOMNESS:
        if (question->kind == EVENT_SEED)
            return answer(VERDICT_DECLARED, JUDGE_NO_RULE);
        return judge_value(policy, CHANNEL_RANDOMNESS, POLICY_RANDOMNESS);
    case CHANNEL_IDENTITY:
        return judge_identity(policy, question);
    case CHANNEL_RESOURCES:
        return judge_resource(policy, question);
    case CHANNEL_NONE:
        break;
    }
    return answer(VERDICT_DECLARED, JUDGE_NO_RULE);
}

static uint32_t find_waiver(const struct policy *policy, const struct question *question,
                            enum channel channel)
{
    const struct policy_waiver *waivers = policy_waivers(policy);
    struct search search = {
        .policy = policy, .action = JUDGE_NO_ACTION, .space = POLICY_SPACE_WAIVERS};
    struct found found = {.rule = POLICY_NONE};
    bool random = channel == CHANNEL_FILESYSTEM && reads_randomness(question);

    if (channel == CHANNEL_FILESYSTEM) {
        if (policy_nodes(policy)[POLICY_SPACE_WAIVERS].below == POLICY_NONE && !random)
            return POLICY_NONE;
        find_path(&search, question->subject, question->subject_length, &found);
        if (found.rule == POLICY_NONE && question->resolved)
            find_path(&search, question->resolved, question->resolved_length, &found);
        if (found.rule != POLICY_NONE || !random)
            return found.rule;
        channel = CHANNEL_RANDOMNESS;
    }
    for (uint32_t i = policy->waivers.count; i-- > 0;) {
        const char *subject = policy_string(policy, waivers[i].subject);

        if (waivers[i].channel == channel &&
            match_text(subject, text_length(subject), question->subject, question->subject_length))
            return waivers[i].rule;
    }
    return POLICY_NONE;
}

struct judgement judge(const struct policy *policy, const struct question *question)
{
    enum channel channel;
    struct judgement judgement;
    uint32_t waiver;

    if ((unsigned)question->kind >= EVENT_KIND_COUNT)
        return answer(VERDICT_UNDECLARED, JUDGE_NO_RULE);
    channel = channel_of[question->kind];
    judgement = judge_undeclared(policy, question, channel);
    if (judgement.verdict != VERDICT_UNDECLARED)
        return judgement;
    waiver = find_waiver(policy, question, channel);
    return waiver == POLICY_NONE ? judgement : answer(VERDICT_WAIVED, waiver);
}

/* Does an argument after the first match? */
static bool has_argument(const char *pattern, const char *argv, size_t length)
{
    size_t at = 0;

    for (bool first = true; at < length; first = false) {
        size_t end = at;

        while (end < length && argv[end])
            end++;
        if (!first && match_text(pattern, text_length(pattern), argv + at, end - at))
            return true;
        at = end + 1;
    }
    return false;
}

uint32_t policy_action_of(const struct policy *policy, const char *exe, size_t exe_length,
                          const char *argv, size_t argv_length, uint32_t parent_action)
{
    const struct policy_action *actions = policy_actions(policy);

    if (parent_action < policy->actions.count)
        return parent_action;
    for (uint32_t i = 0; i < policy->actions.count; i++) {
        if (actions[i].exe != POLICY_NONE &&
            !match_path(policy_string(policy, actions[i].exe), false, exe, exe_length))
            continue;
        if (actions[i].argument != POLICY_NONE &&
            !has_argument(policy_string(policy, actions[i].argument), argv, argv_length))
            continue;
        return i;
    }
    return JUDGE_NO_ACTION;
}

uint32_t policy_rule_count(const struct policy *policy)
{
    return policy->rules.count;
}

const char *policy_rule_text(const struct policy *policy, uint32_t rule)
{
    return rule < policy->rules.count ? policy_string(policy, policy_rules(policy)[rule].text) : "";
}

uint32_t policy_rule_line(const struct policy *policy, uint32_t rule)
{
    return rule < policy->rules.count ? policy_rules(policy)[rule].line : 0;
}

bool policy_rule_is_waiver(const struct policy *policy, uint32_t rule)
{
    return rule < policy->rules.count && policy_rules(policy)[rule].section == POLICY_WAIVER;
}
