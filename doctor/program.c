/* SPDX-License-Identifier: MIT
 *
 * x86-64 and i386. Another processor gets a file of its own with the same two functions.
 */
#include "program.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cleanup.h"

#define BASE        0x400000u
#define NARROW_BASE 0x08048000u
#define PAGE        4096u

static int make_file(const void *image, size_t size)
{
    cleanup_close int file = memfd_create("tallyman-doctor", MFD_CLOEXEC);

    if (file < 0 || write(file, image, size) != (ssize_t)size)
        return -1;
    return steal_descriptor(&file);
}

/* --- static ---------------------------------------------------------------------------------- */

static const unsigned char static_code[] = {
    0x48,
    0x81,
    0xec,
    0x00,
    0x02,
    0x00,
    0x00, /* sub $512, %rsp */
    0x48,
    0x89,
    0xe7, /* mov %rsp, %rdi */
    0xb8,
    0x3f,
    0x00,
    0x00,
    0x00, /* mov $63, %eax: uname */
    0x0f,
    0x05, /* syscall */
    0x48,
    0x81,
    0xc4,
    0x00,
    0x02,
    0x00,
    0x00, /* add $512, %rsp */
    0x48,
    0x8b,
    0x04,
    0x24, /* mov (%rsp), %rax: argc */
    0x48,
    0x8d,
    0x74,
    0xc4,
    0x10, /* lea 16(%rsp, %rax, 8), %rsi: environ */
    0x48,
    0xad, /* 1: lods */
    0x48,
    0x85,
    0xc0, /* test %rax, %rax */
    0x75,
    0xf9, /* jnz 1b */
    0x48,
    0xad, /* 2: lods: type of an auxiliary entry */
    0x83,
    0xf8,
    AT_SYSINFO_EHDR, /* cmp $AT_SYSINFO_EHDR, %eax */
    0x74,
    0x09, /* je 3f */
    0x48,
    0x85,
    0xc0, /* test %rax, %rax: AT_NULL */
    0x74,
    0x0b, /* je 4f */
    0x48,
    0xad, /* lods: its value */
    0xeb,
    0xf0, /* jmp 2b */
    0xbf,
    PROGRAM_WITH_VDSO,
    0,
    0,
    0, /* 3: mov $PROGRAM_WITH_VDSO, %edi */
    0xeb,
    0x02, /* jmp 5f */
    0x31,
    0xff, /* 4: xor %edi, %edi: PROGRAM_WITHOUT_VDSO */
    0xb8,
    0x3c,
    0x00,
    0x00,
    0x00, /* 5: mov $60, %eax: exit */
    0x0f,
    0x05, /* syscall */
};

struct static_image {
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    unsigned char code[sizeof static_code];
};

int program_static(void)
{
    struct static_image image = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                             EV_CURRENT},
                 .e_type = ET_EXEC,
                 .e_machine = EM_X86_64,
                 .e_version = EV_CURRENT,
                 .e_entry = BASE + offsetof(struct static_image, code),
                 .e_phoff = offsetof(struct static_image, segment),
                 .e_ehsize = sizeof image.head,
                 .e_phentsize = sizeof image.segment,
                 .e_phnum = 1},
        .segment = {.p_type = PT_LOAD,
                    .p_flags = PF_R | PF_X,
                    .p_vaddr = BASE,
                    .p_paddr = BASE,
                    .p_filesz = sizeof image,
                    .p_memsz = sizeof image,
                    .p_align = PAGE},
    };

    memcpy(image.code, static_code, sizeof static_code);
    return make_file(&image, sizeof image);
}

/* --- dynamic, 32-bit ------------------------------------------------------------------------- */

static const unsigned char narrow_code[] = {
    0xb8, 0x01, 0x00, 0x00, 0x00, /* mov $1, %eax: exit */
    0x31, 0xdb,                   /* xor %ebx, %ebx */
    0xcd, 0x80,                   /* int $0x80 */
};

static const char narrow_strings[] = "\0libc.so.6";

struct narrow_image {
    Elf32_Ehdr head;
    Elf32_Phdr segments[4];
    Elf32_Dyn dynamic[6];
    Elf32_Sym symbol; /* the one without a name that every table starts with */
    char interpreter[sizeof PROGRAM_NARROW_LOADER];
    char strings[sizeof narrow_strings];
    unsigned char code[sizeof narrow_code];
};

#define NARROW(field) (NARROW_BASE + (Elf32_Addr)offsetof(struct narrow_image, field))

static Elf32_Phdr narrow_part(Elf32_Word type, size_t offset, size_t size)
{
    return (Elf32_Phdr){.p_type = type,
                        .p_flags = PF_R | PF_W | (type == PT_LOAD ? PF_X : 0),
                        .p_offset = (Elf32_Off)offset,
                        .p_vaddr = NARROW_BASE + (Elf32_Addr)offset,
                        .p_paddr = NARROW_BASE + (Elf32_Addr)offset,
                        .p_filesz = (Elf32_Word)size,
                        .p_memsz = (Elf32_Word)size,
                        .p_align = type == PT_LOAD ? PAGE : 4};
}

int program_narrow(void)
{
    struct narrow_image image = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
                             EV_CURRENT},
                 .e_type = ET_EXEC,
                 .e_machine = EM_386,
                 .e_version = EV_CURRENT,
                 .e_entry = NARROW(code),
                 .e_phoff = offsetof(struct narrow_image, segments),
                 .e_ehsize = sizeof image.head,
                 .e_phentsize = sizeof *image.segments,
                 .e_phnum = sizeof image.segments / sizeof *image.segments},
        .segments = {narrow_part(PT_INTERP, offsetof(struct narrow_image, interpreter),
                                 sizeof image.interpreter),
                     narrow_part(PT_LOAD, 0, sizeof image),
                     narrow_part(PT_DYNAMIC, offsetof(struct narrow_image, dynamic),
                                 sizeof image.dynamic),
                     {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W}},
        .dynamic = {{DT_NEEDED, {.d_val = 1}},
                    {DT_STRTAB, {.d_ptr = NARROW(strings)}},
                    {DT_STRSZ, {.d_val = sizeof narrow_strings}},
                    {DT_SYMTAB, {.d_ptr = NARROW(symbol)}},
                    {DT_SYMENT, {.d_val = sizeof image.symbol}},
                    {DT_NULL, {0}}},
    };

    memcpy(image.interpreter, PROGRAM_NARROW_LOADER, sizeof image.interpreter);
    memcpy(image.strings, narrow_strings, sizeof narrow_strings);
    memcpy(image.code, narrow_code, sizeof narrow_code);
    return make_file(&image, sizeof image);
}
