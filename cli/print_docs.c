/* SPDX-License-Identifier: MIT
 *
 * A tool of the build, not installed: makes man pages and shell completions from the same tables
 * that the program parses with. print_docs man PAGE < PAGE.in     fills in the lines @SYNOPSIS@,
 * @OPTIONS@ ... of a page print_docs completion SHELL       bash, zsh or fish
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "command.h"
#include "doctor.h"
#include "manifest.h"

/* Every page but that of one command stands for the whole program. */
static const struct command *command_of_page(const char *page)
{
    static const char prefix[] = "tallyman-";

    return strncmp(page, prefix, strlen(prefix)) == 0 ? command_find(page + strlen(prefix)) : NULL;
}

static void print_synopsis(const struct command *command)
{
    printf("\\fBtallyman ");
    option_print_roff(command->name, stdout);
    printf("\\fR\n");
    option_print_man_synopsis(command->options, stdout);
    option_print_roff(command->synopsis, stdout);
    putchar('\n');
}

static void print_commands(void)
{
    for (const struct command *command = commands; command->name; command++) {
        printf(".TP\n\\fB%s\\fR\n", command->name);
        option_print_roff(command->summary, stdout);
        printf(".\nSee\n.BR tallyman\\-%s (1).\n", command->name);
    }
}

static void print_pair(const char *name, const char *text)
{
    printf(".TP\n\\fB");
    option_print_roff(name, stdout);
    printf("\\fR\n");
    option_print_roff(text, stdout);
    printf("\n");
}

static void print_spot(const char *name, const char *text, const char *remedy)
{
    print_pair(name, text);
    printf(".br\nWhat to do: ");
    option_print_roff(remedy, stdout);
    printf(".\n");
}

static void print_channels(void)
{
#define CHANNEL(id, name, title) print_pair(name, title);
#include "tallyman/channels.def"
#undef CHANNEL
}

static void print_blind_spots(void)
{
#define BLIND_SPOT(id, name, text, remedy) print_spot(name, text, remedy);
#include "tallyman/blind_spots.def"
#undef BLIND_SPOT
}

static void print_probes(void)
{
    for (size_t i = 0; i < doctor_row_count; i++)
        print_pair(doctor_rows[i].id, doctor_rows[i].title);
}

static void print_sets(void)
{
    for (int i = 0; i < manifest_set_count(); i++) {
        printf("%s\\fB", i ? ",\n" : "");
        option_print_roff(manifest_set_name(i), stdout);
        printf("\\fR");
    }
    printf(".\n");
}

static bool is_line(const char *line, const char *marker)
{
    return strncmp(line, marker, strlen(marker)) == 0 && line[strlen(marker)] == '\n';
}

static void print_line(const char *line)
{
    const char *version = strstr(line, "@VERSION@");

    if (version)
        printf("%.*s%s%s", (int)(version - line), line, TALLYMAN_VERSION,
               version + strlen("@VERSION@"));
    else
        fputs(line, stdout);
}

/* A marker that is not known, or that makes no sense on this page, is an error of ours. */
static void fill_in(const char *line, const struct command *command)
{
    if (line[0] != '@')
        print_line(line);
    else if (command && is_line(line, "@SYNOPSIS@"))
        print_synopsis(command);
    else if (command && is_line(line, "@OPTIONS@"))
        option_print_man(command->options, stdout);
    else if (is_line(line, "@COMMANDS@"))
        print_commands();
    else if (is_line(line, "@CHANNELS@"))
        print_channels();
    else if (is_line(line, "@BLIND_SPOTS@"))
        print_blind_spots();
    else if (is_line(line, "@PROBES@"))
        print_probes();
    else if (is_line(line, "@SETS@"))
        print_sets();
    else
        die("cannot fill in %s", line);
}

static void print_man(const char *page)
{
    const struct command *command = command_of_page(page);
    cleanup_free char *line = NULL;
    size_t room = 0;

    while (getline(&line, &room, stdin) > 0)
        fill_in(line, command);
}

static void print_bash(void)
{
    printf("# bash completion for tallyman\n"
           "_tallyman_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$current\")); }\n"
           "_tallyman_files() {\n"
           "    compopt -o filenames 2>/dev/null\n"
           "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
           "}\n"
           "_tallyman() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} "
           "options=\n"
           "    COMPREPLY=()\n"
           "    if [[ $current == = ]]; then current=; fi\n"
           "    if [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        _tallyman_words '");
    for (const struct command *command = commands; command->name; command++)
        printf("%s ", command->name);
    printf("help --help --version'\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (const struct command *command = commands; command->name; command++) {
        printf("        %s)\n", command->name);
        option_print_bash(command->options, stdout);
        printf("            ;;\n");
    }
    printf(
        "    esac\n"
        "    if [[ $current == -* ]]; then _tallyman_words \"$options\"; else _tallyman_files; fi\n"
        "}\n"
        "complete -F _tallyman tallyman\n");
}

static void print_zsh(void)
{
    printf("#compdef tallyman\n_tallyman() {\n    local -a names\n    names=(\n");
    for (const struct command *command = commands; command->name; command++)
        printf("        '%s:%s'\n", command->name, command->summary);
    printf("    )\n    if ((CURRENT == 2)); then\n        _describe command names\n        return\n"
           "    fi\n    local command=$words[2]\n    shift words\n    ((CURRENT--))\n"
           "    case $command in\n");
    for (const struct command *command = commands; command->name; command++) {
        printf("    %s)\n        _arguments -S \\\n", command->name);
        option_print_zsh(command->options, stdout);
        printf("        '*:file:_files'\n        ;;\n");
    }
    printf("    esac\n}\n_tallyman \"$@\"\n");
}

static void print_fish(void)
{
    printf("# fish completion for tallyman\n");
    for (const struct command *command = commands; command->name; command++) {
        printf("complete -c tallyman -n __fish_use_subcommand -f -a %s -d '%s'\n", command->name,
               command->summary);
        option_print_fish(command->options, command->name, stdout);
    }
}

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

static void print_completion(const char *shell)
{
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print();
            return;
        }
    }
    die("no completion for %s", shell);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        die("print_docs man PAGE | completion SHELL");
    if (strcmp(argv[1], "man") == 0)
        print_man(argv[2]);
    else
        print_completion(argv[2]);
    if (fflush(stdout) != 0)
        die_errno("cannot write");
    return 0;
}
