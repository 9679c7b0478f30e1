/* SPDX-License-Identifier: MIT */
#include "drain.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "die.h"
#include "owner.h"

#define BEAT_MS       50
#define LOOK_MS       20
#define PASS_MS       500  /* a transaction is at least this long or BACKLOG_UNITS large */
#define BACKLOG_UNITS 512u /* 8 MiB */
#define PASS_RECORDS  200000u

struct drain {
    int log;
    struct store *store;
    struct ingest *ingest;
    struct log_reader *reader;
    pthread_t heart;
    pthread_t worker;
    bool heart_runs, worker_runs;
    bool closed_early;
    uint32_t pending_before; /* that an earlier supervisor held, and lost */
    uint32_t pending;        /* as the log says */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop; /* under lock */
};

/* A first unit that was overwritten says nothing. */
static uint32_t read_pending(int log)
{
    struct log_control control;

    if (pread(log, &control, sizeof control, 0) != (ssize_t)sizeof control ||
        control.magic != LOG_MAGIC || control.version != LOG_VERSION)
        return 0;
    return control.pending;
}

struct drain *drain_new(int log, struct store *store, const struct policy *policy,
                        struct ingest_counts *counts, bool trust_marks)
{
    struct drain *drain = xcalloc(1, sizeof *drain);
    pthread_condattr_t attributes;

    drain->log = log;
    drain->store = store;
    drain->reader = log_reader_new(log, trust_marks);
    drain->pending_before = drain->pending = trust_marks ? read_pending(log) : 0;
    if (store)
        drain->ingest = ingest_new(store, policy, counts);
    pthread_mutex_init(&drain->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&drain->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return drain;
}

void drain_free(struct drain *drain)
{
    if (!drain)
        return;
    ingest_free(drain->ingest);
    log_reader_free(drain->reader);
    pthread_cond_destroy(&drain->changed);
    pthread_mutex_destroy(&drain->lock);
    free(drain);
}

/* False when it is time to end. */
static bool wait_ms(struct drain *drain, long milliseconds)
{
    struct timespec until;
    bool stop;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&drain->lock);
    while (!drain->stop &&
           pthread_cond_timedwait(&drain->changed, &drain->lock, &until) != ETIMEDOUT)
        ;
    stop = drain->stop;
    pthread_mutex_unlock(&drain->lock);
    return !stop;
}

static void *beat(void *context)
{
    struct drain *drain = context;
    uint32_t heartbeat = 1;

    do {
        heartbeat++;
        if (pwrite(drain->log, &heartbeat, sizeof heartbeat,
                   offsetof(struct log_control, heartbeat)) < 0)
            continue; /* writers notice when it stays so */
    } while (wait_ms(drain, BEAT_MS));
    return NULL;
}

static uint64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void tell_pending(struct drain *drain, uint32_t pending)
{
    if (pending == drain->pending)
        return;
    drain->pending = pending;
    if (pwrite(drain->log, &pending, sizeof pending, offsetof(struct log_control, pending)) < 0)
        return; /* the log was cut off: nothing can be recovered from it */
}

/* What waits for its process is in no database while its chunks are marked as taken: whoever
 * recovers this run must know how much that was, at each moment at least. */
static bool commit(struct drain *drain)
{
    size_t waiting = drain->pending_before + ingest_pending(drain->ingest);
    uint32_t pending = waiting < UINT32_MAX ? (uint32_t)waiting : UINT32_MAX;

    if (pending > drain->pending)
        tell_pending(drain, pending);
    if (store_commit(drain->store) != 0)
        return false;
    log_reader_release(drain->reader);
    tell_pending(drain, pending);
    return true;
}

/* One transaction. False when the database failed. */
static bool pass(struct drain *drain, bool final, bool *more)
{
    uint64_t began = final ? UINT64_MAX : monotonic_ns();

    *more = log_reader_pass(drain->reader, final, PASS_RECORDS, ingest_record, drain->ingest);
    log_reader_glance(drain->reader, ingest_glance, drain->ingest);
    ingest_flush(drain->ingest, began);
    if (!commit(drain))
        return false;
    if (!*more && !final)
        log_reader_adjust_limit(drain->reader);
    return true;
}

/* Nothing will be given back any more, so nobody shall wait for it. */
static void let_all_write(struct drain *drain)
{
    while (!log_reader_set_limit(drain->reader, UINT32_MAX) && wait_ms(drain, LOOK_MS))
        ;
}

static void *work(void *context)
{
    struct drain *drain = context;
    long waited = PASS_MS;
    bool more = false;

    while (more || wait_ms(drain, LOOK_MS)) {
        waited += LOOK_MS;
        if (!more && waited < PASS_MS && log_reader_backlog(drain->reader) < BACKLOG_UNITS)
            continue;
        waited = 0;
        if (!pass(drain, false, &more)) {
            let_all_write(drain);
            return NULL;
        }
    }
    return NULL;
}

void drain_start(struct drain *drain)
{
    drain->heart_runs = pthread_create(&drain->heart, NULL, beat, drain) == 0;
    /* Without a worker all is taken at the end; without a heart those who wait would close the log.
     */
    if (!drain->heart_runs || !drain->store)
        let_all_write(drain);
    if (drain->store)
        ingest_watch_pids(drain->ingest, owner_is_gone);
    if (drain->store)
        drain->worker_runs = pthread_create(&drain->worker, NULL, work, drain) == 0;
    if (drain->store && !drain->worker_runs)
        let_all_write(drain);
}

void drain_give_up(struct drain *drain)
{
    log_reader_set_limit(drain->reader, UINT32_MAX);
}

/* A writer that found the heart stopped for long has closed the log; what came after is lost. */
static bool was_closed(const struct drain *drain)
{
    uint32_t state = LOG_OPEN;

    return pread(drain->log, &state, sizeof state, offsetof(struct log_control, state)) !=
               (ssize_t)sizeof state ||
           state != LOG_OPEN;
}

void drain_stop(struct drain *drain)
{
    uint32_t state = LOG_CLOSED;

    pthread_mutex_lock(&drain->lock);
    drain->stop = true;
    pthread_cond_broadcast(&drain->changed);
    pthread_mutex_unlock(&drain->lock);
    if (drain->worker_runs)
        pthread_join(drain->worker, NULL);
    if (drain->heart_runs)
        pthread_join(drain->heart, NULL);
    drain->worker_runs = drain->heart_runs = false;
    drain->closed_early = was_closed(drain);
    if (pwrite(drain->log, &state, sizeof state, offsetof(struct log_control, state)) < 0)
        return; /* the heart stands still: writers find out by themselves */
    log_reader_set_limit(drain->reader, UINT32_MAX); /* and wake up */
}

void drain_rest(struct drain *drain)
{
    bool more = true;

    while (drain->store && more && pass(drain, true, &more))
        ;
}

struct ingest *drain_ingest(struct drain *drain)
{
    return drain->ingest;
}

bool drain_closed_early(const struct drain *drain)
{
    return drain->closed_early;
}

uint32_t drain_pending_before(const struct drain *drain)
{
    return drain->pending_before;
}

struct log_totals drain_totals(const struct drain *drain)
{
    return log_reader_totals(drain->reader);
}
