/* SPDX-License-Identifier: MIT */
#include "witness_look.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/net.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bytes_hash.h"
#include "tallyman/event.h"
#include "tallyman/record.h"
#include "witness_memory.h"
#include "witness_path.h"

/* --- sights --------------------------------------------------------------------------------- */

/* A new sight whose subject is `length` bytes at view->text + view->used, already written. */
static struct sight *add_sight(struct witness_view *view, uint16_t kind, size_t length,
                               uint32_t flags)
{
    struct sight *sight;

    if (view->sight_count == SIGHTS_MAX)
        return NULL;
    sight = &view->sights[view->sight_count++];
    *sight = (struct sight){
        .kind = kind, .flags = flags, .subject = view->used, .subject_length = length};
    view->used += length + 1;
    return sight;
}

struct sight *witness_add_text(struct witness_view *view, uint16_t kind, const char *text)
{
    size_t length = strlen(text);

    if (SIGHT_ROOM - view->used <= length)
        return NULL;
    memcpy(view->text + view->used, text, length + 1);
    return add_sight(view, kind, length, 0);
}

const char *witness_sight_subject(const struct witness_view *view, const struct sight *sight)
{
    return view->text + sight->subject;
}

/* --- paths ---------------------------------------------------------------------------------- */

/* Moves what starts at the free room behind another text. False when it does not fit. */
static bool put_before(struct witness_view *view, const char *before, size_t length)
{
    char *to = view->text + view->used;
    size_t behind = strlen(to);

    if (SIGHT_ROOM - view->used <= length + behind)
        return false;
    memmove(to + length, to, behind + 1);
    memcpy(to, before, length);
    return true;
}

/* The path in `view->path` made absolute, in the free room. `*error`: what the kernel says when the
 * folder is none. */
static bool make_absolute(struct witness_view *view, int folder, uint32_t *flags, int *error)
{
    char *to = view->text + view->used;
    size_t length = strlen(view->path), before;
    char start[PATH_MAX];

    if (SIGHT_ROOM - view->used < 2 * PATH_MAX)
        return false;
    memcpy(to, view->path, length + 1);
    if (view->path[0] != '/' || view->scoped) {
        before = witness_folder((pid_t)view->notice->pid, folder, start, sizeof start - 1, flags);
        if (before == 0) {
            *flags |= RECORD_UNRESOLVED;
            *error = errno == ENOENT ? EBADF : errno == ENOTDIR ? ENOTDIR : 0;
            return true;
        }
        if (start[before - 1] != '/')
            start[before++] = '/';
        if (!put_before(view, start, before))
            return false;
    }
    if (view->roots_differ) {
        before = witness_folder((pid_t)view->notice->pid, WITNESS_ROOT, start, sizeof start, flags);
        if (before > 1 && (view->path[0] == '/' || strncmp(to, start, before) != 0))
            return put_before(view, start, before);
    }
    return true;
}

void witness_add_check(struct witness_view *view, uint64_t at, const void *bytes, size_t length)
{
    if (view->check_count < CHECKS_MAX)
        view->checks[view->check_count++] =
            (struct sight_check){at, length, bytes_hash(bytes, length, 0)};
}

bool witness_was_changed(const struct witness_view *view)
{
    char now[PATH_MAX];

    for (size_t i = 0; i < view->check_count; i++) {
        const struct sight_check *check = &view->checks[i];
        ssize_t got = witness_read((pid_t)view->notice->pid, check->at, now, check->length);

        if (got == (ssize_t)check->length && bytes_hash(now, check->length, 0) != check->hash)
            return true;
    }
    return false;
}

