/* SPDX-License-Identifier: MIT
 *
 * What kind of program a file is: does the shim fit it? The shim looks at what the build's
 * processes start; the supervisor at the command and at what the witness tells of.
 */
#ifndef COMMAND_IMAGE_H
#define COMMAND_IMAGE_H

#include <stdbool.h>

#include "buffer.h"
#include "tallyman/record.h"

/* `siblings`: there is a shim for the other ABI of this machine, too. */
enum image_class command_image_of(const char *path, bool siblings);

/* The file that execvpe(3) finds for a name, as that gives it to the kernel: a name with a slash
 * stays as it is. The name itself, when there is none. */
void command_file(const char *name, struct buffer *path);

/* The class of a command. `path` gets the file that execvpe(3) finds for the name, or the name
 * itself, absolute. */
enum image_class command_image(const char *name, bool siblings, struct buffer *path);

#endif
