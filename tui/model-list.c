/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The selection in a list: an index into the list on the screen, and the id of the row there. When rows move, the
 * selection follows its row. But until the user moves the selection, and after a jump to the first line, the selection
 * stays on the first line.
 *
 * The program's output has no selection. Keys scroll the output, and model->selected is the first line on the screen.
 */
#include "config.h"

#include <limits.h>
#include <string.h>

#include "model-internal.h"

static unsigned list_position_index(const struct model *model)
{
    return model->page == PAGE_TABLE ? model->view : SNAPSHOT_GROUPINGS + model->page;
}

static void list_close_filter_prompt(struct model *model)
{
    if (model->prompt == PROMPT_FILTER && model->page != PAGE_PICKER) {
        model->prompt = PROMPT_NONE;
        model->text[0] = '\0';
    }
}

/* Returns the greatest index that the first line on the screen can have. */
static uint32_t list_last_top(const struct model *model)
{
    uint32_t count = model_list_count(model), rows = model->page_rows > 0 ? model->page_rows : 1;
    return count > rows ? count - rows : 0;
}

static void list_keep_in_view(struct model *model)
{
    if (model->page_rows > 0 && model->top > list_last_top(model))
        model->top = list_last_top(model);
    if (model->page_rows > 0 && model->selected - model->top >= model->page_rows && model->selected > model->top)
        model->top = model->selected - model->page_rows + 1;
    if (model->top > model->selected)
        model->top = model->selected;
}

void list_settle(struct model *model)
{
    unsigned here = list_position_index(model);

    list_close_filter_prompt(model);
    if (here == model->position) {
        if (model->page == PAGE_OUTPUT)
            list_follow(model); /* there may be new lines of output */
        else
            list_keep_in_view(model); /* the size of the screen may have changed */
        return;
    }
    model->positions[model->position] = (struct model_position){.selected = model->selected,
                                                                .top = model->top,
                                                                .id = model->selected_id,
                                                                .sideways = model->sideways,
                                                                .chosen = model->chosen};
    const struct model_position *place = &model->positions[here];
    model->selected = place->selected;
    model->top = place->top;
    model->selected_id = place->id;
    model->sideways = place->sideways;
    model->chosen = place->chosen;
    model->position = here;
    list_follow(model);
}

/* --- lines and their ids ------------------------------------------------------------------- */

static uint64_t list_id_at(const struct model *model, uint32_t index)
{
    if (model->page == PAGE_TABLE)
        return model_table(model)->rows[index].total.id;
    if (model->page == PAGE_PICKER)
        return model->candidates[model->picked[index]].pid;
    if (model->page == PAGE_CALLS)
        return model->calls.rows[model->calls.lines[index]].call.id;
    if (model->page == PAGE_TIMELINE && index > 0)
        return model->timeline.now.rows[index - 1].id;
    if (model->page == PAGE_TIMELINE)
        return UINT64_MAX; /* the line of all threads */
    return (uint64_t)index + 1; /* lines of a text do not move, so their indexes can be their ids */
}

