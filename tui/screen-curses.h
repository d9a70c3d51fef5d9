/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the screen share: curses, kept from what has the same name here. */
#ifndef TUI_SCREEN_CURSES_H
#define TUI_SCREEN_CURSES_H

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"

/* Has the terminal another size than it had? */
bool screen_resized(void);
/* How each style looks here: attributes, and a pair of colours. */
void screen_looks(attr_t looks[STYLE_COUNT], short pairs[STYLE_COUNT]);
/* Is TERM one that has a cursor to be moved? */
bool screen_usable(void);
/* The sequences that give the terminal back. Returns their length. */
size_t screen_leaving(char *text, size_t size);

#endif
