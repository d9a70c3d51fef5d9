/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * match: which names a pattern means. They are those of the first of these searches that finds any:
 *
 *     names that are the pattern
 *     names that are the pattern without their parameters ("ns::f" means "ns::f(int)")
 *     names that contain the pattern
 *     names in which the pattern is found as a POSIX extended regular expression
 *
 * Names of C++ are full of characters that are special in expressions: so expressions come last.
 */
#ifndef PPROFIL_MATCH_H
#define PPROFIL_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MATCH_NEAREST 3u

/* Sets marked for the texts that the pattern means; the caller has set count times false. A text
 * may be NULL: no pattern means it. *found: the number of texts that are marked. 0, -ENOMEM, or
 * -EINVAL: the pattern is not a regular expression, and problem (of size bytes) says why. */
int match_texts(const char *pattern, const char *const *texts, uint32_t count, bool *marked,
                uint32_t *found, char *problem, size_t size);

/* Finds the texts that look most like one that is not there. Gives their indexes, the most similar
 * first, and returns how many there are. No two of them are equal. */
uint32_t match_nearest(const char *wrong, const char *const *texts, uint32_t count,
                       uint32_t nearest[MATCH_NEAREST]);

/* Says for people, in problem (of size bytes), that there is no such name, and what there is: "no
 * function is called 'prase'; there is 'parse'". what: "function". */
void match_complain(const char *what, const char *wrong, const char *const *texts, uint32_t count,
                    char *problem, size_t size);

#endif
