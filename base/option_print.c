/* SPDX-License-Identifier: MIT
 *
 * What is printed from a table of options: help, man page, completion.
 */
#include "option.h"

#include <string.h>

#include "buffer.h"

#define HELP_COLUMN 30
#define LINE_WIDTH  80

/* --help is an option of every command; these rows stand for the table's end. */
static const struct option help_row = {
    'h', "help", OPTION_FLAG, NULL, NULL, NULL, "print this help and end"};

/* Steps through the rows and then help_row; NULL at the end. Start with row NULL. */
static const struct option *next_row(const struct option *table, const struct option *row)
{
    if (row == &help_row)
        return NULL;
    row = row ? row + 1 : table;
    return row->name ? row : &help_row;
}

static bool takes_value(const struct option *row)
{
    return row->type != OPTION_FLAG;
}

static bool takes_path(const struct option *row)
{
    return row->value && (strcmp(row->value, "FILE") == 0 || strcmp(row->value, "DB") == 0 ||
                          strcmp(row->value, "DIR") == 0);
}

/* "audit|enforce" with each '|' replaced. */
static void print_choices(const char *choices, const char *between, FILE *out)
{
    for (; *choices; choices++) {
        if (*choices == '|')
            fputs(between, out);
        else
            fputc(*choices, out);
    }
}

