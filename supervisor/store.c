/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "access_batch.h"
#include "database.h"
#include "log_reader.h"
#include "quote.h"
#include "tallyman/status.h"

#define COMMAND_MAX 4000u /* bytes of process.command */

/* Many rows with one statement cost half as much as one by one. */
#define ACCESS_COLUMNS 10
#define ACCESS_MANY    16
#define ACCESS_HEAD                                                                                \
    "INSERT INTO access (process, operation, subject, other, outcome, flags, source, count, "      \
    "first, "                                                                                      \
    "hook) VALUES "
#define ACCESS_ROW  "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
#define ACCESS_FOUR ACCESS_ROW "," ACCESS_ROW "," ACCESS_ROW "," ACCESS_ROW
#define ACCESS_ROWS ACCESS_FOUR "," ACCESS_FOUR "," ACCESS_FOUR "," ACCESS_FOUR
#define ACCESS_TAIL                                                                                \
    " ON CONFLICT DO UPDATE SET count = count + excluded.count, "                                  \
    "hook = CASE WHEN excluded.first < first THEN excluded.hook ELSE hook END, "                   \
    "first = min(first, excluded.first)"

/* A row that knows only the process's id (PLACEHOLDER: its start was read before the run was taken
 * up again, or never) must not take away what is known. */
#define PLACEHOLDER "excluded.how = 'unobserved' AND excluded.exe IS NULL"
#define UNLESS_HOLDER(column)                                                                      \
#    column " = CASE WHEN " PLACEHOLDER " THEN " #    column " ELSE excluded." #    column " END, "
#define IF_KNOWN(column) #column " = coalesce(excluded." #column ", " #column ")"

enum statement {
#define STATEMENT(id, sql) STATEMENT_##id,
#include "store_sql.def"
#undef STATEMENT
    STATEMENT_COUNT
};

static const char *const statement_sql[] = {
#define STATEMENT(id, sql) sql,
#include "store_sql.def"
#undef STATEMENT
};

struct store {
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    struct subject_table *subjects;
    struct access_batch *batch;
    int64_t run;
    bool resumed;
    bool in_transaction;
    int status;
    struct buffer failure;
};

static void fail(struct store *store)
{
    const char *path;

    if (store->status)
        return;
    path = sqlite3_db_filename(store->database, "main");
    store->status = (sqlite3_errcode(store->database) & 0xff) == SQLITE_FULL ? TALLY_ERR_FULL
                                                                             : TALLY_ERR_DATABASE;
    buffer_printf(&store->failure, "%s: cannot write the database: %s", path ? path : "",
                  sqlite3_errmsg(store->database));
}

static void execute(struct store *store, const char *sql)
{
    if (!store->status && database_execute(store->database, sql) != 0)
        fail(store);
}

/* Everything that changes the database goes through here, so the transaction is open. */
static sqlite3_stmt *begin(struct store *store, enum statement id)
{
    if (!store->status && !store->in_transaction) {
        execute(store, "BEGIN IMMEDIATE");
        store->in_transaction = store->status == 0;
    }
    if (!store->status && !store->statements[id]) {
        store->statements[id] = database_prepare(store->database, statement_sql[id]);
        if (!store->statements[id])
            fail(store);
    }
    return store->status ? NULL : store->statements[id];
}

/* Steps a statement that gives no row. */
static void run(struct store *store, sqlite3_stmt *statement)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        fail(store);
    sqlite3_reset(statement);
}

/* The first column of the first row, or 0. */
static int64_t ask(struct store *store, sqlite3_stmt *statement)
{
    int64_t answer = 0;
    int code = sqlite3_step(statement);

    if (code == SQLITE_ROW)
        answer = sqlite3_column_int64(statement, 0);
    else if (code != SQLITE_DONE)
        fail(store);
    sqlite3_reset(statement);
    return answer;
}

