/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report: prints the rows of a profile or of a diff as text, CSV or JSON. Also prints a profile as
 * the profiler of another system prints its profiles. */
#ifndef PPROFIL_REPORT_H
#define PPROFIL_REPORT_H

#include "command.h"
#include "fields.h"

/* Which rows are printed, and how. */
struct report_view {
    enum pprofil_by by;
    uint32_t limit; /* greatest number of rows that are printed; 0: all */
    enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV } format;
    bool colour; /* text has colours */
    /* FIT: short if the names must fit into a terminal, else full */
    enum report_names { REPORT_NAMES_FIT, REPORT_NAMES_FULL, REPORT_NAMES_SHORT } names;
    unsigned columns; /* width of the terminal that text must fit into; 0: lines may have any length */
    bool by_total, no_inlines;
    bool tree; /* the rows are a tree, and the members below are used; false: flat rows */
    enum pprofil_tree_kind kind;
    const char *function; /* function whose callers or callees are printed */
    double least;         /* rows with a smaller share are left out; 0..1 */
    uint32_t depth;       /* greatest number of levels of a tree that are printed; 0: all */
    bool fold;
    /* two levels: the rows of the grouping `groups`, and below each of them a report by `by` */
    bool imbalance; /* the rows compare the ranks of a job */
    bool grouped;
    enum pprofil_by groups; /* by program, process, thread, object or wait */
    /* only for report-groups.c: the profile is the part that this row of the first level has; NULL: it is not one. In
     * text the row is the heading, in CSV each line begins with it, and in JSON it is an object with the rows of the
     * part. `group_totals`: CSV has the columns of totals, although this part may have no stacks */
    const struct pprofil_row *group;
    bool group_totals;
    uint32_t groups_before; /* how many groups were printed before this one */
};

/* Prints a report of the profile. Returns 0, or a negative error if the report could not be made or
 * written. pprofil_profile_problem may have the reason. */
int report_print(FILE *out, pprofil_profile *profile, const struct report_view *view);

/* How to print a profile in a style, that is, as the profiler of another system prints its profiles. */
struct style_view {
    const char *name; /* name of the style */
    struct pprofil_style_options options;
};

/* Prints the profile in the file at `path` in the style that `view` describes. On failure it
 * complains. Returns the exit status. */
int style_view_print(FILE *out, const char *path, const struct style_view *view);

/* --- shared by the files report*.c ----------------------------------------------------- */

/* Print a report or a tree in one format. They return 0 or a negative error. The caller checks the
 * stream for errors of writing. */
int report_print_text(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                      const struct report_view *view);
int report_print_json(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                      const struct report_view *view);
int report_print_csv(FILE *out, pprofil_profile *profile, const pprofil_report *report, const struct report_view *view);
int report_print_tree_text(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                           const struct report_view *view);
int report_print_tree_json(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                           const struct report_view *view);
int report_print_tree_csv(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                          const struct report_view *view);

/* Makes the tree that is asked for. The caller frees *tree. Returns the errors of pprofil_tree_new. */
int report_make_tree(pprofil_profile *profile, const struct report_view *view, pprofil_tree **tree);
/* Prints the line that says what a tree in text shows. */
void report_print_tree_title(FILE *out, const pprofil_tree *tree, const struct report_view *view);
/* Prints a report of a profile, which is a part of another one if view->group is set. */
int report_print_part(FILE *out, pprofil_profile *profile, const struct report_view *view);
/* Prints a report of two levels (view->grouped). */
int report_print_groups(FILE *out, pprofil_profile *profile, const struct report_view *view);
/* Prints the beginning of a JSON report of two levels, up to its list of groups. Returns 0 or -ENOMEM. */
int report_print_groups_json(FILE *out, const pprofil_profile *profile, const struct report_view *view);
/* Prints how unevenly the ranks of a job spend their time. Returns 0, or the errors of pprofil_imbalance_new. */
int report_print_imbalance(FILE *out, pprofil_profile *profile, const struct report_view *view);
/* Makes the shares of a row of a group parts of the time of the whole profile. */
void report_scale_row(const struct report_view *view, struct pprofil_row *row);
/* Prints the first columns of CSV in reports of two levels: the row of the first level, or the headings if it is NULL.
 */
void report_print_csv_group(FILE *out, const struct pprofil_row *group);

/* Returns true if the totals say how sampling went: what the target used by the kernel's count, how long it was
 * stopped, and what was lost. Files of other programs do not, and these totals are 0 then. Each total that is 0
 * because it is not known is left out of text, and is null in JSON. */
bool report_knows_run(const struct pprofil_totals *totals);

