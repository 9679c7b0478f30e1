/* SPDX-License-Identifier: MIT
 *
 * A program without shim cannot say that it started, with what arguments and in what environment.
 * The witness says it for it, once its exec has succeeded.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command_image.h"
#include "signals.h"
#include "tallyman/event.h"
#include "vdso.h"
#include "witness_inner.h"
#include "witness_memory.h"
#include "witness_path.h"

#define PRELOAD     "LD_PRELOAD="
#define RUN         TALLYMAN_RUN_VARIABLE "="
#define SHIM_NAME   "/libtallyman.so"
#define RUN_BITS    (RUN_PLAIN_IMAGE | RUN_WITNESSED)
#define TRACE       "LD_TRACE_LOADED_OBJECTS="
#define POINTERS    512
#define ENTRIES_MAX 1000000
#define STRINGS     (4u << 20) /* bytes of arguments or environment that are looked at */
#define GO_MS       5000

/* --- before: does the new image get the shim? ----------------------------------------------- */

static uint64_t pointer_at(const void *array, size_t index, size_t word)
{
    uint64_t value = 0;

    memcpy(&value, (const char *)array + index * word, word);
    return value;
}

/* The id in an entry of the environment: its last 16 digits. */
static uint64_t execution_in(const char *environment, size_t size)
{
    for (const char *entry = environment; entry < environment + size; entry += strlen(entry) + 1) {
        const char *digits = strrchr(entry, ':');

        if (strncmp(entry, RUN, sizeof RUN - 1) == 0 && digits)
            return strtoull(digits + 1, NULL, 16) & ~RUN_BITS;
    }
    return RUN_NO_EXECUTION;
}

/* What an environment says of the image that gets it. */
struct given {
    bool preload, run;  /* our two variables */
    uint64_t execution; /* the id in the second */
    bool lists_only;    /* the loader prints its libraries and runs nothing (ldd) */
};

static void take_entry(struct given *given, pid_t thread, uint64_t at)
{
    char text[PATH_MAX];

    if (witness_read_string(thread, at, text, sizeof text) < 0 && errno != ENAMETOOLONG)
        return;
    if (strncmp(text, RUN, sizeof RUN - 1) == 0) {
        given->run = true;
        given->execution = execution_in(text, strlen(text) + 1);
    }
    given->lists_only |= strncmp(text, TRACE, sizeof TRACE - 1) == 0;
    given->preload |= strncmp(text, PRELOAD, sizeof PRELOAD - 1) == 0 && strstr(text, SHIM_NAME);
}

static uint64_t count_entries(pid_t thread, uint64_t environment, size_t word)
{
    char pointers[POINTERS * 8];
    uint64_t count = 0;

    while (environment && count < ENTRIES_MAX) {
        uint64_t at = environment + count * word;
        size_t room = POINTERS * word, page = 4096 - (size_t)(at % 4096), here = 0;
        ssize_t got = witness_read(thread, at, pointers, room < page ? room : page);

        while (got > 0 && here < (size_t)got / word && pointer_at(pointers, here, word))
            here++;
        count += here;
        if (got <= 0 || here < (size_t)got / word)
            break;
    }
    return count;
}

/* Our two variables stand last in what the shim hands on, so the search goes backwards. */
static struct given look_for_shim(pid_t thread, uint64_t environment, size_t word)
{
    struct given given = {.execution = RUN_NO_EXECUTION};
    uint64_t count = count_entries(thread, environment, word);

    while (count-- && !(given.preload && given.run)) {
        char pointer[8];

        if (witness_read(thread, environment + count * word, pointer, word) != (ssize_t)word)
            break;
        take_entry(&given, thread, pointer_at(pointer, 0, word));
    }
    return given;
}

static bool reports_in(const struct witness *witness, enum image_class class)
{
    return class == IMAGE_EXPECTED || class == IMAGE_SCRIPT || class == IMAGE_GO ||
           class == IMAGE_UNKNOWN || class == IMAGE_OTHER ||
           (class == IMAGE_SECURE && witness->listener.unprivileged);
}

/* --- after: what it is ---------------------------------------------------------------------- */

struct announcing {
    struct witness *witness;
    const struct witness_exec *exec;
};

static char *read_strings(pid_t pid, uint64_t at, uint64_t size, size_t *got)
{
    size_t wanted = size < STRINGS ? (size_t)size : STRINGS;
    char *text = xmalloc(wanted + 1);
    ssize_t done = wanted ? witness_read(pid, at, text, wanted) : 0;

    *got = done > 0 ? (size_t)done : 0;
    text[*got] = '\0';
    return text;
}