static void bind_or_null(sqlite3_stmt *statement, int column, int64_t value, bool known)
{
    if (known)
        sqlite3_bind_int64(statement, column, value);
    else
        sqlite3_bind_null(statement, column);
}

static void bind_fact(sqlite3_stmt *statement, int column, const struct fact *fact)
{
    database_bind_bytes(statement, column, fact->data, fact->length);
}

static bool is_new(sqlite3 *database)
{
    cleanup_statement sqlite3_stmt *any = database_prepare(database, "SELECT 1 FROM run LIMIT 1");

    return any && sqlite3_step(any) == SQLITE_DONE;
}

int store_open(struct store **store, const char *path, struct buffer *why)
{
    sqlite3 *database;
    int result = database_open(path, DATABASE_WRITE, &database, why);

    *store = NULL;
    if (result)
        return result;
    /* Fewer and larger checkpoints: each one is a wait for the disk. */
    database_execute(database, "PRAGMA wal_autocheckpoint = 4096; PRAGMA cache_size = -32768");
    /* A database that holds no run yet has nothing that a power cut could take: it is written
     * without waits and synced once, when it is closed. */
    if (is_new(database))
        database_execute(database, "PRAGMA synchronous = OFF");
    *store = xcalloc(1, sizeof **store);
    (*store)->database = database;
    (*store)->subjects = subject_table_new();
    (*store)->batch = access_batch_new();
    return 0;
}

int store_close(struct store *store)
{
    int status;

    if (!store)
        return 0;
    store_commit(store);
    status = store->status;
    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    if (status && !sqlite3_get_autocommit(store->database))
        database_execute(store->database, "ROLLBACK");
    database_execute(store->database, "PRAGMA synchronous = FULL");
    database_close(store->database);
    subject_table_free(store->subjects);
    access_batch_free(store->batch);
    buffer_fini(&store->failure);
    free(store);
    return status;
}

/* The column is TEXT: bytes that are not UTF-8 must not get there. */
static void bind_text(sqlite3_stmt *statement, int column, const struct fact *fact)
{
    if (fact->data && text_is_utf8(fact->data, fact->length))
        bind_fact(statement, column, fact);
    else
        sqlite3_bind_null(statement, column);
}

static int64_t insert_run(struct store *store, const struct run_facts *facts, const char *uuid)
{
    cleanup_buffer struct buffer command = BUFFER_INIT;
    sqlite3_stmt *statement = begin(store, STATEMENT_RUN_INSERT);

    if (!statement)
        return 0;
    quote_command(&command, facts->argv.data, facts->argv.length);
    sqlite3_bind_text(statement, 1, uuid, -1, SQLITE_STATIC);
    bind_text(statement, 2, &facts->tool);
    sqlite3_bind_int64(statement, 3, (int64_t)facts->started);
    sqlite3_bind_int64(statement, 4, (int64_t)facts->monotonic);
    sqlite3_bind_text(statement, 5, command.data ? command.data : "", (int)command.length,
                      SQLITE_STATIC);
    sqlite3_bind_blob64(statement, 6, facts->argv.data, facts->argv.length, SQLITE_STATIC);
    bind_fact(statement, 7, &facts->cwd);
    bind_fact(statement, 8, &facts->root);
    bind_fact(statement, 9, &facts->home);
    bind_text(statement, 10, &facts->user);
    bind_text(statement, 11, &facts->host);
    bind_text(statement, 12, &facts->machine);
    bind_text(statement, 13, &facts->mode);
    bind_text(statement, 14, &facts->witness);
    bind_fact(statement, 15, &facts->manifest);
    bind_fact(statement, 16, &facts->manifest_text);
    run(store, statement);
    return store->status ? 0 : sqlite3_last_insert_rowid(store->database);
}

/* The index costs more than the rows while they arrive in any order; an empty table gets it at the
 * end, sorted. */
static void drop_index(struct store *store)
{
    sqlite3_stmt *statement = begin(store, STATEMENT_ACCESS_ANY);

    if (!statement || ask(store, statement) != 0)
        return;
    execute(store, "DROP INDEX IF EXISTS access_subject");
}

