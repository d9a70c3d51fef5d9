/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints a report as text for people: what was measured, how accurate the figures are, and the rows.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "output-stream.h"
#include "report.h"

#define BOLD "\033[1m"
/* if at least this share of the time has stacks that were cut off, the report says what to do */
#define TRUNCATED_SHARE 0.01
#define MARKS_SHOWN 4u
#define LIMIT_SIZE 128         /* bytes for the reason why the rate is lower than requested */
#define HOLDER_SHARE_MIN 0.01  /* locks with a smaller share have no line about the thread that holds them */
#define IDLE_SHARE 0.2         /* a target that uses less of one CPU mostly waits */
#define STATE_SHARE_MIN 0.0005 /* states with a smaller share are not printed */
#define MISSING_SHARE_MIN 0.05 /* names or lines that are missing are reported of objects with at least this share */
#define MISSING_SHOWN 2u       /* of so many objects at most */

static double per_cent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void report_print_counts(FILE *out, const struct pprofil_totals *totals)
{
    fprintf(out, "# %" PRIu64 " sample%s, ", totals->samples, plural(totals->samples));
    if (totals->wall)
        fprintf(out, "%.3f s of thread time, ", (double)totals->wall_ns / 1e9);
    fprintf(out, "%.3f s of CPU time", (double)totals->cpu_ns / 1e9);
    if (report_knows_run(totals))
        fprintf(out, " (the target's own: %.3f s)", (double)totals->target_cpu_ns / 1e9);
    if (totals->elapsed_ns > 0)
        fprintf(out, " in %.3f s", (double)totals->elapsed_ns / 1e9);
    fputc('\n', out);
}

/* Prints the requested rate and the achieved rate. If the achieved rate is lower, also prints the reason. */
static void report_print_rate(FILE *out, const struct pprofil_totals *totals)
{
    bool known = report_knows_run(totals);
    char why[LIMIT_SIZE];

    if (totals->asked_hz <= 0)
        return;
    fprintf(out, "# %.0f Hz asked", totals->asked_hz);
    if (totals->running > 0 && totals->cpu_ns > 0)
        fprintf(out, ", %.0f achieved", (double)totals->running * 1e9 / (double)totals->cpu_ns);
    if (pprofil_totals_limit(totals, true, why, sizeof why) > 0)
        fprintf(out, ": %s\n#", why);
    else if (known)
        fputc(';', out);
    if (known)
        fprintf(out, " target stopped %.2f %% of its CPU time; lost %" PRIu64,
                per_cent(totals->stopped_ns, totals->target_cpu_ns), totals->lost);
    fputc('\n', out);
}

static void report_print_quality(FILE *out, const struct pprofil_totals *totals)
{
    report_print_rate(out, totals);
    fprintf(out, "# %" PRIu32 " process%s, %" PRIu32 " thread%s", totals->processes_seen,
            totals->processes_seen == 1 ? "" : "es", totals->threads_seen, plural(totals->threads_seen));
    if (totals->repaired > 0)
        fprintf(out, "; %" PRIu64 " system call%s kept from failing with EINTR", totals->repaired,
                plural(totals->repaired));
    if (totals->continued > 0)
        fprintf(out, "; %" PRIu64 " continued that would have come back short", totals->continued);
    if (totals->cut_short > 0)
        fprintf(out, "; %" PRIu64 " returned less than without us", totals->cut_short);
    fputc('\n', out);
}

/* Prints the states of threads, if they are known, with shares of the time of all threads. */
static void report_print_states(FILE *out, pprofil_profile *profile)
{
    const struct pprofil_report_options options = {.size = sizeof options, .by = PPROFIL_BY_STATE};
    const char *before = "# threads were ";
    pprofil_report *report;

    if (pprofil_report_new(profile, &options, &report) != 0)
        return;
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        if (row.share < STATE_SHARE_MIN)
            continue;
        fprintf(out, "%s%s %.1f %%", before, row.name, 100 * row.share);
        before = ", ";
    }
    fputs(before[0] == ',' ? "\n" : "", out);
    pprofil_report_free(report);
}

