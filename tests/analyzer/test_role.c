/* SPDX-License-Identifier: MIT
 *
 * Two builds are written down as lists of processes, and it is asked which belong together.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "role.h"

#define MOST 64
#define NONE ANALYSIS_NONE

struct build {
    struct analysis_process rows[MOST];
    char argv[MOST][200];
    uint32_t count;
    const char *root;
    struct naming naming;
};

static void start(struct build *build, const char *root, int64_t first_pid)
{
    struct places places = {.root = {root, strlen(root)},
                            .home = {"/home/ann", 9},
                            .user = {"ann", 3},
                            .host = {"box", 3}};

    *build = (struct build){.root = root};
    naming_init(&build->naming, &places);
    for (int i = 0; i < MOST; i++)
        build->rows[i].pid = first_pid + i;
}

/* The words of the command are separated by blanks. */
static uint32_t add(struct build *build, uint32_t parent, const char *how, const char *command)
{
    uint32_t number = build->count++;
    struct analysis_process *row = &build->rows[number];
    size_t length = strlen(command) + 1;

    memcpy(build->argv[number], command, length);
    for (size_t i = 0; i < length; i++)
        if (build->argv[number][i] == ' ')
            build->argv[number][i] = '\0';
    row->id = number;
    row->parent = parent;
    row->how = how;
    row->argv = (struct text){build->argv[number], length};
    row->cwd = (struct text){build->root, strlen(build->root)};
    row->exit_status = 0;
    row->started = number;
    row->shim = "loaded";
    naming_add_pid(&build->naming, row->pid);
    return number;
}

static struct alignment align(const struct build *a, const struct build *b)
{
    struct role_run runs[] = {{a->rows, a->count, &a->naming}, {b->rows, b->count, &b->naming}};
    struct alignment alignment;

    alignment_make(&alignment, &runs[SIDE_A], &runs[SIDE_B]);
    return alignment;
}

/* The partner in B of a process of A. */
static uint32_t partner(const struct alignment *alignment, uint32_t process)
{
    uint32_t pair = alignment->sides[SIDE_A].partner[process];

    return pair == NONE ? NONE : alignment->pairs[pair].process[SIDE_B];
}

static enum role_kinship kinship(const struct alignment *alignment, uint32_t process)
{
    return alignment->pairs[alignment->sides[SIDE_A].partner[process]].kinship;
}

static void end(struct build *a, struct build *b, struct alignment *alignment)
{
    alignment_fini(alignment);
    naming_fini(&a->naming);
    naming_fini(&b->naming);
}

static void add_compilation(struct build *build, uint32_t parent, const char *file)
{
    char command[100];
    uint32_t gcc;

    snprintf(command, sizeof command, "gcc -c %s.c -o %s.o", file, file);
    gcc = add(build, parent, "spawn", command);
    snprintf(command, sizeof command, "cc1 %s.c", file);
    add(build, gcc, "exec", command);
}

Test(role, jobs_in_another_order_have_their_partners)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 5000);
    add(&a, NONE, "first", "make -j2");
    add(&b, NONE, "first", "make -j2");
    add_compilation(&a, 0, "one"); /* 1, 2 */
    add_compilation(&a, 0, "two"); /* 3, 4 */
    add_compilation(&b, 0, "two"); /* 1, 2 */
    add_compilation(&b, 0, "one"); /* 3, 4 */
    alignment = align(&a, &b);
    cr_expect_eq(partner(&alignment, 0), 0);
    cr_expect_eq(partner(&alignment, 1), 3);
    cr_expect_eq(partner(&alignment, 2), 4);
    cr_expect_eq(partner(&alignment, 3), 1);
    cr_expect_eq(partner(&alignment, 4), 2);
    end(&a, &b, &alignment);
}

