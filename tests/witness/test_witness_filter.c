/* SPDX-License-Identifier: MIT
 *
 * Which calls the filter reports: made by a child under it, one after the other.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tallyman/door.h"
#include "witness_calls.h"
#include "witness_filter.h"

#define X32_BIT    0x40000000
#define ROWS_MAX   64
#define UPPER      UINT64_C(0x1234567800000000) /* bits that a 32-bit argument does not have */
#define DESCRIPTOR 5

struct row {
    const char *what;
    uint64_t number, arguments[6];
    bool reported;
};

static const struct row rows[] = {
    {"an open", SYS_openat, {(uint32_t)AT_FDCWD, 0, O_RDONLY}, true},
    {"a close", SYS_close, {999}, false},
    {"a read", SYS_read, {999}, false},
    {"a stat of a path", SYS_newfstatat, {(uint32_t)AT_FDCWD, 0, 0, 0}, true},
    {"a stat of a path below a folder", SYS_newfstatat, {DESCRIPTOR, 0, 0, 0}, true},
    {"a stat of a descriptor", SYS_newfstatat, {DESCRIPTOR, 0, 0, AT_EMPTY_PATH}, false},
    {"a stat of one, with upper bits",
     SYS_newfstatat,
     {UPPER | DESCRIPTOR, 0, 0, AT_EMPTY_PATH},
     false},
    {"a stat of the current folder",
     SYS_newfstatat,
     {(uint32_t)AT_FDCWD, 0, 0, AT_EMPTY_PATH},
     true},
    {"the same, with upper bits",
     SYS_newfstatat,
     {UPPER | (uint32_t)AT_FDCWD, 0, 0, AT_EMPTY_PATH},
     true},
    {"a statx of a descriptor", SYS_statx, {DESCRIPTOR, 0, AT_EMPTY_PATH}, false},
    {"a statx of a path", SYS_statx, {DESCRIPTOR, 0, 0, AT_EMPTY_PATH}, true},
    {"a message to nobody", SYS_sendto, {999, 0, 0, 0, 0, 0}, false},
    {"a message to somebody", SYS_sendto, {999, 0, 0, 0, 1, 16}, true},
    {"a message to somebody high up", SYS_sendto, {999, 0, 0, 0, UPPER, 16}, true},
    {"what malloc takes", SYS_getrandom, {0, 8, 1}, false},
    {"what the malloc of narrow programs takes", SYS_getrandom, {0, 4, 1}, true},
    {"sixteen random bytes", SYS_getrandom, {0, 16, 1}, true},
    {"eight random bytes to wait for", SYS_getrandom, {0, 8, 0}, true},
    {"the time of day", SYS_clock_gettime, {CLOCK_REALTIME, 0}, true},
    {"the coarse time of day", SYS_clock_gettime, {CLOCK_REALTIME_COARSE, 0}, true},
    {"the time of atoms", SYS_clock_gettime, {CLOCK_TAI, 0}, true},
    {"the time since boot", SYS_clock_gettime, {CLOCK_BOOTTIME, 0}, false},
    {"the monotonic time", SYS_clock_gettime, {CLOCK_MONOTONIC, 0}, false},
    {"the processor's time", SYS_clock_gettime, {CLOCK_PROCESS_CPUTIME_ID, 0}, false},
    {"a call of the x32 ABI", SYS_close | X32_BIT, {999}, true},
    {"a number that no call has", 100000, {0}, false},
};
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert(ROWS <= ROWS_MAX, "more rows than room");

/* Shared with the child. */
static struct results {
    bool reported[ROWS_MAX];
    bool done;
} * results;

typedef long (*caller)(uint64_t number, const uint64_t *arguments);

