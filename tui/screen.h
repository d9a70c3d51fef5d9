/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* screen: the terminal. The only part that knows curses. */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "canvas.h"
#include "keys.h"

/* Takes the terminal of standard input and output. -ENOTTY: it is none; -ENODEV: TERM is not
 * known. Colours: 256, 8 or none, as it has them and NO_COLOR says. */
int screen_open(void);
/* Gives it back as it was. Safe in a signal's handler, whatever was going on, and twice. */
void screen_close(void);

/* The same for a while; then it is ours again, and all of it has to be shown. Not for handlers. */
void screen_suspend(void);
void screen_resume(void);

void screen_size(int *rows, int *columns);
bool screen_utf8(void);
/* Shows a canvas; all: though it may look the same already. */
void screen_show(const struct canvas *canvas, bool all);
/* The next key; false: none is there now. */
bool screen_key(struct key_event *event);
/* Readable when a key may be there. */
int screen_fd(void);

#endif
