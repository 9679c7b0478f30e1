/* SPDX-License-Identifier: MIT
 *
 * What kind of program a file is, before it runs: will the shim be loaded into it?
 */
#ifndef PRELOAD_IMAGE_H
#define PRELOAD_IMAGE_H

#include "tallyman/record.h"

/* Reads the file's first bytes; a script is followed to its interpreter. A script's class is that
 * of its interpreter where that one is out of the ordinary, else IMAGE_SCRIPT. */
enum image_class image_class_of(int dirfd, const char *path);

/* False for an image that the shim cannot be loaded into and whose loader would complain. */
static inline int image_takes_shim(enum image_class class)
{
    return class != IMAGE_FOREIGN_LIBC && class != IMAGE_FOREIGN_ABI;
}

#endif
