/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handles the session of the live view: begins sampling, takes snapshots, and carries out the effects of actions. The
 * functions for the beginning and the end also serve the batch mode.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "screen.h"
#include "signals.h"
#include "top-state.h"

#define MILLISECOND 1000000ull /* ns */
#define FIRST_NAMES_NS (100 * MILLISECOND)
#define FIRST_WINDOW_NS (300 * MILLISECOND)
#define LEAD_NS_MAX 100e6
#define CANDIDATES_NS (1000 * MILLISECOND)
/* After all targets have ended, only snapshots bring the names that are still being looked up. For ASK_OFTEN_NS after
 * top.key_at (last key, or end of the last window), one is taken every TOP_ASK_NS, and later every ASK_SELDOM_NS. */
#define ASK_OFTEN_NS (2000 * MILLISECOND)
#define ASK_SELDOM_NS (1000 * MILLISECOND)
/* After all targets have ended, snapshots are taken for at least this time after top.key_at, even if no names are
 * missing, because the library does not announce that it has found a function's definition. */
#define ASK_NS_MAX (30000 * MILLISECOND)
#define DEFAULT_HZ 1000.0
#define PROGRAM_ROWS 24
#define PROGRAM_COLUMNS 80

/* --- what the live view and the batch mode share ------------------------------------------ */

uint64_t top_names_lead(const struct model *model)
{
    double lead = model->window_seconds / 4 * 1e9;

    return lead < LEAD_NS_MAX ? (uint64_t)lead : (uint64_t)LEAD_NS_MAX;
}

static void top_set_up_saved(struct model *model, const struct top_request *request)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(request->profile, &totals, sizeof totals);
    model->saved = true;
    model->wall = totals.wall;
    model->stacks = pprofil_profile_has_stacks(request->profile);
    model->own_targets = false;
    snprintf(model->targets, sizeof model->targets, "%s", request->path);
    if (request->old == NULL)
        return;
    model->compares = model->calls.by_change = true;
    model->sort = TABLE_BY_CHANGE;
    model->stacks = model->stacks || pprofil_profile_has_stacks(request->old);
    model->paths[0] = request->old_path;
    model->paths[1] = request->path;
    model->commands[0] = pprofil_profile_command(request->old);
    model->commands[1] = pprofil_profile_command(request->profile);
}

void top_set_up_model(struct model *model, const struct top_request *request)
{
    model->asked_hz = request->options.frequency != 0 ? request->options.frequency : DEFAULT_HZ;
    model->wall = request->options.flags & PPROFIL_WALL;
    model->stacks = request->options.flags & PPROFIL_CALL_GRAPH;
    if (request->profile != NULL)
        top_set_up_saved(model, request);
    if (request->window_seconds > 0)
        model->window_seconds = request->window_seconds;
}

/* Sets the command if top starts a program, or shows a saved profile. For attached processes, the first snapshot has
 * the command, which is a better title than "-p PID". */
void top_describe(struct model *model, const struct top_request *request, const char *command)
{
    if (request->program != NULL || request->profile != NULL)
        snprintf(model->command, sizeof model->command, "%s", command);
}

void top_finish(struct source *source, struct top_result *result)
{
    int error = source_finish(source, &result->session);

    if (error != 0 && result->problem[0] == '\0')
        snprintf(result->problem, sizeof result->problem, "%s", pprofil_session_problem(result->session));
    result->status = source->status;
}

/* --- beginning ------------------------------------------------------------------------- */

static int top_begin_program(struct top *top)
{
    int program;
    int error = output_open(&top->output, PROGRAM_ROWS, PROGRAM_COLUMNS, &program);

    if (error != 0) {
        snprintf(top->result->problem, sizeof top->result->problem,
                 "no pseudo-terminal for the program: %s", strerror(-error));
        return error;
    }
    error = source_open_program(&top->source, top->request, program, top->result);
    close(program);
    top->model->has_output = true;
    return error;
}