static struct record head_for(const struct witness_exec *exec, uint64_t id, uint16_t kind)
{
    return (struct record){.kind = kind,
                           .hook = WITNESS_CALL_execve,
                           .process = id,
                           .pid = exec->pid,
                           .thread = exec->pid,
                           .flags = RECORD_WITNESS,
                           .time = signals_clock()};
}

static void write_arguments(struct witness *witness, const struct witness_exec *exec, uint64_t id,
                            const char *text, size_t size)
{
    struct record head = head_for(exec, id, EVENT_PROCESS_ARGUMENT);

    for (const char *at = text; at < text + size; at += strlen(at) + 1, head.value++) {
        size_t length = strlen(at);

        if (head.value == ARGUMENTS_MAX) {
            at = "...";
            length = 3;
        }
        head.flags = RECORD_WITNESS |
                     (length > ARGUMENT_MAX || head.value == ARGUMENTS_MAX ? RECORD_CUT : 0);
        witness_write(witness, &head, at, length < ARGUMENT_MAX ? length : ARGUMENT_MAX, NULL, 0);
        if (head.value == ARGUMENTS_MAX)
            return;
    }
}

static const char *const secret_words[] = {
#define SECRET(word) word,
#include "tallyman/secrets.def"
#undef SECRET
};

static bool looks_secret(const char *name)
{
    for (size_t i = 0; i < sizeof secret_words / sizeof *secret_words; i++) {
        if (strcasestr(name, secret_words[i]))
            return true;
    }
    return false;
}

/* FNV-1a, as the shim hashes values: equal on all machines. */
static uint64_t hash_of(const char *bytes, size_t length, uint64_t hash)
{
    while (length--)
        hash = (hash ^ (unsigned char)*bytes++) * UINT64_C(0x100000001b3);
    return hash;
}

#define HASH_START UINT64_C(0xcbf29ce484222325)

static void write_entry(struct witness *witness, struct record *head, const char *entry)
{
    const char *equals = strchr(entry, '=');
    size_t length = equals ? (size_t)(equals - entry) : strlen(entry);
    cleanup_free char *name = xmemdup(entry, length);
    uint64_t hash = equals ? hash_of(equals + 1, strlen(equals + 1), HASH_START) : 0;
    bool shown = equals && !looks_secret(name);

    witness_write(witness, head, entry, length, shown ? (const char *)&hash : NULL,
                  shown ? sizeof hash : 0);
}

/* True for the two variables that are there because of us. LD_PRELOAD that names others, too, is
 * the build's own. */
static bool is_ours(const char *entry)
{
    const char *value = entry + sizeof PRELOAD - 1;

    if (strncmp(entry, RUN, sizeof RUN - 1) == 0)
        return true;
    return strncmp(entry, PRELOAD, sizeof PRELOAD - 1) == 0 && strstr(value, SHIM_NAME) &&
           !strpbrk(value, ": ");
}

static void write_environment(struct witness *witness, const struct witness_exec *exec, uint64_t id,
                              const char *text, size_t size)
{
    struct record head = head_for(exec, id, EVENT_ENVIRONMENT_BLOCK);

    head.value = HASH_START;
    for (const char *entry = text; entry < text + size; entry += strlen(entry) + 1) {
        if (!is_ours(entry))
            head.value = hash_of(entry, strlen(entry) + 1, head.value);
    }
    witness_write(witness, &head, "", 0, NULL, 0);
    if (!log_pen_first_environment(witness->pen, head.value))
        return;
    head.kind = EVENT_ENVIRONMENT_ENTRY;
    for (const char *entry = text; entry < text + size; entry += strlen(entry) + 1) {
        if (!is_ours(entry))
            write_entry(witness, &head, entry);
    }
}

/* The file that runs, by the kernel's name; where the exec may not have happened yet, the file that
 * was asked for. */
static size_t program_of(const struct witness_exec *exec, char *to, size_t room)
{
    cleanup_free char *link = xprintf("/proc/%d/exe", (int)exec->process);
    ssize_t got = exec->path && !exec->look ? snprintf(to, room, "%s", exec->path)
                                            : readlink(link, to, room - 1);

    return got > 0 && (size_t)got < room ? (size_t)got : 0;
}

