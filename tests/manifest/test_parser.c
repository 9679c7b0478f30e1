/* SPDX-License-Identifier: MIT
 *
 * Good manifests, and hostile ones.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "support.h"

TestSuite(parser, .timeout = 60);

static const char contract[] =
    "version: 1\n"
    "root: .\n"
    "use: [base, gcc]\n"
    "inputs:\n"
    "  - src/**\n"
    "  - {path: /usr/include/**, why: C library headers}\n"
    "  - {package: \"no-such-package\"}\n"
    "  - {path: /opt/llvm-17, digest: "
    "\"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}\n"
    "outputs: [build/**]\n"
    "scratch: [/tmp/**]\n"
    "absent: [/usr/local/include/**]\n"
    "environment:\n"
    "  PATH: /usr/bin:/bin\n"
    "  LANG: {pass: true}\n"
    "  \"LC_*\": {pass: true}\n"
    "network: [loopback:5432, \"unix:/run/postgresql/*\", \"pypi.example:443\"]\n"
    "clock: real\n"
    "randomness: real\n"
    "identity: {user: build, uid: 1000, gid: 1000, host: builder}\n"
    "resources: {cpus: 1, memory: 4GiB}\n"
    "waivers:\n"
    "  - {channel: filesystem, subject: /etc/localtime, reason: \"zip stores local time\", owner: "
    "build-team, expires: 9999-12-31}\n"
    "actions:\n"
    "  - name: codegen\n"
    "    match: {exe: \"**/python3*\", argument: \"*gen.py\"}\n"
    "    inputs: [tools/gen.py, spec/*.json]\n"
    "    outputs: [build/gen/**]\n";

Test(parser, a_manifest_with_every_key_is_good)
{
    char *errors = errors_of(contract);

    cr_expect_str_eq(errors, "");
    free(errors);
}

Test(parser, the_manifest_in_the_reference_is_good)
{
    struct buffer page = BUFFER_INIT;
    FILE *file = fopen(REFERENCE_PATH, "r");
    char line[512], *errors;
    bool inside = false;

    cr_assert(file);
    while (fgets(line, sizeof(line), file) &&
           strcmp(line, "Only `version` must be there. The order of "
                        "the keys does not matter; the order inside "
                        "a list does.\n")) {
        if (!strncmp(line, "```", 3))
            inside = false;
        if (!strcmp(line, "version: 1\n"))
            inside = true;
        if (inside)
            buffer_add_text(&page, line);
    }
    fclose(file);
    cr_assert_gt(page.length, 500);
    manifest_use_packages("/nonexistent");
    errors = errors_of(page.data);
    cr_expect_str_eq(errors, "");
    free(errors);
    buffer_fini(&page);
}

Test(parser, the_text_and_the_path_are_kept)
{
    struct buffer errors = BUFFER_INIT;
    struct manifest *manifest =
        manifest_parse("m.yaml", contract, sizeof(contract) - 1, "/proj", &errors);
    size_t length;

    cr_assert(manifest, "%s", errors.data);
    cr_expect_str_eq(manifest_text(manifest, &length), contract);
    cr_expect_eq(length, sizeof(contract) - 1);
    cr_expect_str_eq(manifest_path(manifest), "m.yaml");
    cr_expect_str_eq(manifest_root(manifest), "/proj");
    manifest_free(manifest);
}

Test(parser, the_home_folder_and_variables_are_filled_in_without_becoming_patterns)
{
    struct policy *policy;

    setenv("HOME", "/home/u[1]", 1);
    setenv("TOOLS", "/opt/t*", 1);
    policy = policy_of("inputs: ['~/x', '${TOOLS}/bin/*', 'a\\${b}', '~b']\n");
    expect_declared(policy, READ, "/home/u[1]/x");
    expect_undeclared(policy, READ, "/home/u1/x");
    expect_declared(policy, READ, "/opt/t*/bin/cc");
    expect_undeclared(policy, READ, "/opt/tx/bin/cc");
    expect_declared(policy, READ, "/proj/a${b}");
    expect_declared(policy, READ, "/proj/~b");
    free(policy);
}

Test(parser, the_root_is_the_folder_of_the_file_unless_named)
{
    char folder[] = "/tmp/tallyman-root-XXXXXX";
    struct buffer errors = BUFFER_INIT;
    struct manifest *manifest;
    char *path, *sub;
    FILE *file;

    cr_assert(mkdtemp(folder));
    path = xprintf("%s/tallyman.yaml", folder);
    sub = xprintf("%s/sub", folder);
    mkdir(sub, 0755);
    file = fopen(path, "w");
    fputs("version: 1\n", file);
    fclose(file);
    manifest = manifest_load(path, &errors);
    cr_assert(manifest, "%s", errors.data);
    cr_expect_str_eq(manifest_root(manifest), folder);
    manifest_free(manifest);
    file = fopen(path, "w");
    fputs("version: 1\nroot: sub/../sub\n", file);
    fclose(file);
    manifest = manifest_load(path, &errors);
    cr_assert(manifest, "%s", errors.data);
    cr_expect_str_eq(manifest_root(manifest), sub);
    manifest_free(manifest);
    unlink(path);
    rmdir(sub);
    rmdir(folder);
    free(path);
    free(sub);
}

