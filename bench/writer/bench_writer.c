/* SPDX-License-Identifier: MIT
 *
 * How many records a second go from the event log into the database, how large the database gets
 * and how much memory the supervisor needs. Processes write a log as a large compilation would:
 * each reads some hundred headers out of some thousand, most of them by a few paths that all share.
 * The reader and the store then take it, alone or while the writers still write.
 *
 *   bench_writer [ROUNDS [PROCESSES [RECORDS-PER-PROCESS]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "drain.h"
#include "log_writer.h"

#define DATABASE   "bench_writer.db"
#define HEADERS    20000u
#define ROUNDS_MAX 1000
#define WRITERS    2u

struct size {
    int rounds;
    unsigned processes;
    unsigned records;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void write_process(struct log_writer *writer, uint64_t serial, unsigned records)
{
    char path[128];
    uint64_t seed = serial * UINT64_C(6364136223846793005);

    log_writer_start(writer, serial, (uint32_t)serial + 100, 100, 1, START_FORKED, "/usr/bin/cc1");
    for (unsigned i = 0; i < records; i++) {
        unsigned header = (unsigned)((seed >> 33) % HEADERS);

        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        snprintf(path, sizeof path, "/usr/include/x86_64-linux-gnu/project%u/module%u/header%u.h",
                 header % 7, header % 311, header);
        log_writer_add(writer, i % 3 ? EVENT_READ : EVENT_STAT, serial, path, NULL, i % 5 ? 0 : 2,
                       0);
    }
}

static void write_part(int log, const struct size *size, unsigned part)
{
    for (unsigned i = part; i < size->processes; i += WRITERS) {
        struct log_writer writer;

        log_writer_open(&writer, log, 4, 0);
        write_process(&writer, i + 1, size->records);
        log_writer_close(&writer, true);
    }
}

static void start_writers(int log, const struct size *size)
{
    for (unsigned part = 0; part < WRITERS; part++) {
        if (fork() == 0) {
            write_part(log, size, part);
            _exit(0);
        }
    }
}

static void wait_for_writers(void)
{
    while (wait(NULL) > 0)
        ;
}

static struct store *fresh_store(void)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    struct run_facts facts = {.id = {1}, .started = 1, .monotonic = 1};
    struct store *store;
    bool resumed;
    char text[] = "bench";

#define FACT(name) facts.name = (struct fact){text, sizeof text - 1};
#include "run_facts.def"
#undef FACT
    unlink(DATABASE);
    if (store_open(&store, DATABASE, &why) != 0)
        die("%s", why.data);
    if (store_begin_run(store, &facts, &resumed) == 0)
        die("%s", store_failure(store));
    return store;
}

/* What this process itself has used: tells something on a machine that is busy otherwise, too. */
static double processor_time(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

struct cost {
    double seconds;
    double processor;
};

/* From the first record read to the database closed. */
static struct cost one_round(const struct size *size, bool together)
{
    int log = log_writer_make_log(together ? 16384 : UINT32_MAX);
    struct ingest_counts counts = {0};
    struct run_end end = {.ended = 1};
    struct store *store = fresh_store();
    struct drain *drain = drain_new(log, store, NULL, &counts, false);
    struct cost cost;

    start_writers(log, size);
    if (!together)
        wait_for_writers();
    cost = (struct cost){now(), processor_time()};
    if (together) {
        drain_start(drain);
        wait_for_writers();
        drain_stop(drain);
    }
    drain_rest(drain);
    ingest_finish(drain_ingest(drain));
    store_end_run(store, &end);
    if (store_close(store) != 0)
        die("cannot write " DATABASE);
    cost = (struct cost){now() - cost.seconds, processor_time() - cost.processor};
    if (drain_totals(drain).records != (uint64_t)size->processes * (size->records + 1))
        die("%llu records came out", (unsigned long long)drain_totals(drain).records);
    drain_free(drain);
    close(log);
    return cost;
}

static int by_value(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static void measure(const struct size *size, bool together)
{
    static double rates[ROUNDS_MAX], processor[ROUNDS_MAX];
    double records = (double)size->processes * (size->records + 1);

    for (int i = 0; i < size->rounds; i++) {
        struct cost cost = one_round(size, together);

        rates[i] = records / cost.seconds;
        processor[i] = cost.processor * 1e6 / records;
    }
    qsort(processor, (size_t)size->rounds, sizeof *processor, by_value);
    qsort(rates, (size_t)size->rounds, sizeof *rates, by_value);
    printf(
        "%s: median %.0f records/s (%.0f to %.0f, %d rounds of %.0f), %.2f us of processor each\n",
        together ? "while two writers write" : "from a finished log", rates[size->rounds / 2],
        rates[0], rates[size->rounds - 1], size->rounds, records, processor[size->rounds / 2]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct size size = {argc > 1 ? atoi(argv[1]) : 11, argc > 2 ? (unsigned)atoi(argv[2]) : 4000,
                        argc > 3 ? (unsigned)atoi(argv[3]) : 500};
    struct rusage usage;
    struct stat status;

    if (size.rounds < 1 || size.rounds > ROUNDS_MAX)
        die("1 to %d rounds", ROUNDS_MAX);
    measure(&size, false);
    measure(&size, true);
    if (stat(DATABASE, &status) != 0 || getrusage(RUSAGE_SELF, &usage) != 0)
        die_errno(DATABASE);
    printf("database: %.0f bytes per thousand accesses\n",
           (double)status.st_size * 1000.0 / size.processes / size.records);
    printf("supervisor: %ld MiB at its peak\n", usage.ru_maxrss / 1024);
    unlink(DATABASE);
    return 0;
}
