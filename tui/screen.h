/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* screen: shows canvases on the terminal, and reads keys. Only the files screen*.c use curses. */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "canvas.h"
#include "keys.h"

/* Takes the terminal of standard input and output. Styles have 256 colours, 8 or none, depending on
 * the terminal and on NO_COLOR. Returns 0, -ENOTTY if there is no terminal, or -ENODEV if TERM is
 * unknown or its terminal cannot show a screen. */
int screen_open(void);
/* Restores the terminal. This function may be called twice, and from a signal handler at any point. */
void screen_close(void);

/* Give the terminal back for a while, and take it again. After screen_resume the whole screen must
 * be shown again. Signal handlers must not call these functions. */
void screen_suspend(void);
void screen_resume(void);

void screen_size(int *rows, int *columns);
bool screen_utf8(void);
/* Shows a canvas. If `all` is true, all cells are sent to the terminal, not only those that have changed. */
void screen_show(const struct canvas *canvas, bool all);
/* Gets the next key. Returns false if there is none at present. */
bool screen_key(struct key_event *event);
/* Returns a descriptor that is readable when there may be a key. */
int screen_fd(void);

#endif
