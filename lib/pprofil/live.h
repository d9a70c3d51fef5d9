/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Live views: reports of a session that goes on, cheap enough for several a second, and without an effect on its
 * sampling. Sums are made in the caller's thread. A thread of the library's own reads files, looks names up and
 * disassembles code. Until the name of a row has been found, the row is pending and has its object's name; a later
 * report has its own.
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

/* The session must outlive *live. -EAGAIN: the thread cannot be started. */
int pprofil_live_open(pprofil_session *session, pprofil_live **live);
void pprofil_live_close(pprofil_live *live);

/* Only samples that agree with all fields that are not 0 count. Fields that are ids have those of rows. */
struct pprofil_filter {
    size_t size;       /* sizeof(struct pprofil_filter) */
    uint32_t pid, tid; /* a process, with all programs that it ran; a thread */
    uint64_t object;   /* a row BY_OBJECT */
    uint64_t syscall;  /* a row BY_SYSCALL */
    uint64_t process;  /* a row BY_PROCESS: one program of a process */
    uint64_t thread;   /* a row BY_THREAD: a thread, in one program of its process */
    uint64_t state;    /* a row BY_STATE */
};

/* Makes all rows, largest first, of the counts since the start or the last clear. Rows of code have totals if there are
 * stacks. Shares are of what passes the filter, which may be NULL. The caller frees *report. -EINVAL: there is no such
 * grouping. */
int pprofil_live_report(pprofil_live *live, enum pprofil_by by, const struct pprofil_filter *filter,
                        pprofil_report **report);

/* Has the definition of a row's function looked up, because somebody looks at the row. */
void pprofil_live_define(pprofil_live *live, enum pprofil_by by, uint64_t id);

/* Takes names that have been found, and requests those that are missing, as each report does. Returns the number of
 * code locations without a name. */
uint32_t pprofil_live_pending(pprofil_live *live);

/* --- call trees --------------------------------------------------------------------------- */

/* A function in a live call tree, called in one way. */
struct pprofil_live_call {
    const char *name, *object; /* of the function, as in struct pprofil_row */
    uint64_t id;               /* not 0; the same way has the same id in a later tree of the same kind */
    uint64_t function;         /* id of the function's row BY_FUNCTION; 0: pending */
    uint32_t parent;           /* index of its caller (tree of CALLERS: of what it calls); UINT32_MAX: none */
    uint32_t below;            /* number of functions directly below, whether they are in the tree or not */
    uint64_t samples, ns;      /* of the function itself; tree of CALLERS: 0 */
    /* With all that it called. Tree of CALLERS: those of the function that the tree is of, as far as it was called in
     * this way. */
    uint64_t total_samples, total_ns;
    bool pending; /* its name is still being looked up */
};

struct pprofil_live_tree_options {
    size_t size;                 /* sizeof(struct pprofil_live_tree_options) */
    enum pprofil_tree_kind kind; /* CALLS, or CALLERS or CALLEES of a function */
    uint64_t function;           /* CALLERS, CALLEES: the id of its row BY_FUNCTION */
    uint32_t limit;              /* calls; 0: 4096 */
};

typedef struct pprofil_live_tree pprofil_live_tree;

/* Makes a tree of who called whom since the start or the last clear. It has the calls with the largest totals, up to
 * the limit, largest first, so that parents come before their children. If a function is called within itself only the
 * outermost call counts. The cost grows with the limit, and little with the profile. filter may be NULL. The caller
 * frees *tree. Its strings live as long as the profile. -EINVAL: there is no live tree of this kind. */
int pprofil_live_tree_new(pprofil_live *live, const struct pprofil_live_tree_options *options,
                          const struct pprofil_filter *filter, pprofil_live_tree **tree);
void pprofil_live_tree_free(pprofil_live_tree *tree);
uint32_t pprofil_live_tree_count(const pprofil_live_tree *tree);
void pprofil_live_tree_at(const pprofil_live_tree *tree, uint32_t i, struct pprofil_live_call *call, size_t size);
/* Returns the time of all that passes the filter, ns: the whole that shares are of. *tree_ns: the time in the tree. */
uint64_t pprofil_live_tree_ns(const pprofil_live_tree *tree, uint64_t *tree_ns);

/* --- code ------------------------------------------------------------------------------------ */

/* Makes the code of a function with its counts so far. id: of a row BY_FUNCTION or BY_LINE. filter may be NULL. The
 * caller frees *code with pprofil_code_free. Its texts live as long as live. -EAGAIN: the code is being read; ask
 * again. PPROFIL_ERROR_NO_CODE: pprofil_live_problem says why. */
int pprofil_live_code(pprofil_live *live, enum pprofil_by by, uint64_t id, const struct pprofil_filter *filter,
                      pprofil_code **code);
const char *pprofil_live_problem(const pprofil_live *live);

#ifdef __cplusplus
}
#endif

#endif
