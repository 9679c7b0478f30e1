/* SPDX-License-Identifier: MIT
 *
 *   resolve_program SEED
 *
 * Makes random trees of folders, files and links in the current folder and asks for random paths in
 * them twice: by realpath as every program calls it, and by libc's own, which no preload stands
 * before. Prints each difference in result, errno and buffer, then how many paths were asked for.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TREES  40
#define THINGS 24
#define PATHS  300
#define PLACES 60
#define NOBODY 65534

typedef char *resolver(const char *, char *);

static resolver *of_libc;
static char places[PLACES][PATH_MAX]; /* of the tree, as relative paths */
static int place_count;
static char top[PATH_MAX];
static int asked, resolved, different;

static unsigned below(unsigned end)
{
    return (unsigned)random() % end;
}

/* --- trees ---------------------------------------------------------------------------------- */

static const char *random_name(void)
{
    static char name[256];
    unsigned kind = below(40);
    size_t length = kind == 0 ? 255 : kind < 4 ? 100 : 1 + below(8) / 7;

    for (size_t i = 0; i < length; i++)
        name[i] = (char)('a' + (char)below(3));
    name[length] = '\0';
    return name;
}

static const char *random_place(void)
{
    return place_count ? places[below((unsigned)place_count)] : "absent";
}

/* Adds to `to`, which has `room` bytes: parts that may be there or not, with all that slashes and
 * dots can do. */
static void add_parts(char *to, size_t room, unsigned count)
{
    static const char *const odd[] = {".", "..", "../..", "./", "", "//", "..a", ".a", "absent"};
    size_t used = strlen(to);

    while (count--) {
        const char *part = below(3) ? random_name() : odd[below(sizeof odd / sizeof *odd)];

        if (used + strlen(part) + 2 >= room)
            return;
        used += (size_t)snprintf(to + used, room - used, "%s%s", used ? "/" : "", part);
    }
}

static void random_path(char *to, size_t room)
{
    static const char *const starts[] = {"", "", "/", "//"};
    static const char *const ends[] = {"", "", "", "/", "/.", "/..", "//", "/./", "/../.", "/.a"};

    to[0] = '\0';
    if (below(3) == 0)
        snprintf(to, room, "%s%s", starts[below(4)], top + 1);
    if (below(3))
        snprintf(to + strlen(to), room - strlen(to), "%s%s", to[0] ? "/" : "", random_place());
    add_parts(to, room, below(3));
    if (strlen(to) + 8 < room)
        strcat(to, ends[below(sizeof ends / sizeof *ends)]);
}

/* Links lead anywhere, out of the tree as well: what is changed must be reached without them. */
static int open_place(const char *path, uint64_t flags)
{
    struct open_how how = {.flags = flags | O_CLOEXEC,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};

    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

static int make_in(int folder, const char *name)
{
    char text[PATH_MAX];

    switch (below(5)) {
    case 0:
        return close(openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600));
    case 1:
    case 2:
        return mkdirat(folder, name, 0755);
    default:
        random_path(text, below(8) ? 200 : 4000);
        return symlinkat(text[0] ? text : "x", folder, name);
    }
}

static void make_thing(void)
{
    const char *parent = place_count && below(3) ? random_place() : ".", *name = random_name();
    int folder = open_place(parent, O_PATH | O_DIRECTORY);
    char path[PATH_MAX];

    if (folder < 0)
        return;
    if (make_in(folder, name) == 0 && place_count < PLACES &&
        snprintf(path, sizeof path, "%s/%s", parent, name) < (int)sizeof path)
        strcpy(places[place_count++], parent[0] == '.' && !parent[1] ? name : path);
    close(folder);
}

static void close_a_place(unsigned mode)
{
    int place = open_place(random_place(), O_RDONLY | O_NONBLOCK);

    if (place >= 0 && fchmod(place, mode) != 0)
        exit(1);
    close(place);
}

/* Links in a chain, one longer than the kernel follows. */
static void make_chain(void)
{
    char from[32], to[32];

    for (int i = 0; i < 45; i++) {
        snprintf(from, sizeof from, "chain%d", i + 1);
        snprintf(to, sizeof to, "chain%d", i);
        if (symlink(i ? to : "a", from) == 0 && place_count < PLACES && (i > 36 || i % 9 == 0))
            strcpy(places[place_count++], from);
    }
}

/* --- asking --------------------------------------------------------------------------------- */

struct answer {
    char *result;
    int error;
    char text[PATH_MAX];
};

static void ask(resolver *how, const char *path, int own_buffer, struct answer *answer)
{
    memset(answer->text, 'x', sizeof answer->text);
    errno = 77;
    answer->result = how(path, own_buffer ? answer->text : NULL);
    answer->error = errno;
    if (!own_buffer && answer->result) {
        strcpy(answer->text, answer->result);
        free(answer->result);
    }
}

static void compare(const char *path, int own_buffer)
{
    static struct answer here, there;
    int same;

    ask(realpath, path, own_buffer, &here);
    ask(of_libc, path, own_buffer, &there);
    asked++;
    resolved += there.result != NULL;
    same = !here.result == !there.result && here.error == there.error &&
           memcmp(here.text, there.text, sizeof here.text) == 0;
    if (same || different++ > 5)
        return;
    here.text[PATH_MAX - 1] = there.text[PATH_MAX - 1] = '\0';
    printf("%.200s: %d \"%.200s\", libc: %d \"%.200s\"\n", path, here.error, here.text, there.error,
           there.text);
}

static void compare_all(void)
{
    static const char *const special[] = {
        "",   "/",  "//",         "/..",         ".",          "..",
        "./", "/.", "/proc/self", "/proc/self/", "/dev/stdin", "/proc/self/fd/0",
        "a/", "a/."};
    char path[PATH_MAX + 200];

    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        compare(special[i], i % 2);
    for (int i = 0; i < PATHS; i++) {
        random_path(path, below(6) ? 300 : below(4) ? 1500 : sizeof path);
        compare(path, i % 2);
    }
}

/* A folder that this user may not search, and one that is gone. */
static void compare_as_other(void)
{
    if (geteuid() == 0 && seteuid(NOBODY) != 0)
        exit(1);
    for (int i = 0; i < place_count; i++)
        compare(places[i], i % 2);
    compare_all();
    if (seteuid(0) != 0)
        errno = 0;
}

static void compare_in(int number)
{
    char folder[32];

    snprintf(folder, sizeof folder, "tree%d", number);
    if (mkdir(folder, 0755) != 0 || chdir(folder) != 0 || !getcwd(top, sizeof top))
        exit(1);
    place_count = 0;
    make_chain();
    for (int i = 0; i < THINGS; i++)
        make_thing();
    compare_all();
    if (place_count)
        close_a_place(number % 2 ? 0 : 0444);
    compare_as_other();
    if (number % 4 == 0 && mkdir("gone", 0755) == 0 && chdir("gone") == 0) {
        rmdir("../gone");
        compare_all();
    }
    if (chdir(top) != 0 || chdir("..") != 0)
        exit(1);
}

int main(int count, char **arguments)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW);

    if (count != 2 || !libc)
        return 2;
    *(void **)&of_libc = dlsym(libc, "realpath");
    srandom((unsigned)atoi(arguments[1]));
    for (int i = 0; i < TREES; i++)
        compare_in(i);
    printf("%d different of %d, %d resolved\n", different, asked, resolved);
    return of_libc == realpath;
}
