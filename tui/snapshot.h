/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * snapshot: all that one screen is made from, taken at one instant. Plain data, so that the model
 * is tested without a session.
 */
#ifndef TUI_SNAPSHOT_H
#define TUI_SNAPSHOT_H

#include "pprofil.h"

#define SNAPSHOT_GROUPINGS (PPROFIL_BY_STATE + 1)

struct snapshot_rows {
    bool taken;               /* this grouping was asked for */
    struct pprofil_row *rows; /* owned; largest first; strings live as long as the profile */
    uint32_t count;
};

/* A call tree; parents before their children. */
struct snapshot_calls {
    bool taken;
    struct pprofil_live_call *rows; /* owned */
    uint32_t count;
    uint64_t all_ns, tree_ns; /* of what the filter lets through; in all of the tree */
};

/* As struct pprofil_process has it, without the command: there may have been very many. */
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
    bool limited;     /* fewer samples are taken than asked for, for each costs so much: pprofil_totals_limit */
    double rate_hz;   /* in force */
    bool sampling;
    bool ended;       /* all targets have, and what they started */
    bool dead;        /* the supervisor is: nothing new comes */
    uint64_t over_ns; /* time of either; 0: neither yet */
    int status;       /* of the program that was started, as wait(2); -1: not known */
    uint32_t alive;   /* processes, of those below */
    uint32_t pending; /* places without a name yet */
    struct snapshot_rows by[SNAPSHOT_GROUPINGS];
    struct snapshot_calls calls;
    struct pprofil_task *tasks; /* owned */
    uint32_t task_count;
    struct snapshot_process *processes; /* owned */
    uint32_t process_count;
    char command[256]; /* of the first process, where that was asked for */
    /* the code of a function, where that was asked for */
    int code_state; /* 0, -EAGAIN: it is being read, or why there is none */
    const char *code_problem;
    struct pprofil_code_row *code; /* owned */
    uint32_t code_count;
};

/* What the screen needs of the next snapshot. */
struct snapshot_wants {
    bool by[SNAPSHOT_GROUPINGS];
    struct pprofil_filter filter;
    bool tasks, processes, command;
    enum pprofil_by code_by; /* of the row below */
    uint64_t code_id;        /* a row whose code is on the screen; 0: none */
    bool calls; /* a tree, of a function for CALLERS and CALLEES */
    enum pprofil_tree_kind calls_kind;
    uint64_t calls_function;
    enum pprofil_by shown_by;
    const uint64_t *shown;   /* rows on the screen: where they are defined is asked for */
    uint32_t shown_count;
};

/* Frees what it owns; it may be all zero. */
void snapshot_free(struct snapshot *snapshot);

#endif
