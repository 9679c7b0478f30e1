/* SPDX-License-Identifier: MIT
 *
 * Keys of processes: what has to be equal for a partner. Alignment itself is in alignment.c.
 */
#include "role_key.h"

#include <ctype.h>
#include <string.h>

#include "buffer.h"

static bool all_digits(struct text text)
{
    size_t length = 0;

    while (length < text.length && isdigit((unsigned char)text.bytes[length]))
        length++;
    return length > 0 && length == text.length;
}

static bool is(struct text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

static struct text after(struct text text, const char *start)
{
    size_t length = strlen(start);

    if (text.length < length || memcmp(text.bytes, start, length) != 0)
        return (struct text){"", 0};
    return (struct text){text.bytes + length, text.length - length};
}

static bool is_jobs_option(struct text word)
{
    return is(word, "-j") || is(word, "--jobs");
}

/* "-j8", "--jobs=8", "-j" "8": says nothing of what is done. So does "-j" for as many as there can
 * be; with other programs it means other things. */
static bool is_number_of_jobs(struct text word, struct text before, struct text next, bool make)
{
    static const char *const options[] = {"-j", "--jobs=", "-l", "--load-average="};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (all_digits(after(word, options[i])))
            return true;
    if (is_jobs_option(word))
        return make || all_digits(next);
    return all_digits(word) && is_jobs_option(before);
}

/* make tells its children by numbers of descriptors. */
static bool is_job_server(struct text word)
{
    return after(word, "--jobserver-auth=").length || after(word, "--jobserver-fds=").length;
}

bool role_is_make(struct text program)
{
    return is(program, "make") || is(program, "gmake") || is(program, "ninja");
}

static struct text word_at(struct text argv, size_t at)
{
    if (at >= argv.length)
        return (struct text){"", 0};
    return (struct text){argv.bytes + at, strnlen(argv.bytes + at, argv.length - at)};
}

/* A word that is a command itself, as "sh -c" gets it, without numbers of jobs. */
static void add_word(const struct role_run *run, struct text word, enum naming_level level,
                     struct buffer *out)
{
    cleanup_buffer struct buffer text = BUFFER_INIT;

    for (size_t at = 0, length; at < word.length; at += length + 1) {
        const char *blank = memchr(word.bytes + at, ' ', word.length - at);
        struct text part = {word.bytes + at, 0};

        part.length = length = blank ? (size_t)(blank - part.bytes) : word.length - at;
        if (!all_digits(after(part, "-j")) && !all_digits(after(part, "--jobs="))) {
            buffer_add(&text, part.bytes, part.length);
            if (blank)
                buffer_add_char(&text, ' ');
        }
    }
    naming_add(run->naming, (struct text){text.data ? text.data : "", text.length}, level, out);
}

void role_add_arguments(const struct role_run *run, uint32_t process, enum naming_level level,
                        struct buffer *out)
{
    const struct analysis_process *row = &run->processes[process];
    struct text argv = {row->argv.bytes, row->argv.bytes ? row->argv.length : 0};
    struct text program = analysis_program(row);
    struct text before = {"", 0};

    naming_add(run->naming, program, level, out);
    buffer_add_char(out, '\0');
    for (size_t at = 0; at < argv.length; at += before.length + 1) {
        struct text word = word_at(argv, at);
        struct text next = word_at(argv, at + word.length + 1);

        if (at > 0 && !is_job_server(word) &&
            !is_number_of_jobs(word, before, next, role_is_make(program))) {
            add_word(run, word, level, out);
            buffer_add_char(out, '\0');
        }
        before = word;
    }
}

static struct map_key hash_of(const struct buffer *text)
{
    struct map_key key = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x9e3779b97f4a7c15)};

    for (size_t i = 0; i < text->length; i++) {
        unsigned char byte = (unsigned char)text->data[i];

        key.high = (key.high ^ byte) * UINT64_C(0x100000001b3);
        key.low = (key.low + byte) * UINT64_C(0xd6e8feb86659fd93);
        key.low ^= key.low >> 29;
    }
    return key;
}

static struct text last_part(struct text word)
{
    const char *slash = memrchr(word.bytes, '/', word.length);

    if (slash) {
        word.length -= (size_t)(slash + 1 - word.bytes);
        word.bytes = slash + 1;
    }
    return word;
}

static bool is_file_name(struct text word)
{
    struct text name = last_part(word);

    if (name.length < 3 || word.bytes[0] == '-')
        return false;
    for (size_t i = 0; i < word.length; i++)
        if (isspace((unsigned char)word.bytes[i]))
            return false;
    return memchr(name.bytes + 1, '.', name.length - 2) != NULL;
}

/* The files that the arguments name, wherever those lie. False: there is none. */
static bool add_files(const struct buffer *arguments, struct buffer *out)
{
    struct text all = {arguments->data, arguments->length};
    bool found = false;

    for (size_t at = 0; at < all.length;) {
        struct text word = word_at(all, at);

        if (at == 0 || is_file_name(word)) {
            struct text name = last_part(word);

            buffer_add(out, name.bytes, name.length);
            buffer_add_char(out, '\0');
            found = found || at > 0;
        }
        at += word.length + 1;
    }
    return found;
}

bool role_key(const struct role_run *run, uint32_t process, enum role_likeness likeness,
              struct map_key *key)
{
    const struct analysis_process *row = &run->processes[process];
    enum naming_level level = likeness == LIKENESS_EXACT ? NAMING_EXACT : NAMING_LOOSE;
    cleanup_buffer struct buffer arguments = BUFFER_INIT;
    cleanup_buffer struct buffer text = BUFFER_INIT;

    switch (likeness) {
    case LIKENESS_EXACT:
    case LIKENESS_LOOSE:
        role_add_arguments(run, process, level, &text);
        buffer_add_char(&text, '\n');
        if (row->cwd.bytes)
            naming_add(run->naming, row->cwd, level, &text);
        break;
    case LIKENESS_FILES:
        role_add_arguments(run, process, level, &arguments);
        if (!add_files(&arguments, &text))
            return false;
        break;
    case LIKENESS_PROGRAM:
        naming_add(run->naming, analysis_program(row), level, &text);
        break;
    }
    *key = hash_of(&text);
    return true;
}
