/* SPDX-License-Identifier: MIT */
#include "self.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "environment.h"
#include "log.h"
#include "note.h"
#include "raw.h"
#include "real.h"
#include "subject.h"
#include "text.h"

struct self_page self_page; /* alone on its page: the alignment pads it */
uint32_t self_state = SELF_NEW;
__thread struct self_thread self_thread __attribute__((tls_model("initial-exec")));

/* The id that a forked child has as its parent: outside the wiped page. */
static uint64_t last_process;

static void announce(uint64_t value, uint64_t how);

void self_identify(struct record *record)
{
    bool guest = self_thread.guest_pid != 0;
    uint32_t pid = guest ? self_thread.guest_pid : self_page.pid;

    if (self_thread.thread_pid != pid && !log_is_quiet()) {
        self_thread.thread = guest ? pid : raw_gettid();
        self_thread.thread_pid = pid;
    }
    record->process = self_process();
    record->pid = pid;
    record->thread = self_thread.thread;
}

/* Gives the process its id, once, whoever comes first: another thread or a signal handler may be
 * here too. */
static void adopt(uint64_t announced_value, uint64_t how)
{
    uint64_t none = 0;
    uint32_t unannounced = 0;

    __atomic_compare_exchange_n(&self_page.process, &none, log_new_id(), false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    __atomic_store_n(&last_process, self_page.process, __ATOMIC_RELAXED);
    __atomic_store_n(&self_page.pid, raw_getpid(), __ATOMIC_RELEASE);
    if (__atomic_compare_exchange_n(&self_page.announced, &unannounced, 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        announce(announced_value, how);
}

static bool turn_off(void)
{
    __atomic_store_n(&self_state, SELF_OFF, __ATOMIC_RELEASE);
    return false;
}

/* The first call that reaches a wrapper, in whatever state the process then is: the loader may not
 * have run a single constructor. Two threads may both do all of this; nothing in it minds. */
bool self_start(void)
{
    const struct environment_run *run = environment_find_run();

    if (!run)
        return turn_off();
    if (run->witnessed)
        door_open();
    if (!log_control() && !log_open(run->log))
        return turn_off();
    if (RAW(SYS_madvise, &self_page, sizeof self_page, MADV_WIPEONFORK, 0, 0, 0) != 0)
        return turn_off();
    adopt(run->execution << 8, START_EXECUTED);
    __atomic_store_n(&self_state, SELF_ACTIVE, __ATOMIC_RELEASE);
    return true;
}

bool self_forked(void)
{
    uint64_t parent = self_thread.guest_pid ? self_thread.guest_process : last_process;

    /* Whatever shared memory with the parent's thread is not here any more. */
    self_thread = (struct self_thread){0};
    log_forked();
    adopt(parent << 8, START_FORKED);
    return true;
}

/* A vfork child, or one of clone(CLONE_VM), may be running: its pid tells. */
bool self_guest(void)
{
    uint32_t pid = log_is_quiet() ? self_page.pid : raw_getpid();

    if (pid == self_page.pid) {
        self_thread.guest_pid = 0;
        return true;
    }
    if (pid != self_thread.guest_pid) {
        self_thread.guest_process = log_new_id();
        self_thread.guest_pid = pid;
        announce(self_page.process << 8, START_FORKED);
    }
    return true;
}

/* The program's path: as it was executed, where that tells (two look-ups in /proc would cost more
 * than all the rest of a start), else by the kernel's link. A script's is its interpreter's. */
static size_t write_program(char *to, size_t room, uint32_t *flags)
{
    const char *executed = (const char *)getauxval(AT_EXECFN);
    struct subject_path path;
    size_t used = 0, dirty = 0;
    long got;

    if (environment_run()->plain && executed && !subject_is_magic(executed)) {
        path = subject_path(AT_FDCWD, executed, flags);
        if (path.length < room && subject_write(&path, to, room, &used, flags, &dirty))
            return used;
    }
    got = raw_readlink("/proc/self/exe", to, room);
    if (got < 0)
        log_count_lost();
    if (got == (long)room)
        *flags |= RECORD_CUT;
    return got < 0 ? 0 : (size_t)got;
}

static size_t fill_start(struct record *record, size_t room)
{
    char *at = (char *)(record + 1);
    size_t exe = write_program(at, room / 2, &record->flags);
    long cwd = raw_getcwd(at + exe, room / 2);

    if (cwd < 0) {
        record->flags |= RECORD_UNRESOLVED;
        cwd = 1;
    }
    record->subject = (uint32_t)exe;
    record->other = (uint32_t)cwd - 1;
    return exe + (size_t)cwd - 1;
}

static void announce(uint64_t value, uint64_t how)
{
    struct log_slot slot;
    size_t used = 0;

    if (!log_reserve(&slot, 2048))
        return;
    slot.record->kind = EVENT_PROCESS_START;
    slot.record->hook = HOOK_COUNT;
    self_identify(slot.record);
    slot.record->time = log_time();
    slot.record->value = value | how;
    if (!log_is_quiet()) {
        slot.record->error = (int32_t)raw_getppid();
        used = fill_start(slot.record, 2048);
    }
    log_commit(&slot, used, 0);
}

static void note_arguments(int count, char **arguments)
{
    struct call call = {.hook = HOOK_COUNT};

    for (int i = 0; i < count && i < (int)ARGUMENTS_MAX; i++)
        note_text(&call, EVENT_PROCESS_ARGUMENT, arguments[i], (uint64_t)i, 0);
    if (count > (int)ARGUMENTS_MAX)
        note_text(&call, EVENT_PROCESS_ARGUMENT, "...", ARGUMENTS_MAX, RECORD_CUT);
}

/* glibc hands every constructor main's arguments. */
__attribute__((constructor)) static void start(int count, char **arguments, char **environment)
{
    (void)environment;
    if (!self_active()) {
        if (environment_find_run())
            environment_hide();
        return;
    }
    note_arguments(count, arguments);
    note_objects();
    environment_hide();
    environment_note();
}
