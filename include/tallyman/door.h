/* SPDX-License-Identifier: MIT
 *
 * The door: the one place from which a watched system call is not reported by the kernel.
 *
 * The supervisor's seccomp filter lets a call pass whose instruction pointer lies in the page at
 * DOOR_ADDRESS and reports every other (seccomp(2), struct seccomp_data). The shim moves the page
 * of its own text that holds "system call; return" there and makes through it the calls that it
 * records itself, and the calls of its own that are nobody's accesses (opening the log).
 *
 * The address is below all that linkers choose for programs (GNU ld 0x400000, lld 0x200000), above
 * vm.mmap_min_addr, the same for 32- and 64-bit programs, and program memory in the eyes of the
 * sanitizers. Where it is taken already, calls are made as if there were no door and are reported.
 */
#ifndef TALLYMAN_DOOR_H
#define TALLYMAN_DOOR_H

#define DOOR_ADDRESS 0x1ff000u
#define DOOR_SIZE    4096u

#endif
