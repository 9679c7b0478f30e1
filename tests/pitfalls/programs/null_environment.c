/* SPDX-License-Identifier: MIT
 *
 * C2: runs cat with a null pointer for its environment.
 */
#include <unistd.h>

int main(void)
{
    char *arguments[] = {(char[]){"cat"}, (char[]){"u.txt"}, NULL};
    char **volatile none = NULL; /* libc says "not null"; the kernel takes it for empty */

    execve("/bin/cat", arguments, none);
    return 1;
}