/* Words of `text` from column HELP_COLUMN on; `column` is where the line stands. */
static void print_wrapped(const char *text, int column, FILE *out)
{
    if (column >= HELP_COLUMN) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", HELP_COLUMN - column, "");
    column = HELP_COLUMN;
    while (*text) {
        int length = (int)strcspn(text, " ");

        if (column + length > LINE_WIDTH && column > HELP_COLUMN) {
            fprintf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        fprintf(out, "%s%.*s", column > HELP_COLUMN ? " " : "", length, text);
        column += length + (column > HELP_COLUMN);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void option_print_help(const struct option *table, FILE *out)
{
    for (const struct option *row = next_row(table, NULL); row; row = next_row(table, row)) {
        cleanup_buffer struct buffer text = BUFFER_INIT;

        if (row->letter)
            buffer_printf(&text, "  -%c, --%s", row->letter, row->name);
        else
            buffer_printf(&text, "      --%s", row->name);
        if (takes_value(row))
            buffer_printf(&text, " %s", row->value);
        fputs(text.data, out);
        buffer_clear(&text);
        buffer_add_text(&text, row->help);
        if (row->choices) {
            buffer_add_text(&text, " (");
            for (const char *at = row->choices; *at; at++)
                buffer_add_text(&text, *at == '|' ? ", " : (char[]){*at, '\0'});
            buffer_add_char(&text, ')');
        }
        print_wrapped(
            text.data,
            (int)(8 + strlen(row->name) + (takes_value(row) ? strlen(row->value) + 1 : 0)), out);
    }
}

static void add_synopsis(const struct option *row, struct buffer *text)
{
    if (row->letter)
        buffer_printf(text, "[-%c", row->letter);
    else
        buffer_printf(text, "[--%s", row->name);
    if (takes_value(row))
        buffer_printf(text, " %s",
                      row->type == OPTION_CHOICE && row->choices ? row->choices : row->value);
    buffer_add_text(text, row->type == OPTION_LIST ? "]..." : "]");
}

void option_print_synopsis(const struct option *table, FILE *out, int indent)
{
    int column = indent;

    for (; table->name; table++) {
        cleanup_buffer struct buffer text = BUFFER_INIT;

        add_synopsis(table, &text);
        if (column + 1 + (int)text.length > LINE_WIDTH && column > indent) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        fprintf(out, " %s", text.data);
        column += 1 + (int)text.length;
    }
}

void option_print_roff(const char *text, FILE *out)
{
    bool line_start = true;

    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        line_start = *text == '\n';
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
    }
}

void option_print_man_synopsis(const struct option *table, FILE *out)
{
    for (; table->name; table++) {
        fputs("[\\fB", out);
        if (table->letter)
            fprintf(out, "\\-%c", table->letter);
        else {
            fputs("\\-\\-", out);
            option_print_roff(table->name, out);
        }
        fputs("\\fR", out);
        if (takes_value(table)) {
            fputs("\\ ", out);
            if (table->type == OPTION_CHOICE && table->choices)
                print_choices(table->choices, "\\fR|\\:", out);
            else
                fprintf(out, "\\fI%s\\fR", table->value);
        }
        fprintf(out, "]%s\n", table->type == OPTION_LIST ? "..." : "");
    }
}

void option_print_man(const struct option *table, FILE *out)
{
    for (const struct option *row = next_row(table, NULL); row; row = next_row(table, row)) {
        fputs(".TP\n", out);
        if (row->letter)
            fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
        fputs("\\fB\\-\\-", out);
        option_print_roff(row->name, out);
        fputs("\\fR", out);
        if (takes_value(row))
            fprintf(out, "=\\fI%s\\fR", row->value);
        fputc('\n', out);
        option_print_roff(row->help, out);
        if (row->choices) {
            fputs(" (", out);
            print_choices(row->choices, ", ", out);
            fputc(')', out);
        }
        fputs(row->type == OPTION_LIST ? ".\nMay be given more than once.\n" : ".\n", out);
    }
}

void option_print_bash(const struct option *table, FILE *out)
{
    fputs("            case $previous in\n", out);
    for (const struct option *row = table; row->name; row++) {
        if (!takes_value(row))
            continue;
        fputs("                ", out);
        if (row->letter)
            fprintf(out, "-%c|", row->letter);
        fprintf(out, "--%s) ", row->name);
        if (row->choices) {
            fputs("_tallyman_words '", out);
            print_choices(row->choices, " ", out);
            fputs("'; return;;\n", out);
        } else if (takes_path(row)) {
            fputs("_tallyman_files; return;;\n", out);
        } else {
            fputs("return;;\n", out);
        }
    }
    fputs("            esac\n            options='", out);
    for (const struct option *row = next_row(table, NULL); row; row = next_row(table, row)) {
        if (row->letter)
            fprintf(out, "-%c ", row->letter);
        fprintf(out, "--%s ", row->name);
    }
    fputs("'\n", out);
}

/* Text inside single quotes of zsh's _arguments and of fish. */
static void print_quoted(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void print_zsh_name(const struct option *row, const char *dashes, const char *name,
                           FILE *out)
{
    fprintf(out, "        '%s%s%s", row->type == OPTION_LIST ? "*" : "", dashes, name);
    if (takes_value(row))
        fputs(dashes[1] ? "=" : "+", out);
    fputc('[', out);
    print_quoted(row->help, out);
    fputc(']', out);
    if (takes_value(row)) {
        fprintf(out, ":%s:", row->value);
        if (row->choices) {
            fputc('(', out);
            print_choices(row->choices, " ", out);
            fputc(')', out);
        } else if (takes_path(row)) {
            fputs("_files", out);
        }
    }
    fputs("' \\\n", out);
}

void option_print_zsh(const struct option *table, FILE *out)
{
    for (const struct option *row = next_row(table, NULL); row; row = next_row(table, row)) {
        if (row->letter)
            print_zsh_name(row, "-", (char[]){row->letter, '\0'}, out);
        print_zsh_name(row, "--", row->name, out);
    }
}

void option_print_fish(const struct option *table, const char *command, FILE *out)
{
    for (const struct option *row = next_row(table, NULL); row; row = next_row(table, row)) {
        fprintf(out, "complete -c tallyman -n '__fish_seen_subcommand_from %s' -l %s", command,
                row->name);
        if (row->letter)
            fprintf(out, " -s %c", row->letter);
        if (takes_value(row))
            fputs(takes_path(row) ? " -r -F" : " -x", out);
        if (row->choices) {
            fputs(" -a '", out);
            print_choices(row->choices, " ", out);
            fputc('\'', out);
        }
        fputs(" -d '", out);
        for (const char *at = row->help; *at; at++)
            fputs(*at == '\'' ? "\\'" : (char[]){*at, '\0'}, out);
        fputs("'\n", out);
    }
}