/* Prints the heading of reports and trees in text: what was measured, and how accurate the figures are. */
void report_print_head(FILE *out, pprofil_profile *profile, bool colour);
/* Prints the line above a group: its name, and its share of the time. */
void report_print_group_head(FILE *out, const struct report_view *view);

/* --- report-layout.c: what fits into a terminal --------------------------------------------- */

#define REPORT_NAME_WIDTH 30   /* least width of names where lines may have any length */
#define REPORT_OBJECT_WIDTH 18 /* the same of objects */

/* The widths of the columns of texts. */
struct report_layout {
    bool fits; /* lines must fit into a terminal: longer texts are shortened */
    bool short_names;
    bool utf8;
    bool lines; /* names are paths of files, with line numbers behind them */
    size_t name, object, place; /* width of the columns; place: that of "(file:line)"; 0: it is left out */
};

/* The shortened texts of a row. */
struct report_texts {
    char full[4096], name[512], object[512], file[512];
};

/* Finds the widths for the rows of a report. figures: width of the columns before the texts. */
void report_layout_make(struct report_layout *layout, const pprofil_report *report, const struct report_view *view,
                        size_t figures);
/* Replaces the texts of a row by what fits. The row then refers to *texts. */
void report_layout_row(const struct report_layout *layout, struct pprofil_row *row, struct report_texts *texts);
/* Returns true if names lose the arguments of templates: if it was asked for, or if they must fit into a terminal. */
static inline bool report_wants_short_names(const struct report_view *view)
{
    return view->names == REPORT_NAMES_SHORT || (view->names == REPORT_NAMES_FIT && view->columns > 0);
}

enum report_column_flags {
    REPORT_TOTAL = 1,    /* the column counts callees, too; it is shown if the report has totals */
    REPORT_FLAT = 2,     /* rows of a tree do not have this column */
    REPORT_OPTIONAL = 4, /* where the value is 0 or "", JSON leaves the column out, and the field of CSV is empty */
};

struct report_column {
    struct field field;              /* .name NULL: only text has this column */
    /* position of the column in a line of CSV and in an object of JSON, from 1; 0: the format does
     * not have the column */
    unsigned csv, json;
    unsigned flags;                  /* enum report_column_flags */
    /* set of the groupings whose reports in text have this column: a bit 1 << enum pprofil_by for each */
    unsigned by;
    unsigned width;                  /* width in text; numbers are right-aligned, names left-aligned */
    /* `text`: the heading in text. `ascii`: heading without UTF-8; NULL: `text` is used. `wall`:
     * heading if elapsed time was sampled; NULL: `text` is used. */
    const char *text, *ascii, *wall;
    void (*print)(FILE *out, const struct pprofil_row *row); /* NULL: the field's kind decides how it is printed */
};

/* Print the columns of a row, without the end of the line. If `row` is NULL, they print the
 * headings instead. If `totals` is true, columns of totals are included. If `tree` is true, columns
 * that rows of a tree do not have are left out. */
void report_columns_csv(FILE *out, const struct pprofil_row *row, bool totals, bool tree);
/* Prints the columns of text, without the end of the line, as report_columns_csv does. */
void report_columns_text(FILE *out, const struct pprofil_row *row, enum pprofil_by by, bool totals, bool wall,
                         const struct report_layout *layout);
/* Returns the width of the columns of figures in text, with the gaps behind them. */
size_t report_columns_figures(enum pprofil_by by, bool totals);
/* Returns the row as a JSON object, which the caller frees, or NULL for want of memory. */
json_t *report_columns_json(const struct pprofil_row *row, bool totals, bool tree);

/* Returns true if the user's locale has UTF-8. pprofil itself stays in the locale C. */
bool report_in_utf8(void);
/* Returns true if rows are made to fit into a terminal. */
bool report_is_fitted(const struct report_view *view);

/* --- diff-report.c: diffs ----------------------------------------------------------------- */

struct diff_view {
    enum pprofil_diff_by by;
    enum report_format format;
    bool colour;          /* text has colours */
    unsigned columns;     /* width of the terminal that text must fit into; 0: lines may have any length */
    const char *paths[2]; /* paths of the old and the new file, for the heading */
    const pprofil_profile *profiles[2];
    uint32_t runs[2]; /* how many runs each profile was merged from; if both are 1, chance between runs is not known */
};

/* Prints the diff. Returns 0, or for JSON a negative errno. For text and CSV the caller checks the
 * stream for errors of writing. */
int diff_print(FILE *out, const pprofil_diff *diff, const struct diff_view *view);

#endif
