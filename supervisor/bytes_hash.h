/* SPDX-License-Identifier: MIT
 *
 * A fast hash of bytes for tables in memory. Not for anything that is stored or sent.
 */
#ifndef BYTES_HASH_H
#define BYTES_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_mix(uint64_t hash, uint64_t word)
{
    __extension__ typedef unsigned __int128 wide;
    wide product =
        (wide)(hash ^ word ^ UINT64_C(0xa0761d6478bd642f)) * (word ^ UINT64_C(0xe7037ed1a0b428db));

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t bytes_hash(const char *bytes, size_t length, uint64_t seed)
{
    uint64_t hash = seed ^ (length * UINT64_C(0x9e3779b97f4a7c15));
    uint64_t word;

    for (; length >= sizeof word; bytes += sizeof word, length -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = hash_mix(hash, word);
    }
    word = 0;
    memcpy(&word, bytes, length);
    return hash_mix(hash, word + 1);
}

#endif
