/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports: rows, call trees, code and differences of profiles, and the reports of older systems' programs. */
#ifndef PPROFIL_PUBLIC_REPORT_H
#define PPROFIL_PUBLIC_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pprofil/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- rows ------------------------------------------------------------------------------------ */

enum pprofil_by {
    PPROFIL_BY_FUNCTION,
    PPROFIL_BY_OBJECT,
    PPROFIL_BY_LINE,
    PPROFIL_BY_THREAD,
    PPROFIL_BY_PROCESS,
    PPROFIL_BY_SYSCALL,
    PPROFIL_BY_STATE, /* "running", "waiting for a CPU", "asleep", "uninterruptible" */
};

struct pprofil_row {
    const char *name;   /* of the function, thread, process, system call or state; path of the object or source file */
    const char *object; /* last component of the object's path; "": the row is not code */
    const char *file;   /* source file; "": not known */
    uint32_t line;      /* 0: not known */
    uint32_t pid, tid;  /* BY_THREAD, BY_PROCESS */
    uint64_t samples;
    uint64_t ns;         /* CPU time; elapsed time if the profile is of that */
    double share;        /* of the whole time, 0..1 */
    double error95;      /* half the width of the 95 % confidence interval of share */
    uint64_t id;         /* not 0; the same row has the same id in a later report by the same thing */
    bool pending;        /* live: the name, or the line, is still being looked up */
    const char *hottest; /* live, BY_THREAD and BY_PROCESS: its function with the most time; else "" */
    /* Of samples that have the row anywhere on their stack, each counted once. 0 unless pprofil_report_has_totals. */
    uint64_t total_samples, total_ns;
    double total_share, total_error95;
};

struct pprofil_report_options {
    size_t size; /* sizeof(struct pprofil_report_options) */
    enum pprofil_by by;
    uint32_t limit;  /* rows; 0: all */
    bool totals;     /* if the profile has stacks and rows are code: make totals, and also rows of functions that only
                      * call others, or were inlined */
    bool by_total;   /* the largest total first */
    bool no_inlines; /* with totals: functions that were inlined count for their caller */
};

typedef struct pprofil_report pprofil_report;

/* Makes the rows of a profile, largest first, and looks their names up, which may take long. options may be NULL: all
 * functions. The caller frees *report. Its strings live as long as the profile. -EINVAL: there is no such grouping. */
int pprofil_report_new(pprofil_profile *profile, const struct pprofil_report_options *options,
                       pprofil_report **report);
void pprofil_report_free(pprofil_report *report);
bool pprofil_report_has_totals(const pprofil_report *report);
uint32_t pprofil_report_count(const pprofil_report *report);
/* Returns how many rows there would be without the limit. *rest_ns (may be NULL): the time of those that are left
 * out. */
uint32_t pprofil_report_all(const pprofil_report *report, uint64_t *rest_ns);
void pprofil_report_row(const pprofil_report *report, uint32_t i, struct pprofil_row *row, size_t size);

/* Finds functions by a pattern, also those that were only on stacks. The rows are those of the first of these searches
 * that finds any:
 *
 *     functions whose name is the pattern, or whose object and name are, as "OBJECT:NAME"
 *     functions whose name without its parameters is the pattern
 *     functions whose name contains the pattern
 *     functions in whose name the pattern is found as a POSIX extended regular expression
 *
 * If none does, the report is empty and pprofil_profile_problem says so. -EINVAL: the pattern is not a regular
 * expression. */
int pprofil_profile_find(pprofil_profile *profile, const char *pattern, pprofil_report **report);

/* --- call trees --------------------------------------------------------------------------- */

enum pprofil_tree_kind {
    PPROFIL_TREE_CALLS,    /* top-down, from where threads begin */
    PPROFIL_TREE_INVERTED, /* bottom-up, from the functions that ran: below each are its callers */
    PPROFIL_TREE_CALLERS,  /* bottom-up, from one function */
    PPROFIL_TREE_CALLEES,  /* top-down, from one function */
};

struct pprofil_tree_options {
    size_t size; /* sizeof(struct pprofil_tree_options) */
    enum pprofil_tree_kind kind;
    enum pprofil_by by;   /* functions, lines or objects */
    const char *function; /* CALLERS, CALLEES: a name or pattern, as in pprofil_selection. If a stack has several such
                           * functions, the outermost one counts */
    double least;         /* share of the whole that a row must have, 0..1 */
    uint32_t depth;       /* levels; 0: all */
    uint32_t limit;       /* rows, the largest; 0: all */
    bool no_inlines;      /* functions that were inlined count for their caller */
    bool fold;            /* a function that calls itself directly is one row */
};

#define PPROFIL_TREE_TOP UINT32_MAX

