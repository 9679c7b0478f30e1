/* SPDX-License-Identifier: MIT
 *
 * The hash of the policy block's two tables, shared by the compiler and the judge. Part of the
 * block's format: a change here is a change of POLICY_VERSION. Freestanding.
 */
#ifndef POLICY_HASH_H
#define POLICY_HASH_H

#include <stddef.h>
#include <stdint.h>

#define POLICY_HASH_FACTOR 0x9fb21c651e98df25ull

static inline uint64_t policy_hash_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * POLICY_HASH_FACTOR;
    return hash ^ (hash >> 29);
}

/* Eight bytes at a time, put together byte by byte so that neither alignment nor byte order matter.
 */
static inline uint64_t policy_hash_bytes(uint64_t hash, const char *bytes, size_t length)
{
    uint64_t word = 0;
    unsigned shift = 0;

    for (size_t i = 0; i < length; i++) {
        word |= (uint64_t)(unsigned char)bytes[i] << shift;
        shift += 8;
        if (shift == 64) {
            hash = policy_hash_mix(hash, word);
            word = 0;
            shift = 0;
        }
    }
    return policy_hash_mix(hash, word ^ ((uint64_t)length << 56));
}

static inline uint64_t policy_hash_edge(uint32_t parent, const char *name, size_t length)
{
    return policy_hash_mix(policy_hash_bytes(parent, name, length), 1);
}

static inline uint64_t policy_hash_group(uint32_t node, const char *head, size_t head_length,
                                         const char *tail, size_t tail_length)
{
    return policy_hash_bytes(policy_hash_bytes(node, head, head_length), tail, tail_length);
}

#endif
