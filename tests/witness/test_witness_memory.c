/* SPDX-License-Identifier: MIT
 *
 * Strings of another process that end where its memory ends, or do not end.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "witness_memory.h"

#define PAGE  4096
#define PAGES 4 /* the last is not there */

static char *memory;
static pid_t child;

/* A child with a copy of `memory`, without its last page. */
static void start_child(void)
{
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pause();
        _exit(0);
    }
}

static void set_up(void)
{
    memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(memory + (PAGES - 1) * PAGE, PAGE);
    memset(memory, 'a', (PAGES - 1) * PAGE);
}

static void tear_down(void)
{
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}

static char *end_of(void)
{
    return memory + (PAGES - 1) * PAGE;
}

TestSuite(witness_memory, .init = set_up, .fini = tear_down);

static ssize_t read_at(const char *at, char *to, size_t room)
{
    return witness_read_string(child, (uint64_t)(uintptr_t)at, to, room);
}

Test(witness_memory, a_string_at_the_end_of_its_memory_is_read)
{
    char text[PATH_MAX];

    strcpy(end_of() - 6, "u.txt");
    start_child();
    cr_expect_eq(read_at(end_of() - 6, text, sizeof text), 5);
    cr_expect_str_eq(text, "u.txt");
}

Test(witness_memory, a_string_across_pages_is_read)
{
    char text[PATH_MAX];

    memory[PAGE + 700] = '\0';
    start_child();
    cr_expect_eq(read_at(memory + PAGE - 5, text, sizeof text), 705);
    cr_expect_eq(strlen(text), 705);
}

Test(witness_memory, an_empty_string_is_one)
{
    char text[PATH_MAX];

    end_of()[-1] = '\0';
    start_child();
    cr_expect_eq(read_at(end_of() - 1, text, sizeof text), 0);
}

Test(witness_memory, a_string_without_end_cannot_be_read)
{
    char text[PATH_MAX];

    start_child();
    errno = 0;
    cr_expect_eq(read_at(end_of() - 10, text, sizeof text), -1);
    cr_expect_eq(errno, EFAULT);
}

Test(witness_memory, a_string_that_is_too_long_is_cut)
{
    char text[PATH_MAX];

    start_child();
    errno = 0;
    cr_expect_eq(read_at(memory + 100, text, sizeof text), -1);
    cr_expect_eq(errno, ENAMETOOLONG);
    cr_expect_eq(strlen(text), PATH_MAX - 1);
}

Test(witness_memory, the_longest_string_that_fits_is_read)
{
    char text[PATH_MAX];

    memory[100 + PATH_MAX - 1] = '\0';
    start_child();
    cr_expect_eq(read_at(memory + 100, text, sizeof text), PATH_MAX - 1);
}

Test(witness_memory, addresses_that_are_not_there_cannot_be_read)
{
    const uint64_t none[] = {0,
                             1,
                             (uint64_t)(uintptr_t)end_of(),
                             UINT64_MAX,
                             UINT64_MAX / 2 + 1,
                             UINT64_C(0xffffffffff600000)};
    char text[PATH_MAX];

    start_child();
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_expect_eq(witness_read_string(child, none[i], text, sizeof text), -1, "%zu", i);
}

Test(witness_memory, a_read_ends_where_the_memory_ends)
{
    char text[PAGE];

    start_child();
    cr_expect_eq(witness_read(child, (uint64_t)(uintptr_t)end_of() - 100, text, sizeof text), 100);
}

Test(witness_memory, a_process_that_is_gone_cannot_be_read)
{
    char text[PATH_MAX];

    start_child();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    cr_expect_eq(read_at(memory, text, sizeof text), -1);
    child = 0;
}