/* If the profile is a part of another profile, prints how large the part is. If stacks are
 * incomplete, prints the reason. */
static void report_print_parts(FILE *out, const pprofil_profile *profile, const struct pprofil_totals *totals)
{
    const char *what, *why;
    double share, missing = 0;
    bool truncated = false, not_copied = false;
    uint64_t samples;

    if (pprofil_profile_selected(profile, &what, &share, &samples) == 0)
        fprintf(out, "# a part: %.2f %% of the time, %" PRIu64 " of %" PRIu64 " samples\n", 100 * share,
                totals->samples, samples);
    for (unsigned i = 0; pprofil_profile_incomplete(profile, i, &why, &share) == 0; i++)
        missing += share;
    if (missing <= 0)
        return;
    fprintf(out, "# stacks: %.1f %% complete", 100 * (1 - missing));
    for (unsigned i = 0; pprofil_profile_incomplete(profile, i, &why, &share) == 0; i++) {
        if (i == MARKS_SHOWN) {
            fputs(", ...", out);
            break;
        }
        fputs(i == 0 ? "; " : ", ", out);
        utf8_print_harmless(out, why);
        fprintf(out, " %.1f %%", 100 * share);
        truncated = truncated || (strcmp(why, "[truncated]") == 0 && share >= TRUNCATED_SHARE);
        not_copied = not_copied || (strcmp(why, "[not copied]") == 0 && share >= TRUNCATED_SHARE);
    }
    fputc('\n', out);
    if (truncated)
        fputs("# [truncated]: the stack was larger than its copy; --stack-size sets the size\n", out);
    if (not_copied)
        fputs("# [not copied]: the thread woke up before its stack was copied, or its memory could not be read\n", out);
}

/* Returns true if the profile is a part of another profile. A part that was read from a file is
 * recognized by the text "(only --" in its command. */
static bool profile_is_part(const pprofil_profile *profile)
{
    const char *what;
    double share;
    uint64_t samples;

    return pprofil_profile_selected(profile, &what, &share, &samples) == 0 ||
           strstr(pprofil_profile_command(profile), "(only --") != NULL;
}

void report_print_head(FILE *out, pprofil_profile *profile, bool colour)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(profile, &totals, sizeof totals);
    const char *command = pprofil_profile_command(profile);
    fputs(colour ? "\n" BOLD "# pprofil" : "\n# pprofil", out);
    fputs(command[0] != '\0' ? ": " : "", out);
    utf8_print_harmless(out, command);
    fputs(colour ? OUTPUT_PLAIN "\n" : "\n", out);
    report_print_counts(out, &totals);
    report_print_quality(out, &totals);
    if (totals.wall && report_knows_run(&totals)) /* other files do not say whether a thread ran */
        report_print_states(out, profile);
    report_print_parts(out, profile, &totals);
    bool part = profile_is_part(profile);
    if (totals.samples == 0 && part)
        fputs("# nothing is left: no sample matches everything that was asked for\n", out);
    else if (totals.samples == 0 && !report_knows_run(&totals))
        fputs("# no samples\n", out);
    else if (totals.samples == 0)
        fputs("# no samples: the target used too little CPU time, or none; -w shows where it "
              "waits\n",
              out);
    else if (totals.untraced == 0 && !part && totals.target_cpu_ns > 100000000u &&
             (double)totals.cpu_ns < 0.9 * (double)totals.target_cpu_ns)
        fprintf(out,
                "# note: samples stand for %.0f %% of the CPU time that the target used; the rest it used between "
                "them, and no interval includes it\n",
                per_cent(totals.cpu_ns, totals.target_cpu_ns));
    else if (!part && !totals.wall && totals.elapsed_ns > 0 && totals.target_cpu_ns > 0 &&
             (double)totals.target_cpu_ns < IDLE_SHARE * (double)totals.elapsed_ns)
        fprintf(out, "# note: the target used %.1f %% of one CPU; -w shows where it waits\n",
                per_cent(totals.target_cpu_ns, totals.elapsed_ns));
    if (totals.untraced > 0)
        fprintf(out,
                "# note: %" PRIu32 " thread%s could not be traced: their time is missing, and so are "
                "their children\n",
                totals.untraced, plural(totals.untraced));
}

