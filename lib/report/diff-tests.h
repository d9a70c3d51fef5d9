/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * diff-tests: decides which differences of two profiles are significant, for diffs and for flame graphs.
 *
 * All functions are tested together: the own time of each and, if there are stacks, its total. The false discovery rate
 * of these tests is at most DIFF_LEVEL (statistics_adjust). This gives a limit: a test is significant if its p is at
 * most this limit.
 *
 * Frames of a flame graph are tested by the same limit. The frames of one function divide it among themselves, in
 * proportion to their samples. So the only frame of a function has the test and the verdict of the function's total. On
 * average, frames add no more false discoveries than the tests of functions may have. The number of significant frames
 * does not change the limit, as it would do in the method of Benjamini and Hochberg. For frames are nested: a single
 * change makes all frames between it and the root significant, which would raise the limit for all others.
 */
#ifndef PPROFIL_DIFF_TESTS_H
#define PPROFIL_DIFF_TESTS_H

#include "report/diff-functions.h"
#include "report/diff-runs.h"

#define DIFF_LEVEL 0.05 /* a change is significant if its q (false discovery rate) is at most this */
/* probability that any frame is significant although nothing has changed and no function is significant; so pictures of
 * such profiles hardly ever show more than a diff */
#define DIFF_LEVEL_OF_FRAMES 0.005

struct diff_tests {
    const struct diff_functions *functions; /* borrowed */
    struct diff_test test;
    const struct diff_runs *runs; /* borrowed; NULL: each side is one run */
    /* owned; rows[i] is of functions->all[i]. A function without samples has a row whose name is NULL */
    struct pprofil_diff_row *rows;
    struct pprofil_change whole; /* always of times, and without a test if shares are compared */
    uint32_t row_count;          /* number of functions that have samples */
    uint32_t significant;        /* number of functions whose self or total has changed significantly */
    double function_limit;       /* 0..1; a change of a function is significant if its p is at most about this */
    uint32_t second_tests;       /* number of functions that have two tests: of their own time, and of the total */
    /* 0..1; a test is significant if its p is at most this. If no function is significant, it is the limit of frames */
    double limit;
};

/* Tests all functions. The fields `seconds` and `by_share` of *test say what is compared. A change of less than `least`
 * (a share of the old profile's total, 0..1) is not called significant. runs: NULL: each side is one run. Returns 0 or
 * -ENOMEM. The caller clears *tests in any case. */
int diff_tests_make(const struct diff_functions *functions, const struct diff_test *test,
                    const struct diff_runs *runs, double least, struct diff_tests *tests);
void diff_tests_clear(struct diff_tests *tests);

/* Returns true if the self or the total of a function has changed significantly. */
bool diff_row_is_significant(const struct pprofil_diff_row *row);
/* Returns how the total of a function has changed. Without stacks, this is how its own time has changed. */
const struct pprofil_change *diff_row_total(const struct diff_tests *tests, const struct pprofil_diff_row *row);

#define DIFF_NO_FUNCTION UINT32_MAX

enum diff_verdict {
    DIFF_CHANCE, /* chance may explain the change */
    /* chance may explain this change, too, but not that of the function's total, of which this one is a part: both have
     * the same direction */
    DIFF_PART,
    DIFF_SIGNIFICANT,
};

/* A frame of a flame graph: a function that was called through certain others, and what it called. */
struct diff_frame {
    struct diff_pair total;
    /* index in diff_functions.all; DIFF_NO_FUNCTION: an inlined function, a system call or a process */
    uint32_t function;
    enum diff_verdict verdict; /* set by diff_test_frames */
};

/* Tests frames. Returns 0 or -ENOMEM. */
int diff_test_frames(const struct diff_tests *tests, struct diff_frame *frames, uint32_t count);

#endif
