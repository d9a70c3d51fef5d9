/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The output of a run: the progress line of an attached run, early saves of the output file, and
 * the file or the report at the end.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "output-stream.h"
#include "run.h"

#define CHECKPOINT_MS 10000
#define PROGRESS_MS 500
#define SAMPLES_ENOUGH 2400u /* 1.96 * sqrt(0.25 / 2400) is 0.02 */

/* --- the progress line: only on a terminal ------------------------------------------------ */

void progress_init(struct progress *progress, bool quiet)
{
    const char *term = getenv("TERM");

    *progress = (struct progress){
        .shown = !quiet && isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0};
}

void progress_show(struct progress *progress, pprofil_session *session, int64_t now_ms)
{
    struct pprofil_totals totals;

    if (!progress->shown || now_ms < progress->next_ms)
        return;
    progress->next_ms = now_ms + PROGRESS_MS;
    pprofil_profile_totals(pprofil_session_profile(session), &totals, sizeof totals);
    double stopped = totals.target_cpu_ns == 0 ? 0 : 100.0 * (double)totals.stopped_ns / (double)totals.target_cpu_ns;
    dprintf(STDERR_FILENO,
            "\r\033[K%.0f s  %" PRIu64 " samples  %" PRIu32 " threads  %.0f Hz  stopped %.2f %%"
            "  (Ctrl-C ends and prints)",
            (double)totals.elapsed_ns / 1e9, totals.samples, totals.threads_alive,
            pprofil_session_rate(session), stopped);
    progress->on_screen = true;
}

void progress_clear(struct progress *progress)
{
    if (progress->on_screen)
        dprintf(STDERR_FILENO, "\r\033[K");
    progress->on_screen = false;
}

/* --- while the run goes on ----------------------------------------------------------------- */

/* Returns true if the output can be written a second time. A pipe cannot be written to again. */
static bool run_output_is_replaceable(const char *path)
{
    static const char *const descriptors[] = {"/dev/fd/", "/dev/std", "/proc/"};
    struct stat status;

    if (path == NULL || strcmp(path, "-") == 0)
        return false;
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (strncmp(path, descriptors[i], strlen(descriptors[i])) == 0)
            return false;
    return stat(path, &status) < 0 || S_ISREG(status.st_mode);
}

/* If there is a dialect but no -o, the dialect determines the name of the output file. Such a file
 * can be written again. */
bool run_may_save_early(const struct run_request *asked)
{
    return run_output_is_replaceable(asked->output) || (asked->dialect.dialect != NULL && asked->output == NULL);
}

/* Saves without names, because a lookup of names may take long while the sampling goes on. */
int run_save_so_far(void *context)
{
    const struct run *run = context;
    const struct pprofil_file file = {.size = sizeof file, .format = run->asked.format};

    if (run->asked.dialect.dialect != NULL)
        return pprofil_session_save_dialect(run->session, run->asked.output, run->asked.format, NULL, NULL);
    return pprofil_profile_save(pprofil_session_profile(run->session), run->asked.output, &file, false);
}

void run_checkpoint_later(struct run *run)
{
    run->checkpoint_ms = time_now_ms() + CHECKPOINT_MS;
}

void run_checkpoint_when_due(struct run *run)
{
    if (!run_may_save_early(&run->asked) || time_now_ms() < run->checkpoint_ms)
        return;
    run_save_so_far(run);
    run_checkpoint_later(run);
}

/* --- at the end of the run ----------------------------------------------------------------- */

static void run_print_verbose(pprofil_profile *profile)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(profile, &totals, sizeof totals);
    double elapsed = totals.elapsed_ns == 0 ? 1 : (double)totals.elapsed_ns;
    fprintf(stderr,
            "# the supervisor used %.3f s of CPU time, %.2f %% of a core; "
            "%.1f us stopped for each sample; "
            "%u processes and %u threads alive at the end\n",
            (double)totals.supervisor_cpu_ns / 1e9, 100 * (double)totals.supervisor_cpu_ns / elapsed,
            totals.samples == 0 ? 0 : (double)totals.stopped_ns / 1e3 / (double)totals.samples, totals.processes_alive,
            totals.threads_alive);
}

