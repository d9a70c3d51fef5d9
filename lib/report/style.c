/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of styles. */
#include "config.h"

#include <string.h>

#include "report/style.h"

static const struct style styles[] = {
    {"kprof", "Inferno kprof(10.1)", "inferno", false, style_kprof, style_kprof_refuse},
    {"kprof-plan9", "Plan 9 kprof(1)", "plan9", false, style_kprof_plan9, style_kprof_refuse},
    {"prof", "prof(1) of the system that the file is from", "bsd44", false, style_prof, style_bsd_refuse},
    {"prof-v7", "Seventh Edition prof(1)", "v7", false, style_prof_v7, style_v7_refuse},
    {"prof-bsd", "4.3BSD prof(1)", "bsd44", false, style_prof_bsd, style_bsd_refuse},
    {"prof-solaris", "Solaris prof(1), of old mon.out files", "solaris", false, style_prof_solaris,
     style_solaris_refuse},
    {"prof-solaris-versioned", "Solaris prof(1), of versioned mon.out files", "pcsample", true,
     style_prof_solaris_versioned, style_solaris_refuse},
    {"gprof", "GNU gprof's flat profile", "glibc", false, style_gprof, style_gprof_refuse},
    {"gperf", "gperf(1P) of the Nintendo 64's development kit", "n64", false, style_gperf,
     style_gperf_refuse},
};

const struct style *style_find(const char *name)
{
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(styles[i].name, name) == 0)
            return &styles[i];
    return NULL;
}

const struct style *style_at(unsigned i)
{
    return i < sizeof styles / sizeof *styles ? &styles[i] : NULL;
}
