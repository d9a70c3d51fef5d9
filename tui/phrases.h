/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phrases: what the screen and the batch frames say in the same words. */
#ifndef TUI_PHRASES_H
#define TUI_PHRASES_H

#include "model.h"

#define PHRASE_SIZE 192

/* "exited 3", "killed by SIGSEGV"; brief: "SIGSEGV". */
void phrase_status(int status, bool brief, char *text, size_t size);
/* "program ended: exited 3". */
void phrase_end(const struct snapshot *snapshot, char *text, size_t size);
/* The same, also while children of the program that was started go on. */
void phrase_outcome(const struct snapshot *now, bool brief, char *text, size_t size);
/* "300 threads: 2 running, 297 asleep (12 in futex), 1 uninterruptible"; of that less and less, as
 * brief is 1 or 2. */
void phrase_threads(const struct model *model, int brief, char *text, size_t size);
/* Why the table is empty. */
void phrase_empty(const struct model *model, char *text, size_t size);
/* Why there are no calls. */
void phrase_calls(const struct model *model, char *text, size_t size);
/* "functions", or of at most five letters; view: enum pprofil_by or keys_view. */
const char *phrase_view(int view, bool brief);
/* "63 us a sample, CPUs full", if fewer samples are taken than asked for, or "". */
void phrase_limit(const struct snapshot *now, char *text, size_t size);

/* "31 % running, 12 % waiting for a CPU, 57 % asleep": of the last windows, in elapsed time; else "". */
void phrase_states(const struct model *model, char *text, size_t size);

#endif
