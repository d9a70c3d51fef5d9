/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the names of rows fit into a terminal: finds the widths of the columns, and shortens what is too long
 * (base/fit-name.h).
 */
#include "config.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/fit-name.h"
#include "report.h"

#define NAME_MIN 20 /* least width of the column of names */
#define OBJECT_MIN 10
#define PLACE_MIN 12
#define GAP 2 /* columns between two columns */

bool report_in_utf8(void)
{
    locale_t users = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    bool utf8 = users != (locale_t)0 && strcmp(nl_langinfo_l(CODESET, users), "UTF-8") == 0;

    if (users != (locale_t)0)
        freelocale(users);
    return utf8;
}

bool report_is_fitted(const struct report_view *view)
{
    return view->columns > 0 && view->names != REPORT_NAMES_FULL;
}

/* --- widths -------------------------------------------------------------------------------- */

/* Returns the width of a line number with what is printed around it. */
static size_t line_width(const struct report_layout *layout, uint32_t line)
{
    if (line == 0 && layout->lines)
        return 0;
    return (size_t)snprintf(NULL, 0, layout->lines ? ":%u" : "(:%u)", line);
}

static void layout_measure(struct report_layout *layout, const struct pprofil_row *row)
{
    size_t name = fit_width(row->name), object = fit_width(row->object), place = 0;

    if (layout->lines)
        name += line_width(layout, row->line);
    else if (row->file[0] != '\0' || row->line != 0)
        place = fit_width(row->file) + line_width(layout, row->line);
    layout->name = name > layout->name ? name : layout->name;
    layout->object = object > layout->object ? object : layout->object;
    layout->place = place > layout->place ? place : layout->place;
}

/* Takes `*excess` columns from a column that is wider than `least`, as far as it has them. */
static void layout_take(size_t *column, size_t least, size_t *excess)
{
    size_t most = *column > least ? *column - least : 0, taken = *excess < most ? *excess : most;

    *column -= taken;
    *excess -= taken;
}

/* Makes the columns of texts narrower until they fit: first what says where a function is, then the rest. */
static void layout_narrow(struct report_layout *layout, size_t available)
{
    size_t gaps = (layout->object > 0 ? GAP : 0) + (layout->place > 0 ? GAP : 0);
    size_t wanted = layout->name + layout->object + layout->place + gaps;
    size_t excess = wanted > available ? wanted - available : 0;

    layout_take(&layout->place, 2 * PLACE_MIN, &excess);
    layout_take(&layout->name, 3 * NAME_MIN, &excess);
    layout_take(&layout->object, 2 * OBJECT_MIN, &excess);
    layout_take(&layout->place, PLACE_MIN, &excess);
    layout_take(&layout->name, 2 * NAME_MIN, &excess);
    layout_take(&layout->object, OBJECT_MIN, &excess);
    if (excess > 0 && layout->place > 0) { /* a very narrow terminal */
        excess = excess > layout->place + GAP ? excess - layout->place - GAP : 0;
        layout->place = 0;
    }
    layout_take(&layout->name, NAME_MIN, &excess);
    layout_take(&layout->object, OBJECT_MIN / 2, &excess);
    layout_take(&layout->name, NAME_MIN / 2, &excess);
}

void report_layout_make(struct report_layout *layout, const pprofil_report *report, const struct report_view *view,
                        size_t figures)
{
    struct pprofil_row row;
    char name[4096];

    *layout = (struct report_layout){.name = REPORT_NAME_WIDTH,
                                     .object = REPORT_OBJECT_WIDTH,
                                     .place = SIZE_MAX,
                                     .short_names = report_wants_short_names(view),
                                     .utf8 = report_in_utf8(),
                                     .lines = view->by == PPROFIL_BY_LINE,
                                     .fits = report_is_fitted(view)};
    if (!layout->fits)
        return;
    layout->name = layout->object = layout->place = 0;
    for (uint32_t i = 0; i < pprofil_report_count(report); i++) {
        pprofil_report_row(report, i, &row, sizeof row);
        if (layout->short_names) {
            fit_short_name(row.name, name, sizeof name);
            row.name = name;
        }
        layout_measure(layout, &row);
    }
    layout_narrow(layout, view->columns > figures ? view->columns - figures : 0);
    if (layout->name < NAME_MIN / 2)
        layout->name = NAME_MIN / 2;
}

void report_layout_row(const struct report_layout *layout, struct pprofil_row *row, struct report_texts *texts)
{
    size_t line = line_width(layout, row->line), place = layout->place > line ? layout->place - line : 0;

    if (layout->short_names && !layout->lines) {
        fit_short_name(row->name, texts->full, sizeof texts->full);
        row->name = texts->full;
    }
    if (!layout->fits)
        return;
    if (layout->lines)
        fit_path(row->name, layout->name > line ? layout->name - line : 0, layout->utf8, texts->name,
                 sizeof texts->name);
    else
        fit_name(row->name, layout->name, layout->utf8, texts->name, sizeof texts->name);
    fit_name(row->object, layout->object, layout->utf8, texts->object, sizeof texts->object);
    fit_path(row->file, place, layout->utf8, texts->file, sizeof texts->file);
    row->name = texts->name;
    row->object = texts->object;
    row->file = layout->place == 0 ? "" : texts->file;
}
