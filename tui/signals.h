/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* signals: catches signals that end the live view, stop it, or report a crash. After any of these signals the terminal
 * must be usable. */
#ifndef TUI_SIGNALS_H
#define TUI_SIGNALS_H

#include <stdbool.h>

/* Begins to catch signals of crashes (SIGSEGV, ...), and signals that would end us. After a crash,
 * the handler calls `restore` first. Returns 0 or -errno. */
int signals_catch(void (*restore)(void));
/* Begins to catch SIGTSTP. Without a handler, SIGTSTP would stop us before the terminal is restored. */
void signals_catch_stop(void);
void signals_release(void);

/* Returns a descriptor that is readable when a signal has come. */
int signals_fd(void);
/* Returns the last signal that would have ended us, or 0. */
int signals_ending(void);
/* Returns true if SIGTSTP came after the last call of this function. Call it before signals_ending. */
bool signals_stop_asked(void);
/* Stops the whole job, including us, until the job is continued. */
void signals_stop(void);

#endif