static void report_print_rows(FILE *out, const pprofil_report *report, const struct report_view *view, bool wall)
{
    bool totals = pprofil_report_has_totals(report);
    struct report_layout layout;
    struct report_texts texts;

    report_layout_make(&layout, report, view, report_columns_figures(view->by, totals));
    report_columns_text(out, NULL, view->by, totals, wall, &layout);
    fputc('\n', out);
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        report_scale_row(view, &row);
        report_layout_row(&layout, &row, &texts);
        fputs(view->colour ? output_colour_of_share(row.share) : "", out);
        report_columns_text(out, &row, view->by, totals, wall, &layout);
        fputs(view->colour ? OUTPUT_PLAIN "\n" : "\n", out);
    }
}

/* Prints what the holder of a lock did while others waited for the lock. */
static void report_print_holder(FILE *out, pprofil_profile *profile, const struct pprofil_row *row)
{
    struct pprofil_holder holder;

    if (row->share < HOLDER_SHARE_MIN || pprofil_profile_holder(profile, row->id, &holder, sizeof holder) != 0)
        return;
    fputs("# ", out);
    utf8_print_harmless(out, row->name);
    fprintf(out, ": meanwhile %" PRIu32 " ran %.0f %%", holder.tid, 100 * holder.running);
    if (holder.waiting >= HOLDER_SHARE_MIN)
        fprintf(out, ", waited for a CPU %.0f %%", 100 * holder.waiting);
    if (holder.waits_share >= HOLDER_SHARE_MIN) {
        fprintf(out, ", waited %.0f %% for ", 100 * holder.waits_share);
        utf8_print_harmless(out, holder.waits_for);
    }
    fputs("; most often in ", out);
    utf8_print_harmless(out, holder.stack);
    fputc('\n', out);
}

static void report_print_holders(FILE *out, pprofil_profile *profile, const pprofil_report *report)
{
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        report_print_holder(out, profile, &row);
    }
}

/* Prints what the holders of locks did meanwhile, and how to find out who waits. */
static void report_print_waits_foot(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                                    const struct report_view *view)
{
    report_print_holders(out, profile, report);
    if (view->group == NULL && pprofil_report_count(report) > 0)
        fprintf(out, "# who waits: --by wait,thread%s\n",
                pprofil_profile_has_stacks(profile) ? "; from where: pprofil report --tree --by wait,function" : "");
}

static void report_print_foot(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                              const struct report_view *view)
{
    uint64_t rest;
    uint32_t all = pprofil_report_all(report, &rest);
    uint32_t hidden = all - pprofil_report_count(report);
    const char *path, *why;
    double share;

    if (hidden > 0)
        fprintf(out, "# %" PRIu32 " more row%s, %.3f s; -n 0 shows all\n", hidden, plural(hidden), (double)rest / 1e9);
    for (unsigned i = 0; i < MISSING_SHOWN && view->by == PPROFIL_BY_FUNCTION && view->group == NULL &&
                         pprofil_profile_nameless(profile, i, &path, &why, &share) == 0 && share >= MISSING_SHARE_MIN;
         i++) {
        fputs("# ", out);
        utf8_print_harmless(out, path);
        fprintf(out, " (%.1f %%): %s\n", 100 * share, why);
    }
}

int report_print_text(FILE *out, pprofil_profile *profile, const pprofil_report *report, const struct report_view *view)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(profile, &totals, sizeof totals);
    if (view->group == NULL)
        report_print_head(out, profile, view->colour);
    else
        report_print_group_head(out, view);
    if (pprofil_report_count(report) > 0)
        report_print_rows(out, report, view, totals.wall);
    report_print_foot(out, profile, report, view);
    if (view->by == PPROFIL_BY_WAIT && totals.wall)
        report_print_waits_foot(out, profile, report, view);
    else if (view->by == PPROFIL_BY_WAIT)
        fputs("# what threads wait for is known of elapsed time only: pprofil -w\n", out);
    return 0;
}
