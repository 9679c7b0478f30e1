/* SPDX-License-Identifier: MIT
 *
 * E14: locks itself into read, write and exit; any other call is fatal.
 */
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        return 9;
    getenv("SOMETHING");
    if (write(STDOUT_FILENO, "alive\n", 6) != 6)
        return 8;
    syscall(SYS_exit, 0);
    return 7;
}
