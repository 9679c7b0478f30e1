/* SPDX-License-Identifier: MIT */
#include "run_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "database.h"
#include "die.h"

static struct fact fact_of(const char *text)
{
    return (struct fact){xstrdup(text), strlen(text)};
}

void run_fixture_fill_facts(struct run_facts *facts)
{
    *facts = (struct run_facts){.id = {0xab, 0xcd}, .started = 5, .monotonic = 3};
#define FACT(name) facts->name = fact_of("/" #name);
#include "run_facts.def"
#undef FACT
    free(facts->argv.data);
    facts->argv = (struct fact){xmemdup("make\0all\0", 9), 9};
}

void run_fixture_start(struct run_fixture *fixture)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    bool resumed;

    memset(fixture, 0, sizeof *fixture);
    strcpy(fixture->folder, "/tmp/tallyman-test-XXXXXX");
    if (!mkdtemp(fixture->folder))
        die_errno("cannot make a folder");
    snprintf(fixture->database, sizeof fixture->database, "%s/run.db", fixture->folder);
    run_fixture_fill_facts(&fixture->facts);
    fixture->log = log_writer_make_log(100000);
    if (store_open(&fixture->store, fixture->database, &why) != 0)
        die("%s", why.data);
    if (store_begin_run(fixture->store, &fixture->facts, &resumed) == 0)
        die("%s", store_failure(fixture->store));
    fixture->reader = log_reader_new(fixture->log, false);
    fixture->ingest = ingest_new(fixture->store, NULL, &fixture->counts);
    log_writer_open(&fixture->writer, fixture->log, 4, 0);
}

void run_fixture_pass(struct run_fixture *fixture, bool final, uint64_t safe)
{
    bool more;

    do {
        more = log_reader_pass(fixture->reader, final, 1000, ingest_record, fixture->ingest);
        log_reader_glance(fixture->reader, ingest_glance, fixture->ingest);
        ingest_flush(fixture->ingest, safe);
        if (store_commit(fixture->store) != 0)
            die("%s", store_failure(fixture->store));
        log_reader_release(fixture->reader);
    } while (more);
}

void run_fixture_finish(struct run_fixture *fixture)
{
    struct run_end end = {.ended = 9};

    log_writer_close(&fixture->writer, true);
    run_fixture_pass(fixture, true, UINT64_MAX);
    ingest_finish(fixture->ingest);
    store_end_run(fixture->store, &end);
    ingest_free(fixture->ingest);
    log_reader_free(fixture->reader);
    if (store_close(fixture->store) != 0)
        die("the store failed");
}

void run_fixture_remove(struct run_fixture *fixture)
{
    unlink(fixture->database);
    rmdir(fixture->folder);
    close(fixture->log);
    run_facts_free(&fixture->facts);
}

const char *database_ask(const char *path, const char *sql)
{
    static char answer[1000];
    cleanup_buffer struct buffer why = BUFFER_INIT;
    cleanup_database sqlite3 *database = NULL;
    cleanup_statement sqlite3_stmt *statement = NULL;
    const unsigned char *text;

    if (database_open(path, DATABASE_READ, &database, &why) != 0)
        die("%s", why.data);
    statement = database_prepare(database, sql);
    if (!statement)
        die("%s: %s", sql, sqlite3_errmsg(database));
    if (sqlite3_step(statement) != SQLITE_ROW)
        return "(none)";
    text = sqlite3_column_text(statement, 0);
    snprintf(answer, sizeof answer, "%s", text ? (const char *)text : "(null)");
    return answer;
}

const char *run_fixture_ask(const struct run_fixture *fixture, const char *sql)
{
    return database_ask(fixture->database, sql);
}
