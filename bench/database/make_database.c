/* SPDX-License-Identifier: MIT
 *
 * make_database FILE ACCESSES: a database with one run of about that many accesses, in the shape of
 * a large C project's build: a compiler for every 500 accesses, which reads headers of packages and
 * of the project, looks for others in vain, loads libraries, writes an object by way of a temporary
 * file, and asks for a clock, a user, a host and variables. It is summarised and judged by the
 * built-in policy, as at the end of `tallyman run`.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer.h"
#include "buffer.h"
#include "cleanup.h"
#include "database.h"
#include "manifest.h"
#include "tallyman/event.h"
#include "tallyman/record.h"

#define ROOT     "/home/ann/project"
#define EACH     500 /* accesses of a process */
#define PACKAGES 60
#define BLOCKS   3 /* environments */

/* Subjects of one kind have consecutive numbers. `many`: of them; 0: one for each process. */
struct kind {
    enum channel channel;
    uint32_t many;
    const char *name; /* a format for the number in its kind, and its package's number */
    const char *package;
    uint32_t first;
};

enum kind_name {
    PROGRAM,
    HEADER,
    PROBE,
    LIBRARY,
    SOURCE,
    HOME,
    VARIABLE,
    HOST,
    CLOCK,
    RANDOM,
    USER,
    CPU,
    OBJECT,
    TEMPORARY,
    KINDS
};

static struct kind kinds[KINDS] = {
    [PROGRAM] = {CHANNEL_FILESYSTEM, 8, "/usr/bin/tool-%u", "tools 1.0", 0},
    [HEADER] = {CHANNEL_FILESYSTEM, 20000, "/usr/include/file-%u-of-%u.h", "lib%u-dev 1.2", 0},
    [PROBE] = {CHANNEL_FILESYSTEM, 8000, "/usr/local/include/part-%u/none.h", NULL, 0},
    [LIBRARY] = {CHANNEL_FILESYSTEM, 400, "/usr/lib/lib%u-%u.so", "lib%u 1.2", 0},
    [SOURCE] = {CHANNEL_FILESYSTEM, 12000, ROOT "/src/file-%u.h", NULL, 0},
    [HOME] = {CHANNEL_FILESYSTEM, 30, "/home/ann/.config/tool/%u", NULL, 0},
    [VARIABLE] = {CHANNEL_ENVIRONMENT, 60, "VARIABLE_%u", NULL, 0},
    [HOST] = {CHANNEL_NETWORK, 20, "192.0.2.%u:443", NULL, 0},
    [CLOCK] = {CHANNEL_CLOCK, 1, "realtime", NULL, 0},
    [RANDOM] = {CHANNEL_RANDOMNESS, 1, "getrandom", NULL, 0},
    [USER] = {CHANNEL_IDENTITY, 3, "uid:%u", NULL, 0},
    [CPU] = {CHANNEL_RESOURCES, 1, "processors", NULL, 0},
    [OBJECT] = {CHANNEL_FILESYSTEM, 0, ROOT "/build/object-%u.o", NULL, 0},
    [TEMPORARY] = {CHANNEL_FILESYSTEM, 0, "/tmp/cc%u.s", NULL, 0},
};

/* What a process does: `times` of the kind, from its own place on. */
static const struct deed {
    enum event_kind event;
    enum kind_name kind;
    uint32_t times;
    int outcome;
    int flags;
} deeds[] = {
    {EVENT_READ, HEADER, 190, 0, 0},
    {EVENT_READ, SOURCE, 60, 0, 0},
    {EVENT_READ, HOME, 1, 0, 0},
    {EVENT_WRITE, OBJECT, 1, 0, RECORD_CREATE | RECORD_TRUNCATE},
    {EVENT_WRITE, TEMPORARY, 1, 0, RECORD_CREATE | RECORD_TEMPORARY},
    {EVENT_STAT, HEADER, 40, 0, 0},
    {EVENT_STAT, PROBE, 150, ENOENT, 0},
    {EVENT_STAT, SOURCE, 23, 0, 0},
    {EVENT_LOAD, LIBRARY, 8, 0, 0},
    {EVENT_UNLINK, TEMPORARY, 1, 0, RECORD_NO_FOLLOW},
    {EVENT_CONNECT, HOST, 1, 0, 0},
    {EVENT_CLOCK_READ, CLOCK, 1, 0, 0},
    {EVENT_GETENV, VARIABLE, 20, 0, 0},
    {EVENT_RANDOM, RANDOM, 1, 0, 0},
    {EVENT_USER, USER, 1, 0, 0},
    {EVENT_CPU, CPU, 1, 0, 0},
};