struct sight *witness_add_unreadable(struct witness_view *view, uint16_t kind, uint32_t flags,
                                     int error)
{
    struct sight *sight = NULL;

    if (error == ENAMETOOLONG && SIGHT_ROOM - view->used >= sizeof view->path) {
        memcpy(view->text + view->used, view->path, sizeof view->path);
        sight = add_sight(view, kind, strlen(view->path), flags | RECORD_CUT);
        if (sight)
            sight->error = ENAMETOOLONG;
    } else if (view->sight_count < SIGHTS_MAX) {
        view->sights[view->sight_count++] =
            (struct sight){.kind = kind, .flags = flags | RECORD_UNREADABLE};
    }
    return NULL;
}

struct sight *witness_look_path(struct witness_view *view, uint16_t kind, int folder, uint64_t path,
                                uint32_t flags)
{
    ssize_t length =
        witness_read_string((pid_t)view->notice->pid, path, view->path, sizeof view->path);
    struct sight *sight;
    int error = 0;

    if (length < 0)
        return witness_add_unreadable(view, kind, flags, errno);
    witness_add_check(view, path, view->path, (size_t)length + 1);
    if (length == 0)
        return NULL; /* names nothing, or the descriptor itself (AT_EMPTY_PATH) */
    if (!make_absolute(view, folder, &flags, &error))
        return witness_add_unreadable(view, kind, flags, EFAULT);
    sight = add_sight(view, kind, strlen(view->text + view->used), flags);
    if (sight)
        sight->error = error;
    return sight;
}

struct sight *witness_look_descriptor(struct witness_view *view, uint16_t kind, int descriptor)
{
    uint32_t flags = 0;
    size_t length = SIGHT_ROOM - view->used < PATH_MAX
                        ? 0
                        : witness_folder((pid_t)view->notice->pid, descriptor,
                                         view->text + view->used, PATH_MAX, &flags);

    return length ? add_sight(view, kind, length, flags) : NULL;
}

/* What a name is made in must be there. */
static bool has_folder(char *path)
{
    size_t end = strlen(path);
    char *slash;
    bool there;

    while (end > 1 && path[end - 1] == '/') /* mkdir a/ */
        end--;
    slash = memrchr(path, '/', end);
    if (!slash || slash == path)
        return true;
    *slash = '\0';
    there = access(path, F_OK) == 0;
    *slash = '/';
    return there;
}

static bool makes_name(const struct sight *sight)
{
    return sight->kind == EVENT_MKDIR || sight->kind == EVENT_SYMLINK ||
           sight->kind == EVENT_MKNOD ||
           (sight->kind == EVENT_WRITE && (sight->flags & RECORD_CREATE));
}

static void check(struct witness_view *view, struct sight *sight, int mode)
{
    char *path = view->text + sight->subject, meaning[PATH_MAX];
    pid_t thread = (pid_t)view->notice->pid;
    size_t length;

    if (sight->flags & RECORD_UNRESOLVED)
        return;
    sight->error =
        witness_look_at(thread, view->task->leader, sight->kind, path, sight->flags, mode);
    if (sight->error == ENOENT && makes_name(sight) && !has_folder(path))
        sight->error = ENOTDIR;
    length = witness_meaning(thread, view->task->leader, path, meaning, sizeof meaning);
    if (length && SIGHT_ROOM - view->used > length) {
        memcpy(view->text + view->used, meaning, length + 1);
        sight->other = view->used;
        sight->other_length = length;
        view->used += length + 1;
    }
}

static int folder_of(const struct witness_view *view, int argument)
{
    return argument == WITNESS_NONE ? AT_FDCWD : (int)(uint32_t)view->args[argument];
}

static int mode_for(const struct witness_view *view, uint16_t kind)
{
    switch (kind) {
    case EVENT_READ:
    case EVENT_LIST:
        return R_OK;
    case EVENT_LOAD:
    case EVENT_CHDIR:
        return X_OK;
    case EVENT_ACCESS:
        return (int)view->args[view->call == WITNESS_CALL_access ? 1 : 2] & (R_OK | W_OK | X_OK);
    default:
        return F_OK;
    }
}

