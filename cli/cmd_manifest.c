/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "cleanup.h"
#include "command.h"
#include "help.h"
#include "judged_run.h"
#include "manifest.h"
#include "manifest_suggest.h"
#include "quote.h"
#include "spelling.h"
#include "tallyman/status.h"

static const char *path = DEFAULT_MANIFEST;
static struct suggest_settings suggested;

const struct option cmd_manifest_options[] = {
    {'m', "manifest", OPTION_TEXT, &path, "FILE", NULL,
     "lint: the manifest; without it ./tallyman.yaml"},
    {'o', "output", OPTION_TEXT, &suggested.output, "FILE", NULL,
     "init, suggest: write the manifest there, - for standard output; without it init writes "
     "./tallyman.yaml, and suggest to standard output"},
    {0, "force", OPTION_FLAG, &suggested.force, NULL, NULL,
     "init, suggest: replace a manifest that is there"},
    {0, "run", OPTION_NUMBER, &suggested.run, "ID", NULL,
     "suggest: the run of the database; without it the newest"},
    {0, "tight", OPTION_FLAG, &suggested.tight, NULL, NULL,
     "init, suggest: allow little that was not used, in more lines: no named rule sets, hardly any "
     "folders"},
    {0, "loose", OPTION_FLAG, &suggested.loose, NULL, NULL,
     "init, suggest: fewer lines, that allow more which was not used"},
    {0, NULL, OPTION_FLAG, NULL, NULL, NULL, NULL}};

static int lint(int argc, char **argv)
{
    cleanup_buffer struct buffer messages = BUFFER_INIT;
    struct manifest *manifest;
    cleanup_free struct policy *policy = NULL;
    size_t size;

    if (argc > 0)
        usage("manifest lint takes no word ('%s'); name the manifest with -m", argv[0]);
    manifest = manifest_load(path, &messages);
    if (manifest)
        policy = policy_compile(manifest, &size, &messages);
    if (policy) {
        manifest_check_digests(manifest, &messages);
        manifest_lint(manifest, &messages);
    }
    manifest_free(manifest);
    if (messages.length)
        fputs(messages.data, policy ? stdout : stderr);
    return policy ? TALLY_EXIT_CLEAN : TALLY_EXIT_USAGE;
}

static int print_set(const char *name)
{
    cleanup_buffer struct buffer shown = BUFFER_INIT;
    cleanup_free const char **names = xcalloc((size_t)manifest_set_count(), sizeof *names);
    const char *nearest;

    for (int i = 0; i < manifest_set_count(); i++) {
        names[i] = manifest_set_name(i);
        if (strcmp(names[i], name) == 0) {
            fputs(manifest_set_text(i), stdout);
            return TALLY_EXIT_CLEAN;
        }
    }
    nearest = spelling_nearest(name, names, (size_t)manifest_set_count());
    quote_display(&shown, name, strlen(name));
    buffer_add_char(&shown, '\'');
    if (nearest)
        usage("there is no rule set '%s; did you mean '%s'?", shown.data, nearest);
    usage("there is no rule set '%s; 'tallyman manifest sets' lists them", shown.data);
}

/* The first comment of a set is its description. */
static void print_set_line(const char *name, const char *text)
{
    while (strncmp(text, "# SPDX", 6) == 0 || *text == '\n') {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    text += strspn(text, "# ");
    printf("%-12s %.*s\n", name, (int)strcspn(text, "\n"), text);
}

static int sets(int argc, char **argv)
{
    if (argc > 1)
        usage("manifest sets prints one rule set, not %d", argc);
    if (argc == 1)
        return print_set(argv[0]);
    for (int i = 0; i < manifest_set_count(); i++)
        print_set_line(manifest_set_name(i), manifest_set_text(i));
    return TALLY_EXIT_CLEAN;
}

static void refuse_both_balances(void)
{
    if (suggested.tight && suggested.loose)
        usage("--tight and --loose exclude each other");
}

static int suggest(int argc, char **argv)
{
    refuse_both_balances();
    if (suggested.run && argc > 1)
        usage("--run is of one database, not of %d", argc);
    return manifest_suggest(argc, argv, &suggested);
}

static int init(int argc, char **argv)
{
    refuse_both_balances();
    if (suggested.run)
        usage("manifest init makes a run of its own; 'tallyman manifest suggest' takes --run");
    if (argc == 0)
        usage("manifest init needs a command: tallyman manifest init [OPTION...] -- COMMAND "
              "[ARG...]");
    if (!suggested.output)
        suggested.output = DEFAULT_MANIFEST;
    return manifest_init(argv, &suggested);
}

static const struct word {
    const char *name;
    bool takes_command; /* whose options are its own */
    int (*function)(int argc, char **argv);
} words[] = {
    {"init", true, init},
    {"suggest", false, suggest},
    {"lint", false, lint},
    {"sets", false, sets},
};
#define WORD_COUNT (sizeof words / sizeof *words)

static const struct word *find_word(const char *name)
{
    cleanup_buffer struct buffer shown = BUFFER_INIT;
    const char *names[WORD_COUNT];
    const char *nearest;

    for (size_t i = 0; i < WORD_COUNT; i++) {
        names[i] = words[i].name;
        if (strcmp(name, names[i]) == 0)
            return &words[i];
    }
    nearest = spelling_nearest(name, names, WORD_COUNT);
    quote_display(&shown, name, strlen(name));
    usage("manifest does not know '%s'; did you mean '%s'?", shown.data,
          nearest ? nearest : "init', 'suggest', 'lint' or 'sets");
}

int cmd_manifest(int argc, char **argv)
{
    int at = option_parse(cmd_manifest_options, argc, argv, true);
    const struct word *word;

    if (at >= argc)
        usage("manifest needs a word: init, suggest, lint or sets");
    word = find_word(argv[at]);
    argc -= at;
    argv += at;
    if (option_wants_help(cmd_manifest_options, argc, argv, word->takes_command)) {
        help_print_command(command_find("manifest"), stdout);
        return TALLY_EXIT_CLEAN;
    }
    at = option_parse(cmd_manifest_options, argc, argv, word->takes_command);
    return word->function(argc - at, argv + at);
}
