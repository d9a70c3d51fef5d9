/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OSF/1, later Tru64: profil(2), and its extended form for several ranges of addresses. */
#include "config.h"

#include "compat/compat.h"
#include "compat/osf1/sys/resource.h"
#include "dialect/dialect.h"

static void start_ranges(const struct profil_args *ranges, unsigned long count)
{
    struct wire_profil_region regions[DIALECT_RANGES_MAX];
    struct dialect_region checked[DIALECT_RANGES_MAX];
    const struct wire_profil request = {.op = WIRE_PROFIL_COUNT,
                                        .counter_size = sizeof *ranges->buffer,
                                        .dialect = "osf1x",
                                        .regions = (uintptr_t)regions,
                                        .region_count = count};
    int64_t value;

    compat_stop();
    if (count == 0 || count > DIALECT_RANGES_MAX)
        return;
    for (unsigned long i = 0; i < count; i++) {
        struct profil_args range;
        if (compat_copy(&range, &ranges[i], sizeof range) != 0)
            return;
        checked[i] = (struct dialect_region){.offset = (uintptr_t)range.offset,
                                             .low = (uintptr_t)range.lowpc,
                                             .high = (uintptr_t)range.highpc,
                                             .size = UINT64_MAX, /* highpc is what bounds it */
                                             .scale = range.scale};
        regions[i] = (struct wire_profil_region){.buffer = (uintptr_t)range.buffer,
                                                 .size = checked[i].size,
                                                 .offset = checked[i].offset,
                                                 .low = checked[i].low,
                                                 .high = checked[i].high,
                                                 .scale = range.scale};
    }
    if (dialect_check_ranges(checked, count) == 0)
        compat_ask("profil", &request, &value);
}

void pprofil_osf1_profil(const void *buffer, unsigned long size, unsigned long offset,
                         unsigned long scale)
{
    if (offset == ~0ul)
        start_ranges(buffer, size);
    else if (buffer == NULL)
        compat_stop();
    else
        compat_profil("osf1", 2, buffer, size, offset, (uint32_t)scale);
}
