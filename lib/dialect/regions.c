/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of several regions takes a pc: sprofil, the extended profil. */
#include "config.h"

#include "dialect/dialect.h"

static bool is_bin(const struct dialect *dialect, const struct dialect_region *region)
{
    return dialect->two_is_all && region->offset == 0 && region->scale == 2 && region->high == 0;
}

/* Takes the region with the largest offset of those that reach the pc. Regions come in any order, and there may be
 * thousands. */
size_t dialect_choose(const struct dialect *dialect, const struct dialect_region *regions,
                      size_t count, unsigned counter_size, uint64_t pc, uint64_t *index)
{
    size_t bin = DIALECT_NO_REGION, best = DIALECT_NO_REGION;
    uint64_t place;

    for (size_t i = 0; i < count; i++) {
        if (is_bin(dialect, &regions[i])) {
            bin = i;
        } else if ((best == DIALECT_NO_REGION || regions[i].offset > regions[best].offset) &&
                   dialect_index(dialect, &regions[i], counter_size, pc, false, &place)) {
            best = i;
            *index = place;
        }
    }
    if (best == DIALECT_NO_REGION && bin != DIALECT_NO_REGION &&
        regions[bin].size >= counter_size) {
        *index = 0;
        return bin;
    }
    return best;
}
