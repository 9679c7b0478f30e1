/* SPDX-License-Identifier: MIT
 *
 * The table of watched calls against the kernel's own lists of numbers.
 */
#include <criterion/criterion.h>
#include <linux/audit.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "tallyman/event.h"
#include "witness_calls.h"

#define X32_BIT      0x40000000
#define CALLS_MAX    1024
#define COMMON_START 424 /* from here on a call has one number in all tables */

struct list {
    size_t count;
    struct {
        char name[64];
        uint32_t number;
    } calls[CALLS_MAX];
};

/* The numbers that a header of the kernel's defines. */
static const struct list *list_of(const char *header)
{
    static struct list list;
    char path[200], line[300];
    FILE *file;

    snprintf(path, sizeof path, "/usr/include/x86_64-linux-gnu/asm/%s", header);
    file = fopen(path, "re");
    if (!file) {
        snprintf(path, sizeof path, "/usr/include/asm/%s", header);
        file = fopen(path, "re");
    }
    cr_assert_not_null(file, "%s is not there", header);
    list.count = 0;
    while (fgets(line, sizeof line, file) && list.count < CALLS_MAX) {
        if (sscanf(line, "#define __NR_%63s %u", list.calls[list.count].name,
                   &list.calls[list.count].number) == 2)
            list.count++;
    }
    fclose(file);
    cr_assert_gt(list.count, 300);
    return &list;
}

static uint32_t number_in(const struct list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->calls[i].name, name) == 0)
            return list->calls[i].number;
    }
    return UINT32_MAX;
}

static void compare(uint32_t architecture, const char *header)
{
    const struct list *list = list_of(header);
    const struct witness_abi *abi = witness_abi_find(architecture);

    cr_assert_not_null(abi);
    for (size_t i = 0; i < WITNESS_CALL_COUNT; i++) {
        uint32_t number = number_in(list, witness_rows[i].name);

        if (number == UINT32_MAX) /* a newer kernel's, or none of this table's */
            cr_assert(abi->numbers[i] == UINT32_MAX || abi->numbers[i] >= COMMON_START,
                      "%s: %u is not in %s", witness_rows[i].name, abi->numbers[i], header);
        else
            cr_assert_eq(abi->numbers[i], number, "%s: %u, not %u in %s", witness_rows[i].name,
                         abi->numbers[i], number, header);
    }
}

TestSuite(witness_calls, .init = (void (*)(void))witness_abis);

Test(witness_calls, the_numbers_of_wide_programs_are_the_kernels)
{
    compare(AUDIT_ARCH_X86_64, "unistd_64.h");
}

Test(witness_calls, the_numbers_of_narrow_programs_are_the_kernels)
{
    compare(AUDIT_ARCH_I386, "unistd_32.h");
}

Test(witness_calls, every_call_is_in_one_of_the_tables)
{
    for (size_t i = 0; i < WITNESS_CALL_COUNT; i++)
        cr_expect(witness_abi_find(AUDIT_ARCH_X86_64)->numbers[i] != UINT32_MAX ||
                      witness_abi_find(AUDIT_ARCH_I386)->numbers[i] != UINT32_MAX,
                  "%s", witness_rows[i].name);
}

Test(witness_calls, every_number_leads_back_to_its_call)
{
    const struct witness_abi *abis = witness_abis();

    for (size_t a = 0; a < WITNESS_ABIS; a++) {
        for (size_t i = 0; i < WITNESS_CALL_COUNT; i++) {
            if (abis[a].numbers[i] != UINT32_MAX)
                cr_expect_eq(witness_call_find(abis[a].architecture, (int)abis[a].numbers[i]), i,
                             "%s", witness_rows[i].name);
        }
    }
}

Test(witness_calls, what_is_not_watched_is_no_call_of_the_table)
{
    cr_expect_eq(witness_call_find(AUDIT_ARCH_X86_64, SYS_close), WITNESS_CALL_COUNT);
    cr_expect_eq(witness_call_find(AUDIT_ARCH_X86_64, SYS_open | X32_BIT), WITNESS_CALL_COUNT);
    cr_expect_eq(witness_call_find(AUDIT_ARCH_X86_64, -1), WITNESS_CALL_COUNT);
    cr_expect_eq(witness_call_find(AUDIT_ARCH_X86_64, INT32_MAX), WITNESS_CALL_COUNT);
    cr_expect_eq(witness_call_find(AUDIT_ARCH_AARCH64, SYS_open), WITNESS_CALL_COUNT);
    cr_expect_null(witness_abi_find(AUDIT_ARCH_AARCH64));
}

static bool takes(const struct witness_row *row, int argument)
{
    return row->a == argument || row->b == argument || row->c == argument;
}

Test(witness_calls, every_row_names_arguments_that_a_call_has)
{
    for (size_t i = 0; i < WITNESS_CALL_COUNT; i++) {
        const struct witness_row *row = &witness_rows[i];
        bool without_path = row->shape == WITNESS_DESCRIPTOR || row->shape == WITNESS_HANDLE ||
                            row->shape == WITNESS_CLOCK || row->shape == WITNESS_VALUE ||
                            row->shape == WITNESS_REFUSE || row->shape == WITNESS_PRIVILEGED;

        cr_expect(row->a < 6 && row->b < 6 && row->c < 6, "%s", row->name);
        cr_expect(without_path || row->b != WITNESS_NONE, "%s", row->name);
        cr_expect_lt(row->kind, EVENT_KIND_COUNT, "%s", row->name);
    }
    cr_expect(takes(&witness_rows[WITNESS_CALL_utimensat], 3));
}