static void run_tell_histogram(void *context, const char *path, const struct pprofil_histogram_state *state)
{
    const struct run *run = context;

    if (run->asked.quiet)
        return;
    fprintf(stderr, "pprofil: %s: %" PRIu64 " tick%s of %s (%d)", path, state->ticks, state->ticks == 1 ? "" : "s",
            state->program, state->pid);
    if (state->outside > 0)
        fprintf(stderr, ", %" PRIu64 " outside the text", state->outside);
    if (state->overflows > 0)
        fprintf(stderr, ", %" PRIu64 " found their counter full", state->overflows);
    fprintf(stderr, state->on ? "\n" : "; the counting had ended by the rules of %s\n", run->asked.dialect.dialect);
    if (state->cut > 0)
        fprintf(stderr,
                "pprofil: %s: %" PRIu64 " %s less than was counted, because the format has 16 bits for each; "
                "-f gmon holds all\n",
                path, state->cut, state->cut == 1 ? "counter holds" : "counters hold");
}

static int run_deliver_histograms(struct run *run)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(pprofil_session_profile(run->session), &totals, sizeof totals);
    if (totals.lost > 0)
        complain("%" PRIu64 " events were lost: the counts are too low", totals.lost);
    int error = pprofil_session_save_dialect(run->session, run->asked.output, run->asked.format,
                                             run_tell_histogram, run);
    if (error == 0)
        return 0;
    complain("%s", pprofil_session_problem(run->session));
    /* not a failure of pprofil, because a program may end before its first sample */
    return error == PPROFIL_ERROR_NO_SAMPLES ? 0 : EXIT_OWN_FAILURE;
}

/* Saves a profile without names, because it may take long to look them up. An error is ignored, because the later save
 * has the same error and reports it. */
static void run_save_without_names(const struct run *run, pprofil_profile *profile, const char *path,
                                   const struct pprofil_file *file)
{
    if (run->asked.symbolize && run_output_is_replaceable(path))
        pprofil_profile_save(profile, path, file, false);
}

static void run_look_names_up(const struct run *run, pprofil_profile *profile, const char *path,
                              const struct pprofil_file *file)
{
    if (run->asked.symbolize)
        pprofil_profile_symbolize(profile, path, file);
}

/* Prints a command that can be copied into a shell. A name with other characters than these needs quotes. */
static void run_tell_command(const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:@%,";
    const char *quote = path[strspn(path, plain)] == '\0' ? "" : "'";

    fprintf(stderr, "pprofil: profile saved; look at it with: pprofil report %s", quote);
    for (; *path != '\0'; path++)
        if (*path == '\'')
            fputs("'\\''", stderr);
        else
            fputc(*path, stderr);
    fprintf(stderr, "%s\n", quote);
}

/* Says how many samples a file has, if they are so few that shares are not known to 2 percent, and why. */
static void run_tell_samples(const pprofil_profile *profile)
{
    struct pprofil_totals totals;
    char why[128] = "";

    pprofil_profile_totals(profile, &totals, sizeof totals);
    if (totals.running >= SAMPLES_ENOUGH || pprofil_totals_limit(&totals, true, why, sizeof why) == 0)
        return;
    complain("few samples (%" PRIu64 " of running threads; %.0f Hz were asked for): %s", totals.running,
             totals.asked_hz, why);
}

static bool run_output_is_readable(const struct run_request *asked)
{
    const char *name = asked->format != NULL ? asked->format : pprofil_format_for(asked->output);
    struct pprofil_format format;

    return output_format_find(name, &format) && format.readable;
}

static void run_tell_saved(const struct run *run, const pprofil_profile *profile)
{
    if (run_output_is_readable(&run->asked))
        run_tell_command(run->asked.output);
    else
        fprintf(stderr, "pprofil: saved %s\n", run->asked.output);
    if (run->asked.periods.every == 0) /* otherwise these are only the samples of the last period */
        run_tell_samples(profile);
}

int run_save_to(const struct run *run, pprofil_profile *profile, const char *path)
{
    const struct pprofil_file file = {.size = sizeof file, .format = run->asked.format};

    run_save_without_names(run, profile, path, &file);
    run_look_names_up(run, profile, path, &file);
    int error = pprofil_profile_save(profile, path, &file, run->asked.symbolize);
    return error == 0 ? 0 : complain_saving(profile, path, &file, error);
}

/* The profile could not be saved in the format that was asked for. If only the format is to blame, saves it as pprof,
 * so that the run was not in vain. Returns EXIT_OWN_FAILURE. */