/* A file that has no name any more is nobody's input or output. */
static void look_descriptor(struct witness_view *view, uint16_t kind, int descriptor)
{
    const struct sight *sight = witness_look_descriptor(view, kind, descriptor);

    if (sight && (sight->flags & RECORD_RELATIVE_GONE))
        view->sight_count--;
}

/* The call is about the descriptor that stands in the folder's place. */
static bool is_nameless(const struct witness_view *view, const struct witness_row *row,
                        uint64_t given)
{
    uint64_t path = view->args[row->b];
    char first;

    if (row->a == WITNESS_NONE)
        return false;
    if (path == 0) /* what futimens(3) and futimes(3) are made of */
        return (row->kind == EVENT_UTIME && folder_of(view, row->a) != AT_FDCWD) ||
               (given & AT_EMPTY_PATH);
    return ((given & AT_EMPTY_PATH) || view->call == WITNESS_CALL_readlinkat) &&
           witness_read((pid_t)view->notice->pid, path, &first, 1) == 1 && first == '\0';
}

static void look_path(struct witness_view *view, const struct witness_row *row, uint32_t flags)
{
    uint64_t given =
        row->c == WITNESS_NONE || row->shape == WITNESS_CREATE ? 0 : view->args[row->c];
    uint16_t kind = row->kind;
    struct sight *sight;

    if (is_nameless(view, row, given)) {
        look_descriptor(view, kind, folder_of(view, row->a));
        return;
    }
    if (view->call == WITNESS_CALL_name_to_handle_at)
        flags |= given & AT_SYMLINK_FOLLOW ? 0 : RECORD_NO_FOLLOW;
    else if (given & AT_SYMLINK_NOFOLLOW)
        flags |= RECORD_NO_FOLLOW;
    if (kind == EVENT_UNLINK && (given & AT_REMOVEDIR))
        kind = EVENT_RMDIR;
    sight = witness_look_path(view, kind, folder_of(view, row->a), view->args[row->b], flags);
    if (sight)
        check(view, sight, mode_for(view, kind));
}

/* --- open ----------------------------------------------------------------------------------- */

static void look_written(struct witness_view *view, struct sight *sight, int flags)
{
    sight->kind = EVENT_WRITE;
    sight->flags |= (flags & O_CREAT ? RECORD_CREATE : 0) |
                    (flags & O_TRUNC ? RECORD_TRUNCATE : 0) |
                    (flags & O_APPEND ? RECORD_APPEND : 0);
    check(view, sight, F_OK);
    if ((flags & O_CREAT) && sight->error == 0 && !(flags & O_TRUNC))
        sight->flags |= RECORD_EXISTED;
    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) && sight->error == 0) {
        sight->error = EEXIST;
        sight->flags &= ~RECORD_EXISTED;
    }
}

/* As the shim tells the kinds of open apart (preload/hooks_file.c, note_opening). */
static void look_open(struct witness_view *view, int folder, uint64_t path, int flags)
{
    bool reads = (flags & O_ACCMODE) != O_WRONLY;
    bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
    uint32_t follow = flags & O_NOFOLLOW ? RECORD_NO_FOLLOW : 0;
    uint16_t kind = flags & O_PATH ? EVENT_STAT : flags & O_DIRECTORY ? EVENT_LIST : EVENT_READ;
    struct sight *sight = witness_look_path(view, kind, folder, path, follow), *read;

    if (!sight)
        return;
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        sight->kind = EVENT_WRITE;
        sight->flags = RECORD_UNNAMED;
        check(view, sight, F_OK);
    } else if (flags & O_PATH) {
        sight->flags |= RECORD_PATH_ONLY;
        check(view, sight, F_OK);
    } else if ((flags & O_DIRECTORY) || !writes) {
        check(view, sight, R_OK);
    } else {
        look_written(view, sight, flags);
        if (!reads || ((flags & (O_CREAT | O_TRUNC)) && !(sight->flags & RECORD_EXISTED)))
            return;
        read = view->sight_count < SIGHTS_MAX ? &view->sights[view->sight_count++] : NULL;
        if (read) {
            *read = *sight;
            read->kind = EVENT_READ;
            read->flags = follow;
        }
    }
}

