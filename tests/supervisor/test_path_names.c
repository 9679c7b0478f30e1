/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path_names.h"

static struct path_names *names;
static char folder[64];

/* real/sub/file, l -> real/sub, up -> ., loop -> loop, gone -> /nowhere/x */
static void make_tree(void)
{
    names = path_names_new();
    strcpy(folder, "/tmp/tallyman-test-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(mkdir("real", 0700), 0);
    cr_assert_eq(mkdir("real/sub", 0700), 0);
    cr_assert_eq(symlink("real/sub", "l"), 0);
    cr_assert_eq(symlink(".", "up"), 0);
    cr_assert_eq(symlink("loop", "loop"), 0);
    cr_assert_eq(symlink("/nowhere/x", "gone"), 0);
}

static void remove_tree(void)
{
    char command[128];

    path_names_free(names);
    cr_assert_eq(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(path_names, .init = make_tree, .fini = remove_tree);

static void normal_is(const char *path, const char *expected)
{
    struct path_view view = path_normalise(names, path, strlen(path));

    cr_assert_eq(view.length, strlen(expected), "%s: %.*s", path, (int)view.length, view.data);
    cr_assert_eq(memcmp(view.data, expected, view.length), 0, "%s: %.*s", path, (int)view.length,
                 view.data);
}

static void real_is(const char *relative, bool follow, const char *expected)
{
    char path[300], wanted[300];
    struct path_view view;

    snprintf(path, sizeof path, "%s/%s", folder, relative);
    if (expected)
        snprintf(wanted, sizeof wanted, "%s%s%s", expected[0] == '/' ? "" : folder,
                 expected[0] == '/' ? "" : "/", expected);
    cr_assert_eq(path_resolve(names, path, strlen(path), follow, &view), expected != NULL, "%s",
                 path);
    if (expected)
        cr_assert(view.length == strlen(wanted) && memcmp(view.data, wanted, view.length) == 0,
                  "%s: %.*s", path, (int)view.length, view.data);
}

Test(path_names, spellings_of_one_path_are_one_name)
{
    normal_is("/", "/");
    normal_is("//", "/");
    normal_is("/a", "/a");
    normal_is("/a/", "/a");
    normal_is("//a///b/.", "/a/b");
    normal_is("/./a/./b/", "/a/b");
    normal_is("/.hidden/..data/...", "/.hidden/..data/...");
    normal_is("/usr/include/../lib/x", "/usr/lib/x");
    normal_is("/../../x", "/x");
    normal_is("/nowhere/x/../y", "/nowhere/y");
}

Test(path_names, a_relative_path_and_an_empty_one_stay)
{
    normal_is("a/../b", "a/../b");
    normal_is("", "");
}

Test(path_names, dots_that_cross_a_link_stay)
{
    char path[200], expected[200];

    snprintf(path, sizeof path, "%s/l/../f", folder);
    normal_is(path, path);
    snprintf(path, sizeof path, "%s/real/sub/../f", folder);
    snprintf(expected, sizeof expected, "%s/real/f", folder);
    normal_is(path, expected);
    snprintf(path, sizeof path, "%s/l/../../f", folder);
    normal_is(path, path);
}

Test(path_names, the_kernels_name_goes_through_links)
{
    real_is("real/sub/file", true, NULL);
    real_is("l/file", true, "real/sub/file");
    real_is("l/../file", true, "real/file");
    real_is("up/up/up/real", true, "real");
    real_is("gone", true, "/nowhere/x");
}

Test(path_names, the_last_link_is_followed_only_when_asked)
{
    real_is("l", false, NULL);
    real_is("l", true, "real/sub");
    real_is("up/l", false, "l");
}

Test(path_names, a_loop_of_links_ends, .timeout = 5)
{
    struct path_view view;
    char path[200];

    snprintf(path, sizeof path, "%s/loop/x", folder);
    path_resolve(names, path, strlen(path), true, &view);
}

Test(path_names, a_path_of_ten_thousand_parts_ends, .timeout = 5)
{
    static char path[20001];
    struct path_view view;

    for (size_t i = 0; i < 20000; i += 2)
        memcpy(path + i, "/a", 2);
    path_resolve(names, path, 20000, true, &view);
    cr_assert_eq(path_normalise(names, path, 20000).length, 20000);
}

Test(path_names, paths_that_depend_on_who_asks_are_left_alone)
{
    struct path_view view;

    cr_assert_not(path_resolve(names, "/proc/self/exe", 14, true, &view));
    cr_assert_not(path_resolve(names, "/dev/stdin", 10, true, &view));
    cr_assert_not(path_resolve(names, "relative", 8, true, &view));
}

Test(path_names, a_link_that_was_replaced_is_asked_for_again)
{
    char path[200];

    real_is("l/file", true, "real/sub/file");
    cr_assert_eq(unlink("l"), 0);
    cr_assert_eq(symlink("real", "l"), 0);
    real_is("l/file", true, "real/sub/file");
    snprintf(path, sizeof path, "%s/l", folder);
    path_names_changed(names, path, strlen(path));
    real_is("l/file", true, "real/file");
}
