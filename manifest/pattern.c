/* SPDX-License-Identifier: MIT */
#include "pattern.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cleanup.h"

#define COMPONENT_MAX 255 /* NAME_MAX of every file system in use */
#define PATTERN_MAX   4095

bool pattern_has_wildcard(const char *component, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (component[i] == '\\')
            i++;
        else if (strchr("*?[", component[i]))
            return true;
    }
    return false;
}

size_t pattern_unquote(char *text, size_t length)
{
    size_t to = 0;

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\' && i + 1 < length)
            i++;
        text[to++] = text[i];
    }
    text[to] = '\0';
    return to;
}

void pattern_quote(struct buffer *out, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] && strchr("*?[\\", bytes[i]))
            buffer_add_char(out, '\\');
        buffer_add_char(out, bytes[i]);
    }
}

static const char *home_folder(void)
{
    const char *home = getenv("HOME");
    const struct passwd *entry;

    if (home && home[0] == '/')
        return home;
    entry = getpwuid(getuid());
    return entry && entry->pw_dir[0] == '/' ? entry->pw_dir : NULL;
}

static void add_value(struct buffer *out, const char *value, bool quoted)
{
    if (quoted)
        pattern_quote(out, value, strlen(value));
    else
        buffer_add_text(out, value);
}

/* `text` starts with "${". Returns where it goes on after the '}', NULL after an error. */
static const char *expand_variable(struct reader *reader, const yaml_node_t *node, const char *text,
                                   struct buffer *out, bool quoted)
{
    const char *end = strchr(text, '}');
    cleanup_free char *name = NULL;
    const char *value;

    if (!end || end == text + 2) {
        reader_report(reader, node, "expected ${VAR}, the name of a variable in braces");
        return NULL;
    }
    name = xmemdup(text + 2, (size_t)(end - text) - 2);
    value = getenv(name);
    if (!value) {
        reader_report(reader, node, "the variable ${%s} is not set; set it, or write its value",
                      name);
        return NULL;
    }
    add_value(out, value, quoted);
    return end + 1;
}

/* Fills `~` and ${VAR} in. False after an error. */
static bool expand(struct reader *reader, const yaml_node_t *node, const char *text, bool quoted,
                   struct buffer *out)
{
    const char *home;

    if (text[0] == '~' && (!text[1] || text[1] == '/')) {
        home = home_folder();
        if (!home && reader->set)
            return false; /* what a set says about it holds for nobody here */
        if (!home) {
            reader_report(reader, node, "the caller has no home folder that ~ could stand for");
            return false;
        }
        add_value(out, home, quoted);
        text++;
    }
    while (*text) {
        if (text[0] == '$' && text[1] == '{') {
            text = expand_variable(reader, node, text, out, quoted);
            if (!text)
                return false;
            continue;
        }
        if (quoted && text[0] == '\\' && text[1])
            buffer_add_char(out, *text++);
        buffer_add_char(out, *text++);
    }
    return true;
}

/* Checks a class; `*i` is at its '[' and is moved to its ']'. The reason it cannot match, or NULL.
 */
static const char *check_class(const char *text, size_t length, size_t *i)
{
    size_t at = *i + 1;
    bool first = true;

    if (at < length && (text[at] == '!' || text[at] == '^'))
        at++;
    for (; at < length; first = false) {
        unsigned char low, high;

        if (text[at] == ']' && !first) {
            *i = at;
            return NULL;
        }
        if (text[at] == '\\' && at + 1 < length)
            at++;
        low = (unsigned char)text[at++];
        if (at + 1 >= length || text[at] != '-' || text[at + 1] == ']')
            continue;
        at++;
        if (text[at] == '\\' && at + 1 < length)
            at++;
        high = (unsigned char)text[at++];
        if (low > high)
            return "its class has a range from a higher to a lower byte";
    }
    return "the class that [ opens is never closed; quote the bracket as \\[";
}

/* Why text with wildcards can never match; NULL when it can. */
static const char *check_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char *reason;

        if (text[i] == '\\' && i + 1 == length)
            return "a backslash at its end quotes nothing; write \\\\ for a backslash";
        if (text[i] == '\\') {
            i++;
        } else if (text[i] == '[') {
            reason = check_class(text, length, &i);
            if (reason)
                return reason;
        }
    }
    return NULL;
}

