/* SPDX-License-Identifier: MIT */
#include "run_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "manifest.h"
#include "tallyman/status.h"

#define HEADER         "tallyman run 1\n"
#define FILE_MAX_BYTES ((off_t)64 << 20)

static struct fact fact_of(const char *text)
{
    return text ? (struct fact){xstrdup(text), strlen(text)} : (struct fact){NULL, 0};
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct fact argv_fact(char *const *argv)
{
    struct buffer bytes = BUFFER_INIT;
    size_t length;

    for (; *argv; argv++)
        buffer_add(&bytes, *argv, strlen(*argv) + 1);
    length = bytes.length;
    return (struct fact){buffer_take(&bytes), length};
}

static void collect_machine(struct run_facts *facts)
{
    struct utsname name;
    const struct passwd *user = getpwuid(getuid());
    cleanup_free char *machine = NULL;

    facts->user = fact_of(user ? user->pw_name : NULL);
    facts->home = fact_of(getenv("HOME") ? getenv("HOME") : user ? user->pw_dir : NULL);
    if (uname(&name) != 0)
        return;
    facts->host = fact_of(name.nodename);
    machine = xprintf("%s %s %s", name.sysname, name.release, name.machine);
    facts->machine = fact_of(machine);
}

static struct fact database_fact(const char *path, const char *cwd)
{
    struct fact fact = {NULL, 0};

    fact.data = path[0] == '/' || !cwd ? xstrdup(path) : xprintf("%s/%s", cwd, path);
    fact.length = strlen(fact.data);
    return fact;
}

void run_facts_collect(struct run_facts *facts, const struct run_options *options)
{
    cleanup_free char *cwd = getcwd(NULL, 0);

    memset(facts, 0, sizeof *facts);
    if (getrandom(facts->id, sizeof facts->id, 0) != (ssize_t)sizeof facts->id)
        die_errno("cannot get random bytes for the run's id");
    facts->started = clock_ns(CLOCK_REALTIME);
    facts->monotonic = clock_ns(CLOCK_MONOTONIC);
    facts->tool = fact_of(TALLYMAN_VERSION);
    facts->argv = argv_fact(options->argv);
    facts->cwd = fact_of(cwd ? cwd : "(deleted)");
    facts->root = fact_of(options->manifest ? manifest_root(options->manifest) : cwd);
    if (!facts->root.data)
        facts->root = fact_of("/");
    facts->mode = fact_of(options->mode);
    facts->witness = fact_of(options->witness);
    if (options->manifest && manifest_path(options->manifest)) {
        size_t length;
        const char *text = manifest_text(options->manifest, &length);

        facts->manifest = fact_of(manifest_path(options->manifest));
        facts->manifest_text = (struct fact){xmemdup(text, length), length};
    }
    facts->database = database_fact(options->database, cwd);
    collect_machine(facts);
}

void run_facts_free(struct run_facts *facts)
{
#define FACT(name) free(facts->name.data);
#include "run_facts.def"
#undef FACT
    memset(facts, 0, sizeof *facts);
}

void run_facts_uuid(const struct run_facts *facts, char uuid[33])
{
    for (size_t i = 0; i < sizeof facts->id; i++)
        snprintf(uuid + 2 * i, 3, "%02x", facts->id[i]);
}

/* "name length\n" and the bytes, "\n"; a length of -1 is NULL. */
static void add_fact(struct buffer *text, const char *name, const struct fact *fact)
{
    buffer_printf(text, "%s %lld\n", name, fact->data ? (long long)fact->length : -1LL);
    if (fact->data)
        buffer_add(text, fact->data, fact->length);
    buffer_add_char(text, '\n');
}

int run_facts_write(const struct run_facts *facts, int folder)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;
    cleanup_close int file =
        openat(folder, RUN_FACTS_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    char uuid[33];
    size_t done = 0;

    if (file < 0)
        return TALLY_ERR_SYSTEM;
    run_facts_uuid(facts, uuid);
    buffer_printf(&text, HEADER "%s %llu %llu\n", uuid, (unsigned long long)facts->started,
                  (unsigned long long)facts->monotonic);
#define FACT(name) add_fact(&text, #name, &facts->name);
#include "run_facts.def"
#undef FACT
    while (done < text.length) {
        ssize_t written = write(file, text.data + done, text.length - done);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return TALLY_ERR_SYSTEM;
        done += (size_t)written;
    }
    return 0;
}

struct text_reader {
    const char *at;
    const char *end;
};

static bool read_fact(struct text_reader *reader, const char *name, struct fact *fact)
{
    const char *line = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    size_t size = strlen(name);
    long long length;

    if (!line || strncmp(reader->at, name, size) != 0 || reader->at[size] != ' ')
        return false;
    length = strtoll(reader->at + size + 1, NULL, 10);
    reader->at = line + 1;
    if (length >= reader->end - reader->at)
        return false;
    if (length >= 0) {
        *fact = (struct fact){xmemdup(reader->at, (size_t)length), (size_t)length};
        reader->at += length;
    }
    reader->at++;
    return true;
}

static bool read_head(struct text_reader *reader, struct run_facts *facts)
{
    unsigned long long started, monotonic;
    char uuid[33];
    int used = 0;

    if (strncmp(reader->at, HEADER, strlen(HEADER)) != 0 ||
        sscanf(reader->at + strlen(HEADER), "%32[0-9a-f] %llu %llu\n%n", uuid, &started, &monotonic,
               &used) != 3 ||
        used == 0 || strlen(uuid) != 32)
        return false;
    for (size_t i = 0; i < sizeof facts->id; i++) {
        unsigned byte;

        if (sscanf(uuid + 2 * i, "%2x", &byte) != 1)
            return false;
        facts->id[i] = (uint8_t)byte;
    }
    facts->started = started;
    facts->monotonic = monotonic;
    reader->at += strlen(HEADER) + (size_t)used;
    return true;
}

/* The whole file with a NUL behind it. */
static char *read_file(int folder, size_t *length)
{
    cleanup_close int file =
        openat(folder, RUN_FACTS_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;
    cleanup_free char *text = NULL;
    ssize_t got;

    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > FILE_MAX_BYTES)
        return NULL;
    text = xcalloc(1, (size_t)status.st_size + 1);
    got = read(file, text, (size_t)status.st_size);
    if (got < 0)
        return NULL;
    *length = (size_t)got;
    return steal_ptr(&text);
}

int run_facts_read(struct run_facts *facts, int folder)
{
    size_t length = 0;
    cleanup_free char *text = read_file(folder, &length);
    struct text_reader reader = {text, text + length};

    memset(facts, 0, sizeof *facts);
    if (!text)
        return TALLY_ERR_SYSTEM;
    if (!read_head(&reader, facts))
        return TALLY_ERR_FORMAT;
#define FACT(name)                                                                                 \
    if (!read_fact(&reader, #name, &facts->name)) {                                                \
        run_facts_free(facts);                                                                     \
        return TALLY_ERR_FORMAT;                                                                   \
    }
#include "run_facts.def"
#undef FACT
    if (!facts->argv.data || !facts->cwd.data || !facts->root.data || !facts->mode.data ||
        !facts->witness.data || !facts->tool.data) {
        run_facts_free(facts);
        return TALLY_ERR_FORMAT;
    }
    return 0;
}
