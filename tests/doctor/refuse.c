/* SPDX-License-Identifier: MIT
 *
 * Runs a command under a seccomp filter: refuse CALL[:ARGUMENT&MASK|:ARGUMENT:VALUE]=ACTION... --
 * COMMAND [ARG...] CALL    a system call; with ARGUMENT&MASK, only where that argument has all bits
 * of MASK; with ARGUMENT:VALUE, only where it is that ACTION  name or number of the errno that the
 * call fails with KILL   the process is killed WAIT   the call waits for a listener that never
 * answers; there is one, then As root no_new_privs is not set.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name;
    int number;
} errors[] = {{"EPERM", EPERM},   {"EACCES", EACCES}, {"EAGAIN", EAGAIN},
              {"EINVAL", EINVAL}, {"ENOSYS", ENOSYS}, {"EOPNOTSUPP", EOPNOTSUPP},
              {"ENOSPC", ENOSPC}, {"EBUSY", EBUSY}};

static uint32_t action_of(const char *text)
{
    if (strcmp(text, "KILL") == 0)
        return SCMP_ACT_KILL_PROCESS;
    if (strcmp(text, "WAIT") == 0)
        return SCMP_ACT_NOTIFY;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (strcmp(errors[i].name, text) == 0)
            return SCMP_ACT_ERRNO((uint32_t)errors[i].number);
    }
    return SCMP_ACT_ERRNO((uint32_t)atoi(text));
}

static int add_rule(scmp_filter_ctx filter, char *rule, uint32_t *action)
{
    char *text = strchr(rule, '='), *condition;
    unsigned long argument, value;
    bool masked;
    int call;

    if (!text)
        return -EINVAL;
    *text++ = '\0';
    *action = action_of(text);
    condition = strchr(rule, ':');
    if (condition)
        *condition++ = '\0';
    call = seccomp_syscall_resolve_name(rule);
    if (call == __NR_SCMP_ERROR)
        return -EINVAL;
    if (!condition)
        return seccomp_rule_add(filter, *action, call, 0);
    argument = strtoul(condition, &text, 0);
    masked = *text == '&';
    value = *text ? strtoul(text + 1, NULL, 0) : 0;
    return seccomp_rule_add(filter, *action, call, 1,
                            masked ? SCMP_CMP((unsigned)argument, SCMP_CMP_MASKED_EQ, value, value)
                                   : SCMP_CMP((unsigned)argument, SCMP_CMP_EQ, value, 0));
}

/* The listener stays open here, and says nothing. */
static int hold_listener(char **command)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    if (waitpid(child, &status, 0) != child)
        return 126;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int at = 1, waits = 0;

    if (!filter || seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, geteuid() != 0) != 0)
        return 126;
    for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
        uint32_t action;

        if (add_rule(filter, argv[at], &action) != 0) {
            fprintf(stderr, "refuse: %s: no such rule\n", argv[at]);
            return 126;
        }
        waits |= action == SCMP_ACT_NOTIFY;
    }
    if (at + 1 >= argc || seccomp_load(filter) != 0)
        return 126;
    if (waits)
        return hold_listener(argv + at + 1);
    execvp(argv[at + 1], argv + at + 1);
    return 127;
}
