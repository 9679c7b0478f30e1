/* SPDX-License-Identifier: MIT */
#include "digest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cleanup.h"
#include "manifest.h"
#include "model.h"
#include "pattern.h"

#define DEPTH_MAX 256 /* folders in folders; a descriptor is open for each */

static EVP_MD_CTX *begin(void)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();

    if (!context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1)
        die("cannot compute SHA-256 with libcrypto");
    return context;
}

static void add(EVP_MD_CTX *context, const void *bytes, size_t length)
{
    if (EVP_DigestUpdate(context, bytes, length) != 1)
        die("cannot compute SHA-256 with libcrypto");
}

static void finish(EVP_MD_CTX *context, char digest[DIGEST_LENGTH + 1])
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned length = 0;

    if (EVP_DigestFinal_ex(context, bytes, &length) != 1 || length != DIGEST_LENGTH / 2)
        die("cannot compute SHA-256 with libcrypto");
    EVP_MD_CTX_free(context);
    for (unsigned i = 0; i < length; i++)
        snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
}

static int fail(struct buffer *why, const char *path, const char *reason)
{
    buffer_printf(why, "cannot read %s: %s", path, reason);
    return -1;
}

static int digest_file(int fd, const char *path, char digest[DIGEST_LENGTH + 1], struct buffer *why)
{
    EVP_MD_CTX *context = begin();
    cleanup_free char *block = xmalloc(1u << 18);
    ssize_t got;

    while ((got = read(fd, block, 1u << 18)) != 0) {
        if (got > 0)
            add(context, block, (size_t)got);
        else if (errno != EINTR)
            break;
    }
    if (got < 0) {
        EVP_MD_CTX_free(context);
        return fail(why, path, strerror(errno));
    }
    finish(context, digest);
    return 0;
}

/* "file HEX", "program HEX", "link LENGTH TARGET" or "folder", then a blank, the name, and a NUL.
 */
struct tree {
    EVP_MD_CTX *context;
    struct buffer *why;
};

static int add_folder(struct tree *tree, int fd, const char *path, const char *below, int depth);

static int add_link(struct tree *tree, int folder, const char *name, const char *path,
                    struct buffer *line)
{
    char target[4096];
    ssize_t length = readlinkat(folder, name, target, sizeof(target));

    if (length < 0)
        return fail(tree->why, path, strerror(errno));
    buffer_printf(line, "link %zd ", length);
    buffer_add(line, target, (size_t)length);
    return 0;
}

static int add_content(struct tree *tree, int folder, const char *name, const char *path,
                       bool program, struct buffer *line)
{
    cleanup_close int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char digest[DIGEST_LENGTH + 1];

    if (fd < 0)
        return fail(tree->why, path, strerror(errno));
    if (digest_file(fd, path, digest, tree->why))
        return -1;
    buffer_printf(line, "%s %s", program ? "program" : "file", digest);
    return 0;
}

static int add_entry(struct tree *tree, int folder, const char *name, const char *path,
                     const char *below, int depth)
{
    cleanup_buffer struct buffer line = BUFFER_INIT;
    struct stat status;
    int result = 0;

    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
        return fail(tree->why, path, strerror(errno));
    if (S_ISLNK(status.st_mode))
        result = add_link(tree, folder, name, path, &line);
    else if (S_ISREG(status.st_mode))
        result = add_content(tree, folder, name, path, status.st_mode & 0111, &line);
    else if (S_ISDIR(status.st_mode))
        buffer_add_text(&line, "folder");
    else
        return fail(tree->why, path, "it is neither a file nor a folder nor a link");
    if (result)
        return result;
    buffer_printf(&line, " %s", below);
    add(tree->context, line.data, line.length + 1);
    if (S_ISDIR(status.st_mode)) {
        cleanup_close int fd =
            openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

        return fd < 0 ? fail(tree->why, path, strerror(errno))
                      : add_folder(tree, fd, path, below, depth + 1);
    }
    return 0;
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int compare_entries(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name); /* by byte, whatever the locale */
}

/* `below` is the folder's name below the top of the tree, "" for the top itself. */
static int add_folder(struct tree *tree, int fd, const char *path, const char *below, int depth)
{
    struct dirent **entries = NULL;
    int count = depth > DEPTH_MAX ? -1 : scandirat(fd, ".", &entries, is_entry, compare_entries);
    int result = 0;

    if (count < 0)
        return fail(tree->why, path,
                    depth > DEPTH_MAX ? "folders are nested too deep" : strerror(errno));
    for (int i = 0; i < count; i++) {
        if (!result) {
            cleanup_free char *entry = xprintf("%s/%s", path, entries[i]->d_name);
            cleanup_free char *name =
                xprintf("%s%s%s", below, *below ? "/" : "", entries[i]->d_name);

            result = add_entry(tree, fd, entries[i]->d_name, entry, name, depth);
        }
        free(entries[i]);
    }
    free(entries);
    return result;
}

int digest_path(const char *path, char digest[DIGEST_LENGTH + 1], struct buffer *why)
{
    cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct tree tree = {.why = why};
    struct stat status;
    int result;

    if (fd < 0 || fstat(fd, &status))
        return fail(why, path, strerror(errno));
    if (S_ISREG(status.st_mode))
        return digest_file(fd, path, digest, why);
    if (!S_ISDIR(status.st_mode))
        return fail(why, path, "it is neither a file nor a folder");
    tree.context = begin();
    result = add_folder(&tree, fd, path, "", 0);
    if (result)
        EVP_MD_CTX_free(tree.context);
    else
        finish(tree.context, digest);
    return result;
}

int manifest_check_digests(const struct manifest *manifest, struct buffer *problems)
{
    int count = 0;

    for (size_t i = 0; i < manifest->rule_count; i++) {
        const struct rule *rule = &manifest->rules[i];
        cleanup_buffer struct buffer why = BUFFER_INIT;
        cleanup_free char *path = NULL;
        char digest[DIGEST_LENGTH + 1] = "";

        if (!rule->digest || !rule->pattern)
            continue;
        path = xstrdup(rule->pattern);
        pattern_unquote(path, strlen(path));
        if (!digest_path(path, digest, &why) && !strcmp(digest, rule->digest))
            continue;
        count++;
        model_place(manifest, rule, problems);
        if (why.length)
            buffer_printf(problems, "the digest of \"%s\" cannot be checked: %s\n", rule->written,
                          why.data);
        else
            buffer_printf(problems, "\"%s\" has the digest sha256:%s, but sha256:%s is declared\n",
                          rule->written, digest, rule->digest);
    }
    return count;
}
