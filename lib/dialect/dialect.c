/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of dialects, and checks of what programs request. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "dialect/dialect.h"

#define MILLISECONDS UINT64_C(1000000)

/* The rules come from the manual pages profil(2), sprofil(2), pcsample(2), osProfile(3P) and kprof(3) of these systems,
 * from glibc, and from the kernels with public source (illumos, 4.4BSD and its heirs, XNU, V7, Inferno, Plan 9). If a
 * page and its kernel disagree, the table follows the kernel. */
static const struct dialect dialects[] = {
    {.name = "irix",
     .system = "IRIX profil(2)",
     .counter_size = 2,
     .off_scale = 1,
     .two_is_all = true,
     .prof = DIALECT_PROF_SYSTEM_V,
     .format = "mon",
     .file = "mon.out",
     .period_ns = 10 * MILLISECONDS},
    {.name = "irix-sprofil",
     .system = "IRIX sprofil(2)",
     .counter_size = 4,
     .overflow = DIALECT_SATURATES,
     .off_scale = 1,
     .two_is_all = true,
     .prof = DIALECT_PROF_SYSTEM_V,
     .format = "gmon",
     .file = "gmon.out",
     .period_ns = 10 * MILLISECONDS},
    {.name = "solaris",
     .system = "Solaris profil(2)",
     .counter_size = 2,
     .overflow = DIALECT_STOPS,
     .off_scale = 1,
     .two_is_all = true,
     .two_needs_no_room = true,
     .system_time = true,
     .prof = DIALECT_PROF_SYSTEM_V,
     .format = "mon",
     .file = "mon.out",
     .period_ns = 10 * MILLISECONDS},
    {.name = "pcsample",
     .system = "Solaris pcsample(2)",
     .arithmetic = DIALECT_RAW,
     .overflow = DIALECT_STOPS,
     .off_scale = DIALECT_NEVER_OFF,
     .system_time = true,
     .prof = DIALECT_PROF_VERSIONED,
     .format = "pcsample",
     .file = "pcsample.out",
     .period_ns = 10 * MILLISECONDS},
    {.name = "bsd44",
     .system = "4.4BSD profil(2)",
     .counter_size = 2,
     .refuses_large = true,
     .narrow = true,
     .format = "gmon-bsd",
     .file = "gmon.out",
     .period_ns = 10 * MILLISECONDS},
    {.name = "osx",
     .system = "Mac OS X profil(2)",
     .counter_size = 2,
     .fork = DIALECT_CHILD_STOPS,
     .refuses_large = true,
     .below_wraps = true,
     .narrow = true,
     .format = "gmon-bsd",
     .file = "gmon.out",
     .period_ns = 10 * MILLISECONDS},
    {.name = "osf1",
     .system = "OSF/1 profil(2)",
     .counter_size = 2,
     .off_scale = 1,
     .two_is_all = true,
     .two_has_no_offset = true,
     .format = "mon",
     .file = "mon.out",
     .period_ns = UINT64_C(1000000000) / 1024},
    {.name = "osf1x",
     .system = "OSF/1 extended profil(2)",
     .counter_size = 4,
     .fault = DIALECT_FAULT_STOPS_REGION,
     .off_scale = 1,
     .two_is_all = true,
     .two_has_no_offset = true,
     .bounded_ranges = true,
     .format = "gmon",
     .file = "gmon.out",
     .period_ns = UINT64_C(1000000000) / 1024},
    {.name = "n64",
     .system = "Nintendo 64 osProfile",
     .arithmetic = DIALECT_WORDS,
     .counter_size = 2,
     .fault = DIALECT_FAULT_NONE,
     .off_scale = DIALECT_NEVER_OFF,
     .system_time = true,
     .format = "n64",
     .file = "osprofile.out",
     .period_ns = 10 * MILLISECONDS},
    {.name = "inferno",
     .system = "Inferno kprof(3)",
     .arithmetic = DIALECT_CELLS,
     .counter_size = 4,
     .fault = DIALECT_FAULT_NONE,
     .off_scale = DIALECT_NEVER_OFF,
     .system_time = true,
     .overlaid_cells = true,
     .format = "kpdata",
     .file = "kpdata",
     .period_ns = 10 * MILLISECONDS},
    {.name = "plan9",
     .system = "Plan 9 kprof(3)",
     .arithmetic = DIALECT_CELLS,
     .counter_size = 4,
     .fault = DIALECT_FAULT_NONE,
     .off_scale = DIALECT_NEVER_OFF,
     .system_time = true,
     .format = "kpdata",
     .file = "kpdata",
     .period_ns = 10 * MILLISECONDS},
    {.name = "v7",
     .system = "Seventh Edition profil(2)",
     .arithmetic = DIALECT_ROUNDED,
     .counter_size = 2,
     .system_time = true,
     .prof = DIALECT_PROF_V7,
     .format = "mon",
     .file = "mon.out",
     .period_ns = UINT64_C(1000000000) / 60},
    {.name = "glibc",
     .system = "glibc profil(3)",
     .arithmetic = DIALECT_HALVES,
     .counter_size = 2,
     .fork = DIALECT_CHILD_STOPS,
     .off_scale = DIALECT_NEVER_OFF,
     .system_time = true,
     .below_wraps = true,
     .format = "gmon",
     .file = "gmon.out",
     .period_ns = 10 * MILLISECONDS},
};

#define DIALECTS (sizeof dialects / sizeof *dialects)

const struct dialect *dialect_at(size_t index)
{
    return index < DIALECTS ? &dialects[index] : NULL;
}

const struct dialect *dialect_find(const char *name)
{
    for (size_t i = 0; i < DIALECTS; i++)
        if (strcmp(dialects[i].name, name) == 0)
            return &dialects[i];
    return NULL;
}

int dialect_check(const struct dialect *dialect, const struct dialect_region *region)
{
    if (dialect->refuses_large && region->scale > DIALECT_ONE_TO_ONE)
        return -EINVAL;
    return 0;
}

bool dialect_is_off(const struct dialect *dialect, uint32_t scale)
{
    return dialect->off_scale != DIALECT_NEVER_OFF && scale <= dialect->off_scale;
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
