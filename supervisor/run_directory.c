/* SPDX-License-Identifier: MIT */
#include "run_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cleanup.h"
#include "launch.h"
#include "tallyman/record.h"
#include "tallyman/status.h"

#define LIMIT_BYTES ((uint64_t)256 << 20) /* of log that may wait to be read */
#define ROOM_BYTES  ((uint64_t)8 << 20) /* a place with less is not taken while there is another */

/* Sparse. The log's offsets only grow, so the first must do for the largest build; larger ones some
 * file systems cannot copy. */
static const uint64_t log_sizes[] = {UINT64_C(1) << 40, UINT64_C(1) << 36, UINT64_C(1) << 32,
                                     UINT64_C(1) << 30};

struct place {
    const char *path;
    bool on_tmpfs;
    bool roomy;
};

static bool look_at(struct place *place, const char *path)
{
    struct statfs status;

    if (!path || path[0] != '/' || access(path, W_OK | X_OK) != 0 || statfs(path, &status) != 0)
        return false;
    place->path = path;
    place->on_tmpfs = status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC;

    place->roomy = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize >= ROOM_BYTES ||
                   status.f_type == RAMFS_MAGIC;
    return true;
}

static int rank(const struct place *place)
{
    return (place->roomy ? 2 : 0) + (place->on_tmpfs ? 1 : 0);
}

/* TALLYMAN_RUNTIME_DIR is an order; among the others room comes first, then tmpfs, then the list.
 */
static bool choose(struct place *best)
{
    const char *const list[] = {"/dev/shm", getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp",
                                "/var/tmp"};
    const char *wanted = getenv("TALLYMAN_RUNTIME_DIR");
    struct place place = {0};
    bool found = false;

    if (wanted && *wanted) {
        if (!look_at(best, wanted))
            die_errno("%s: TALLYMAN_RUNTIME_DIR cannot be used", wanted);
        return true;
    }
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (look_at(&place, list[i]) && (!found || rank(&place) > rank(best))) {
            *best = place;
            found = true;
        }
    }
    return found;
}

static char *random_path(const char *place)
{
    uint8_t bytes[16];
    struct buffer path = BUFFER_INIT;

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        die_errno("cannot get random bytes for the run's folder");
    buffer_printf(&path, "%s/tallyman-", place);
    for (size_t i = 0; i < sizeof bytes; i++)
        buffer_printf(&path, "%02x", bytes[i]);
    return buffer_take(&path);
}

static bool make_sparse(int log)
{
    for (size_t i = 0; i < sizeof log_sizes / sizeof *log_sizes; i++) {
        if (ftruncate(log, (off_t)log_sizes[i]) == 0)
            return true;
    }
    return false;
}

static uint32_t limit_units(int log)
{
    struct statfs status;
    uint64_t bytes = LIMIT_BYTES;

    if (fstatfs(log, &status) == 0 && status.f_blocks) {
        uint64_t half = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize / 2;

        if (half < bytes)
            bytes = half;
    }
    return bytes < 16 * LOG_UNIT ? 16 : (uint32_t)(bytes / LOG_UNIT);
}

static bool fill_control(int log, const struct run_facts *facts)
{
    struct log_control control = {
        .magic = LOG_MAGIC,
        .version = LOG_VERSION,
        .unit = LOG_UNIT,
        .state = LOG_OPEN,
        .heartbeat = 1,
        .limit = limit_units(log),
        .next_unit = 1,
        .next_id = RUN_COMMAND_ID,
        .monotonic_start = facts->monotonic,
        .realtime_start = facts->started,
    };

    memcpy(control.run, facts->id, sizeof control.run);
    return pwrite(log, &control, sizeof control, 0) == (ssize_t)sizeof control;
}

/* The log is writable for everybody: a build that root starts may go on as another user, and its
 * processes open the log by name. What keeps strangers out is the folder: it can be entered (0711)
 * but not listed, and its name holds 128 random bits. */
int run_directory_make_log(const struct run_directory *directory, const char *name,
                           const struct run_facts *facts)
{
    cleanup_close int log =
        openat(directory->folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (log < 0 || fchmod(log, 0666) != 0 || !make_sparse(log) || !fill_control(log, facts))
        return -1;
    return steal_descriptor(&log);
}

void run_directory_create(struct run_directory *directory, const struct run_facts *facts)
{
    struct place place;

    if (!choose(&place))
        die("no place for the event log: none of /dev/shm, $XDG_RUNTIME_DIR, $TMPDIR, /tmp and "
            "/var/tmp is a folder that can be written; name one in TALLYMAN_RUNTIME_DIR");
    *directory = (struct run_directory){.path = random_path(place.path), .folder = -1, .log = -1};
    if (mkdir(directory->path, 0700) != 0)
        die_errno("%s: cannot make the run's folder", directory->path);
    directory->folder = open(directory->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory->folder < 0 || fchmod(directory->folder, 0711) != 0) {
        int error = errno;

        rmdir(directory->path);
        errno = error;
        die_errno("%s: cannot use the run's folder", directory->path);
    }
    directory->log_path = xprintf("%s/%s", directory->path, RUN_LOG_FILE);
    directory->log = run_directory_make_log(directory, RUN_LOG_FILE, facts);
    if (directory->log < 0 || run_facts_write(facts, directory->folder) != 0) {
        int error = errno;

        run_directory_remove(directory);
        errno = error;
        die_errno("%s: cannot make the event log (name another place in TALLYMAN_RUNTIME_DIR)",
                  place.path);
    }
}

int run_directory_open(struct run_directory *directory, const char *path, struct buffer *why)
{
    *directory = (struct run_directory){.folder = -1, .log = -1};
    directory->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory->folder < 0) {
        buffer_printf(why, "%s: cannot open the run's folder: %s", path, strerror(errno));
        return TALLY_ERR_SYSTEM;
    }
    directory->path = xstrdup(path);
    directory->log_path = xprintf("%s/%s", path, RUN_LOG_FILE);
    directory->log = openat(directory->folder, RUN_LOG_FILE, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (directory->log < 0) {
        buffer_printf(why, "%s: cannot open the event log: %s", directory->log_path,
                      strerror(errno));
        run_directory_fini(directory);
        return TALLY_ERR_SYSTEM;
    }
    return 0;
}

void run_directory_remove(struct run_directory *directory)
{
    const char *const names[] = {RUN_LOG_FILE, RUN_FACTS_FILE, LAUNCH_PROBE_LOG, LAUNCH_SHIM_LINK};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlinkat(directory->folder, names[i], 0);
    if (directory->path)
        rmdir(directory->path);
    run_directory_fini(directory);
}

void run_directory_fini(struct run_directory *directory)
{
    if (directory->log >= 0)
        close(directory->log);
    if (directory->folder >= 0)
        close(directory->folder);
    free(directory->path);
    free(directory->log_path);
    *directory = (struct run_directory){.folder = -1, .log = -1};
}
