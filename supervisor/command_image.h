/* SPDX-License-Identifier: MIT
 *
 * What kind of program the command is, for the case that it never reported in: the shim looks at
 * what the build's processes start, but nobody looked at the first.
 */
#ifndef COMMAND_IMAGE_H
#define COMMAND_IMAGE_H

#include "buffer.h"
#include "tallyman/record.h"

/* `path` gets the file that execvpe(3) finds for the name, or the name itself, absolute. */
enum image_class command_image(const char *name, struct buffer *path);

#endif
