/* SPDX-License-Identifier: MIT */
#include "packages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "memory.h"
#include "package_reader.h"

#define SHARED   (UINT32_MAX - 1) /* several packages have this folder */
#define HOPS_MAX 8                /* links from folder to folder */

static const struct manager {
    const char *sign, *layout;
    void (*scan)(struct packages *packages);
} managers[] = {
#define PACKAGE_MANAGER(id, sign, layout) {sign, layout, packages_scan_##id},
#include "package_managers.def"
#undef PACKAGE_MANAGER
};
#define MANAGER_COUNT (sizeof managers / sizeof *managers)

struct package {
    const char *name;
    const char *label; /* with sign and version */
};

struct question {
    struct dpkg_word path;
    uint32_t owner;  /* number of a package, MAP_NONE or SHARED */
    uint32_t source; /* question for the file that this one is compiled from; MAP_NONE */
    bool settled;    /* an earlier manager has it */
};

/* A folder of the root that is a link to another one (/lib to /usr/lib). */
struct alias {
    const char *from, *to;
    size_t from_length;
};

struct packages {
    const char *root;
    const struct manager *manager; /* that is being read */
    struct memory *memory;
    struct alias *aliases;
    size_t alias_count;
    struct buffer spelling;
    struct names wanted; /* numbers of questions */
    struct question *questions;
    struct package *rows;
    uint32_t count;
    char *trouble;
    size_t unreadable;
};

char *packages_path(const struct packages *packages, const char *path)
{
    return xprintf("%s%s", packages->root, path);
}

/* Where a link among the top folders leads, as an absolute path; NULL when it is none, or one that
 * takes more than names to follow. The caller frees. */
static char *link_target(const struct packages *packages, const char *folder)
{
    cleanup_free char *path = packages_path(packages, folder);
    char target[256];
    ssize_t length = readlink(path, target, sizeof target - 1);
    const char *at = target;
    int up = strchr(folder + 1, '/') ? 1 : 0; /* folders between it and the root */

    if (length <= 0 || length == sizeof target - 1)
        return NULL;
    target[length] = '\0';
    if (target[0] == '/')
        return xstrdup(target);
    for (; strncmp(at, "../", 3) == 0; at += 3)
        up--;
    if (strstr(at, ".."))
        return NULL;
    return up > 0 ? xprintf("%.*s%s", (int)(strrchr(folder, '/') + 1 - folder), folder, at)
                  : xprintf("/%s", at);
}

static void find_aliases(struct packages *packages)
{
    static const char *const folders[] = {"/bin",       "/sbin",       "/lib",      "/lib32",
                                          "/lib64",     "/libx32",     "/usr/sbin", "/usr/lib32",
                                          "/usr/lib64", "/usr/libx32", "/var/run",  "/var/lock"};

    packages->aliases = xcalloc(sizeof folders / sizeof *folders, sizeof *packages->aliases);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        cleanup_free char *target = link_target(packages, folders[i]);

        if (!target)
            continue;
        packages->aliases[packages->alias_count++] = (struct alias){
            .from = folders[i],
            .to = memory_copy(packages->memory, target, strlen(target)),
            .from_length = strlen(folders[i]),
        };
    }
}

struct packages *packages_new(const char *root)
{
    struct packages *packages = xcalloc(1, sizeof *packages);

    packages->memory = memory_new();
    packages->root = memory_copy(packages->memory, root, strlen(root));
    find_aliases(packages);
    return packages;
}

void packages_free(struct packages *packages)
{
    if (!packages)
        return;
    names_fini(&packages->wanted);
    buffer_fini(&packages->spelling);
    free(packages->aliases);
    free(packages->questions);
    free(packages->rows);
    free(packages->trouble);
    memory_free(packages->memory);
    free(packages);
}

static const struct alias *find_alias(const struct packages *packages, struct dpkg_word path)
{
    for (size_t i = 0; i < packages->alias_count; i++) {
        const struct alias *alias = &packages->aliases[i];

        if (path.length > alias->from_length &&
            memcmp(path.bytes, alias->from, alias->from_length) == 0 &&
            path.bytes[alias->from_length] == '/')
            return alias;
    }
    return NULL;
}

/* One spelling for /usr/lib/x and /lib/x, where they are the same; good until the next call. The
 * links themselves keep their names. */
static struct dpkg_word unify(struct packages *packages, struct dpkg_word path)
{
    const struct alias *alias;

    for (int hops = 0; hops < HOPS_MAX && (alias = find_alias(packages, path)); hops++) {
        cleanup_free char *rest =
            xmemdup(path.bytes + alias->from_length, path.length - alias->from_length);

        buffer_clear(&packages->spelling);
        buffer_add_text(&packages->spelling, alias->to);
        buffer_add(&packages->spelling, rest, path.length - alias->from_length);
        path = (struct dpkg_word){packages->spelling.data, packages->spelling.length};
    }
    return path;
}

static uint32_t ask(struct packages *packages, struct dpkg_word path)
{
    uint32_t number;

    path = unify(packages, path);
    number = names_find(&packages->wanted, path.bytes, path.length);
    if (number != MAP_NONE)
        return number;
    path.bytes = memory_copy(packages->memory, path.bytes, path.length);
    number = names_add(&packages->wanted, path.bytes, path.length);
    if ((number & (number - 1)) == 0)
        packages->questions = xrealloc(packages->questions,
                                       (number ? number * 2ul : 1ul) * sizeof *packages->questions);
    packages->questions[number] = (struct question){path, MAP_NONE, MAP_NONE, false};
    return number;
}

/* "/x/__pycache__/name.cpython-311.pyc" is compiled from "/x/name.py", and often made when the
 * package is there already, so that only the source is known. NULL: it is no such file. */
