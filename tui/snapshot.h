/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * snapshot: all data that one screen is made from, taken at one time. Tests of the model make
 * snapshots without a session.
 */
#ifndef TUI_SNAPSHOT_H
#define TUI_SNAPSHOT_H

#include "pprofil.h"

#define SNAPSHOT_GROUPINGS (PPROFIL_BY_WAIT + 1)
#define SNAPSHOT_HISTORY 30 /* greatest number of columns of a row's history */
#define SNAPSHOT_USE 60     /* columns of the use of CPUs */

#define SNAPSHOT_CONDITIONS 4   /* greatest number of conditions on the samples of two profiles */

struct snapshot_rows {
    bool taken;               /* the snapshot has these rows; there may be 0 of them */
    struct pprofil_row *rows; /* owned; largest first; the strings of the rows are valid as long as the profile */
    uint32_t count;
    /* owned; if the history was requested and is known: history[i * columns + k] is the time of row i in column k, ns.
     * The last column is the newest */
    uint64_t *history;
    uint32_t columns;
    /* borrowed; if two profiles are compared: changes[i] is for rows[i], which has the counts of the new profile. They
     * are in the order of pprofil_diff_row, and valid until a snapshot has other conditions; NULL: nothing is compared
     */
    const struct pprofil_diff_row *changes;
};

/* A call tree. Each row comes after its parent. */
struct snapshot_calls {
    bool taken;
    struct pprofil_live_call *rows; /* owned */
    uint32_t count;
    /* `all_ns`: time of all samples that pass the filter, ns; `tree_ns`: time of the samples in the tree, ns */
    uint64_t all_ns, tree_ns;
    const struct pprofil_diff_call *changes; /* borrowed; as snapshot_rows.changes */
};

/* How two profiles differ as wholes. */
struct snapshot_comparison {
    struct pprofil_totals of[2];
    struct pprofil_diff_totals by[SNAPSHOT_GROUPINGS]; /* of the rows of each view that was opened so far */
};

/* A condition on the samples of two profiles: that they belong to the rows of this name. Names may differ, because
 * objects may be renamed. */
struct snapshot_condition {
    enum pprofil_by by;
    char name[2][256]; /* in the old and in the new profile; "": it has no such row */
};

struct snapshot_counts {
    uint64_t samples, ns;
};

/* What a thread did in a column of the time line: CPU time, or time in a state, divided by the column's length. */
struct snapshot_cell {
    float running, waiting, blocked, asleep; /* waiting: for a CPU; blocked: uninterruptible */
};

/* When each thread did what. The time is divided into equal columns. */
struct snapshot_timeline {
    bool taken;
    uint64_t from_ns, to_ns; /* since the beginning of the profile */
    uint32_t columns;        /* 0: the times are not known */
    struct pprofil_row *rows; /* owned; rows of threads, largest first */
    uint32_t count;
    struct snapshot_cell *cells; /* owned; first the cells of all threads together, then those of each row */
};

/* A process as in struct pprofil_process, but without the command, because there may be thousands of processes. */
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
    /* samples cost so much time that fewer than requested are taken (pprofil_totals_limit) */
    bool limited;
    double rate_hz;   /* present rate of sampling, Hz */
    bool sampling;
    bool saved;       /* of a saved profile */
    bool ended;       /* all targets have ended, and so have the processes that they started */
    bool dead;        /* the supervisor has died, and nothing new will come */
    uint64_t over_ns; /* time when `ended` or `dead` became true; 0: not yet */
    int status;       /* wait status of the started program (wait(2)); -1: unknown */
    uint32_t alive;   /* number of living processes */
    uint32_t pending; /* number of addresses whose names are being looked up */
    struct snapshot_rows by[SNAPSHOT_GROUPINGS];
    struct snapshot_calls calls;
    /* for a saved profile whose times are known: the time is divided into equal columns, and this is the average number
     * of CPUs in use in each */
    bool has_use;
    float use[SNAPSHOT_USE];
    struct snapshot_timeline timeline;
    struct pprofil_task *tasks; /* owned */
    uint32_t task_count;
    struct snapshot_process *processes; /* owned */
    uint32_t process_count;
    char command[256]; /* command line of the first process, if snapshot_wants.command was set */
    /* state of the code of a function, if the code was requested. 0: the rows are in `code`;
     * -EAGAIN: the code is being read; other errors: there is no code */
    int code_state;
    const char *code_problem;
    struct pprofil_code_row *code; /* owned */
    uint32_t code_count;
    /* if two profiles are compared: how they differ, and what the old one has of each row of `code`, which is owned */
    struct snapshot_comparison comparison;
    struct snapshot_counts *code_old;
};

/* What the next snapshot must have. */
struct snapshot_wants {
    bool by[SNAPSHOT_GROUPINGS];
    /* the rows of this grouping need a history: of the last windows, each of `window_ns`; of a saved profile, of its
     * whole time */
    bool history[SNAPSHOT_GROUPINGS];
    uint64_t window_ns;
    struct pprofil_filter filter;
    /* in place of `filter`, if two profiles are compared: all conditions must be met */
    struct snapshot_condition conditions[SNAPSHOT_CONDITIONS];
    unsigned condition_count;
    bool tasks, processes, command;
    bool timeline; /* the time line, with so many columns */
    uint32_t timeline_columns;
    bool use; /* the use of CPUs over the time of a saved profile */
    enum pprofil_by code_by; /* grouping of the row that `code_id` identifies */
    uint64_t code_id;        /* id of the row whose code is on the screen; 0: none */
    /* true: a call tree of the kind `calls_kind` is wanted. If it is a tree of the callers or callees of a function,
     * `calls_function` is the id of this function. */
    bool calls;
    enum pprofil_tree_kind calls_kind;
    uint64_t calls_function;
    enum pprofil_by shown_by; /* grouping of the rows whose ids are in `shown` */
    /* ids of the rows on the screen; the library looks up where the functions of these rows are defined */
    const uint64_t *shown;
    uint32_t shown_count;
};

/* Frees what the rows own. The rows are then not taken. */
void snapshot_rows_free(struct snapshot_rows *rows);
void snapshot_timeline_free(struct snapshot_timeline *timeline);
/* Frees what the snapshot owns. A snapshot of zeros is valid, too. */
void snapshot_free(struct snapshot *snapshot);

#endif
