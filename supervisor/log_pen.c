/* SPDX-License-Identifier: MIT */
#include "log_pen.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bytes_hash.h"
#include "die.h"

#define FOLD_SLOTS  4096u /* a power of two */
#define CHUNK_UNITS 4u    /* 64 KiB */
#define WAIT_MS     200
#define KEEP_NS     UINT64_C(500000000) /* a chunk is read once it is sealed */

struct fold_slot {
    uint64_t key; /* 0 free */
    uint64_t offset;
};

struct log_pen {
    int log;
    pthread_mutex_t lock;
    bool broken;   /* the file was cut off */
    uint64_t lost; /* changed without the lock, too */
    struct log_control *control;
    struct chunk *chunk; /* NULL none yet */
    uint64_t since;      /* time of its first record, 0 none */
    struct fold_slot folds[FOLD_SLOTS];
};

/* Where to go on after a page of the file turned out not to be there any more (SIGBUS). */
static __thread sigjmp_buf *way_out;

static void leave_mapping(int number)
{
    if (way_out)
        siglongjmp(*way_out, number);
    signal(number, SIG_DFL); /* somebody else's fault: it comes again */
}

static void catch_cut_off(void)
{
    struct sigaction action = {.sa_handler = leave_mapping, .sa_flags = SA_NODEFER};
    sigset_t set;

    sigaction(SIGBUS, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

struct log_pen *log_pen_new(int log)
{
    struct log_pen *pen = xcalloc(1, sizeof *pen);

    pen->log = log;
    pthread_mutex_init(&pen->lock, NULL);
    pen->control = mmap(NULL, LOG_UNIT, PROT_READ | PROT_WRITE, MAP_SHARED, log, 0);
    if (pen->control == MAP_FAILED) {
        free(pen);
        return NULL;
    }
    catch_cut_off();
    return pen;
}

static void seal_chunk(struct log_pen *pen, void *context)
{
    (void)context;
    if (!pen->chunk)
        return;
    __atomic_store_n(&pen->chunk->sealed, 1, __ATOMIC_SEQ_CST);
    munmap(pen->chunk, (size_t)CHUNK_UNITS * LOG_UNIT);
    pen->chunk = NULL;
    memset(pen->folds, 0, sizeof pen->folds);
}

/* Does `work` with the file's pages. False when they are gone, now or before. */
static bool guarded(struct log_pen *pen, void (*work)(struct log_pen *, void *), void *context)
{
    sigjmp_buf here;
    volatile bool done = false;

    pthread_mutex_lock(&pen->lock);
    if (sigsetjmp(here, 0) != 0) {
        pen->broken = true;
    } else if (!pen->broken) {
        way_out = &here;
        work(pen, context);
        done = true;
    }
    way_out = NULL;
    pthread_mutex_unlock(&pen->lock);
    return done;
}

void log_pen_free(struct log_pen *pen)
{
    if (!pen)
        return;
    guarded(pen, seal_chunk, NULL);
    pthread_mutex_destroy(&pen->lock);
    munmap(pen->control, LOG_UNIT);
    free(pen);
}

static uint32_t units_taken(const struct log_control *control, uint32_t released)
{
    return __atomic_load_n(&control->next_unit, __ATOMIC_RELAXED) - released;
}

/* Waits for the reader to give room back. False once the log is closed. */
static bool wait_for_room(struct log_control *control)
{
    const struct timespec while_full = {0, WAIT_MS * 1000000L};

    while (__atomic_load_n(&control->state, __ATOMIC_RELAXED) == LOG_OPEN) {
        uint32_t released = __atomic_load_n(&control->released, __ATOMIC_ACQUIRE);

        if (units_taken(control, released) < __atomic_load_n(&control->limit, __ATOMIC_RELAXED))
            return true;
        __atomic_fetch_add(&control->waiting, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &control->released, FUTEX_WAIT, released, &while_full, NULL, 0);
        __atomic_fetch_sub(&control->waiting, 1, __ATOMIC_SEQ_CST);
    }
    return false;
}

static bool take_chunk(struct log_pen *pen)
{
    const size_t size = (size_t)CHUNK_UNITS * LOG_UNIT;
    struct chunk *chunk;
    uint32_t unit;
    off_t offset;

    if (!wait_for_room(pen->control))
        return false;
    unit = __atomic_fetch_add(&pen->control->next_unit, CHUNK_UNITS, __ATOMIC_RELAXED);
    offset = (off_t)unit * LOG_UNIT;
    if (posix_fallocate(pen->log, offset, (off_t)size) != 0)
        return false;
    chunk = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, pen->log, offset);
    if (chunk == MAP_FAILED)
        return false;
    chunk->units = CHUNK_UNITS;
    chunk->capacity = size - sizeof *chunk;
    chunk->owner_pid = (uint32_t)getpid();
    chunk->generation = unit;
    __atomic_store_n(&chunk->magic, CHUNK_MAGIC, __ATOMIC_RELEASE);
    pen->chunk = chunk;
    pen->since = 0;
    return true;
}

static struct record *record_at(struct chunk *chunk, uint64_t offset)
{
    return (struct record *)(void *)((char *)(chunk + 1) + offset);
}

/* The reader releases no chunk while somebody is in it. */
static bool enter(struct log_pen *pen)
{
    if (!pen->chunk)
        return false;
    __atomic_fetch_add(&pen->chunk->active, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&pen->chunk->sealed, __ATOMIC_SEQ_CST))
        return true;
    __atomic_fetch_sub(&pen->chunk->active, 1, __ATOMIC_SEQ_CST);
    return false;
}

