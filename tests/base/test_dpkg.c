/* SPDX-License-Identifier: MIT */
#include "dpkg.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(dpkg, paragraphs_are_taken_one_by_one)
{
    static const char text[] = "\n\nPackage: a\nStatus: install ok installed\nVersion: 1\n"
                               "Description: x\n Version: not this\n\n"
                               "Package: b\nStatus: deinstall ok config-files\n\n\n"
                               "Package: c\nStatus: install ok half-installed\nArchitecture: amd64";
    const char *at = text;
    const char *end = text + strlen(text);
    struct dpkg_entry entry;

    cr_assert(dpkg_next_entry(&at, end, &entry));
    cr_assert(dpkg_word_is(entry.package, "a"));
    cr_assert(dpkg_word_is(entry.version, "1"));
    cr_assert(dpkg_is_installed(&entry));
    cr_assert_null(entry.architecture.bytes);
    cr_assert(dpkg_next_entry(&at, end, &entry));
    cr_assert(dpkg_word_is(entry.package, "b"));
    cr_assert_not(dpkg_is_installed(&entry));
    cr_assert_null(entry.version.bytes, "nothing is left of the paragraph before");
    cr_assert(dpkg_next_entry(&at, end, &entry));
    cr_assert(dpkg_word_is(entry.architecture, "amd64"), "the last line has no newline");
    cr_assert_not(dpkg_is_installed(&entry));
    cr_assert_not(dpkg_next_entry(&at, end, &entry));
}

Test(dpkg, an_empty_file_has_no_paragraph)
{
    const char *at = "";
    struct dpkg_entry entry;

    cr_assert_not(dpkg_next_entry(&at, at, &entry));
    cr_assert_not(dpkg_is_installed(&entry));
}

Test(dpkg, a_file_that_is_not_there_is_an_error_with_its_reason)
{
    size_t length;

    cr_assert_null(dpkg_read("/nonexistent/status", &length));
    cr_assert_eq(errno, ENOENT);
}
