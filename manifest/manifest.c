/* SPDX-License-Identifier: MIT */
#include "manifest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cleanup.h"
#include "model.h"
#include "package.h"
#include "parse.h"
#include "pattern.h"

static void rule_fini(struct rule *rule)
{
    free(rule->written);
    free(rule->pattern);
    free(rule->package);
    package_free(rule->files, rule->file_count);
    free(rule->digest);
    free(rule->value);
    free(rule->owner);
}

void manifest_free(struct manifest *manifest)
{
    if (!manifest)
        return;
    for (size_t i = 0; i < manifest->rule_count; i++)
        rule_fini(&manifest->rules[i]);
    for (size_t i = 0; i < manifest->action_count; i++) {
        free(manifest->actions[i].name);
        free(manifest->actions[i].exe);
        free(manifest->actions[i].argument);
    }
    free(manifest->rules);
    free(manifest->actions);
    free(manifest->path);
    free(manifest->text);
    free(manifest->folder);
    free(manifest->root);
    free(manifest->user);
    free(manifest->host);
    free(manifest);
}

/* `folder` as the kernel names it, or as given when there is no such folder. */
static struct manifest *make(const char *folder)
{
    struct manifest *manifest = xcalloc(1, sizeof(*manifest));
    char *resolved = realpath(folder, NULL);

    manifest->folder = resolved ? resolved : xstrdup(folder);
    manifest->root = xstrdup(manifest->folder);
    return manifest;
}

struct manifest *manifest_parse(const char *name, const char *text, size_t length,
                                const char *folder, struct buffer *errors)
{
    struct manifest *manifest = make(folder);
    size_t before = errors->length;

    manifest->path = xstrdup(name);
    manifest->text = xmemdup(text, length);
    manifest->length = length;
    parse_text(manifest, name, manifest->text, length, NULL, errors);
    if (errors->length == before)
        return manifest;
    manifest_free(manifest);
    return NULL;
}

/* The whole file, or NULL with errno set. A manifest may come through a pipe. */
static char *read_file(const char *path, size_t *length)
{
    cleanup_stream FILE *file = fopen(path, "re");
    cleanup_buffer struct buffer text = BUFFER_INIT;
    char block[65536];
    struct stat status;
    size_t got;

    if (!file || fstat(fileno(file), &status))
        return NULL;
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return NULL;
    }
    while ((got = fread(block, 1, sizeof(block), file)) > 0 && text.length <= MANIFEST_SIZE_MAX)
        buffer_add(&text, block, got);
    if (ferror(file))
        return NULL;
    *length = text.length;
    return buffer_take(&text);
}

/* Where the file lies, for a relative root. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    cleanup_free char *folder = NULL;
    char *absolute;

    if (!slash)
        folder = xstrdup(".");
    else
        folder = xmemdup(path, slash == path ? 1 : (size_t)(slash - path));
    absolute = realpath(folder, NULL);
    return absolute ? absolute : steal_ptr(&folder);
}

struct manifest *manifest_load(const char *path, struct buffer *errors)
{
    cleanup_free char *text = NULL;
    cleanup_free char *folder = NULL;
    size_t length;

    text = read_file(path, &length);
    if (!text) {
        buffer_printf(errors, "%s: cannot read: %s\n", path, strerror(errno));
        return NULL;
    }
    folder = folder_of(path);
    return manifest_parse(path, text, length, folder, errors);
}

struct manifest *manifest_ambient(const char *root)
{
    struct manifest *manifest = make(root);
    struct buffer pattern = BUFFER_INIT;
    struct rule *rule = model_add_rule(manifest, POLICY_OUTPUT);

    pattern_quote(&pattern, manifest->root, strlen(manifest->root));
    rule->pattern = buffer_take(&pattern);
    rule->written = xstrdup(manifest->root);
    return manifest;
}

/* What of `path` follows `folder`, which it lies in or is; NULL when it does not. */
static const char *below(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    if (length && folder[length - 1] == '/')
        length--;
    if (strncmp(path, folder, length) != 0 || (path[length] && path[length] != '/'))
        return NULL;
    return path + length;
}

/* The folder from which the manifest's text, read there, gets the root `root`. */
static char *folder_for(const struct manifest *manifest, const char *root)
{
    const char *rest = below(manifest->folder, manifest->root);
    size_t length = strlen(root), end;

    if (rest)
        return xprintf("%s%s", strcmp(root, "/") == 0 && *rest ? "" : root, rest);
    rest = below(manifest->root, manifest->folder);
    end = rest ? strlen(rest) : 0;
    if (end && length > end && strcmp(root + length - end, rest) == 0)
        return xmemdup(root, length - end);
    return xstrdup(manifest->folder);
}

struct manifest *manifest_at(const struct manifest *manifest, const char *root,
                             struct buffer *errors)
{
    cleanup_free char *folder = NULL;

    if (!manifest->path)
        return manifest_ambient(root);
    folder = folder_for(manifest, root);
    return manifest_parse(manifest->path, manifest->text, manifest->length, folder, errors);
}

const char *manifest_root(const struct manifest *manifest)
{
    return manifest->root;
}

const char *manifest_path(const struct manifest *manifest)
{
    return manifest->path;
}

const char *manifest_text(const struct manifest *manifest, size_t *length)
{
    *length = manifest->length;
    return manifest->text ? manifest->text : "";
}
