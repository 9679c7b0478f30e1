/* SPDX-License-Identifier: MIT */
#include "group.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct text text(const char *bytes)
{
    return (struct text){bytes, strlen(bytes)};
}

static struct places places_of(const char *root, const char *home, const char *user)
{
    return (struct places){text(root), text(home), text(user), text("box")};
}

static void check_file(enum finding_class class, const char *path, const char *package,
                       const char *kind, const char *name)
{
    struct places places = places_of("/home/ann/project", "/home/ann", "ann");
    struct group group =
        group_of(&places, CHANNEL_FILESYSTEM, EVENT_READ, class, text(path), text(package));

    cr_assert_str_eq(group.kind, kind, "%s is %s", path, group.kind);
    cr_assert(group.name.length == strlen(name) &&
                  memcmp(group.name.bytes, name, group.name.length) == 0,
              "%s is in %.*s", path, (int)group.name.length, group.name.bytes);
}

Test(group, files_of_a_package_are_one_group_without_the_version)
{
    check_file(FINDING_READ, "/usr/include/stdio.h", "libc6-dev 2.36", "package", "libc6-dev");
}

Test(group, what_is_written_or_missing_is_grouped_by_folder)
{
    check_file(FINDING_WRITE, "/usr/include/stdio.h", "libc6-dev 2.36", "folder", "/usr/include");
    check_file(FINDING_PROBE, "/usr/include/nothing.h", "", "folder", "/usr/include");
}

Test(group, places_are_known_before_packages)
{
    check_file(FINDING_READ, "/tmp/a/b/c", "", "temporary", "/tmp");
    check_file(FINDING_READ, "/dev/null", "base-files 12", "device", "/dev");
    check_file(FINDING_READ, "/dev/shm/x", "", "temporary", "/dev/shm");
    check_file(FINDING_READ, "/proc/self/maps", "", "kernel", "/proc");
    check_file(FINDING_READ, "/tmpfile/x", "", "folder", "/tmpfile");
}

Test(group, deep_trees_are_cut_to_a_name_that_says_what_they_are)
{
    check_file(FINDING_READ, "/home/ann/.cargo/registry/a/b/c.rs", "", "home",
               "/home/ann/.cargo/registry");
    check_file(FINDING_READ, "/home/ann/.gitconfig", "", "home", "/home/ann");
    check_file(FINDING_READ, "/home/ann/project/src/x/y/z.c", "", "project",
               "/home/ann/project/src/x");
    check_file(FINDING_READ, "/usr/local/include/a/b.h", "", "folder", "/usr/local/include");
    check_file(FINDING_READ, "/opt/llvm-17/bin/x/clang", "", "folder", "/opt/llvm-17");
    check_file(FINDING_READ, "/etc/passwd", "", "folder", "/etc");
    check_file(FINDING_READ, "/vmlinuz", "", "folder", "/");
    check_file(FINDING_READ, "(deleted)/x", "", "unresolved", "(deleted)/x");
    check_file(FINDING_READ, "", "", "unresolved", "");
}

static void check_beside(const char *root, const char *path, const char *kind, const char *name)
{
    struct places places = places_of(root, "/home/ann", "ann");
    struct group group =
        group_of(&places, CHANNEL_FILESYSTEM, EVENT_READ, FINDING_READ, text(path), text(""));

    cr_assert_str_eq(group.kind, kind, "%s is %s", path, group.kind);
    cr_assert(group.name.length == strlen(name) &&
                  memcmp(group.name.bytes, name, group.name.length) == 0,
              "%s is in %.*s", path, (int)group.name.length, group.name.bytes);
}

Test(group, what_lies_beside_the_project_is_told_apart_from_the_folder_around_both)
{
    check_beside("/tmp/w/project", "/tmp/w/vendor/a/b.h", "beside", "/tmp/w/vendor");
    check_beside("/tmp/w/project", "/tmp/w/top.mk", "beside", "/tmp/w");
    check_beside("/tmp/w/project", "/tmp/x.s", "temporary", "/tmp");
    check_beside("/tmp/project", "/tmp/x.s", "temporary", "/tmp");
    check_beside("/home/ann/project", "/home/ann/.gitconfig", "home", "/home/ann");
    check_beside("/home/ann/src/project", "/home/ann/src/other/x", "beside", "/home/ann/src/other");
    check_beside("/project", "/etc/passwd", "folder", "/etc");
    check_beside("/opt/project", "/opt/sdk/x.h", "folder", "/opt/sdk");
}

Test(group, what_lies_beside_a_checkout_in_tmp_is_of_the_kind_that_it_is_elsewhere)
{
    struct places places = places_of("/tmp/w/project", "/home/ann", "ann");
    struct group group = group_of(&places, CHANNEL_FILESYSTEM, EVENT_READ, FINDING_READ,
                                  text("/tmp/w/vendor/b.h"), text(""));

    cr_assert_eq(group.category, CATEGORY_OUTSIDE_FILE);
    group = group_of(&places, CHANNEL_FILESYSTEM, EVENT_WRITE, FINDING_WRITE,
                     text("/tmp/w/vendor/b.o"), text(""));
    cr_assert_eq(group.category, CATEGORY_UNDECLARED_WRITE);
}