static bool list_find_id(const struct model *model, uint64_t id, uint32_t *index)
{
    uint32_t count = model_list_count(model);

    if (id == 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (list_id_at(model, i) == id) {
            *index = i;
            return true;
        }
    return false;
}

static void list_put_selection(struct model *model, uint32_t index)
{
    uint32_t count = model_list_count(model);

    if (count == 0) { /* `selected_id` stays, because the row with this id may come with the next snapshot */
        model->selected = model->top = 0;
        return;
    }
    model->selected = index < count ? index : count - 1;
    model->selected_id = list_id_at(model, model->selected);
    list_keep_in_view(model);
}

static void list_put_output(struct model *model, int64_t top)
{
    int64_t last = list_last_top(model);

    top = top < 0 ? 0 : top;
    model->top = model->selected = (uint32_t)(top < last ? top : last);
    model->output_follows = top >= last;
}

void list_follow(struct model *model)
{
    uint32_t index = model->selected;

    if (model->page == PAGE_OUTPUT) {
        list_put_output(model, model->output_follows ? UINT32_MAX : model->top);
        return;
    }
    if (!model->chosen)
        index = 0;
    else
        list_find_id(model, model->selected_id, &index);
    list_put_selection(model, index);
}

/* --- moving -------------------------------------------------------------------------------- */

void list_select(struct model *model, uint32_t index)
{
    if (model->page == PAGE_OUTPUT) {
        list_put_output(model, index);
        return;
    }
    model->chosen = true;
    list_put_selection(model, index);
}

void list_select_id(struct model *model, uint64_t id)
{
    model->chosen = true;
    model->selected_id = id;
    list_follow(model);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

void list_move(struct model *model, int64_t lines)
{
    int64_t from = model->page == PAGE_OUTPUT ? model->top : model->selected;

    list_select(model, (uint32_t)clamp(from + lines, 0, UINT32_MAX));
}

/* Scrolls the list. The selection moves only if its row would leave the screen. If the list cannot
 * scroll, the selection moves by `lines` lines instead. */
void list_scroll(struct model *model, int64_t lines)
{
    uint32_t top = (uint32_t)clamp(model->top + lines, 0, list_last_top(model));

    if (model->page == PAGE_OUTPUT || top == model->top || model->page_rows == 0) {
        list_move(model, lines);
        return;
    }
    model->top = top;
    list_select(model, (uint32_t)clamp(model->selected, top, (int64_t)top + model->page_rows - 1));
}

void list_first(struct model *model)
{
    list_select(model, 0);
    model->chosen = false;
}

void list_last(struct model *model)
{
    list_select(model, UINT32_MAX);
}

bool list_at(const struct model *model, int row, uint32_t *index)
{
    int64_t line = (int64_t)row - model->list_row;

    if (model->page == PAGE_OUTPUT || line < 0 || line >= model->page_rows)
        return false;
    *index = (uint32_t)clamp(model->top + line, 0, UINT32_MAX);
    return *index < model_list_count(model);
}

/* --- texts --------------------------------------------------------------------------------- */

void list_texts(const struct model *model, uint32_t index, const char *texts[LIST_TEXTS])
{
    texts[0] = texts[1] = texts[2] = "";
    if (model->page == PAGE_TABLE) {
        const struct pprofil_row *row = &model_table(model)->rows[index].total;
        texts[0] = row->name;
        texts[1] = row->object;
        texts[2] = row->file;
    } else if (model->page == PAGE_CODE && model->now.code[index].text != NULL) {
        texts[0] = model->now.code[index].text;
    } else if (model->page == PAGE_CALLS) {
        const struct pprofil_live_call *call = &model->calls.rows[model->calls.lines[index]].call;
        texts[0] = call->name;
        texts[1] = call->object;
    } else if (model->page == PAGE_TIMELINE && index > 0) {
        texts[0] = model->timeline.now.rows[index - 1].name;
    } else if (model->page == PAGE_OUTPUT) {
        texts[0] = model->output.lines[index];
    } else if (model->page == PAGE_PICKER) {
        texts[0] = model->candidates[model->picked[index]].command;
    }
}

/* Returns the length in bytes of the longest text on the screen. */
static size_t list_longest_text(const struct model *model)
{
    uint32_t count = model_list_count(model), rows = model->page_rows;
    size_t most = 0;

    for (uint32_t i = model->top; i < count && i - model->top < rows; i++) {
        const char *texts[LIST_TEXTS];
        list_texts(model, i, texts);
        for (unsigned text = 0; text < LIST_TEXTS; text++)
            if (strlen(texts[text]) > most)
                most = strlen(texts[text]);
    }
    return most;
}

void list_sideways(struct model *model, int columns)
{
    size_t most = list_longest_text(model);
    int64_t last = most > 0 && most < INT_MAX ? (int64_t)most - 1 : 0;

    model->sideways = (unsigned)clamp((int64_t)model->sideways + columns, 0, last);
}
