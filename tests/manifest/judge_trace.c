/* SPDX-License-Identifier: MIT
 *
 * judge_trace MANIFEST FOLDER <TRACE: judges every path in the output of strace -f -y, run in
 * FOLDER. Prints what is undeclared, a line each; the exit status is 1 when there was any, 2 when
 * the trace has no path at all or the manifest is bad.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cleanup.h"
#include "manifest.h"

struct call {
    const char *name;
    enum event_kind kind;
};

static const struct call calls[] = {
    {"execve(", EVENT_EXECUTE},  {"openat(", EVENT_READ},       {"open(", EVENT_READ},
    {"access(", EVENT_ACCESS},   {"faccessat(", EVENT_ACCESS},  {"faccessat2(", EVENT_ACCESS},
    {"newfstatat(", EVENT_STAT}, {"stat(", EVENT_STAT},         {"lstat(", EVENT_READLINK},
    {"statx(", EVENT_STAT},      {"readlink(", EVENT_READLINK}, {"readlinkat(", EVENT_READLINK},
    {"unlink(", EVENT_UNLINK},   {"unlinkat(", EVENT_UNLINK},   {"mkdir(", EVENT_MKDIR},
    {"chmod(", EVENT_CHMOD},     {"fchmodat(", EVENT_CHMOD},    {"chdir(", EVENT_CHDIR},
};

static enum event_kind kind_of(const char *line)
{
    const char *name = line + strspn(line, "0123456789 ");

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (!strncmp(name, calls[i].name, strlen(calls[i].name))) {
            if (calls[i].kind != EVENT_READ)
                return strstr(line, "AT_SYMLINK_NOFOLLOW") ? EVENT_READLINK : calls[i].kind;
            if (strstr(line, "O_CREAT") || strstr(line, "O_WRONLY") || strstr(line, "O_RDWR"))
                return EVENT_WRITE;
            return strstr(line, "O_DIRECTORY") ? EVENT_LIST : EVENT_READ;
        }
    return EVENT_NONE;
}

/* The path of the first argument in quotes, below `folder` when it is relative; NULL when none.
 * With strace -y the folder of an *at call stands before it in angle brackets. */
static char *path_of(const char *line, const char *folder)
{
    const char *start = strchr(line, '"'), *bracket = strchr(line, '<');
    cleanup_free char *base = xstrdup(folder);
    const char *end = start ? strchr(start + 1, '"') : NULL;

    if (!end || end == start + 1)
        return NULL;
    if (bracket && bracket < start) {
        free(base);
        base = xmemdup(bracket + 1, strcspn(bracket + 1, ">"));
    }
    if (start[1] == '/')
        return xmemdup(start + 1, (size_t)(end - start) - 1);
    return xprintf("%s/%.*s", base, (int)(end - start) - 1, start + 1);
}

static void step_up(struct buffer *path)
{
    char *real = realpath(path->length ? path->data : "/", NULL);
    char *slash;

    if (real) {
        buffer_clear(path);
        buffer_add_text(path, real);
        free(real);
    }
    slash = path->length ? strrchr(path->data, '/') : NULL;
    path->length = slash ? (size_t)(slash - path->data) : 0;
    if (path->data)
        path->data[path->length] = '\0';
}

/* The path as the judge wants it: without ".", "//", and "..", of which the last is resolved. */
static char *normalise(const char *path)
{
    struct buffer out = BUFFER_INIT;

    while (*path) {
        size_t length;

        path += strspn(path, "/");
        length = strcspn(path, "/");
        if (length == 2 && !strncmp(path, "..", 2)) {
            step_up(&out);
        } else if (length && !(length == 1 && *path == '.')) {
            buffer_add_char(&out, '/');
            buffer_add(&out, path, length);
        }
        path += length;
    }
    if (!out.length)
        buffer_add_char(&out, '/');
    return buffer_take(&out);
}

/* The name that the kernel resolves the path to, or that of its folder where it resolves no
 * further. */
static char *resolve(const char *path, bool follow)
{
    cleanup_free char *folder = xstrdup(path);
    cleanup_free char *real = NULL;
    char *slash = strrchr(folder, '/');
    char *whole = follow ? realpath(path, NULL) : NULL;

    if (!strncmp(path, "/proc/", 6)) { /* whose links would lead to this process */
        free(whole);
        return xstrdup(path);
    }
    if (whole || slash == folder)
        return whole ? whole : xstrdup(path);
    *slash = '\0';
    real = realpath(folder, NULL);
    return real ? xprintf("%s/%s", real, slash + 1) : xstrdup(path);
}

static bool judge_line(const struct policy *policy, const char *line, const char *folder,
                       long *count)
{
    enum event_kind kind = kind_of(line);
    cleanup_free char *given = kind ? path_of(line, folder) : NULL;
    cleanup_free char *path = given ? normalise(given) : NULL;
    cleanup_free char *resolved = NULL;
    struct question question = {.kind = kind, .subject = path, .action = JUDGE_NO_ACTION};
    struct judgement judgement;

    if (!path || strstr(line, "unfinished ...>"))
        return true; /* without its outcome it cannot be judged; the next run has it whole */
    resolved = resolve(path, kind != EVENT_READLINK && kind != EVENT_UNLINK);
    question.subject_length = strlen(path);
    question.resolved = strcmp(resolved, path) ? resolved : NULL;
    question.resolved_length = strlen(resolved);
    question.absent = strstr(line, " ENOENT ") || strstr(line, " ENOTDIR ");
    judgement = judge(policy, &question);
    ++*count;
    if (judgement.verdict != VERDICT_UNDECLARED)
        return true;
    printf("%s -> %s: %s", path, resolved, line);
    return false;
}

int main(int argc, char **argv)
{
    cleanup_buffer struct buffer errors = BUFFER_INIT;
    struct manifest *manifest = argc == 3 ? manifest_load(argv[1], &errors) : NULL;
    cleanup_free char *line = NULL;
    size_t size, room = 0;
    struct policy *policy;
    bool clean = true;
    long count = 0;

    if (!manifest) {
        fprintf(stderr, "%s",
                errors.length ? errors.data : "usage: judge_trace MANIFEST FOLDER <TRACE\n");
        return 2;
    }
    policy = policy_compile(manifest, &size, &errors);
    while (policy && getline(&line, &room, stdin) > 0)
        clean &= judge_line(policy, line, argv[2], &count);
    free(policy);
    manifest_free(manifest);
    if (!count)
        return 2;
    return clean ? 0 : 1;
}
