/* SPDX-License-Identifier: MIT
 *
 * B25: every function of libc that gives random bytes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

int main(void)
{
    unsigned char bytes[8];

    printf("%d\n", getentropy(bytes, sizeof bytes));
    printf("%zd\n", getrandom(bytes, sizeof bytes, 0));
    arc4random_buf(bytes, sizeof bytes);
    printf("%d\n", arc4random_uniform(1) == 0);
    return arc4random() == 0 && bytes[0] == 0;
}