static void leave(struct log_pen *pen)
{
    __atomic_fetch_sub(&pen->chunk->active, 1, __ATOMIC_SEQ_CST);
}

/* Enters a chunk with room for `size` bytes and takes them; *offset is where. */
static bool enter_with_room(struct log_pen *pen, size_t size, uint64_t *offset)
{
    for (;;) {
        if (enter(pen)) {
            *offset = pen->chunk->tail;
            if (*offset + size <= pen->chunk->capacity) {
                __atomic_store_n(&pen->chunk->tail, *offset + size, __ATOMIC_RELAXED);
                return true;
            }
            leave(pen);
        }
        seal_chunk(pen, NULL);
        if (!take_chunk(pen))
            return false;
    }
}

static uint64_t key_of(const struct record *head, const char *subject, size_t length,
                       const char *other, size_t other_length)
{
    const uint64_t facts[] = {head->kind | (uint64_t)head->hook << 16 | (uint64_t)head->pid << 32,
                              head->process, head->value, head->key,
                              (uint32_t)head->error | (uint64_t)head->flags << 32};
    uint64_t key = bytes_hash((const char *)facts, sizeof facts, length);

    key = bytes_hash(other, other_length, bytes_hash(subject, length, key));
    return key | (key == 0);
}

static bool fold(struct log_pen *pen, uint64_t key)
{
    const struct fold_slot *slot = &pen->folds[key % FOLD_SLOTS];
    bool folded = false;

    if (slot->key != key || !enter(pen))
        return false;
    if (record_at(pen->chunk, slot->offset)->key == key) {
        __atomic_fetch_add(&record_at(pen->chunk, slot->offset)->count, 1, __ATOMIC_RELAXED);
        folded = true;
    }
    leave(pen);
    return folded;
}

static void fill(struct record *record, const struct record *head, const char *subject,
                 size_t length, const char *other, size_t other_length)
{
    uint32_t word = record->word;

    *record = *head;
    record->word = word;
    record->count = 1;
    record->drained = 0;
    record->subject = (uint32_t)length;
    record->other = (uint32_t)other_length;
    memcpy(record + 1, subject, length);
    if (other_length)
        memcpy((char *)(record + 1) + length, other, other_length);
}

struct draft {
    const struct record *head;
    const char *subject, *other;
    size_t length, other_length;
    bool may_fold;
};

static void write_draft(struct log_pen *pen, void *context)
{
    const struct draft *draft = context;
    const struct record *head = draft->head;
    size_t size = sizeof *head + draft->length + draft->other_length;
    uint64_t key = draft->may_fold ? key_of(head, draft->subject, draft->length, draft->other,
                                            draft->other_length)
                                   : 0;
    struct record *record;
    uint64_t offset;

    size = (size + RECORD_ALIGNMENT - 1) & ~(size_t)(RECORD_ALIGNMENT - 1);
    if (pen->since && head->time - pen->since > KEEP_NS)
        seal_chunk(pen, NULL);
    if (key && fold(pen, key))
        return;
    if (!enter_with_room(pen, size, &offset)) {
        __atomic_fetch_add(&pen->lost, 1, __ATOMIC_RELAXED);
        return;
    }
    record = record_at(pen->chunk, offset);
    __atomic_store_n(&record->word, (uint32_t)size | RECORD_RESERVED, __ATOMIC_RELEASE);
    fill(record, head, draft->subject, draft->length, draft->other, draft->other_length);
    record->key = key;
    __atomic_store_n(&record->word, (uint32_t)size | RECORD_COMMITTED, __ATOMIC_RELEASE);
    if (key)
        pen->folds[key % FOLD_SLOTS] = (struct fold_slot){key, offset};
    pen->since = pen->since ? pen->since : head->time;
    leave(pen);
}

void log_pen_write(struct log_pen *pen, const struct record *head, const char *subject,
                   size_t length, const char *other, size_t other_length, bool may_fold)
{
    struct draft draft = {head, subject, other, length, other_length, may_fold};

    if (!guarded(pen, write_draft, &draft))
        __atomic_fetch_add(&pen->lost, 1, __ATOMIC_RELAXED);
}

uint64_t log_pen_lost(const struct log_pen *pen)
{
    return __atomic_load_n(&pen->lost, __ATOMIC_RELAXED);
}

static void take_id(struct log_pen *pen, void *context)
{
    *(uint64_t *)context = __atomic_add_fetch(&pen->control->next_id, 1, __ATOMIC_RELAXED);
}

uint64_t log_pen_new_id(struct log_pen *pen)
{
    uint64_t id = 0;

    return guarded(pen, take_id, &id) ? id : 0;
}

struct environment_question {
    uint64_t hash;
    bool first;
};

static void ask_environment(struct log_pen *pen, void *context)
{
    struct environment_question *question = context;
    uint64_t hash = question->hash;

    question->first = false;
    for (uint64_t probe = 0; probe < 8; probe++) {
        uint64_t *at = &pen->control->environments[(hash + probe) % LOG_ENVIRONMENTS];
        uint64_t none = 0;

        if (__atomic_compare_exchange_n(at, &none, hash, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            break;
        if (none == hash)
            return;
    }
    question->first = true;
}

bool log_pen_first_environment(struct log_pen *pen, uint64_t hash)
{
    struct environment_question question = {hash, false};

    return guarded(pen, ask_environment, &question) && question.first;
}
