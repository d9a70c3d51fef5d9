/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes texts about two compared profiles: see diff-words.h. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fit-name.h"
#include "diff-words.h"

/* longer names of functions are shortened to this width, columns */
#define NAME_WIDTH 40

static double seconds_of(uint64_t ns)
{
    return (double)ns / 1e9;
}

int diff_words_side(const char *side, const struct pprofil_totals *totals, char *text, size_t size)
{
    double seconds = seconds_of(totals->wall ? totals->wall_ns : totals->cpu_ns);
    char elapsed[48] = "";

    if (totals->elapsed_ns > 0)
        snprintf(elapsed, sizeof elapsed, " in %.3f s", seconds_of(totals->elapsed_ns));
    return snprintf(text, size, "%s: %" PRIu64 " samples, %.3f s of %s%s", side, totals->samples, seconds,
                    totals->wall ? "thread time" : "CPU time", elapsed);
}

int diff_words_verdict(const struct pprofil_diff_totals *totals, enum pprofil_diff_by by, enum pprofil_by rows,
                       char *text, size_t size)
{
    static const char *const names[][2] = {
        [PPROFIL_BY_FUNCTION] = {"function", "functions"},
        [PPROFIL_BY_OBJECT] = {"object", "objects"},
        [PPROFIL_BY_LINE] = {"line", "lines"},
        [PPROFIL_BY_THREAD] = {"thread", "threads"},
        [PPROFIL_BY_PROCESS] = {"process", "processes"},
        [PPROFIL_BY_SYSCALL] = {"system call", "system calls"},
        [PPROFIL_BY_STATE] = {"state", "states"},
        [PPROFIL_BY_WAIT] = {"wait", "waits"},
    };
    const struct pprofil_change *whole = &totals->whole;
    const char *unit = by == PPROFIL_DIFF_TIME_A_SECOND ? " s/s" : " s";
    double old = whole->value[0];
    char change[80] = "";

    if (old > 0 && isfinite(whole->low))
        snprintf(change, sizeof change, ", %+.1f %% +- %.1f %%", 100 * whole->change / old,
                 50 * (whole->high - whole->low) / old);
    return snprintf(text, size, "total %s %.3f%s -> %.3f%s%s%s; %" PRIu32 " of %" PRIu32 " %s changed significantly",
                    totals->wall ? "thread time" : "CPU", old, unit, whole->value[1], unit, change,
                    whole->significant ? ", significantly" : "", totals->significant, totals->rows,
                    names[rows][totals->rows != 1]);
}

int diff_words_detectable(const struct pprofil_diff_totals *totals, enum pprofil_diff_by by, char *text, size_t size)
{
    const char *unit = by == PPROFIL_DIFF_SHARE ? " points" : by == PPROFIL_DIFF_TIME ? " s" : " s/s";
    double scale = by == PPROFIL_DIFF_SHARE ? 100 : 1, old = totals->largest_value;
    char whole[4096], name[64];

    text[0] = '\0';
    if (totals->largest == NULL || old <= 0)
        return 0;
    fit_short_name(totals->largest, whole, sizeof whole);
    fit_name(whole, NAME_WIDTH, false, name, sizeof name);
    return snprintf(text, size,
                    "to be found in 4 of 5 cases, a change of %s must be about %.*f%s or more (%.0f %% of its %.*f%s); "
                    "with more samples, smaller changes are found",
                    name, scale > 1 ? 1 : 3, scale * totals->detectable, unit, 100 * totals->detectable / old,
                    scale > 1 ? 1 : 3, scale * old, scale > 1 ? " %" : unit);
}
