/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A diff for people: what was compared, a row for each function, and last the verdict.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "diff-view.h"

#define BOLD "\033[1m"
#define MORE "\033[31m"
#define LESS "\033[32m"
#define PLAIN "\033[0m"

static const struct {
    const char *heading;
    double scale; /* from what is compared to what is shown */
    int digits;
} intervals[] = {
    [PPROFIL_DIFF_SHARE] = {"   95% of points", 100, 2},
    [PPROFIL_DIFF_TIME] = {"  95% of seconds", 1, 3},
    [PPROFIL_DIFF_TIME_A_SECOND] = {"     95% of s/s ", 1, 4},
};

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* "+": more than chance, "-": less, " ": it may be chance. */
static char mark(const struct pprofil_change *change)
{
    if (!change->significant)
        return ' ';
    return change->change > 0 ? '+' : '-';
}

static const char *colour_of(const struct pprofil_change *change)
{
    if (!change->significant)
        return "";
    return change->change > 0 ? MORE : LESS;
}

static void print_side(FILE *out, const char *side, const pprofil_profile *profile)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(profile, &totals, sizeof totals);
    fprintf(out, "# %s: %" PRIu64 " samples, %.3f s of %s in %.3f s: ", side, totals.samples,
            seconds(totals.wall ? totals.wall_ns : totals.cpu_ns),
            totals.wall ? "thread time" : "CPU time", seconds(totals.elapsed_ns));
    view_put_safely(out, pprofil_profile_command(profile));
    fputc('\n', out);
}

static void print_head(FILE *out, const struct diff_view *view)
{
    fputs(view->colour ? BOLD "# pprofil diff: " : "# pprofil diff: ", out);
    view_put_safely(out, view->paths[0]);
    fputs(" -> ", out);
    view_put_safely(out, view->paths[1]);
    fputs(view->colour ? PLAIN "\n" : "\n", out);
    print_side(out, "old", view->profiles[0]);
    print_side(out, "new", view->profiles[1]);
}

static void print_headings(FILE *out, const struct diff_view *view, bool stacks)
{
    fputs("   old%    new%  points    old s    new s   diff s", out); /* of self */
    fprintf(out, "  %16s", intervals[view->by].heading);
    if (stacks)
        fputs("   old total%  new total%  points", out);
    fputs("  function                        object\n", out);
}

static void print_interval(FILE *out, const struct pprofil_change *change,
                           const struct diff_view *view)
{
    double scale = intervals[view->by].scale;
    int digits = intervals[view->by].digits;

    if (isfinite(change->low) && isfinite(change->high))
        fprintf(out, "  %+7.*f..%+7.*f", digits, scale * change->low, digits,
                scale * change->high);
    else
        fprintf(out, "  %16s", "");
}

static void print_name(FILE *out, const struct pprofil_diff_row *row)
{
    const char *old = row->object[0], *new = row->object[1];

    fputs("  ", out);
    view_put_safely(out, row->name);
    for (size_t length = strlen(row->name); length < 30; length++)
        fputc(' ', out);
    fputs("  ", out);
    if (old[0] != '\0' && new[0] != '\0' && strcmp(old, new) != 0) {
        view_put_safely(out, old);
        fputs(" -> ", out);
    }
    view_put_safely(out, new[0] != '\0' ? new : old);
    if (old[0] == '\0' || new[0] == '\0')
        fputs(old[0] == '\0' ? " (only in new)" : " (only in old)", out);
}

static void print_row(FILE *out, const struct pprofil_diff_row *row, const struct diff_view *view,
                      bool stacks)
{
    const struct pprofil_change *self = &row->self, *total = &row->total;
    const char *colour = colour_of(self->significant ? self : total);

    fputs(view->colour ? colour : "", out);
    fprintf(out, "%c%6.2f  %6.2f  %+6.2f %8.3f %8.3f %+8.3f", mark(self), 100 * self->share[0],
            100 * self->share[1], 100 * (self->share[1] - self->share[0]), seconds(self->ns[0]),
            seconds(self->ns[1]), seconds(self->ns[1]) - seconds(self->ns[0]));
    print_interval(out, self, view);
    if (stacks)
        fprintf(out, "  %c%10.2f  %10.2f  %+6.2f", mark(total), 100 * total->share[0],
                100 * total->share[1], 100 * (total->share[1] - total->share[0]));
    print_name(out, row);
    fputs(view->colour && colour[0] != '\0' ? PLAIN "\n" : "\n", out);
}

/* "total CPU 1.230 s -> 1.100 s, -10.6 % +- 3.0 %; 5 of 120 functions changed significantly" */
static void print_verdict(FILE *out, const struct pprofil_diff_totals *totals,
                          const struct diff_view *view)
{
    const struct pprofil_change *whole = &totals->whole;
    const char *unit = view->by == PPROFIL_DIFF_TIME_A_SECOND ? " s/s" : " s";
    double old = whole->value[0];

    fputs(view->colour ? BOLD : "", out);
    fprintf(out, "# total %s %.3f%s -> %.3f%s", totals->wall ? "thread time" : "CPU", old, unit,
            whole->value[1], unit);
    if (old > 0 && isfinite(whole->low))
        fprintf(out, ", %+.1f %% +- %.1f %%", 100 * whole->change / old,
                50 * (whole->high - whole->low) / old);
    if (whole->significant)
        fputs(", significantly", out);
    fprintf(out, "; %" PRIu32 " of %" PRIu32 " function%s changed significantly",
            totals->significant, totals->rows, totals->rows == 1 ? "" : "s");
    fputs(view->colour ? PLAIN "\n" : "\n", out);
}

int diff_print_text(FILE *out, const pprofil_diff *diff, const struct diff_view *view)
{
    struct pprofil_diff_totals totals;
    uint32_t count = pprofil_diff_count(diff);

    pprofil_diff_totals(diff, &totals, sizeof totals);
    print_head(out, view);
    if (count > 0)
        print_headings(out, view, totals.stacks);
    for (uint32_t i = 0; i < count; i++) {
        struct pprofil_diff_row row;
        pprofil_diff_row(diff, i, &row, sizeof row);
        print_row(out, &row, view, totals.stacks);
    }
    if (count < totals.rows)
        fprintf(out, "# %" PRIu32 " more row%s; -n 0 shows all\n", totals.rows - count,
                totals.rows - count == 1 ? "" : "s");
    print_verdict(out, &totals, view);
    return 0;
}
