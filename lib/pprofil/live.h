/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * live.h: live views, which are reports of a session while it samples. The caller can make several reports a second.
 * Reports do not affect the sampling. The caller's thread sums the samples. A thread of the library reads files, looks
 * up names and disassembles code. A row whose name is not known yet is called pending, and has the name of its object.
 * Later reports have the row's own name.
 */
#ifndef PPROFIL_PUBLIC_LIVE_H
#define PPROFIL_PUBLIC_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprofil/report.h"
#include "pprofil/session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofil_live pprofil_live;

/* Opens a live view of a session. The session must outlive *live. -EAGAIN: the thread cannot be started. */
int pprofil_live_open(pprofil_session *session, pprofil_live **live);
/* Opens a live view of a saved profile, which must outlive *live. It looks up names that the file lacks. -EAGAIN: the
 * thread cannot be started. */
int pprofil_live_open_profile(pprofil_profile *profile, pprofil_live **live);
void pprofil_live_close(pprofil_live *live);

/* Selects samples. A sample is selected if it matches every field that is not 0. The fields object, syscall, process,
 * thread, state and wait are ids of rows in reports. */
struct pprofil_filter {
    size_t size;       /* sizeof(struct pprofil_filter) */
    uint32_t pid, tid; /* pid: a process, including all programs that it executes; tid: a thread */
    uint64_t object;   /* id of a row in a report by object */
    uint64_t syscall;  /* id of a row in a report by system call */
    uint64_t process;  /* id of a row in a report by process: a process while it ran one program */
    uint64_t thread;   /* id of a row in a report by thread: a thread while its process ran one program */
    uint64_t state;    /* id of a row in a report by state */
    /* only what was sampled from one time until another, ns since pprofil_live_times.start_ns; 0: no condition */
    uint64_t from_ns, to_ns;
    uint64_t wait; /* id of a row in a report by wait */
};

/* Makes a report with all rows, largest first, of the samples since the start or since the last clear of the session.
 * Rows of functions, objects and lines have totals if the samples have stacks. Shares are parts of the time of all
 * samples that the filter selects. `filter` may be NULL. The caller frees *report with pprofil_report_free. -EINVAL:
 * there is no such grouping. */
int pprofil_live_report(pprofil_live *live, enum pprofil_by by, const struct pprofil_filter *filter,
                        pprofil_report **report);

/* When the samples were taken. All fields are 0 if the profile does not say it. */
struct pprofil_live_times {
    uint64_t start_ns;  /* beginning of the profile, CLOCK_MONOTONIC; of a saved profile, CLOCK_REALTIME */
    uint64_t length_ns; /* time from the beginning to the newest sample */
    uint64_t slot_ns;   /* times are exact to this */
};
/* size: sizeof(struct pprofil_live_times) */
void pprofil_live_times(const pprofil_live *live, struct pprofil_live_times *times, size_t size);

/* A range of time that is divided into equal columns. */
struct pprofil_columns {
    uint64_t from_ns, to_ns; /* since pprofil_live_times.start_ns; from_ns < to_ns */
    uint32_t count;          /* not 0 */
};

/* Tells when the rows of a report spent their own time: adds to ns[i * columns->count + k] the time of row i in column
 * k, ns. `by` and `filter` are those with which the report was made, by the last call of pprofil_live_report. `ns` has
 * room for all rows of the report. -EINVAL: the columns have no length. */
int pprofil_live_row_times(pprofil_live *live, enum pprofil_by by, const struct pprofil_filter *filter,
                           const pprofil_report *report, const struct pprofil_columns *columns, uint64_t *ns);

/* Asks the library's thread to find the source file and line in which the function of a row is defined. The caller
 * calls this function for a row whose details the user sees. `by` is the row's grouping, PPROFIL_BY_FUNCTION or
 * PPROFIL_BY_LINE. `id` is the id of the row. */
void pprofil_live_define(pprofil_live *live, enum pprofil_by by, uint64_t id);

/* Stores the names that the library's thread has found, and requests the missing names. Each report does this too.
 * Returns the number of code locations that have no name yet. */
uint32_t pprofil_live_pending(pprofil_live *live);

/* --- call trees --------------------------------------------------------------------------- */

/* A row of a live call tree: a function that was called along one path of callers. */
struct pprofil_live_call {
    const char *name, *object; /* name and object of the function, as in struct pprofil_row */
    uint64_t id;               /* not 0; the same path has the same id in a later tree of the same kind */
    uint64_t function;         /* id of the function's row in a report by function; 0: the name is pending */
    /* index of the caller's row. In a tree of callers: index of the callee's row. UINT32_MAX: none */
    uint32_t parent;
    uint32_t below;            /* number of rows directly below this row, including rows that the limit left out */
    uint64_t samples, ns;      /* samples and time (ns) of the function itself; 0 in a tree of callers */
    /* samples and time (ns) of the function and of all functions that it called. In a tree of callers: samples and time
     * of the function at the top of the tree, but only when it was called along the path through this row */
    uint64_t total_samples, total_ns;
    bool pending; /* the name is not known yet, and is being looked up */
};

struct pprofil_live_tree_options {
    size_t size;                 /* sizeof(struct pprofil_live_tree_options) */
    enum pprofil_tree_kind kind; /* calls of all functions, or callers or callees of one function */
    uint64_t function;           /* for callers and callees: id of the function's row in a report by function */
    uint32_t limit;              /* largest number of rows; 0: 4096 */
};

typedef struct pprofil_live_tree pprofil_live_tree;

/* Makes a call tree of the samples since the start or since the last clear of the session. The tree has the rows with
 * the largest totals, up to the limit. Rows are sorted by total, largest first, so parents come before their children.
 * A tree of callers or callees starts from one function. If this function is on a stack several times, only its
 * outermost call counts. Making a tree takes longer if the limit is higher, but hardly longer if the profile is larger.
 * `filter` may be NULL. The caller frees *tree. The strings in *tree live as long as the profile. -EINVAL: there is no
 * live tree of this kind. */
int pprofil_live_tree_new(pprofil_live *live, const struct pprofil_live_tree_options *options,
                          const struct pprofil_filter *filter, pprofil_live_tree **tree);
void pprofil_live_tree_free(pprofil_live_tree *tree);
uint32_t pprofil_live_tree_count(const pprofil_live_tree *tree);
void pprofil_live_tree_at(const pprofil_live_tree *tree, uint32_t i, struct pprofil_live_call *call, size_t size);
/* Returns the time of all samples that the filter selects, ns. Shares are parts of this time; the caller computes them.
 * *tree_ns: the time of the samples in the tree, ns. `tree_ns` may be NULL. */
uint64_t pprofil_live_tree_ns(const pprofil_live_tree *tree, uint64_t *tree_ns);

/* --- code ------------------------------------------------------------------------------------ */

/* Lists the code of a function with its samples so far. `id` is the id of a row in a report by function or by line.
 * `filter` may be NULL. The caller frees *code with pprofil_code_free. The strings in *code are valid until `live` is
 * closed. -EAGAIN: the library's thread is still reading the code, so the caller calls again later.
 * PPROFIL_ERROR_NO_CODE: pprofil_live_problem returns the reason. */
int pprofil_live_code(pprofil_live *live, enum pprofil_by by, uint64_t id, const struct pprofil_filter *filter,
                      pprofil_code **code);
const char *pprofil_live_problem(const pprofil_live *live);

#ifdef __cplusplus
}
#endif

#endif
