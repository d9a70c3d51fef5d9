/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paints the help, which is made from the table of keys. Each key with a help text has an entry, which also shows the
 * other keys with the same action. Entries are broken into lines. They are in two columns if the screen is wide enough.
 * If the help is longer than the screen, it can be scrolled.
 */
#include "config.h"

#include "view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "top.h"

#define FOR_TWO 80    /* least width of a screen with two columns of entries */
#define KEYS_WIDTH 20 /* greatest width of the names of keys */

/* A part of the help: the entries from `first` to `end` - 1, and the number of lines that they take. */
struct part {
    size_t first, end;
    int lines;
};

struct page {
    int column, width, keys_width;
};

/* Finds how much of a text goes on the first line, which is broken at a blank if possible. Sets *length
 * to the length of this part, and returns the rest of the text. Keys and their help texts are ASCII,
 * so each byte takes one column. */
static const char *help_break_line(const char *text, int width, int *length)
{
    int all = (int)strlen(text), at = width < 1 ? 1 : width;

    if (all <= at) {
        *length = all;
        return text + all;
    }
    while (at > 0 && text[at] != ' ')
        at--;
    *length = at > 0 ? at : width < 1 ? 1 : width;
    return text + *length + (at > 0 ? 1 : 0);
}

static int help_lines(const char *text, int width)
{
    int lines = 0, length;

    while (*text != '\0') {
        text = help_break_line(text, width, &length);
        lines++;
    }
    return lines;
}

static bool key_has_same_action(const struct key_binding *binding, const struct key_binding *other)
{
    return other->action == binding->action && other->argument == binding->argument &&
           (other->where & binding->where) != 0;
}

/* Returns true if the help entry of `binding` also shows the key of `other`. Keys that are valid only in the help are
 * not shown there. */
static bool key_is_alias(const struct key_binding *binding, const struct key_binding *other)
{
    return other->help == NULL && key_has_same_action(binding, other) && other->where != KEY_IN_HELP &&
           other->key != binding->key;
}

static void help_keys(const struct key_binding *binding, char *text, size_t size)
{
    uint32_t last = 0;
    size_t used = (size_t)snprintf(text, size, "%s", keys_name(binding->key));

    for (size_t i = 0; i < key_binding_count && used < size; i++)
        if (key_is_alias(binding, &key_bindings[i]) && key_bindings[i].key != last) {
            last = key_bindings[i].key;
            used += (size_t)snprintf(text + used, size - used, ", %s", keys_name(last));
        }
}

static int help_entry_lines(const struct key_binding *binding, const struct page *page)
{
    char keys[128];

    if (binding->help == NULL)
        return 0;
    help_keys(binding, keys, sizeof keys);
    int left = help_lines(keys, page->keys_width - 1);
    int right = help_lines(binding->help, page->width - page->keys_width);
    return left > right ? left : right;
}

static void help_put_lines(struct canvas *canvas, int row, int first, int end, int column, int width,
                           enum style style, const char *text)
{
    while (*text != '\0' && row < end) {
        int length;
        char line[256];
        const char *rest = help_break_line(text, width, &length);
        snprintf(line, sizeof line, "%.*s", length < 255 ? length : 255, text);
        if (row >= first)
            canvas_put(canvas, row, column, width, style, line);
        text = rest;
        row++;
    }
}

/* Paints a part of the help on the screen's rows from `first` to `end` - 1. `top` is the index of
 * the part's line that is on the row `first`. */
static void help_put_part(struct canvas *canvas, const struct part *part, const struct page *page,
                          int top, int first, int end)
{
    int row = first - top;

    for (size_t i = part->first; i < part->end; i++) {
        char keys[128];
        const struct key_binding *binding = &key_bindings[i];
        if (binding->help == NULL)
            continue;
        help_keys(binding, keys, sizeof keys);
        help_put_lines(canvas, row, first, end, page->column, page->keys_width - 1, STYLE_KEY, keys);
        help_put_lines(canvas, row, first, end, page->column + page->keys_width,
                       page->width - page->keys_width, STYLE_KEY_HELP, binding->help);
        row += help_entry_lines(binding, page);
    }
}

/* Divides the entries into one part, or into two parts of about the same height. Returns the height
 * of the longer part. */
