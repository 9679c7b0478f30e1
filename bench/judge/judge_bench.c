/* SPDX-License-Identifier: MIT
 *
 * judge_bench [PATTERNS [PATHS]]: nanoseconds of processor time per decision of the judge, by
 * default under a manifest of 1,000 patterns and 100,000 exact paths. Each row is the median of 11
 * rounds over 200,000 questions in random order, with the fastest and the slowest round.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "manifest.h"

#define ROUNDS    11
#define QUESTIONS 200000

static uint64_t random_state = 88172645463325252ull;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Twenty files in a folder, ten folders in a module. */
static char *exact_path(unsigned i)
{
    return xprintf("/opt/tree%u/lib/module%u/part%u/file-%u.h", i / 20000, i / 200, i / 20 % 10, i);
}

/* A third each: patterns of their own folder, of one shared folder, and of names anywhere. */
static char *pattern(unsigned i)
{
    if (i % 3 == 0)
        return xprintf("/srv/p%u/**/*.h", i);
    if (i % 3 == 1)
        return xprintf("/srv/shared/mod%u*/**", i);
    return xprintf("/work/**/*.e%u", i);
}

static struct policy *make_policy(unsigned patterns, unsigned paths)
{
    struct buffer text = BUFFER_INIT, errors = BUFFER_INIT;
    struct manifest *manifest;
    struct policy *policy;
    size_t size;

    buffer_add_text(&text,
                    "version: 1\nenvironment: {PATH: /bin, 'LC_*': {pass: true}}\nclock: real\n"
                    "inputs:\n");
    for (unsigned i = 0; i < paths; i++) {
        char *path = exact_path(i);

        buffer_printf(&text, "  - %s\n", path);
        free(path);
    }
    for (unsigned i = 0; i < patterns; i++) {
        char *path = pattern(i);

        buffer_printf(&text, "  - '%s'\n", path);
        free(path);
    }
    manifest = manifest_parse("bench", text.data, text.length, "/work", &errors);
    if (!manifest)
        die("%s", errors.data);
    policy = policy_compile(manifest, &size, &errors);
    if (!policy)
        die("%s", errors.data);
    printf("%u patterns, %u exact paths, a block of %zu KiB\n", patterns, paths, size >> 10);
    manifest_free(manifest);
    buffer_fini(&text);
    return policy;
}

struct row {
    const char *name;
    enum event_kind kind;
    enum verdict verdict;
    char *(*subject)(unsigned patterns, unsigned paths);
};

static char *a_path(unsigned patterns, unsigned paths)
{
    (void)patterns;
    return exact_path((unsigned)(next_random() % paths));
}

static char *a_hot_path(unsigned patterns, unsigned paths)
{
    (void)patterns;
    return exact_path((unsigned)(next_random() % (paths < 500 ? paths : 500)));
}

static char *a_match(unsigned patterns, unsigned paths)
{
    unsigned i = (unsigned)(next_random() % patterns);

    (void)paths;
    if (i % 3 == 0)
        return xprintf("/srv/p%u/deep/er/x.h", i);
    if (i % 3 == 1)
        return xprintf("/srv/shared/mod%u-a/b/c", i);
    return xprintf("/work/src/sub/file.e%u", i);
}

static char *a_miss(unsigned patterns, unsigned paths)
{
    (void)patterns;
    (void)paths;
    return xprintf("/usr/include/x86_64-linux-gnu/bits/file%u.h", (unsigned)(next_random() % 5000));
}

static char *a_near_miss(unsigned patterns, unsigned paths)
{
    unsigned i = (unsigned)(next_random() % patterns);

    if (i % 3 == 0)
        return xprintf("/opt/tree0/lib/module%u/part1/other-%u.h", i % 100, i % paths);
    if (i % 3 == 1)
        return xprintf("/srv/shared/nod%u/b/c", i);
    return xprintf("/work/src/sub/file.f%u", i);
}

static char *a_variable(unsigned patterns, unsigned paths)
{
    (void)patterns;
    (void)paths;
    return xstrdup(next_random() % 2 ? "PATH" : "LC_MESSAGES");
}

static char *a_clock(unsigned patterns, unsigned paths)
{
    (void)patterns;
    (void)paths;
    return xstrdup("realtime");
}

static const struct row rows[] = {
    {"exact paths, all of them", EVENT_READ, VERDICT_DECLARED, a_path},
    {"exact paths, the same 500", EVENT_READ, VERDICT_DECLARED, a_hot_path},
    {"paths that a pattern matches", EVENT_READ, VERDICT_DECLARED, a_match},
    {"paths that nothing matches", EVENT_READ, VERDICT_UNDECLARED, a_miss},
    {"paths that nearly match", EVENT_READ, VERDICT_UNDECLARED, a_near_miss},
    {"variables", EVENT_GETENV, VERDICT_DECLARED, a_variable},
    {"the clock", EVENT_CLOCK_READ, VERDICT_DECLARED, a_clock},
};

static double now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static void measure(const struct policy *policy, const struct row *row, unsigned patterns,
                    unsigned paths)
{
    struct question *questions = xcalloc(QUESTIONS, sizeof(*questions));
    struct buffer subjects = BUFFER_INIT;
    double times[ROUNDS];
    long wrong = 0;

    /* One after another in memory: a program has the name at hand when it asks. */
    for (int i = 0; i < QUESTIONS; i++) {
        char *subject = row->subject(patterns, paths);

        questions[i].kind = row->kind;
        questions[i].action = JUDGE_NO_ACTION;
        questions[i].subject_length = strlen(subject);
        buffer_add(&subjects, subject, questions[i].subject_length);
        free(subject);
    }
    for (size_t i = 0, at = 0; i < QUESTIONS; at += questions[i++].subject_length)
        questions[i].subject = subjects.data + at;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();

        for (int i = 0; i < QUESTIONS; i++)
            wrong += judge(policy, &questions[i]).verdict != row->verdict;
        times[round] = (now_ns() - start) / QUESTIONS;
    }
    if (wrong)
        die("%s: %ld wrong answers", row->name, wrong);
    qsort(times, ROUNDS, sizeof(times[0]), compare_doubles);
    printf("%-32s %7.1f ns  (%.1f to %.1f)\n", row->name, times[ROUNDS / 2], times[0],
           times[ROUNDS - 1]);
    buffer_fini(&subjects);
    free(questions);
}

int main(int argc, char **argv)
{
    unsigned patterns = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    unsigned paths = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100000;
    struct policy *policy;

    if (!patterns || !paths)
        die("expected numbers above 0: judge_bench [PATTERNS [PATHS]]");
    policy = make_policy(patterns, paths);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        measure(policy, &rows[i], patterns, paths);
    free(policy);
    return 0;
}