void top_begin_sampling(struct top *top)
{
    top_describe(top->model, top->request, pprofil_profile_command(top->source.profile));
    top->model->page = PAGE_TABLE;
    top->agreed_hz = top->model->asked_hz;
    top->agreed_wall = top->model->wall;
    top->names_at = time_now() + FIRST_NAMES_NS;
    top->window_at = time_now() + (top->source.saved ? 0 : FIRST_WINDOW_NS);
    if (top->source.warning[0] != '\0')
        model_say(top->model, time_now(), "%s", top->source.warning);
    top->repaint = true;
}

int top_begin(struct top *top)
{
    const struct top_request *request = top->request;
    int error = 0;

    if (request->program != NULL)
        error = top_begin_program(top);
    else if (request->profile != NULL)
        error = source_open_saved(&top->source, request, top->result->problem, sizeof top->result->problem);
    else if (request->pid_count > 0)
        error = source_open(&top->source, request, NULL, top->result->problem, sizeof top->result->problem);
    else
        top->model->page = PAGE_PICKER;
    if (error == 0 && source_is_open(&top->source))
        top_begin_sampling(top);
    return error;
}

/* --- snapshots ------------------------------------------------------------------------- */

void top_take_candidates(struct top *top)
{
    struct pprofil_candidate *candidates;
    uint32_t count;

    top->candidates_at = time_now() + CANDIDATES_NS;
    int error = pprofil_candidates(&candidates, &count);
    if (error == 0)
        model_take_candidates(top->model, candidates, count, time_now());
    else
        model_say(top->model, time_now(), "cannot list the processes: %s", strerror(-error));
    top->repaint = true;
}

bool top_is_over(const struct top *top)
{
    return top->source.ended || top->source.dead;
}

static bool snapshot_lacks_names(const struct snapshot *snapshot)
{
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        for (uint32_t i = 0; i < snapshot->by[by].count; i++)
            if (snapshot->by[by].rows[i].pending)
                return true;
    return snapshot->pending > 0;
}

/* Returns the time of the next snapshot that does not end a window, or 0 for none. After the last window, rows that
 * come onto the screen get their names only by these snapshots. */
static uint64_t top_next_ask(const struct top *top, const struct snapshot *snapshot)
{
    uint64_t now = time_now(), idle = now - top->key_at;
    bool unknown_status = top->source.child > 0 && top->source.status < 0;

    if (snapshot->code_state == -EAGAIN)
        return now + TOP_ASK_NS;
    if (!top_is_over(top) || top->source.diff != NULL)
        return 0;
    if (idle < ASK_OFTEN_NS)
        return now + TOP_ASK_NS;
    bool more = idle < ASK_NS_MAX || unknown_status || snapshot_lacks_names(snapshot);
    return more ? now + ASK_SELDOM_NS : 0;
}

void top_take_snapshot(struct top *top, bool due)
{
    struct snapshot_wants wants;
    struct snapshot snapshot;

    model_wants(top->model, &wants);
    if (source_take(&top->source, &wants, &snapshot) != 0)
        return; /* out of memory: the screen does not change */
    top->ask_at = top_next_ask(top, &snapshot);
    model_take(top->model, &snapshot, due);
    if (top->ask_at == 0 && !top_is_over(top) && model_awaits_names(top->model))
        top->ask_at = time_now() + TOP_ASK_NS;
    if (top->source.dead && !top->told_dead) { /* the message is shown once; the header shows the state later, too */
        model_say(top->model, time_now(), "the supervisor has died; the target runs on");
        top->told_dead = true;
    }
    top->repaint = true;
}

void top_end_window(struct top *top)
{
    uint64_t window = (uint64_t)(top->model->window_seconds * 1e9);

    top_take_snapshot(top, true);
    uint64_t now = time_now();
    top->window_at += window;
    /* window_at is in the past after a suspension, or if the window was made shorter */
    if (top->window_at <= now)
        top->window_at = now + window;
    top->names_at = top->window_at - top_names_lead(top->model);
}

/* --- the effects of actions -------------------------------------------------------------- */

static void top_tell_problem(struct top *top, int error)
{
    if (error != 0)
        model_say(top->model, time_now(), "%s", pprofil_session_problem(top->source.session));
}

/* Asks the library for another rate or kind of time. If the library refuses, the model gets back
 * the values in force. */
