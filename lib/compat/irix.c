/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IRIX: profil(2) and sprofil(2). What its page of sprofil leaves open is as HP-UX has it. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <sys/time.h>

#include "compat/compat.h"
#include "compat/irix/sys/profil.h"

#define TICK_US 10000 /* and with PROF_FAST ... */
#define FAST_US (TICK_US / PROF_FAST_CNT)

int profil(unsigned short *buffer, unsigned int size, unsigned long offset, unsigned int scale)
{
    if (buffer == NULL)
        compat_stop();
    else
        compat_profil("irix", 2, buffer, size, offset, scale);
    return 0; /* always: profil(2) */
}

static int check(const struct prof *entry, unsigned counter_size)
{
    if (entry->pr_size == 0 || entry->pr_size % counter_size != 0)
        return -EINVAL;
    if (entry->pr_off == 0 && entry->pr_scale == 2 && entry->pr_size != counter_size)
        return -EINVAL; /* the overflow bin is one counter */
    return 0;
}

static int copy_entries(const struct prof *entries, size_t count, unsigned counter_size,
                        struct wire_profil_region *regions)
{
    for (size_t i = 0; i < count; i++) {
        struct prof entry;
        int error = compat_copy(&entry, &entries[i], sizeof entry);
        if (error == 0)
            error = check(&entry, counter_size);
        if (error != 0)
            return error;
        regions[i] = (struct wire_profil_region){.buffer = (uintptr_t)entry.pr_base,
                                                 .size = entry.pr_size,
                                                 .offset = entry.pr_off,
                                                 .scale = entry.pr_scale};
    }
    return 0;
}

static int start(const struct prof *entries, size_t count, unsigned flags)
{
    unsigned counter_size = flags & PROF_UINT ? 4 : 2;
    size_t room = count * sizeof(struct wire_profil_region);
    int64_t value;

    struct wire_profil_region *regions = compat_map(room);
    if (regions == NULL)
        return -ENOMEM;
    struct wire_profil request = {.op = WIRE_PROFIL_COUNT,
                                  .counter_size = counter_size,
                                  .dialect = "irix-sprofil",
                                  .period_ns = (flags & PROF_FAST ? FAST_US : TICK_US) * 1000ull,
                                  .regions = (uintptr_t)regions,
                                  .region_count = count};
    int error = copy_entries(entries, count, counter_size, regions);
    if (error == 0)
        error = compat_ask("sprofil", &request, &value);
    compat_unmap(regions, room);
    return error;
}

int sprofil(struct prof *entries, int count, struct timeval *tick, unsigned int flags)
{
    const struct timeval period = {.tv_usec = flags & PROF_FAST ? FAST_US : TICK_US};
    int error = 0;

    if (count < 0 || (unsigned)count > WIRE_PROFIL_MOST_REGIONS)
        error = -E2BIG;
    else if ((flags & ~(unsigned)(PROF_USHORT | PROF_UINT | PROF_FAST)) != 0 ||
             (flags & (PROF_USHORT | PROF_UINT)) == (PROF_USHORT | PROF_UINT))
        error = -EINVAL;
    if (error == 0)
        compat_stop(); /* each call first turns off what was on */
    if (error == 0 && tick != NULL)
        error = compat_copy(tick, &period, sizeof period);
    if (error == 0 && entries != NULL && count > 0)
        error = start(entries, (size_t)count, flags);
    if (error == 0)
        return 0;
    errno = -error;
    return -1;
}
