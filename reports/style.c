/* SPDX-License-Identifier: MIT */
#include "style.h"

#include <string.h>

#include "quote.h"

#define BOLD   "\033[1m"
#define DIM    "\033[2m"
#define CYAN   "\033[36m"
#define NORMAL "\033[0m"
#define INDENT 2
/* Room that a list keeps for " and 1234 more". */
#define MORE 14

static void add_coloured(struct page *page, const char *colour, const char *text)
{
    if (page->colour)
        buffer_add_text(page->out, colour);
    buffer_add_text(page->out, text);
    if (page->colour)
        buffer_add_text(page->out, NORMAL);
}

static void add_spaces(struct page *page, size_t count)
{
    buffer_printf(page->out, "%*s", (int)count, "");
}

/* The text as it fits `width` columns; the caller's buffer. */
static const char *cut(struct buffer *room, const char *text, size_t width)
{
    buffer_clear(room);
    quote_shortened(room, text, strlen(text), width);
    return room->data ? room->data : "";
}

void page_heading(struct page *page, const char *title, const char *note)
{
    cleanup_buffer struct buffer room = BUFFER_INIT;
    size_t width = quote_width(title, strlen(title)) + 2;

    add_coloured(page, BOLD, title);
    if (note && *note && width < page->width) {
        buffer_add_text(page->out, page->colour ? "  " : ": ");
        buffer_add_text(page->out, cut(&room, note, page->width - width));
    }
    buffer_add_char(page->out, '\n');
}

void page_gap(struct page *page)
{
    buffer_add_char(page->out, '\n');
}

void page_row(struct page *page, size_t column, const char *name, const char *rest)
{
    cleanup_buffer struct buffer room = BUFFER_INIT;
    size_t width = quote_width(name, strlen(name));

    if (column > page->width / 2)
        column = page->width / 2;
    add_spaces(page, INDENT);
    add_coloured(page, CYAN, cut(&room, name, column));
    width = width < column ? width : column;
    if (*rest) {
        add_spaces(page, column - width + INDENT);
        buffer_add_text(page->out, cut(&room, rest, page->width - column - 2ul * INDENT));
    }
    buffer_add_char(page->out, '\n');
}

void page_detail(struct page *page, const char *text)
{
    cleanup_buffer struct buffer room = BUFFER_INIT;

    add_spaces(page, 3ul * INDENT);
    add_coloured(page, DIM, cut(&room, text, page->width - 3ul * INDENT));
    buffer_add_char(page->out, '\n');
}

void page_paragraph(struct page *page, size_t indent, const char *text)
{
    size_t column = strspn(text, " ");
    bool first = true;

    buffer_add(page->out, text, column);
    text += column;
    for (; *text; first = false) {
        size_t length = strcspn(text, " ");
        size_t width = quote_width(text, length);

        if (!first && column + 1 + width > page->width) {
            buffer_add_char(page->out, '\n');
            add_spaces(page, indent);
            column = indent;
        } else if (!first) {
            buffer_add_char(page->out, ' ');
            column++;
        }
        buffer_add(page->out, text, length);
        column += width;
        text += length;
        text += *text == ' ';
    }
    buffer_add_char(page->out, '\n');
}

void list_start(struct list *list, struct page *page, const char *head, size_t lines)
{
    /* An item has a space before it. */
    size_t start = *head ? INDENT : INDENT - 1;

    *list = (struct list){.page = page, .lines = lines, .line = 1};
    add_spaces(page, start);
    buffer_printf(page->out, "%s", head);
    list->indent = 2ul * INDENT;
    list->column = start + quote_width(head, strlen(head));
}

void list_add(struct list *list, const char *item)
{
    cleanup_buffer struct buffer room = BUFFER_INIT;
    size_t most = list->page->width - list->indent - MORE;
    const char *text = cut(&room, item, most);
    size_t width = quote_width(text, strlen(text)) + 1 + (list->total > 0);
    size_t limit = list->page->width - (list->line == list->lines ? MORE : 1);

    list->total++;
    if (list->full)
        return;
    if (list->shown)
        buffer_add_char(list->page->out, ',');
    if (list->column + width > limit) {
        if (list->line == list->lines) {
            list->full = true;
            return;
        }
        list->line++;
        buffer_add_char(list->page->out, '\n');
        add_spaces(list->page, list->indent);
        list->column = list->indent;
        width--;
    } else {
        buffer_add_char(list->page->out, ' ');
    }
    buffer_add_text(list->page->out, text);
    list->column += width;
    list->shown++;
}

void list_end(struct list *list)
{
    if (list->total > list->shown)
        buffer_printf(list->page->out, " and %zu more", list->total - list->shown);
    buffer_add_char(list->page->out, '\n');
}
