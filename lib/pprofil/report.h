/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report.h: reports of profiles: rows, call trees, annotated code, comparisons, and reports in the styles of older
 * systems' programs. */
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
    /* what sleeping threads wait for, such as a lock and the thread that holds it, a file, or the other end of a
     * socket. If that is not known, and for threads that do not sleep: the state */
    PPROFIL_BY_WAIT,
    PPROFIL_BY_PROGRAM, /* all processes with the same name (comm) */
    PPROFIL_BY_HOST,    /* all processes that ran on one host */
    PPROFIL_BY_JOB,     /* all processes of one job, such as a batch system or mpirun(1) starts */
    PPROFIL_BY_RANK,    /* all processes with the same rank in their job */
};

struct pprofil_row {
    /* name of the function, thread, process, system call, state, wait, program, host, job or rank; path of the object
     * or source file */
    const char *name;
    const char *object; /* last component of the object's path; "": the row is not code */
    const char *file;   /* source file; "": not known */
    uint32_t line;      /* 0: not known */
    uint32_t pid, tid;  /* 0, except in a report by thread (both are set) or by process (only pid is set) */
    uint64_t samples;
    uint64_t ns;         /* CPU time, or elapsed time if the profile has elapsed times */
    double share;        /* share of the whole time, 0..1 */
    double error95;      /* half the width of the 95 % confidence interval of share */
    uint64_t id;         /* not 0; the same row has the same id in a later report with the same grouping */
    bool pending;        /* in live reports: the name is being looked up (in a report by line: the line) */
    /* only in live reports by thread or by process: the function in which the thread or process spent the largest part
     * of its time; else "" */
    const char *hottest;
    /* number and time (ns) of the samples that have the row anywhere on their stack; a sample counts only once. 0 in a
     * report without totals */
    uint64_t total_samples, total_ns;
    double total_share, total_error95;
};

struct pprofil_report_options {
    size_t size; /* sizeof(struct pprofil_report_options) */
    enum pprofil_by by;
    uint32_t limit;  /* number of rows; 0: all */
    /* make totals, if the profile has stacks and rows are functions, objects or lines. In such a report, inlined
     * functions have rows too, and so do functions that only call other functions */
    bool totals;
    bool by_total;   /* sort rows by total, largest first */
    bool no_inlines; /* for reports with totals: an inlined function has no row, and counts as a part of its caller */
};

/* What a thread for which others waited did meanwhile: it holds a lock, or others wait for its end. */
struct pprofil_holder {
    uint32_t tid;
    uint64_t ns; /* time of the thread's samples at the times at which others waited */
    /* shares of this time in which the thread ran, waited for a CPU, and slept, 0..1 */
    double running, waiting, asleep;
    const char *waits_for; /* what it mostly waited for itself; "": not known; lives as long as the profile */
    double waits_share;    /* share of `ns` in which it waited for that */
    char stack[256];       /* the innermost functions of its most frequent stack: "read < fill < main" */
};

typedef struct pprofil_report pprofil_report;

/* Makes the rows of a profile, largest first, and looks up their names, which may take many seconds. If `options` is
 * NULL, makes rows of all functions. The caller frees *report. The strings in *report live as long as the profile.
 * -EINVAL: there is no such grouping. */
int pprofil_report_new(pprofil_profile *profile, const struct pprofil_report_options *options, pprofil_report **report);
void pprofil_report_free(pprofil_report *report);
bool pprofil_report_has_totals(const pprofil_report *report);
uint32_t pprofil_report_count(const pprofil_report *report);
/* Returns the number of rows that the report would have without a limit. *rest_ns: time of the rows that the limit left
 * out. `rest_ns` may be NULL. */
uint32_t pprofil_report_all(const pprofil_report *report, uint64_t *rest_ns);
void pprofil_report_row(const pprofil_report *report, uint32_t i, struct pprofil_row *row, size_t size);

/* Finds out what the thread did for which others waited. wait_row: id of a row in a report by wait. size: sizeof(struct
 * pprofil_holder). -ENOENT: the row is not about a thread, or the thread is not known. -ENODATA: the profile does not
 * say when its samples were taken, or has none of the thread. */
int pprofil_profile_holder(pprofil_profile *profile, uint64_t wait_row, struct pprofil_holder *holder, size_t size);

