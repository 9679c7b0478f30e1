/* SPDX-License-Identifier: MIT
 *
 * A3: a library that opens a file in its constructor.
 */
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void open_early(void)
{
    close(open("u.txt", O_RDONLY));
}