static int help_divide(struct part parts[2], const struct page *page, int count)
{
    int all = 0;
    size_t i = 0;

    for (size_t at = 0; at < key_binding_count; at++)
        all += help_entry_lines(&key_bindings[at], page);
    parts[0] = (struct part){0, key_binding_count, all};
    if (count < 2)
        return all;
    for (parts[0].lines = 0; i < key_binding_count && 2 * parts[0].lines < all; i++)
        parts[0].lines += help_entry_lines(&key_bindings[i], page);
    parts[0].end = i;
    parts[1] = (struct part){i, key_binding_count, all - parts[0].lines};
    return parts[0].lines > parts[1].lines ? parts[0].lines : parts[1].lines;
}

static void help_put_title(struct canvas *canvas, int top, int rows, int lines)
{
    char back[32];
    int column = canvas_put(canvas, 0, 0, -1, STYLE_TITLE, "Keys") + 2;

    snprintf(back, sizeof back, "%s", paint_key(KEY_IN_HELP, ACTION_BACK, 0));
    if (lines > rows)
        column += canvas_printf(canvas, 0, column, -1, STYLE_LABEL, "%d-%d of %d", top + 1,
                                top + rows < lines ? top + rows : lines, lines) +
                  2;
    if (lines > rows && canvas->columns >= FOR_TWO)
        column += canvas_printf(canvas, 0, column, -1, STYLE_LABEL, "%s: more",
                                paint_key(KEY_IN_HELP, ACTION_DOWN, 0)) +
                  2;
    canvas_printf(canvas, 0, column, -1, STYLE_LABEL, "%s: back", back);
}

void view_help(struct model *model, struct canvas *canvas)
{
    int count = canvas->columns >= FOR_TWO ? 2 : 1, rows = canvas->rows - 2;
    struct page page = {0, canvas->columns / count - (count > 1 ? 1 : 0), KEYS_WIDTH};
    struct part parts[2];

    if (page.keys_width > page.width * 2 / 5)
        page.keys_width = page.width * 2 / 5;
    int lines = help_divide(parts, &page, count);
    model->help_rows = rows > 0 ? (uint32_t)rows : 0;
    model->help_last = lines > rows ? (uint32_t)(lines - rows) : 0;
    if (model->help_top > model->help_last)
        model->help_top = model->help_last;

    canvas_clear(canvas);
    help_put_title(canvas, (int)model->help_top, rows, lines);
    for (int i = 0; i < count; i++) {
        page.column = i * (canvas->columns / 2);
        help_put_part(canvas, &parts[i], &page, (int)model->help_top, 1, 1 + rows);
    }
}

/* --- the table of keys as text ------------------------------------------------------------- */

static const struct {
    enum key_where where;
    const char *name;
} places[] = {
    {KEY_IN_TABLE, "table"},      {KEY_IN_CODE, "code"}, {KEY_IN_OUTPUT, "output"},
    {KEY_IN_PICKER, "processes"}, {KEY_IN_HELP, "help"}, {KEY_IN_CALLS, "calls"},
    {KEY_IN_FLAME, "flame"},    {KEY_IN_TIMELINE, "timeline"},
};

/* Returns the help text of a key. If the key has none, returns that of another key with the same action. */
static const char *help_of_key(const struct key_binding *binding)
{
    for (size_t i = 0; i < key_binding_count; i++) {
        const struct key_binding *other = &key_bindings[i];
        if (other->help != NULL && (other == binding || (binding->help == NULL && key_has_same_action(binding, other))))
            return other->help;
    }
    return "";
}

int top_print_keys(FILE *out)
{
    for (size_t i = 0; i < key_binding_count; i++) {
        const struct key_binding *binding = &key_bindings[i];
        const char *before = "\t";
        fputs(keys_name(binding->key), out);
        for (size_t place = 0; place < sizeof places / sizeof *places; place++)
            if (binding->where & places[place].where) {
                fprintf(out, "%s%s", before, places[place].name);
                before = ",";
            }
        fprintf(out, "\t%s%s\t%s\n", keys_action(binding->action),
                binding->action == ACTION_VIEW ? phrase_view(binding->argument, false) : "", help_of_key(binding));
    }
    return fflush(out) == 0 ? 0 : -errno;
}
