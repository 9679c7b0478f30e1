/* SPDX-License-Identifier: MIT
 *
 * F18: removes a file, in a static program that nobody sees do it.
 */
#include <unistd.h>

int main(int argc, char **argv)
{
    return argc < 2 || unlink(argv[1]) != 0;
}
