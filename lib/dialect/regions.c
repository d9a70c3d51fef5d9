/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of several regions takes a pc: sprofil, the extended profil, the Nintendo 64. */
#include "config.h"

#include <errno.h>

#include "dialect/dialect.h"

static bool is_bin(const struct dialect *dialect, const struct dialect_region *region)
{
    return dialect->two_is_all && region->offset == 0 && region->scale == 2 && region->high == 0;
}

/* Of the regions that reach the pc the one with the largest offset; they come in any order, and
 * there may be thousands. */
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

int dialect_check_ranges(const struct dialect_region *regions, size_t count)
{
    if (count > DIALECT_RANGES_MAX)
        return -EINVAL;
    for (size_t i = 0; i < count; i++) {
        if (regions[i].low >= regions[i].high)
            return -EINVAL;
        if (i > 0 && regions[i].high > regions[i - 1].low)
            return -EINVAL;
    }
    return 0;
}

size_t dialect_segment_of(const struct dialect_segment *segments, size_t count, uint32_t pc,
                          bool exact, uint64_t *index)
{
    for (size_t i = 0; i < count; i++) {
        const struct dialect_segment *segment = &segments[i];
        /* signed differences: a segment may straddle 0x80000000 */
        if ((int32_t)(pc - segment->text_start) < 0 || (int32_t)(segment->text_end - pc) <= 0)
            continue;
        *index = (pc - segment->text_start) / 4;
        return exact || *index < segment->counters ? i : DIALECT_OVERFLOW_BIN;
    }
    return DIALECT_OVERFLOW_BIN;
}

const char *dialect_n64_error(int code)
{
    switch (code) {
    case DIALECT_N64_INIT_RUNNING:
        return "osProfileInit: profile counter is running, call osProfileStop before init";
    case DIALECT_N64_INIT_COUNT:
        return "osProfileInit: profcnt is %d";
    case DIALECT_N64_INIT_ALIGNMENT:
        return "osProfileInit: histo_base pointer must be 32-bit aligned (%x)";
    case DIALECT_N64_INIT_ORDER:
        return "osProfileInit: text_start (%x) >= text_end (%x)";
    case DIALECT_N64_INIT_SIZE:
        return "osProfileInit: histo_size is an illegal size (%d)";
    case DIALECT_N64_START_TIME:
        return "osProfileStart: microseconds is < PROF_MIN_INTERVAL (%d)";
    case DIALECT_N64_START_RUNNING:
        return "osProfileStart: profiling has already been started";
    case DIALECT_N64_STOP_STOPPED:
        return "osProfileStop: profiling has already been stopped";
    case DIALECT_N64_STOP_TIMER:
        return "osProfileStop: no profile timer to stop";
    }
    return NULL;
}