Test(role, another_checkout_makes_no_other_role)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/builds/7/p", 5000);
    add(&a, NONE, "first", "make -C /home/ann/p/src");
    add(&b, NONE, "first", "make -C /builds/7/p/src");
    add(&a, 0, "spawn", "cc -I/home/ann/p/include a.c");
    add(&b, 0, "spawn", "cc -I/builds/7/p/include a.c");
    alignment = align(&a, &b);
    cr_expect_eq(partner(&alignment, 0), 0);
    cr_expect_eq(partner(&alignment, 1), 1);
    cr_expect_eq(kinship(&alignment, 1), ROLE_SAME);
    end(&a, &b, &alignment);
}

Test(role, the_number_of_jobs_makes_no_other_role)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 1000);
    add(&a, NONE, "first", "make -j2 all");
    add(&b, NONE, "first", "make -j 16 all");
    add(&a, 0, "spawn", "make --jobserver-auth=3,4 -j all");
    add(&b, 0, "spawn", "make --jobserver-auth=7,8 --jobs=5 all");
    alignment = align(&a, &b);
    cr_expect_eq(partner(&alignment, 0), 0);
    cr_expect_eq(kinship(&alignment, 0), ROLE_SAME);
    cr_expect_eq(kinship(&alignment, 1), ROLE_SAME);
    end(&a, &b, &alignment);
}

Test(role, the_number_of_jobs_in_a_command_of_a_shell_makes_no_other_role)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 1000);
    add(&a, NONE, "first", "sh -c");
    add(&b, NONE, "first", "sh -c");
    a.rows[0].argv = (struct text){"sh\0-c\0./configure && make -j2 all", 34};
    b.rows[0].argv = (struct text){"sh\0-c\0./configure && make -j16 all", 35};
    alignment = align(&a, &b);
    cr_expect_eq(partner(&alignment, 0), 0);
    cr_expect_eq(kinship(&alignment, 0), ROLE_SAME);
    end(&a, &b, &alignment);
}

Test(role, numbers_of_processes_and_random_names_make_no_other_role)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 5000);
    naming_add_temporary(&a.naming, (struct text){"/tmp/ccAAAAAA.s", 15});
    naming_add_temporary(&b.naming, (struct text){"/tmp/ccBBBBBB.s", 15});
    add(&a, NONE, "first", "sh ./configure");
    add(&b, NONE, "first", "sh ./configure");
    add(&a, 0, "spawn", "as -o a.o /tmp/ccAAAAAA.s");
    add(&a, 0, "spawn", "rm -f conf1000.file");
    add(&b, 0, "spawn", "as -o a.o /tmp/ccBBBBBB.s");
    add(&b, 0, "spawn", "rm -f conf5000.file");
    alignment = align(&a, &b);
    cr_expect_eq(partner(&alignment, 1), 1);
    cr_expect_eq(partner(&alignment, 2), 2);
    cr_expect_eq(kinship(&alignment, 2), ROLE_SAME);
    end(&a, &b, &alignment);
}

Test(role, a_wrapper_more_hides_nothing)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 5000);
    add(&a, NONE, "first", "make");
    add(&a, 0, "spawn", "cc -c a.c");
    add(&a, 1, "exec", "cc1 a.c");
    add(&b, NONE, "first", "bash ci.sh");
    add(&b, 0, "spawn", "make");
    add(&b, 1, "spawn", "ccache cc -c a.c");
    add(&b, 2, "spawn", "cc -c a.c");
    add(&b, 3, "exec", "cc1 a.c");
    alignment = align(&a, &b);
    cr_expect_eq(partner(&alignment, 0), 1);
    cr_expect_eq(partner(&alignment, 1), 3);
    cr_expect_eq(partner(&alignment, 2), 4);
    cr_expect_eq(alignment.pair_count, 3);
    end(&a, &b, &alignment);
}

Test(role, a_shell_less_hides_nothing)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 5000);
    add(&a, NONE, "first", "make");
    add(&a, 0, "spawn", "sh -c cc_x");
    add(&a, 1, "exec", "cc x.c");
    add(&b, NONE, "first", "make");
    add(&b, 0, "spawn", "cc x.c");
    alignment = align(&a, &b);
    cr_expect_eq(partner(&alignment, 1), NONE);
    cr_expect_eq(partner(&alignment, 2), 1);
    end(&a, &b, &alignment);
}

