/* SPDX-License-Identifier: MIT */
#include "analyzer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "small_run.h"

static struct small_run run;
static char root[64];

static void write_file(const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/var/lib/dpkg/%s", root, name);
    file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    fclose(file);
}

static void make_folder(const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s%s", root, name);
    cr_assert_eq(mkdir(path, 0755), 0, "%s", path);
}

/* A machine with merged /usr and four packages. */
static void open_run(void)
{
    char path[256];

    strcpy(root, "/tmp/test_attribute.XXXXXX");
    cr_assert_not_null(mkdtemp(root));
    make_folder("/usr");
    make_folder("/usr/bin");
    make_folder("/var");
    make_folder("/var/lib");
    make_folder("/var/lib/dpkg");
    make_folder("/var/lib/dpkg/info");
    make_folder("/usr/lib");
    snprintf(path, sizeof path, "%s/bin", root);
    cr_assert_eq(symlink("usr/bin", path), 0);
    snprintf(path, sizeof path, "%s/lib", root);
    cr_assert_eq(symlink("usr/lib", path), 0);
    write_file("info/libc6:amd64.list", "/.\n/lib\n/lib/x/libc.so.6\n/usr/share/doc\n");
    write_file("info/libc6-dev.list", "/.\n/usr\n/usr/include\n/usr/include/stdio.h\n/usr/lib\n");
    write_file("info/linux-libc-dev.list", "/usr/include\n/usr/include/linux.h\n");
    write_file("info/base-files.list", "/usr\n/lib\n/usr/lib\n");
    write_file("info/less.list", "/bin/less\n/usr/bin/pager.gz\n");
    write_file("status", "Package: libc6\nStatus: install ok installed\nArchitecture: amd64\n"
                         "Version: 2.36-9\nDescription: x\n Version: not this\n\n"
                         "Package: libc6-dev\nVersion: 2.36-9\nArchitecture: amd64\n\n"
                         "Package: less\nVersion: 590-2\nArchitecture: amd64\n");
    small_run_open(&run);
}

static void close_run(void)
{
    char command[128];

    small_run_close(&run);
    snprintf(command, sizeof command, "rm -r %s", root);
    cr_assert_eq(system(command), 0);
}

TestSuite(attribute, .init = open_run, .fini = close_run);

static void check_owner(const char *path, const char *expected)
{
    char *sql =
        sqlite3_mprintf("SELECT package IS %Q FROM subject WHERE name = %Q", expected, path);

    cr_assert_eq(small_run_number(&run, sql), 1, "%s is not of %s", path, expected);
    sqlite3_free(sql);
}

static void attribute_with(struct buffer *trouble)
{
    cr_assert_eq(analyzer_attribute_under(run.db, 1, root, trouble), 0, "%s",
                 sqlite3_errmsg(run.db));
}

static void attribute(void)
{
    struct buffer trouble = BUFFER_INIT;

    attribute_with(&trouble);
    cr_assert_eq(trouble.length, 0, "%s", trouble.data);
}

Test(attribute, a_file_gets_the_package_with_its_version)
{
    small_run_event(&run, "read", "/usr/include/stdio.h", 0, 1);
    small_run_event(&run, "read", "/usr/include/other.h", 0, 1);
    attribute();
    check_owner("/usr/include/stdio.h", "libc6-dev 2.36-9");
    check_owner("/usr/include/other.h", "");
}

Test(attribute, both_spellings_of_merged_usr_are_found)
{
    small_run_event(&run, "load", "/lib/x/libc.so.6", 0, 1);
    small_run_event(&run, "load", "/usr/lib/x/libc.so.6", 0, 1);
    small_run_event(&run, "execute", "/usr/bin/less", 0, 1);
    attribute();
    check_owner("/lib/x/libc.so.6", "libc6 2.36-9");
    check_owner("/usr/lib/x/libc.so.6", "libc6 2.36-9");
    check_owner("/usr/bin/less", "less 590-2");
}

/* Links that lead to each other, as nobody's system has them. */
Test(attribute, folders_that_are_links_in_a_circle_end_the_search)
{
    char path[256];

    snprintf(path, sizeof path, "%s/lib64", root);
    cr_assert_eq(symlink("lib32/x", path), 0);
    snprintf(path, sizeof path, "%s/lib32", root);
    cr_assert_eq(symlink("/lib64", path), 0);
    small_run_event(&run, "load", "/lib64/y", 0, 1);
    small_run_event(&run, "execute", "/bin/less", 0, 1);
    attribute();
    check_owner("/lib64/y", "");
    check_owner("/bin/less", "less 590-2");
}

Test(attribute, compiled_python_belongs_to_who_has_its_source)
{
    write_file("info/python3-yaml.list", "/usr/lib/python3/dist-packages/yaml/loader.py\n");
    small_run_event(&run, "read",
                    "/usr/lib/python3/dist-packages/yaml/__pycache__/loader.cpython-311.opt-1.pyc",
                    0, 1);
    small_run_event(&run, "read", "/usr/lib/x/__pycache__/other.cpython-311.pyc", 0, 1);
    attribute();
    check_owner("/usr/lib/python3/dist-packages/yaml/__pycache__/loader.cpython-311.opt-1.pyc",
                "python3-yaml");
    check_owner("/usr/lib/x/__pycache__/other.cpython-311.pyc", "");
}

