/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * report: a profile becomes rows. No printing here.
 */
#ifndef PPROFIL_REPORT_H
#define PPROFIL_REPORT_H

#include <stdint.h>

#include "profile/profile.h"
#include "symbol/symbol.h"

enum report_by {
    REPORT_BY_FUNCTION,
    REPORT_BY_OBJECT,
    REPORT_BY_LINE,
    REPORT_BY_THREAD,
    REPORT_BY_PROCESS,
    REPORT_BY_SYSCALL, /* "[user]" is the row of what was in none */
};

struct report_row {
    const char *name;   /* function, object, file, thread's or process's comm, syscall */
    const char *object; /* last component of its path; "" where rows are no code */
    const char *file;   /* "" not known */
    uint32_t line;      /* 0 not known */
    uint32_t pid, tid;  /* BY_THREAD, BY_PROCESS; else 0 */
    uint64_t samples;
    uint64_t ns;        /* CPU time; elapsed time in wall mode */
    double share;       /* of all ns, 0..1 */
    double error95;     /* half the width of the 95 % interval of share (Wilson) */
};

struct report {
    struct report_row *rows; /* owned; largest first, ties by name */
    uint32_t count;
    uint32_t total;      /* rows before the limit */
    uint64_t rest_ns;    /* in rows that the limit cut */
    struct profile_totals totals;
};

struct report_options {
    enum report_by by;
    uint32_t limit; /* rows; 0: all */
};

/* Makes the rows, looking up names as needed (symbolizer may be NULL: only the names that the
 * profile has). Strings are borrowed from the profile. 0 or -ENOMEM. */
int report_flat(struct profile *profile, struct symbolizer *symbolizer,
                const struct report_options *options, struct report **report);
void report_free(struct report *report);

#endif
