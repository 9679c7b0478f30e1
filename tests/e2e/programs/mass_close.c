/* SPDX-License-Identifier: MIT
 *
 * D1: closes everything, overwrites every slot, and goes on opening files.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int usable(const char *path)
{
    int file = open(path, O_RDONLY);
    char byte;
    int result = file >= 0 && read(file, &byte, 1) == 1;

    close(file);
    return result;
}

int main(void)
{
    closefrom(3);
    printf("%d", usable("u1.txt"));
    close_range(3, ~0U, 0);
    printf("%d", usable("u2.txt"));
    int null = open("/dev/null", O_RDONLY);
    for (int i = 3; i < 1024; i++)
        if (i != null)
            dup2(null, i);
    close(500);
    printf("%d\n", usable("u3.txt"));
    return 0;
}
