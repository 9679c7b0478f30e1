/* SPDX-License-Identifier: MIT
 *
 * The page for people who want to look around: template, style and script from page/, data from
 * html_data.c, all in one file. The page's own policy forbids everything else, by hash.
 */
#include "html.h"

#include <openssl/evp.h>
#include <string.h>

#include "cleanup.h"
#include "xml.h"

/* Taken in by the assembler so that the files stay the only copy. */
#define EMBED(symbol, files) ".pushsection .rodata\n" #symbol ":\n" files ".byte 0\n.popsection\n"
#define PAGE_FILE(name)      ".incbin \"" PAGE_FOLDER "/" name "\"\n"
__asm__(EMBED(report_page_html, PAGE_FILE("page.html")));
__asm__(EMBED(report_page_style, PAGE_FILE("style.css")));
__asm__(EMBED(report_page_script,
              PAGE_FILE("data.js") PAGE_FILE("overview.js") PAGE_FILE("findings.js")
                  PAGE_FILE("processes.js") PAGE_FILE("timeline.js") PAGE_FILE("start.js")));
extern const char report_page_html[] __attribute__((visibility("hidden")));
extern const char report_page_style[] __attribute__((visibility("hidden")));
extern const char report_page_script[] __attribute__((visibility("hidden")));

void html_add_lines(struct buffer *out, struct text text)
{
    while (text.length) {
        const char *end = memchr(text.bytes, '\n', text.length);
        size_t length = end ? (size_t)(end - text.bytes) : text.length;

        xml_add_text(out, (struct text){text.bytes, length});
        if (end)
            buffer_add_char(out, '\n');
        text.bytes += length + (end != NULL);
        text.length -= length + (end != NULL);
    }
}

/* A source of Content-Security-Policy that allows exactly this text. */
static void add_hash(struct buffer *out, const char *text)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned char shown[EVP_MAX_MD_SIZE * 2];
    unsigned int length = 0;

    if (!EVP_Digest(text, strlen(text), digest, &length, EVP_sha256(), NULL))
        BUG("libcrypto has no SHA-256");
    EVP_EncodeBlock(shown, digest, (int)length);
    buffer_printf(out, "'sha256-%s'", (const char *)shown);
}

static int add_script_hash(struct buffer *out, const struct analysis *analysis, sqlite3 *db)
{
    (void)analysis, (void)db;
    add_hash(out, report_page_script);
    return 0;
}

static int add_style_hash(struct buffer *out, const struct analysis *analysis, sqlite3 *db)
{
    (void)analysis, (void)db;
    add_hash(out, report_page_style);
    return 0;
}

static int add_command(struct buffer *out, const struct analysis *analysis, sqlite3 *db)
{
    (void)db;
    xml_add_text(out, analysis->command);
    return 0;
}

static int add_style(struct buffer *out, const struct analysis *analysis, sqlite3 *db)
{
    (void)analysis, (void)db;
    buffer_add_text(out, report_page_style);
    return 0;
}

static int add_list(struct buffer *out, const struct analysis *analysis, sqlite3 *db)
{
    (void)db;
    html_add_list(out, analysis);
    return 0;
}

static int add_script(struct buffer *out, const struct analysis *analysis, sqlite3 *db)
{
    (void)analysis, (void)db;
    buffer_add_text(out, report_page_script);
    return 0;
}

/* {{name}} in the template stands for a part. */
static const struct {
    const char *name;
    int (*add)(struct buffer *out, const struct analysis *analysis, sqlite3 *db);
} parts[] = {
    {"script-hash", add_script_hash},
    {"style-hash", add_style_hash},
    {"command", add_command},
    {"style", add_style},
    {"list", add_list},
    {"data", html_add_data},
    {"script", add_script},
};

static int add_part(struct buffer *out, const char *name, size_t length,
                    const struct analysis *analysis, sqlite3 *db)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
            return parts[i].add(out, analysis, db);
    BUG("the page's template asks for %.*s, which nobody makes", (int)length, name);
}

int render_html(const struct analysis *analysis, sqlite3 *db,
                const struct report_settings *settings, struct buffer *out)
{
    const char *at = report_page_html;
    const char *open, *close;
    int result = 0;

    (void)settings;
    while (result == 0 && (open = strstr(at, "{{")) && (close = strstr(open, "}}"))) {
        buffer_add(out, at, (size_t)(open - at));
        result = add_part(out, open + 2, (size_t)(close - open - 2), analysis, db);
        at = close + 2;
    }
    buffer_add_text(out, at);
    return result;
}
