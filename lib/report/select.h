/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * select: a part of a profile as a profile of its own, so that whatever takes one (reports,
 * writers, what compares two) can be given a part.
 *
 * All that is asked has to be true of a sample. Names are patterns as in match.h; NULL: no matter.
 */
#ifndef PPROFIL_SELECT_H
#define PPROFIL_SELECT_H

#include "report/report.h"

struct select_options {
    const uint32_t *pids;
    size_t pid_count;
    const char *comm;     /* of the process */
    const char *thread;   /* its name, or its number */
    const char *object;   /* what runs is in it: its path, or the last part of that */
    const char *function; /* what runs */
    const char *focus;    /* a function that is on the stack */
    const char *ignore;   /* a function that is not */
    bool no_inlines;      /* functions that were inlined count for their caller */
};

/* *part is the caller's. 0; -ENOMEM; -EINVAL: one is no pattern; -ENOENT: the profile has nothing
 * that one means (but ignore). Of these problem is told, with the name of the option. */
int report_select(struct profile *profile, struct symbolizer *symbolizer,
                  const struct select_options *options, struct profile **part, char *problem,
                  size_t size);

#endif
