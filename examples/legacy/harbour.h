/* SPDX-License-Identifier: MIT */
#ifndef HARBOUR_H
#define HARBOUR_H

/* Height of the water above the datum in metres, at a Unix time. */
double harbour_height(long when);

/* Name of a month (0..11) in the language of whoever built this. */
const char *harbour_month(int month);

#endif
