/* SPDX-License-Identifier: MIT
 *
 * A13: a library that opens a file when asked.
 */
#include <fcntl.h>

int peek(void);

int peek(void)
{
    return open("u.txt", O_RDONLY);
}
