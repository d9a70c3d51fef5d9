/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* signals: signals that end the live view or stop it, and crashes. None of them may leave a
 * terminal that echoes nothing. */
#ifndef TUI_SIGNALS_H
#define TUI_SIGNALS_H

#include <stdbool.h>

/* Catches signals that would end us, from now on, and crashes. A crash calls restore first.
 * Returns 0 or -errno. */
int signals_catch(void (*restore)(void));
/* Catches the signal that would stop us, too. */
void signals_catch_stop(void);
void signals_release(void);

/* Returns a descriptor that is readable when a signal has come. */
int signals_fd(void);
/* Returns the last signal that asked for our end, or 0. */
int signals_ending(void);
/* Did a signal ask us to stop? Returns true once for each. To be called before signals_ending. */
bool signals_stop_asked(void);
/* Stops us until we are continued. */
void signals_stop(void);

#endif
