/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drain.h"
#include "hook_names.h"
#include "run_directory.h"
#include "run_fixture.h"
#include "supervisor.h"
#include "tallyman/status.h"

#define RECORDS 500

static char base[64], database[96], other_database[96];
static struct run_directory directory;
static struct run_facts facts;
static struct buffer why = BUFFER_INIT;

/* The folder of a run whose supervisor is gone, with RECORDS accesses of one process. */
static void make_run(void)
{
    struct log_writer writer;
    char path[40];

    strcpy(base, "/tmp/tallyman-test-XXXXXX");
    cr_assert(mkdtemp(base) != NULL);
    setenv("TALLYMAN_RUNTIME_DIR", base, 1);
    snprintf(database, sizeof database, "%s/a.db", base);
    snprintf(other_database, sizeof other_database, "%s/b.db", base);
    run_fixture_fill_facts(&facts);
    free(facts.database.data);
    facts.database = (struct fact){strdup(database), strlen(database)};
    run_directory_create(&directory, &facts);
    log_writer_open(&writer, directory.log, 1, 0);
    log_writer_start(&writer, 1, 100, 99, 0, START_EXECUTED, "/usr/bin/make");
    for (int i = 0; i < RECORDS; i++) {
        snprintf(path, sizeof path, "/nowhere/%d", i);
        log_writer_add(&writer, EVENT_READ, 1, path, NULL, 0, 0);
    }
    log_writer_close(&writer, false);
}

static void remove_run(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", base);
    cr_assert_eq(system(command), 0);
    run_facts_free(&facts);
    buffer_fini(&why);
}

TestSuite(recover, .init = make_run, .fini = remove_run);

#define IS(path, sql, text) cr_assert_str_eq(database_ask(path, sql), text)

static int recover(const char *into)
{
    int status = supervisor_recover(directory.path, into, &why);

    cr_assert(why.length > 0 && why.data[why.length - 1] == '\n');
    return status;
}

/* What a supervisor did with the log before it was killed: as it stored the records, or once it had
 * marked them as stored. */
static void read_as_supervisor(bool marks)
{
    struct store *store;
    struct ingest *ingest;
    struct ingest_counts counts = {0};
    struct log_reader *reader = log_reader_new(directory.log, false);
    bool resumed;

    cr_assert_eq(store_open(&store, database, &why), 0);
    cr_assert_neq(store_begin_run(store, &facts, &resumed), 0);
    ingest = ingest_new(store, NULL, &counts);
    cr_assert_not(log_reader_pass(reader, true, 10000, ingest_record, ingest));
    ingest_flush(ingest, UINT64_MAX);
    cr_assert_eq(store_commit(store), 0);
    if (marks)
        log_reader_release(reader);
    ingest_free(ingest);
    log_reader_free(reader);
    cr_assert_eq(store_close(store), 0);
}

Test(recover, a_whole_log_becomes_a_run_with_incomplete_evidence)
{
    cr_assert_eq(recover(NULL), 0, "%s", why.data);
    IS(database, "SELECT count(*) FROM access", "500");
    IS(database, "SELECT evidence || command || uuid FROM run",
       "incompletemake allabcd0000000000000000000000000000");
    IS(database, "SELECT class FROM blind_spot", "supervisor-died");
    cr_assert(strstr(why.data, "501 records") != NULL);
    cr_assert_neq(access(directory.path, F_OK), 0);
}

Test(recover, what_the_first_database_had_is_not_counted_twice)
{
    struct log_writer writer;

    read_as_supervisor(true);
    log_writer_open(&writer, directory.log, 1, 0);
    log_writer_add(&writer, EVENT_READ, 1, "/nowhere/0", NULL, 0, 0);
    log_writer_close(&writer, false);
    cr_assert_eq(recover(NULL), 0, "%s", why.data);
    IS(database, "SELECT count(*) FROM run", "1");
    IS(database, "SELECT sum(count) FROM access", "501");
    IS(database, "SELECT group_concat(class) FROM blind_spot", "supervisor-died");
}

Test(recover, another_database_says_what_it_lacks)
{
    read_as_supervisor(true);
    cr_assert_eq(recover(other_database), 0, "%s", why.data);
    cr_assert(strstr(why.data, "missing here") != NULL);
    IS(other_database, "SELECT count(*) FROM blind_spot WHERE class = 'lost-records'", "1");
}

Test(recover, an_overwritten_first_unit_does_not_hide_the_chunks)
{
    char bytes[LOG_UNIT];

    memset(bytes, 0xa5, sizeof bytes);
    cr_assert_eq(pwrite(directory.log, bytes, sizeof bytes, 0), (ssize_t)sizeof bytes);
    cr_assert_eq(recover(NULL), 0, "%s", why.data);
    IS(database, "SELECT count(*) FROM access", "500");
}

