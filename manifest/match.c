/* SPDX-License-Identifier: MIT
 *
 * Linked into the judge, so freestanding: see judge.c for the rules.
 */
#include "match.h"

/* The class that starts at pattern[at] == '[': the index after its ']', or 0 when it has none. */
static size_t class_end(const char *pattern, size_t length, size_t at)
{
    size_t i = at + 1;

    if (i < length && (pattern[i] == '!' || pattern[i] == '^'))
        i++;
    for (bool first = true; i < length; first = false, i++) {
        if (pattern[i] == ']' && !first)
            return i + 1;
        if (pattern[i] == '\\' && i + 1 < length)
            i++;
    }
    return 0;
}

static unsigned char class_byte(const char *pattern, size_t *i, size_t end)
{
    if (pattern[*i] == '\\' && *i + 1 < end)
        (*i)++;
    return (unsigned char)pattern[(*i)++];
}

/* `end` is the index of the closing ']'. */
static bool class_has(const char *pattern, size_t at, size_t end, unsigned char byte)
{
    bool negated = pattern[at + 1] == '!' || pattern[at + 1] == '^';
    bool found = false;

    for (size_t i = at + 1 + negated; i < end;) {
        unsigned char low = class_byte(pattern, &i, end);
        unsigned char high = low;

        if (i + 1 < end && pattern[i] == '-') {
            i++;
            high = class_byte(pattern, &i, end);
        }
        if (low <= byte && byte <= high)
            found = true;
    }
    return found != negated;
}

/* Does the pattern's next element (not a star) match this byte? Moves `*p` past the element. */
static bool matches_one(const char *pattern, size_t length, size_t *p, char byte)
{
    size_t at = *p;
    size_t end;

    switch (pattern[at]) {
    case '?':
        *p = at + 1;
        return true;
    case '[':
        end = class_end(pattern, length, at);
        if (!end)
            break;
        *p = end;
        return class_has(pattern, at, end - 1, (unsigned char)byte);
    case '\\':
        if (at + 1 == length)
            break;
        *p = at + 2;
        return pattern[at + 1] == byte;
    }
    *p = at + 1;
    return pattern[at] == byte;
}

bool match_text(const char *pattern, size_t pattern_length, const char *text, size_t text_length)
{
    size_t p = 0, t = 0;
    size_t star = 0, star_text = 0;
    bool has_star = false;

    for (;;) {
        if (p < pattern_length && pattern[p] == '*') {
            has_star = true;
            star = ++p;
            star_text = t;
            continue;
        }
        if (t == text_length && p == pattern_length)
            return true;
        if (t < text_length && p < pattern_length &&
            matches_one(pattern, pattern_length, &p, text[t])) {
            t++;
            continue;
        }
        if (!has_star || star_text >= text_length)
            return false;
        p = star;
        t = ++star_text;
    }
}

static size_t component_end(const char *text, size_t at, size_t length)
{
    while (at < length && text[at] != '/')
        at++;
    return at;
}

static size_t next_component(const char *text, size_t at, size_t length)
{
    while (at < length && text[at] == '/')
        at++;
    return at;
}

static size_t pattern_end(const char *pattern, size_t at)
{
    while (pattern[at] && pattern[at] != '/')
        at++;
    return at;
}

bool match_path(const char *pattern, bool covers, const char *path, size_t path_length)
{
    size_t p = 0, t = next_component(path, 0, path_length);
    size_t star = 0, star_path = 0;
    bool has_star = false;

    for (;;) {
        size_t p_end = pattern_end(pattern, p);
        size_t t_end = component_end(path, t, path_length);

        if (p_end - p == 2 && pattern[p] == '*' && pattern[p + 1] == '*') {
            if (!pattern[p_end])
                return true;
            has_star = true;
            star = p = p_end + 1;
            star_path = t;
            continue;
        }
        if (p_end == p && (covers || t == path_length))
            return true;
        if (p_end > p && t == path_length)
            return false;
        if (p_end > p && match_text(pattern + p, p_end - p, path + t, t_end - t)) {
            p = pattern[p_end] ? p_end + 1 : p_end;
            t = next_component(path, t_end, path_length);
            continue;
        }
        if (!has_star)
            return false;
        star_path = next_component(path, component_end(path, star_path, path_length), path_length);
        if (star_path == path_length)
            return false;
        p = star;
        t = star_path;
    }
}
