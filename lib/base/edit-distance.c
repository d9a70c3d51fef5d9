/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes the edit distance of two words: see edit-distance.h. */
#include "config.h"

#include "base/edit-distance.h"

static uint32_t edit_distance_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* rows[i % 3][j] is the distance of the first i bytes of `a` to the first j bytes of `b`. */
uint32_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    uint32_t rows[3][EDIT_DISTANCE_SIZE_MAX + 1];

    for (uint32_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        const uint32_t *before = rows[(i - 1) % 3], *before_that = rows[(i + 1) % 3];
        uint32_t *row = rows[i % 3];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = edit_distance_least(before[j - 1] + (a[i - 1] != b[j - 1]),
                                         1 + edit_distance_least(before[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = edit_distance_least(row[j], before_that[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}
