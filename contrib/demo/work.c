/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shared library of the demo program. It does some arithmetic. */
#include <stddef.h>
#include <stdint.h>

#include "work.h"

uint64_t mix(uint64_t seed, size_t rounds)
{
    for (size_t i = 0; i < rounds; i++) {
        seed ^= seed >> 33;
        seed *= 0xff51afd7ed558ccdu;
        seed ^= seed << 21;
    }
    return seed;
}