static const char *check_component(const char *text, size_t length)
{
    const char *reason = check_text(text, length);
    size_t least = 0;

    if (reason)
        return reason;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '*' && i + 1 < length && text[i + 1] == '*' && length != 2)
            return "** must stand alone between slashes, as in src/**/*.c; * stays inside a name";
        if (text[i] == '\\')
            i++;
        else if (text[i] == '[')
            check_class(text, length, &i);
        least += text[i] != '*' || (i && text[i - 1] == '\\');
    }
    if (least > COMPONENT_MAX)
        return "no file has a name of more than 255 bytes";
    if (!pattern_has_wildcard(text, length)) {
        cleanup_free char *plain = xmemdup(text, length);

        pattern_unquote(plain, length);
        if (!strcmp(plain, ".") || !strcmp(plain, ".."))
            return "no file is called . or ..";
    }
    return NULL;
}

static void drop_last(struct buffer *out)
{
    while (out->length && out->data[out->length - 1] != '/')
        out->length--;
    if (out->length)
        out->length--;
    out->data[out->length] = '\0';
}

static const char *last_component(const struct buffer *out)
{
    const char *slash = out->data ? strrchr(out->data, '/') : NULL;

    return slash ? slash + 1 : "";
}

/* Adds one component to the normalised path. The reason it can never match, or NULL. */
static const char *add_component(struct buffer *out, const char *text, size_t length, bool pattern)
{
    const char *reason;

    if (!length || (length == 1 && text[0] == '.'))
        return NULL;
    if (length == 2 && text[0] == '.' && text[1] == '.') {
        const char *last = last_component(out);

        if (!out->length)
            return ".. leads above /";
        if (pattern && pattern_has_wildcard(last, strlen(last)))
            return ".. cannot follow a wildcard";
        drop_last(out);
        return NULL;
    }
    reason = pattern ? check_component(text, length) : NULL;
    buffer_add_char(out, '/');
    buffer_add(out, text, length);
    return reason;
}

/* The end of a component: a slash in a class or after a backslash counts as one as well. */
static char *normalise(struct reader *reader, const yaml_node_t *node, const char *text,
                       bool pattern)
{
    struct buffer out = BUFFER_INIT;
    const char *reason = NULL;
    const char *at = text;

    while (*at && !reason) {
        size_t length = strcspn(at, "/");

        reason = add_component(&out, at, length, pattern);
        at += length + (at[length] == '/');
    }
    if (!reason && out.length > PATTERN_MAX)
        reason = "it is longer than any path can be (4095 bytes)";
    if (reason) {
        reader_report(reader, node, "the pattern can never match: %s", reason);
        buffer_fini(&out);
        return NULL;
    }
    if (!out.length)
        buffer_add_char(&out, '/');
    return buffer_take(&out);
}

static char *make(struct reader *reader, const yaml_node_t *node, const char *text,
                  const char *base, bool pattern)
{
    cleanup_buffer struct buffer expanded = BUFFER_INIT;
    cleanup_buffer struct buffer absolute = BUFFER_INIT;

    if (!*text) {
        reader_report(reader, node,
                      "the pattern can never match: it is empty; write . for the folder");
        return NULL;
    }
    if (!expand(reader, node, text, pattern, &expanded))
        return NULL;
    if (!expanded.length || expanded.data[0] != '/') {
        add_value(&absolute, base, pattern);
        buffer_add_char(&absolute, '/');
    }
    buffer_add(&absolute, expanded.data, expanded.length);
    return normalise(reader, node, absolute.data, pattern);
}

char *pattern_path(struct reader *reader, const yaml_node_t *node, const char *text,
                   const char *base)
{
    return make(reader, node, text, base, true);
}

char *pattern_folder(struct reader *reader, const yaml_node_t *node, const char *text,
                     const char *base)
{
    return make(reader, node, text, base, false);
}

char *pattern_text(struct reader *reader, const yaml_node_t *node, const char *text)
{
    const char *reason = *text ? check_text(text, strlen(text)) : "it is empty";

    if (!reason)
        return xstrdup(text);
    reader_report(reader, node, "the pattern can never match: %s", reason);
    return NULL;
}

char *pattern_value(struct reader *reader, const yaml_node_t *node, const char *text)
{
    struct buffer out = BUFFER_INIT;

    buffer_add_text(&out, "");
    while (*text) {
        if (!strncmp(text, "$${", 3)) {
            buffer_add_text(&out, "${");
            text += 3;
        } else if (!strncmp(text, "${", 2)) {
            text = expand_variable(reader, node, text, &out, false);
            if (!text) {
                buffer_fini(&out);
                return NULL;
            }
        } else {
            buffer_add_char(&out, *text++);
        }
    }
    return buffer_take(&out);
}