static void look_open_how(struct witness_view *view, const struct witness_row *row)
{
    struct open_how how = {0};
    size_t size = view->args[3] < sizeof how ? (size_t)view->args[3] : sizeof how;

    if (witness_read((pid_t)view->notice->pid, view->args[row->c], &how, size) != (ssize_t)size) {
        witness_add_unreadable(view, row->kind, 0, EFAULT);
        return;
    }
    view->scoped = how.resolve & RESOLVE_IN_ROOT;
    look_open(view, folder_of(view, row->a), view->args[row->b], (int)how.flags);
}

/* --- two paths ------------------------------------------------------------------------------ */

/* The second path becomes `other` of the first. */
static void look_pair(struct witness_view *view, const struct witness_row *row)
{
    int second = row->a == WITNESS_NONE ? row->b + 1 : row->b + 2;
    int folder = row->a == WITNESS_NONE ? AT_FDCWD : (int)(uint32_t)view->args[row->b + 1];
    bool nameless = view->call == WITNESS_CALL_linkat && is_nameless(view, row, view->args[4]);
    struct sight *from = nameless
                             ? witness_look_descriptor(view, row->kind, folder_of(view, row->a))
                             : witness_look_path(view, row->kind, folder_of(view, row->a),
                                                 view->args[row->b], RECORD_NO_FOLLOW);
    struct sight *to;

    if (!from)
        return;
    if (!nameless)
        check(view, from, F_OK);
    to = witness_look_path(view, row->kind, folder, view->args[second], RECORD_NO_FOLLOW);
    if (to) {
        from->other = to->subject;
        from->other_length = to->subject_length;
        from->flags |= to->flags & RECORD_UNRESOLVED;
        view->sight_count--;
    } else {
        from->flags |= RECORD_UNREADABLE;
    }
}

static void look_symlink(struct witness_view *view, const struct witness_row *row)
{
    struct sight *link = witness_look_path(view, row->kind, folder_of(view, row->a),
                                           view->args[row->b], RECORD_NO_FOLLOW);
    char *text = view->text + view->used;
    ssize_t length;

    if (!link)
        return;
    check(view, link, F_OK);
    text = view->text + view->used;
    length = witness_read_string((pid_t)view->notice->pid, view->args[row->c], text,
                                 SIGHT_ROOM - view->used < PATH_MAX ? SIGHT_ROOM - view->used
                                                                    : PATH_MAX);
    if (length < 0)
        return;
    link->other = view->used;
    link->other_length = (size_t)length;
    view->used += (size_t)length + 1;
}

/* --- sockets -------------------------------------------------------------------------------- */

static void look_row(struct witness_view *view, const struct witness_row *row);

/* socketcall(2) of 32-bit programs: a number and an array of the arguments. */
static void look_multiplexed(struct witness_view *view)
{
    uint32_t args[6] = {0};
    size_t size = 3 * sizeof *args;

    switch ((uint32_t)view->args[0]) {
    case SYS_BIND:
        view->call = WITNESS_CALL_bind;
        break;
    case SYS_CONNECT:
        view->call = WITNESS_CALL_connect;
        break;
    case SYS_SENDTO:
        view->call = WITNESS_CALL_sendto;
        size = sizeof args;
        break;
    case SYS_SENDMSG:
        view->call = WITNESS_CALL_sendmsg;
        break;
    case SYS_SENDMMSG:
        view->call = WITNESS_CALL_sendmmsg;
        size = 4 * sizeof *args;
        break;
    default:
        return;
    }
    if (witness_read((pid_t)view->notice->pid, view->args[1], args, size) != (ssize_t)size) {
        witness_add_unreadable(view, EVENT_CONNECT, 0, EFAULT);
        return;
    }
    for (size_t i = 0; i < 6; i++)
        view->args[i] = args[i];
    look_row(view, &witness_rows[view->call]);
}

