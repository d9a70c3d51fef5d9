/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report: prints rows of a profile, as text, CSV or JSON, or as another system's program printed
 * them. */
#ifndef PPROFIL_REPORT_H
#define PPROFIL_REPORT_H

#include "command.h"
#include "fields.h"

/* Which rows, and how they are printed. */
struct report_view {
    enum pprofil_by by;
    uint32_t limit; /* rows; 0: all */
    enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV } format;
    bool colour; /* TEXT */
    bool by_total, no_inlines;
    bool tree; /* rows are a tree, and the members below count; else they are flat */
    enum pprofil_tree_kind kind;
    const char *function; /* of callers and callees */
    double least;         /* share of a row, 0..1 */
    uint32_t depth;       /* levels; 0: all */
    bool fold;
};

/* Prints a report of the profile. 0, or a negative errno where it could not be made or written;
 * pprofil_profile_problem may know more. */
int report_print(FILE *out, pprofil_profile *profile, const struct report_view *view);

/* Finds a row grouping ("function", ...) or a format ("text", ...) by name. -1: there is no such
 * name. */
int report_by_name(const char *name);
int report_format_name(const char *name);

/* Are colours wanted on this stream: a terminal, TERM not dumb, NO_COLOR not set? */
bool report_wants_colour(FILE *out);

/* A report as another program made it. */
struct style_view {
    const char *name; /* of the style */
    struct pprofil_style_options options;
};

/* Is there a style of this name? Complains if not. */
bool style_is_known(const char *name);
/* Returns the order of rows of this name (enum pprofil_sort), or -1. */
int style_sort_name(const char *name);
/* Prints the file at path. Returns the exit status, having complained of what went wrong. */
int style_view_print(FILE *out, const char *path, const struct style_view *view);

/* --- what its files share -------------------------------------------------------------- */

/* The forms of a report and of a tree. 0 or a negative errno; the stream keeps its own errors. */
int report_print_text(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                      const struct report_view *view);
int report_print_json(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                      const struct report_view *view);
int report_print_csv(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                     const struct report_view *view);
int report_print_tree_text(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                           const struct report_view *view);
int report_print_tree_json(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                           const struct report_view *view);
int report_print_tree_csv(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                          const struct report_view *view);

/* The head of all texts: what was measured, and how far to trust it. */
void report_print_head(FILE *out, pprofil_profile *profile, bool colour);
/* The colour of a row with this share, "" for none; REPORT_PLAIN ends it. */
const char *report_heat(double share);
#define REPORT_PLAIN "\033[0m"
/* The name of a kind of tree: "calls", "inverted", "callers", "callees". */
const char *report_kind_name(enum pprofil_tree_kind kind);

enum report_column_flags {
    REPORT_TOTAL = 1,    /* with what a row called: shown where there are totals */
    REPORT_FLAT = 2,     /* rows of a tree do not have it */
    REPORT_OPTIONAL = 4, /* JSON leaves it out where it is 0 or "" */
};

struct report_column {
    struct field field;              /* .name NULL: text alone has it */
    unsigned csv, json;              /* its place in a row, from 1 on; 0: it has none */
    unsigned flags;                  /* enum report_column_flags */
    unsigned by;                     /* the groupings whose text has it: bit enum pprofil_by */
    unsigned width;                  /* of text; numbers stand on the right, names on the left */
    const char *text, *ascii, *wall; /* heading; without UTF-8, of elapsed time; NULL: as text */
    void (*print)(FILE *out, const struct pprofil_row *row); /* text; NULL: by the field's kind */
};

/* A row's columns. row NULL: their headings. totals: with those of totals. No line ends. */
void report_columns_csv(FILE *out, const struct pprofil_row *row, bool totals, bool tree);
void report_columns_text(FILE *out, const struct pprofil_row *row, enum pprofil_by by, bool totals,
                         bool wall);
/* The row as an object. NULL: no memory. */
json_t *report_columns_json(const struct pprofil_row *row, bool totals, bool tree);

/* Can the user's locale show UTF-8? The program itself keeps to the locale C. */
bool report_in_utf8(void);
/* Returns the columns that UTF-8 text takes, as near as can be known without the terminal. */
size_t report_width(const char *text);

#endif
