/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of test-tui-view share. */
#ifndef PPROFIL_TEST_TUI_VIEW_FIXTURE_H
#define PPROFIL_TEST_TUI_VIEW_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build-model.h"
#include "characters.h"
#include "view.h"

#define UNUSED __attribute__((unused)) /* not each file needs all */

static struct model *model;
static struct canvas canvas;
static char *lines[4096]; /* of what was painted last */
static char *printed;

UNUSED static void begin(void)
{
    model = build_model();
}

UNUSED static void end(void)
{
    model_free(model);
    canvas_free(&canvas);
    free(printed);
}

UNUSED static void print_lines(void)
{
    size_t size;

    free(printed);
    FILE *out = open_memstream(&printed, &size);
    cr_assert_eq(canvas_print(&canvas, out), 0);
    fclose(out);
    char *at = printed;
    for (int row = 0; row < canvas.rows; row++) {
        char *newline = strchr(at, '\n');
        cr_assert_not_null(newline);
        *newline = '\0';
        if (row < (int)COUNT(lines))
            lines[row] = at;
        at = newline + 1;
    }
    cr_assert_eq(*at, '\0');
}

UNUSED static void paint(int columns, int rows, bool utf8)
{
    canvas.utf8 = utf8;
    cr_assert_eq(canvas_resize(&canvas, rows, columns), 0);
    view_screen(model, &canvas, 1000);
    print_lines();
}

#define LINE(row, expected) cr_expect_str_eq(lines[row], expected)

UNUSED static enum style style_at(int row, int column)
{
    return canvas.cells[row * canvas.columns + column].style;
}

#endif
