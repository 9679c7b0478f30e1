/* SPDX-License-Identifier: MIT
 *
 * Every call of `tallyman run` into libc fails once, with each error that it can have, and every
 * allocation: the command is not harmed, tallyman neither hangs nor crashes, and never is evidence
 * complete when something is missing.
 *
 * TALLYMAN_LONG in the environment: no call is left out.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "database.h"
#include "fail_page.h"
#include "scratch.h"

/* The file is outside of what is declared: there are findings, so the status is 1. */
#define COMMAND "cat /etc/hostname ../here >/dev/null; echo from the command; exit 0"
#define OUTPUT  "from the command\n"

static struct fail_page *page;
static char folder[] = "/tmp/tallyman-faults-XXXXXX";
static struct scratch_result result;
static char errors[4096];

static const char *in_folder(const char *name)
{
    static char paths[4][96];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static void shell(const char *command)
{
    cr_assert_eq(system(command), 0, "%s", command);
}

static void make_folder(const char *name)
{
    char command[200];

    snprintf(command, sizeof command, "rm -rf %s; mkdir %s", in_folder(name), in_folder(name));
    shell(command);
}

static void prepare(void)
{
    int file;

    cr_assert(mkdtemp(folder) != NULL);
    file = open(in_folder("page"), O_RDWR | O_CREAT, 0600);
    cr_assert(file >= 0 && ftruncate(file, sizeof *page) == 0);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    cr_assert(page != MAP_FAILED);
    close(open(in_folder("here"), O_WRONLY | O_CREAT, 0600));
    make_folder("tree");
    clearenv();
    setenv("PATH", "/usr/bin:/bin", 1);
    setenv("FAIL_PAGE", in_folder("page"), 1);
    setenv("TALLYMAN_SHIM", TEST_SHIM, 1);
    setenv("TALLYMAN_RUNTIME_DIR", in_folder("runtime"), 1);
}

static void clean_up(void)
{
    char command[96];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    shell(command);
}

TestSuite(supervisor_faults, .init = prepare, .fini = clean_up, .timeout = 6000);

static void read_errors(void)
{
    cleanup_close int file = open(in_folder("errors"), O_RDONLY);
    ssize_t length = file < 0 ? -1 : read(file, errors, sizeof errors - 1);

    errors[length > 0 ? length : 0] = '\0';
}

static void run(void)
{
    /* sh gives the descriptor for errors; the library that fails calls sleeps in it. */
    const char *const argv[] = {"sh",
                                "-c",
                                "exec 2>../errors; exec \"$0\" \"$@\"",
                                TALLYMAN_PROGRAM,
                                "run",
                                "--quiet",
                                "--check",
                                "--witness=off",
                                "--accept-blind-spot=witness-off",
                                "--grace=500",
                                "-o",
                                "../run.db",
                                "--",
                                "sh",
                                "-c",
                                COMMAND,
                                NULL};
    const struct scratch_program program = {
        .argv = argv, .preload = FAIL_LIBRARY, .folder = in_folder("tree"), .seconds = 60};

    unlink(in_folder("run.db"));
    unlink(in_folder("run.db-wal"));
    unlink(in_folder("run.db-shm"));
    make_folder("runtime");
    page->calls = page->choices = 0;
    scratch_run(&program, &result);
    read_errors();
}

/* --- judging -------------------------------------------------------------------------------- */

#define SAYS(condition, text)                                                                      \
    cr_expect(condition, text ": status %x, call %d, %s with %s\n%s", (unsigned)result.status,     \
              (int)page->fail_at, page->failed, strerror(page->error), errors)

static int64_t ask(sqlite3 *database, const char *sql)
{
    cleanup_statement sqlite3_stmt *statement = database_prepare(database, sql);

    return statement && sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0)
                                                              : -1;
}

