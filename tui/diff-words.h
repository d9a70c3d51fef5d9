/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* diff-words: the texts about two compared profiles that the screen and pprofil diff share. */
#ifndef TUI_DIFF_WORDS_H
#define TUI_DIFF_WORDS_H

#include <stddef.h>

#include "pprofil.h"

/* Writes how much a profile has, such as "old: 1234 samples, 1.230 s of CPU time in 2.000 s". `side` is "old" or "new".
 * Return the length of the text, as snprintf(3) does. */
int diff_words_side(const char *side, const struct pprofil_totals *totals, char *text, size_t size);
/* Writes how the profiles differ as wholes, and how many rows have changed, such as "total CPU 1.230 s -> 1.100 s,
 * -10.6 % +- 3.0 %; 5 of 120 functions changed significantly". `rows` is what the rows are. */
int diff_words_verdict(const struct pprofil_diff_totals *totals, enum pprofil_diff_by by, enum pprofil_by rows,
                       char *text, size_t size);

/* Writes how large a change must be to be found, such as "to be found in 4 of 5 cases, a change of main must be about
 * 2.1 points or more (5 % of its 42.0 %); with more samples, smaller changes are found". If this is not known, writes
 * nothing and returns 0. */
int diff_words_detectable(const struct pprofil_diff_totals *totals, enum pprofil_diff_by by, char *text, size_t size);

#endif
