/* SPDX-License-Identifier: MIT */
#include "spelling.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Longer words are no slips of the finger, and the rows below stay small. */
#define LONGEST 64

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment: three rows of the usual table are enough. */
size_t spelling_distance(const char *one, const char *other)
{
    size_t rows[3][LONGEST + 1];
    size_t height = strlen(one);
    size_t width = strlen(other);

    if (height > LONGEST || width > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= width; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= height; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        const size_t *two_above = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t replaced = above[j - 1] + !same_letter(one[i - 1], other[j - 1]);

            row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(one[i - 1], other[j - 2]) &&
                same_letter(one[i - 2], other[j - 1]))
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[height % 3][width];
}

const char *spelling_nearest(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < count; i++) {
        size_t distance = spelling_distance(word, names[i]);
        size_t length = strlen(word) > strlen(names[i]) ? strlen(word) : strlen(names[i]);

        if (distance < best && distance <= (length + 2) / 3) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

const char *spelling_nearest_of(const char *word, const char *const *names)
{
    size_t count = 0;

    while (names[count])
        count++;
    return spelling_nearest(word, names, count);
}
