/* SPDX-License-Identifier: MIT
 *
 * A look at calls of this process itself, as if it waited in them.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tallyman/event.h"
#include "tallyman/record.h"
#include "witness_look.h"

static struct witness_view view;
static struct witness_task task;
static struct seccomp_notif notice;

/* A call of ours with these arguments, looked at. */
static void look(enum witness_call call, const uint64_t *arguments)
{
    witness_abis();
    notice.pid = (uint32_t)getpid();
    task = (struct witness_task){.leader = getpid(), .pid = (uint32_t)getpid()};
    memset(&view, 0, sizeof view);
    view.notice = &notice;
    view.call = call;
    view.abi = witness_abi_find(AUDIT_ARCH_X86_64);
    view.task = &task;
    view.leader = &task;
    memcpy(view.args, arguments, sizeof view.args);
    witness_look(&view);
}

static uint64_t address(const void *at)
{
    return (uint64_t)(uintptr_t)at;
}

Test(witness_look, an_absolute_path_is_taken_as_it_is)
{
    look(WITNESS_CALL_open, (uint64_t[6]){address("/etc/passwd"), O_RDONLY});
    cr_assert_eq(view.sight_count, 1);
    cr_expect_eq(view.sights[0].kind, EVENT_READ);
    cr_expect_str_eq(witness_sight_subject(&view, &view.sights[0]), "/etc/passwd");
}

Test(witness_look, an_open_for_reading_and_writing_is_both)
{
    look(WITNESS_CALL_open, (uint64_t[6]){address("/dev/null"), O_RDWR});
    cr_assert_eq(view.sight_count, 2);
    cr_expect_eq(view.sights[0].kind, EVENT_WRITE);
    cr_expect_eq(view.sights[1].kind, EVENT_READ);
}

Test(witness_look, a_path_that_is_changed_while_the_call_waits_is_found_out)
{
    char path[] = "/etc/passwd";

    look(WITNESS_CALL_open, (uint64_t[6]){address(path), O_RDONLY});
    cr_expect_not(witness_was_changed(&view));
    path[5] = 'P';
    cr_expect(witness_was_changed(&view));
}

Test(witness_look, so_is_the_second_path_of_a_call)
{
    char from[] = "/tmp/from", to[] = "/tmp/to";

    look(WITNESS_CALL_rename, (uint64_t[6]){address(from), address(to)});
    cr_expect_not(witness_was_changed(&view));
    to[5] = 'T';
    cr_expect(witness_was_changed(&view));
}

Test(witness_look, what_lies_behind_a_path_may_change)
{
    char path[64] = "/etc/passwd";

    look(WITNESS_CALL_open, (uint64_t[6]){address(path), O_RDONLY});
    path[20] = 'x';
    cr_expect_not(witness_was_changed(&view));
}

Test(witness_look, the_longest_paths_fit)
{
    char *path = malloc(PATH_MAX);

    memset(path, 'a', PATH_MAX - 1);
    path[PATH_MAX - 1] = '\0';
    look(WITNESS_CALL_renameat,
         (uint64_t[6]){(uint32_t)AT_FDCWD, address(path), (uint32_t)AT_FDCWD, address(path)});
    cr_expect_eq(view.sight_count, 1);
    cr_expect_leq(view.used, sizeof view.text);
    free(path);
}

Test(witness_look, paths_that_are_too_long_are_cut)
{
    char *path = calloc(1, 2 * PATH_MAX);

    memset(path, 'a', 2 * PATH_MAX - 1);
    look(WITNESS_CALL_open, (uint64_t[6]){address(path), O_RDONLY});
    cr_assert_eq(view.sight_count, 1);
    cr_expect_eq(view.sights[0].error, ENAMETOOLONG);
    cr_expect(view.sights[0].flags & RECORD_CUT);
    free(path);
}

Test(witness_look, a_path_that_cannot_be_read_is_marked)
{
    look(WITNESS_CALL_open, (uint64_t[6]){1, O_RDONLY});
    cr_assert_eq(view.sight_count, 1);
    cr_expect(view.sights[0].flags & RECORD_UNREADABLE);
}

/* Every call with arguments of nonsense: it must not bring the witness down. */
Test(witness_look, nonsense_in_all_arguments_does_no_harm)
{
    static const uint64_t odd[] = {
        0, 1, UINT32_MAX, UINT64_MAX, (uint32_t)AT_FDCWD, UINT64_C(0x7ffffffff000)};

    for (size_t call = 0; call < WITNESS_CALL_COUNT; call++) {
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            uint64_t all[6] = {odd[i], odd[i], odd[i], odd[i], odd[i], odd[i]};

            look((enum witness_call)call, all);
            cr_expect_leq(view.sight_count, SIGHTS_MAX, "%s", witness_rows[call].name);
        }
    }
}

/* The same, with arguments that can be read and hold anything. */
Test(witness_look, memory_of_nonsense_does_no_harm)
{
    unsigned char *bytes = malloc(64 * 1024);

    srand(1);
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < 64 * 1024; i++)
            bytes[i] = (unsigned char)(round % 2 ? rand() : rand() % 4);
        for (size_t call = 0; call < WITNESS_CALL_COUNT; call++) {
            uint64_t all[6];

            for (size_t i = 0; i < 6; i++)
                all[i] = rand() % 2 ? address(bytes + rand() % 60000) : (uint64_t)(rand() % 300);
            look((enum witness_call)call, all);
            cr_expect_leq(view.sight_count, SIGHTS_MAX, "%s", witness_rows[call].name);
        }
    }
    free(bytes);
}
