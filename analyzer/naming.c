/* SPDX-License-Identifier: MIT */
#include "naming.h"

#include <ctype.h>
#include <string.h>

/* Shorter names are chosen by people. */
#define SHORTEST_TEMPORARY 5
#define LONGEST_ENDING     4
/* Smaller numbers are more often versions than processes. */
#define SHORTEST_NUMBER 3

static const char *const temporary_folders[] = {"/tmp", "/var/tmp", "/dev/shm"};
/* Numbers in these belong to one boot, one session or one machine. */
static const char *const numbered_folders[] = {"/proc",    "/sys", "/dev/pts", "/run/user",
                                               "/dev/shm", "/tmp", "/var/tmp"};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

void naming_init(struct naming *naming, const struct places *places)
{
    *naming = (struct naming){.places = *places, .beside = places_beside(places)};
}

void naming_fini(struct naming *naming)
{
    map_fini(&naming->pids);
    names_fini(&naming->temporaries);
    *naming = (struct naming){0};
}

void naming_add_pid(struct naming *naming, int64_t pid)
{
    *map_slot(&naming->pids, (struct map_key){0, (uint64_t)pid}) = 1;
}

void naming_add_temporary(struct naming *naming, struct text path)
{
    const char *slash = path.length ? memrchr(path.bytes, '/', path.length) : NULL;

    if (slash) {
        path.length -= (size_t)(slash + 1 - path.bytes);
        path.bytes = slash + 1;
    }
    if (path.length >= SHORTEST_TEMPORARY)
        names_add(&naming->temporaries, path.bytes, path.length);
}

static bool is_below(struct text path, const char *folder)
{
    return path_is_within(path, (struct text){folder, strlen(folder)});
}

bool naming_is_temporary(const struct naming *naming, struct text path)
{
    if (naming->places.root.length > 1 && path_is_within(path, naming->places.root))
        return false;
    for (size_t i = 0; i < COUNT_OF(temporary_folders); i++)
        if (is_below(path, temporary_folders[i]))
            return true;
    return false;
}

static bool is_name_character(char character)
{
    return isalnum((unsigned char)character) || (character && strchr("._+-@%", character)) ||
           (unsigned char)character >= 0x80;
}

static struct text part(struct text text, size_t from, size_t length)
{
    return (struct text){text.bytes + from, length};
}

/* The sign of the place that the text begins with and the length of the place's name; 0 none. */
static size_t place_at(const struct naming *naming, struct text text, enum naming_level level,
                       const char **sign)
{
    const struct {
        struct text folder;
        const char *sign;
    } places[] = {
        {naming->places.root, "{root}"},
        {naming->beside, "{root}/.."},
        {naming->places.home, "~"},
    };

    for (size_t i = 0; i < (level == NAMING_EXACT ? 1 : COUNT_OF(places)); i++) {
        size_t length = places[i].folder.length;

        if (length < 2 || text.length < length ||
            memcmp(text.bytes, places[i].folder.bytes, length) != 0 ||
            (text.length > length && is_name_character(text.bytes[length])))
            continue;
        *sign = places[i].sign;
        return length;
    }
    return 0;
}

/* The length of "/proc/123" at the start of the text, 0 if it does not begin so. */
static size_t process_folder_at(struct text text)
{
    static const char folder[] = "/proc/";
    size_t length = sizeof folder - 1;

    if (text.length <= length || memcmp(text.bytes, folder, length) != 0)
        return 0;
    while (length < text.length && isdigit((unsigned char)text.bytes[length]))
        length++;
    if (length == sizeof folder - 1 ||
        (length < text.length && is_name_character(text.bytes[length])))
        return 0;
    return length;
}

/* ".c", ".res": an ending that says what the file is and is not a part of the random name. */
static struct text ending_of(struct text name)
{
    const char *dot = memrchr(name.bytes, '.', name.length);
    size_t length = dot ? (size_t)(name.bytes + name.length - dot) : 0;

    if (length < 2 || length > LONGEST_ENDING + 1)
        return part(name, name.length, 0);
    for (size_t i = 1; i < length; i++)
        if (!islower((unsigned char)dot[i]))
            return part(name, name.length, 0);
    return (struct text){dot, length};
}