static char *source_of(const char *path, size_t length)
{
    static const char folder[] = "/__pycache__/";
    const char *at = memmem(path, length, folder, sizeof folder - 1);
    const char *name = at ? at + sizeof folder - 1 : NULL;
    const char *dot;

    if (!at || length < 4 || memcmp(path + length - 4, ".pyc", 4) != 0)
        return NULL;
    dot = memchr(name, '.', length - (size_t)(name - path));
    return xprintf("%.*s/%.*s.py", (int)(at - path), path, (int)(dot - name), name);
}

uint32_t packages_want(struct packages *packages, const char *path, size_t length)
{
    cleanup_free char *source = source_of(path, length);
    uint32_t question = ask(packages, (struct dpkg_word){path, length});
    uint32_t compiled_from;

    if (source) {
        compiled_from = ask(packages, (struct dpkg_word){source, strlen(source)});
        packages->questions[question].source = compiled_from;
    }
    return question;
}

/* Labels are "name version", split at the first blank and shown in one line. */
static bool is_fit(struct dpkg_word word, char least)
{
    for (size_t i = 0; i < word.length; i++)
        if (word.bytes[i] < least || word.bytes[i] == 0x7f)
            return false;
    return word.length <= 256;
}

uint32_t packages_add(struct packages *packages, struct dpkg_word name, struct dpkg_word version)
{
    uint32_t number = packages->count;

    if (!name.length || !is_fit(name, '!'))
        return MAP_NONE;
    if ((number & (number - 1)) == 0)
        packages->rows =
            xrealloc(packages->rows, (number ? number * 2ul : 1ul) * sizeof *packages->rows);
    packages->count++;
    packages->rows[number].name = memory_copy(packages->memory, name.bytes, name.length);
    packages_set_version(packages, number, version);
    return number;
}

void packages_set_version(struct packages *packages, uint32_t package, struct dpkg_word version)
{
    const char *name = packages->rows[package].name;
    cleanup_free char *label = NULL;

    if (!is_fit(version, ' '))
        version.length = 0;
    label = xprintf("%s%s%s%.*s", packages->manager->sign, name, version.length ? " " : "",
                    (int)version.length, version.length ? version.bytes : "");
    packages->rows[package].label = memory_copy(packages->memory, label, strlen(label));
}

const char *packages_name(const struct packages *packages, uint32_t package)
{
    return packages->rows[package].name;
}

static bool is_layout(const struct packages *packages, uint32_t package)
{
    return strcmp(packages->rows[package].name, packages->manager->layout) == 0;
}

void packages_give(struct packages *packages, uint32_t package, const char *path, size_t length)
{
    struct dpkg_word spelling = unify(packages, (struct dpkg_word){path, length});
    uint32_t number = names_find(&packages->wanted, spelling.bytes, spelling.length);
    struct question *question;

    if (number == MAP_NONE || package == MAP_NONE || packages->questions[number].settled)
        return;
    question = &packages->questions[number];
    if (question->owner == MAP_NONE || is_layout(packages, package))
        question->owner = package;
    else if (question->owner != SHARED && !is_layout(packages, question->owner) &&
             strcmp(packages->rows[question->owner].name, packages->rows[package].name) != 0)
        question->owner = SHARED;
}

void packages_note_trouble(struct packages *packages, const char *path, const char *reason)
{
    if (packages->unreadable++ == 0)
        packages->trouble = xprintf("%s: cannot be read (%s)", path, reason);
}

/* Not what waits for a writer, or never ends. */
static int open_regular(const char *path)
{
    cleanup_close int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;

    if (file < 0 || fstat(file, &status) != 0)
        return -1;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return -1;
    }
    return steal_descriptor(&file);
}

char *packages_read(struct packages *packages, const char *path, size_t limit, size_t *length)
{
    cleanup_close int file = open_regular(path);
    cleanup_buffer struct buffer text = BUFFER_INIT;
    char piece[16384];
    ssize_t got = -1;

    while (file >= 0 && text.length < limit && (got = read(file, piece, sizeof piece)) > 0)
        buffer_add(&text, piece, (size_t)got);
    if (got < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            packages_note_trouble(packages, path, strerror(errno));
        return NULL;
    }
    if (text.length >= PACKAGE_FILE_MAX)
        packages_note_trouble(packages, path, "too large");
    *length = text.length < limit ? text.length : limit;
    return buffer_take(&text);
}

bool packages_next_unowned(const struct packages *packages, uint32_t *at, struct dpkg_word *path)
{
    for (; *at < packages->wanted.count; ++*at) {
        if (packages->questions[*at].owner != MAP_NONE)
            continue;
        *path = packages->questions[(*at)++].path;
        return true;
    }
    return false;
}

void packages_scan(struct packages *packages, struct buffer *trouble)
{
    if (packages->wanted.count == 0)
        return;
    for (size_t i = 0; i < MANAGER_COUNT; i++) {
        packages->manager = &managers[i];
        managers[i].scan(packages);
        for (size_t j = 0; j < packages->wanted.count; j++)
            packages->questions[j].settled = packages->questions[j].owner != MAP_NONE;
    }
    if (!packages->unreadable)
        return;
    buffer_add_text(trouble, packages->trouble);
    if (packages->unreadable > 1)
        buffer_printf(trouble, " and %zu more", packages->unreadable - 1);
    buffer_add_text(trouble, ": some files are shown without the package that owns them");
}

const char *packages_owner(const struct packages *packages, uint32_t question)
{
    const struct question *asked = &packages->questions[question];
    uint32_t owner = asked->owner;

    if (owner == MAP_NONE && asked->source != MAP_NONE)
        owner = packages->questions[asked->source].owner;
    return owner == MAP_NONE || owner == SHARED ? NULL : packages->rows[owner].label;
}