/* Makes a report of the functions that match a pattern, including functions that were only on stacks. Makes these
 * searches in this order, until one finds a function:
 *
 *     functions whose name equals the pattern; "OBJECT:NAME" is the name of a function in one object
 *     functions whose name without parameters equals the pattern
 *     functions whose name contains the pattern
 *     functions whose name has a match for the pattern as a POSIX extended regular expression
 *
 * If no search finds a function, the report is empty, and pprofil_profile_problem returns the reason. -EINVAL: the
 * pattern is not a valid regular expression. */
int pprofil_profile_find(pprofil_profile *profile, const char *pattern, pprofil_report **report);

/* --- call trees --------------------------------------------------------------------------- */

enum pprofil_tree_kind {
    PPROFIL_TREE_CALLS,    /* top-down, from the first functions of threads */
    PPROFIL_TREE_INVERTED, /* bottom-up, from the functions that ran. The rows below a function are its callers */
    PPROFIL_TREE_CALLERS,  /* bottom-up, from one function */
    PPROFIL_TREE_CALLEES,  /* top-down, from one function */
};

struct pprofil_tree_options {
    size_t size; /* sizeof(struct pprofil_tree_options) */
    enum pprofil_tree_kind kind;
    enum pprofil_by by;   /* functions, lines or objects */
    /* for callers and callees: a name or pattern, as in pprofil_selection. If several functions on a stack match, the
     * outermost one counts */
    const char *function;
    double least;         /* a share of the whole time, 0..1; rows with a smaller share are left out */
    uint32_t depth;       /* number of levels of the tree; 0: all */
    uint32_t limit;       /* largest number of rows; rows with smaller totals are left out; 0: all rows */
    bool no_inlines;      /* an inlined function counts as a part of its caller */
    bool fold;            /* if a function calls itself directly, the two calls share one row */
};

#define PPROFIL_TREE_TOP UINT32_MAX

/* A row of a call tree. The rows below a row come right after that row, largest first. */
struct pprofil_tree_row {
    /* Top-down: samples, ns, share and error95 are those of the function itself. Totals are those of the function and
     * of all functions that it calls. Bottom-up: totals are those of the function at the top of the tree, but only when
     * it was called along the path through this row. Samples, ns and share are the part of these totals in which the
     * function at the top itself ran. In a later tree of the same kind, the same path has the same id. */
    struct pprofil_row row;
    uint32_t parent; /* index of the row above; PPROFIL_TREE_TOP: none */
    uint32_t depth;  /* level of the row; 0: top of the tree */
    /* levels of indentation. A row that is the only child of its parent is indented like the parent. Any other child is
     * indented by one level more than the parent */
    uint32_t indent;
    uint32_t below;  /* number of rows directly below this row, including rows that the options left out */
    /* the row is the sum of this many rows that the options left out; 0: the row is for one function */
    uint32_t cut;
    bool last;       /* no other row with the same parent follows */
    bool inlined;    /* the function was inlined into its caller */
};

struct pprofil_tree_totals {
    /* top-down: number of rows that the tree would have without the options depth, least and limit. Bottom-up: number
     * of rows that the tree would have without the option limit */
    uint32_t all;
    uint64_t samples, ns; /* samples and time of the whole profile; shares are parts of this time */
    uint64_t root_samples, root_ns; /* for callers and callees: samples and time of stacks that contain the function */
    uint64_t again_ns;    /* for callers and callees: time of stacks that contain the function more than once */
    /* top-down: time that is in no row's self time. Bottom-up: time that is not in the totals of the rows at the top.
     * Rows in place of left-out rows (cut is not 0) are ignored, so rest_ns contains the time of left-out rows */
    uint64_t rest_ns;
};

typedef struct pprofil_tree pprofil_tree;

/* Makes a call tree. The caller frees *tree. The strings in *tree live as long as the profile. -EINVAL:
 * options->function is not a valid regular expression, or another option is out of range. -ENOENT: the profile has no
 * such function, and pprofil_profile_problem lists similar functions. -EOVERFLOW: the profile has too many stacks for a
 * tree. */
