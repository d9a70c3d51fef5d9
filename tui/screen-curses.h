/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* screen-curses: what the files of the screen share, and curses, which has names that the rest
 * of the room uses otherwise. */
#ifndef TUI_SCREEN_CURSES_H
#define TUI_SCREEN_CURSES_H

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"

/* Has the size of the terminal changed? */
bool screen_resized(void);
/* Finds out how each style looks on this terminal: its attributes, and its pair of colours. */
void screen_looks(attr_t looks[STYLE_COUNT], short pairs[STYLE_COUNT]);
/* Does TERM name a terminal whose cursor can be moved? */
bool screen_usable(void);
/* Makes the sequences that give the terminal back. Returns their length. */
size_t screen_leaving(char *text, size_t size);

#endif
