/* SPDX-License-Identifier: MIT
 *
 * A preload whose constructor and destructor open files.
 */
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    close(open("constructor", O_RDONLY));
}

__attribute__((destructor)) static void end(void)
{
    close(open("destructor", O_RDONLY));
}
