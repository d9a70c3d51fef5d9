/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paints the whole screen: the header, the tabs, the page and the bottom line. */
#include "config.h"

#include "view.h"

static void view_put_too_small(struct model *model, struct canvas *canvas)
{
    model->page_rows = model->list_row = model->header_row = 0;
    canvas_printf(canvas, 0, 0, -1, STYLE_WARNING, "%dx%d at least", VIEW_COLUMNS_MIN, VIEW_ROWS_MIN);
}

/* --- tabs: one for each view, with a mark for the present view ---------------------------- */

enum tabs { TABS_KEYS, TABS_NAMES, TABS_BRIEF, TABS_ONE };

static int tabs_present(const struct model *model)
{
    return model->page == PAGE_CALLS      ? KEYS_CALLS
           : model->page == PAGE_FLAME    ? KEYS_FLAME
           : model->page == PAGE_TIMELINE ? KEYS_TIMELINE
                                          : (int)model->view;
}

/* Returns true if the line of tabs has a tab for the view that this key opens. Each view has one tab. Views of calls
 * need stacks, and the views of states and waits need elapsed time. Waits and the time line have tabs only if all tabs
 * fit with them: all_fit. */
static bool tabs_have(const struct model *model, bool all_fit, const struct key_binding *binding)
{
    if (binding->action != ACTION_VIEW || binding->help == NULL)
        return false;
    if (binding->argument == tabs_present(model))
        return true;
    if (binding->argument == PPROFIL_BY_STATE)
        return model->wall;
    if (binding->argument == PPROFIL_BY_WAIT)
        return model->wall && all_fit;
    if (binding->argument == KEYS_TIMELINE)
        return all_fit && !model->compares;
    return binding->argument < KEYS_CALLS || model->stacks;
}

static int tabs_put_one(const struct model *model, struct canvas *canvas, int row, int column, enum tabs kind,
                        const struct key_binding *binding)
{
    bool present = binding->argument == tabs_present(model);
    int start = column;

    if (kind == TABS_ONE && !present)
        return 0;
    enum style style = present ? STYLE_SELECTED : STYLE_KEY_HELP;
    column += canvas_put(canvas, row, column, -1, style, present ? "[" : " ");
    if (kind == TABS_KEYS)
        column += canvas_printf(canvas, row, column, -1, present ? style : STYLE_KEY, "%s ", keys_name(binding->key));
    column += canvas_printf(canvas, row, column, -1, style, "%s%s", phrase_view(binding->argument, kind == TABS_BRIEF),
                            present ? "]" : " ");
    return column - start;
}

static int tabs_width(const struct model *model, enum tabs kind, bool all_fit)
{
    int width = 0;

    for (size_t i = 0; i < key_binding_count; i++) {
        const struct key_binding *binding = &key_bindings[i];
        if (!tabs_have(model, all_fit, binding) || (kind == TABS_ONE && binding->argument != tabs_present(model)))
            continue;
        width += characters_width(phrase_view(binding->argument, kind == TABS_BRIEF), 32) + 2;
        width += kind == TABS_KEYS ? characters_width(keys_name(binding->key), 8) + 1 : 0;
    }
    return width;
}

/* Puts the filters in force to the right of the tabs, on a low screen. */
static void tabs_put_filters(const struct model *model, struct canvas *canvas, int row, int column)
{
    char text[PHRASE_SIZE * 2];

    view_breadcrumb(model, canvas, text, sizeof text);
    paint_text(canvas, row, column + 1, -1, STYLE_TITLE, &(struct paint_text){.text = text, .tail = true});
}

static int tabs_put(const struct model *model, struct canvas *canvas, int row)
{
    bool filters = model->filter_count > 0 && !view_has_filter_line(canvas);
    enum tabs kind = filters ? TABS_ONE : TABS_KEYS;
    bool all_fit = !model->compares && tabs_width(model, TABS_KEYS, true) <= canvas->columns;
    int column = 0;

    while (kind < (model->stacks || model->page == PAGE_TIMELINE ? TABS_ONE : TABS_BRIEF) &&
           tabs_width(model, kind, all_fit) > canvas->columns)
        kind++;
    for (size_t i = 0; i < key_binding_count; i++)
        if (tabs_have(model, all_fit, &key_bindings[i]))
            column += tabs_put_one(model, canvas, row, column, kind, &key_bindings[i]);
    if (filters)
        tabs_put_filters(model, canvas, row, column);
    return row + 1;
}

/* --- the bottom line: the typed text, a message, a name that the table cuts, or the F keys --- */

#define BAR_SLOT 10 /* number of columns for a key and its name in the bar, if the screen is wide enough */

