/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What actions of the model want of the session and the terminal. */
#include "config.h"

#include <stdio.h>

#include "screen.h"
#include "signals.h"
#include "top-live.h"

static void tell_problem(struct top *top, int error)
{
    if (error != 0)
        model_say(top->model, top_now(), "%s", pprofil_session_problem(top->source.session));
}

/* What the library did not agree to is not so: the model says what is. */
static void ask_library(struct top *top, enum effect effect)
{
    struct model *model = top->model;
    pprofil_session *session = top->source.session;
    int error = effect == EFFECT_RATE ? pprofil_session_set_rate(session, model->asked_hz)
                                      : pprofil_session_set_wall(session, model->wall);

    tell_problem(top, error);
    if (error != 0) {
        model->asked_hz = top->agreed_hz;
        model->wall = top->agreed_wall;
    }
    top->agreed_hz = model->asked_hz;
    top->agreed_wall = model->wall;
}

/* The end may have come since the last snapshot, so that the model does not know yet. */
static bool is_too_late(struct top *top, enum effect effect)
{
    if (!top_is_over(top) ||
        (effect != EFFECT_SAMPLE && effect != EFFECT_RATE && effect != EFFECT_WALL))
        return false;
    top->model->asked_hz = top->agreed_hz;
    top->model->wall = top->agreed_wall;
    model_say(top->model, top_now(),
              top->source.dead ? "the supervisor has died" : "the program has ended");
    return true;
}

static void attach(struct top *top)
{
    struct top_request chosen = *top->request;
    pid_t pid = (pid_t)top->model->chosen_pid;
    pprofil_session *failed;
    char problem[512];

    chosen.pids = &pid;
    chosen.pid_count = 1;
    chosen.options.frequency = top->model->asked_hz;
    if (source_open(&top->source, &chosen, NULL, problem, sizeof problem) == 0) {
        top_begin_sampling(top);
        return;
    }
    source_finish(&top->source, &failed);
    pprofil_session_close(failed);
    model_say(top->model, top_now(), "%s", problem);
}

static void toggle_sampling(struct top *top)
{
    pprofil_session *session = top->source.session;
    bool sampling = pprofil_session_sampling(session);
    int error = sampling ? pprofil_session_stop(session) : pprofil_session_start(session);

    tell_problem(top, error);
    if (error == 0)
        model_say(top->model, top_now(), sampling ? "sampling is stopped" : "sampling goes on");
}

static void top_effects_clear(struct top *top)
{
    int error = pprofil_session_clear(top->source.session);

    tell_problem(top, error);
    if (error != 0)
        return;
    model_cleared(top->model);
    model_say(top->model, top_now(), "all counts are cleared");
    top_take_snapshot(top, false);
}

/* The target runs on meanwhile, and is sampled. */
void top_suspend(struct top *top)
{
    screen_suspend();
    signals_stop();
    screen_resume();
    top->redraw = top->repaint = true;
}

void top_obey(struct top *top, enum effect effect)
{
    bool profiling = top->source.session != NULL;

    top->repaint = top->repaint || effect != EFFECT_NONE;
    if (effect == EFFECT_QUIT)
        top->quit = true;
    else if (effect == EFFECT_REDRAW)
        top->redraw = true;
    else if (effect == EFFECT_SUSPEND)
        top_suspend(top);
    else if (effect == EFFECT_ATTACH && !profiling)
        attach(top);
    if (!profiling || top->source.session == NULL || is_too_late(top, effect))
        return;
    switch (effect) {
    case EFFECT_SNAPSHOT:
        top_take_snapshot(top, false);
        break;
    case EFFECT_CLEAR:
        top_effects_clear(top);
        break;
    case EFFECT_SAMPLE:
        toggle_sampling(top);
        top_take_snapshot(top, false);
        break;
    case EFFECT_RATE:
        ask_library(top, effect);
        break;
    case EFFECT_WALL:
        ask_library(top, effect);
        top_take_snapshot(top, false);
        break;
    case EFFECT_WINDOW:
        if (top->window_at == 0) /* after the end: the last window stays */
            break;
        top->window_at = top_now() + (uint64_t)(top->model->window_seconds * 1e9);
        top->names_at = top->window_at - top_names_lead(top->model);
        break;
    case EFFECT_SAVE:
        top_save(top->model, top->source.session);
        break;
    default:
        break;
    }
}
