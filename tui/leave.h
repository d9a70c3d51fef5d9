/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* leave: signals that end the live view or stop it, and crashes, none of which may leave a terminal
 * that echoes nothing. */
#ifndef TUI_LEAVE_H
#define TUI_LEAVE_H

#include <stdbool.h>

/* From now on signals that end us are noted, and a crash calls restore first. 0 or -errno. */
int leave_catch(void (*restore)(void));
/* And a signal that wants us stopped is noted. */
void leave_catch_stop(void);
void leave_release(void);

/* Readable once a signal has come. */
int leave_fd(void);
/* The last signal that wants us to end, or 0. */
int leave_signal(void);
/* Are we to stop? Says so once. Ask it before leave_signal. */
bool leave_stop_asked(void);
/* Stops, until we are continued. */
void leave_stop(void);

#endif