Test(role, a_forked_child_is_a_part_of_its_parent)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 5000);
    add(&a, NONE, "first", "gcc a.c");
    add(&a, 0, "fork", "gcc a.c");
    add(&a, 1, "exec", "cc1 a.c");
    add(&b, NONE, "first", "gcc a.c");
    add(&b, 0, "spawn", "cc1 a.c");
    alignment = align(&a, &b);
    cr_expect_eq(alignment.sides[SIDE_A].image[1], 0);
    cr_expect_eq(alignment.sides[SIDE_A].parent[2], 0);
    cr_expect_eq(partner(&alignment, 2), 1);
    end(&a, &b, &alignment);
}

Test(role, equals_are_paired_in_their_order)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 5000);
    add(&a, NONE, "first", "sh configure");
    add(&b, NONE, "first", "sh configure");
    for (int i = 0; i < 3; i++) {
        add(&a, 0, "spawn", "sed -n p");
        add(&b, 0, "spawn", "sed -n p");
    }
    alignment = align(&a, &b);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(partner(&alignment, i), i);
    end(&a, &b, &alignment);
}

Test(role, neighbours_tell_which_of_some_equals_is_missing)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 5000);
    add(&a, NONE, "first", "sh configure");
    add(&a, 0, "spawn", "grep -q x"); /* has no partner */
    add(&a, 0, "spawn", "cat one");
    add(&a, 0, "spawn", "grep -q x");
    add(&a, 0, "spawn", "cat two");
    add(&a, 0, "spawn", "grep -q x");
    add(&b, NONE, "first", "sh configure");
    add(&b, 0, "spawn", "cat one");
    add(&b, 0, "spawn", "grep -q x");
    add(&b, 0, "spawn", "cat two");
    add(&b, 0, "spawn", "grep -q x");
    alignment = align(&a, &b);
    cr_expect_eq(partner(&alignment, 1), NONE);
    cr_expect_eq(partner(&alignment, 3), 2);
    cr_expect_eq(partner(&alignment, 5), 4);
    end(&a, &b, &alignment);
}

Test(role, another_option_makes_a_relative)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 5000);
    add(&a, NONE, "first", "make");
    add(&b, NONE, "first", "make");
    add(&a, 0, "spawn", "gcc -O2 -c a.c -o a.o");
    add(&a, 0, "spawn", "gcc -O2 -c b.c -o b.o");
    add(&b, 0, "spawn", "gcc -O3 -c b.c -o b.o");
    add(&b, 0, "spawn", "gcc -O3 -c a.c -o a.o");
    alignment = align(&a, &b);
    cr_expect_eq(partner(&alignment, 1), 2);
    cr_expect_eq(partner(&alignment, 2), 1);
    cr_expect_eq(kinship(&alignment, 1), ROLE_RELATED);
    end(&a, &b, &alignment);
}

Test(role, what_has_nothing_in_common_has_no_partner)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 5000);
    add(&a, NONE, "first", "make");
    add(&b, NONE, "first", "make");
    add(&a, 0, "spawn", "rm -f a");
    add(&b, 0, "spawn", "touch b");
    add(&a, 0, "spawn", "cat c");
    add(&b, 0, "spawn", "cat c");
    alignment = align(&a, &b);
    cr_expect_eq(partner(&alignment, 1), NONE);
    cr_expect_eq(partner(&alignment, 2), 2);
    end(&a, &b, &alignment);
}

Test(role, runs_without_a_process_are_aligned_as_well)
{
    struct build a, b;
    struct alignment alignment;

    start(&a, "/home/ann/p", 1000);
    start(&b, "/home/ann/p", 5000);
    add(&b, NONE, "first", "make");
    alignment = align(&a, &b);
    cr_expect_eq(alignment.pair_count, 0);
    end(&a, &b, &alignment);
}
