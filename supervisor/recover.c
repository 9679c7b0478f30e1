/* SPDX-License-Identifier: MIT */
#include "supervisor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "drain.h"
#include "run_directory.h"
#include "tallyman/status.h"

#define HEART_MS 300

static bool heart_beats(int log)
{
    uint32_t before = 0, after = 0;
    off_t at = offsetof(struct log_control, heartbeat);
    struct timespec pause = {0, HEART_MS * 1000000L};

    if (pread(log, &before, sizeof before, at) != (ssize_t)sizeof before)
        return false;
    nanosleep(&pause, NULL);
    return pread(log, &after, sizeof after, at) == (ssize_t)sizeof after && before != after;
}

/* The control unit may be overwritten; the chunks behind it can still be good. */
static int check_log(const struct run_directory *directory, struct buffer *why)
{
    struct log_control control = {0};
    ssize_t length = pread(directory->log, &control, sizeof control, 0);
    struct stat status;

    if (fstat(directory->log, &status) != 0 || status.st_size <= LOG_UNIT) {
        buffer_printf(why, "%s: the log is cut off before its first record; nothing to recover\n",
                      directory->log_path);
        return TALLY_ERR_CORRUPT;
    }
    if (length == (ssize_t)sizeof control && control.magic == LOG_MAGIC &&
        control.version > LOG_VERSION) {
        buffer_printf(why,
                      "%s: written by a newer version of tallyman; use that one to recover it\n",
                      directory->log_path);
        return TALLY_ERR_VERSION;
    }
    if (heart_beats(directory->log)) {
        buffer_printf(why, "%s: the run is still going on; wait for its end\n", directory->path);
        return TALLY_ERR_DATABASE;
    }
    return 0;
}

/* A first unit that lost its numbers would hide all chunks: the file's own end bounds the search.
 */
static void repair_control(const struct run_directory *directory, struct buffer *why)
{
    struct log_control control = {0};
    uint32_t all = UINT32_MAX;

    if (pread(directory->log, &control, sizeof control, 0) == (ssize_t)sizeof control &&
        control.magic == LOG_MAGIC && control.version == LOG_VERSION && control.next_unit > 0)
        return;
    buffer_printf(why, "%s: the first unit of the log is damaged; searched the whole file\n",
                  directory->log_path);
    if (pwrite(directory->log, &all, sizeof all, offsetof(struct log_control, next_unit)) < 0)
        buffer_printf(why, "%s: %s\n", directory->log_path, strerror(errno));
}

#define OF_UNKNOWN_PROCESS                                                                         \
    "taken from the log by a supervisor that died before it knew whose they were"

static void note_losses(struct store *store, const struct drain *drain, uint64_t damaged,
                        bool resumed)
{
    struct log_totals kept = drain_totals(drain);
    const struct log_totals *totals = &kept;

    store_blind_spot(store, 0, BLIND_SPOT_SUPERVISOR_DIED, NULL, 0, 1);
    if (totals->lost)
        store_blind_spot(store, 0, BLIND_SPOT_LOST_RECORDS, NULL, 0, totals->lost);
    if (drain_pending_before(drain))
        store_blind_spot(store, 0, BLIND_SPOT_LOST_RECORDS, OF_UNKNOWN_PROCESS,
                         sizeof OF_UNKNOWN_PROCESS - 1, drain_pending_before(drain));
    if (damaged)
        store_blind_spot(store, 0, BLIND_SPOT_DAMAGED_LOG, NULL, 0, damaged);
    if (totals->stored && !resumed)
        store_blind_spot(store, 0, BLIND_SPOT_LOST_RECORDS,
                         "in another database, see tallyman recover", 41, 1);
}

static void account(struct buffer *why, const struct run_facts *facts,
                    const struct log_totals *totals, uint64_t damaged, bool resumed)
{
    buffer_printf(why,
                  "recovered %llu records; %llu could not be written by the build, %llu were "
                  "damaged\n",
                  (unsigned long long)totals->records, (unsigned long long)totals->lost,
                  (unsigned long long)damaged);
    if (!totals->stored)
        return;
    if (resumed)
        buffer_printf(why, "%llu KiB of the log were in this database already\n",
                      (unsigned long long)(totals->stored >> 10));
    else
        buffer_printf(why,
                      "%llu KiB of the log had gone to %s before and are missing here; recover "
                      "into that database to have both\n",
                      (unsigned long long)(totals->stored >> 10), facts->database.data);
}

static int drain_into(struct store *store, const struct run_directory *directory,
                      const struct run_facts *facts, struct buffer *why)
{
    struct ingest_counts counts = {0};
    struct timespec now;
    struct run_end end = {.exit_status = -1, .signal = -1};
    struct log_totals totals;
    struct drain *drain;
    uint64_t damaged;
    bool resumed;
    int status;

    if (store_begin_run(store, facts, &resumed) == 0) {
        buffer_printf(why, "%s\n", store_failure(store));
        return store_status(store);
    }
    drain = drain_new(directory->log, store, NULL, &counts, true);
    drain_rest(drain);
    ingest_finish(drain_ingest(drain));
    totals = drain_totals(drain);
    damaged = totals.damaged + ingest_damaged(drain_ingest(drain));
    note_losses(store, drain, damaged, resumed);
    clock_gettime(CLOCK_REALTIME, &now);
    end.ended = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    store_end_run(store, &end);
    status = store_commit(store);
    if (status)
        buffer_printf(why, "%s\n", store_failure(store));
    else
        account(why, facts, &totals, damaged, resumed);
    drain_free(drain);
    return status;
}

int supervisor_recover(const char *run_directory, const char *database, struct buffer *why)
{
    struct run_directory directory;
    struct run_facts facts = {0};
    struct store *store = NULL;
    int status = run_directory_open(&directory, run_directory, why);

    if (status) {
        buffer_add_char(why, '\n');
        return status;
    }
    status = check_log(&directory, why);
    if (!status) {
        status = run_facts_read(&facts, directory.folder);
        if (status)
            buffer_printf(why, "%s/%s: cannot read what run this was: %s\n", run_directory,
                          RUN_FACTS_FILE, tally_strstatus(status));
    }
    if (!status) {
        status = store_open(&store, database ? database : facts.database.data, why);
        if (status)
            buffer_add_char(why, '\n');
    }
    if (!status) {
        repair_control(&directory, why);
        status = drain_into(store, &directory, &facts, why);
    }
    if (store_close(store) != 0 && !status)
        status = TALLY_ERR_DATABASE;
    if (status)
        run_directory_fini(&directory);
    else
        run_directory_remove(&directory);
    run_facts_free(&facts);
    return status;
}