/* --- values --------------------------------------------------------------------------------- */

/* The words are those of the shim's hooks (hooks.def). */
static const char *value_of(enum witness_call call)
{
    switch (call) {
    case WITNESS_CALL_getrandom:
        return "getrandom";
    case WITNESS_CALL_sysinfo:
        return "system";
    case WITNESS_CALL_sched_getaffinity:
        return "affinity";
    case WITNESS_CALL_getcpu:
        return "current";
    default:
        return "kernel";
    }
}

bool witness_has_capability(pid_t thread, unsigned number)
{
    char name[48], line[256];
    unsigned long long set = 0;
    FILE *status;

    snprintf(name, sizeof name, "/proc/%d/status", (int)thread);
    status = fopen(name, "re");
    if (!status)
        return true;
    while (fgets(line, sizeof line, status)) {
        if (sscanf(line, "CapEff: %llx", &set) == 1)
            break;
    }
    fclose(status);
    return set >> number & 1;
}

#define CAPABILITY_CHROOT 18
#define CAPABILITY_ADMIN  21

/* Without the capability the call fails and changes nothing. */
static void look_privileged(struct witness_view *view)
{
    unsigned needed = view->call == WITNESS_CALL_chroot ? CAPABILITY_CHROOT : CAPABILITY_ADMIN;
    struct sight *sight;

    if (view->call == WITNESS_CALL_setns && view->args[1] && !(view->args[1] & CLONE_NEWNS))
        return; /* into a namespace of another kind; 0 stands for any */
    if (!witness_has_capability((pid_t)view->notice->pid, needed))
        return;
    view->roots_differ = true;
    sight = witness_add_text(view, EVENT_BLIND_SPOT, "changed-root");
    if (sight && witness_add_text(view, EVENT_BLIND_SPOT, witness_rows[view->call].name)) {
        sight->other = view->sights[view->sight_count - 1].subject;
        sight->other_length = view->sights[view->sight_count - 1].subject_length;
        view->sight_count--;
    }
}

static void look_row(struct witness_view *view, const struct witness_row *row)
{
    switch ((enum witness_shape)row->shape) {
    case WITNESS_OPEN:
        look_open(view, folder_of(view, row->a), view->args[row->b], (int)view->args[row->c]);
        break;
    case WITNESS_OPEN_HOW:
        look_open_how(view, row);
        break;
    case WITNESS_CREATE:
        look_open(view, folder_of(view, row->a), view->args[row->b], O_WRONLY | O_CREAT | O_TRUNC);
        break;
    case WITNESS_HANDLE:
        witness_add_unreadable(view, row->kind, 0, EFAULT);
        break;
    case WITNESS_PATH:
        look_path(view, row, 0);
        break;
    case WITNESS_LINK:
        look_path(view, row, RECORD_NO_FOLLOW);
        break;
    case WITNESS_PAIR:
        look_pair(view, row);
        break;
    case WITNESS_TEXT:
        look_symlink(view, row);
        break;
    case WITNESS_DESCRIPTOR:
        look_descriptor(view, row->kind, folder_of(view, row->a));
        break;
    case WITNESS_ADDRESS:
        witness_look_address(view, row->kind, view->args[row->b], (uint32_t)view->args[row->c]);
        break;
    case WITNESS_MESSAGE:
        witness_look_messages(view, row);
        break;
    case WITNESS_MULTIPLEX:
        look_multiplexed(view);
        break;
    case WITNESS_CLOCK:
        witness_add_text(view, row->kind, "realtime");
        break;
    case WITNESS_VALUE:
    case WITNESS_REFUSE:
        witness_add_text(view, row->kind, value_of(view->call));
        break;
    case WITNESS_PRIVILEGED:
        look_privileged(view);
        break;
    case WITNESS_EXECUTE:
        break; /* witness_exec.h */
    }
}

void witness_look(struct witness_view *view)
{
    look_row(view, &witness_rows[view->call]);
}
