/* SPDX-License-Identifier: MIT
 *
 * Strings and hashing without libc: a program may own memcpy or strlen, and the loader may not have
 * bound them yet. All inline; none touches a byte outside the aligned word that holds the string.
 */
#ifndef PRELOAD_TEXT_H
#define PRELOAD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t word_t __attribute__((may_alias));
typedef uint64_t unaligned_word_t __attribute__((may_alias, aligned(1)));
typedef uint32_t unaligned_half_t __attribute__((may_alias, aligned(1)));

/* The highest bit of every byte that is zero (exact for the lowest such byte). */
static inline uint64_t text_zero_bytes(uint64_t word)
{
    return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

static inline size_t text_length(const char *text)
{
    size_t before = (uintptr_t)text & 7;
    const word_t *at = (const word_t *)(const void *)(text - before);
    uint64_t zeros = text_zero_bytes(*at | (before ? (1ull << (8 * before)) - 1 : 0));

    while (!zeros)
        zeros = text_zero_bytes(*++at);
    return (size_t)((const char *)at - text) + ((size_t)__builtin_ctzll(zeros) >> 3);
}

static inline void text_copy(char *to, const char *from, size_t length)
{
    for (; length >= 8; length -= 8, to += 8, from += 8)
        *(unaligned_word_t *)to = *(const unaligned_word_t *)from;
    for (; length; length--)
        *to++ = *from++;
}

static inline bool text_equal(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* True when `text` starts with `prefix`. */
static inline bool text_starts(const char *text, const char *prefix)
{
    while (*prefix)
        if (*text++ != *prefix++)
            return false;
    return true;
}

#ifdef __SIZEOF_INT128__
static inline uint64_t text_mix(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
#else
/* Without the wide product: its halves are made of four, and the carries between them do not
 * matter. */
static inline uint64_t text_mix(uint64_t a, uint64_t b)
{
    uint64_t low = (a & 0xffffffffu) * (b & 0xffffffffu), high = (a >> 32) * (b >> 32);
    uint64_t cross = (a >> 32) * (b & 0xffffffffu), other = (a & 0xffffffffu) * (b >> 32);

    return low ^ high ^ (cross << 32 | cross >> 32) ^ (other << 32 | other >> 32);
}
#endif

#define TEXT_KEY_1 0x9e3779b97f4a7c15ull
#define TEXT_KEY_2 0xe7037ed1a0b428dbull

/* For the fold table: 64 bits, well spread, not for use outside the process. */
static inline uint64_t text_hash(const char *bytes, size_t length, uint64_t seed)
{
    uint64_t hash = seed ^ (length * TEXT_KEY_1);
    uint64_t last = 0;

    for (; length > 8; length -= 8, bytes += 8)
        hash = text_mix(hash ^ *(const unaligned_word_t *)bytes, TEXT_KEY_2);
    if (length == 8) {
        last = *(const unaligned_word_t *)bytes;
    } else if (length >= 4) {
        last = *(const unaligned_half_t *)bytes |
               (uint64_t) * (const unaligned_half_t *)(bytes + length - 4) << 32;
    } else if (length) {
        last = (unsigned char)bytes[0] | (uint64_t)(unsigned char)bytes[length / 2] << 8 |
               (uint64_t)(unsigned char)bytes[length - 1] << 16;
    }
    return text_mix(hash ^ last ^ TEXT_KEY_1, TEXT_KEY_2);
}

/* FNV-1a, 64 bits: the hash of environment values in the database, equal on all machines. */
static inline uint64_t text_stable_hash(const char *bytes, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325ull;

    while (length--)
        hash = (hash ^ (unsigned char)*bytes++) * 0x100000001b3ull;
    return hash;
}

/* Writes `value` in `digits` lower-case hex digits, without a NUL. */
static inline void text_hex(char *to, uint64_t value, int digits)
{
    while (digits--) {
        to[digits] = "0123456789abcdef"[value & 15];
        value >>= 4;
    }
}

/* Writes a decimal number and a NUL; returns the length. `to` has room for 21 bytes. */
static inline size_t text_decimal(char *to, uint64_t value)
{
    size_t length = 0, at;

    for (uint64_t rest = value; rest || !length; rest /= 10)
        length++;
    for (at = length; at--; value /= 10)
        to[at] = (char)('0' + value % 10);
    to[length] = '\0';
    return length;
}

#endif