/* True when the database holds all of the run, or says that it does not. */
static bool is_honest(void)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    cleanup_database sqlite3 *database = NULL;

    if (access(in_folder("run.db"), F_OK) != 0 ||
        database_open(in_folder("run.db"), DATABASE_READ, &database, &why) != 0)
        return true;
    if (ask(database, "SELECT count(*) FROM run WHERE evidence IS NOT NULL") == 0 ||
        ask(database, "SELECT count(*) FROM blind_spot WHERE class <> 'witness-off'") > 0)
        return true;
    return ask(database, "SELECT count(*) FROM v_access WHERE operation = 'read' AND subject = "
                         "'/etc/hostname'") == 1 &&
           ask(database, "SELECT count(*) FROM v_access WHERE operation = 'read' AND subject LIKE "
                         "'%/here'") == 1 &&
           ask(database, "SELECT count(DISTINCT pid) FROM process") == 2 &&
           ask(database, "SELECT exit_status FROM run") == 0;
}

static bool is_empty(const char *name)
{
    DIR *list = opendir(in_folder(name));
    const struct dirent *entry;
    int count = 0;

    while (list && (entry = readdir(list)))
        count += entry->d_name[0] != '.';
    if (list)
        closedir(list);
    return count == 0;
}

static int lines_of(const char *text)
{
    int lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void judge_failure(int status)
{
    bool ran = result.size > 0;

    SAYS(lines_of(errors) == 1 || (ran && strstr(errors, "recover")), "not one clear line");
    if (status != 125)
        SAYS(!ran, "the command ran");
    /* A call that removes the folder may itself be the one that failed. */
    if (!ran && !strstr(page->failed, "unlink") && strcmp(page->failed, "rmdir") != 0)
        SAYS(is_empty("runtime"), "something is left behind");
    SAYS(!ran || is_honest(), "claims to be complete");
}

static void judge_run(void)
{
    int status = WIFEXITED(result.status) ? WEXITSTATUS(result.status) : -1;

    SAYS(!result.late, "hangs");
    SAYS(WIFEXITED(result.status), "crashes");
    SAYS(result.size == 0 || strcmp(result.output, OUTPUT) == 0, "the command was harmed");
    if (status == 1 || status == 3) {
        SAYS(result.size > 0, "the command did not run");
        SAYS(is_honest(), "claims to be complete");
    } else if (status == 125 || status == 2) {
        judge_failure(status);
    } else {
        SAYS(result.late || status < 0, "wrong status");
    }
}

/* --- the runs ------------------------------------------------------------------------------- */

static uint64_t step_after(uint64_t at, uint64_t smooth, uint64_t calls, uint64_t runs)
{
    if (getenv("TALLYMAN_LONG") || at < smooth)
        return 1;
    return calls > runs ? calls / runs + (uint64_t)random() % 5 : 1;
}

/* The first `smooth` calls one by one, later about `runs` of them. */
static void fail_each(uint32_t ignored, uint64_t smooth, uint64_t runs)
{
    uint64_t calls;
    int injected = 0;

    memset(page, 0, sizeof *page);
    page->ignored = ignored;
    run();
    calls = page->calls;
    cr_assert(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 1, "%x %s",
              (unsigned)result.status, errors);
    cr_assert_str_eq(result.output, OUTPUT);
    cr_assert(is_honest());
    cr_assert_gt(calls, smooth);
    for (uint64_t at = 1; at <= calls; at += step_after(at, smooth, calls, runs))
        for (page->choice = 0;; page->choice++) {
            page->fail_at = at;
            run();
            if (page->choices) {
                injected++;
                judge_run();
            }
            if (page->choice + 1 >= page->choices)
                break;
        }
    cr_log_info("%d failures in %d calls\n", injected, (int)calls);
}

Test(supervisor_faults, a_call_that_fails_neither_harms_the_command_nor_is_hidden)
{
    fail_each(FAIL_MEMORY, 100, 60);
}

Test(supervisor_faults, want_of_memory_neither_harms_the_command_nor_is_hidden)
{
    fail_each(FAIL_SYSTEM, 0, 80);
}
