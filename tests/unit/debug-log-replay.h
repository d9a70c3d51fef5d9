/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * debug-log-replay: replays a debug log of the supervisor. lib/supervisor/debug-log.h describes its lines. The replay
 * follows each task through its states, and checks that ptrace(2) and the invariants of supervisor.h allow each line.
 */
#ifndef PPROFIL_TESTS_DEBUG_LOG_REPLAY_H
#define PPROFIL_TESTS_DEBUG_LOG_REPLAY_H

#include <stdbool.h>
#include <stdio.h>

#include "supervisor/budget.h"

#define LOG_WORD_SIZE 16

struct log_task;

struct log_line {
    unsigned long long time; /* ns */
    unsigned number;         /* number of the line in the file, from 1 */
    unsigned tracer;
    char event[LOG_WORD_SIZE];
    int tid;
    char rest[96];
};

struct replay {
    struct log_task *tasks; /* owned */
    unsigned task_count;
    struct log_line *lines; /* owned */
    unsigned count, stops;
    bool asked; /* the log has shown the requested rate */
    struct budget budget;
    char problem[256];
};

/* Reads a log. Fails the test if a line is none of a log. The caller calls replay_clear. */
struct replay replay_read(FILE *file);
void replay_clear(struct replay *replay);
/* Checks all lines, in the order of their times, and sorts them so. Returns the text of the first problem, or "" if
 * there is none. The replay owns the text. */
const char *replay_run(struct replay *replay);

#endif
