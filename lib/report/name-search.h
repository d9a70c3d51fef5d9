/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * name-search: finds the names that a pattern matches. Makes these searches in this order, until one finds a name:
 *
 *     names that equal the pattern
 *     names that equal the pattern without their parameters ("ns::f" means "ns::f(int)")
 *     names that contain the pattern
 *     names in which the pattern is found as a POSIX extended regular expression
 *
 * Expressions come last, because names in C++ are full of characters that are special in expressions.
 */
#ifndef PPROFIL_NAME_SEARCH_H
#define PPROFIL_NAME_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_SEARCH_NEAREST 3u

/* Sets marked[i] if the pattern matches texts[i]. The caller has set all `count` elements of `marked` to false. A text
 * may be NULL; no pattern matches it. *found: number of marked texts. Returns 0, -ENOMEM, or -EINVAL if the pattern is
 * not a valid regular expression. `problem` has room for `size` bytes. After -EINVAL it has the reason. After 0 it has
 * the reason why a pattern that is a part of names is not a valid expression, and is "" in all other cases. */
int name_search(const char *pattern, const char *const *texts, uint32_t count, bool *marked, uint32_t *found,
                char *problem, size_t size);

/* Finds the texts that are most similar to `wrong`, a name that does not exist. Writes the indexes of these texts to
 * `nearest`, the most similar text first, and returns how many there are. No two of these texts are equal. */
uint32_t name_search_nearest(const char *wrong, const char *const *texts, uint32_t count,
                             uint32_t nearest[NAME_SEARCH_NEAREST]);

/* Writes a message for users to `problem`, which has room for `size` bytes. The message says that there is no name
 * `wrong`, and which of `texts` are similar. For example: "no function is called 'prase'; there is 'parse'". `what` is
 * the kind of name, such as "function". */
void name_search_complain(const char *what, const char *wrong, const char *const *texts, uint32_t count, char *problem,
                          size_t size);

#endif
