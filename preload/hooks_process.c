/* SPDX-License-Identifier: MIT
 *
 * Wrappers around programs: exec, spawn, vfork, clone, wait. An execution gets an id before the
 * call; the new image finds it in TALLYMAN_RUN and names it when it reports in, so that one that
 * does not is known.
 */
#include "direct.h"
#include "environment.h"
#include "hook.h"
#include "image.h"
#include "pipes.h"
#include "text.h"

#include <unistd.h>

struct execution {
    struct call call;
    uint64_t id;     /* 0: nobody to report to */
    bool reports_in; /* the new image will name this execution itself */
    struct environment_copy environment;
};

/* --- before --------------------------------------------------------------------------------- */

/* The name that execvp looks for along PATH; each candidate that is not there is an access: it
 * would be run if it were. Writes the candidate found to `to`, "" if none. True when all candidates
 * before it are not there at all. */
static bool search_path(const struct call *call, const char *file, char *to, size_t room)
{
    const char *at = environment_value("PATH");
    size_t length = text_length(file);
    bool sure = true;

    if (!at)
        at = "/bin:/usr/bin"; /* confstr(_CS_PATH), what execvp falls back to */
    for (;; at++) {
        size_t folder = 0;
        struct call probe = *call;

        while (at[folder] && at[folder] != ':')
            folder++;
        to[0] = '\0';
        if (folder + length + 2 < room) {
            text_copy(to, at, folder);
            to[folder] = '/';
            text_copy(to + folder + !!folder, file, length + 1);
            probe.error = (int)-raw_access(AT_FDCWD, to, X_OK);
            if (!probe.error)
                return sure;
            note_path(&probe, EVENT_ACCESS, AT_FDCWD, to, RECORD_IMPLIED);
            to[0] = '\0';
        }
        sure = sure && (probe.error == ENOENT || probe.error == ENOTDIR);
        at += folder;
        if (!*at)
            return false;
    }
}

static bool has_slash(const char *text)
{
    for (; *text; text++)
        if (*text == '/')
            return true;
    return false;
}

#define FOUND_ROOM 448u

/* This process could not report in; what it starts may be able to. */
static bool is_deaf(void)
{
    return !self_active() && environment_find_run();
}

/* `candidate`: what execvp will find, if that is certain. Not a part of its callers' frames. */
__attribute__((noinline)) static void hand_on(struct execution *execution, char *const envp[],
                                              uint64_t id, enum image_class class,
                                              const char *candidate)
{
    execution->environment = environment_copy(envp, id, class, candidate);
    execution->reports_in =
        execution->environment.map && (class == IMAGE_EXPECTED || class == IMAGE_SCRIPT);
}

/* Gives the execution its id and records it. A function of its own, so that the array is not there
 * while the process reports in. */
__attribute__((noinline)) static void announce(struct execution *execution, int dirfd,
                                               const char *path, bool search, char *const envp[])
{
    char found[FOUND_ROOM];
    enum image_class class = IMAGE_UNKNOWN;
    bool sure = search; /* a name with a slash is not looked for */

    if (!raw_readable(path, 1))
        path = NULL;
    if (path && search && !has_slash(path)) {
        sure = search_path(&execution->call, path, found, sizeof found);
        path = found[0] ? found : NULL; /* what is nowhere is not in the current folder either */
    }
    execution->id = log_new_id();
    if (path) {
        class = image_class_of(dirfd, path);
        note_execute(&execution->call, dirfd, path, execution->id, class);
    }
    hand_on(execution, envp, execution->id, class, sure ? path : NULL);
}

static void begin(struct execution *execution, enum hook hook, int dirfd, const char *path,
                  bool search, char *const envp[])
{
    *execution = (struct execution){.call = {.hook = hook},
                                    .environment = {.block = (char **)(uintptr_t)envp}};
    if (is_deaf())
        hand_on(execution, envp, RUN_NO_EXECUTION, IMAGE_UNKNOWN, NULL);
    else if (self_active() && !log_is_quiet())
        announce(execution, dirfd, path, search, envp);
    if (self_thread.asks) {
        /* A vfork child: its parent unmaps it, for the child leaves this memory without return. */
        self_thread.exec_map = execution->environment.map;
        self_thread.exec_map_size = execution->environment.size;
    }
}

/* After an exec that returned or a spawn. `error` 0: it started. */
static void end(struct execution *execution, int error)
{
    if (execution->id && error) {
        execution->call.error = error;
        note_text(&execution->call, EVENT_EXECUTE_FAILED, "", execution->id, 0);
    }
    environment_release(&execution->environment);
    self_thread.exec_map = NULL;
}

