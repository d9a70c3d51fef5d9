/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* http://www.isthe.com/chongo/tech/comp/fnv/, "FNV-1a". */
#include "config.h"

#include "base/fnv.h"

#define FNV_PRIME UINT64_C(0x100000001b3)

uint64_t fnv_add(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * FNV_PRIME;
    return sum;
}
