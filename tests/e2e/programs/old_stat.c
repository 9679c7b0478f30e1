/* SPDX-License-Identifier: MIT
 *
 * B1: the entry point of stat that programs linked before glibc 2.33 call, and the new one.
 */
#include <sys/stat.h>

int old_stat(int version, const char *path, struct stat *result);
__asm__(".symver old_stat,__xstat@GLIBC_2.2.5");

int main(void)
{
    struct stat status;

    return old_stat(1, "u.txt", &status) || stat("d.txt", &status);
}
