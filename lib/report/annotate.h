/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* annotate: the code that a function of a profile consists of. */
#ifndef PPROFIL_ANNOTATE_H
#define PPROFIL_ANNOTATE_H

#include "report/report.h"
#include "symbol/function-code.h"

#define ANNOTATE_BLOCKS_MAX 64u /* blocks */

struct annotation {
    struct listing *blocks[ANNOTATE_BLOCKS_MAX]; /* owned; those with the most time first */
    uint32_t count;
};

/*
 * A function is all that has its name in one object: several blocks where a compiler split it,
 * or files have functions of the same name. id: of a row BY_FUNCTION. PPROFIL_ERROR_NO_CODE: there is no code
 * to be had, and *problem (never to be freed) says why; -ENOENT: there is no such function;
 * -ENOMEM.
 */
int annotate_function(struct profile *profile, struct symbolizer *symbolizer, uint64_t id,
                      struct annotation *annotation, const char **problem);
void annotate_clear(struct annotation *annotation);

/* Keeps in a report BY_FUNCTION the rows that a pattern means: that of "OBJECT:NAME", or those that
 * match.h says. 0, -ENOMEM, or -EINVAL: it is no regular expression; then, and where no row is left,
 * problem (of size bytes) is told why. */
int annotate_keep(struct report *report, const char *pattern, char *problem, size_t size);

#endif
