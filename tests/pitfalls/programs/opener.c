/* SPDX-License-Identifier: MIT
 *
 * H9: opens a file until it is killed; with an argument, so many times.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    long times = count > 1 ? atol(arguments[1]) : -1;

    while (times < 0 || times-- > 0)
        close(open("u.txt", O_RDONLY));
    return 0;
}
