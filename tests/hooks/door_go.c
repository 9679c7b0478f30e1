/* SPDX-License-Identifier: MIT
 *
 * A program that carries the mark of Go's linker (a note of name "Go" and type 4, the build id):
 * dynamic, so that the shim is loaded, and with system calls of its own.
 */
__asm__(".section .note.go.buildid, \"a\", @note\n"
        ".balign 4\n"
        ".long 4, 8, 4\n"
        ".asciz \"Go\"\n"
        ".byte 0\n"
        ".ascii \"build id\"\n"
        ".previous");

int main(void)
{
    return 0;
}