int pprofil_tree_new(pprofil_profile *profile, const struct pprofil_tree_options *options, pprofil_tree **tree);
void pprofil_tree_free(pprofil_tree *tree);
uint32_t pprofil_tree_count(const pprofil_tree *tree);
void pprofil_tree_row(const pprofil_tree *tree, uint32_t i, struct pprofil_tree_row *row, size_t size);
void pprofil_tree_totals(const pprofil_tree *tree, struct pprofil_tree_totals *totals, size_t size);

/* --- code ------------------------------------------------------------------------------------ */

/* A row of a function's code: an instruction, or a line of source code. Instructions are in the order of their
 * addresses. If the source can be read, each source line comes before the instructions that were compiled from it. */
struct pprofil_code_row {
    bool source;      /* the row is a line of the source; otherwise it is an instruction */
    /* of a source line: the line without its newline; of an instruction: its disassembly, or its bytes in
     * hexadecimal */
    const char *text;
    uint64_t address; /* of an instruction: its link-time address */
    const char *file; /* of a source line: path of the source file */
    /* number of the source line, or of the line from which an instruction was compiled; 0: not known */
    uint32_t line;
    /* of an instruction: its samples. Of a source line: samples of its instructions, up to the next source line */
    uint64_t samples;
    uint64_t ns;
    /* of a source line: the source file is newer than the object, so `text` may differ from the line that was
     * compiled */
    bool newer;
    /* samples and time of the row and of all functions that the row calls; equal to `samples` and `ns` if there are no
     * stacks */
    uint64_t total_samples, total_ns;
    /* of a jump: 1 + index of the row to which it jumps; 0: no row contains the target, or the target is not known */
    uint32_t target;
    const char *inlined; /* name of the innermost inlined function that the row belongs to; "": none */
};

typedef struct pprofil_code pprofil_code;

uint32_t pprofil_code_count(const pprofil_code *code);
void pprofil_code_row(const pprofil_code *code, uint32_t i, struct pprofil_code_row *row, size_t size);
void pprofil_code_free(pprofil_code *code);

/* Facts about one pprofil_code, that is, about one block of code. */
struct pprofil_code_about {
    const char *object;  /* path of the object */
    uint64_t start, end; /* link-time addresses [start, end); both 0: lines_only is set */
    uint64_t samples, ns, total_samples, total_ns;
    bool lines_only;     /* there are no instructions: the function is interpreted, or the profile has no addresses */
};
void pprofil_code_about(const pprofil_code *code, struct pprofil_code_about *about, size_t size);

/* Stores the path of the i-th source file, whether the file could be read, and whether it is newer than the object. */
int pprofil_code_source(const pprofil_code *code, uint32_t i, const char **path, bool *found, bool *newer);
/* Returns a line of the i-th source file, even if the line is in no row. Returns NULL if there is no such line. */
const char *pprofil_code_line(const pprofil_code *code, uint32_t i, uint32_t line);

typedef struct pprofil_annotation pprofil_annotation;

/* Reads the code of a function. `id` is the id of a row in a report by function. The code is a list of blocks, and the
 * block with the hottest instruction comes first. The list has several blocks if the compiler split the function, or if
 * several source files have a function of this name. If the list is empty, pprofil_annotation_problem returns the
 * reason. The caller frees *annotation, which also frees the blocks. The profile must outlive *annotation. -ENOENT:
 * there is no such row. */
int pprofil_annotate(pprofil_profile *profile, uint64_t id, pprofil_annotation **annotation);
void pprofil_annotation_free(pprofil_annotation *annotation);
const char *pprofil_annotation_problem(const pprofil_annotation *annotation);
/* Returns the i-th block. Returns NULL after the last block. */
const pprofil_code *pprofil_annotation_code(const pprofil_annotation *annotation, uint32_t i);

/* --- differences of two profiles ---------------------------------------------------------------- */

enum pprofil_diff_by {
    PPROFIL_DIFF_SHARE,         /* share of the profile's whole time, 0..1 */
    PPROFIL_DIFF_TIME,          /* seconds of CPU time, or of elapsed time */
    PPROFIL_DIFF_TIME_A_SECOND, /* seconds of CPU time, or of elapsed time, for each second of sampling */
};

