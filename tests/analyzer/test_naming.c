/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "naming.h"

#define TEXT(literal)                                                                              \
    (struct text)                                                                                  \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static struct naming naming_of_ann(void)
{
    static const struct places places = {
        .root = {"/home/ann/work/project", 22},
        .home = {"/home/ann", 9},
        .user = {"ann", 3},
        .host = {"box", 3},
    };
    struct naming naming;

    naming_init(&naming, &places);
    naming_add_pid(&naming, 24107);
    naming_add_pid(&naming, 12);
    naming_add_temporary(&naming, TEXT("/tmp/ccAbCdEf.s"));
    naming_add_temporary(&naming, TEXT("/home/ann/work/project/confX1y2Z3"));
    return naming;
}

static void expect(enum naming_level level, const char *name, const char *wanted)
{
    struct naming naming = naming_of_ann();
    struct buffer out = BUFFER_INIT;

    naming_add(&naming, (struct text){name, strlen(name)}, level, &out);
    buffer_add_text(&out, "");
    cr_expect_str_eq(out.data, wanted, "%s is named %s, not %s", name, out.data, wanted);
    buffer_fini(&out);
    naming_fini(&naming);
}

Test(naming, places_are_replaced_by_signs)
{
    expect(NAMING_EXACT, "/home/ann/work/project/src/a.c", "{root}/src/a.c");
    expect(NAMING_EXACT, "/home/ann/work/project", "{root}");
    expect(NAMING_PLACES, "/home/ann/work/project/src/a.c", "{root}/src/a.c");
    expect(NAMING_PLACES, "/home/ann/work/other/a.c", "{root}/../other/a.c");
    expect(NAMING_PLACES, "/home/ann/.netrc", "~/.netrc");
    expect(NAMING_EXACT, "/home/ann/.netrc", "/home/ann/.netrc");
    expect(NAMING_EXACT, "/usr/include/zlib.h", "/usr/include/zlib.h");
}

Test(naming, a_place_is_a_whole_name)
{
    expect(NAMING_PLACES, "/home/anna/a.c", "/home/anna/a.c");
    expect(NAMING_PLACES, "/home/ann/work/project2/a.c", "{root}/../project2/a.c");
}

Test(naming, places_are_found_inside_an_argument)
{
    expect(NAMING_EXACT, "-I/home/ann/work/project/include", "-I{root}/include");
    expect(NAMING_EXACT, "-ffile-prefix-map=/home/ann/work/project=.",
           "-ffile-prefix-map={root}=.");
    expect(NAMING_EXACT, "cd /home/ann/work/project && make", "cd {root} && make");
    expect(NAMING_PLACES, "unix:/home/ann/.cache/s", "unix:~/.cache/s");
}

Test(naming, names_chosen_at_random_are_replaced_and_their_endings_stay)
{
    expect(NAMING_EXACT, "/tmp/ccAbCdEf.s", "/tmp/{temporary}.s");
    expect(NAMING_EXACT, "-o=/tmp/ccAbCdEf.s", "-o=/tmp/{temporary}.s");
    expect(NAMING_EXACT, "./confX1y2Z3/subs.awk", "./{temporary}/subs.awk");
    expect(NAMING_EXACT, "/tmp/ccGhIjKl.s", "/tmp/ccGhIjKl.s");
}

Test(naming, folders_of_processes_have_no_number)
{
    expect(NAMING_EXACT, "/proc/4711/maps", "/proc/{pid}/maps");
    expect(NAMING_EXACT, "/proc/self/maps", "/proc/self/maps");
    expect(NAMING_EXACT, "/proc/sys/kernel", "/proc/sys/kernel");
}

Test(naming, the_loose_form_has_no_numbers_of_processes)
{
    expect(NAMING_LOOSE, "conf24107.file", "conf{n}.file");
    expect(NAMING_EXACT, "conf24107.file", "conf24107.file");
    expect(NAMING_LOOSE, "conf24108.file", "conf24108.file");
}

Test(naming, a_small_number_is_a_version_and_no_process)
{
    expect(NAMING_LOOSE, "/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
           "/usr/lib/gcc/x86_64-linux-gnu/12/cc1");
}

Test(naming, the_loose_form_has_no_user_and_no_host)
{
    expect(NAMING_LOOSE, "/var/mail/ann", "/var/mail/{user}");
    expect(NAMING_LOOSE, "/var/lib/box/a", "/var/lib/{host}/a");
    expect(NAMING_LOOSE, "/var/mail/anna", "/var/mail/anna");
}

Test(naming, the_loose_form_has_no_names_of_temporary_files)
{
    expect(NAMING_LOOSE, "/tmp/x9/y.c", "/tmp/{temporary}/y.c");
    expect(NAMING_LOOSE, "cat /var/tmp/list.txt", "cat /var/tmp/{temporary}.txt");
}

Test(naming, bytes_that_are_no_text_stay_as_they_are)
{
    expect(NAMING_LOOSE, "/x/\xff\xfe\n\033[31m", "/x/\xff\xfe\n\033[31m");
}
