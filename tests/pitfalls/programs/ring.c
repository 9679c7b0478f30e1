/* SPDX-License-Identifier: MIT
 *
 * B19: sets up io_uring, whose requests no call can be seen of.
 */
#include <linux/io_uring.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    struct io_uring_params parameters = {0};
    long ring = syscall(SYS_io_uring_setup, 4, &parameters);

    printf("%s\n", ring >= 0 ? "a ring" : "none");
    return 0;
}