/* --- exec ----------------------------------------------------------------------------------- */

/* Directly where the new image reports in; every other is libc's to make, so that the kernel
 * reports it. */
static void execute(const struct execution *execution, const char *path, char *const argv[])
{
    char **block = execution->environment.block;

    if (execution->reports_in)
        REAL(execve)(path, argv, block);
    else
        BEHIND(execve)(path, argv, block);
}

/* Only the one candidate: when that fails, libc's search has its rules for what to do next. */
static void execute_search(const struct execution *execution, const char *file, char *const argv[])
{
    char **block = execution->environment.block;

    if (execution->reports_in && execution->environment.path && direct_wanted() &&
        real_is_libcs(HOOK_execvpe))
        REAL(execve)(execution->environment.path, argv, block);
    REAL(execvpe)(file, argv, block);
}

static int failed(struct execution *execution)
{
    end(execution, errno);
    return -1;
}

int hook_execve(const char *path, char *const argv[], char *const envp[])
{
    struct execution execution;

    begin(&execution, HOOK_execve, AT_FDCWD, path, false, envp);
    execute(&execution, path, argv);
    return failed(&execution);
}

int hook_execv(const char *path, char *const argv[])
{
    struct execution execution;

    begin(&execution, HOOK_execv, AT_FDCWD, path, false, environ);
    execute(&execution, path, argv);
    return failed(&execution);
}

int hook_execvpe(const char *file, char *const argv[], char *const envp[])
{
    struct execution execution;

    begin(&execution, HOOK_execvpe, AT_FDCWD, file, true, envp);
    execute_search(&execution, file, argv);
    return failed(&execution);
}

int hook_execvp(const char *file, char *const argv[])
{
    struct execution execution;

    begin(&execution, HOOK_execvp, AT_FDCWD, file, true, environ);
    execute_search(&execution, file, argv);
    return failed(&execution);
}

int hook_fexecve(int fd, char *const argv[], char *const envp[])
{
    struct execution execution;
    char name[40];

    text_copy(name, "/proc/self/fd/", 15);
    text_decimal(name + 14, (unsigned)fd);
    begin(&execution, HOOK_fexecve, AT_FDCWD, name, false, envp);
    REAL(fexecve)(fd, argv, execution.environment.block);
    return failed(&execution);
}

int hook_execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
    struct execution execution;

    begin(&execution, HOOK_execveat, dirfd, path, false, envp);
    REAL(execveat)(dirfd, path, argv, execution.environment.block, flags);
    return failed(&execution);
}

/* The variadic forms. glibc itself builds the array on the stack; this does so for few arguments
 * and maps it for many, so that the stack use stays bounded. `more` stands behind the first
 * argument and is handed over by pointer, for a va_list by value is moved on some processors and
 * not on others.
 */
#define FEW_ARGUMENTS 64u

/* The NULL at the end counts, too. */
static size_t count_arguments(const char *first, va_list *more)
{
    size_t count = 1;
    va_list again;

    va_copy(again, *more);
    for (const char *next = first; next; next = va_arg(again, const char *))
        count++;
    va_end(again);
    return count;
}

/* What follows the NULL. */
static char **environment_behind(const char *first, va_list *more)
{
    char **block;
    va_list again;

    va_copy(again, *more);
    for (const char *next = first; next; next = va_arg(again, const char *))
        ;
    block = va_arg(again, char **);
    va_end(again);
    return block;
}

