/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stat-report: prints what the processes of a run have used, and the largest functions of its profile. */
#ifndef PPROFIL_STAT_REPORT_H
#define PPROFIL_STAT_REPORT_H

#include "report.h"

/* How pprofil stat prints. */
struct stat_view {
    const char *output; /* path of a file; "-": standard output; NULL: standard error */
    uint32_t limit;     /* greatest number of processes that are printed; 0: all */
};

/* What is printed. */
struct stat_figures {
    const struct pprofil_usage *usages; /* those with the most CPU time first */
    uint32_t count;                     /* number of processes */
    uint32_t shown;                     /* how many of them are printed */
    struct pprofil_usage total;         /* .comm and the numbers of the process are empty */
};

enum stat_unit { STAT_COUNT, STAT_TIME, STAT_BYTES };

/* A figure of a process. */
struct stat_figure {
    const char *name;  /* heading in CSV and key in JSON */
    const char *label; /* in text */
    size_t offset;     /* offset of the value, a uint64_t, in struct pprofil_usage */
    enum stat_unit unit;
    bool largest; /* the total is the largest value, and not the sum */
};

/* --- stat-figures.c --- */

/* Returns a figure, in the order in which all are printed; NULL: `i` is too large. */
const struct stat_figure *stat_figure_at(unsigned i);
/* Returns the value; PPROFIL_UNKNOWN: it is not known. */
uint64_t stat_figure_value(const struct stat_figure *figure, const struct pprofil_usage *usage);
/* Sorts the processes, and adds them up. limit: 0: all are printed. `usages` is borrowed. */
void stat_figures_make(struct stat_figures *figures, struct pprofil_usage *usages, uint32_t count, uint32_t limit);

/* --- stat-text.c, stat-csv.c, stat-json.c --- */

/* Print the figures. `profile` has the command, the elapsed time and the functions, which `view` describes. CSV leaves
 * the functions out. They return 0 or a negative error. The caller checks the stream for errors of writing. */
int stat_print_text(FILE *out, const struct stat_figures *figures, pprofil_profile *profile,
                    const struct report_view *view);
int stat_print_csv(FILE *out, const struct stat_figures *figures);
int stat_print_json(FILE *out, const struct stat_figures *figures, pprofil_profile *profile,
                    const struct report_view *view);

#endif
