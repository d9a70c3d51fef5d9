/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge: what the files of pprofil merge share. */
#ifndef PPROFIL_MERGE_H
#define PPROFIL_MERGE_H

#include "options.h"

/* The files to be merged. An empty list is all 0, except that `output` may be set. */
struct merge_inputs {
    char **paths; /* owned */
    size_t count;
    const char *output; /* borrowed; in a folder, this file is left out: it is an earlier result. NULL: none */
};

/* Add a file or the files in a folder, and the files that a list names, one a line ("-": standard input). They return
 * 0, or complain and return EXIT_OWN_FAILURE. */
int merge_inputs_add_operand(struct merge_inputs *inputs, const char *path);
int merge_inputs_add_list(struct merge_inputs *inputs, const char *list);
void merge_inputs_clear(struct merge_inputs *inputs);

#define MERGE_THREADS_MAX 64u

struct merge_work {
    const struct merge_inputs *inputs;
    const struct selection_request *selection; /* the format of the files, and which part of their sum is wanted */
    unsigned how;                              /* enum pprofil_merging */
    unsigned threads;                          /* 1 to MERGE_THREADS_MAX */
};

/* Returns how many threads to use if the user does not say: one for each CPU, at most MERGE_THREADS_MAX. */
unsigned merge_threads_best(void);
/* Merges all files, and selects a part of the sum. Each thread has one file open at a time. Complains of each file that
 * cannot be read, and leaves it out. The caller closes *merged, also after a failure, unless it is NULL. *left_out:
 * number of files that were left out. Returns 0 or an exit status: EXIT_OWN_FAILURE if the profiles cannot be added up,
 * or have no such part. */
int merge_run(const struct merge_work *work, pprofil_profile **merged, size_t *left_out);

#endif
