/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library for programs of IRIX: profil(2) and sprofil(2). Where the manual page of IRIX does not say how sprofil
 * behaves, the library follows the manual page of HP-UX. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/time.h>

#include "compat/compat.h"
#include "compat/irix/sys/profil.h"
#include "dialect/dialect.h"

#define TICK_US 10000 /* period of a tick; PROF_FAST divides it by PROF_FAST_CNT */
#define FAST_US (TICK_US / PROF_FAST_CNT)

extern int profil(unsigned short *buffer, unsigned int size, unsigned long offset, unsigned int scale);
extern int profil_(unsigned short *buffer, const int *size, const int *offset, const int *scale);

int profil(unsigned short *buffer, unsigned int size, unsigned long offset, unsigned int scale)
{
    const struct compat_call call = {
        .name = "profil", .dialect = "irix", .counter_size = 2, .caller = __builtin_return_address(0)};

    compat_profil(&call, buffer, size, offset, scale, false);
    return 0; /* profil(2) always returns 0 */
}

/* The function profil for FORTRAN. All its arguments are references. g77 and gfortran append the underscore to the
 * name. */
int profil_(unsigned short *buffer, const int *size, const int *offset, const int *scale)
{
    const struct compat_call call = {
        .name = "profil", .dialect = "irix", .counter_size = 2, .caller = __builtin_return_address(0)};

    compat_profil(&call, buffer, (unsigned)*size, (unsigned)*offset, (unsigned)*scale, false);
    return 0;
}

/* Checks one element of the array that sprofil gets. Returns 0, or writes a message and returns -EINVAL. */
static int entry_check(const struct prof *entry, size_t index, unsigned counter_size)
{
    const char *problem = NULL;

    if (entry->pr_size == 0 || entry->pr_size % counter_size != 0)
        problem = "pr_size is no number of counters";
    else if (entry->pr_off == 0 && entry->pr_scale == 2 && entry->pr_size != counter_size)
        problem = "the overflow bin is one counter";
    if (problem == NULL)
        return 0;
    compat_say("sprofil", "entry %zu: %s", index, problem);
    return -EINVAL;
}

static bool entry_is_bin(const struct prof *entry)
{
    return entry->pr_off == 0 && entry->pr_scale == 2;
}

static int entries_copy(const struct compat_call *call, const struct prof *entries, size_t count,
                        struct wire_profil_region *regions)
{
    for (size_t i = 0; i < count; i++) {
        struct prof entry;
        int error = compat_copy(&entry, &entries[i], sizeof entry);
        if (error == 0)
            error = entry_check(&entry, i, call->counter_size);
        if (error != 0)
            return error;
        regions[i] = (struct wire_profil_region){.buffer = (uintptr_t)entry.pr_base,
                                                 .size = entry.pr_size,
                                                 .offset = entry.pr_off,
                                                 .scale = entry.pr_scale};
        bool all = entry_is_bin(&entry) || entry.pr_scale < 2;
        compat_check_region(call, &regions[i],
                            all ? UINT64_MAX : (uint64_t)entry.pr_size * DIALECT_ONE_TO_ONE / entry.pr_scale);
    }
    return 0;
}

static int entries_start(const struct compat_call *call, const struct prof *entries, size_t count, unsigned flags)
{
    size_t room = count * sizeof(struct wire_profil_region);

    struct wire_profil_region *regions = compat_map(room);
    if (regions == NULL)
        return -ENOMEM;
    struct wire_profil request = {.op = WIRE_PROFIL_COUNT,
                                  .counter_size = call->counter_size,
                                  .dialect = "irix-sprofil",
                                  .period_ns = (flags & PROF_FAST ? FAST_US : TICK_US) * 1000ull,
                                  .regions = (uintptr_t)regions,
                                  .region_count = count};
    int error = entries_copy(call, entries, count, regions);
    if (error == 0)
        error = compat_ask(call->name, &request, NULL);
    compat_unmap(regions, room);
    return error;
}

/* Checks the arguments of sprofil. Returns 0, or writes a message and returns -E2BIG or -EINVAL. */
static int sprofil_check(int count, unsigned flags)
{
    int most = compat_is_strict() ? PROFIL_MAX : (int)WIRE_PROFIL_REGIONS_MAX;

    if (count < 0 || count > most) {
        compat_say("sprofil", "profcnt is %d, and at most %d can be served", count, most);
        return -E2BIG;
    }
    if ((flags & ~(unsigned)(PROF_USHORT | PROF_UINT | PROF_FAST)) != 0 ||
        (flags & (PROF_USHORT | PROF_UINT)) == (PROF_USHORT | PROF_UINT)) {
        compat_say("sprofil", "flags are 0x%x", flags);
        return -EINVAL;
    }
    return 0;
}

int sprofil(struct prof *entries, int count, struct timeval *tick, unsigned int flags)
{
    const struct compat_call call = {.name = "sprofil",
                                     .dialect = "irix-sprofil",
                                     .counter_size = flags & PROF_UINT ? 4 : 2,
                                     .caller = __builtin_return_address(0)};
    const struct timeval period = {.tv_usec = flags & PROF_FAST ? FAST_US : TICK_US};
    int error = sprofil_check(count, flags);
    struct compat_guard guard;

    compat_enter(&guard);
    if (error == 0)
        compat_stop("sprofil", WIRE_PROFIL_ALL_THREADS); /* each call first ends the counting of an earlier call */
    if (error == 0 && tick != NULL)
        error = compat_copy(tick, &period, sizeof period);
    if (error == 0 && entries != NULL && count > 0)
        error = entries_start(&call, entries, (size_t)count, flags);
    compat_leave(&guard);
    if (error == 0)
        return 0;
    errno = -error;
    return -1;
}

/* The flags of pkg-config contain ld's option --wrap, which renames calls of profil and sprofil to these names. So
 * these calls never go to functions of another library. */
extern int __wrap_profil(unsigned short *buffer, unsigned int size, unsigned long offset, unsigned int scale)
    __attribute__((alias("profil")));
extern int __wrap_sprofil(struct prof *entries, int count, struct timeval *tick, unsigned int flags)
    __attribute__((alias("sprofil")));