Test(attribute, a_list_that_waits_for_a_writer_is_not_waited_for)
{
    struct buffer trouble = BUFFER_INIT;
    char path[256];

    snprintf(path, sizeof path, "%s/var/lib/dpkg/info/pipe.list", root);
    cr_assert_eq(mkfifo(path, 0644), 0);
    small_run_event(&run, "read", "/usr/include/stdio.h", 0, 1);
    attribute_with(&trouble);
    check_owner("/usr/include/stdio.h", "libc6-dev 2.36-9");
    cr_assert_not_null(strstr(trouble.data, "pipe.list: cannot be read"), "%s", trouble.data);
    buffer_fini(&trouble);
}

Test(attribute, a_package_without_status_is_named_without_version)
{
    small_run_event(&run, "read", "/usr/include/linux.h", 0, 1);
    attribute();
    check_owner("/usr/include/linux.h", "linux-libc-dev");
}

Test(attribute, a_folder_that_packages_share_is_nobodys_unless_base_files_has_it)
{
    small_run_event(&run, "stat", "/usr/include", 0, 1);
    small_run_event(&run, "stat", "/usr/lib", 0, 1);
    small_run_event(&run, "stat", "/usr/share/doc", 0, 1);
    attribute();
    check_owner("/usr/include", "");
    check_owner("/usr/lib", "base-files");
    check_owner("/usr/share/doc", "libc6 2.36-9");
}

Test(attribute, a_link_that_nobody_owns_belongs_to_what_it_leads_to)
{
    small_run_execute(&run, "INSERT INTO resolves VALUES ('/usr/bin/more', '/usr/bin/less')");
    small_run_event(&run, "execute", "/usr/bin/more", 0, 1);
    attribute();
    check_owner("/usr/bin/more", "less 590-2");
}

Test(attribute, a_diverted_file_belongs_to_who_holds_the_place_now)
{
    write_file("diversions", "/usr/bin/pager.gz\n/usr/bin/pager.distrib\nother\n");
    write_file("info/other.list", "/usr/bin/pager.gz\n");
    small_run_event(&run, "execute", "/usr/bin/pager.gz", 0, 1);
    small_run_event(&run, "execute", "/usr/bin/pager.distrib", 0, 1);
    attribute();
    check_owner("/usr/bin/pager.gz", "other");
    check_owner("/usr/bin/pager.distrib", "less 590-2");
}

Test(attribute, a_machine_without_dpkg_has_no_packages)
{
    struct buffer trouble = BUFFER_INIT;

    small_run_event(&run, "read", "/usr/include/stdio.h", 0, 1);
    cr_assert_eq(analyzer_attribute_under(run.db, 1, "/nonexistent", &trouble), 0);
    cr_assert_eq(trouble.length, 0, "%s", trouble.data);
    check_owner("/usr/include/stdio.h", "");
}

/* Also for the superuser, who may read everything: a folder in a file's place. */
Test(attribute, a_list_that_cannot_be_read_costs_its_own_package_alone_and_is_said)
{
    struct buffer trouble = BUFFER_INIT;

    make_folder("/var/lib/dpkg/info/broken.list");
    make_folder("/var/lib/dpkg/info/bust.list");
    small_run_event(&run, "read", "/usr/include/stdio.h", 0, 1);
    small_run_event(&run, "read", "/usr/include/broken.h", 0, 1);
    attribute_with(&trouble);
    check_owner("/usr/include/stdio.h", "libc6-dev 2.36-9");
    check_owner("/usr/include/broken.h", "");
    cr_assert_not_null(strstr(trouble.data, ".list: cannot be read (Is a directory) and 1 more: "),
                       "%s", trouble.data);
    cr_assert_null(strchr(trouble.data, '\n'));
    buffer_fini(&trouble);
}

Test(attribute, without_the_states_packages_have_no_version_and_that_is_said)
{
    struct buffer trouble = BUFFER_INIT;
    char path[256];

    snprintf(path, sizeof path, "%s/var/lib/dpkg/status", root);
    cr_assert_eq(unlink(path), 0);
    make_folder("/var/lib/dpkg/status");
    small_run_event(&run, "read", "/usr/include/stdio.h", 0, 1);
    attribute_with(&trouble);
    check_owner("/usr/include/stdio.h", "libc6-dev");
    cr_assert_not_null(strstr(trouble.data, "dpkg/status: cannot be read"), "%s", trouble.data);
    buffer_fini(&trouble);
}

Test(attribute, a_file_that_a_packages_program_makes_is_the_packages)
{
    write_file("info/libc-bin.list", "/sbin\n/sbin/ldconfig\n");
    small_run_event(&run, "read", "/etc/ld.so.cache", 0, 1);
    small_run_event(&run, "read", "/usr/lib/locale/locale-archive", 0, 1);
    attribute();
    check_owner("/etc/ld.so.cache", "libc-bin");
    check_owner("/usr/lib/locale/locale-archive", "");
}