int64_t store_begin_run(struct store *store, const struct run_facts *facts, bool *resumed)
{
    char uuid[33];
    sqlite3_stmt *statement = begin(store, STATEMENT_RUN_FIND);

    *resumed = false;
    if (!statement)
        return 0;
    run_facts_uuid(facts, uuid);
    sqlite3_bind_text(statement, 1, uuid, -1, SQLITE_STATIC);
    store->run = ask(store, statement);
    *resumed = store->resumed = store->run != 0;
    if (!*resumed) {
        drop_index(store);
        store->run = insert_run(store, facts, uuid);
    }
    return store_commit(store) ? 0 : store->run;
}

/* Each run has a range of its own, so that two runs that write to one database at the same time do
 * not meet; the first run's ids are the log's. */
int64_t store_process_id(const struct store *store, uint64_t serial)
{
    return (store->run - 1) * ((int64_t)LOG_ID_MAX + 1) + (int64_t)serial;
}

static int64_t insert_subject(struct store *store, const struct subject *subject)
{
    sqlite3_stmt *statement = begin(store, STATEMENT_SUBJECT_INSERT);

    if (!statement)
        return 0;
    sqlite3_bind_int(statement, 1, subject->channel);
    database_bind_bytes(statement, 2, subject->name, subject->length);
    run(store, statement);
    if (store->status)
        return 0;
    if (sqlite3_changes(store->database) > 0)
        return sqlite3_last_insert_rowid(store->database);
    statement = begin(store, STATEMENT_SUBJECT_FIND);
    if (!statement)
        return 0;
    sqlite3_bind_int(statement, 1, subject->channel);
    database_bind_bytes(statement, 2, subject->name, subject->length);
    return ask(store, statement);
}

struct subject *store_subject(struct store *store, enum channel channel, const char *name,
                              size_t length)
{
    struct subject *subject = subject_table_get(store->subjects, (uint8_t)channel, name, length);

    if (subject->id == 0)
        subject->id = insert_subject(store, subject);
    return subject->id ? subject : NULL;
}

void store_resolved(struct store *store, const struct subject *subject,
                    const struct subject *resolved)
{
    sqlite3_stmt *statement = begin(store, STATEMENT_SUBJECT_RESOLVED);

    if (!statement)
        return;
    sqlite3_bind_int64(statement, 1, subject->id);
    sqlite3_bind_int64(statement, 2, resolved->id);
    run(store, statement);
}

static void bind_access(sqlite3_stmt *statement, int row_number, const struct access_row *row)
{
    int at = row_number * ACCESS_COLUMNS;

    sqlite3_bind_int64(statement, at + 1, row->process);
    sqlite3_bind_int64(statement, at + 2, row->operation);
    sqlite3_bind_int64(statement, at + 3, row->subject);
    sqlite3_bind_int64(statement, at + 4, row->other);
    sqlite3_bind_int64(statement, at + 5, row->outcome);
    sqlite3_bind_int64(statement, at + 6, row->flags);
    sqlite3_bind_int64(statement, at + 7, row->source);
    sqlite3_bind_int64(statement, at + 8, row->count);
    sqlite3_bind_int64(statement, at + 9, row->first);
    sqlite3_bind_text(statement, at + 10, row->hook, -1, SQLITE_STATIC);
}

static void write_batch(struct store *store)
{
    const struct access_row *rows;
    size_t count = access_batch_close(store->batch, &rows);

    for (size_t at = 0; at < count;) {
        bool many = count - at >= ACCESS_MANY;
        int step = many ? ACCESS_MANY : 1;
        sqlite3_stmt *statement =
            begin(store, many ? STATEMENT_ACCESS_INSERT_MANY : STATEMENT_ACCESS_INSERT);

        if (!statement)
            break;
        for (int i = 0; i < step; i++)
            bind_access(statement, i, &rows[at + (size_t)i]);
        run(store, statement);
        at += (size_t)step;
    }
    access_batch_clear(store->batch);
}

