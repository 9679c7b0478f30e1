/* SPDX-License-Identifier: MIT
 *
 * The named rule sets. Their texts are files of their own, so that an editor and `tallyman manifest
 * sets` show the same; the assembler puts them here. SETS_FOLDER comes from CMakeLists.txt.
 */
#include "manifest.h"

#define SET(id, name)                                                                              \
    __asm__(".section .rodata\n"                                                                   \
            ".globl tallyman_set_" #id "\n"                                                        \
            ".hidden tallyman_set_" #id "\n"                                                       \
            "tallyman_set_" #id ":\n"                                                              \
            ".incbin \"" SETS_FOLDER "/" name ".yaml\"\n"                                          \
            ".byte 0\n"                                                                            \
            ".text\n");                                                                            \
    extern const char tallyman_set_##id[];
#include "sets.def"
#undef SET

static const struct set {
    const char *name;
    const char *text;
} sets[] = {
#define SET(id, name) {name, tallyman_set_##id},
#include "sets.def"
#undef SET
};

int manifest_set_count(void)
{
    return (int)(sizeof(sets) / sizeof(sets[0]));
}

const char *manifest_set_name(int set)
{
    return sets[set].name;
}

const char *manifest_set_text(int set)
{
    return sets[set].text;
}
