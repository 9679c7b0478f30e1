/* SPDX-License-Identifier: MIT
 *
 * D2, D4: prints the descriptors above 2 that look open; each closed one must say EBADF.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    for (int i = 3; i < 1024; i++) {
        if (fcntl(i, F_GETFD) != -1)
            printf("%d is open\n", i);
        else if (close(i) != -1 || errno != EBADF)
            printf("%d can be closed\n", i);
    }
    printf("the next is %d\n", open("/dev/null", O_RDONLY));
    return 0;
}
