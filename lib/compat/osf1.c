/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library for programs of OSF/1, which was later named Tru64: profil(2), also in its extended form for several
 * ranges of addresses, and getsysinfo(2) for the rate of the clock. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "compat/compat.h"
#include "compat/osf1/sys/resource.h"
#include "compat/osf1/sys/sysinfo.h"
#include "dialect/dialect.h"

#define OSF1_TICKS_PER_SECOND 1024

extern void profil(const void *buffer, unsigned int size, unsigned long offset, unsigned int scale);
extern int getsysinfo(unsigned long operation, void *buffer, unsigned int size);

/* Copies the ranges that the program gave. Returns 0, or writes a message about a wrong range and returns a negative
 * errno. */
static int ranges_copy(const struct profil_args *ranges, unsigned count, struct wire_profil_region *regions,
                       struct dialect_region *checked)
{
    for (unsigned i = 0; i < count; i++) {
        struct profil_args range;
        int error = compat_copy(&range, &ranges[i], sizeof range);
        if (error != 0) {
            compat_say("profil", "range %u cannot be read", i);
            return error;
        }
        checked[i] = (struct dialect_region){.offset = (uintptr_t)range.offset,
                                             .low = (uintptr_t)range.lowpc,
                                             .high = (uintptr_t)range.highpc,
                                             .size = UINT64_MAX, /* the size is no limit: counting ends at highpc */
                                             .scale = range.scale};
        regions[i] = (struct wire_profil_region){.buffer = (uintptr_t)range.buffer,
                                                 .size = checked[i].size,
                                                 .offset = checked[i].offset,
                                                 .low = checked[i].low,
                                                 .high = checked[i].high,
                                                 .scale = range.scale};
    }
    return 0;
}

/* Returns the number of bytes of buffer that a range uses. */
static uint64_t range_room(const struct dialect_region *range)
{
    uint64_t text = range->high - range->offset;

    if (range->scale == 2 || range->high <= range->offset || text > UINT64_MAX / DIALECT_ONE_TO_ONE)
        return sizeof(unsigned int);
    return text * range->scale / DIALECT_ONE_TO_ONE + sizeof(unsigned int);
}

/* After the ranges were refused: writes a message about the first wrong range. */
static void ranges_explain(const struct dialect_region *ranges, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (dialect_check_ranges(ranges, i + 1) != 0) {
            compat_say("profil", "range %u, 0x%" PRIx64 " to 0x%" PRIx64 ", %s", i, ranges[i].low, ranges[i].high,
                       ranges[i].low >= ranges[i].high     ? "is empty"
                       : ranges[i].low >= ranges[i - 1].high ? "is above the one before it: lowpc has to descend"
                                                             : "overlaps the one before it");
            return;
        }
}

static void ranges_start(const struct profil_args *ranges, unsigned count)
{
    struct wire_profil_region regions[DIALECT_RANGES_MAX];
    struct dialect_region checked[DIALECT_RANGES_MAX];
    const struct wire_profil request = {.op = WIRE_PROFIL_COUNT,
                                        .scope = WIRE_PROFIL_OWN_FORM,
                                        .counter_size = sizeof *ranges->buffer,
                                        .dialect = "osf1x",
                                        .regions = (uintptr_t)regions,
                                        .region_count = count};

    if (count == 0 || count > DIALECT_RANGES_MAX) {
        compat_say("profil", "there are %d ranges, and at most %u can be served", (int)count, DIALECT_RANGES_MAX);
        compat_stop("profil", WIRE_PROFIL_OWN_FORM);
        return;
    }
    int error = ranges_copy(ranges, count, regions, checked);
    if (error == 0)
        error = dialect_check_ranges(checked, count);
    for (unsigned i = 0; error == 0 && i < count; i++)
        compat_check_buffer("profil", regions[i].buffer, range_room(&checked[i]));
    if (error == 0)
        compat_ask("profil", &request, NULL);
    else
        compat_stop("profil", WIRE_PROFIL_OWN_FORM);
    if (error == -EINVAL)
        ranges_explain(checked, count);
}

static void ranges_begin(const struct profil_args *ranges, unsigned count)
{
    struct compat_guard guard;

    compat_enter(&guard);
    ranges_start(ranges, count);
    compat_leave(&guard);
}

/* Serves both forms of profil, which have the same name. An offset of -1 means the extended form. Programs call profil
 * without a prototype, and may pass -1 as an int. Then the upper 32 bits of the offset can have any value, so only the
 * lower 32 bits are tested. */
void profil(const void *buffer, unsigned int size, unsigned long offset, unsigned int scale)
{
    const struct compat_call call = {.name = "profil",
                                     .dialect = "osf1",
                                     .counter_size = 2,
                                     .scope = WIRE_PROFIL_OWN_FORM,
                                     .caller = __builtin_return_address(0)};

    if ((uint32_t)offset == UINT32_MAX)
        ranges_begin(buffer, size);
    else if (buffer == NULL)
        compat_stop("profil", WIRE_PROFIL_OWN_FORM);
    else
        compat_profil(&call, buffer, size, offset, scale, false);
}

/* getsysinfo(2), for the rate of the clock. Writes the rate as a long if the buffer has room for a long, or else as an
 * int. */
int getsysinfo(unsigned long operation, void *buffer, unsigned int size)
{
    const uint64_t ticks = OSF1_TICKS_PER_SECOND;
    size_t width = size >= sizeof ticks ? sizeof ticks : sizeof(uint32_t);
    int error = -EINVAL;

    if ((uint32_t)operation == GSI_CLK_TCK && size >= sizeof(uint32_t))
        error = compat_copy(buffer, &ticks, width);
    else
        compat_say("getsysinfo", "operation %u: only GSI_CLK_TCK (%d) is known here, for 4 bytes and more",
                   (unsigned)operation, GSI_CLK_TCK);
    if (error == 0)
        return 1;
    errno = -error;
    return -1;
}

/* The flags of pkg-config contain ld's option --wrap, which renames calls of profil to this name. So these calls never
 * go to the profil of another library. */
extern void __wrap_profil(const void *buffer, unsigned int size, unsigned long offset, unsigned int scale)
    __attribute__((alias("profil")));
