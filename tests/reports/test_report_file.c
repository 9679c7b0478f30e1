/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports.h"
#include "tallyman/status.h"

static char folder[64];
static char path[96];

static void open_folder(void)
{
    strcpy(folder, "/tmp/test_report_file.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/report.json", folder);
}

static void close_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(report_file, .init = open_folder, .fini = close_folder);

static int write_text(const char *text)
{
    struct buffer document = {(char *)text, strlen(text), 0};

    return report_write(path, &document);
}

static void check_content(const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");

    cr_assert_not_null(file);
    cr_assert_eq(fread(text, 1, sizeof text - 1, file), strlen(expected));
    cr_assert_str_eq(text, expected);
    fclose(file);
}

static int entries(void)
{
    DIR *listing = opendir(folder);
    int count = -2;

    while (readdir(listing))
        count++;
    closedir(listing);
    return count;
}

Test(report_file, a_longer_report_is_replaced_whole_and_nothing_is_left_beside_it)
{
    struct stat status;

    umask(022);
    cr_assert_eq(write_text("a long report\n"), 0);
    cr_assert_eq(write_text("short\n"), 0);
    check_content("short\n");
    cr_assert_eq(entries(), 1);
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0644);
}

Test(report_file, a_folder_that_is_not_there_is_an_error_with_its_reason)
{
    snprintf(path, sizeof path, "%s/none/report.json", folder);
    cr_assert_eq(write_text("x"), TALLY_ERR_SYSTEM);
    cr_assert_eq(errno, ENOENT);
}

Test(report_file, a_report_that_did_not_fit_leaves_the_old_one)
{
    struct buffer large = {calloc(1, 1 << 20), 1 << 20, 0};

    cr_assert_eq(write_text("old\n"), 0);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096}), 0);
    cr_assert_eq(report_write(path, &large), TALLY_ERR_SYSTEM);
    cr_assert_eq(errno, EFBIG);
    check_content("old\n");
    cr_assert_eq(entries(), 1);
    buffer_fini(&large);
}

Test(report_file, a_device_is_written_to_and_not_replaced)
{
    struct stat status;

    strcpy(path, "/dev/null");
    cr_assert_eq(write_text("x"), 0);
    cr_assert_eq(stat(path, &status), 0);
    cr_assert(S_ISCHR(status.st_mode));
}
