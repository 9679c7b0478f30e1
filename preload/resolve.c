/* SPDX-License-Identifier: MIT
 *
 * The algorithm is that of glibc since 2.33: a path is resolved part by part with readlink; only
 * where slashes, "." or ".." follow is a part asked whether it is a folder. A part that is not
 * there or out of reach ends it, and what was done so far is what the caller's buffer holds then.
 * Of other failures releases of glibc leave different things in the buffer: those are libc's.
 */
#include "resolve.h"

#include <errno.h>
#include <unistd.h>

#include "raw.h"
#include "real.h"
#include "text.h"

#define ROOM      640u /* for each of the two; longer ones are libc's */
#define LINKS_MAX 40   /* MAXSYMLINKS of the kernel */

static const char folder_suffix[] = "/";

struct walk {
    char done[ROOM]; /* resolved so far; ends in a slash only at the root or after going back */
    size_t length;
    char rest[ROOM]; /* what remains once a link was met, at the end */
    const char *next;
    int links;
    int error; /* what libc would leave in errno, 0: nothing */
};

enum verdict { GO_ON, FAILED, UNDECIDED };

/* To the folder above, its slash included. */
static void go_back(struct walk *walk)
{
    if (walk->length <= 1)
        return;
    do
        walk->length--;
    while (walk->done[walk->length - 1] != '/');
}

static bool begin(struct walk *walk, const char *path)
{
    long got;

    walk->done[0] = '/';
    walk->length = 1;
    walk->next = path;
    walk->links = 0;
    walk->error = 0;
    if (path[0] == '/')
        return true;
    got = raw_getcwd(walk->done, ROOM);
    walk->length = got > 0 ? (size_t)got - 1 : 0;
    return path[0] && walk->length && walk->done[0] == '/';
}

static bool ends_part(char letter)
{
    return letter == '/' || letter == '\0';
}

/* Slashes at the end, or behind them "." at the end or ".." anywhere. */
static bool asks_for_folder(const char *end)
{
    while (*end == '/') {
        while (*end == '/')
            end++;
        if (*end == '\0')
            return true;
        if (*end++ != '.')
            return false;
        if (*end == '\0' || (*end == '.' && ends_part(end[1])))
            return true;
    }
    return false;
}

/* Whether the last part is a folder: 0 or -errno. With the rights that count for opening, as libc
 * asks. */
static long try_folder(struct walk *walk)
{
    text_copy(walk->done + walk->length, folder_suffix, sizeof folder_suffix);
    return DOOR(SYS_faccessat2, AT_FDCWD, walk->done, F_OK, AT_EACCESS, 0, 0);
}

/* Moves up within one buffer, last byte first. */
static char *move_up(char *to, const char *from, size_t length)
{
    while (length--)
        to[length] = from[length];
    return to;
}

/* Puts the text of a link, which stands at the start of `rest`, in front of what remains. */
static enum verdict follow_link(struct walk *walk, size_t length)
{
    size_t remaining = text_length(walk->next) + 1;
    bool inside = walk->next >= walk->rest && walk->next < walk->rest + ROOM;

    if (++walk->links > LINKS_MAX || remaining + length > ROOM)
        return UNDECIDED;
    if (!inside)
        walk->next = move_up(walk->rest + ROOM - remaining, walk->next, remaining);
    walk->next = move_up(walk->rest + ROOM - remaining - length, walk->rest, length);
    if (walk->next[0] == '/')
        walk->length = 1;
    else
        go_back(walk);
    return GO_ON;
}

static enum verdict fail(struct walk *walk, long error)
{
    walk->error = (int)error;
    return error == ENOENT || error == EACCES ? FAILED : UNDECIDED;
}

/* Reads the last part of `done`, whose rest is `next`. */
static enum verdict look(struct walk *walk)
{
    bool inside = walk->next >= walk->rest && walk->next < walk->rest + ROOM;
    size_t room = inside ? (size_t)(walk->next - walk->rest) : ROOM;
    long got = room < 2 ? 0 : raw_readlink(walk->done, walk->rest, room), folder;

    if (got >= 0)
        return got == 0 || (size_t)got == room ? UNDECIDED : follow_link(walk, (size_t)got);
    if (!asks_for_folder(walk->next)) {
        if (got != -EINVAL)
            return fail(walk, -got);
        walk->error = EINVAL;
        return GO_ON;
    }
    folder = try_folder(walk);
    if (folder != 0)
        return fail(walk, -folder);
    walk->error = (int)-got;
    return GO_ON;
}

static enum verdict add_part(struct walk *walk, const char *part, size_t length)
{
    if (walk->done[walk->length - 1] != '/')
        walk->done[walk->length++] = '/';
    if (walk->length + length + sizeof folder_suffix > ROOM)
        return UNDECIDED;
    text_copy(walk->done + walk->length, part, length);
    walk->length += length;
    walk->done[walk->length] = '\0';
    return look(walk);
}

static enum verdict resolve(struct walk *walk)
{
    enum verdict verdict = GO_ON;

    while (verdict == GO_ON) {
        const char *part = walk->next;
        size_t length = 0;

        while (*part == '/')
            part++;
        while (!ends_part(part[length]))
            length++;
        walk->next = part + length;
        if (length == 0)
            break;
        if (part[0] == '.' && length == 1)
            continue;
        if (part[0] == '.' && part[1] == '.' && length == 2)
            go_back(walk);
        else
            verdict = add_part(walk, part, length);
    }
    if (verdict == GO_ON && walk->length > 1 && walk->done[walk->length - 1] == '/')
        walk->length--;
    if (verdict != UNDECIDED)
        walk->done[walk->length] = '\0';
    return verdict;
}

/* The algorithm came with the release that began to export stat. */
static bool is_libcs_way(void)
{
    static bool looked, found;

    if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&found, real_in_libc("stat") != NULL, __ATOMIC_RELAXED);
        __atomic_store_n(&looked, true, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&found, __ATOMIC_RELAXED);
}

typedef char *duplicate(const char *);

/* Never inlined: libc's function, called next where this one does not decide, needs stack, too. */
__attribute__((noinline)) bool resolve_path(const char *path, char *to, char **result)
{
    duplicate *copy = to ? NULL : (duplicate *)real_in_libc("__strdup");
    enum verdict verdict = UNDECIDED;
    struct walk walk;

    if (path && (to || copy) && is_libcs_way() && begin(&walk, path))
        verdict = resolve(&walk);
    if (verdict == UNDECIDED)
        return false;
    if (walk.error)
        errno = walk.error;
    *result = verdict == GO_ON ? to : NULL;
    if (to)
        text_copy(to, walk.done, walk.length + 1);
    else if (verdict == GO_ON)
        *result = copy(walk.done);
    return true;
}