static void top_ask_library(struct top *top, enum effect effect)
{
    struct model *model = top->model;
    pprofil_session *session = top->source.session;
    int error = effect == EFFECT_RATE ? pprofil_session_set_rate(session, model->asked_hz)
                                      : pprofil_session_set_wall(session, model->wall);

    top_tell_problem(top, error);
    if (error != 0) {
        model->asked_hz = top->agreed_hz;
        model->wall = top->agreed_wall;
    }
    top->agreed_hz = model->asked_hz;
    top->agreed_wall = model->wall;
}

/* If an effect comes after the end of the targets, shows a message and returns true. The model cannot check this,
 * because it does not know whether the targets have ended since the last snapshot. */
static bool top_is_too_late(struct top *top, enum effect effect)
{
    bool saved = top->source.saved && effect == EFFECT_CLEAR;

    if (!saved &&
        (!top_is_over(top) || (effect != EFFECT_SAMPLE && effect != EFFECT_RATE && effect != EFFECT_WALL)))
        return false;
    top->model->asked_hz = top->agreed_hz;
    top->model->wall = top->agreed_wall;
    if (top->source.saved) {
        model_say(top->model, time_now(), "a saved profile does not change");
        return true;
    }
    model_say(top->model, time_now(), top->source.dead ? "the supervisor has died" : "the program has ended");
    return true;
}

static void top_attach(struct top *top)
{
    struct top_request chosen = *top->request;
    pprofil_session *failed;
    char problem[512];

    chosen.pids = top->model->attach_pids;
    chosen.pid_count = top->model->attach_count;
    chosen.options.frequency = top->model->asked_hz;
    if (source_open(&top->source, &chosen, NULL, problem, sizeof problem) == 0) {
        top_begin_sampling(top);
        return;
    }
    source_finish(&top->source, &failed);
    pprofil_session_close(failed);
    model_say(top->model, time_now(), "%s", problem);
}

static void top_toggle_sampling(struct top *top)
{
    pprofil_session *session = top->source.session;
    bool sampling = pprofil_session_sampling(session);
    int error = sampling ? pprofil_session_stop(session) : pprofil_session_start(session);

    top_tell_problem(top, error);
    if (error == 0)
        model_say(top->model, time_now(), sampling ? "sampling is stopped" : "sampling goes on");
}

static void top_clear_counts(struct top *top)
{
    int error = pprofil_session_clear(top->source.session);

    top_tell_problem(top, error);
    if (error != 0)
        return;
    model_cleared(top->model);
    model_say(top->model, time_now(), "all counts are cleared");
    top_take_snapshot(top, false);
}

/* Stops pprofil until the shell continues it. Meanwhile the target runs on, and is sampled. */
void top_suspend(struct top *top)
{
    screen_suspend();
    signals_stop();
    screen_resume();
    top->redraw = top->repaint = true;
}

void top_obey(struct top *top, enum effect effect)
{
    bool profiling = source_is_open(&top->source);

    top->repaint = top->repaint || effect != EFFECT_NONE;
    if (effect == EFFECT_QUIT)
        top->quit = true;
    else if (effect == EFFECT_REDRAW)
        top->redraw = true;
    else if (effect == EFFECT_SUSPEND)
        top_suspend(top);
    else if (effect == EFFECT_ATTACH && !profiling)
        top_attach(top);
    if (!profiling || top_is_too_late(top, effect))
        return;
    switch (effect) {
    case EFFECT_SNAPSHOT:
        top_take_snapshot(top, false);
        break;
    case EFFECT_CLEAR:
        top_clear_counts(top);
        break;
    case EFFECT_SAMPLE:
        top_toggle_sampling(top);
        top_take_snapshot(top, false);
        break;
    case EFFECT_RATE:
        top_ask_library(top, effect);
        break;
    case EFFECT_WALL:
        top_ask_library(top, effect);
        top_take_snapshot(top, false);
        break;
    case EFFECT_WINDOW:
        if (top->window_at == 0) /* the last window has ended, so there is no window whose length can change */
            break;
        top->window_at = time_now() + (uint64_t)(top->model->window_seconds * 1e9);
        top->names_at = top->window_at - top_names_lead(top->model);
        break;
    case EFFECT_SAVE:
        top_save(top->model, top->source.profile);
        break;
    default:
        break;
    }
}
