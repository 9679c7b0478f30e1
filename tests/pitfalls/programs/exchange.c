/* SPDX-License-Identifier: MIT
 *
 * F16: exchanges two files.
 */
#include <fcntl.h>
#include <stdio.h>

int main(void)
{
    return renameat2(AT_FDCWD, "u.txt", AT_FDCWD, "d.txt", RENAME_EXCHANGE) != 0;
}