static sqlite3 *db;

static void need(bool done, const char *what)
{
    if (done)
        return;
    fprintf(stderr, "make_database: %s: %s\n", what, sqlite3_errmsg(db));
    exit(1);
}

static sqlite3_stmt *prepare(const char *sql)
{
    sqlite3_stmt *statement = database_prepare(db, sql);

    need(statement, sql);
    return statement;
}

static void step(sqlite3_stmt *statement)
{
    need(sqlite3_step(statement) == SQLITE_DONE, sqlite3_sql(statement));
    sqlite3_reset(statement);
}

static void execute(const char *sql)
{
    need(database_execute(db, sql) == 0, sql);
}

/* The formats are those of the table above. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
static void write_subject(sqlite3_stmt *insert, const struct kind *kind, uint32_t number)
{
    char name[100], package[40];

    snprintf(name, sizeof name, kind->name, number, number % PACKAGES);
    if (kind->package)
        snprintf(package, sizeof package, kind->package, number % PACKAGES);
    sqlite3_bind_int64(insert, 1, kind->first + number);
    sqlite3_bind_int(insert, 2, kind->channel);
    sqlite3_bind_text(insert, 3, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 4, kind->package ? package : "", -1, SQLITE_STATIC);
    step(insert);
}
#pragma GCC diagnostic pop

static void write_subjects(uint32_t processes)
{
    cleanup_statement sqlite3_stmt *insert =
        prepare("INSERT INTO subject (id, channel, name, package) VALUES (?, ?, ?, ?)");
    uint32_t next = 1;

    for (int i = 0; i < KINDS; i++) {
        if (kinds[i].many == 0)
            kinds[i].many = processes;
        kinds[i].first = next;
        for (uint32_t j = 0; j < kinds[i].many; j++)
            write_subject(insert, &kinds[i], j);
        next += kinds[i].many;
    }
}

static void write_environments(void)
{
    cleanup_statement sqlite3_stmt *insert =
        prepare("INSERT INTO environment_variable (run, block, subject, hash)"
                " VALUES (1, ?, ?, '00112233445566ff')");

    for (int block = 1; block <= BLOCKS; block++)
        for (uint32_t i = 0; i < kinds[VARIABLE].many - (uint32_t)block; i++) {
            sqlite3_bind_int(insert, 1, block);
            sqlite3_bind_int64(insert, 2, kinds[VARIABLE].first + i);
            step(insert);
        }
}

/* The first is make; every second of the others is a shell, and the next one its compiler. */
static void write_process(sqlite3_stmt *insert, uint32_t number)
{
    uint32_t parent = number == 1 ? 0 : number % 2 ? number - 1 : 1;
    char command[80], arguments[80];
    int length;

    snprintf(command, sizeof command, "/usr/bin/tool-%u -c src/file-%u.c", number % 8, number);
    length = snprintf(arguments, sizeof arguments, "/usr/bin/tool-%u%c-c%csrc/file-%u.c",
                      number % 8, 0, 0, number);
    sqlite3_bind_int64(insert, 1, number);
    if (parent)
        sqlite3_bind_int64(insert, 2, parent);
    else
        sqlite3_bind_null(insert, 2);
    sqlite3_bind_text(insert, 3, number == 1 ? "first" : "spawn", -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 4, kinds[PROGRAM].first + number % 8);
    sqlite3_bind_blob(insert, 5, arguments, length + 1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 6, command, -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 7, (int64_t)number * 1000000);
    sqlite3_bind_int(insert, 8, 1 + (int)(number % BLOCKS));
    step(insert);
}

