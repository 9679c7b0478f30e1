/* SPDX-License-Identifier: MIT
 *
 * Every row of hooks.def, called in every context that fits: is it recorded, once, as what it was,
 * and does the program get what it gets without the shim?
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"
#include "snippets.h"

#define FOUND (-1)
#define ANY   (-2)

struct expected {
    enum event_kind kind;
    const char *hook; /* NULL: that of the row */
    const char *subject;
    const char *other; /* NULL: does not matter */
    int error;
    uint32_t flags;
};

#define EVENTS_MAX 4

struct row {
    const char *name;
    unsigned contexts;
    struct expected events[EVENTS_MAX];
};

#define UNPACK(...)                    __VA_ARGS__
#define E(kind, subject, error, flags) {EVENT_##kind, NULL, subject, NULL, error, flags},
#define TWO(kind, subject, other)                                                                  \
    {EVENT_##kind, NULL, subject, other, 0, EVENT_##kind == EVENT_SYMLINK ? 0 : RECORD_NO_FOLLOW},
#define BY(hook, kind, subject, error) {EVENT_##kind, #hook, subject, NULL, error, 0},
#define NO_MORE                                                                                    \
    {                                                                                              \
        EVENT_NONE, NULL, NULL, NULL, 0, 0                                                         \
    }
/* The test sets TZ to nothing, which means Universal Time without a file. */
#define ZONE E(GETENV, "TZ", 0, 0)

static const struct row rows[] = {
#define SNIPPET(name, contexts, events, ...) {#name, contexts, {UNPACK events NO_MORE}},
#include "snippets.def"
#undef SNIPPET
};

static const char *const hooks[] = {
#define HOOK(name, ret, fails, params, args, event, note)   #name,
#define CHANGE(name, ret, fails, params, args, event, note) #name,
#define CUSTOM(name, ret, fails, params, args, event, note) #name,
#include "tallyman/hooks.def"
#undef HOOK
#undef CHANGE
#undef CUSTOM
    "start"};

#define ROW_COUNT  (sizeof rows / sizeof *rows)
#define HOOK_COUNT (sizeof hooks / sizeof *hooks - 1)

static const char *const kinds[] = {
#define EVENT(id, channel, class, name, text) #id,
#include "tallyman/events.def"
#undef EVENT
};

static const enum channel channels[] = {
#define EVENT(id, channel, class, name, text) CHANNEL_##channel,
#include "tallyman/events.def"
#undef EVENT
};

/* --- one run -------------------------------------------------------------------------------- */

struct run {
    char folder[64];
    char log[96];
    struct scratch_result plain, watched;
    struct scratch_records records;
    long result;
    int error;
    int pid; /* that ran the snippet; 0 when it did not come back (exec) */
};

static void make_file(const char *folder, const char *name, const char *content)
{
    char path[160];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    cr_assert(file && fputs(content, file) >= 0 && fclose(file) == 0, "cannot make %s", path);
}

static void link_to(const char *folder, const char *name, const char *target)
{
    char path[160];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert(symlink(target, path) == 0, "cannot make %s", path);
}

static void make_folder(char *folder)
{
    char path[160];

    strcpy(folder, "/tmp/tallyman-hooks.XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/dd", folder);
    cr_assert(mkdir(path, 0700) == 0);
    make_file(folder, "u.txt", "hi\n");
    make_file(folder, "dd/in", "in\n");
    link_to(folder, "link", "u.txt");
    link_to(folder, "plugin.so", TEST_PLUGIN);
}

static int remove_entry(const char *path, const struct stat *status, int what, struct FTW *where)
{
    (void)status;
    (void)what;
    (void)where;
    return remove(path);
}

static void remove_folder(const char *folder)
{
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* What the kernel would report while a test runs; the functions behind the wrappers depend on it.
 */
static enum witness_mode witness;

static void run_once(const struct row *row, const char *context, struct run *run, bool watched)
{
    const char *const argv[] = {SNIPPETS_PROGRAM, row->name, context, NULL};
    struct scratch_program program = {.argv = argv, .folder = run->folder};

    make_folder(run->folder);
    if (watched) {
        snprintf(run->log, sizeof run->log, "%s.log", run->folder);
        scratch_log(run->log, 0);
        program.log = run->log;
        program.shim = TEST_SHIM;
        program.witness = witness;
    }
    scratch_run(&program, watched ? &run->watched : &run->plain);
    remove_folder(run->folder);
}

static void read_result(struct run *run)
{
    char *pid = strstr(run->watched.output, "pid ");

    sscanf(run->watched.output, "%ld %d", &run->result, &run->error);
    if (pid)
        sscanf(pid, "pid %d", &run->pid);
    run->records = scratch_read(run->log);
    unlink(run->log);
}

/* --- judging -------------------------------------------------------------------------------- */

static bool subject_fits(const struct run *run, const struct expected *expected,
                         const char *subject, const char *pattern)
{
    char absolute[256];

    if (channels[expected->kind] != CHANNEL_FILESYSTEM || pattern[0] == '/')
        return scratch_matches(subject, pattern);
    snprintf(absolute, sizeof absolute, "%s/%s", run->folder, pattern);
    return scratch_matches(subject, absolute);
}

static bool other_fits(const struct run *run, const struct expected *expected, const char *other)
{
    if (!expected->other)
        return true;
    if (expected->kind == EVENT_SYMLINK)
        return strcmp(other, expected->other) == 0;
    return subject_fits(run, expected, other, expected->other);
}

static bool fits(const struct run *run, const struct expected *expected,
                 const struct scratch_record *record)
{
    int error = expected->error == FOUND ? run->result ? 0 : ENOENT : expected->error;

    return record->head.kind == expected->kind &&
           subject_fits(run, expected, record->subject, expected->subject) &&
           other_fits(run, expected, record->other) &&
           (error == ANY || record->head.error == error) &&
           (expected->hook || (record->head.flags & RECORD_KEYED) == expected->flags) &&
           record->head.count == 1;
}

static const struct expected *expected_for(const struct run *run, const struct row *row,
                                           const struct scratch_record *record, bool *own)
{
    const char *hook = hooks[record->head.hook];

    *own = strcmp(hook, row->name) == 0;
    for (const struct expected *each = row->events; each < row->events + EVENTS_MAX; each++)
        if (each->kind != EVENT_NONE && (each->hook ? strcmp(hook, each->hook) == 0 : *own) &&
            fits(run, each, record))
            return each;
    return NULL;
}

static void judge(const struct row *row, const char *context, struct run *run)
{
    int seen[EVENTS_MAX] = {0};

    for (size_t i = 0; i < run->records.count; i++) {
        const struct scratch_record *record = &run->records.list[i];
        const struct expected *expected;
        bool own;

        cr_assert(record->head.hook <= HOOK_COUNT);
        expected = expected_for(run, row, record, &own);
        if (expected)
            seen[expected - row->events]++;
        cr_expect(expected || !own,
                  "%s in %s: recorded %s \"%s\" \"%s\" error %d flags %x count %d", row->name,
                  context, kinds[record->head.kind], record->subject, record->other,
                  record->head.error, record->head.flags, (int)record->head.count);
        cr_expect(!own || !run->pid || (int)record->head.pid == run->pid,
                  "%s in %s: recorded for process %d, made by %d", row->name, context,
                  (int)record->head.pid, run->pid);
    }
    for (int i = 0; i < EVENTS_MAX; i++)
        if (row->events[i].kind != EVENT_NONE)
            cr_expect(seen[i] == 1, "%s in %s: %s \"%s\" stands %d times in the log", row->name,
                      context, kinds[row->events[i].kind], row->events[i].subject, seen[i]);
    cr_expect(run->records.damaged == 0 && run->records.lost == 0, "%s in %s: %d damaged, %d lost",
              row->name, context, (int)run->records.damaged, (int)run->records.lost);
}

/* All but the process number. */
static void compare(const struct row *row, const char *context, struct run *run)
{
    char *plain = strstr(run->plain.output, "pid ");
    char *watched = strstr(run->watched.output, "pid ");

    if (plain)
        *plain = '\0';
    if (watched)
        *watched = '\0';
    cr_expect(run->plain.status == run->watched.status && !run->watched.late,
              "%s in %s: status %x, without the shim %x", row->name, context, run->watched.status,
              run->plain.status);
    cr_expect_str_eq(run->watched.output, run->plain.output,
                     "%s in %s: result and errno are \"%s\", without the shim \"%s\"", row->name,
                     context, run->watched.output, run->plain.output);
}

static void run_all(unsigned bit, const char *context)
{
    setenv("TZ", "", 1);
    setenv("HOME", "/nowhere", 1);
    setenv("PATH", "/usr/bin:/bin", 1);
    for (const struct row *row = rows; row < rows + ROW_COUNT; row++) {
        struct run run = {0};

        if (!(row->contexts & bit))
            continue;
        run_once(row, context, &run, false);
        run_once(row, context, &run, true);
        read_result(&run);
        judge(row, context, &run);
        compare(row, context, &run);
        scratch_records_free(&run.records);
    }
}

Test(snippets, there_is_one_for_every_hook)
{
    for (size_t hook = 0; hook < HOOK_COUNT; hook++) {
        size_t row = 0;

        while (row < ROW_COUNT && strcmp(rows[row].name, hooks[hook]) != 0)
            row++;
        cr_expect(row < ROW_COUNT, "%s has no row in snippets.def", hooks[hook]);
    }
    for (size_t row = 0; row < ROW_COUNT; row++) {
        size_t hook = 0;

        while (hook < HOOK_COUNT && strcmp(rows[row].name, hooks[hook]) != 0)
            hook++;
        cr_expect(hook < HOOK_COUNT, "%s is not in hooks.def", rows[row].name);
    }
}

Test(snippets, every_call_in_main_made_through_the_door_is_recorded_once)
{
    witness = WITNESS_GAPS;
    run_all(IN_MAIN, "main");
}

Test(snippets, every_call_before_any_constructor_made_through_the_door_is_recorded_once)
{
    witness = WITNESS_GAPS;
    run_all(IN_EARLY, "early");
}

Test(snippets, every_call_in_a_thread_made_through_the_door_is_recorded_once)
{
    witness = WITNESS_GAPS;
    run_all(IN_THREAD, "thread");
}

Test(snippets, every_call_in_a_forked_child_made_through_the_door_is_recorded_once)
{
    witness = WITNESS_GAPS;
    run_all(IN_FORK, "fork");
}

Test(snippets, every_call_in_a_vfork_child_made_through_the_door_is_recorded_once)
{
    witness = WITNESS_GAPS;
    run_all(IN_VFORK, "vfork");
}

Test(snippets, every_call_of_a_fully_witnessed_run_is_recorded_once)
{
    witness = WITNESS_FULL;
    run_all(IN_MAIN, "main");
}

Test(snippets, every_call_in_main_is_recorded_once)
{
    run_all(IN_MAIN, "main");
}

Test(snippets, every_call_before_any_constructor_is_recorded_once)
{
    run_all(IN_EARLY, "early");
}

Test(snippets, every_call_in_a_thread_is_recorded_once)
{
    run_all(IN_THREAD, "thread");
}

Test(snippets, every_call_in_a_forked_child_is_recorded_once)
{
    run_all(IN_FORK, "fork");
}

Test(snippets, every_call_in_a_vfork_child_is_recorded_once)
{
    run_all(IN_VFORK, "vfork");
}
