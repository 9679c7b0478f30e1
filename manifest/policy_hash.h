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

/* The compilers turn these into one load each; a call of memcpy never comes out of them. */
static inline uint64_t policy_hash_load(const char *bytes)
{
    uint64_t word;

    __builtin_memcpy(&word, bytes, sizeof(word));
    return word;
}

static inline uint64_t policy_hash_bytes(uint64_t hash, const char *bytes, size_t length)
{
    uint64_t word = 0;
    size_t i = 0;

    for (; i + 8 < length; i += 8)
        hash = policy_hash_mix(hash, policy_hash_load(bytes + i));
    if (length >= 8) {
        word = policy_hash_load(bytes + length - 8); /* may take some bytes twice */
    } else {
        for (; i < length; i++)
            word = word << 8 | (unsigned char)bytes[i];
    }
    return policy_hash_mix(hash ^ length, word);
}

static inline uint64_t policy_hash_path(const char *path, size_t length)
{
    return policy_hash_mix(policy_hash_bytes(0, path, length), 2);
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
