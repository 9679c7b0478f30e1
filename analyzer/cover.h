/* SPDX-License-Identifier: MIT
 *
 * The fewest rules for many paths: folders, patterns of the names in one folder, single files. A
 * rule costs its line, and something for whatever it allows beyond what is wanted.
 */
#ifndef ANALYZER_COVER_H
#define ANALYZER_COVER_H

#include "group.h"
#include "path_tree.h"

enum cover_kind { COVER_INPUTS, COVER_OUTPUTS, COVER_ABSENT };

struct cover {
    struct path_tree *tree;
    enum cover_kind kind;
    const struct places *places;
    double unused;   /* the lines that a file which nobody used is worth */
    double writable; /* the same of an input that outputs let the build write to */
    bool single;     /* no folders and no patterns */
    bool plain;      /* and folders by their names, with all in them: nothing less overrules a rule
                        that names them */
    /* Called for each rule; the text is the receiver's (free). */
    void (*add)(char *text, size_t unused, void *data);
    void *data;
};

/* Chooses for what is wanted at `top` and below. */
void cover_choose(const struct cover *cover, uint32_t top);

#endif
