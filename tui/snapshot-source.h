/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* snapshot-source: the session behind the screen, and the snapshots that are taken of it. */
#ifndef TUI_SNAPSHOT_SOURCE_H
#define TUI_SNAPSHOT_SOURCE_H

#include "snapshot.h"
#include "top.h"

struct source {
    pprofil_session *session; /* owned until taken; NULL: not opened yet */
    pprofil_live *live;       /* owned */
    pid_t child;              /* the program started; 0: none */
    bool ended;               /* all targets have, and what they started */
    bool dead;                /* the supervisor has; the targets run on */
    uint64_t over_ns;         /* time of either; 0: neither yet */
    uint32_t survivor;        /* index of the process that was alive when last looked */
    int status;               /* of the child, as wait(2) has it; -1: it has not ended */
    bool batch;               /* warnings go to standard error */
    char warning[512];        /* the first of what could not be attached to; "": nothing */
};

/* Opens a session, starts the program or attaches to the processes, begins sampling. launch: the
 * program's descriptors; NULL: ours. 0, or a negative errno and a problem; source_close then too. */
int source_open(struct source *source, const struct top_request *request,
                const struct pprofil_launch *launch, char *problem, size_t size);
/* Ends the sampling and gives the session to the caller, with all that was sampled. As
 * pprofil_session_finish. */
int source_finish(struct source *source, pprofil_session **session);

/* Takes what has happened, and stops the sampling when all has ended. Waits for nothing but the
 * supervisor's answer to that, once. */
void source_pump(struct source *source);

/* Asks for the names that the next snapshot would lack. How many these are. */
uint32_t source_ask_names(struct source *source);

/* Takes a snapshot; what could not be had of it is empty. 0 or -ENOMEM. */
int source_take(struct source *source, const struct snapshot_wants *wants,
                struct snapshot *snapshot);

#endif