struct pprofil_diff_options {
    size_t size; /* sizeof(struct pprofil_diff_options) */
    enum pprofil_diff_by by;
    uint32_t limit; /* number of rows; 0: all */
    double least;   /* a share of the old profile's whole time, 0..1; a smaller change is never significant */
    /* what the rows are. Functions and objects are found again if the program was renamed, lines by the name of the
     * file and their number, threads and processes by name: threads of one name share a row */
    enum pprofil_by rows;
    /* Several runs of each side: the profiles that the old and the new profile were merged from. Then a value is the
     * mean of the runs, and the tests see how much the runs of one side differ. Only for rows of functions. run_count:
     * 0 and 0, or at least 1 each and 3 together. Element 0 is for the old profile */
    pprofil_profile *const *runs[2];
    uint32_t run_count[2];
    /* only functions with such names are tested, and not the whole; a pattern of glob(7). NULL: all are tested. The
     * fewer are tested, the smaller a change can be found */
    const char *tested;
};

/* One quantity in two profiles. In each array, element 0 is for the old profile, and element 1 for the new profile. */
struct pprofil_change {
    uint64_t samples[2], ns[2];
    double share[2];  /* share of the whole time, 0..1 */
    double value[2];  /* compared value: a share or a time, as pprofil_diff_options.by selects */
    double change;    /* value[1] - value[0] */
    double low, high; /* 95 % confidence interval of change; infinite: not known */
    double p;         /* probability of a change at least this large by chance alone; 1: nothing was compared */
    double q;         /* lowest false discovery rate at which the change counts as real */
    bool significant; /* q is at most 0.05, and the change is not smaller than pprofil_diff_options.least */
};

struct pprofil_diff_row {
    /* name of the function, thread, process, system call or state; last component of the path of the object or source
     * file */
    const char *name;
    /* of code: last component of the object's path in each profile; "": the function has no samples in that profile */
    const char *object[2];
    struct pprofil_change self;  /* the function itself */
    /* the function and all functions that it called. If the profiles have no stacks, or if rows are not code, p and q
     * are 1, and all other fields are 0 */
    struct pprofil_change total;
    uint32_t line; /* of a line: its number; 0: not known, or the row is no line */
    /* of a function: id of its row in a report by function of each profile; 0: the profile does not have it, or the row
     * is no function */
    uint64_t id[2];
};

struct pprofil_diff_totals {
    uint32_t rows;               /* number of rows without the limit */
    uint32_t significant;        /* number of rows whose self or total has changed significantly */
    bool stacks;                 /* the profiles have stacks, so rows have totals */
    bool wall;                   /* times are elapsed times */
    /* how the whole profiles differ. whole.value has times, even if the rows compare shares */
    struct pprofil_change whole;
    const char *largest;  /* name of the row with the largest share in the old profile; NULL: not known */
    double largest_value; /* its compared value in the old profile */
    double detectable;    /* how much this value must change, so that the test finds it in about 4 of 5 cases */
};

typedef struct pprofil_diff pprofil_diff;

/* Compares two profiles by the tests that pprofil-diff(1) describes. `options` may be NULL. Significant rows come
 * before other rows. In both groups the row with the largest change comes first. The caller frees *diff. The strings in
 * *diff live as long as the profiles. Errors: PPROFIL_ERROR_MIXED_TIMES; if times are compared, also
 * PPROFIL_ERROR_NO_TIMES; for PPROFIL_DIFF_TIME_A_SECOND also PPROFIL_ERROR_NO_DURATION. */
int pprofil_diff_new(pprofil_profile *old_profile, pprofil_profile *new_profile,
                     const struct pprofil_diff_options *options, pprofil_diff **diff);
void pprofil_diff_free(pprofil_diff *diff);
uint32_t pprofil_diff_count(const pprofil_diff *diff);
void pprofil_diff_row(const pprofil_diff *diff, uint32_t i, struct pprofil_diff_row *row, size_t size);
void pprofil_diff_totals(const pprofil_diff *diff, struct pprofil_diff_totals *totals, size_t size);

/* What the test of a frame says. */
enum pprofil_diff_verdict {
    PPROFIL_DIFF_CHANCE, /* chance may explain the change */
    /* chance may explain this change, too, but not that of the function's total, of which this one is a part: both have
     * the same direction */
    PPROFIL_DIFF_PART,
    PPROFIL_DIFF_SIGNIFICANT,
};

