/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "cleanup.h"
#include "command.h"
#include "judged_run.h"
#include "manifest.h"
#include "quote.h"
#include "spelling.h"
#include "tallyman/status.h"

static const char *path = DEFAULT_MANIFEST;

const struct option cmd_manifest_options[] = {{'m', "manifest", OPTION_TEXT, &path, "FILE", NULL,
                                               "lint: the manifest; without it ./tallyman.yaml"},
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

int cmd_manifest(int argc, char **argv)
{
    static const char *const words[] = {"lint", "sets"};
    int word = option_parse(cmd_manifest_options, argc, argv, false);
    cleanup_buffer struct buffer shown = BUFFER_INIT;
    const char *nearest;

    if (word >= argc)
        usage("manifest needs a word: lint or sets");
    if (strcmp(argv[word], "lint") == 0)
        return lint(argc - word - 1, argv + word + 1);
    if (strcmp(argv[word], "sets") == 0)
        return sets(argc - word - 1, argv + word + 1);
    nearest = spelling_nearest(argv[word], words, 2);
    quote_display(&shown, argv[word], strlen(argv[word]));
    usage("manifest does not know '%s'; did you mean '%s'?", shown.data,
          nearest ? nearest : "lint' or 'sets");
}
