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
#define HEADERS_MAX      32u
#define NOTES_MAX        4u

union head {
    char bytes[HEAD_SIZE];
    uint32_t words[HEAD_SIZE / sizeof(uint32_t)];
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

/* These read over `head`, which has told all by then: stack is scarce. */
static enum image_class loader_class(int fd, union head *head, uint64_t offset)
{
    long got = raw_pread(fd, head->bytes, sizeof head->bytes - 1, offset);

    if (got <= 0)
        return IMAGE_UNKNOWN;
    head->bytes[got] = '\0';
    return is_glibc_loader(head->bytes, (size_t)got) ? IMAGE_EXPECTED : IMAGE_FOREIGN_LIBC;
}

/* The two ABIs of one machine that a build may mix: the loader finds a shim for each through $LIB.
 */
static bool is_sibling(const union head *head)
{
    return (head->elf.e_ident[EI_CLASS] == ELFCLASS32 && head->elf32.e_machine == EM_386) ||
           (head->elf.e_ident[EI_CLASS] == ELFCLASS64 && head->elf64.e_machine == EM_X86_64);
}

/* What the program headers say. */
struct layout {
    uint64_t interpreter; /* file offset of its name, 0: there is none */
    uint64_t notes[NOTES_MAX];
    unsigned note_count;
};

/* The interpreter must precede all loadable entries (gABI), so it is among the first; notes may
 * stand behind what `head` holds. */
#define READ_LAYOUT(bits)                                                                          \
    static struct layout read_layout_##bits(int fd, const union head *head, size_t size)           \
    {                                                                                              \
        const Elf##bits##_Ehdr *elf = &head->elf##bits;                                            \
        struct layout layout = {0};                                                                \
        for (unsigned i = 0; i < elf->e_phnum && i < HEADERS_MAX; i++) {                           \
            uint64_t at = elf->e_phoff + (uint64_t)i * sizeof(Elf##bits##_Phdr);                   \
            Elf##bits##_Phdr header;                                                               \
            if (at <= size && size - at >= sizeof header)                                          \
                text_copy((char *)&header, head->bytes + at, sizeof header);                       \
            else if (raw_pread(fd, &header, sizeof header, at) != sizeof header)                   \
                break;                                                                             \
            if (header.p_type == PT_INTERP)                                                        \
                layout.interpreter = header.p_offset;                                              \
            else if (header.p_type == PT_NOTE && layout.note_count < NOTES_MAX)                    \
                layout.notes[layout.note_count++] = header.p_offset;                               \
        }                                                                                          \
        return layout;                                                                             \
    }

READ_LAYOUT(32)
READ_LAYOUT(64)

/* Go's linker marks its programs, those that it leaves to the system's linker too, with a note of
 * name "Go" and type 4, the build id. Each note is three words, the name and the text, padded. */
static bool has_go_note(int fd, union head *head, const struct layout *layout)
{
    for (unsigned i = 0; i < layout->note_count; i++) {
        long got = raw_pread(fd, head->words, sizeof head->words, layout->notes[i]);
        size_t words = got > 0 ? (size_t)got / sizeof *head->words : 0;

        for (size_t at = 0; at + 4 <= words;) {
            const uint32_t *note = head->words + at;

            if (note[0] == 4 && note[2] == 4 && text_equal((const char *)&note[3], "Go"))
                return true;
            at += 3 + ((size_t)note[0] + 3) / 4 + ((size_t)note[1] + 3) / 4;
        }
    }
    return false;
}

static enum image_class elf_class(int fd, union head *head, size_t size)
{
    bool own =
        head->elf.e_ident[EI_CLASS] == RAW_ELF_CLASS && head->elf.e_machine == RAW_ELF_MACHINE;
    struct layout layout;
    enum image_class class;

    if (!own && !(is_sibling(head) && environment_serves_siblings()))
        return IMAGE_FOREIGN_ABI;
    layout = head->elf.e_ident[EI_CLASS] == ELFCLASS32 ? read_layout_32(fd, head, size)
                                                       : read_layout_64(fd, head, size);
    if (!layout.interpreter)
        return IMAGE_STATIC;
    class = loader_class(fd, head, layout.interpreter);
    return class == IMAGE_EXPECTED && has_go_note(fd, head, &layout) ? IMAGE_GO : class;
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
        long fd = DOOR(SYS_openat, dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0, 0, 0);

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