uint64_t witness_announce(struct witness *witness, const struct witness_exec *exec, uint64_t how,
                          uint64_t from)
{
    uint64_t id = log_pen_new_id(witness->pen);
    struct record head = head_for(exec, id, EVENT_PROCESS_START);
    char program[PATH_MAX], folder[PATH_MAX];
    uint32_t flags = 0;
    size_t length = witness_folder(exec->process, AT_FDCWD, folder, sizeof folder, &flags);

    if (id == 0)
        return 0;
    head.value = how | (uint64_t)exec->class << START_CLASS_SHIFT | from << 8;
    head.error = (int32_t)exec->parent;
    witness_write(witness, &head, program, program_of(exec, program, sizeof program), folder,
                  length);
    witness_task_set_image(exec->leader, id);
    return id;
}

/* Not before it is known that the call was made: one that is interrupted is reported once more. */
static void write_call(struct witness *witness, const struct witness_exec *exec)
{
    const char class = (char)exec->class;

    if (exec->call.kind == EVENT_EXECUTE)
        witness_write(witness, &exec->call, exec->path, strlen(exec->path), &class, 1);
}

static void announce_image(const struct vdso_image *image, void *context)
{
    const struct announcing *announcing = context;
    struct witness *witness = announcing->witness;
    const struct witness_exec *exec = announcing->exec;
    size_t arguments_size, environment_size;
    cleanup_free char *arguments =
        read_strings(image->pid, image->arguments, image->arguments_size, &arguments_size);
    cleanup_free char *environment =
        read_strings(image->pid, image->environment, image->environment_size, &environment_size);
    uint64_t id;

    write_call(witness, exec);
    if (!exec->announce)
        return;
    id = witness_announce(witness, exec, START_EXECUTED,
                          execution_in(environment, environment_size));
    if (id == 0)
        return;
    write_arguments(witness, exec, id, arguments, arguments_size);
    write_environment(witness, exec, id, environment, environment_size);
}

static void blind(struct witness *witness, const struct witness_exec *exec, const char *class)
{
    witness_blind_spot(witness, exec->pid, exec->parent, class, exec->path, strlen(exec->path));
}

/* Without going with it: it is not known whether the exec succeeds, nor can its clock be seen. */
static void let_go(struct witness *witness, struct witness_exec *exec, const char *why)
{
    if (!witness_answer(witness, exec->notice, 0))
        return;
    write_call(witness, exec);
    if (exec->announce)
        witness_announce(witness, exec, START_EXECUTED, exec->execution);
    if (!exec->lists_only)
        blind(witness, exec, why);
}

static void go_with(struct witness *witness, struct witness_exec *exec)
{
    struct announcing announcing = {witness, exec};
    struct vdso_trace trace;
    enum vdso_outcome outcome;
    int error = exec->look ? vdso_seize(&trace, exec->process, exec->thread) : EPERM;

    if (error == ESRCH)
        return;
    if (error) {
        let_go(witness, exec, error == EBUSY ? "traced" : "vdso-clock");
        return;
    }
    witness_answer(witness, exec->notice, 0);
    do
        outcome = vdso_wait(&trace, GO_MS, announce_image, &announcing);
    while (outcome == VDSO_PENDING);
    if (outcome == VDSO_KEPT)
        blind(witness, exec, "vdso-clock");
}

/* --- the queue ------------------------------------------------------------------------------ */

static struct witness_exec *next_exec(struct witness *witness)
{
    struct witness_exec *exec;

    pthread_mutex_lock(&witness->lock);
    while (!witness->first && !atomic_load(&witness->stop))
        pthread_cond_wait(&witness->more, &witness->lock);
    exec = witness->first;
    if (exec && !(witness->first = exec->next))
        witness->last = &witness->first;
    pthread_mutex_unlock(&witness->lock);
    return exec;
}

void *witness_go_with_execs(void *context)
{
    struct witness *witness = context;
    struct witness_exec *exec;

    while ((exec = next_exec(witness))) {
        go_with(witness, exec);
        free(exec->path);
        free(exec);
    }
    return NULL;
}

static void queue(struct witness *witness, struct witness_exec *exec)
{
    pthread_mutex_lock(&witness->lock);
    *witness->last = exec;
    witness->last = &exec->next;
    pthread_cond_signal(&witness->more);
    pthread_mutex_unlock(&witness->lock);
}

/* --- the report ----------------------------------------------------------------------------- */

/* What the supervisor itself started is no access of the build's. */
static void forget_command(struct witness *witness, struct witness_view *view)
{
    if (witness->command_seen || view->task->parent != (uint32_t)getpid())
        return;
    witness->command_seen = true;
    view->sight_count = 0;
}

#define REACH_ROOM (PATH_MAX + 64)

/* execveat(2) of a descriptor names its file by an empty path. `reach` gets the name by which we
 * can open the file. */
