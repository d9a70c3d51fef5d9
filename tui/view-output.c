/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paints the output of the program: a title, and the lines that fit on the screen. */
#include "config.h"

#include "view.h"

#include <inttypes.h>


static void output_put_title(const struct model *model, struct canvas *canvas, int row)
{
    char place[64];
    uint32_t count = model->output.count, last = model->top + model->page_rows;
    int column = canvas_put(canvas, row, 0, -1, STYLE_LABEL, "output of") + 1;

    snprintf(place, sizeof place, "%" PRIu32 "-%" PRIu32 " of %" PRIu32 "%s", count == 0 ? 0 : model->top + 1,
             last < count ? last : count, count, model->output_follows ? ", following" : "");
    int width = canvas->columns - column - characters_width(place, (int)sizeof place) - 2;
    paint_name(canvas, row, column, width < 0 ? 0 : width, STYLE_TITLE, model->command);
    canvas_put_right(canvas, row, 0, canvas->columns, STYLE_LABEL, place);
}

int view_output(struct model *model, struct canvas *canvas, int row, int rows)
{
    uint32_t count = model->output.count, page = rows > 1 ? (uint32_t)rows - 1 : 0;

    model->header_row = 0;
    paint_list(model, row + 1, rows - 1);
    if (model->output_follows)
        model->top = count > page ? count - page : 0;
    output_put_title(model, canvas, row);
    for (uint32_t i = 0; i < page && model->top + i < count; i++)
        paint_text(canvas, row + 1 + (int)i, 0, -1, STYLE_PLAIN,
                   &(struct paint_text){.text = model->output.lines[model->top + i],
                                        .tabs = true,
                                        .sideways = model->sideways,
                                        .search = model->search});
    if (count == 0)
        paint_words(canvas, row + 2, rows - 2, STYLE_TITLE,
                    model->has_output ? "the program has written nothing yet"
                                      : "no output is kept here: the program was not started by "
                                        "pprofil top");
    return row + rows;
}
