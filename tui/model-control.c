/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The actions that control the sampling: on and off, the rate, the kind of time, and the length of windows. */
#include "config.h"

#include "model-internal.h"

/* Returns true if an action comes too late, because all targets have ended or the supervisor has
 * died. Then a message shows the reason. */
static bool control_is_over(struct model *model)
{
    if (!model->now.ended && !model->now.dead)
        return false;
    model_answer(model, model->saved             ? "a saved profile does not change"
                        : model->now.dead        ? "the supervisor has died"
                        : model->now.status >= 0 ? "the program has ended"
                                                 : "all targets have ended");
    return true;
}

enum effect control_sample(struct model *model, int argument)
{
    (void)argument;
    return control_is_over(model) ? EFFECT_PAINT : EFFECT_SAMPLE;
}

/* Rates are 1, 2, 5, 10, ... Hz. Returns the next rate above `hz` if `up` is true, else the next rate below `hz`. */
static double control_next_rate(double hz, bool up)
{
    static const double steps[] = {1, 2, 5};
    double below = PPROFIL_MIN_HZ;

    for (double decade = 1; decade <= PPROFIL_MAX_HZ; decade *= 10)
        for (unsigned i = 0; i < 3; i++) {
            double rate = steps[i] * decade;
            if (rate >= hz && !up)
                return below;
            if (rate > hz)
                return rate < PPROFIL_MAX_HZ ? rate : PPROFIL_MAX_HZ;
            below = rate < PPROFIL_MAX_HZ ? rate : PPROFIL_MAX_HZ;
        }
    return below;
}

enum effect control_rate(struct model *model, int direction)
{
    bool up = direction > 0;
    double hz = control_next_rate(model->asked_hz, up);

    if (control_is_over(model))
        return EFFECT_PAINT;
    if (hz == model->asked_hz) {
        model_answer(model, "%g samples per CPU second are the %s", hz, up ? "most" : "fewest");
        return EFFECT_PAINT;
    }
    model->asked_hz = hz;
    return EFFECT_RATE;
}

enum effect control_wall(struct model *model, int argument)
{
    (void)argument;
    if (control_is_over(model))
        return EFFECT_PAINT;
    model->wall = !model->wall;
    return EFFECT_WALL;
}

enum effect control_window(struct model *model, int argument)
{
    static const double lengths[] = {0.5, 1, 2, 5, 10};
    unsigned next = 0;

    (void)argument;
    if (model->saved)
        return control_is_over(model) ? EFFECT_PAINT : EFFECT_NONE;
    while (next < 5 && lengths[next] <= model->window_seconds)
        next++;
    model->window_seconds = lengths[next % 5];
    model_answer(model, "windows of %g s", model->window_seconds);
    return EFFECT_WINDOW;
}