Test(parser, a_file_that_cannot_be_read_is_one_line)
{
    struct buffer errors = BUFFER_INIT;

    cr_expect_null(manifest_load("/nonexistent/tallyman.yaml", &errors));
    cr_expect_str_eq(errors.data,
                     "/nonexistent/tallyman.yaml: cannot read: No such file or directory\n");
    buffer_clear(&errors);
    cr_expect_null(manifest_load("/tmp", &errors));
    cr_expect_str_eq(errors.data, "/tmp: cannot read: Is a directory\n");
    buffer_fini(&errors);
}

Test(parser, aliases_may_be_used_and_cannot_explode)
{
    struct buffer text = BUFFER_INIT;
    char *errors = errors_of("version: 1\ninputs: &a [x, y]\nscratch: [z]\nactions:\n"
                             "  - {name: n, match: {exe: e}, inputs: *a}\n");

    cr_expect_str_eq(errors, "");
    free(errors);
    buffer_add_text(&text, "version: 1\na: &a [x,x,x,x,x,x,x,x,x]\n");
    for (char c = 'b'; c < 'k'; c++)
        buffer_printf(&text, "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c - 1, c - 1,
                      c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
    buffer_add_text(&text, "inputs: *j\n");
    errors = errors_of(text.data);
    cr_expect(strstr(errors, "unknown key \"a\""), "%s", errors);
    free(errors);
    buffer_fini(&text);
}

Test(parser, many_actions_over_one_long_list_are_stopped)
{
    struct buffer text = BUFFER_INIT;
    char *errors;

    buffer_add_text(&text, "version: 1\ninputs: &a [x");
    for (int i = 0; i < 9999; i++)
        buffer_printf(&text, ",x%d", i);
    buffer_add_text(&text, "]\nactions:\n");
    for (int i = 0; i < 500; i++)
        buffer_printf(&text, "- {name: n%d, match: {exe: e}, inputs: *a}\n", i);
    errors = errors_of(text.data);
    cr_expect(strstr(errors, "expected at most 250000 rules in all"), "%.300s", errors);
    free(errors);
    buffer_fini(&text);
}

static void expect_too_much(const char *start, const char *again, int times, const char *error)
{
    struct buffer text = BUFFER_INIT;
    char *errors;

    buffer_add_text(&text, start);
    for (int i = 0; i < times; i++)
        buffer_add_text(&text, again);
    errors = errors_of(text.data);
    cr_expect(strstr(errors, error), "expected %s, got %.300s", error, errors);
    free(errors);
    buffer_fini(&text);
}

Test(parser, what_libyaml_takes_long_for_is_refused_early)
{
    expect_too_much("version: 1\ninputs: ", "[{", 50000,
                    "m.yaml:2:109: expected at most 100 lists and mappings in one another\n");
    expect_too_much("version: 1\ninputs:\n", "  - &a x\n", 100000,
                    "m.yaml:1003:5: expected at most 1000 anchors (&)\n");
    expect_too_much("version: 1\nx: &a [[[[[[[[[[[]]]]]]]]]]]\ninputs:\n", "  - *a\n", 200000,
                    "expected at most 1000 aliases (*)\n");
    expect_too_much("", "%TAG !a! b\n", 100000,
                    "m.yaml:11:1: expected at most 10 tag directives\n");
}

Test(parser, deep_nesting_by_indentation_ends_in_an_error_of_type)
{
    expect_too_much("version: 1\ninputs:\n  ", "- ", 100000,
                    "m.yaml:3:5: expected a path, {path: ...} or {package: ...}; this is a list\n");
}

Test(parser, a_recursive_alias_is_an_error_of_type)
{
    char *errors = errors_of("version: 1\ninputs: &a [*a]\n");

    cr_expect(strstr(errors, "m.yaml:2:9: expected a path"), "%s", errors);
    free(errors);
}

Test(parser, a_huge_text_is_refused)
{
    size_t length = (16u << 20) + 1;
    struct buffer errors = BUFFER_INIT;
    char *text = xmalloc(length);

    memset(text, ' ', length);
    cr_expect_null(manifest_parse("m.yaml", text, length, "/proj", &errors));
    cr_expect_str_eq(errors.data, "m.yaml:1:1: expected at most 16 MiB of text\n");
    buffer_fini(&errors);
    free(text);
}

Test(parser, a_flood_of_errors_is_counted)
{
    struct buffer text = BUFFER_INIT;
    char *errors;

    buffer_add_text(&text, "version: 1\ninputs:\n");
    for (int i = 0; i < 1500; i++)
        buffer_add_text(&text, "  - '['\n");
    errors = errors_of(text.data);
    cr_expect(strstr(errors, "m.yaml:1:1: 500 further errors are not shown\n"));
    free(errors);
    buffer_fini(&text);
}

Test(parser, control_characters_in_messages_are_made_visible)
{
    char *errors = errors_of("version: 1\n\"a\\eb\": 1\n");

    cr_expect_null(strchr(errors, 27));
    cr_expect(strstr(errors, "unknown key \"a\\x1bb\""), "%s", errors);
    free(errors);
}