void store_access(struct store *store, const struct access_row *row)
{
    if (store->status)
        return;
    if (access_batch_add(store->batch, row))
        write_batch(store);
}

static void bind_process_end(sqlite3_stmt *statement, const struct process_row *row)
{
    bind_or_null(statement, 13, row->ended, row->ended != 0);
    bind_or_null(statement, 14, row->exit_status, row->exit_status >= 0);
    bind_or_null(statement, 15, row->signal, row->signal >= 0);
    bind_or_null(statement, 16, row->user_us, row->user_us >= 0);
    bind_or_null(statement, 17, row->system_us, row->system_us >= 0);
    bind_or_null(statement, 18, row->max_resident_kib, row->max_resident_kib >= 0);
}

static void bind_buffer(sqlite3_stmt *statement, int column, const struct buffer *buffer, bool text)
{
    const char *data = buffer ? (buffer->data ? buffer->data : "") : NULL;

    if (!data)
        sqlite3_bind_null(statement, column);
    else if (text)
        database_bind_bytes(statement, column, data, buffer->length);
    else
        sqlite3_bind_blob64(statement, column, data, buffer->length, SQLITE_STATIC);
}

/* Cut between two characters of UTF-8. */
static size_t command_length(const struct buffer *command)
{
    size_t length = command->length;

    if (length <= COMMAND_MAX)
        return length;
    length = COMMAND_MAX;
    while (length > 0 && ((unsigned char)command->data[length] & 0xc0) == 0x80)
        length--;
    return length;
}

void store_process(struct store *store, const struct process_row *row)
{
    sqlite3_stmt *statement = begin(store, STATEMENT_PROCESS_INSERT);

    if (!statement)
        return;
    sqlite3_bind_int64(statement, 1, row->id);
    sqlite3_bind_int64(statement, 2, store->run);
    sqlite3_bind_int64(statement, 3, row->serial);
    bind_or_null(statement, 4, row->parent, row->parent != 0);
    sqlite3_bind_text(statement, 5, row->how, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 6, row->pid);
    sqlite3_bind_int64(statement, 7, row->parent_pid);
    bind_or_null(statement, 8, row->exe, row->exe != 0);
    bind_buffer(statement, 9, row->argv, false);
    if (row->command && row->command->data)
        sqlite3_bind_text64(statement, 10, row->command->data, command_length(row->command),
                            SQLITE_STATIC, SQLITE_UTF8);
    else
        sqlite3_bind_null(statement, 10);
    bind_buffer(statement, 11, row->cwd, true);
    sqlite3_bind_int64(statement, 12, row->started);
    bind_process_end(statement, row);
    sqlite3_bind_text(statement, 19, row->shim, -1, SQLITE_STATIC);
    bind_or_null(statement, 20, row->environment, row->has_environment);
    run(store, statement);
}

static const char *column_word(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return text ? text : "";
}

static int64_t column_number(sqlite3_stmt *statement, int column, int64_t unknown)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? unknown
               : sqlite3_column_int64(statement, column);
}

void store_processes(struct store *store, process_row_sink sink, void *context)
{
    sqlite3_stmt *statement = store->resumed ? begin(store, STATEMENT_PROCESS_ROWS) : NULL;
    int64_t first = store->resumed ? store_process_id(store, 0) : 0;

    if (!statement)
        return;
    sqlite3_bind_int64(statement, 1, store->run);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        struct process_row row = {
            .serial = sqlite3_column_int64(statement, 0),
            .parent = column_number(statement, 1, first) - first,
            .how = column_word(statement, 2),
            .pid = sqlite3_column_int64(statement, 3),
            .parent_pid = sqlite3_column_int64(statement, 4),
            .exe = sqlite3_column_int64(statement, 5),
            .started = sqlite3_column_int64(statement, 6),
            .ended = sqlite3_column_int64(statement, 7),
            .exit_status = column_number(statement, 8, -1),
            .signal = column_number(statement, 9, -1),
            .shim = column_word(statement, 10),
            .has_argv = sqlite3_column_int(statement, 11) != 0,
        };

        sink(context, &row);
    }
    sqlite3_reset(statement);
}

