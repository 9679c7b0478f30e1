/* SPDX-License-Identifier: MIT
 *
 * What is allowed and yet probably not meant. Only the manifest's own rules are looked at; named
 * sets are made to hold on machines that lack what they name.
 */
#include "manifest.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cleanup.h"
#include "model.h"
#include "pattern.h"

#define TAKE_AWAY_MAX 20000u

struct lint {
    const struct manifest *manifest;
    struct buffer *warnings;
};

static void warn_about(const struct lint *lint, const struct rule *rule, const char *format, ...)
    PRINTF_LIKE(3, 4);

static void warn_about(const struct lint *lint, const struct rule *rule, const char *format, ...)
{
    cleanup_free char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        die("out of memory");
    va_end(arguments);
    model_place(lint->manifest, rule, lint->warnings);
    buffer_printf(lint->warnings, "warning: %s\n", text);
}

static bool is_path_rule(const struct rule *rule)
{
    return rule->section <= POLICY_ABSENT && rule->pattern && rule->line;
}

/* Bytes of the pattern before the first component with a wildcard, without a slash at their end. */
static size_t literal_length(const char *pattern)
{
    size_t at = 0;

    while (pattern[at]) {
        size_t length = strcspn(pattern + at + 1, "/");

        if (pattern_has_wildcard(pattern + at + 1, length))
            return at;
        at += 1 + length;
    }
    return at;
}

/* Does the rule declare all below `length` bytes of its pattern: "/a" and "/a/ **"? */
static bool is_whole_folder(const struct rule *rule, size_t literal)
{
    const char *rest = rule->pattern + literal;

    return !*rest || !strcmp(rest, "/**");
}

/* A rule, by the folder that it names or the pattern that it is. */
struct seen {
    const struct rule *rule;
    const char *text;
    size_t length;
    size_t order;
};

