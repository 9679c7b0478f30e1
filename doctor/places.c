/* SPDX-License-Identifier: MIT
 *
 * Where the log and the database go.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cleanup.h"
#include "database.h"
#include "place.h"
#include "probe.h"
#include "tallyman/record.h"

#define MEBIBYTE (1024.0 * 1024.0)
#define ROOM_MIB 64 /* with less, a large build waits for its log to be read */

void place_make(struct place *place)
{
    char *const argv[] = {(char *)"doctor", NULL};
    struct run_options options = {
        .database = "tallyman.db", .mode = "audit", .witness = "off", .argv = (char **)argv};

    memset(place, 0, sizeof *place);
    run_facts_collect(&place->facts, &options);
    run_directory_create(&place->directory, &place->facts);
}

void place_remove(struct place *place)
{
    run_directory_remove(&place->directory);
    run_facts_free(&place->facts);
}

/* As the shim does with a chunk: real blocks, then a shared mapping. 0 or an errno. */
static int write_to_log(int log)
{
    int error = posix_fallocate(log, LOG_UNIT, LOG_UNIT);
    char *chunk;

    if (error)
        return error;
    chunk = mmap(NULL, LOG_UNIT, PROT_READ | PROT_WRITE, MAP_SHARED, log, LOG_UNIT);
    if (chunk == MAP_FAILED)
        return errno;
    chunk[LOG_UNIT - 1] = 1;
    munmap(chunk, LOG_UNIT);
    return 0;
}

static void describe_place(const struct place *place, struct doctor_finding *finding)
{
    struct statfs system;
    struct statvfs status;
    cleanup_free char *path = xstrdup(place->directory.path);
    double room;

    if (fstatfs(place->directory.log, &system) != 0 || fstatvfs(place->directory.log, &status) != 0)
        die_errno("%s: cannot look at its file system", path);
    room = (double)status.f_bavail * (double)status.f_frsize / MEBIBYTE;
    probe_answer(finding, DOCTOR_YES, "%s, %.0f MiB free", dirname(path), room);
    probe_number(finding, "free_mib", room);
    probe_number(finding, "tmpfs", system.f_type == TMPFS_MAGIC);
    probe_number(finding, "noexec", (status.f_flag & ST_NOEXEC) != 0);
    if (status.f_flag & ST_NOEXEC)
        probe_add(finding, "noexec, which does no harm here");
    if (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC)
        probe_add(finding, "in memory");
    else
        probe_add(finding, "not in memory, so the log is written to a disk");
    if (room < ROOM_MIB || system.f_type != TMPFS_MAGIC)
        finding->answer = DOCTOR_LIMITED;
    if (room < ROOM_MIB)
        probe_cure(finding, "docker run --shm-size 512m, or: mount -o remount,size=512M /dev/shm");
}

void probe_runtime_directory(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    struct place place;
    int error;

    (void)settings;
    place_make(&place);
    error = write_to_log(place.directory.log);
    if (error)
        probe_answer(finding, DOCTOR_NO, "%s: %s", place.directory.log_path, strerror(error));
    else
        describe_place(&place, finding);
    place_remove(&place);
}

/* --- the database ---------------------------------------------------------------------------- */

/* The one that is there is looked at and not changed. */
static bool look_at_database(const char *path, struct doctor_finding *finding)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    sqlite3 *database;

    if (access(path, F_OK) != 0)
        return true;
    if (access(path, W_OK) != 0)
        probe_answer(finding, DOCTOR_NO, "%s: %s", path, strerror(errno));
    else if (database_open(path, DATABASE_READ, &database, &why) != 0)
        probe_answer(finding, DOCTOR_NO, "%s", why.data);
    else
        database_close(database);
    return !finding->detail[0];
}

static void remove_database(const char *path)
{
    static const char *const ends[] = {"", "-journal", "-wal", "-shm"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        cleanup_free char *name = xprintf("%s%s", path, ends[i]);

        unlink(name);
    }
}

static bool write_in(const char *folder, struct buffer *why)
{
    cleanup_free char *path = xprintf("%s/.tallyman-doctor-%d.db", folder, (int)getpid());
    sqlite3 *database;
    bool written;

    if (access(folder, W_OK | X_OK) != 0) {
        buffer_printf(why, "%s: %s", folder, strerror(errno));
        return false;
    }
    if (database_open(path, DATABASE_WRITE, &database, why) != 0) {
        remove_database(path);
        return false;
    }
    written = database_execute(database, "BEGIN IMMEDIATE; CREATE TABLE t (x); INSERT INTO t "
                                         "VALUES (1); COMMIT") == 0;
    if (!written)
        buffer_printf(why, "%s: %s", path, sqlite3_errmsg(database));
    database_close(database);
    remove_database(path);
    return written;
}

void probe_database(struct doctor_finding *finding, const struct doctor_settings *settings)
{
    cleanup_buffer struct buffer why = BUFFER_INIT;
    cleanup_free char *copy = xstrdup(settings->database);
    cleanup_free char *folder = realpath(dirname(copy), NULL);

    if (!folder)
        probe_answer(finding, DOCTOR_NO, "%s: %s", copy, strerror(errno));
    else if (!look_at_database(settings->database, finding))
        return;
    else if (write_in(folder, &why))
        probe_answer(finding, DOCTOR_YES, "in %s", folder);
    else
        probe_answer(finding, DOCTOR_NO, "%s", why.data);
}
