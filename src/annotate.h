/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* annotate: prints a block of a function's code with its counts, for pprofil annotate. A function
 * that the compiler split has several blocks. */
#ifndef PPROFIL_ANNOTATE_H
#define PPROFIL_ANNOTATE_H

#include "command.h"

enum annotate_what { ANNOTATE_BOTH, ANNOTATE_SOURCE, ANNOTATE_INSTRUCTIONS };

/* The row with the most time of its own, among those that were printed. */
struct annotate_hottest {
    uint64_t ns;
    long offset; /* offset in the stream at which its line begins */
};

struct annotate_view {
    const char *name;        /* name of the function */
    enum annotate_what what;
    bool colour;
    uint64_t whole_ns; /* time of the whole profile, ns */
    bool stacks;       /* the profile has stacks, so rows have totals, which include callees */
    struct annotate_hottest *hottest; /* is kept up to date; NULL: it is not asked for */
};

/* Prints a heading and one block of a function's code. Returns 0 or -ENOMEM. The caller checks the
 * stream for errors of writing. */
int annotate_print(FILE *out, const pprofil_code *code, const struct annotate_view *view);

/* --- annotate-arrows.c --------------------------------------------------------------------- */

/* Arrows beside instructions, from each jump to its target. The caller of arrows_new frees them
 * with arrows_free. arrows_new returns 0 or -ENOMEM. */
struct arrows;
int arrows_new(const pprofil_code *code, struct arrows **arrows);
void arrows_free(struct arrows *arrows);
/* Returns the arrows beside a row as text, which has the same width for every row. If `source` is true, the row is a
 * source line, where no arrow begins or ends. The text is valid until the next call. */
const char *arrows_beside(struct arrows *arrows, uint32_t row, bool source);

#endif
