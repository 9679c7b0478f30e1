/* SPDX-License-Identifier: MIT
 *
 * Facts: seccomp(2), seccomp_unotify(2), linux/filter.h. A jump counts from the next instruction
 * and is eight bits wide.
 */
#include "witness_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "die.h"
#include "tallyman/door.h"
#include "witness_calls.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#    define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5) /* Linux 5.19 */
#endif

#define X32_BIT       0x40000000u /* in the number of a call of the x32 ABI */
#define INSTRUCTIONS  4096        /* BPF_MAXINSNS */
#define GRND_NONBLOCK 1u

struct program {
    struct sock_filter code[INSTRUCTIONS];
    uint16_t length;
};

static void add(struct program *program, uint16_t code, uint32_t value, uint8_t yes, uint8_t no)
{
    if (program->length == INSTRUCTIONS)
        BUG("the filter is too long");
    program->code[program->length++] = (struct sock_filter){code, yes, no, value};
}

static void load(struct program *program, size_t offset)
{
    add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

#define LOW_HALF(number)  (offsetof(struct seccomp_data, args) + 8 * (number))
#define HIGH_HALF(number) (LOW_HALF(number) + 4)

static void give(struct program *program, uint32_t action)
{
    add(program, BPF_RET | BPF_K, action, 0, 0);
}

/* `yes` and `no`: how many instructions to skip. */
static void if_equal(struct program *program, uint32_t value, uint8_t yes, uint8_t no)
{
    add(program, BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
}

/* Reported, but from the door. */
static void add_door(struct program *program)
{
    load(program, offsetof(struct seccomp_data, instruction_pointer) + 4);
    if_equal(program, 0, 0, 4);
    load(program, offsetof(struct seccomp_data, instruction_pointer));
    add(program, BPF_ALU | BPF_AND | BPF_K, ~(DOOR_SIZE - 1), 0, 0);
    if_equal(program, DOOR_ADDRESS, 0, 1);
    give(program, SECCOMP_RET_ALLOW);
    give(program, SECCOMP_RET_USER_NOTIF);
}

/* Stat of a descriptor. A folder's name is never AT_FDCWD here: with that, the path counts. */
static void pass_descriptor(struct program *program, unsigned flags)
{
    load(program, LOW_HALF(0));
    if_equal(program, (uint32_t)AT_FDCWD, 3, 0);
    load(program, LOW_HALF(flags));
    add(program, BPF_JMP | BPF_JSET | BPF_K, AT_EMPTY_PATH, 0, 1);
    give(program, SECCOMP_RET_ALLOW);
}

static void pass_without_address(struct program *program)
{
    load(program, LOW_HALF(4));
    if_equal(program, 0, 0, 3);
    load(program, HIGH_HALF(4));
    if_equal(program, 0, 0, 1);
    give(program, SECCOMP_RET_ALLOW);
}

/* It takes a pointer's size of bytes. */
static void pass_malloc(struct program *program, const struct witness_abi *abi)
{
    load(program, LOW_HALF(1));
    if_equal(program, (uint32_t)abi->word, 0, 3);
    load(program, LOW_HALF(2));
    if_equal(program, GRND_NONBLOCK, 0, 1);
    give(program, SECCOMP_RET_ALLOW);
}

static void pass_other_clocks(struct program *program)
{
    load(program, LOW_HALF(0));
    if_equal(program, CLOCK_REALTIME, 4, 0);
    if_equal(program, CLOCK_REALTIME_COARSE, 3, 0);
    if_equal(program, CLOCK_REALTIME_ALARM, 2, 0);
    if_equal(program, CLOCK_TAI, 1, 0);
    give(program, SECCOMP_RET_ALLOW);
}

static void add_exception(struct program *program, const struct witness_abi *abi,
                          enum witness_call call)
{
    switch (call) {
    case WITNESS_CALL_newfstatat:
    case WITNESS_CALL_fstatat64:
        pass_descriptor(program, 3);
        break;
    case WITNESS_CALL_statx:
        pass_descriptor(program, 2);
        break;
    case WITNESS_CALL_sendto:
        pass_without_address(program);
        break;
    case WITNESS_CALL_getrandom:
        pass_malloc(program, abi);
        break;
    case WITNESS_CALL_clock_gettime:
    case WITNESS_CALL_clock_gettime64:
        pass_other_clocks(program);
        break;
    default:
        break;
    }
}

/* The number is loaded. Each call has a block of its own behind its comparison, so that no jump is
 * longer than a block. Calls that pass in any case cost nothing: the kernel remembers them by
 * number (5.11 and later). */
static void add_abi(struct program *program, const struct witness_abi *abi)
{
    for (size_t i = 0; i < WITNESS_CALL_COUNT; i++) {
        uint16_t comparison = program->length;

        if (abi->numbers[i] == UINT32_MAX)
            continue;
        if_equal(program, abi->numbers[i], 0, 0);
        add_exception(program, abi, (enum witness_call)i);
        add_door(program);
        program->code[comparison].jf = (uint8_t)(program->length - comparison - 1);
    }
    give(program, SECCOMP_RET_ALLOW);
}

/* A call of the x32 ABI is always reported: nobody knows more of it than that it was made. */
static void build(struct program *program)
{
    const struct witness_abi *abis = witness_abis();
    uint16_t other;

    program->length = 0;
    for (size_t i = 0; i < WITNESS_ABIS; i++) {
        load(program, offsetof(struct seccomp_data, arch));
        if_equal(program, abis[i].architecture, 1, 0);
        other = program->length;
        add(program, BPF_JMP | BPF_JA, 0, 0, 0);
        load(program, offsetof(struct seccomp_data, nr));
        if (abis[i].architecture == AUDIT_ARCH_X86_64) {
            add(program, BPF_JMP | BPF_JSET | BPF_K, X32_BIT, 0, 1);
            give(program, SECCOMP_RET_USER_NOTIF);
        }
        add_abi(program, &abis[i]);
        program->code[other].k = (uint32_t)(program->length - other - 1);
    }
    give(program, SECCOMP_RET_ALLOW);
}

static int install(const struct program *program, unsigned long flags)
{
    struct sock_fprog filter = {program->length, (struct sock_filter *)(uintptr_t)program->code};

    flags |= SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
}

struct witness_listener witness_filter_install(void)
{
    static struct program program;
    struct witness_listener listener = {.fd = -1};
    unsigned long flags = SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;

    build(&program);
    listener.fd = install(&program, flags);
    if (listener.fd < 0 && errno == EINVAL) {
        flags = 0;
        listener.interruptible = true;
        listener.fd = install(&program, flags);
    }
    if (listener.fd < 0 && errno == EACCES) {
        listener.unprivileged = true;
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
            listener.fd = install(&program, flags);
    }
    listener.error = listener.fd < 0 ? errno : 0;
    return listener;
}

const char *witness_filter_reason(int error)
{
    switch (error) {
    case EBUSY:
        /* The kernel allows one. Not longer than what a report shows of a detail. */
        return "another tallyman or container manager has a listener already";
    case EINVAL:
    case ENOSYS:
        return "this kernel has no seccomp listener (Linux 5.0 and later have; gVisor has not)";
    case EPERM:
    case EACCES:
        return "a seccomp filter may not be installed here";
    default:
        return "the kernel refused the listener";
    }
}
