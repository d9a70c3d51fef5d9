/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The actions of the model, one function for each. keys.c defines which action a key has on each page. model_act may be
 * called with any action on any page. An action that makes no sense on the present page does nothing.
 */
#include "config.h"

#include <limits.h>

#include "model-internal.h"

#define SIDEWAYS_COLUMNS 8

typedef enum effect act_function(struct model *model, int argument);

/* --- moving ------------------------------------------------------------------------------- */

static enum effect act_move_help(struct model *model, int64_t lines)
{
    int64_t top = (int64_t)model->help_top + lines, last = model->help_last;

    model->help_top = (uint32_t)(top < 0 ? 0 : top > last ? last : top);
    return EFFECT_PAINT;
}

static enum effect act_move(struct model *model, int64_t lines)
{
    if (model->help)
        return act_move_help(model, lines);
    if (model->page == PAGE_FLAME)
        return flame_move(model, (int)lines);
    list_move(model, lines);
    return EFFECT_PAINT;
}

static enum effect act_scroll(struct model *model, int64_t lines)
{
    if (model->help)
        return act_move_help(model, lines);
    if (model->page == PAGE_FLAME)
        return flame_move(model, (int)lines);
    list_scroll(model, lines);
    return EFFECT_PAINT;
}

static enum effect act_up(struct model *model, int argument)
{
    return argument > 0 ? act_scroll(model, -argument) : act_move(model, -1);
}

static enum effect act_down(struct model *model, int argument)
{
    return argument > 0 ? act_scroll(model, argument) : act_move(model, 1);
}

/* Returns the number of lines that a page key moves by: one less than the page shows. */
static int64_t lines_of_page(const struct model *model)
{
    uint32_t rows = model->help ? model->help_rows : model->page_rows;

    return rows > 1 ? (int64_t)rows - 1 : 1;
}

static int64_t lines_of_half_page(const struct model *model)
{
    uint32_t rows = model->help ? model->help_rows : model->page_rows;

    return rows > 1 ? rows / 2 : 1;
}

static enum effect act_page(struct model *model, int pages)
{
    return act_move(model, pages * lines_of_page(model));
}

static enum effect act_half_page(struct model *model, int pages)
{
    return act_move(model, pages * lines_of_half_page(model));
}

static enum effect act_first(struct model *model, int argument)
{
    (void)argument;
    if (model->help)
        return act_move_help(model, -(int64_t)model->help_top);
    if (model->page == PAGE_FLAME)
        return flame_move(model, INT_MIN);
    list_first(model);
    return EFFECT_PAINT;
}

static enum effect act_last(struct model *model, int argument)
{
    (void)argument;
    if (model->help)
        return act_move_help(model, model->help_last);
    if (model->page == PAGE_FLAME)
        return flame_move(model, INT_MAX);
    list_last(model);
    return EFFECT_PAINT;
}

/* direction: -1 or 1; columns: 0: the usual number */
static enum effect act_sideways(struct model *model, int direction, int columns)
{
    if (model->page == PAGE_TIMELINE)
        return timeline_sideways(model, columns > 0 ? direction * columns : direction);
    if (calls_is_page(model))
        return calls_sideways(model, direction);
    list_sideways(model, direction * SIDEWAYS_COLUMNS);
    return EFFECT_PAINT;
}

static enum effect act_left(struct model *model, int argument)
{
    return act_sideways(model, -1, argument);
}

static enum effect act_right(struct model *model, int argument)
{
    return act_sideways(model, 1, argument);
}

static enum effect act_mark(struct model *model, int argument)
{
    (void)argument;
    if (model->page == PAGE_PICKER)
        return marks_toggle(model);
    return model->page == PAGE_TIMELINE ? timeline_mark(model) : EFFECT_NONE;
}

static enum effect act_mark_children(struct model *model, int argument)
{
    (void)argument;
    return model->page == PAGE_PICKER ? marks_toggle_children(model) : EFFECT_NONE;
}

static enum effect act_mark_all(struct model *model, int argument)
{
    (void)argument;
    return model->page == PAGE_PICKER ? marks_toggle_all(model) : EFFECT_NONE;
}

/* --- other pages -------------------------------------------------------------------------- */

static enum effect act_enter(struct model *model, int argument)
{
    (void)argument;
    if (calls_is_page(model))
        return calls_enter(model);
    if (model->page == PAGE_TIMELINE)
        return timeline_enter(model);
    return model->page == PAGE_PICKER ? picker_choose(model) : filter_enter(model);
}

