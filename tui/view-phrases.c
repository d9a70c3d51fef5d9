/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the texts about the targets and the sampling that screens and batch frames show. */
#include "config.h"

#include "view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define STATE_SHARE_MIN 0.005 /* states with a smaller share are left out */

static void phrase_signal(int number, char *text, size_t size)
{
    const char *name = NULL;

#ifdef HAVE_SIGABBREV_NP
    name = sigabbrev_np(number);
#endif
    if (name != NULL)
        snprintf(text, size, "SIG%s", name);
    else
        snprintf(text, size, "signal %d", number);
}

void phrase_status(int status, bool brief, char *text, size_t size)
{
    char name[32];

    if (WIFSIGNALED(status)) {
        phrase_signal(WTERMSIG(status), name, sizeof name);
        snprintf(text, size, "%s%s", brief ? "" : "killed by ", name);
    } else {
        snprintf(text, size, "exited %d", WEXITSTATUS(status));
    }
}

void phrase_end(const struct snapshot *snapshot, char *text, size_t size)
{
    char status[64];

    if (snapshot->status < 0) {
        snprintf(text, size, "all targets have ended");
        return;
    }
    phrase_status(snapshot->status, false, status, sizeof status);
    if (WIFEXITED(snapshot->status))
        snprintf(status, sizeof status, "exit status %d", WEXITSTATUS(snapshot->status));
    snprintf(text, size, "program ended: %s", status);
}

void phrase_outcome(const struct snapshot *now, bool brief, char *text, size_t size)
{
    if (now->ended || !brief)
        phrase_end(now, text, size);
    else
        phrase_status(now->status, true, text, size);
    size_t used = strlen(text);
    if (!now->ended && now->alive > 0)
        snprintf(text + used, size - used, ", %" PRIu32 " %s on", now->alive,
                 now->alive == 1 ? "process goes" : "processes go");
}

static int phrase_sleeping(const struct model *model, char *text, size_t size)
{
    const char *call = model->blocked_in == NULL ? "" : model->blocked_in;

    if (call[0] == '\0' || model->blocked_in_count == 0)
        return snprintf(text, size, "%" PRIu32 " asleep", model->sleeping);
    if (model->blocked_in_count == model->sleeping)
        return snprintf(text, size, "%" PRIu32 " asleep in %s", model->sleeping, call);
    return snprintf(text, size, "%" PRIu32 " asleep (%" PRIu32 " in %s)", model->sleeping,
                    model->blocked_in_count, call);
}

void phrase_threads(const struct model *model, int brief, char *text, size_t size)
{
    uint32_t alive = model->now.totals.threads_alive;
    char all[48] = "", sleeping[96], uninterruptible[48] = "";

    if (brief >= 2) {
        snprintf(text, size, "%" PRIu32 " run, %" PRIu32 " asleep", model->running, model->sleeping);
        return;
    }
    if (brief == 0)
        snprintf(all, sizeof all, "%" PRIu32 " thread%s: ", alive, alive == 1 ? "" : "s");
    phrase_sleeping(model, sleeping, sizeof sleeping);
    if (brief == 0 || model->uninterruptible > 0)
        snprintf(uninterruptible, sizeof uninterruptible, ", %" PRIu32 " uninterruptible", model->uninterruptible);
    snprintf(text, size, "%s%" PRIu32 " running, %s%s", all, model->running, sleeping, uninterruptible);
}

static void phrase_no_samples(const struct model *model, char *text, size_t size)
{
    bool all_sleep = model->running == 0 && model->sleeping + model->uninterruptible > 0;

    if (model->now.ended)
        snprintf(text, size, "no samples: it ended before it had used enough CPU time for one");
    else if (all_sleep && !model->now.totals.wall)
        snprintf(text, size, "all threads sleep; %s shows where", paint_key(KEY_IN_TABLE, ACTION_WALL, 0));
    else
        snprintf(text, size, "no samples yet: nothing has used CPU time");
}

void phrase_empty(const struct model *model, char *text, size_t size)
{
    const struct model_filter *filter = model->filter_count > 0 ? &model->filters[model->filter_count - 1] : NULL;

    if (model->paused && !model_table(model)->taken)
        snprintf(text, size, "the display is paused: %s goes on", paint_key(KEY_IN_TABLE, ACTION_PAUSE, 0));
    else if (!model->have_snapshot || !model_table(model)->taken)
        snprintf(text, size, "waiting for the first window");
    else if (!model->now.sampling && !model->now.ended)
        snprintf(text, size, "sampling is stopped: %s starts it", paint_key(KEY_IN_TABLE, ACTION_SAMPLE, 0));
    else if (filter != NULL)
        snprintf(text, size, "nothing was counted in %s yet; %s leaves it", filter->label,
                 paint_key(KEY_IN_TABLE, ACTION_BACK, 0));
    else if (model->now.totals.samples == 0)
        phrase_no_samples(model, text, size);
    else if (model->now.pending > 0)
        snprintf(text, size, "names are being looked up (%" PRIu32 " left)", model->now.pending);
    else
        snprintf(text, size, "nothing to show here yet");
}

void phrase_calls(const struct model *model, char *text, size_t size)
{
    if (!model->stacks)
        snprintf(text, size, "no stacks are taken: start with -g to see who calls");
    else if (!model->calls.taken)
        snprintf(text, size, "waiting for the first stacks");
    else if (model->calls.all_ns > 0 && model->calls.kind != PPROFIL_TREE_CALLS)
        snprintf(text, size, "%s is on no stack here", model->calls_name);
    else
        snprintf(text, size, "no stacks yet: nothing has run");
}

const char *phrase_view(int view, bool brief)
{
    static const char *const names[KEYS_TIMELINE + 1][2] = {
        [PPROFIL_BY_FUNCTION] = {"functions", "func"}, [PPROFIL_BY_OBJECT] = {"objects", "obj"},
        [PPROFIL_BY_LINE] = {"lines", "line"},         [PPROFIL_BY_THREAD] = {"threads", "thr"},
        [PPROFIL_BY_PROCESS] = {"processes", "proc"},  [PPROFIL_BY_SYSCALL] = {"syscalls", "sysc"},
        [PPROFIL_BY_STATE] = {"states", "stat"},       [PPROFIL_BY_WAIT] = {"waits", "wait"},
        [KEYS_CALLS] = {"calls", "calls"},             [KEYS_FLAME] = {"flame", "flame"},
        [KEYS_TIMELINE] = {"time", "time"},
    };

    return names[view][brief];
}

void phrase_limit(const struct snapshot *now, char *text, size_t size)
{
    const struct pprofil_totals *totals = &now->totals;

    text[0] = '\0';
    if (now->limited)
        snprintf(text, size, "%.0f us a sample%s", (double)totals->sample_cost_ns / 1e3,
                 totals->full_ns > totals->elapsed_ns / 2 ? ", CPUs full" : "");
}

void phrase_states(const struct model *model, char *text, size_t size)
{
    const struct table *table = &model->tables[PPROFIL_BY_STATE];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; model->now.totals.wall && i < table->count && used < size; i++) {
        const struct table_row *row = &table->rows[i];
        if (row->smooth_share >= STATE_SHARE_MIN)
            used += (size_t)snprintf(text + used, size - used, "%s%.0f %% %s", used > 0 ? ", " : "",
                                     100 * row->smooth_share, row->total.name);
    }
}