/* A row of a call tree of two profiles: a function that was called along one path of callers. Processes with different
 * names, and system calls, have rows, too. In each array, element 0 is for the old profile, and element 1 for the new
 * profile. */
struct pprofil_diff_call {
    const char *name, *object;
    uint64_t id;     /* not 0; no other row of the tree has it */
    uint32_t parent; /* index of the caller's row; PPROFIL_TREE_TOP: none */
    uint32_t below;  /* number of rows directly below this row */
    /* id of the function's row in a report by function of each profile; 0: not known, or no function */
    uint64_t function[2];
    uint64_t samples[2], ns[2];             /* of the function itself; ns: 0 if a profile has no times */
    uint64_t total_samples[2], total_ns[2]; /* of the function and of all functions that it called */
    double share[2], total_share[2];        /* share of the whole, 0..1 */
    enum pprofil_diff_verdict verdict;      /* on the change of the total share */
};

typedef struct pprofil_diff_tree pprofil_diff_tree;

/* Makes a call tree of both profiles, with the rows, the order and the tests of a flame graph that compares them
 * (pprofil_file.baseline). Parents come before their children. `limit`: largest number of rows, of which the smallest
 * are left out first; 0: 4096. Looks up names and lines. The caller frees *tree before the profiles. The strings in
 * *tree live as long as *tree. Errors: PPROFIL_ERROR_MIXED_TIMES, -EOVERFLOW (the profiles have too many stacks). */
int pprofil_diff_tree_new(pprofil_profile *old_profile, pprofil_profile *new_profile, uint32_t limit,
                          pprofil_diff_tree **tree);
void pprofil_diff_tree_free(pprofil_diff_tree *tree);
uint32_t pprofil_diff_tree_count(const pprofil_diff_tree *tree);
void pprofil_diff_tree_at(const pprofil_diff_tree *tree, uint32_t i, struct pprofil_diff_call *call, size_t size);

/* --- styles: the reports of older systems' programs ------------------------------------------ */

enum pprofil_sort { PPROFIL_SORT_TIME, PPROFIL_SORT_CALLS, PPROFIL_SORT_ADDRESS, PPROFIL_SORT_NAME };
enum pprofil_addresses { PPROFIL_ADDRESSES_NONE, PPROFIL_ADDRESSES_OCTAL, PPROFIL_ADDRESSES_HEX };
enum pprofil_unit { PPROFIL_UNIT_PERCENT, PPROFIL_UNIT_COUNTS, PPROFIL_UNIT_MILLISECONDS };

/* Options of pprofil_style_print. A style ignores the options that the older system's program did not have. */
struct pprofil_style_options {
    size_t size;        /* sizeof(struct pprofil_style_options) */
    const char *format; /* format of the file; NULL: the contents of the file show the format */
    /* for a file of counters: path of the ELF file whose text was counted. For a saved profile: path of the object to
     * show, or the last component of that path; NULL: the main program */
    const char *object;
    enum pprofil_sort sort;
    enum pprofil_addresses addresses;
    bool no_header;
    bool zeros; /* also print rows without time and calls */
    enum pprofil_unit unit; /* for the style gperf: unit of the values in rows */
    double threshold;       /* for the style gperf: rows with a smaller value (in `unit`) are not printed */
    /* contents of a file FILE.meta (pprofil-formats(5)) for the printed file. Used only if there is no such file beside
     * the printed file; NULL: none */
    const char *meta;
};

/* Stores the name and the summary of the i-th style. Either pointer may be NULL. */
int pprofil_style_at(unsigned i, const char **name, const char **summary);

/* Prints a saved profile, or an older system's file of counters, as the older system's own program printed it.
 * `options` may be NULL. PPROFIL_ERROR_EXPLAINED: the file cannot be printed, and the reason was written to the stream
 * `errors`, in the words of the older program. -EINVAL: there is no such style, or an option has an invalid value.
 * PPROFIL_ERROR_NOT_PROFILED: the profile has no such object. Other errors are those of pprofil_profile_open. */
int pprofil_style_print(const char *path, const char *style, const struct pprofil_style_options *options, FILE *out,
                        FILE *errors);

#ifdef __cplusplus
}
#endif

#endif
