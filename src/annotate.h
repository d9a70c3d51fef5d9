/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* annotate: how a function's code is printed. */
#ifndef PPROFIL_ANNOTATE_H
#define PPROFIL_ANNOTATE_H

#include "command.h"

enum annotate_what { ANNOTATE_BOTH, ANNOTATE_SOURCE, ANNOTATE_INSTRUCTIONS };

struct annotate_view {
    const char *name;        /* name of the function */
    enum annotate_what what;
    bool colour;
    uint64_t whole_ns; /* of the profile */
    bool stacks;       /* the profile has stacks, and so rows have totals */
};

/* Prints a block of code and what is known about it. Returns 0 or -ENOMEM. The caller asks the
 * stream for its errors. */
int annotate_print(FILE *out, const pprofil_code *code, const struct annotate_view *view);

/* --- annotate-arrows.c --------------------------------------------------------------------- */

/* Arrows beside instructions, from each jump to its target. The text is as wide for every row. */
struct arrows;
int arrows_new(const pprofil_code *code, struct arrows **arrows);
void arrows_free(struct arrows *arrows);
/* Returns the text beside a row. It is valid until the next call. */
const char *arrows_beside(struct arrows *arrows, uint32_t row, bool source);

#endif