Test(group, absent_things_are_probes_and_existing_folders_are_not_written_by_mkdir)
{
    cr_assert_eq(group_class(EVENT_STAT, text("/x"), ENOENT), FINDING_PROBE);
    cr_assert_eq(group_class(EVENT_READ, text("/x"), ENOTDIR), FINDING_PROBE);
    cr_assert_eq(group_class(EVENT_READ, text("/x"), EACCES), FINDING_READ);
    cr_assert_eq(group_class(EVENT_MKDIR, text("/x"), EEXIST), FINDING_READ);
    cr_assert_eq(group_class(EVENT_MKDIR, text("/x"), 0), FINDING_WRITE);
    cr_assert_eq(group_class(EVENT_WRITE, text("/x"), EACCES), FINDING_WRITE);
}

Test(group, reading_a_random_device_is_randomness_and_looking_at_it_is_not)
{
    cr_assert_eq(group_channel(EVENT_READ, text("/dev/urandom")), CHANNEL_RANDOMNESS);
    cr_assert_eq(group_channel(EVENT_STAT, text("/dev/urandom")), CHANNEL_FILESYSTEM);
    cr_assert_eq(group_channel(EVENT_READ, text("/dev/null")), CHANNEL_FILESYSTEM);
}

static void fingerprint(const struct places *places, enum channel channel, const char *what,
                        const char *kind, const char *name, char digits[17])
{
    struct group group = {kind, text(name), CATEGORY_SYSTEM_FILE};

    group_fingerprint(places, channel, what, &group, digits);
    cr_assert_eq(strlen(digits), 16);
}

static void check_same(enum channel channel, const char *kind, const char *mine, const char *theirs)
{
    struct places ann = places_of("/home/ann/project", "/home/ann", "ann");
    struct places ci = places_of("/builds/7/project", "/root", "ci");
    char one[17], other[17];

    fingerprint(&ann, channel, "read", kind, mine, one);
    fingerprint(&ci, channel, "read", kind, theirs, other);
    cr_assert_str_eq(one, other, "%s and %s", mine, theirs);
}

Test(group, a_fingerprint_is_the_same_for_every_user_and_checkout)
{
    check_same(CHANNEL_FILESYSTEM, "package", "libc6-dev", "libc6-dev");
    check_same(CHANNEL_FILESYSTEM, "home", "/home/ann/.cargo", "/root/.cargo");
    check_same(CHANNEL_FILESYSTEM, "project", "/home/ann/project/src", "/builds/7/project/src");
    check_same(CHANNEL_FILESYSTEM, "project", "/home/ann/project", "/builds/7/project");
    check_same(CHANNEL_IDENTITY, "user", "passwd:ann", "passwd:ci");
    check_same(CHANNEL_NETWORK, "unix", "unix:/home/ann/s", "unix:/root/s");
    check_same(CHANNEL_NETWORK, "name", "box", "box");
}

Test(group, a_fingerprint_is_the_same_beside_every_checkout)
{
    struct places ann = places_of("/home/ann/src/project", "/home/ann", "ann");
    struct places ci = places_of("/builds/7/project", "/root", "ci");
    char one[17], other[17];

    fingerprint(&ann, CHANNEL_FILESYSTEM, "read", "beside", "/home/ann/src/vendor", one);
    fingerprint(&ci, CHANNEL_FILESYSTEM, "read", "beside", "/builds/7/vendor", other);
    cr_assert_str_eq(one, other);
}

Test(group, a_fingerprint_differs_where_a_person_would_decide_differently)
{
    struct places ann = places_of("/home/ann/project", "/home/ann", "ann");
    char digits[6][17];

    fingerprint(&ann, CHANNEL_FILESYSTEM, "read", "folder", "/etc", digits[0]);
    fingerprint(&ann, CHANNEL_FILESYSTEM, "write", "folder", "/etc", digits[1]);
    fingerprint(&ann, CHANNEL_FILESYSTEM, "probe", "folder", "/etc", digits[2]);
    fingerprint(&ann, CHANNEL_FILESYSTEM, "read", "folder", "/opt", digits[3]);
    fingerprint(&ann, CHANNEL_ENVIRONMENT, "read", "folder", "/etc", digits[4]);
    fingerprint(&ann, CHANNEL_FILESYSTEM, "read", "home", "/home/annabel", digits[5]);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            cr_assert_str_neq(digits[i], digits[j], "%d and %d", i, j);
}

/* A change of this value makes every baseline worthless: raise VERSION in fingerprint.c on purpose.
 */
Test(group, fingerprints_do_not_change_between_versions)
{
    struct places ann = places_of("/home/ann/project", "/home/ann", "ann");
    char digits[17];

    fingerprint(&ann, CHANNEL_FILESYSTEM, "read", "package", "libc6-dev", digits);
    cr_assert_str_eq(digits, "73569446f442afb5");
}
