/* SPDX-License-Identifier: MIT */
#include "file_digest.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "die.h"

#define THREADS      2 /* the disk or the memory is the limit soon */
#define PIECE        (1u << 18)
#define FIRST_NEWS   1000000000 /* ns until the first word of progress, and between words */
#define BETWEEN_NEWS 200000000

struct work {
    struct file_digest *files;
    size_t count;
    const EVP_MD *algorithm;
    atomic_size_t next;
    atomic_int_fast64_t bytes;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    size_t running; /* threads, under the lock */
};

/* The kernel's own file systems: a size of 0 and content that is made up, sometimes without end. */
static bool is_made_up(int file)
{
    static const unsigned long types[] = {PROC_SUPER_MAGIC,    SYSFS_MAGIC,      DEBUGFS_MAGIC,
                                          TRACEFS_MAGIC,       BPF_FS_MAGIC,     CGROUP_SUPER_MAGIC,
                                          CGROUP2_SUPER_MAGIC, SECURITYFS_MAGIC, EFIVARFS_MAGIC};
    struct statfs status;

    if (fstatfs(file, &status) != 0)
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if ((unsigned long)status.f_type == types[i])
            return true;
    return false;
}

static bool add_content(struct work *work, EVP_MD_CTX *context, int file, unsigned char *piece)
{
    int64_t total = 0;
    ssize_t got;

    if (EVP_DigestInit_ex2(context, work->algorithm, NULL) != 1)
        die("cannot compute a SHA-256");
    while ((got = read(file, piece, PIECE)) > 0) {
        if (EVP_DigestUpdate(context, piece, (size_t)got) != 1)
            die("cannot compute a SHA-256");
        atomic_fetch_add(&work->bytes, got);
        total += got;
        if (total > FILE_DIGEST_MAX) /* it grows while it is read */
            return false;
    }
    return got == 0;
}

static bool same(const struct stat *one, const struct stat *other)
{
    return one->st_size == other->st_size && one->st_ctim.tv_sec == other->st_ctim.tv_sec &&
           one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

static enum file_digest_state compute(struct work *work, EVP_MD_CTX *context, unsigned char *piece,
                                      struct file_digest *digest)
{
    cleanup_close int file =
        open(digest->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    unsigned char bytes[EVP_MAX_MD_SIZE];
    struct stat before, after;
    unsigned length = 0;

    if (file < 0 || fstat(file, &before) != 0)
        return FILE_DIGEST_UNREADABLE;
    if (!S_ISREG(before.st_mode) || is_made_up(file))
        return FILE_DIGEST_SPECIAL;
    if (before.st_size > FILE_DIGEST_MAX)
        return FILE_DIGEST_LARGE;
    if (!add_content(work, context, file, piece))
        return FILE_DIGEST_UNREADABLE;
    if (fstat(file, &after) != 0 || !same(&before, &after))
        return FILE_DIGEST_BUSY;
    if (EVP_DigestFinal_ex(context, bytes, &length) != 1)
        die("cannot compute a SHA-256");
    for (unsigned i = 0; i < FILE_DIGEST_LENGTH / 2; i++)
        snprintf(digest->hex + 2 * (size_t)i, 3, "%02x", bytes[i]);
    return FILE_DIGEST_DONE;
}

static void *take_files(void *shared)
{
    struct work *work = shared;
    cleanup_free unsigned char *piece = xmalloc(PIECE);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t number;

    if (!context)
        die("out of memory");
    while ((number = atomic_fetch_add(&work->next, 1)) < work->count)
        work->files[number].state = compute(work, context, piece, &work->files[number]);
    EVP_MD_CTX_free(context);
    pthread_mutex_lock(&work->lock);
    work->running--;
    pthread_cond_signal(&work->ended);
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

static struct timespec later(int64_t ns)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += (time.tv_nsec + ns) / 1000000000;
    time.tv_nsec = (time.tv_nsec + ns) % 1000000000;
    return time;
}

static void wait_for_threads(struct work *work, int64_t all, file_digest_progress progress)
{
    struct timespec news = later(FIRST_NEWS);

    pthread_mutex_lock(&work->lock);
    while (work->running > 0) {
        if (pthread_cond_timedwait(&work->ended, &work->lock, &news) == 0)
            continue;
        if (progress)
            progress(atomic_load(&work->bytes), all);
        news = later(BETWEEN_NEWS);
    }
    pthread_mutex_unlock(&work->lock);
}

static void work_init(struct work *work)
{
    pthread_condattr_t clock;

    pthread_mutex_init(&work->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&work->ended, &clock);
    pthread_condattr_destroy(&clock);
}

void file_digests(struct file_digest *files, size_t count, file_digest_progress progress)
{
    struct work work = {.files = files, .count = count};
    EVP_MD *algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    pthread_t threads[THREADS];
    size_t started = 0;
    int64_t all = 0;

    if (!algorithm)
        die("cannot compute a SHA-256");
    for (size_t i = 0; i < count; i++)
        all += files[i].size <= FILE_DIGEST_MAX ? files[i].size : 0;
    work.algorithm = algorithm;
    work_init(&work);
    work.running = THREADS;
    while (started < THREADS && pthread_create(&threads[started], NULL, take_files, &work) == 0)
        started++;
    /* Where there can be no thread, this one does what is left. */
    for (size_t i = started; i < THREADS; i++)
        take_files(&work);
    wait_for_threads(&work, all, progress);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&work.ended);
    pthread_mutex_destroy(&work.lock);
    EVP_MD_free(algorithm);
}
