/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* snapshot-source: the session of the live view, or the saved profile, from which snapshots are taken. */
#ifndef TUI_SNAPSHOT_SOURCE_H
#define TUI_SNAPSHOT_SOURCE_H

#include "snapshot.h"
#include "top.h"

struct source {
    pprofil_session *session; /* owned until source_finish; NULL: not opened yet, or a saved profile is shown */
    pprofil_profile *profile; /* borrowed from the session or the request; NULL: not opened yet */
    pprofil_live *live;       /* owned; NULL: not opened yet, or two profiles are compared */
    bool saved;               /* a saved profile is shown */
    struct source_diff *diff; /* owned; two saved profiles are compared; NULL: nothing is compared */
    pid_t child;              /* process of the program that was started; 0: none */
    bool ended;               /* all targets have ended, and so have the processes that they started */
    bool dead;                /* the supervisor has died; the targets run on */
    uint64_t over_ns;         /* time when `ended` or `dead` became true; CLOCK_MONOTONIC, ns; 0: not yet */
    /* index, in the profile's list of processes, of a process that was alive at the last check */
    uint32_t survivor;
    int status;               /* wait status of child (wait(2)); -1: child runs, or there is none */
    bool batch;               /* warnings go to standard error */
    char warning[512];        /* first message about a target that could not be attached to; "": none */
};

/* Opens a session, starts the program or attaches to the processes, and begins sampling. `launch`
 * has the program's descriptors; NULL: the program gets ours. Returns 0, or a negative error with
 * the reason as a text in `problem`. The caller must call source_finish in both cases. */
int source_open(struct source *source, const struct top_request *request,
                const struct pprofil_launch *launch, char *problem, size_t size);
/* Calls source_open for a request that has a program. The program's standard input is /dev/null, and its output goes to
 * the descriptor `output`. Returns what source_open returns. On failure, the reason is in result->problem. */
int source_open_program(struct source *source, const struct top_request *request, int output,
                        struct top_result *result);
/* Opens the request's saved profile. Returns what source_open returns. */
int source_open_saved(struct source *source, const struct top_request *request, char *problem, size_t size);
/* Ends the sampling, and gives the session with all its samples to the caller, who closes it.
 * Returns the result of pprofil_session_finish. */
int source_finish(struct source *source, pprofil_session **session);

/* Returns true if snapshots can be taken. */
static inline bool source_is_open(const struct source *source)
{
    return source->live != NULL || source->diff != NULL;
}

/* Processes the events that have come. When all targets have ended, source_pump asks the supervisor
 * to stop the sampling, and waits for its answer. In all other calls source_pump does not wait. */
void source_pump(struct source *source);

/* Starts the lookup of names that the next snapshot would lack. Returns the number of these names. */
uint32_t source_ask_names(struct source *source);

/* --- snapshot-times.c: parts of a snapshot; these functions return 0 or -ENOMEM --------------- */

/* Adds a history to rows that were made from a report. */
int source_take_history(const struct source *source, enum pprofil_by by, const struct snapshot_wants *wants,
                        const pprofil_report *report, struct snapshot_rows *rows);
/* Takes the use of CPUs over the time of a saved profile. */
int source_take_use(const struct source *source, const struct snapshot_wants *wants, struct snapshot *snapshot);
int source_take_timeline(const struct source *source, const struct snapshot_wants *wants,
                         struct snapshot_timeline *line);

/* --- snapshot-diff.c: snapshots of two saved profiles ------------------------------------------ */

/* Makes the comparison of two profiles, which the caller keeps. Returns 0 or -ENOMEM. */
int source_diff_open(pprofil_profile *old, pprofil_profile *new, struct source_diff **diff);
void source_diff_free(struct source_diff *diff);
/* Takes what differs between the profiles. Returns 0, or a negative error. */
int source_diff_take(struct source_diff *diff, const struct snapshot_wants *wants, struct snapshot *snapshot);

/* --- snapshot-diff-code.c --------------------------------------------------------------------- */

/* Takes the code of a function with the counts of both profiles, from annotations of which one may be NULL. The texts
 * of the rows live as long as the annotations. Returns 0 or -ENOMEM. */
int source_diff_take_code(pprofil_annotation *const annotations[2], struct snapshot *snapshot);

/* --- snapshot-source.c ------------------------------------------------------------------------ */

/* Takes a snapshot. Parts that are not available are empty. Returns 0 or -ENOMEM. */
int source_take(struct source *source, const struct snapshot_wants *wants, struct snapshot *snapshot);

#endif
