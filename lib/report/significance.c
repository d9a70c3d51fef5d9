/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/significance.h"

#define Z95 1.959963984540054 /* of the normal distribution */

struct estimate significance_share(double share, double samples)
{
    struct estimate result = {.value = share, .low = 0, .high = 1};
    double z2 = Z95 * Z95;

    if (samples <= 0)
        return result;
    double middle = (share + z2 / (2 * samples)) / (1 + z2 / samples);
    double half = Z95 / (1 + z2 / samples) *
                  sqrt(share * (1 - share) / samples + z2 / (4 * samples * samples));
    result.low = fmin(share, middle - half); /* rounding must not put it beside its interval */
    result.high = fmax(share, middle + half);
    return result;
}

struct estimate significance_sum(double sum, double unit)
{
    struct estimate result = {.value = sum, .low = sum, .high = sum};
    double z2 = Z95 * Z95;

    if (unit <= 0)
        return result;
    double count = sum / unit, half = Z95 * sqrt(count + z2 / 4);
    result.low = fmin(sum, unit * (count + z2 / 2 - half));
    result.high = fmax(sum, unit * (count + z2 / 2 + half));
    return result;
}

struct estimate significance_difference(const struct estimate *a, const struct estimate *b)
{
    double difference = b->value - a->value;

    return (struct estimate){
        .value = difference,
        .low = difference - hypot(b->value - b->low, a->high - a->value),
        .high = difference + hypot(b->high - b->value, a->value - a->low),
    };
}

double significance_p(double difference, double variance, double correction)
{
    double distance = fabs(difference) - correction;

    if (distance <= 0 || variance <= 0)
        return 1;
    return erfc(distance / sqrt(2 * variance));
}

struct ranked {
    double p;
    size_t index;
};

static int significance_compare(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    return a->p < b->p ? -1 : a->p > b->p;
}

int significance_adjust(double *values, size_t count)
{
    struct ranked *ranked = calloc(count + 1, sizeof *ranked);
    double least = 1;

    if (ranked == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){values[i], i};
    qsort(ranked, count, sizeof *ranked, significance_compare);
    for (size_t i = count; i-- > 0;) {
        least = fmin(least, ranked[i].p * (double)count / (double)(i + 1));
        values[ranked[i].index] = least;
    }
    free(ranked);
    return 0;
}
