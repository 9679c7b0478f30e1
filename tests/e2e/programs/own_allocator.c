/* SPDX-License-Identifier: MIT
 *
 * A2: a program with an allocator of its own that opens a file when first asked.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Alignas(32) char pool[8 << 20];
static size_t used;
static int asked;

void *malloc(size_t size)
{
    char *block = pool + used;

    if (!asked) {
        asked = 1;
        close(open("u.txt", O_RDONLY));
    }
    used += (size + 31) & ~(size_t)31;
    return used <= sizeof(pool) ? block : NULL;
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size); /* the pool is zero and never used twice */
}

void *realloc(void *old, size_t size)
{
    char *block = malloc(size);

    if (old && block) /* may read past the old block, never past the pool */
        memmove(block, old, size);
    return block;
}

void free(void *block)
{
    (void)block;
}

int main(void)
{
    char *volatile block = malloc(1);

    return block == NULL;
}
