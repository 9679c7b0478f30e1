/* SPDX-License-Identifier: MIT
 *
 * A4: an open before any constructor has run.
 */
#include <fcntl.h>
#include <unistd.h>

static void open_early(void)
{
    int file = open("u.txt", O_RDONLY);

    if (file < 0)
        _exit(7);
    close(file);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = open_early;

int main(void)
{
    return 0;
}
