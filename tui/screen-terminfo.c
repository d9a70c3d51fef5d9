/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads terminfo: whether the terminal can show a screen, how styles look on it, and which
 * sequences undo the changes that curses makes.
 *
 * Styles have 256 colours, 8 or none. Without colours, important styles are bold or reversed. The background is the
 * terminal's own and may be light or dark. So colours of text are neither very light nor very dark.
 *
 * Only this file includes term.h, because term.h defines very many macros.
 */
#include "config.h"

#include "screen-curses.h"

#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

bool screen_usable(void)
{
    int error;

    if (setupterm(NULL, STDOUT_FILENO, &error) != OK)
        return false;
    bool usable = cursor_address != NULL && !hard_copy;
    del_curterm(cur_term);
    return usable;
}

/* Adds a sequence to `text`, without its delays ("$<5>"), which only very old terminals need.
 * Returns the new length of `text`. */
static size_t add_sequence(char *text, size_t size, size_t used, const char *sequence)
{
    const char *at = sequence == NULL || sequence == (char *)-1 ? "" : sequence;

    while (*at != '\0' && used < size) {
        size_t wait = at[0] == '$' && at[1] == '<' ? strcspn(at, ">") : 0;
        if (wait > 0 && at[wait] == '>')
            at += wait + 1;
        else
            text[used++] = *at++;
    }
    return used;
}

size_t screen_leaving(char *text, size_t size)
{
    size_t used = 0;

    if (key_mouse != NULL) /* key_mouse is checked, because has_mouse(3) returns true only after mousemask(3) */
        used = add_sequence(text, size, used, "\033[?1006l\033[?1000l");
    used = add_sequence(text, size, used, exit_attribute_mode);
    used = add_sequence(text, size, used, orig_pair);
    used = add_sequence(text, size, used, keypad_local);
    used = add_sequence(text, size, used, cursor_normal);
    if (exit_ca_mode != NULL)
        return add_sequence(text, size, used, exit_ca_mode);
    /* Without an alternate screen, the shell goes on below the last line of our screen, so the
     * cursor must go there. Terminals that have no row 998 move the cursor to their last row. */
    if (cursor_address != NULL)
        used = add_sequence(text, size, used, tparm(cursor_address, 998, 0, 0, 0, 0, 0, 0, 0, 0));
    return add_sequence(text, size, used, "\r\n");
}

/* --- styles --------------------------------------------------------------------------------- */

struct look {
    /* numbers of the foreground and the background if the screen has 256 colours; -1: the terminal's own */
    short many[2];
    /* numbers of the foreground and the background if the screen has 8 colours; -1: the terminal's own */
    short few[2];
    attr_t plain;  /* attributes if the screen has no colours */
    attr_t always; /* attributes if the screen has colours */
};

static const struct look looks[STYLE_COUNT] = {
    [STYLE_PLAIN] = {{-1, -1}, {-1, -1}, A_NORMAL, A_NORMAL},
    [STYLE_TITLE] = {{-1, -1}, {-1, -1}, A_BOLD, A_BOLD},
    [STYLE_LABEL] = {{37, -1}, {COLOR_CYAN, -1}, A_NORMAL, A_NORMAL},
    [STYLE_FIGURE] = {{-1, -1}, {-1, -1}, A_NORMAL, A_NORMAL},
    [STYLE_WARNING] = {{231, 160}, {COLOR_WHITE, COLOR_RED}, A_REVERSE | A_BOLD, A_BOLD},
    [STYLE_HEADER] = {{16, 72}, {COLOR_BLACK, COLOR_GREEN}, A_REVERSE, A_NORMAL},
    [STYLE_SORTED] = {{16, 80}, {COLOR_BLACK, COLOR_CYAN}, A_REVERSE | A_BOLD, A_BOLD},
    [STYLE_SELECTED] = {{16, 110}, {COLOR_BLACK, COLOR_CYAN}, A_REVERSE, A_NORMAL},
    [STYLE_HOT] = {{196, -1}, {COLOR_RED, -1}, A_BOLD, A_BOLD},
    [STYLE_WARM] = {{172, -1}, {COLOR_YELLOW, -1}, A_NORMAL, A_NORMAL},
    [STYLE_COOL] = {{-1, -1}, {-1, -1}, A_NORMAL, A_NORMAL},
    [STYLE_DIM] = {{245, -1}, {-1, -1}, A_NORMAL, A_NORMAL},
    [STYLE_SPARK] = {{68, -1}, {COLOR_BLUE, -1}, A_NORMAL, A_NORMAL},
    [STYLE_SOURCE] = {{71, -1}, {COLOR_GREEN, -1}, A_NORMAL, A_NORMAL},
    [STYLE_MATCH] = {{16, 220}, {COLOR_BLACK, COLOR_YELLOW}, A_REVERSE | A_UNDERLINE, A_NORMAL},
    [STYLE_KEY] = {{-1, -1}, {-1, -1}, A_BOLD, A_BOLD},
    [STYLE_KEY_HELP] = {{37, -1}, {COLOR_CYAN, -1}, A_NORMAL, A_NORMAL},
    [STYLE_FLAME_ALL] = {{16, 250}, {COLOR_BLACK, COLOR_WHITE}, A_NORMAL, A_NORMAL},
    [STYLE_FLAME_PROGRAM] = {{16, 215}, {COLOR_BLACK, COLOR_YELLOW}, A_NORMAL, A_NORMAL},
    [STYLE_FLAME_LIBRARY] = {{16, 222}, {COLOR_BLACK, COLOR_GREEN}, A_NORMAL, A_NORMAL},
    [STYLE_FLAME_RUN_TIME] = {{16, 150}, {COLOR_BLACK, COLOR_MAGENTA}, A_NORMAL, A_NORMAL},
    [STYLE_MORE] = {{196, -1}, {COLOR_RED, -1}, A_BOLD, A_NORMAL},
    [STYLE_LESS] = {{71, -1}, {COLOR_GREEN, -1}, A_BOLD, A_NORMAL},
    [STYLE_FLAME_MORE] = {{16, 210}, {COLOR_BLACK, COLOR_RED}, A_BOLD, A_NORMAL},
    [STYLE_FLAME_LESS] = {{16, 117}, {COLOR_BLACK, COLOR_CYAN}, A_BOLD, A_NORMAL},
    [STYLE_FLAME_SAME] = {{16, 252}, {COLOR_BLACK, COLOR_WHITE}, A_NORMAL, A_NORMAL},
};

/* Returns the number of colours to use: 256, 8 or 0. */
static int colour_count(void)
{
    const char *none = getenv("NO_COLOR");

    if ((none != NULL && none[0] != '\0') || !has_colors() || start_color() != OK)
        return 0;
    return COLORS >= 256 ? 256 : COLORS >= 8 ? 8 : 0;
}

void screen_looks(attr_t attributes[STYLE_COUNT], short pairs[STYLE_COUNT])
{
    int count = colour_count();
    bool own = count > 0 && use_default_colors() == OK;

    for (short style = 0; style < STYLE_COUNT; style++) {
        const short *pair = count == 256 ? looks[style].many : looks[style].few;
        short front = pair[0] >= 0 || own ? pair[0] : COLOR_WHITE;
        short back = pair[1] >= 0 || own ? pair[1] : COLOR_BLACK;
        bool coloured = count > 0 && init_pair((short)(style + 1), front, back) == OK;
        pairs[style] = coloured ? (short)(style + 1) : 0;
        attributes[style] = coloured ? looks[style].always : looks[style].plain;
    }
}
