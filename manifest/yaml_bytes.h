/* SPDX-License-Identifier: MIT */
#ifndef YAML_BYTES_H
#define YAML_BYTES_H

#include "reader.h"

/* In YAML "\xff" is the character U+00FF, which libyaml hands over as two bytes. In a manifest it
 * is the byte 0xff, so that names which are not UTF-8 can be written; "\u00ff" stays the character.
 * Rewrites the scalars that have such escapes. */
void yaml_bytes_restore(struct reader *reader, yaml_document_t *document);

#endif
