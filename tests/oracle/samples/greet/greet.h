/* SPDX-License-Identifier: MIT */
#ifndef GREET_H
#define GREET_H

/* Writes greeting.txt. Returns an exit status. */
int greet(const char *name);

#endif