static struct sight *look_program(struct witness_view *view, char *reach)
{
    const struct witness_row *row = &witness_rows[view->call];
    int folder = row->a == WITNESS_NONE ? AT_FDCWD : (int)(uint32_t)view->args[row->a];
    struct sight *sight = witness_look_path(view, EVENT_EXECUTE, folder, view->args[row->b], 0);

    if (sight) {
        witness_reach((pid_t)view->notice->pid, view->task->leader,
                      witness_sight_subject(view, sight), reach, REACH_ROOM);
    } else if (view->sight_count == 0 && folder >= 0 && (view->args[4] & AT_EMPTY_PATH)) {
        snprintf(reach, REACH_ROOM, "/proc/%d/fd/%d", (int)view->notice->pid, folder);
        sight = witness_look_descriptor(view, EVENT_EXECUTE, folder);
    }
    return sight;
}

static void add_class(struct witness_view *view, struct sight *sight, enum image_class class)
{
    view->text[view->used] = (char)class;
    sight->other = view->used++;
    sight->other_length = 1;
}

static void note_dropped_privileges(struct witness *witness, const struct witness_view *view,
                                    const struct sight *sight)
{
    witness_blind_spot(witness, view->task->pid, view->task->parent, "unprivileged",
                       witness_sight_subject(view, sight), sight->subject_length);
}

static struct record call_of(const struct witness_view *view, const struct sight *sight)
{
    return (struct record){.kind = view->sight_count ? EVENT_EXECUTE : EVENT_NONE,
                           .hook = (uint16_t)view->call,
                           .process = witness_task_image(view->leader),
                           .pid = view->task->pid,
                           .thread = view->notice->pid,
                           .flags = sight->flags | RECORD_WITNESS,
                           .time = view->time,
                           .value = view->task->parent};
}

/* The call is recorded by the thread that goes with it. */
static void start_going_with(struct witness *witness, struct witness_view *view,
                             const struct sight *sight, enum image_class class,
                             const struct given *given, bool shim)
{
    struct witness_exec *exec = xcalloc(1, sizeof *exec);

    *exec = (struct witness_exec){
        .notice = view->notice->id,
        .thread = (pid_t)view->notice->pid,
        .process = view->task->leader,
        .pid = view->task->pid,
        .parent = view->task->parent,
        .leader = view->leader,
        .class = class,
        .announce = !shim,
        .look = class != IMAGE_SECURE && !given->lists_only,
        .lists_only = given->lists_only,
        .execution = given->execution,
        .call = call_of(view, sight),
        .path = xmemdup(witness_sight_subject(view, sight), sight->subject_length)};
    view->sight_count = 0;
    queue(witness, exec);
}

/* Class of the image, and whether the shim will be in it. A look from outside another root may miss
 * a file that is there. */
static enum image_class look_class(struct witness *witness, struct witness_view *view,
                                   struct sight *sight, const char *reach)
{
    struct image_starter starter;

    if (sight->flags & RECORD_UNRESOLVED)
        return IMAGE_UNKNOWN;
    sight->error = witness_look_at((pid_t)view->notice->pid, view->task->leader, EVENT_EXECUTE,
                                   reach, sight->flags, X_OK);
    if (view->roots_differ)
        sight->error = 0;
    if (sight->error)
        return IMAGE_UNKNOWN;
    starter = witness_task_starter((pid_t)view->notice->pid);
    return command_image_of(reach, witness->serves_siblings, &starter);
}

void witness_exec(struct witness *witness, struct witness_view *view)
{
    const struct witness_row *row = &witness_rows[view->call];
    char reach[REACH_ROOM];
    struct sight *sight = look_program(view, reach);
    enum image_class class = IMAGE_UNKNOWN;
    struct given given = {.execution = RUN_NO_EXECUTION};
    bool shim = false;

    if (sight) {
        class = look_class(witness, view, sight, reach);
        given = look_for_shim((pid_t)view->notice->pid, view->args[row->c + 1], view->abi->word);
        shim = reports_in(witness, class) && given.preload && given.run;
        add_class(view, sight, class);
    }
    witness_note_change(witness, view);
    forget_command(witness, view);
    if (!sight || sight->error || (shim && class != IMAGE_GO)) {
        if (sight && sight->error == 0 && class == IMAGE_SECURE)
            note_dropped_privileges(witness, view, sight);
        if (sight && sight->error == 0 && witness_task_image(view->leader))
            witness_task_set_image(view->leader, 0);
        witness_answer(witness, view->notice->id, 0);
    } else {
        start_going_with(witness, view, sight, class, &given, shim);
    }
}
