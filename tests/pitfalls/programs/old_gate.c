/* SPDX-License-Identifier: MIT
 *
 * B17: a 64-bit process that opens u.txt through the gate of 32-bit system calls. Static and not
 * position-independent, so that its data lie below 4 GiB.
 */
static const char path[] = "u.txt";

int main(void)
{
    long file;

    __asm__ volatile("int $0x80"
                     : "=a"(file)
                     : "a"(5L), "b"(path), "c"(0L), "d"(0L)
                     : "memory", "r8", "r9", "r10", "r11");
    return file < 0;
}