Test(recover, a_log_that_was_cut_off_gives_what_is_left)
{
    cr_assert_eq(ftruncate(directory.log, 2 * LOG_UNIT), 0);
    cr_assert_eq(recover(NULL), 0, "%s", why.data);
    IS(database, "SELECT count(*) BETWEEN 50 AND 300 FROM access", "1");
}

Test(recover, an_empty_log_is_an_error_that_keeps_the_folder)
{
    cr_assert_eq(ftruncate(directory.log, 0), 0);
    cr_assert_eq(recover(NULL), TALLY_ERR_CORRUPT);
    cr_assert_eq(access(directory.path, F_OK), 0);
    cr_assert_neq(access(database, F_OK), 0);
}

Test(recover, facts_that_are_missing_or_wrong_are_an_error)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", directory.path, RUN_FACTS_FILE);
    cr_assert_eq(truncate(path, 60), 0);
    cr_assert_eq(recover(NULL), TALLY_ERR_FORMAT);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(recover(NULL), TALLY_ERR_SYSTEM);
}

Test(recover, a_run_that_goes_on_is_left_alone)
{
    pid_t child = fork();

    if (child == 0) {
        for (uint32_t beat = 2;; beat++) {
            if (pwrite(directory.log, &beat, sizeof beat, offsetof(struct log_control, heartbeat)) <
                0)
                _exit(1);
            usleep(20000);
        }
    }
    cr_assert_eq(recover(NULL), TALLY_ERR_DATABASE);
    cr_assert(strstr(why.data, "still going on") != NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

Test(recover, facts_survive_their_file)
{
    struct run_facts read;

    cr_assert_eq(run_facts_read(&read, directory.folder), 0);
    cr_assert_eq(memcmp(read.id, facts.id, sizeof read.id), 0);
    cr_assert_eq(read.argv.length, 9);
    cr_assert_eq(memcmp(read.argv.data, "make\0all", 9), 0);
    cr_assert_str_eq(read.manifest_text.data, "/manifest_text");
    run_facts_free(&read);
}

Test(recover, the_folder_of_a_run_can_be_entered_but_not_listed)
{
    struct stat status;

    cr_assert_eq(fstat(directory.folder, &status), 0);
    cr_assert_eq(status.st_mode & 07777, 0711);
    cr_assert_eq(fstat(directory.log, &status), 0);
    cr_assert_eq(status.st_mode & 07777, 0666);
    cr_assert(strlen(strrchr(directory.path, '-')) == 33);
}

static uint16_t number_of(const char *function)
{
    uint16_t hook = 0;

    while (strcmp(hook_name(hook), function) != 0 && strcmp(hook_name(hook), "?") != 0)
        hook++;
    return hook;
}

Test(recover, what_two_readers_saw_of_a_process_fits_together)
{
    struct log_writer writer;
    struct record *call;

    log_writer_open(&writer, directory.log, 1, 0);
    writer.time = 5000;
    log_writer_start(&writer, 5, 101, 100, 1, START_FORKED, "/bin/sh");
    writer.time = 6000;
    log_writer_start(&writer, 7, 101, 100, 6, START_EXECUTED, "/usr/bin/cc");
    log_writer_close(&writer, true);
    read_as_supervisor(true);
    log_writer_open(&writer, directory.log, 1, 0);
    writer.time = 5500;
    call = log_writer_add(&writer, EVENT_EXECUTE, 5, "/usr/bin/cc", "\1", 0, 6);
    call->pid = 101;
    call->hook = number_of("execve");
    log_writer_close(&writer, false);
    cr_assert_eq(recover(NULL), 0, "%s", why.data);
    IS(database, "SELECT group_concat(how || coalesce(parent, '-'), ' ') FROM process",
       "first- fork1 exec5");
    IS(database, "SELECT group_concat(class) FROM blind_spot", "supervisor-died");
}

#define WITNESSED                                                                                  \
    "SELECT group_concat(line, ', ') FROM (SELECT s.name || ' ' || p.pid || ' ' || p.how || "      \
    "coalesce(' of ' || p.parent, '') AS line FROM access a JOIN process p ON p.id = a.process "   \
    "JOIN subject s ON s.id = a.subject WHERE a.source = 1 ORDER BY s.name)"

/* A child that never reports, and a program that a static one starts. */
static void write_what_the_witness_saw(void)
{
    struct log_writer writer;
    struct record *image;

    log_writer_open(&writer, directory.log, 1, 0);
    writer.time = 5000;
    log_writer_saw(&writer, EVENT_READ, 101, 100, "/child", 0);
    image = log_writer_saw(&writer, EVENT_PROCESS_START, 102, 100, "/opt/go", 100);
    image->process = 20;
    image->value = START_EXECUTED | (uint64_t)IMAGE_STATIC << START_CLASS_SHIFT | 6 << 8;
    log_writer_saw(&writer, EVENT_READ, 102, 100, "/go", 0);
    log_writer_start(&writer, 21, 103, 102, 6, START_EXECUTED, "/usr/bin/cc");
    log_writer_saw(&writer, EVENT_READ, 103, 102, "/cc", 0);
    log_writer_close(&writer, true);
}

Test(recover, what_the_witness_saw_is_attributed_from_the_log_alone)
{
    write_what_the_witness_saw();
    cr_assert_eq(recover(NULL), 0, "%s", why.data);
    IS(database, WITNESSED, "/cc 103 spawn of 20, /child 101 fork of 1, /go 102 spawn of 1");
}

Test(recover, what_the_witness_saw_after_the_supervisor_stored_the_images_is_theirs)
{
    struct log_writer writer;

    write_what_the_witness_saw();
    read_as_supervisor(true);
    log_writer_open(&writer, directory.log, 1, 0);
    writer.time = 9000;
    log_writer_saw(&writer, EVENT_READ, 100, 99, "/make", 0);
    log_writer_saw(&writer, EVENT_READ, 103, 102, "/late", 0)->time = 9000;
    log_writer_saw(&writer, EVENT_READ, 104, 102, "/fork of go", 0);
    log_writer_saw(&writer, EVENT_READ, 0, 0, "/of an image", 0)->process = 20;
    log_writer_close(&writer, false);
    cr_assert_eq(recover(NULL), 0, "%s", why.data);
    IS(database, WITNESSED,
       "/cc 103 spawn of 20, /fork of go 104 fork of 20, /go 102 spawn of 1, /late 103 spawn of "
       "20, /make 100 first, /of an image 102 spawn of 1");
}

Test(recover, what_was_stored_and_not_marked_is_no_second_process)
{
    struct log_writer writer;
    struct record *call;

    log_writer_open(&writer, directory.log, 1, 0);
    writer.time = 5000;
    call = log_writer_add(&writer, EVENT_EXECUTE, 1, "/usr/bin/cc", "\1", 0, 6);
    call->pid = 101;
    call->hook = number_of("execve");
    log_writer_start(&writer, 7, 101, 100, 6, START_EXECUTED, "/usr/bin/cc");
    log_writer_add(&writer, EVENT_PROCESS_ARGUMENT, 7, "cc", NULL, 0, 0);
    log_writer_close(&writer, true);
    read_as_supervisor(false);
    cr_assert_eq(recover(NULL), 0, "%s", why.data);
    IS(database, "SELECT group_concat(how || coalesce(parent, '-'), ' ') FROM process",
       "first- spawn1");
    IS(database, "SELECT command FROM process WHERE serial = 7", "cc");
    IS(database, "SELECT group_concat(class) FROM blind_spot", "supervisor-died");
}

static uint32_t pending_as_told(void)
{
    uint32_t pending = 0;

    cr_assert_eq(
        pread(directory.log, &pending, sizeof pending, offsetof(struct log_control, pending)),
        (ssize_t)sizeof pending);
    return pending;
}

Test(recover, what_a_supervisor_took_and_did_not_store_is_counted)
{
    struct ingest_counts counts = {0};
    struct log_writer writer;
    struct store *store;
    struct drain *drain;
    bool resumed;

    log_writer_open(&writer, directory.log, 1, 0);
    writer.time = 5000;
    log_writer_saw(&writer, EVENT_READ, getpid(), 1, "/not known yet", 0);
    log_writer_saw(&writer, EVENT_READ, getpid(), 1, "/nor this", 0);
    log_writer_close(&writer, true);
    cr_assert_eq(store_open(&store, database, &why), 0);
    cr_assert_neq(store_begin_run(store, &facts, &resumed), 0);
    drain = drain_new(directory.log, store, NULL, &counts, false);
    drain_start(drain);
    for (int i = 0; i < 500 && pending_as_told() == 0; i++)
        usleep(20000);
    drain_stop(drain);
    drain_free(drain); /* and dies */
    cr_assert_eq(store_close(store), 0);
    cr_assert_eq(recover(NULL), 0, "%s", why.data);
    IS(database, "SELECT group_concat(class || ' ' || count, ', ') FROM blind_spot",
       "supervisor-died 1, lost-records 2");
}
