/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* signals: signals that end the live view or stop it, and crashes, none of which may leave a terminal
 * that echoes nothing. */
#ifndef TUI_SIGNALS_H
#define TUI_SIGNALS_H

#include <stdbool.h>

/* From now on signals that end us are noted, and a crash calls restore first. 0 or -errno. */
int signals_catch(void (*restore)(void));
/* And a signal that wants us stopped is noted. */
void signals_catch_stop(void);
void signals_release(void);

/* Readable once a signal has come. */
int signals_fd(void);
/* The last signal that wants us to end, or 0. */
int signals_ending(void);
/* Are we to stop? Says so once. Ask it before signals_ending. */
bool signals_stop_asked(void);
/* Stops, until we are continued. */
void signals_stop(void);

#endif
