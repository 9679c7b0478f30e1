/* SPDX-License-Identifier: MIT
 *
 * B15: opens u.txt by an instruction of its own, as Go's and Rust's runtimes do.
 */
#include <fcntl.h>
#include <sys/syscall.h>

int main(void)
{
    static const char path[] = "u.txt";
    register long flags __asm__("r10") = 0;
    long file;

    __asm__ volatile("syscall"
                     : "=a"(file)
                     : "a"((long)SYS_openat), "D"((long)AT_FDCWD), "S"(path), "d"((long)O_RDONLY),
                       "r"(flags)
                     : "memory", "rcx", "r11");
    return file < 0;
}
