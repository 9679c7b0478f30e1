/* SPDX-License-Identifier: MIT */
#include "command_image.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cleanup.h"
#include "die.h"

#define HEAD_SIZE   4096u
#define SCRIPTS_MAX 4 /* scripts whose interpreter is a script; the kernel's own limit */

union head {
    char bytes[HEAD_SIZE];
    Elf32_Ehdr elf32;
    Elf64_Ehdr elf64;
    ElfW(Ehdr) elf;
};

static void find_file(const char *name, struct buffer *path)
{
    const char *at = getenv("PATH");

    if (!at)
        at = "/bin:/usr/bin";
    while (!strchr(name, '/')) {
        size_t length = strcspn(at, ":");

        buffer_clear(path);
        buffer_printf(path, "%.*s%s%s", (int)length, at, length ? "/" : "", name);
        if (access(path->data, X_OK) == 0)
            return;
        if (!at[length])
            break;
        at += length + 1;
    }
    buffer_clear(path);
    buffer_add_text(path, name);
}

static void make_absolute(struct buffer *path)
{
    cleanup_free char *folder = path->data[0] == '/' ? NULL : getcwd(NULL, 0);
    cleanup_free char *name = folder ? xprintf("%s/%s", folder, path->data) : NULL;

    if (!name)
        return;
    buffer_clear(path);
    buffer_add_text(path, name);
}

static size_t read_head(const char *path, union head *head, struct stat *status)
{
    cleanup_close int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got;

    memset(head, 0, sizeof *head);
    if (file < 0 || fstat(file, status) != 0)
        return 0;
    got = read(file, head->bytes, sizeof head->bytes - 1);
    return got > 0 ? (size_t)got : 0;
}

/* glibc's loader is called ld-linux* or ld64*, other C libraries' have other names. */
static enum image_class class_of_loader(const char *name)
{
    const char *base = strrchr(name, '/');

    base = base ? base + 1 : name;
    return strncmp(base, "ld-linux", 8) == 0 || strncmp(base, "ld64.so", 7) == 0
               ? IMAGE_EXPECTED
               : IMAGE_FOREIGN_LIBC;
}

/* The program headers follow the ELF header in all programs that linkers make. */
static enum image_class class_of_elf(const union head *head, size_t size)
{
    for (unsigned i = 0; i < head->elf.e_phnum; i++) {
        ElfW(Phdr) entry;
        uint64_t at = head->elf.e_phoff + (uint64_t)i * sizeof entry;

        if (at > size || size - at < sizeof entry)
            return IMAGE_UNKNOWN;
        memcpy(&entry, head->bytes + at, sizeof entry);
        if (entry.p_type == PT_INTERP)
            return entry.p_offset < size ? class_of_loader(head->bytes + entry.p_offset)
                                         : IMAGE_UNKNOWN;
    }
    return IMAGE_STATIC;
}

/* The loader ignores LD_PRELOAD for programs that gain privileges (AT_SECURE, ld.so(8)). */
static bool is_secure(const char *path, const struct stat *status)
{
    return (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0) ||
           ((status->st_mode & S_ISUID) && status->st_uid != geteuid()) ||
           ((status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP) &&
            status->st_gid != getegid());
}

static enum image_class class_of_file(const char *path, int depth);

/* A script's class is that of its interpreter where that one is out of the ordinary. */
static enum image_class class_of_script(char *line, int depth)
{
    char *name = line + strspn(line, " \t");
    enum image_class class;

    name[strcspn(name, " \t\n")] = '\0';
    class = depth < SCRIPTS_MAX ? class_of_file(name, depth + 1) : IMAGE_UNKNOWN;
    return class == IMAGE_EXPECTED || class == IMAGE_UNKNOWN || class == IMAGE_OTHER ? IMAGE_SCRIPT
                                                                                     : class;
}

static enum image_class class_of_file(const char *path, int depth)
{
    union head head, own;
    struct stat status, ignored;
    size_t size = read_head(path, &head, &status);

    if (size == 0)
        return IMAGE_UNKNOWN;
    if (strncmp(head.bytes, "#!", 2) == 0)
        return class_of_script(head.bytes + 2, depth);
    if (size < sizeof head.elf32 || memcmp(head.bytes, ELFMAG, SELFMAG) != 0)
        return IMAGE_OTHER;
    if (read_head("/proc/self/exe", &own, &ignored) == 0)
        return IMAGE_UNKNOWN;
    if (head.elf.e_ident[EI_CLASS] != own.elf.e_ident[EI_CLASS] ||
        head.elf.e_machine != own.elf.e_machine)
        return IMAGE_FOREIGN_ABI;
    return is_secure(path, &status) ? IMAGE_SECURE : class_of_elf(&head, size);
}

enum image_class command_image(const char *name, struct buffer *path)
{
    find_file(name, path);
    make_absolute(path);
    return class_of_file(path->data, 0);
}
