/* SPDX-License-Identifier: MIT
 *
 * B3: compiled so that headers choose the checking variants (__open_2, __readlink_chk ...).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char text[4096];
    int flags = argc > 9 ? O_RDWR : O_RDONLY; /* not a constant, so not checked when compiling */
    int one = open("u1.txt", flags);
    int two = openat(AT_FDCWD, "u2.txt", flags);

    (void)argv;
    if (one < 0 || two < 0 || read(one, text, (size_t)argc + 1) < 0)
        return 1;
    if (readlink("l.txt", text, (size_t)argc + 7) < 0 || !realpath("u1.txt", text))
        return 2;
    return 0;
}
