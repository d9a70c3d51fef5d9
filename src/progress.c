/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The progress line of a long attach: only on a terminal, never in the way of what follows.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

#define PERIOD_MS 500

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
    progress->next_ms = now_ms + PERIOD_MS;
    pprofil_profile_totals(pprofil_session_profile(session), &totals, sizeof totals);
    double stopped = totals.target_cpu_ns == 0
                         ? 0
                         : 100.0 * (double)totals.stopped_ns / (double)totals.target_cpu_ns;
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