/* A function of its own, so that the array is not there while the call is being recorded. */
__attribute__((noinline)) static void
execute_list(const struct execution *execution, const char *path, const char *first, va_list *more)
{
    char *few[FEW_ARGUMENTS], **list = few;
    size_t count = count_arguments(first, more), size = 0;

    if (count > FEW_ARGUMENTS) {
        size = (count * sizeof *list + 4095) & ~(size_t)4095;
        list = raw_map(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    if (!list) {
        errno = ENOMEM;
        return;
    }
    count = 0;
    for (const char *next = first; next; next = va_arg(*more, const char *))
        list[count++] = (char *)(uintptr_t)next;
    list[count] = NULL;
    if (execution->call.hook == HOOK_execlp)
        execute_search(execution, path, list);
    else
        execute(execution, path, list);
    if (size)
        raw_unmap(list, size);
}

#define EXECL(name, block)                                                                         \
    int hook_##name(const char *path, const char *first, ...)                                      \
    {                                                                                              \
        struct execution execution;                                                                \
        va_list more;                                                                              \
        va_start(more, first);                                                                     \
        begin(&execution, HOOK_##name, AT_FDCWD, path, HOOK_##name == HOOK_execlp, block);         \
        execute_list(&execution, path, first, &more);                                              \
        va_end(more);                                                                              \
        return failed(&execution);                                                                 \
    }

EXECL(execl, environ)
EXECL(execlp, environ)
EXECL(execle, environment_behind(first, &more))

/* --- spawn ---------------------------------------------------------------------------------- */

/* Before glibc 2.15 both ran a file without a first line as a script of the shell. */
#define SPAWN(function, name, real)                                                                \
    int function(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,          \
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])      \
    {                                                                                              \
        struct execution execution;                                                                \
        int result;                                                                                \
        begin(&execution, HOOK_##name, AT_FDCWD, path, HOOK_##name == HOOK_posix_spawnp, envp);    \
        result = real(pid, path, actions, attributes, argv, execution.environment.block);          \
        end(&execution, result);                                                                   \
        return result;                                                                             \
    }

SPAWN(hook_posix_spawn, posix_spawn, REAL(posix_spawn))
SPAWN(hook_posix_spawnp, posix_spawnp, REAL(posix_spawnp))
SPAWN(old_posix_spawn_old, posix_spawn, REAL_OLD(posix_spawn_old))
SPAWN(old_posix_spawnp_old, posix_spawnp, REAL_OLD(posix_spawnp_old))

/* system and popen spawn /bin/sh from inside libc, with `environ`. */
static uint64_t show_environment(struct call *call)
{
    enum image_class class;
    uint64_t id;

    if (is_deaf()) {
        environment_show(RUN_NO_EXECUTION, IMAGE_UNKNOWN);
        return RUN_NO_EXECUTION;
    }
    if (!self_active() || log_is_quiet())
        return 0;
    id = log_new_id();
    class = image_class_of(AT_FDCWD, "/bin/sh");
    note_execute(call, AT_FDCWD, "/bin/sh", id, class);
    environment_show(id, class);
    return id;
}

static void unshow_environment(struct call *call, uint64_t id, int error)
{
    if (!id)
        return;
    environment_unshow();
    if (error && id != RUN_NO_EXECUTION) {
        call->error = error;
        note_text(call, EVENT_EXECUTE_FAILED, "", id, 0);
    }
}

/* The end of a child that libc waits for. */
static void note_end(struct call *call, uint64_t id, int status)
{
    call->error = status;
    note_text(call, EVENT_PROCESS_EXIT, "", id, RECORD_IMPLIED);
}

int hook_system(const char *command)
{
    struct call call = {.hook = HOOK_system};
    uint64_t id;
    int result;

    if (!command) /* only asks whether there is a shell */
        return REAL(system)(command);
    id = show_environment(&call);
    result = REAL(system)(command);
    unshow_environment(&call, id, ERROR_OF(result, -1));
    if (id && id != RUN_NO_EXECUTION && result != -1)
        note_end(&call, id, result);
    return result;
}

#define POPEN(name)                                                                                \
    FILE *hook_##name(const char *command, const char *mode)                                       \
    {                                                                                              \
        struct call call = {.hook = HOOK_##name};                                                  \
        uint64_t id = show_environment(&call);                                                     \
        FILE *stream = REAL(name)(command, mode);                                                  \
        unshow_environment(&call, id, ERROR_OF(stream, NULL));                                     \
        if (stream && id && id != RUN_NO_EXECUTION)                                                \
            pipes_keep(stream, id);                                                                \
        return stream;                                                                             \
    }

POPEN(popen)
POPEN(_IO_popen)

/* A child of a fork may close what its parent opened: that is not its shell. */
int hook_pclose(FILE *stream)
{
    struct call call = {.hook = HOOK_pclose};
    uint64_t id = pipes_take(stream);
    int result = REAL(pclose)(stream);

    if (id && result != -1 && self_active())
        note_end(&call, id, result);
    return result;
}

/* `...` and $(...), but not the sums of $((...)). */
static bool has_command(const char *words)
{
    for (; *words; words++)
        if (*words == '`' || (words[0] == '$' && words[1] == '(' && words[2] != '('))
            return true;
    return false;
}

static bool is_one_of(char character, const char *set)
{
    while (*set && *set != character)
        set++;
    return *set;
}

/* One word with a wildcard in which nothing else is replaced: libc lists the folder in front of it.
 */
static bool is_pattern(const char *words)
{
    bool wildcard = false;

    for (; *words; words++) {
        if (is_one_of(*words, " \t\n$`\\\"'~|&;<>(){}"))
            return false;
        wildcard |= is_one_of(*words, "*?[");
    }
    return wildcard;
}

int hook_wordexp(const char *words, wordexp_t *to, int flags)
{
    struct call call = {.hook = HOOK_wordexp};
    uint64_t id = 0;
    int result;

    if (!(flags & WRDE_NOCMD) && has_command(words))
        id = show_environment(&call);
    result = REAL(wordexp)(words, to, flags);
    unshow_environment(&call, id, result ? EINVAL : 0);
    if (self_active() && is_pattern(words))
        note_pattern(&call, words);
    return result;
}

/* --- children that share this memory -------------------------------------------------------- */

/* Called by the assembly of vfork_<processor>.S before and, in the parent, after the call. */
void vfork_enter(void);
int vfork_leave(long result);

void vfork_enter(void)
{
    self_thread.asks++;
}

int vfork_leave(long result)
{
    self_thread.asks--;
    if (self_thread.exec_map)
        raw_unmap(self_thread.exec_map, self_thread.exec_map_size);
    self_thread.exec_map = NULL;
    self_thread.guest_pid = 0;
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    return (int)result;
}

/* With CLONE_VM and without CLONE_THREAD the child is another process in this memory, and nobody
 * can tell when it is gone: this thread asks for its pid at every event from now on. */
int hook_clone(int (*function)(void *), void *stack, int flags, void *argument, void *a, void *b,
               void *c)
{
    if ((flags & CLONE_VM) && !(flags & CLONE_THREAD))
        self_thread.asks++;
    return REAL(clone)(function, stack, flags, argument, a, b, c);
}

int hook___clone(int (*function)(void *), void *stack, int flags, void *argument, void *a, void *b,
                 void *c)
{
    return hook_clone(function, stack, flags, argument, a, b, c);
}

/* --- the end of children -------------------------------------------------------------------- */

static void note_exit(struct call *call, pid_t pid, int status, const struct rusage *usage)
{
    struct child_usage counted = {0};

    if (usage) {
        counted.user_us =
            (uint64_t)usage->ru_utime.tv_sec * 1000000u + (uint64_t)usage->ru_utime.tv_usec;
        counted.system_us =
            (uint64_t)usage->ru_stime.tv_sec * 1000000u + (uint64_t)usage->ru_stime.tv_usec;
        counted.max_resident_kib = (uint64_t)usage->ru_maxrss;
    }
    call->error = status;
    note_strings(call, EVENT_PROCESS_EXIT, (const char *)&counted, usage ? sizeof counted : 0, NULL,
                 0, (uint64_t)pid);
}

/* All of the family through wait4, for what the kernel counted; the caller's own places are filled
 * in by the kernel as always. */
static pid_t wait_for(enum hook hook, pid_t pid, int *status, int options, struct rusage *usage)
{
    struct call call = {.hook = hook};
    struct rusage own_usage;
    int own_status = 0;
    int *to_status = status ? status : &own_status;
    struct rusage *to_usage = usage ? usage : &own_usage;
    pid_t result = REAL(wait4)(pid, to_status, options, to_usage);

    if (result > 0 && self_active() && !WIFSTOPPED(*to_status) && !WIFCONTINUED(*to_status))
        note_exit(&call, result, *to_status, to_usage);
    return result;
}

pid_t hook_wait(int *status)
{
    return wait_for(HOOK_wait, -1, status, 0, NULL);
}

pid_t hook___wait(int *status)
{
    return wait_for(HOOK___wait, -1, status, 0, NULL);
}

pid_t hook_waitpid(pid_t pid, int *status, int options)
{
    return wait_for(HOOK_waitpid, pid, status, options, NULL);
}

pid_t hook___waitpid(pid_t pid, int *status, int options)
{
    return wait_for(HOOK___waitpid, pid, status, options, NULL);
}

pid_t hook_wait3(int *status, int options, struct rusage *usage)
{
    return wait_for(HOOK_wait3, -1, status, options, usage);
}

pid_t hook_wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    return wait_for(HOOK_wait4, pid, status, options, usage);
}

/* With a NULL info the kernel tells nobody which child it was: that end stays unknown. */
int hook_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    struct call call = {.hook = HOOK_waitid};
    int result = REAL(waitid)(type, id, info, options);

    if (result == 0 && info && self_active() && info->si_pid && !(options & WNOWAIT)) {
        if (info->si_code == CLD_EXITED)
            note_exit(&call, info->si_pid, info->si_status << 8, NULL);
        else if (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED)
            note_exit(&call, info->si_pid, info->si_status, NULL);
    }
    return result;
}
