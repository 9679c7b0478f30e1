/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "support.h"

static char *warnings_of(const char *body)
{
    struct buffer warnings = BUFFER_INIT;
    struct manifest *manifest = parse_body(body);

    manifest_lint(manifest, &warnings);
    manifest_free(manifest);
    return buffer_take(&warnings);
}

static void expect_warning(const char *body, const char *line)
{
    char *warnings = warnings_of(body);

    cr_expect(strstr(warnings, line), "expected %s, got:\n%s", line, warnings);
    free(warnings);
}

Test(lint, a_clean_manifest_has_no_warning)
{
    char *warnings = warnings_of("root: /\nuse: [base]\ninputs: [/usr/include/**, "
                                 "'!/usr/include/x']\noutputs: [/nowhere]\n");

    cr_expect_str_eq(warnings, "");
    free(warnings);
}

Test(lint, a_rule_that_never_decides_is_named)
{
    expect_warning(
        "scratch: ['src/**', '!src']\n",
        "m.yaml:2:11: warning: \"src/**\" never decides: line 2 covers it and comes later\n");
}

Test(lint, a_rule_that_adds_nothing_is_named)
{
    expect_warning("scratch:\n  - src/**\n  - src/a/*.c\n",
                   "m.yaml:4:5: warning: \"src/a/*.c\" adds nothing: line 3 covers it\n");
    expect_warning("inputs: [x/y]\nscratch: [x]\n",
                   "m.yaml:2:10: warning: \"x/y\" adds nothing: line 3 covers it\n");
}

Test(lint, a_rule_that_gives_back_is_no_shadow)
{
    char *warnings = warnings_of("scratch: ['src/**', '!src/no/**', src/no/ok]\n");

    cr_expect_str_eq(warnings, "m.yaml:1:1: warning: the root \"/proj\" is no folder\n");
    free(warnings);
}

Test(lint, a_take_away_without_effect_is_named)
{
    expect_warning(
        "scratch: ['src/**', '!**/*.bak']\n",
        "m.yaml:2:21: warning: \"!**/*.bak\" takes nothing away from \"src/**\", whose literal "
        "beginning is longer; start it with the same folder\n");
    expect_warning(
        "scratch: ['!x', y]\n",
        "m.yaml:2:11: warning: \"!x\" takes nothing away: no rule before it declares such a "
        "path\n");
}

Test(lint, an_input_that_does_not_exist_is_named)
{
    expect_warning("inputs: [/nonexistent/x, '/nonexistent/*.c']\n",
                   "m.yaml:2:10: warning: \"/nonexistent/x\" does not exist\n");
    expect_warning(
        "inputs: [/nonexistent/x, '/nonexistent/*.c']\n",
        "m.yaml:2:26: warning: \"/nonexistent\" does not exist, so nothing can match the "
        "pattern\n");
}

Test(lint, an_input_outside_the_root_that_anybody_can_change_is_named)
{
    char folder[] = "/tmp/tallyman-lint-XXXXXX";
    char *body, *line;

    cr_assert(mkdtemp(folder));
    cr_assert_eq(chmod(folder, 0777), 0);
    body = xprintf("inputs: ['%s/**']\n", folder);
    line = xprintf(
        "m.yaml:2:10: warning: the user who builds can write to \"%s\", which lies outside the "
        "root; declare a package, or a folder that only root can change\n",
        folder);
    expect_warning(body, line);
    rmdir(folder);
    free(body);
    free(line);
}

Test(lint, a_waiver_without_owner_or_end_is_named)
{
    expect_warning("waivers: [{channel: clock, subject: x, reason: r}]\n",
                   "m.yaml:2:11: warning: the waiver for \"x\" has no owner\n"
                   "m.yaml:2:11: warning: the waiver for \"x\" never expires\n");
}
