/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "witness_task.h"

#define SECOND_NS UINT64_C(1000000000)

static struct witness_tasks *tasks;

static void set_up(void)
{
    tasks = witness_tasks_new();
}

static void tear_down(void)
{
    witness_tasks_free(tasks);
}

TestSuite(witness_task, .init = set_up, .fini = tear_down);

Test(witness_task, a_process_is_its_own_leader)
{
    struct witness_task *task = witness_task_of(tasks, getpid(), SECOND_NS);

    cr_expect_eq(task->leader, getpid());
    cr_expect_eq(task->pid, (uint32_t)getpid());
    cr_expect_eq(task->parent, (uint32_t)getppid());
    cr_expect_eq(witness_task_leader(tasks, task), task);
    cr_expect_eq(witness_task_find(tasks, getpid()), task);
}

static void *find_itself(void *unused)
{
    struct witness_task *task = witness_task_of(tasks, gettid(), SECOND_NS);

    (void)unused;
    cr_expect_neq(gettid(), getpid());
    cr_expect_eq(task->leader, getpid());
    cr_expect_eq(task->pid, (uint32_t)getpid());
    cr_expect_eq(witness_task_leader(tasks, task)->leader, getpid());
    return NULL;
}

Test(witness_task, a_thread_is_of_its_process)
{
    pthread_t thread;

    cr_assert_eq(pthread_create(&thread, NULL, find_itself, NULL), 0);
    pthread_join(thread, NULL);
}

Test(witness_task, a_thread_that_nobody_knows_stands_for_itself)
{
    const struct witness_task *task = witness_task_of(tasks, 1 << 22, SECOND_NS);

    cr_expect_eq(task->leader, 1 << 22);
    cr_expect_eq(task->pid, 1u << 22);
    cr_expect_eq(task->parent, 0);
}

Test(witness_task, nobody_was_seen_who_was_not_asked_for)
{
    cr_expect_null(witness_task_find(tasks, getppid()));
}

Test(witness_task, a_process_keeps_the_image_that_it_was_given)
{
    struct witness_task *task = witness_task_of(tasks, getpid(), SECOND_NS);

    cr_expect_eq(witness_task_image(task), 0);
    witness_task_set_image(task, 77);
    task = witness_task_of(tasks, getpid(), 5 * SECOND_NS);
    cr_expect_eq(witness_task_image(task), 77);
    cr_expect_not(task->apart);
    witness_task_set_image(task, 0);
    cr_expect(task->apart);
}

static pid_t start_child(void)
{
    pid_t child = fork();

    if (child == 0) {
        pause();
        _exit(0);
    }
    return child;
}

Test(witness_task, an_image_ends_with_its_process)
{
    pid_t child = start_child();
    struct witness_task *task = witness_task_of(tasks, child, SECOND_NS);

    witness_task_set_image(task, 77);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    task = witness_task_of(tasks, child, 5 * SECOND_NS);
    cr_expect_eq(witness_task_image(task), 0);
}

Test(witness_task, what_is_known_of_a_child_names_its_parent)
{
    pid_t child = start_child();

    cr_expect_eq(witness_task_of(tasks, child, SECOND_NS)->parent, (uint32_t)getpid());
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

Test(witness_task, who_makes_a_call_is_asked_of_the_kernel)
{
    struct image_starter expected = command_image_ourselves();
    struct image_starter starter = witness_task_starter(getpid());

    cr_expect_eq(starter.user, expected.user);
    cr_expect_eq(starter.effective_user, expected.effective_user);
    cr_expect_eq(starter.group, expected.group);
    cr_expect_eq(starter.effective_group, expected.effective_group);
}

Test(witness_task, a_process_that_was_killed_is_ending)
{
    pid_t child = fork();
    siginfo_t ended;

    if (child == 0) {
        for (;;)
            pause();
    }
    cr_expect_not(witness_task_is_ending(child));
    kill(child, SIGKILL);
    cr_assert_eq(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
    cr_expect(witness_task_is_ending(child));
    waitpid(child, NULL, 0);
    cr_expect(witness_task_is_ending(child));
}
