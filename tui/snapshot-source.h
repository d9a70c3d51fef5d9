/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* snapshot-source: the session behind the screen, from which snapshots are taken. */
#ifndef TUI_SNAPSHOT_SOURCE_H
#define TUI_SNAPSHOT_SOURCE_H

#include "snapshot.h"
#include "top.h"

struct source {
    pprofil_session *session; /* owned until source_finish; NULL: not opened yet */
    pprofil_live *live;       /* owned */
    pid_t child;              /* the program that was started; 0: none */
    bool ended;               /* all targets have ended, and what they started */
    bool dead;                /* the supervisor has died; the targets run on */
    uint64_t over_ns;         /* when either happened; 0: not yet */
    uint32_t survivor;        /* index of a process that was alive when it was last looked at */
    int status;               /* of the child, as wait(2) has it; -1: it runs */
    bool batch;               /* warnings go to standard error */
    char warning[512];        /* why the first target could not be attached to; "" */
};

/* Opens a session, starts the program or attaches to the processes, and begins sampling. launch:
 * the program's descriptors; NULL: ours. Returns 0, or a negative error and a problem.
 * source_finish is needed in both cases. */
int source_open(struct source *source, const struct top_request *request,
                const struct pprofil_launch *launch, char *problem, size_t size);
/* Ends the sampling, and gives the session with all its samples to the caller. Returns what
 * pprofil_session_finish does. */
int source_finish(struct source *source, pprofil_session **session);

/* Takes what has happened, and stops the sampling when all targets have ended. It waits for
 * nothing but, once, the supervisor's answer to that. */
void source_pump(struct source *source);

/* Asks for the names that the next snapshot would lack. Returns their number. */
uint32_t source_ask_names(struct source *source);

/* Takes a snapshot. Parts that cannot be had are empty. Returns 0 or -ENOMEM. */
int source_take(struct source *source, const struct snapshot_wants *wants,
                struct snapshot *snapshot);

#endif