/* A row of a tree. The rows below it follow it, largest first. */
struct pprofil_tree_row {
    /* samples, ns, share and error95 are of the function itself, and the totals include all that it calls. Bottom-up
     * the totals are those of the function at the top of the tree, as far as it was called in this way, and samples,
     * ns and share are the part of them in which that function itself ran. id: the same way through the tree has the
     * same id in a later tree of the same kind. */
    struct pprofil_row row;
    uint32_t parent; /* index of the row above; PPROFIL_TREE_TOP: none */
    uint32_t depth;  /* number of rows above */
    uint32_t indent; /* as depth, but the only row below another is not indented further than that */
    uint32_t below;  /* number of rows directly below in the profile, whether they are in the tree or not */
    uint32_t cut;    /* not 0: the row is not a function, but stands for this many rows that were left out */
    bool last;       /* no further row of the same parent follows */
    bool inlined;    /* the function was inlined into its caller */
};

struct pprofil_tree_totals {
    uint32_t all;         /* rows without depth, least and limit; bottom-up: as far as they were made */
    uint64_t samples, ns; /* of the profile: the whole that shares are of */
    uint64_t root_samples, root_ns; /* CALLERS, CALLEES: of stacks with the function */
    uint64_t again_ns;    /* CALLERS, CALLEES: of stacks that have the function more than once */
    uint64_t rest_ns;     /* time that no row shows as its own */
};

typedef struct pprofil_tree pprofil_tree;

/* Makes a call tree. The caller frees *tree. Its strings live as long as the profile. -EINVAL: function is not a
 * regular expression, or options are out of range. -ENOENT: there is no such function; pprofil_profile_problem says so,
 * and which similar ones there are. -EOVERFLOW: the profile has too many stacks for a tree. */
int pprofil_tree_new(pprofil_profile *profile, const struct pprofil_tree_options *options, pprofil_tree **tree);
void pprofil_tree_free(pprofil_tree *tree);
uint32_t pprofil_tree_count(const pprofil_tree *tree);
void pprofil_tree_row(const pprofil_tree *tree, uint32_t i, struct pprofil_tree_row *row, size_t size);
void pprofil_tree_totals(const pprofil_tree *tree, struct pprofil_tree_totals *totals, size_t size);

/* --- code ------------------------------------------------------------------------------------ */

/* A row of a function's code. Rows are instructions in the order of their addresses. Lines of the source, if it can be
 * read, are rows, too; each is before the instructions that were made of it. */
struct pprofil_code_row {
    bool source;      /* a line of the source; otherwise an instruction */
    const char *text; /* the line without its newline; or the instruction, disassembled or as bytes in hexadecimal */
    uint64_t address; /* of an instruction, as linked */
    const char *file; /* of a line: path of its source file */
    uint32_t line;    /* its number; of an instruction: the line that it was made of; 0: not known */
    uint64_t samples; /* of a line: those of its instructions, up to the next line */
    uint64_t ns;
    bool newer; /* of a line: its file is newer than the object, which was made of another version */
    uint64_t total_samples, total_ns; /* with what was called from there; without stacks as samples and ns */
    uint32_t target;     /* of a jump: index of the row that it jumps to, plus 1; 0: none here, or not known */
    const char *inlined; /* of an instruction: the innermost inlined function that it is of; "": none */
};

typedef struct pprofil_code pprofil_code;

uint32_t pprofil_code_count(const pprofil_code *code);
void pprofil_code_row(const pprofil_code *code, uint32_t i, struct pprofil_code_row *row, size_t size);
void pprofil_code_free(pprofil_code *code);

/* The function as a whole. */
struct pprofil_code_about {
    const char *object;  /* path */
    uint64_t start, end; /* addresses as linked */
    uint64_t samples, ns, total_samples, total_ns;
};
void pprofil_code_about(const pprofil_code *code, struct pprofil_code_about *about, size_t size);

/* Tells the i-th source file: its path, whether it could be read, and whether it is newer than the object. */
int pprofil_code_source(const pprofil_code *code, uint32_t i, const char **path, bool *found, bool *newer);
/* Returns a line of the i-th source file, also one that is not in a row; NULL: there is no such line. */
const char *pprofil_code_line(const pprofil_code *code, uint32_t i, uint32_t line);

typedef struct pprofil_annotation pprofil_annotation;

/* Reads the code of a function. id: of a row BY_FUNCTION. The code is in blocks, those with the most time first: a
 * compiler may have split the function, and several files may have one of this name. If there is no block,
 * pprofil_annotation_problem says why. The caller frees *annotation, and with it the blocks. The profile must outlive
 * it. -ENOENT: there is no such row. */
int pprofil_annotate(pprofil_profile *profile, uint64_t id, pprofil_annotation **annotation);
void pprofil_annotation_free(pprofil_annotation *annotation);
const char *pprofil_annotation_problem(const pprofil_annotation *annotation);
/* Returns the i-th block; NULL: there are no more. */
const pprofil_code *pprofil_annotation_code(const pprofil_annotation *annotation, uint32_t i);