static enum effect act_back(struct model *model, int argument)
{
    (void)argument;
    if (!model->help)
        return filter_back(model);
    model->help = false;
    return EFFECT_PAINT;
}

static enum effect act_view(struct model *model, int argument)
{
    if (argument == KEYS_CALLS || argument == KEYS_FLAME)
        return calls_open(model, argument == KEYS_CALLS ? PAGE_CALLS : PAGE_FLAME);
    if (argument == KEYS_TIMELINE)
        return timeline_open(model);
    if (argument < 0 || argument >= SNAPSHOT_GROUPINGS)
        return EFFECT_NONE;
    return view_open(model, (enum pprofil_by)argument);
}

static enum effect act_callers(struct model *model, int argument)
{
    (void)argument;
    return calls_open_function(model, PPROFIL_TREE_CALLERS);
}

static enum effect act_callees(struct model *model, int argument)
{
    (void)argument;
    return calls_open_function(model, PPROFIL_TREE_CALLEES);
}

static enum effect act_step_view(struct model *model, int step)
{
    return view_step(model, step);
}

static enum effect act_output(struct model *model, int argument)
{
    (void)argument;
    if (model->page == PAGE_OUTPUT)
        return filter_back(model);
    if (!model->has_output) {
        model_answer(model, "top did not start it, so its output goes where it went before");
        return EFFECT_PAINT;
    }
    model->back = model->page;
    model->page = PAGE_OUTPUT;
    list_settle(model);
    return EFFECT_PAINT;
}

static enum effect act_help(struct model *model, int argument)
{
    (void)argument;
    model->help = !model->help;
    model->help_top = 0;
    return EFFECT_PAINT;
}

/* --- search, order and pause -------------------------------------------------------------- */

static enum effect act_search(struct model *model, int argument)
{
    (void)argument;
    if (model->page != PAGE_PICKER)
        return prompt_open(model, PROMPT_SEARCH);
    return model->prompt == PROMPT_FILTER ? EFFECT_NONE : prompt_open(model, PROMPT_FILTER);
}

static enum effect act_search_on(struct model *model, int direction)
{
    search_next(model, direction < 0, false);
    return EFFECT_PAINT;
}

static enum effect act_sort(struct model *model, int argument)
{
    return calls_is_page(model) ? calls_measure(model) : view_sort_by(model, argument);
}

static enum effect act_names(struct model *model, int argument)
{
    (void)argument;
    if (model->page != PAGE_TABLE && !calls_is_page(model))
        return EFFECT_NONE;
    model->whole_names = !model->whole_names;
    model_answer(model, model->whole_names ? "whole names of functions" : "names of functions that fit");
    return EFFECT_PAINT;
}

static enum effect act_pause(struct model *model, int argument)
{
    (void)argument;
    return view_pause(model);
}

static enum effect act_save(struct model *model, int argument)
{
    (void)argument;
    if (!model->compares)
        return prompt_open(model, PROMPT_SAVE);
    model_answer(model, "both files are saved; pprofil convert --baseline OLD makes a picture of the changes");
    return EFFECT_PAINT;
}

/* --- the table of actions ----------------------------------------------------------------- */

