/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * match: which names a pattern means. If any name is the pattern itself, those and no others; else
 * if it is one without its parameters ("ns::f" of "ns::f(int)"), those; else those that it is a part
 * of; else those in which it is found as a POSIX extended regular expression.
 */
#ifndef PPROFIL_MATCH_H
#define PPROFIL_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MATCH_NEAREST 3u

/* Sets marked (so many, all false) for the texts that are meant; NULL texts never are. Their
 * number in *found. 0, -ENOMEM, or -EINVAL: it is no regular expression, and problem (of size
 * bytes) is told why. */
int match_texts(const char *pattern, const char *const *texts, uint32_t count, bool *marked,
                uint32_t *found, char *problem, size_t size);

/* The texts that look most like one that is not there: their indexes, best first, and how many
 * there are. Different texts only. */
uint32_t match_nearest(const char *wrong, const char *const *texts, uint32_t count,
                       uint32_t nearest[MATCH_NEAREST]);

/* Says for people that nothing is called so, and what is: "no function is called 'prase'; there
 * is 'parse'". what: "function". Sets problem. */
void match_complain(const char *what, const char *wrong, const char *const *texts, uint32_t count,
                    char *problem, size_t size);

#endif
