/* SPDX-License-Identifier: MIT
 *
 * Where folders, descriptors and names of /proc lead in another process; here the other process is
 * this one.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tallyman/event.h"
#include "tallyman/record.h"
#include "witness_path.h"

static char folder[64];

static void set_up(void)
{
    char made[] = "/tmp/tallyman-path.XXXXXX";

    cr_assert_not_null(mkdtemp(made));
    strcpy(folder, made);
    cr_assert_eq(chdir(folder), 0);
    close(open("file", O_CREAT | O_WRONLY, 0600));
}

static void tear_down(void)
{
    unlink("file");
    if (chdir("/") == 0)
        rmdir(folder);
}

TestSuite(witness_path, .init = set_up, .fini = tear_down);

static size_t look(int descriptor, char *to, uint32_t *flags)
{
    *flags = 0;
    errno = 0;
    return witness_folder(getpid(), descriptor, to, PATH_MAX, flags);
}

Test(witness_path, the_current_folder_is_found)
{
    char path[PATH_MAX];
    uint32_t flags;

    cr_expect_eq(look(AT_FDCWD, path, &flags), strlen(folder));
    cr_expect_str_eq(path, folder);
    cr_expect_eq(flags, 0);
}

Test(witness_path, the_root_is_found)
{
    char path[PATH_MAX];
    uint32_t flags;

    cr_expect_eq(look(WITNESS_ROOT, path, &flags), 1);
    cr_expect_str_eq(path, "/");
}

Test(witness_path, a_pipe_is_no_folder)
{
    char path[PATH_MAX];
    uint32_t flags;
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    cr_expect_eq(look(ends[0], path, &flags), 0);
    cr_expect_eq(errno, ENOTDIR);
}

Test(witness_path, a_number_that_is_no_descriptor_leads_nowhere)
{
    char path[PATH_MAX];
    uint32_t flags;

    cr_expect_eq(look(999, path, &flags), 0);
    cr_expect_eq(errno, ENOENT);
}

Test(witness_path, a_folder_that_is_gone_is_marked)
{
    char path[PATH_MAX], wanted[PATH_MAX];
    uint32_t flags;
    int gone;

    cr_assert_eq(mkdir("gone", 0700), 0);
    gone = open("gone", O_RDONLY | O_DIRECTORY);
    cr_assert_eq(rmdir("gone"), 0);
    snprintf(wanted, sizeof wanted, "%s/gone", folder);
    cr_expect_eq(look(gone, path, &flags), strlen(wanted));
    cr_expect_str_eq(path, wanted);
    cr_expect_eq(flags, RECORD_RELATIVE_GONE);
}

Test(witness_path, a_folder_that_is_called_like_one_that_is_gone_is_not)
{
    char path[PATH_MAX];
    uint32_t flags;

    cr_assert_eq(mkdir("x (deleted)", 0700), 0);
    look(open("x (deleted)", O_RDONLY | O_DIRECTORY), path, &flags);
    rmdir("x (deleted)");
    cr_expect_str_eq(strrchr(path, '/'), "/x (deleted)");
    cr_expect_eq(flags, 0);
}

Test(witness_path, names_of_the_caller_itself_are_reached_by_its_number)
{
    static const struct {
        const char *name, *reached;
    } rows[] = {
        {"/proc/self/maps", "/proc/12/maps"},
        {"/proc/self", "/proc/12"},
        {"/proc/selfish", "/proc/selfish"},
        {"/proc/thread-self/comm", "/proc/12/task/34/comm"},
        {"/dev/fd/7", "/proc/12/fd/7"},
        {"/dev/stdin", "/proc/12/fd/0"},
        {"/dev/stdout", "/proc/12/fd/1"},
        {"/dev/stderr", "/proc/12/fd/2"},
        {"/dev/null", "/dev/null"},
        {"/usr/bin", "/usr/bin"},
        {"/", "/"},
    };
    char to[PATH_MAX];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect(witness_reach(34, 12, rows[i].name, to, sizeof to));
        cr_expect_str_eq(to, rows[i].reached);
    }
}

Test(witness_path, a_name_that_does_not_fit_is_not_reached)
{
    char to[8];

    cr_expect_not(witness_reach(34, 12, "/usr/lib/too/long", to, sizeof to));
}

Test(witness_path, a_descriptor_means_its_file)
{
    char name[64], meaning[PATH_MAX];

    snprintf(name, sizeof name, "/dev/fd/%d", open("file", O_RDONLY));
    cr_expect_gt(witness_meaning(getpid(), getpid(), name, meaning, sizeof meaning), 0);
    cr_expect_str_eq(strrchr(meaning, '/'), "/file");
    cr_expect_eq(witness_meaning(getpid(), getpid(), "/etc/passwd", meaning, sizeof meaning), 0);
}

static int look_at(const char *name, enum event_kind kind, uint32_t flags, int mode)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return witness_look_at(getpid(), getpid(), (uint16_t)kind, path, flags, mode);
}

Test(witness_path, a_look_ends_as_the_call_would)
{
    cr_expect_eq(look_at("file", EVENT_READ, 0, R_OK), 0);
    cr_expect_eq(look_at("none", EVENT_READ, 0, R_OK), ENOENT);
    cr_expect_eq(look_at("file/below", EVENT_READ, 0, R_OK), ENOTDIR);
    cr_expect_eq(look_at("file", EVENT_LIST, 0, R_OK), ENOTDIR);
    cr_expect_eq(look_at(".", EVENT_LIST, 0, R_OK), 0);
    cr_expect_eq(look_at("file", EVENT_READLINK, 0, F_OK), EINVAL);
}

Test(witness_path, a_link_that_is_not_followed_is_there)
{
    cr_assert_eq(symlink("nowhere", "link"), 0);
    cr_expect_eq(look_at("link", EVENT_STAT, 0, F_OK), ENOENT);
    cr_expect_eq(look_at("link", EVENT_STAT, RECORD_NO_FOLLOW, F_OK), 0);
    cr_expect_eq(look_at("link", EVENT_READLINK, 0, F_OK), 0);
    unlink("link");
}