/* --- differences of two profiles ---------------------------------------------------------------- */

enum pprofil_diff_by {
    PPROFIL_DIFF_SHARE,         /* of the profile's whole time, 0..1 */
    PPROFIL_DIFF_TIME,          /* seconds of CPU time, or of elapsed time */
    PPROFIL_DIFF_TIME_A_SECOND, /* the same for each second of sampling */
};

struct pprofil_diff_options {
    size_t size; /* sizeof(struct pprofil_diff_options) */
    enum pprofil_diff_by by;
    uint32_t limit; /* rows; 0: all */
    double least;   /* a change counts as significant only if it is at least this part of the old whole, 0..1 */
};

/* One quantity: [0] in the old profile, [1] in the new one. */
struct pprofil_change {
    uint64_t samples[2], ns[2];
    double share[2];  /* of the whole time, 0..1 */
    double value[2];  /* what is compared: enum pprofil_diff_by */
    double change;    /* of value: new - old */
    double low, high; /* 95 % confidence interval of change; infinite: not known */
    double p;         /* probability of such a change by chance alone; 1: nothing was compared */
    double q;         /* the lowest rate of false discoveries at which the change is taken for real */
    bool significant; /* q is at most 0.05 */
};

struct pprofil_diff_row {
    const char *name;            /* of a function */
    const char *object[2];       /* last component of its path; "": the function has no samples there */
    struct pprofil_change self;  /* the function itself */
    struct pprofil_change total; /* with all that it called; without stacks all 0 */
};

struct pprofil_diff_totals {
    uint32_t rows;               /* without the limit */
    uint32_t significant;        /* rows whose self or total has changed significantly */
    bool stacks;                 /* the profiles have stacks, so rows have totals */
    bool wall;                   /* times are elapsed times */
    struct pprofil_change whole; /* its values are times, also if shares are compared */
};

typedef struct pprofil_diff pprofil_diff;

/* Compares two profiles by the tests of pprofil-diff(1). options may be NULL. Significant rows come first, and then the
 * larger changes. The caller frees *diff. Its strings live as long as the profiles. PPROFIL_ERROR_MIXED_TIMES;
 * PPROFIL_ERROR_NO_DURATION: only for PPROFIL_DIFF_TIME_A_SECOND. */
int pprofil_diff_new(pprofil_profile *old_profile, pprofil_profile *new_profile,
                     const struct pprofil_diff_options *options, pprofil_diff **diff);
void pprofil_diff_free(pprofil_diff *diff);
uint32_t pprofil_diff_count(const pprofil_diff *diff);
void pprofil_diff_row(const pprofil_diff *diff, uint32_t i, struct pprofil_diff_row *row, size_t size);
void pprofil_diff_totals(const pprofil_diff *diff, struct pprofil_diff_totals *totals, size_t size);

/* --- styles: the reports of older systems' programs ------------------------------------------ */

enum pprofil_sort { PPROFIL_SORT_TIME, PPROFIL_SORT_CALLS, PPROFIL_SORT_ADDRESS, PPROFIL_SORT_NAME };
enum pprofil_addresses { PPROFIL_ADDRESSES_NONE, PPROFIL_ADDRESSES_OCTAL, PPROFIL_ADDRESSES_HEX };
enum pprofil_unit { PPROFIL_UNIT_PERCENT, PPROFIL_UNIT_COUNTS, PPROFIL_UNIT_MILLISECONDS };

/* A style ignores options that its program did not have. */
struct pprofil_style_options {
    size_t size;        /* sizeof(struct pprofil_style_options) */
    const char *format; /* of the file; NULL: what its contents show */
    const char *object; /* file of counters: path of the ELF file whose text they count; profile: path of the object
                         * that is shown, or the last component of it. NULL: the program */
    enum pprofil_sort sort;
    enum pprofil_addresses addresses;
    bool no_header;
    bool zeros; /* also print rows that have neither time nor calls */
    enum pprofil_unit unit; /* style gperf: what rows show */
    double threshold;       /* style gperf: rows below it, in that unit, are left out */
    const char *meta;       /* the contents of FILE.meta (pprofil-formats(5)) for a file that has none; NULL: none */
};

/* Tells the i-th style's name and summary. Either pointer may be NULL. */
int pprofil_style_at(unsigned i, const char **name, const char **summary);

/* Prints a saved profile, or an older system's file of counters, as that system's own program did. options may be NULL.
 * PPROFIL_ERROR_EXPLAINED: it cannot be printed, and errors has got the reason in that program's words. -EINVAL: there
 * is no such style, or an option has no such value. PPROFIL_ERROR_NOT_PROFILED: the profile has no such object. Other
 * errors are those of pprofil_profile_open. */
int pprofil_style_print(const char *path, const char *style, const struct pprofil_style_options *options, FILE *out,
                        FILE *errors);

#ifdef __cplusplus
}
#endif

#endif
