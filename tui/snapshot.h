/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * snapshot: everything that one screen is made from, taken at one time. It is plain data, so that
 * tests of the model need no session.
 */
#ifndef TUI_SNAPSHOT_H
#define TUI_SNAPSHOT_H

#include "pprofil.h"

#define SNAPSHOT_GROUPINGS (PPROFIL_BY_STATE + 1)

struct snapshot_rows {
    bool taken;               /* the grouping was asked for */
    struct pprofil_row *rows; /* owned; largest first; strings live as long as the profile */
    uint32_t count;
};

/* A call tree. Parents are before their children. */
struct snapshot_calls {
    bool taken;
    struct pprofil_live_call *rows; /* owned */
    uint32_t count;
    uint64_t all_ns, tree_ns; /* time that the filter lets through; time in the whole tree */
};

/* A process as in struct pprofil_process, but without the command: there may have been thousands
 * of processes. */
struct snapshot_process {
    uint32_t pid, ppid, image;
    int32_t status;
    const char *comm;
    uint64_t id;
    bool alive;
};

struct snapshot {
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    struct pprofil_totals totals;
    bool limited;     /* a sample costs so much that fewer are taken than asked for: pprofil_totals_limit */
    double rate_hz;   /* present rate */
    bool sampling;
    bool ended;       /* all targets have ended, and what they started */
    bool dead;        /* the supervisor has died, and nothing new will come */
    uint64_t over_ns; /* when either happened; 0: not yet */
    int status;       /* of the program that was started, as wait(2) has it; -1: not known */
    uint32_t alive;   /* number of living processes */
    uint32_t pending; /* number of addresses whose names are being looked up */
    struct snapshot_rows by[SNAPSHOT_GROUPINGS];
    struct snapshot_calls calls;
    struct pprofil_task *tasks; /* owned */
    uint32_t task_count;
    struct snapshot_process *processes; /* owned */
    uint32_t process_count;
    char command[256]; /* of the first process, if it was asked for */
    /* the code of a function, if it was asked for */
    int code_state; /* 0; -EAGAIN: it is being read; else why there is none */
    const char *code_problem;
    struct pprofil_code_row *code; /* owned */
    uint32_t code_count;
};

/* What the screen needs of the next snapshot. */
struct snapshot_wants {
    bool by[SNAPSHOT_GROUPINGS];
    struct pprofil_filter filter;
    bool tasks, processes, command;
    enum pprofil_by code_by; /* grouping of the row code_id */
    uint64_t code_id;        /* id of the row whose code is on the screen; 0: none */
    bool calls; /* a call tree; calls_function is for CALLERS and CALLEES */
    enum pprofil_tree_kind calls_kind;
    uint64_t calls_function;
    enum pprofil_by shown_by;
    const uint64_t *shown;   /* ids of the rows on the screen: where they are defined is looked up */
    uint32_t shown_count;
};

/* Frees what the snapshot owns. It may be all zero. */
void snapshot_free(struct snapshot *snapshot);

#endif
