/* SPDX-License-Identifier: MIT
 *
 * What kind of program a file is: does the shim fit it? The shim looks at what the build's
 * processes start; the supervisor at the command and at what the witness tells of.
 */
#ifndef COMMAND_IMAGE_H
#define COMMAND_IMAGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "buffer.h"
#include "tallyman/record.h"

/* Whose call it is: a set-id program gains privileges that this one has not. */
struct image_starter {
    uid_t user, effective_user;
    gid_t group, effective_group;
};

struct image_starter command_image_ourselves(void);

/* `siblings`: there is a shim for the other ABI of this machine, too. */
enum image_class command_image_of(const char *path, bool siblings, const struct image_starter *by);

/* The file that execvpe(3) finds for a name, as that gives it to the kernel: a name with a slash
 * stays as it is. The name itself, when there is none. */
void command_file(const char *name, struct buffer *path);

/* The class of a command. `path` gets the file that execvpe(3) finds for the name, or the name
 * itself, absolute. */
enum image_class command_image(const char *name, bool siblings, struct buffer *path);

#endif