static int run_save_instead(const struct run *run, pprofil_profile *profile, const struct pprofil_file *asked,
                            int error)
{
    const struct pprofil_file file = {.size = sizeof file, .format = "pprof"};
    char path[PATH_MAX];
    int status = complain_saving(profile, run->asked.output, asked, error);

    if ((error != PPROFIL_ERROR_NO_RANKS && error != PPROFIL_ERROR_SEVERAL_JOBS) ||
        snprintf(path, sizeof path, "%s.pb.gz", run->asked.output) >= (int)sizeof path)
        return status;
    error = pprofil_profile_save(profile, path, &file, run->asked.symbolize);
    if (error != 0)
        return complain_saving(profile, path, &file, error);
    complain("the profile is saved in %s", path);
    return status;
}

static int run_save(const struct run *run, pprofil_profile *profile)
{
    const struct pprofil_file file = {.size = sizeof file, .format = run->asked.format};

    /* Slurm and users may send a signal again and again. It must not end pprofil before there is a file */
    forward_catch(&run->forward, true);
    run_save_without_names(run, profile, run->asked.output, &file);
    forward_catch(&run->forward, false);
    run_look_names_up(run, profile, run->asked.output, &file);
    /* from here on, a signal must not end pprofil and leave a half-written file */
    forward_catch(&run->forward, true);
    int error = pprofil_profile_save(profile, run->asked.output, &file, run->asked.symbolize);
    if (error != 0)
        return run_save_instead(run, profile, &file, error);
    if (!run->asked.quiet)
        run_tell_saved(run, profile);
    return 0;
}

FILE *run_open_report(const struct run_request *asked, struct report_view *view)
{
    FILE *out = fdopen(dup(asked->program != NULL ? STDERR_FILENO : STDOUT_FILENO), "w");

    if (out == NULL) {
        complain("cannot print the report: %s", strerror(errno));
        return NULL;
    }
    view->colour = output_wants_colour(out);
    view->columns = output_columns(out);
    return out;
}

static int run_print_report(struct run *run, pprofil_profile *profile)
{
    if (run->asked.quiet)
        return 0;
    FILE *out = run_open_report(&run->asked, &run->asked.view);
    if (out == NULL)
        return EXIT_OWN_FAILURE;
    forward_catch(&run->forward, false);
    int error = report_print(out, profile, &run->asked.view);
    if (fclose(out) != 0 && error == 0)
        error = -errno;
    if (error == 0 && run->asked.verbose && run->asked.view.format == REPORT_TEXT)
        run_print_verbose(profile);
    if (error == 0 && run->asked.view.format == REPORT_TEXT)
        lsan_note_print(&run->lsan_note, stderr, "# note: ");
    return error == 0 ? 0 : complain("cannot print the report: %s", pprofil_error_text(error));
}

/* Closes the session, and then saves or prints the profile. A signal may end pprofil during the lookup of names, and
 * must not leave a process or file of the session behind. So the session is closed before the lookup. */
static int run_deliver_profile(struct run *run)
{
    pprofil_profile *profile = pprofil_session_take_profile(run->session);

    pprofil_session_close(run->session);
    run->session = NULL;
    int status = run->asked.output != NULL ? run_save(run, profile) : run_print_report(run, profile);
    if (run->asked.output != NULL && !run->asked.quiet)
        lsan_note_print(&run->lsan_note, stderr, "pprofil: ");
    if (status == 0)
        run_job_tell(run);
    pprofil_profile_close(profile);
    return status;
}

/* Prints the figures of pprofil stat. The session is closed first, as it is for a report. */
static int run_deliver_stat(struct run *run)
{
    struct pprofil_usage *usages;
    uint32_t count;
    int error = pprofil_session_usage(run->session, &usages, &count);

    if (error != 0)
        return complain("cannot print the figures: %s", pprofil_error_text(error));
    pprofil_profile *profile = pprofil_session_take_profile(run->session);
    pprofil_session_close(run->session);
    run->session = NULL;
    forward_catch(&run->forward, false);
    int status = run->asked.quiet ? 0 : stat_deliver(&run->asked, profile, usages, count);
    if (!run->asked.quiet && run->asked.view.format == REPORT_TEXT)
        lsan_note_print(&run->lsan_note, stderr, "# note: ");
    pprofil_profile_close(profile);
    free(usages);
    return status;
}

int run_deliver(struct run *run)
{
    if (*pprofil_session_notice(run->session) != '\0' && !run->asked.quiet)
        complain("%s", pprofil_session_notice(run->session));
    if (run->asked.stat != NULL)
        return run_deliver_stat(run);
    return run->asked.dialect.dialect != NULL ? run_deliver_histograms(run) : run_deliver_profile(run);
}
