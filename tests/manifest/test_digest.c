/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "digest.h"
#include "support.h"

static char folder[] = "/tmp/tallyman-digest-XXXXXX";

static void run(const char *command)
{
    char *line = xprintf("cd %s && %s", folder, command);

    cr_assert_eq(system(line), 0, "%s", line);
    free(line);
}

static void make_tree(void)
{
    cr_assert(mkdtemp(folder));
    run("printf abc >f && mkdir -p t/sub && printf 1 >t/b && printf 2 >t/sub/a && printf '#!' "
        ">t/run && "
        "chmod 644 t/b t/sub/a && chmod 755 t/run && ln -s sub/a t/l");
}

static void remove_tree(void)
{
    char *line = xprintf("rm -rf %s", folder);

    cr_expect_eq(system(line), 0);
    free(line);
}

TestSuite(digest, .init = make_tree, .fini = remove_tree);

static char *digest_of(const char *name)
{
    char *path = xprintf("%s/%s", folder, name);
    struct buffer why = BUFFER_INIT;
    char *digest = xcalloc(1, DIGEST_LENGTH + 1);

    cr_expect_eq(digest_path(path, digest, &why), 0, "%s", why.data);
    free(path);
    return digest;
}

Test(digest, of_a_file_is_its_sha_256)
{
    char *digest = digest_of("f");

    cr_expect_str_eq(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    free(digest);
}

Test(digest, of_a_tree_can_be_computed_with_a_shell)
{
    char *digest = digest_of("t");
    char *command =
        xprintf("cd %s/t && { h() { sha256sum <$1 | cut -c1-64 | tr -d '\\n'; }; "
                "printf 'file %%s b\\0' $(h b); printf 'link 5 sub/a l\\0'; printf 'program %%s "
                "run\\0' $(h run); "
                "printf 'folder sub\\0'; printf 'file %%s sub/a\\0' $(h sub/a); } | sha256sum",
                folder);
    FILE *shell = popen(command, "r");
    char line[128] = "";

    cr_assert(shell);
    cr_expect(fgets(line, sizeof(line), shell));
    pclose(shell);
    line[DIGEST_LENGTH] = '\0';
    cr_expect_str_eq(digest, line);
    free(command);
    free(digest);
}

static void expect_change(const char *command)
{
    char *before = digest_of("t"), *after;

    run(command);
    after = digest_of("t");
    cr_expect_str_neq(before, after, "%s", command);
    free(before);
    free(after);
}

Test(digest, of_a_tree_changes_with_content_name_link_and_mode)
{
    expect_change("printf 3 >t/sub/a");
    expect_change("mv t/sub/a t/sub/b");
    expect_change("ln -sfn sub/b t/l");
    expect_change("chmod +x t/b");
    expect_change("mkdir t/empty");
}

Test(digest, of_a_tree_does_not_depend_on_times_or_other_mode_bits)
{
    char *before = digest_of("t"), *after;

    run("touch -d 2001-01-01 t/b && chmod 600 t/b");
    after = digest_of("t");
    cr_expect_str_eq(before, after);
    free(before);
    free(after);
}

Test(digest, one_that_does_not_hold_is_told_with_the_one_that_was_found)
{
    char *body =
        xprintf("inputs:\n"
                "  - {path: %s/f, digest: "
                "'sha256:BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD'}\n"
                "  - {path: %s/t/b, digest: "
                "'sha256:0000000000000000000000000000000000000000000000000000000000000000'}\n"
                "  - {path: /nonexistent, digest: "
                "'sha256:0000000000000000000000000000000000000000000000000000000000000000'}\n",
                folder, folder);
    struct manifest *manifest = parse_body(body);
    struct buffer problems = BUFFER_INIT;
    char *expected = xprintf(
        "m.yaml:4:5: \"%s/t/b\" has the digest "
        "sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b, but "
        "sha256:0000000000000000000000000000000000000000000000000000000000000000 is declared\n"
        "m.yaml:5:5: the digest of \"/nonexistent\" cannot be checked: cannot read /nonexistent: "
        "No such "
        "file or directory\n",
        folder);

    cr_expect_eq(manifest_check_digests(manifest, &problems), 2);
    cr_expect_str_eq(problems.data, expected);
    manifest_free(manifest);
    buffer_fini(&problems);
    free(expected);
    free(body);
}

Test(digest, a_tree_with_a_pipe_in_it_cannot_be_pinned)
{
    struct buffer why = BUFFER_INIT;
    char digest[DIGEST_LENGTH + 1];
    char *path = xprintf("%s/t", folder);

    run("mkfifo t/pipe");
    cr_expect_eq(digest_path(path, digest, &why), -1);
    cr_expect(strstr(why.data, "it is neither a file nor a folder nor a link"), "%s", why.data);
    buffer_fini(&why);
    free(path);
}