void store_argv(struct store *store, int64_t process, struct buffer *argv)
{
    sqlite3_stmt *statement = begin(store, STATEMENT_PROCESS_ARGV);

    if (!statement)
        return;
    sqlite3_bind_int64(statement, 1, process);
    if (sqlite3_step(statement) == SQLITE_ROW)
        buffer_add(argv, sqlite3_column_blob(statement, 0),
                   (size_t)sqlite3_column_bytes(statement, 0));
    sqlite3_reset(statement);
}

void store_environment(struct store *store, int64_t block, const struct subject *subject,
                       const char *hash)
{
    sqlite3_stmt *statement = begin(store, STATEMENT_ENVIRONMENT_INSERT);

    if (!statement)
        return;
    sqlite3_bind_int64(statement, 1, store->run);
    sqlite3_bind_int64(statement, 2, block);
    sqlite3_bind_int64(statement, 3, subject->id);
    sqlite3_bind_text(statement, 4, hash, -1, SQLITE_STATIC);
    run(store, statement);
}

void store_blind_spot(struct store *store, int64_t process, enum blind_spot class,
                      const char *detail, size_t length, uint64_t count)
{
    const enum statement ids[] = {STATEMENT_BLIND_SPOT_COUNT, STATEMENT_BLIND_SPOT_INSERT};

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        sqlite3_stmt *statement = begin(store, ids[i]);

        if (!statement)
            return;
        sqlite3_bind_int64(statement, 1, store->run);
        bind_or_null(statement, 2, process, process != 0);
        sqlite3_bind_text(statement, 3, blind_spot_name(class), -1, SQLITE_STATIC);
        database_bind_bytes(statement, 4, detail, length);
        sqlite3_bind_int64(statement, 5, (int64_t)count);
        run(store, statement);
        if (sqlite3_changes(store->database) > 0)
            return;
    }
}

int64_t store_blind_spots(struct store *store)
{
    sqlite3_stmt *statement = begin(store, STATEMENT_BLIND_SPOT_ROWS);

    if (!statement)
        return 0;
    sqlite3_bind_int64(statement, 1, store->run);
    return ask(store, statement);
}

void store_end_replaced(struct store *store)
{
    sqlite3_stmt *statement = begin(store, STATEMENT_PROCESS_REPLACED);

    if (!statement)
        return;
    sqlite3_bind_int64(statement, 1, store->run);
    run(store, statement);
}

void store_end_run(struct store *store, const struct run_end *end)
{
    sqlite3_stmt *statement;

    write_batch(store);
    statement = begin(store, STATEMENT_RUN_END);
    if (!statement)
        return;
    sqlite3_bind_int64(statement, 1, store->run);
    sqlite3_bind_int64(statement, 2, end->ended);
    bind_or_null(statement, 3, end->exit_status, end->exit_status >= 0);
    bind_or_null(statement, 4, end->signal, end->signal >= 0);
    sqlite3_bind_int64(statement, 5, end->interrupted);
    sqlite3_bind_text(statement, 6, end->complete ? "complete" : "incomplete", -1, SQLITE_STATIC);
    run(store, statement);
    execute(store, "CREATE INDEX IF NOT EXISTS access_subject ON access (subject)");
}

int store_commit(struct store *store)
{
    write_batch(store);
    if (!store->status && store->in_transaction) {
        execute(store, "COMMIT");
        store->in_transaction = false;
    }
    subject_table_trim(store->subjects);
    return store->status;
}

int store_status(const struct store *store)
{
    return store->status;
}

const char *store_failure(const struct store *store)
{
    return store->failure.data ? store->failure.data : "";
}