static long call_directly(uint64_t number, const uint64_t *a)
{
    return syscall((long)number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Whether the call is reported. The one who makes it is a child of its own. */
static bool is_reported(int listener, caller call, const struct row *row)
{
    struct seccomp_notif notice = {0};
    struct seccomp_notif_resp response = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    struct pollfd wait = {listener, POLLIN, 0};
    pid_t child = fork();
    bool reported = false;

    if (child == 0) {
        call(row->number, row->arguments);
        _exit(0);
    }
    while (waitpid(child, NULL, WNOHANG) == 0) {
        if (poll(&wait, 1, 1) < 1)
            continue;
        memset(&notice, 0, sizeof notice);
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notice) != 0)
            continue;
        reported = true;
        response.id = notice.id;
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    }
    return reported;
}

/* In a process with one thread: Criterion's has more. */
static void find_out(caller call)
{
    pid_t child;

    results =
        mmap(NULL, sizeof *results, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    witness_abis();
    child = fork();
    if (child == 0) {
        struct witness_listener listener = witness_filter_install();

        for (size_t i = 0; listener.fd >= 0 && i < ROWS; i++)
            results->reported[i] = is_reported(listener.fd, call, &rows[i]);
        results->done = listener.fd >= 0;
        _exit(0);
    }
    waitpid(child, NULL, 0);
    cr_assert(results->done, "no listener can be had");
}

Test(witness_filter, watched_calls_are_reported_and_others_are_not)
{
    find_out(call_directly);
    for (size_t i = 0; i < ROWS; i++)
        cr_expect_eq(results->reported[i], rows[i].reported, "%s", rows[i].what);
}

#ifdef __x86_64__
/* mov %rdi,%rax; mov %rsi,%r11; then the six arguments; syscall; ret */
static const unsigned char code[] = {
    0x48, 0x89, 0xf8,       /* mov %rdi,%rax */
    0x49, 0x89, 0xf3,       /* mov %rsi,%r11 */
    0x49, 0x8b, 0x3b,       /* mov (%r11),%rdi */
    0x49, 0x8b, 0x73, 0x08, /* mov 8(%r11),%rsi */
    0x49, 0x8b, 0x53, 0x10, /* mov 16(%r11),%rdx */
    0x4d, 0x8b, 0x53, 0x18, /* mov 24(%r11),%r10 */
    0x4d, 0x8b, 0x43, 0x20, /* mov 32(%r11),%r8 */
    0x4d, 0x8b, 0x4b, 0x28, /* mov 40(%r11),%r9 */
    0x0f, 0x05,             /* syscall */
    0xc3,                   /* ret */
};

static long call_at(uintptr_t address, uint64_t number, const uint64_t *arguments)
{
    union {
        uintptr_t address;
        caller call;
    } place = {.address = address};

    return place.call(number, arguments);
}

static void make_door(uintptr_t address)
{
    void *page = mmap((void *)address, DOOR_SIZE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    cr_assert_eq(page, (void *)address, "the door's place is taken");
    memcpy(page, code, sizeof code);
    cr_assert_eq(mprotect(page, DOOR_SIZE, PROT_READ | PROT_EXEC), 0);
}

static long call_through_door(uint64_t number, const uint64_t *arguments)
{
    return call_at(DOOR_ADDRESS, number, arguments);
}

static long call_behind_door(uint64_t number, const uint64_t *arguments)
{
    return call_at(DOOR_ADDRESS + DOOR_SIZE, number, arguments);
}

Test(witness_filter, calls_through_the_door_are_not_reported)
{
    make_door(DOOR_ADDRESS);
    find_out(call_through_door);
    for (size_t i = 0; i < ROWS; i++)
        cr_expect_eq(results->reported[i], (rows[i].number & X32_BIT) != 0, "%s", rows[i].what);
}

Test(witness_filter, calls_from_beside_the_door_are)
{
    make_door(DOOR_ADDRESS + DOOR_SIZE);
    find_out(call_behind_door);
    for (size_t i = 0; i < ROWS; i++)
        cr_expect_eq(results->reported[i], rows[i].reported, "%s", rows[i].what);
}
#endif

Test(witness_filter, each_refusal_has_a_reason)
{
    for (int error = 1; error < 40; error++)
        cr_expect_gt(strlen(witness_filter_reason(error)), 20);
}