/* Puts a label and the text that is being typed. If there is too little space, cuts off the beginning of the text. */
static void bar_put_prompt(struct canvas *canvas, int row, const char *label, const char *typed)
{
    int column = canvas_put(canvas, row, 0, -1, STYLE_KEY, label) + 1;
    int space = canvas->columns - column - 1; /* one column is for the cursor */

    if (space < 1)
        return;
    column += paint_text(canvas, row, column, space, STYLE_FIGURE, &(struct paint_text){.text = typed, .tail = true});
    canvas->cursor_row = row;
    canvas->cursor_column = column;
}

static bool bar_has(const struct key_binding *binding, enum key_where where)
{
    return binding->bar != NULL && (binding->where & where) != 0;
}

static int bar_key_width(const struct key_binding *binding)
{
    return characters_width(keys_name(binding->key), 8) + characters_width(binding->bar, 16) + 1;
}

/* Puts the keys that fit, beginning with the first. The last key, which quits, is always shown. */
static void bar_put_keys(struct canvas *canvas, int row, enum key_where where)
{
    const struct key_binding *last = NULL;
    int needed = 0, column = 0, count = 0;

    for (size_t i = 0; i < key_binding_count; i++)
        if (bar_has(&key_bindings[i], where)) {
            last = &key_bindings[i];
            needed += bar_key_width(last);
            count++;
        }
    bool roomy = needed <= canvas->columns && count * BAR_SLOT <= canvas->columns;
    for (size_t i = 0; i < key_binding_count; i++) {
        const struct key_binding *binding = &key_bindings[i];
        int after = binding == last ? 0 : bar_key_width(last == NULL ? binding : last);
        if (!bar_has(binding, where) || column + bar_key_width(binding) - 1 + after > canvas->columns)
            continue;
        int used = canvas_put(canvas, row, column, -1, STYLE_KEY, keys_name(binding->key));
        int width = (roomy ? BAR_SLOT : bar_key_width(binding)) - used;
        canvas_style(canvas, row, column + used, width, STYLE_KEY_HELP);
        canvas_put(canvas, row, column + used, width, STYLE_KEY_HELP, binding->bar);
        column += used + width;
    }
}

static void bar_put(const struct model *model, struct canvas *canvas, int row, uint64_t now_ns)
{
    const char *name = view_whole_name(model, canvas->columns);

    if (model->prompt == PROMPT_SEARCH)
        bar_put_prompt(canvas, row, "search:", model->text);
    else if (model->prompt == PROMPT_SAVE)
        bar_put_prompt(canvas, row, canvas->columns < 60 ? "save as:" : "save as (name.pb.gz, ...):", model->text);
    else if (model->message[0] != '\0' && now_ns < model->message_until_ns)
        paint_name(canvas, row, 0, -1, STYLE_TITLE, model->message);
    else if (name != NULL)
        paint_text(canvas, row, 0, -1, STYLE_FIGURE, &(struct paint_text){.text = name, .sideways = model->sideways});
    else
        bar_put_keys(canvas, row, model_where(model));
}

/* --- the screen --------------------------------------------------------------------------- */

static void view_put_page(struct model *model, struct canvas *canvas, int end)
{
    if (model->page == PAGE_PICKER) {
        view_picker(model, canvas, 0, end);
        return;
    }
    view_timeline_place(model, canvas->columns);
    int row = view_header(model, canvas, 0);
    if (model->page == PAGE_CODE) {
        view_code(model, canvas, row, end - row);
    } else if (model->page == PAGE_OUTPUT) {
        view_output(model, canvas, row, end - row);
    } else if (model->page == PAGE_CALLS) {
        row = tabs_put(model, canvas, row);
        view_calls(model, canvas, row, end - row);
    } else if (model->page == PAGE_FLAME) {
        row = tabs_put(model, canvas, row);
        view_flame(model, canvas, row, end - row);
    } else if (model->page == PAGE_TIMELINE) {
        row = tabs_put(model, canvas, row);
        view_timeline(model, canvas, row, end - row);
    } else {
        row = tabs_put(model, canvas, row);
        view_table(model, canvas, row, end - row);
    }
}

void view_screen(struct model *model, struct canvas *canvas, uint64_t now_ns)
{
    canvas_clear(canvas);
    if (canvas->rows < VIEW_ROWS_MIN || canvas->columns < VIEW_COLUMNS_MIN) {
        view_put_too_small(model, canvas);
        return;
    }
    view_put_page(model, canvas, canvas->rows - 1);
    if (model->help)
        view_help(model, canvas);
    bar_put(model, canvas, canvas->rows - 1, now_ns);
}
