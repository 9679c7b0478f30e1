/* SPDX-License-Identifier: MIT */
#include "nearest.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define WORD_MAX 64

static int least(int one, int other)
{
    return one < other ? one : other;
}

/* Distance of Damerau and Levenshtein between neighbours; rows hold one more than WORD_MAX. */
static int distance(const char *one, size_t one_length, const char *other, size_t other_length)
{
    int rows[3][WORD_MAX + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];

    for (size_t j = 0; j <= other_length; j++)
        last[j] = (int)j;
    for (size_t i = 1; i <= one_length; i++) {
        int *swap = before;

        now[0] = (int)i;
        for (size_t j = 1; j <= other_length; j++) {
            int a = tolower((unsigned char)one[i - 1]), b = tolower((unsigned char)other[j - 1]);

            now[j] = least(last[j - 1] + (a != b), least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a == tolower((unsigned char)other[j - 2]) &&
                b == tolower((unsigned char)one[i - 2]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        before = last;
        last = now;
        now = swap;
    }
    return last[other_length];
}

const char *nearest_name(const char *word, const char *const *candidates)
{
    size_t length = strlen(word);
    const char *best = NULL;
    int best_distance;

    if (!length || length > WORD_MAX)
        return NULL;
    best_distance = length < 3 ? 2 : (int)length / 3 + 2;
    for (; *candidates; candidates++) {
        size_t other_length = strlen(*candidates);
        int d;

        if (other_length > WORD_MAX)
            continue;
        d = distance(word, length, *candidates, other_length);
        if (d < best_distance) {
            best_distance = d;
            best = *candidates;
        }
    }
    return best;
}
