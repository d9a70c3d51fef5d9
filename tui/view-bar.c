/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bottom line: what is being typed, else a message, else what the F keys do. */
#include "config.h"

#include "view.h"

#include <string.h>

#include "characters.h"
#include "view-paint.h"

#define SLOT 10 /* columns of a key and what it does, where there is room */

/* What was typed; its end stays in view. */
static void put_prompt(struct canvas *canvas, int row, const char *label, const char *typed)
{
    int column = canvas_put(canvas, row, 0, -1, STYLE_KEY, label) + 1;
    int space = canvas->columns - column - 1; /* the cursor's */

    if (space < 1)
        return;
    column += paint_text(canvas, row, column, space, STYLE_FIGURE,
                         &(struct paint_text){.text = typed, .tail = true});
    canvas->cursor_row = row;
    canvas->cursor_column = column;
}

static bool is_shown(const struct key_binding *binding, enum key_where where)
{
    return binding->bar != NULL && (binding->where & where) != 0;
}

static int width_of(const struct key_binding *binding)
{
    return characters_width(keys_name(binding->key), 8) + characters_width(binding->bar, 16) + 1;
}

/* Keys from the first on, and the last one, which quits, whatever there is room for. */
static void put_keys(struct canvas *canvas, int row, enum key_where where)
{
    const struct key_binding *last = NULL;
    int needed = 0, column = 0, count = 0;

    for (size_t i = 0; i < key_binding_count; i++)
        if (is_shown(&key_bindings[i], where)) {
            last = &key_bindings[i];
            needed += width_of(last);
            count++;
        }
    bool roomy = needed <= canvas->columns && count * SLOT <= canvas->columns;
    for (size_t i = 0; i < key_binding_count; i++) {
        const struct key_binding *binding = &key_bindings[i];
        int after = binding == last ? 0 : width_of(last == NULL ? binding : last);
        if (!is_shown(binding, where) || column + width_of(binding) - 1 + after > canvas->columns)
            continue;
        int used = canvas_put(canvas, row, column, -1, STYLE_KEY, keys_name(binding->key));
        int width = (roomy ? SLOT : width_of(binding)) - used;
        canvas_style(canvas, row, column + used, width, STYLE_KEY_HELP);
        canvas_put(canvas, row, column + used, width, STYLE_KEY_HELP, binding->bar);
        column += used + width;
    }
}

void view_bar(const struct model *model, struct canvas *canvas, int row, uint64_t now_ns)
{
    if (model->prompt == PROMPT_SEARCH)
        put_prompt(canvas, row, "search:", model->text);
    else if (model->prompt == PROMPT_SAVE)
        put_prompt(canvas, row,
                   canvas->columns < 60 ? "save as:" : "save as (name.pb.gz, ...):", model->text);
    else if (model->message[0] != '\0' && now_ns < model->message_until_ns)
        paint_name(canvas, row, 0, -1, STYLE_TITLE, model->message);
    else
        put_keys(canvas, row, model_where(model));
}