static int64_t write_deed(sqlite3_stmt *insert, uint32_t process, const struct deed *deed)
{
    const struct kind *kind = &kinds[deed->kind];
    /* Neighbours use nearly the same things, as the files of a folder do. */
    uint32_t start = kind->many > deed->times ? process / 5 * 37 % kind->many : 0;

    if (deed->kind == OBJECT || deed->kind == TEMPORARY)
        start = process - 1;
    sqlite3_bind_int64(insert, 1, process);
    sqlite3_bind_int(insert, 2, (int)deed->event);
    sqlite3_bind_int(insert, 4, deed->outcome);
    sqlite3_bind_int(insert, 5, deed->flags);
    for (uint32_t i = 0; i < deed->times; i++) {
        sqlite3_bind_int64(insert, 3, kind->first + (start + i) % kind->many);
        sqlite3_bind_int64(insert, 6, 1 + (process + i) % 17 / 16);
        sqlite3_bind_int64(insert, 7, (int64_t)process * 1000000 + i * 100 + deed->event);
        step(insert);
    }
    return deed->times;
}

static int64_t write_accesses(uint32_t processes)
{
    cleanup_statement sqlite3_stmt *process =
        prepare("INSERT INTO process (id, run, serial, parent, how, pid, parent_pid, exe, argv,"
                " command, cwd, started, ended, exit_status, signal, shim, environment)"
                " VALUES (?1, 1, ?1, ?2, ?3, 1000 + ?1, 1000, ?4, ?5, ?6, '" ROOT "', ?7,"
                " ?7 + 900000, 0, 0, 'loaded', ?8)");
    cleanup_statement sqlite3_stmt *access =
        prepare("INSERT INTO access (process, operation, subject, outcome, flags, source, count,"
                " first, hook) VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7, 'hook')");
    int64_t count = 0;

    for (uint32_t number = 1; number <= processes; number++) {
        write_process(process, number);
        for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
            count += write_deed(access, number, &deeds[i]);
    }
    return count;
}

/* In the order of the key it is made in a fraction of the time that it takes row by row. */
static int64_t write_with_index(uint32_t processes)
{
    cleanup_statement sqlite3_stmt *row =
        prepare("SELECT sql FROM sqlite_schema WHERE name = 'access_subject'");
    cleanup_free char *sql = NULL;
    int64_t count;

    need(sqlite3_step(row) == SQLITE_ROW, "the index of accesses");
    sql = xstrdup((const char *)sqlite3_column_text(row, 0));
    sqlite3_reset(row);
    execute("DROP INDEX access_subject");
    count = write_accesses(processes);
    execute(sql);
    return count;
}

static void judge_all(void)
{
    struct manifest *manifest = manifest_ambient(ROOT);
    cleanup_buffer struct buffer why = BUFFER_INIT;
    size_t size;
    cleanup_free struct policy *policy = policy_compile(manifest, &size, &why);

    need(policy, "the policy");
    need(analyzer_summarise(db, 1) == 0, "summarising");
    need(analyzer_judge(db, 1, policy) == 0, "judging");
    manifest_free(manifest);
}

int main(int argc, char **argv)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    uint32_t processes = argc == 3 ? (uint32_t)(strtoul(argv[2], NULL, 10) / EACH) : 0;

    if (processes == 0) {
        fprintf(stderr, "usage: make_database FILE ACCESSES (at least %d)\n", EACH);
        return 2;
    }
    if (database_open(argv[1], DATABASE_WRITE, &db, &why) != 0) {
        fprintf(stderr, "make_database: %s\n", why.data);
        return 1;
    }
    execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; BEGIN");
    execute("INSERT INTO run (id, uuid, tool, started, monotonic, ended, command, argv, cwd, root,"
            " home, user, host, machine, mode, witness, exit_status, signal, evidence)"
            " VALUES (1, '00112233445566778899aabbccddeeff', 'bench', 1785000000000000000, 0,"
            " 1785000600000000000, 'make', x'6d616b6500', '" ROOT "', '" ROOT "', '/home/ann',"
            " 'ann', 'box', 'Linux', 'audit', 'off', 0, 0, 'complete')");
    write_subjects(processes);
    write_environments();
    printf("%lld accesses", (long long)write_with_index(processes));
    judge_all();
    execute("COMMIT");
    printf(" of %u processes\n", processes);
    database_close(db);
    return 0;
}
