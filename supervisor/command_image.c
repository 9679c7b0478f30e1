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

void command_file(const char *name, struct buffer *path)
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

/* The note with its build id that Go's linker writes: name "Go", type 4 (cmd/link, elf.go). */
static bool has_go_note(const union head *head, size_t size, uint64_t at, uint64_t length)
{
    static const char name[] = "Go";
    uint64_t end = length > size || at > size - length ? size : at + length;

    while (at < end && end - at >= sizeof(Elf32_Nhdr) + sizeof name) {
        Elf32_Nhdr note;

        memcpy(&note, head->bytes + at, sizeof note);
        if (note.n_type == 4 && note.n_namesz >= sizeof name - 1 &&
            memcmp(head->bytes + at + sizeof note, name, sizeof name) == 0)
            return true;
        at += sizeof note + (((uint64_t)note.n_namesz + 3) & ~UINT64_C(3)) +
              (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
    }
    return false;
}

/* What counts of the program headers, which follow the ELF header in all programs that linkers
 * make. */
struct segments {
    uint64_t interpreter; /* offset of its name, 0 none */
    bool is_go;
};

#define READ_SEGMENTS(bits)                                                                        \
    static bool read_segments_##bits(const union head *head, size_t size, struct segments *found)  \
    {                                                                                              \
        for (unsigned i = 0; i < head->elf##bits.e_phnum; i++) {                                   \
            Elf##bits##_Phdr entry;                                                                \
            uint64_t at = head->elf##bits.e_phoff + (uint64_t)i * sizeof entry;                    \
            if (at > size || size - at < sizeof entry)                                             \
                return false;                                                                      \
            memcpy(&entry, head->bytes + at, sizeof entry);                                        \
            if (entry.p_type == PT_INTERP)                                                         \
                found->interpreter = entry.p_offset;                                               \
            if (entry.p_type == PT_NOTE)                                                           \
                found->is_go |= has_go_note(head, size, entry.p_offset, entry.p_filesz);           \
        }                                                                                          \
        return true;                                                                               \
    }

READ_SEGMENTS(32)
READ_SEGMENTS(64)

static enum image_class class_of_elf(const union head *head, size_t size)
{
    struct segments found = {0};
    enum image_class class;

    if (!(head->elf.e_ident[EI_CLASS] == ELFCLASS32 ? read_segments_32(head, size, &found)
                                                    : read_segments_64(head, size, &found)))
        return IMAGE_UNKNOWN;
    if (!found.interpreter)
        return IMAGE_STATIC;
    if (found.interpreter >= size)
        return IMAGE_UNKNOWN;
    class = class_of_loader(head->bytes + found.interpreter);
    return class == IMAGE_EXPECTED && found.is_go ? IMAGE_GO : class;
}

/* The loader ignores LD_PRELOAD for programs that gain privileges (AT_SECURE, ld.so(8)), as the
 * kernel tells it by comparing with the real ids of who starts it (cap_bprm_creds_from_file()). */
static bool is_secure(const char *path, const struct stat *status, const struct image_starter *by)
{
    uid_t user = status->st_mode & S_ISUID ? status->st_uid : by->effective_user;
    bool set_group = (status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP);
    gid_t group = set_group ? status->st_gid : by->effective_group;

    return user != by->user || group != by->group ||
           (by->user != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

struct image_starter command_image_ourselves(void)
{
    return (struct image_starter){.user = getuid(),
                                  .effective_user = geteuid(),
                                  .group = getgid(),
                                  .effective_group = getegid()};
}

/* What a class depends on besides the file. */
struct conditions {
    const struct image_starter *by;
    bool siblings;
};

static enum image_class class_of_file(const char *path, struct conditions under, int depth);

/* A script's class is that of its interpreter where that one is out of the ordinary. */
static enum image_class class_of_script(char *line, struct conditions under, int depth)
{
    char *name = line + strspn(line, " \t");
    enum image_class class;

    name[strcspn(name, " \t\n")] = '\0';
    class = depth < SCRIPTS_MAX ? class_of_file(name, under, depth + 1) : IMAGE_UNKNOWN;
    return class == IMAGE_EXPECTED || class == IMAGE_UNKNOWN || class == IMAGE_OTHER ? IMAGE_SCRIPT
                                                                                     : class;
}

/* The two ABIs of one machine that a build may mix. */
static bool is_foreign(const union head *head, bool siblings)
{
    bool wide = head->elf.e_ident[EI_CLASS] == ELFCLASS64 && head->elf64.e_machine == EM_X86_64;
    bool narrow = head->elf.e_ident[EI_CLASS] == ELFCLASS32 && head->elf32.e_machine == EM_386;

    return !wide && !(siblings && narrow);
}

static enum image_class class_of_file(const char *path, struct conditions under, int depth)
{
    union head head;
    struct stat status;
    size_t size = read_head(path, &head, &status);

    if (size == 0)
        return IMAGE_UNKNOWN;
    if (strncmp(head.bytes, "#!", 2) == 0)
        return class_of_script(head.bytes + 2, under, depth);
    if (size < sizeof head.elf32 || memcmp(head.bytes, ELFMAG, SELFMAG) != 0)
        return IMAGE_OTHER;
    if (is_secure(path, &status, under.by))
        return IMAGE_SECURE;
    return is_foreign(&head, under.siblings) ? IMAGE_FOREIGN_ABI : class_of_elf(&head, size);
}

enum image_class command_image_of(const char *path, bool siblings, const struct image_starter *by)
{
    return class_of_file(path, (struct conditions){by, siblings}, 0);
}

enum image_class command_image(const char *name, bool siblings, struct buffer *path)
{
    struct image_starter ourselves = command_image_ourselves();

    command_file(name, path);
    make_absolute(path);
    return command_image_of(path->data, siblings, &ourselves);
}
