/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* screen-curses: includes curses, and declares functions that the files screen*.c share. Other
 * files do not include curses, because they use some names of curses for other things. */
#ifndef TUI_SCREEN_CURSES_H
#define TUI_SCREEN_CURSES_H

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"

/* Returns true if the size of the terminal has changed. Curses then has the new size. */
bool screen_resized(void);
/* Finds out how each style looks on this terminal: its attributes, and its pair of colours. */
void screen_looks(attr_t looks[STYLE_COUNT], short pairs[STYLE_COUNT]);
/* Returns true if TERM names a terminal whose cursor can be moved. */
bool screen_usable(void);
/* Writes to `text` the escape sequences that undo the changes of curses to the terminal. Returns
 * the length of the written text, which does not end with a NUL. */
size_t screen_leaving(char *text, size_t size);

#endif
