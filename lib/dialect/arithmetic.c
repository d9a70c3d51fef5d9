/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes which counter of a region a pc falls into, adds ticks to a counter, and chooses among several regions. */
#include "config.h"

#include "dialect/dialect.h"

__extension__ typedef unsigned __int128 product; /* holds an address times a scale, a product of up to 96 bits */

/* Computes into which byte of the buffer a pc at this distance from the offset falls. Returns false if the arithmetic
 * of the system has no result: always with DIALECT_RAW; with DIALECT_ROUNDED, if a number needs more than 32 bits. */
static bool dialect_byte(const struct dialect *dialect, uint32_t scale, unsigned counter_size, uint64_t distance,
                         bool exact, product *byte)
{
    switch (dialect->arithmetic) {
    case DIALECT_HALVES:
        *byte = ((product)(distance / 2) * scale >> 16) * 2;
        return true;
    case DIALECT_ROUNDED:
        if (distance > UINT32_MAX)
            return false;
        *byte = (product)(distance >> 1) * (scale >> 1);
        if (*byte > UINT32_MAX)
            return false;
        *byte = ((*byte >> 14) + 1) & ~(product)1;
        return true;
    case DIALECT_WORDS:
        *byte = (product)(distance / 4) * counter_size;
        return true;
    case DIALECT_CELLS:
        *byte = (product)(distance / 8) * counter_size;
        return true;
    case DIALECT_RAW:
        return false;
    case DIALECT_BYTES:
        break;
    }
    *byte = (product)distance * scale >> 16;
    if (exact && dialect->narrow)
        *byte = (product)(__int128_t)(int32_t)(uint32_t)*byte;
    return true;
}

bool dialect_index(const struct dialect *dialect, const struct dialect_region *region, unsigned counter_size,
                   uint64_t pc, bool exact, uint64_t *index)
{
    uint64_t distance = pc - region->offset;
    bool all = dialect->two_is_all && region->scale == 2;
    product byte;

    if (dialect_is_off(dialect, region->scale))
        return false;
    if (region->high != 0 && (pc < region->low || pc >= region->high))
        return false;
    if (pc < region->offset && !(exact && dialect->below_wraps) && !(all && dialect->two_has_no_offset))
        return false;
    if (all) {
        *index = 0;
        return region->size >= counter_size || (exact && dialect->two_needs_no_room);
    }
    if (!dialect_byte(dialect, region->scale, counter_size, distance, exact, &byte))
        return false;
    byte -= byte % counter_size;
    *index = (uint64_t)(byte / counter_size);
    return byte < region->size && (exact || region->size - (uint64_t)byte >= counter_size);
}

static uint64_t rounded_up(product dividend, uint64_t divisor)
{
    product quotient = (dividend + divisor - 1) / divisor;
    return quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient;
}

uint64_t dialect_lowest(const struct dialect *dialect, uint32_t scale, unsigned counter_size, uint64_t index)
{
    product bytes = (product)index * counter_size;

    if (index == 0)
        return 0;
    if (dialect->arithmetic == DIALECT_WORDS || dialect->arithmetic == DIALECT_CELLS)
        return rounded_up((product)index * (dialect->arithmetic == DIALECT_WORDS ? 4 : 8), 1);
    if (scale == 0 || (dialect->two_is_all && scale == 2))
        return UINT64_MAX;
    if (dialect->arithmetic == DIALECT_HALVES)
        return rounded_up((product)rounded_up((product)index << 16, scale) * 2, 1);
    if (dialect->arithmetic == DIALECT_ROUNDED)
        return scale < 2 ? UINT64_MAX
                         : rounded_up((product)rounded_up(((product)index * 2 - 1) << 14, scale / 2) * 2, 1);
    return rounded_up(bytes << 16, scale);
}

uint64_t dialect_room(const struct dialect *dialect, uint32_t scale, unsigned counter_size, uint64_t text)
{
    product byte = 0;

    if (text == 0)
        return 0;
    if (dialect->two_is_all && scale == 2)
        return counter_size;
    if (!dialect_byte(dialect, scale, counter_size, text - 1, false, &byte))
        return 0;
    return (uint64_t)(byte / counter_size + 1) * counter_size;
}

static uint64_t largest(unsigned counter_size)
{
    return counter_size >= 8 ? UINT64_MAX : (UINT64_C(1) << (counter_size * 8)) - 1;
}

enum dialect_added dialect_add(enum dialect_overflow overflow, unsigned counter_size, uint64_t *counter, uint64_t ticks,
                               uint64_t *full)
{
    uint64_t most = largest(counter_size), room = most - *counter;
    uint64_t sum = (*counter + ticks) & most;
    bool passed = ticks > room;

    /* illumos adds in 16 bits, and stops counting if the sum is above 32767. But 65535 + 1 gives 0, so then illumos
     * does not stop. For wider counters, too, the limit is half of the largest value. */
    *full = ticks;
    if (overflow == DIALECT_STOPS && sum > most / 2)
        return DIALECT_STOPPED;
    if (!passed)
        *full = 0;
    else if (overflow == DIALECT_SATURATES)
        *full = ticks - room;
    else /* *full is the number of times that the counter wraps */
        *full = 1 + (most == UINT64_MAX ? 0 : (ticks - room - 1) / (most + 1));
    *counter = overflow == DIALECT_SATURATES && passed ? most : sum;
    return passed ? DIALECT_OVERFLOWED : DIALECT_ADDED;
}

/* --- several regions: sprofil, and the extended profil of OSF/1 ---------------------------- */

static bool dialect_is_bin(const struct dialect *dialect, const struct dialect_region *region)
{
    return dialect->two_is_all && region->offset == 0 && region->scale == 2 && region->high == 0;
}

/* Among the regions that count the pc, chooses the region with the largest offset. Tests all regions, because the
 * program may give them in any order. */
size_t dialect_choose(const struct dialect *dialect, const struct dialect_region *regions, size_t count,
                      unsigned counter_size, uint64_t pc, uint64_t *index)
{
    size_t bin = DIALECT_NO_REGION, best = DIALECT_NO_REGION;
    uint64_t place;

    for (size_t i = 0; i < count; i++) {
        if (dialect_is_bin(dialect, &regions[i])) {
            bin = i;
        } else if ((best == DIALECT_NO_REGION || regions[i].offset > regions[best].offset) &&
                   dialect_index(dialect, &regions[i], counter_size, pc, false, &place)) {
            best = i;
            *index = place;
        }
    }
    if (best == DIALECT_NO_REGION && bin != DIALECT_NO_REGION && regions[bin].size >= counter_size) {
        *index = 0;
        return bin;
    }
    return best;
}
