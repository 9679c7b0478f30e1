/* SPDX-License-Identifier: MIT */
#include "image.h"

#include <elf.h>
#include <stdbool.h>
#include <sys/auxv.h>

#include "environment.h"
#include "raw.h"
#include "text.h"

#define HEAD_SIZE        512u /* the ELF header and the first eight program headers; a script's line */
#define CHAIN_MAX        4    /* scripts whose interpreter is a script; the kernel's own limit */
#define INTERPRETER_ROOM 160u

union head {
    char bytes[HEAD_SIZE];
    Elf32_Ehdr elf32;
    Elf64_Ehdr elf64;
    ElfW(Ehdr) elf;
};

/* XATTR "security.capability": file capabilities (capabilities(7)). */
static bool has_capabilities(int fd)
{
    char value[32];

    return RAW(SYS_fgetxattr, fd, "security.capability", value, sizeof value, 0, 0) > 0;
}

/* The loader ignores LD_PRELOAD for programs that gain privileges (AT_SECURE, ld.so(8)). */
static bool is_secure(int fd)
{
    struct stat64 status;

    if (raw_fstat(fd, &status) != 0)
        return false;
    if ((status.st_mode & S_ISUID) && status.st_uid != getauxval(AT_EUID))
        return true;
    if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) &&
        status.st_gid != getauxval(AT_EGID))
        return true;
    return getauxval(AT_EUID) != 0 && has_capabilities(fd);
}

/* Other C libraries' loaders are called ld-musl-*, ld-uClibc*, linker64 ...; glibc's ld-linux* or
 * ld64* (or, on Nix and Guix, that name in another folder). */
static bool is_glibc_loader(const char *path, size_t length)
{
    const char *name = path;

    for (size_t i = 0; i + 1 < length && path[i]; i++)
        if (path[i] == '/')
            name = path + i + 1;
    return text_starts(name, "ld-linux") || text_starts(name, "ld64.so") ||
           text_starts(name, "ld.so");
}

static enum image_class loader_class(int fd, uint64_t offset)
{
    char name[INTERPRETER_ROOM];
    long got = raw_pread(fd, name, sizeof name - 1, offset);

    if (got <= 0)
        return IMAGE_UNKNOWN;
    name[got] = '\0';
    return is_glibc_loader(name, (size_t)got) ? IMAGE_EXPECTED : IMAGE_FOREIGN_LIBC;
}

/* The two ABIs of one machine that a build may mix: the loader finds a shim for each through $LIB.
 */
static bool is_sibling(const union head *head)
{
    return (head->elf.e_ident[EI_CLASS] == ELFCLASS32 && head->elf32.e_machine == EM_386) ||
           (head->elf.e_ident[EI_CLASS] == ELFCLASS64 && head->elf64.e_machine == EM_X86_64);
}

/* File offset of the interpreter's name, 0 for a program without one. It must precede all loadable
 * entries (gABI), so it is among the first. */
#define INTERPRETER_OFFSET(bits)                                                                   \
    static uint64_t interpreter_offset_##bits(const union head *head, size_t size)                 \
    {                                                                                              \
        const Elf##bits##_Ehdr *elf = &head->elf##bits;                                            \
        for (unsigned i = 0; i < elf->e_phnum; i++) {                                              \
            uint64_t at = elf->e_phoff + (uint64_t)i * sizeof(Elf##bits##_Phdr);                   \
            const Elf##bits##_Phdr *header;                                                        \
            if (at > size || size - at < sizeof *header)                                           \
                return 0;                                                                          \
            header = (const Elf##bits##_Phdr *)(const void *)(head->bytes + at);                   \
            if (header->p_type == PT_INTERP)                                                       \
                return header->p_offset;                                                           \
        }                                                                                          \
        return 0;                                                                                  \
    }

INTERPRETER_OFFSET(32)
INTERPRETER_OFFSET(64)

static enum image_class elf_class(int fd, const union head *head, size_t size)
{
    bool own =
        head->elf.e_ident[EI_CLASS] == RAW_ELF_CLASS && head->elf.e_machine == RAW_ELF_MACHINE;
    uint64_t offset;

    if (!own && !(is_sibling(head) && environment_serves_siblings()))
        return IMAGE_FOREIGN_ABI;
    offset = head->elf.e_ident[EI_CLASS] == ELFCLASS32 ? interpreter_offset_32(head, size)
                                                       : interpreter_offset_64(head, size);
    return offset ? loader_class(fd, offset) : IMAGE_STATIC;
}

/* The interpreter in a script's first line. False when there is none. */
static bool interpreter_of(const char *line, size_t size, char *to)
{
    size_t at = 2, length = 0;

    while (at < size && (line[at] == ' ' || line[at] == '\t'))
        at++;
    while (at < size && line[at] && line[at] != ' ' && line[at] != '\t' && line[at] != '\n' &&
           length < INTERPRETER_ROOM - 1)
        to[length++] = line[at++];
    to[length] = '\0';
    return length > 0;
}

/* `interpreter` is filled in for IMAGE_SCRIPT. */
static enum image_class open_class(int fd, char *interpreter)
{
    union head head;
    long got = raw_read(fd, head.bytes, sizeof head.bytes);
    size_t size = got > 0 ? (size_t)got : 0;

    if (got < 0)
        return IMAGE_UNKNOWN;
    if (size >= 2 && head.bytes[0] == '#' && head.bytes[1] == '!')
        return interpreter_of(head.bytes, size, interpreter) ? IMAGE_SCRIPT : IMAGE_OTHER;
    if (size < sizeof head.elf32 || !text_starts(head.bytes, ELFMAG))
        return IMAGE_OTHER;
    return is_secure(fd) ? IMAGE_SECURE : elf_class(fd, &head, size);
}

enum image_class image_class_of(int dirfd, const char *path)
{
    char interpreter[INTERPRETER_ROOM];
    enum image_class class = IMAGE_SCRIPT;

    for (int depth = 0; class == IMAGE_SCRIPT && depth <= CHAIN_MAX; depth++) {
        long fd = RAW(SYS_openat, dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0, 0, 0);

        if (fd < 0)
            return IMAGE_UNKNOWN;
        class = open_class((int)fd, interpreter);
        raw_close((int)fd);
        dirfd = AT_FDCWD;
        path = interpreter;
        if (class == IMAGE_EXPECTED && depth > 0)
            return IMAGE_SCRIPT;
    }
    return class;
}
