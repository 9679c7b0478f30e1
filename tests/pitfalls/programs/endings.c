/* SPDX-License-Identifier: MIT
 *
 * B28: opens u.txt and ends at once, as the argument says.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void at_end(void)
{
    close(open("d.txt", O_RDONLY));
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";

    at_quick_exit(at_end);
    atexit(at_end);
    if (open("u.txt", O_RDONLY) < 0)
        return 9;
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(3);
    if (strcmp(how, "_exit") == 0)
        _exit(3);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    return 3;
}