static void add_temporary(struct buffer *out, struct text name)
{
    struct text ending = ending_of(name);

    buffer_add_text(out, "{temporary}");
    buffer_add(out, ending.bytes, ending.length);
}

static bool is_number_of_process(const struct naming *naming, struct text digits)
{
    uint64_t number = 0;

    if (digits.length < SHORTEST_NUMBER || digits.length > 9)
        return false;
    for (size_t i = 0; i < digits.length; i++)
        number = number * 10 + (uint64_t)(digits.bytes[i] - '0');
    return map_get(&naming->pids, (struct map_key){0, number}) != MAP_NONE;
}

static void add_without_numbers(const struct naming *naming, struct text name, bool all,
                                struct buffer *out)
{
    for (size_t i = 0, length; i < name.length; i += length) {
        bool number = isdigit((unsigned char)name.bytes[i]);

        for (length = 1; i + length < name.length; length++)
            if (!isdigit((unsigned char)name.bytes[i + length]) == number)
                break;
        if (number && (all || is_number_of_process(naming, part(name, i, length))))
            buffer_add_text(out, "{n}");
        else
            buffer_add(out, name.bytes + i, length);
    }
}

static bool same(struct text one, struct text other)
{
    return one.length && one.length == other.length &&
           memcmp(one.bytes, other.bytes, one.length) == 0;
}

/* A part of a name between slashes, blanks and the like. */
static void add_word(const struct naming *naming, struct text word, enum naming_level level,
                     bool numbered, struct buffer *out)
{
    if (names_find(&naming->temporaries, word.bytes, word.length) != MAP_NONE)
        add_temporary(out, word);
    else if (level != NAMING_LOOSE)
        buffer_add(out, word.bytes, word.length);
    else if (same(word, naming->places.user))
        buffer_add_text(out, "{user}");
    else if (same(word, naming->places.host))
        buffer_add_text(out, "{host}");
    else
        add_without_numbers(naming, word, numbered, out);
}

static size_t word_at(struct text text, size_t from)
{
    size_t length = 0;

    while (from + length < text.length && is_name_character(text.bytes[from + length]))
        length++;
    return length;
}

/* "/tmp/" at this place, in a name that may be any: what follows is replaced in the loose form. */
static size_t temporary_folder_at(struct text text)
{
    for (size_t i = 0; i < COUNT_OF(temporary_folders); i++) {
        size_t length = strlen(temporary_folders[i]);

        if (text.length > length + 1 && memcmp(text.bytes, temporary_folders[i], length) == 0 &&
            text.bytes[length] == '/' && is_name_character(text.bytes[length + 1]))
            return length + 1;
    }
    return 0;
}

/* At a slash: replaces what is known; returns how much of the text it took, 0 nothing. */
static size_t add_folder(const struct naming *naming, struct text text, enum naming_level level,
                         struct buffer *out)
{
    const char *sign = "/proc/{pid}";
    size_t length = place_at(naming, text, level, &sign);
    size_t word;

    if (!length)
        length = process_folder_at(text);
    if (length) {
        buffer_add_text(out, sign);
        return length;
    }
    length = level == NAMING_LOOSE ? temporary_folder_at(text) : 0;
    if (length) {
        word = word_at(text, length);
        buffer_add(out, text.bytes, length);
        add_temporary(out, part(text, length, word));
        length += word;
    }
    return length;
}

static bool is_numbered(const struct naming *naming, struct text name)
{
    const char *sign;

    if (place_at(naming, name, NAMING_LOOSE, &sign))
        return false;
    for (size_t i = 0; i < COUNT_OF(numbered_folders); i++)
        if (is_below(name, numbered_folders[i]))
            return true;
    return false;
}

void naming_add(const struct naming *naming, struct text name, enum naming_level level,
                struct buffer *out)
{
    bool numbered = is_numbered(naming, name);

    for (size_t i = 0, length; i < name.length; i += length) {
        struct text rest = part(name, i, name.length - i);

        length = name.bytes[i] == '/' ? add_folder(naming, rest, level, out) : 0;
        if (length)
            continue;
        length = word_at(name, i);
        if (length) {
            add_word(naming, part(name, i, length), level, numbered, out);
        } else {
            buffer_add_char(out, name.bytes[i]);
            length = 1;
        }
    }
}
