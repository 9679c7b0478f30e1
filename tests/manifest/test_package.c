/* SPDX-License-Identifier: MIT
 *
 * A database of dpkg's, made for the test.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "support.h"

static char folder[] = "/tmp/tallyman-dpkg-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char *path = xprintf("%s/%s", folder, name);
    FILE *file = fopen(path, "w");

    cr_assert(file);
    fputs(text, file);
    fclose(file);
    free(path);
}

static void make_database(void)
{
    char *info;

    cr_assert(mkdtemp(folder));
    info = xprintf("%s/info", folder);
    mkdir(info, 0755);
    free(info);
    write_file("status", "Package: tool\nStatus: install ok installed\nArchitecture: all\n"
                         "Version: 1.2-3\n\n"
                         "Package: gone\nStatus: deinstall ok config-files\nArchitecture: all\n"
                         "Version: 9\n\n"
                         "Package: lib\nStatus: install ok installed\nArchitecture: amd64\n"
                         "Multi-Arch: same\nVersion: 2:7.1\n");
    write_file("info/tool.list", "/.\n/opt\n/opt/tool\n/opt/tool/run\n/opt/tool/data\n");
    write_file("info/lib:amd64.list", "/.\n/opt\n/opt/lib.so\n");
    manifest_use_packages(folder);
}

static void remove_database(void)
{
    static const char *const names[] = {"status", "info/tool.list", "info/lib:amd64.list", "info",
                                        ""};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *path = xprintf("%s/%s", folder, names[i]);

        remove(path);
        free(path);
    }
    manifest_use_packages(NULL);
}

TestSuite(package, .init = make_database, .fini = remove_database);

Test(package, every_file_of_it_is_declared_and_nothing_else_in_its_folders)
{
    struct policy *policy = policy_of("inputs: [{package: tool}]\n");

    expect_declared(policy, EXECUTE, "/opt/tool/run");
    expect_declared(policy, READ, "/opt/tool/data");
    expect_undeclared(policy, READ, "/opt/tool/other");
    expect_undeclared(policy, READ, "/opt/tool/run/below");
    expect_declared(policy, STAT, "/opt/tool");
    expect_undeclared(policy, LIST, "/opt/tool");
    free(policy);
}

Test(package, the_version_may_be_pinned_by_a_pattern)
{
    struct policy *policy = policy_of("inputs: [{package: 'tool=1.2*'}, {package: 'lib=2:7.?'}]\n");

    expect_declared(policy, EXECUTE, "/opt/tool/run");
    expect_declared(policy, LOAD, "/opt/lib.so");
    free(policy);
}

Test(package, another_version_is_an_error_that_names_both)
{
    char *errors = errors_of("version: 1\ninputs:\n  - {package: 'tool=1.3*'}\n");

    cr_expect_str_eq(errors,
                     "m.yaml:3:15: expected tool in version 1.3*, but 1.2-3 is installed\n");
    free(errors);
}

Test(package, an_architecture_may_be_named)
{
    struct policy *policy = policy_of("inputs: [{package: 'lib:amd64'}]\n");
    struct policy *other = policy_of("inputs: [{package: 'lib:i386'}]\n");

    expect_declared(policy, LOAD, "/opt/lib.so");
    expect_undeclared(other, LOAD, "/opt/lib.so");
    free(policy);
    free(other);
}

Test(package, one_that_is_not_installed_is_a_warning)
{
    struct buffer warnings = BUFFER_INIT;
    struct manifest *manifest =
        parse_body("inputs:\n  - {package: nowhere}\n  - {package: 'gone=9'}\n");

    manifest_lint(manifest, &warnings);
    cr_expect(strstr(warnings.data, "m.yaml:3:5: warning: the package nowhere is not installed\n"),
              "%s", warnings.data);
    cr_expect(strstr(warnings.data, "m.yaml:4:5: warning: the package gone is not installed\n"),
              "%s", warnings.data);
    manifest_free(manifest);
    buffer_fini(&warnings);
}