static int compare_texts(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);

    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare_seen(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    int order = compare_texts(a->text, a->length, b->text, b->length);

    return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* The last rule in the sorted list for exactly this text and the same action; NULL when none. */
static const struct seen *find_seen(const struct seen *list, size_t count, const char *text,
                                    size_t length, const struct rule *except)
{
    size_t low = 0, high = count;
    const struct seen *found = NULL;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_texts(list[middle].text, list[middle].length, text, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && !compare_texts(list[low].text, list[low].length, text, length); low++)
        if (list[low].rule != except && list[low].rule->action == except->action)
            found = &list[low];
    return found;
}

static bool grants_as_much(const struct rule *wide, const struct rule *narrow)
{
    if (wide->takes_away || narrow->takes_away)
        return wide->takes_away && narrow->takes_away;
    return wide->section == narrow->section ||
           (narrow->section == POLICY_INPUT && wide->section != POLICY_ABSENT);
}

/* The nearest folder rule around this one that decides what this one also says. */
static const struct rule *covering_rule(const struct seen *folders, size_t count,
                                        const struct rule *rule)
{
    size_t length = literal_length(rule->pattern);
    bool same = is_whole_folder(rule, length);

    for (;;) {
        const struct seen *found = find_seen(folders, count, rule->pattern, length, rule);

        if (found && !(same && found->rule < rule))
            return found->rule;
        if (!length)
            return NULL;
        do
            length--;
        while (length && rule->pattern[length] != '/');
        same = false;
    }
}

static void check_shadow(const struct lint *lint, const struct seen *folders, size_t count,
                         const struct rule *rule)
{
    const struct rule *wide = covering_rule(folders, count, rule);
    size_t length = literal_length(rule->pattern);

    if (!wide || rule->digest)
        return;
    if (literal_length(wide->pattern) == length && wide > rule) {
        warn_about(lint, rule, "\"%s%s\" never decides: line %d covers it and comes later",
                   rule->takes_away ? "!" : "", rule->written, wide->line);
        return;
    }
    if (grants_as_much(wide, rule))
        warn_about(lint, rule, "\"%s%s\" adds nothing: line %d covers it",
                   rule->takes_away ? "!" : "", rule->written, wide->line);
}

/* The rules that declare a whole folder, sorted by its name. The caller frees. */
static struct seen *collect_folders(const struct manifest *manifest, size_t *count)
{
    struct seen *folders = xcalloc(manifest->rule_count + 1, sizeof(*folders));

    *count = 0;
    for (size_t i = 0; i < manifest->rule_count; i++) {
        const struct rule *rule = &manifest->rules[i];
        size_t length;

        if (!is_path_rule(rule))
            continue;
        length = literal_length(rule->pattern);
        if (is_whole_folder(rule, length))
            folders[(*count)++] = (struct seen){rule, rule->pattern, length, i};
    }
    qsort(folders, *count, sizeof(*folders), compare_seen);
    return folders;
}

/* `!` removes from earlier rules whose literal part is not longer than its own. */
static void check_take_away(const struct lint *lint, const struct rule *rule)
{
    size_t length = literal_length(rule->pattern);
    const struct rule *longer = NULL;

    for (const struct rule *other = lint->manifest->rules; other < rule; other++) {
        size_t other_length;

        if (other->package && other->section == rule->section)
            return;
        if (other->section > POLICY_ABSENT || !other->pattern || other->takes_away)
            continue;
        other_length = literal_length(other->pattern);
        if (other_length <= length && !strncmp(other->pattern, rule->pattern, other_length))
            return;
        if (!strncmp(other->pattern, rule->pattern, length))
            longer = other;
    }
    if (longer)
        warn_about(
            lint, rule,
            "\"!%s\" takes nothing away from \"%s\", whose literal beginning is longer; start it "
            "with the same folder",
            rule->written, longer->written);
    else
        warn_about(lint, rule, "\"!%s\" takes nothing away: no rule before it declares such a path",
                   rule->written);
}

static bool lies_in(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return !strncmp(path, folder, length) && (!path[length] || path[length] == '/' || length == 1);
}

/* Can somebody that the build may run as change it? root can change everything, so for root only
 * what others can change counts. */
static bool is_writable(const char *path, struct stat *status)
{
    if (stat(path, status))
        return false;
    if (geteuid())
        return !faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
    return status->st_uid != 0 || (status->st_mode & S_IWOTH && !(status->st_mode & S_ISVTX));
}

static void check_on_disk(const struct lint *lint, const struct rule *rule)
{
    cleanup_free char *path = xmemdup(rule->pattern, literal_length(rule->pattern));
    bool whole = !rule->pattern[strlen(path)];
    struct stat status;

    if (rule->section != POLICY_INPUT || rule->takes_away)
        return;
    pattern_unquote(path, strlen(path));
    if (!*path)
        return;
    if (lstat(path, &status)) {
        warn_about(lint, rule, "\"%s\" does not exist%s", path,
                   whole ? "" : ", so nothing can match the pattern");
        return;
    }
    if (!lies_in(path, lint->manifest->root) && strncmp(path, "/proc", 5) &&
        strncmp(path, "/dev", 4) && is_writable(path, &status))
        warn_about(
            lint, rule,
            "the user who builds can write to \"%s\"%s; declare a package, or a folder that only "
            "root can change",
            path, rule->digest ? " in spite of its digest" : ", which lies outside the root");
}

static void check_waiver(const struct lint *lint, const struct rule *rule)
{
    if (!rule->owner)
        warn_about(lint, rule, "the waiver for \"%s\" has no owner", rule->written);
    if (!rule->has_date)
        warn_about(lint, rule, "the waiver for \"%s\" never expires", rule->written);
}

void manifest_lint(const struct manifest *manifest, struct buffer *warnings)
{
    struct lint lint = {manifest, warnings};
    size_t folder_count;
    cleanup_free struct seen *folders = collect_folders(manifest, &folder_count);
    struct stat status;

    if (stat(manifest->root, &status) || !S_ISDIR(status.st_mode))
        buffer_printf(warnings, "%s:%d:%d: warning: the root \"%s\" is no folder\n",
                      manifest->path ? manifest->path : "built-in",
                      manifest->root_line ? manifest->root_line : 1,
                      manifest->root_column ? manifest->root_column : 1, manifest->root);
    for (size_t i = 0; i < manifest->rule_count; i++) {
        const struct rule *rule = &manifest->rules[i];

        if (!rule->line)
            continue;
        if (rule->missing)
            warn_about(&lint, rule, "the package %s is not installed", rule->package);
        if (is_path_rule(rule))
            check_on_disk(&lint, rule);
        /* Takes a look at all rules for each; a manifest of that size was written by a program. */
        if (is_path_rule(rule) && rule->takes_away && manifest->rule_count <= TAKE_AWAY_MAX)
            check_take_away(&lint, rule);
        if (is_path_rule(rule))
            check_shadow(&lint, folders, folder_count, rule);
        if (rule->section == POLICY_WAIVER)
            check_waiver(&lint, rule);
    }
}
