/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge: what the files of pprofil merge share. */
#ifndef PPROFIL_MERGE_H
#define PPROFIL_MERGE_H

#include "options.h"

/* The files to be merged. An empty list is all 0. */
struct merge_inputs {
    char **paths; /* owned */
    size_t count;
};

/* Add a file or the files in a folder, and the files that a list names, one a line ("-": standard input). They return
 * 0, or complain and return EXIT_OWN_FAILURE. */
int merge_inputs_add_operand(struct merge_inputs *inputs, const char *path);
int merge_inputs_add_list(struct merge_inputs *inputs, const char *list);
void merge_inputs_clear(struct merge_inputs *inputs);

#define MERGE_THREADS_MAX 64u

struct merge_work {
    const struct merge_inputs *inputs;
    const struct selection_request *selection; /* which part of each file is merged */
    unsigned how;                              /* enum pprofil_merging */
    unsigned threads;                          /* 1 to MERGE_THREADS_MAX */
};

/* Returns how many threads to use if the user does not say: one for each CPU. But if a name may select a part of the
 * files, it returns 1, because names are looked up then, and libdw is not made for threads. */
unsigned merge_threads_best(const struct selection_request *selection);
/* Merges all files; each thread has one of them open at a time. Complains of each file that cannot be read, and leaves
 * it out. The caller closes *merged, also after a failure, unless it is NULL. *left_out: number of files that were left
 * out. Returns 0 or an exit status: EXIT_OWN_FAILURE if the profiles cannot be added up. */
int merge_run(const struct merge_work *work, pprofil_profile **merged, size_t *left_out);

#endif
