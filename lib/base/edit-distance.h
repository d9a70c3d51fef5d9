/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edit-distance: how many typing errors turn one word into another. */
#ifndef PPROFIL_BASE_EDIT_DISTANCE_H
#define PPROFIL_BASE_EDIT_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EDIT_DISTANCE_SIZE_MAX 63u /* bytes; longer words are not compared */

/* Returns the smallest number of bytes to change, to add, to remove or to exchange with the next one that turns `a`
 * into `b`, if no place is edited twice (Damerau-Levenshtein distance, optimal string alignment). The lengths are in
 * bytes, and are at most EDIT_DISTANCE_SIZE_MAX. */
uint32_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/* Returns true if so few errors are likely to be made in a word of `length` bytes. */
static inline bool edit_distance_is_near(uint32_t distance, size_t length)
{
    return distance <= 1 + length / 4 && distance < length;
}

#endif
