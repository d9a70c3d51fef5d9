/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of the Nintendo 64: finds the segment of a pc, and contains the error messages of the debug library. */
#include "config.h"

#include "dialect/dialect.h"

size_t dialect_segment_of(const struct dialect_segment *segments, size_t count, uint32_t pc,
                          bool exact, uint64_t *index)
{
    for (size_t i = 0; i < count; i++) {
        const struct dialect_segment *segment = &segments[i];
        /* the differences are signed, because a segment may cross 0x80000000 */
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
