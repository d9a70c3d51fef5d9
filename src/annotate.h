/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* annotate: how a function's code is printed. */
#ifndef PPROFIL_ANNOTATE_H
#define PPROFIL_ANNOTATE_H

#include "command.h"

enum annotate_what { ANNOTATE_BOTH, ANNOTATE_SOURCE, ANNOTATE_INSTRUCTIONS };

struct annotate_view {
    const char *name;        /* the function's */
    enum annotate_what what;
    bool colour;
    uint64_t whole_ns; /* of the profile */
    bool stacks;       /* so there are totals */
};

/* One block, with what is to be known of it. 0 or -ENOMEM; the stream's errors stay with it. */
int annotate_print(FILE *out, const pprofil_code *code, const struct annotate_view *view);

/* --- annotate-arrows.c --------------------------------------------------------------------- */

/* Arrows beside instructions, from jumps to where they lead: text of all rows is as wide. */
struct arrows;
int arrows_new(const pprofil_code *code, struct arrows **arrows);
void arrows_free(struct arrows *arrows);
/* What stands beside a row, until the next call. */
const char *arrows_beside(struct arrows *arrows, uint32_t row, bool source);

#endif