static const struct {
    act_function *function; /* NULL: the action has only an effect */
    /* argument for `function`, often 1 or -1 for a direction; 0: the argument of the key is used */
    int argument;
    enum effect effect;
    bool profiles; /* the action needs a session, which the picker does not have */
} acts[] = {
    [ACTION_UP] = {.function = act_up},
    [ACTION_DOWN] = {.function = act_down},
    [ACTION_LEFT] = {.function = act_left},
    [ACTION_RIGHT] = {.function = act_right},
    [ACTION_PAGE_UP] = {.function = act_page, .argument = -1},
    [ACTION_PAGE_DOWN] = {.function = act_page, .argument = 1},
    [ACTION_HALF_UP] = {.function = act_half_page, .argument = -1},
    [ACTION_HALF_DOWN] = {.function = act_half_page, .argument = 1},
    [ACTION_FIRST] = {.function = act_first},
    [ACTION_LAST] = {.function = act_last},
    [ACTION_ENTER] = {.function = act_enter},
    [ACTION_MARK] = {.function = act_mark},
    [ACTION_MARK_CHILDREN] = {.function = act_mark_children},
    [ACTION_MARK_ALL] = {.function = act_mark_all},
    [ACTION_BACK] = {.function = act_back},
    [ACTION_VIEW] = {.function = act_view, .profiles = true},
    [ACTION_CALLERS] = {.function = act_callers},
    [ACTION_CALLEES] = {.function = act_callees},
    [ACTION_NEXT_VIEW] = {.function = act_step_view, .argument = 1, .profiles = true},
    [ACTION_PREVIOUS_VIEW] = {.function = act_step_view, .argument = -1, .profiles = true},
    [ACTION_SEARCH] = {.function = act_search},
    [ACTION_SEARCH_NEXT] = {.function = act_search_on, .argument = 1},
    [ACTION_SEARCH_PREVIOUS] = {.function = act_search_on, .argument = -1},
    [ACTION_SORT] = {.function = act_sort},
    [ACTION_NAMES] = {.function = act_names, .profiles = true},
    [ACTION_PAUSE] = {.function = act_pause, .profiles = true},
    [ACTION_CLEAR] = {.effect = EFFECT_CLEAR, .profiles = true},
    [ACTION_SAMPLE] = {.function = control_sample, .profiles = true},
    [ACTION_FASTER] = {.function = control_rate, .argument = 1, .profiles = true},
    [ACTION_SLOWER] = {.function = control_rate, .argument = -1, .profiles = true},
    [ACTION_WALL] = {.function = control_wall, .profiles = true},
    [ACTION_WINDOW] = {.function = control_window, .profiles = true},
    [ACTION_SAVE] = {.function = act_save, .profiles = true},
    [ACTION_OUTPUT] = {.function = act_output, .profiles = true},
    [ACTION_HELP] = {.function = act_help},
    [ACTION_REDRAW] = {.effect = EFFECT_REDRAW},
    [ACTION_SUSPEND] = {.effect = EFFECT_SUSPEND},
    [ACTION_QUIT] = {.effect = EFFECT_QUIT},
};

enum effect model_act(struct model *model, enum action action, int argument)
{
    if ((size_t)action >= sizeof acts / sizeof acts[0])
        return EFFECT_NONE;
    list_settle(model);
    if (acts[action].profiles && model->page == PAGE_PICKER)
        return EFFECT_NONE;
    if (acts[action].function == NULL)
        return acts[action].effect;
    return acts[action].function(model, acts[action].argument != 0 ? acts[action].argument : argument);
}

/* If the key is a click, selects the line or box there. Returns false only if it is a click where no line is. top-run.c
 * handles clicks on the titles of columns, because it has the width of the screen. */
static bool act_click(struct model *model, const struct key_event *event)
{
    uint32_t index;

    if (event->key != TUI_KEY_CLICK && event->key != TUI_KEY_DOUBLE_CLICK)
        return true;
    if (model->page == PAGE_FLAME && !model->help) {
        flame_click(model, event->row, event->column);
        return true;
    }
    if (model->help || !list_at(model, event->row, &index))
        return false;
    list_select(model, index);
    if (model->page == PAGE_TIMELINE)
        timeline_click(model, event->column);
    return true;
}

/* Handles a key that is not input of a prompt. */
static enum effect act_on_key(struct model *model, const struct key_event *event)
{
    const struct key_binding *binding = key_find(event->key, model_where(model));

    if (binding == NULL || !act_click(model, event))
        return EFFECT_NONE;
    if (binding->action == ACTION_NONE)
        return EFFECT_PAINT;
    return model_act(model, binding->action, binding->argument);
}

enum effect model_key(struct model *model, const struct key_event *event)
{
    list_settle(model);
    if (event->key == 0 || event->key == TUI_KEY_NONE)
        return EFFECT_NONE;
    if (event->key == TUI_KEY_RESIZE)
        return EFFECT_REDRAW;
    if (model->message_waits) { /* the message on the screen is the answer to the previous key */
        model->message[0] = '\0';
        model->message_until_ns = 0;
        model->message_waits = false;
    }
    if (model->help)
        return act_on_key(model, event);
    if (model->page == PAGE_PICKER)
        return picker_is_input(model, event->key) ? picker_key(model, event->key) : act_on_key(model, event);
    if (model->prompt != PROMPT_NONE)
        return prompt_key(model, event->key);
    return act_on_key(model, event);
}
