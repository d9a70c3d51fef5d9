/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compat: the functions of the profil family, for old programs that call them. A call becomes a request to a
 * supervisor. The supervisor traces the calling process, and counts in its memory. The first call starts the
 * supervisor. lib/wire/wire.h has the protocol.
 *
 * Each old system has its own library, which is loaded into other people's programs, and therefore needs only libc. The
 * library defines functions with the names that they have in the system's manual pages. So a program that declares
 * profil itself gets the function of its system, and never that of the C library. compat.c sends requests. histogram.c
 * checks a histogram before its request is sent. own-maps.c completes offsets of 32 bits. say.c blocks signals, reads
 * settings and writes messages.
 */
#ifndef PPROFIL_COMPAT_H
#define PPROFIL_COMPAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

/* Between compat_enter and compat_leave all signals are blocked, and the thread cannot be cancelled. compat_leave
 * restores errno. Such pairs of calls may nest. All code that opens a descriptor or waits must be between the two
 * calls, because a signal handler that interrupts this code might never return. */
struct compat_guard {
    int before, cancel;
    /* memory for a sigset_t. This file does not include <signal.h>, which may declare the C library's profil */
    unsigned long mask[128 / sizeof(unsigned long)];
};
void compat_enter(struct compat_guard *guard);
void compat_leave(const struct compat_guard *guard);

/* Sends a request to the supervisor and waits for the answer. call: name of the function that the program has called,
 * for messages. Stores the value of the answer in *value unless `value` is NULL. May be called from any thread, in a
 * forked child and in a signal handler. Does not change errno. Returns 0 or a negative errno. After an error, writes a
 * message to stderr if PPROFIL_DEBUG is set. */
int compat_ask(const char *call, const struct wire_profil *request, int64_t *value);

/* Returns true if PPROFIL_STRICT is set, and not 0. Then a function fails in all cases in which its manual page says
 * that it fails. Without PPROFIL_STRICT it succeeds in some of these cases. */
bool compat_is_strict(void);
/* Returns true if PPROFIL_SOLARIS_PER_LWP is set, and not 0. */
bool compat_is_per_thread(void);
/* Returns true if PPROFIL_DEBUG is set, and not 0. */
bool compat_is_debugged(void);
/* Writes a message to stderr, if PPROFIL_DEBUG is set and not 0. call: name of the function that the program has
 * called. */
__attribute__((format(printf, 2, 3))) void compat_say(const char *call, const char *format, ...);
/* Writes a message that is important for all users to stderr, unless PPROFIL_DEBUG is 0. compat_say and compat_warn do
 * not wait, and raise no signal. They write only if standard error is still the file that it was at the start of the
 * program. */
__attribute__((format(printf, 2, 3))) void compat_warn(const char *call, const char *format, ...);

/* What the program has called: a function of an old system that begins to count, such as profil. */
struct compat_call {
    const char *name;    /* name of the function, for messages */
    const char *dialect;
    unsigned counter_size;         /* bytes */
    enum wire_profil_scope scope;  /* the threads that are counted */
    const void *caller;            /* return address of the call, which tells from which object the call came */
};

/* Begins to count in one histogram of `size` bytes. If the offset has only 32 bits, completes it as offset_complete
 * does. If `scale` turns counting off in the dialect, only ends the counting. Returns 0 or a negative errno; -EFAULT:
 * is_checked is true, and the buffer cannot be written. Does not change errno. */
int compat_profil(const struct compat_call *call, const void *buffer, size_t size, uint64_t offset, uint32_t scale,
                  bool is_checked);

/* Completes the offset of one region, and writes a message if the offset or the buffer is wrong. If the offset is so
 * wrong that nothing is counted, the message is written by compat_warn. reach: see offset_complete. Returns false if
 * the buffer cannot be written. The buffer is only checked if PPROFIL_DEBUG or PPROFIL_STRICT is set. Call this between
 * compat_enter and compat_leave. */
bool compat_check_region(const struct compat_call *call, struct wire_profil_region *region, uint64_t reach);
/* Checks only a buffer, as compat_check_region does. Returns false if the buffer cannot be written. Call this between
 * compat_enter and compat_leave. */
bool compat_check_buffer(const char *call, uint64_t address, uint64_t size);

/* Ends the counting in the threads of `scope`. call: name of the function that the program has called, for messages.
 * Returns 0 or a negative errno. */
int compat_stop(const char *call, enum wire_profil_scope scope);

/* Copies `size` bytes. The address `from` may be invalid. Returns 0 or -EFAULT. */
int compat_copy(void *to, const void *from, size_t size);

/* Returns zeroed memory that does not come from the allocator, or NULL. */
void *compat_map(size_t size);
void compat_unmap(void *memory, size_t size);

/* --- bsd.c ----------------------------------------------------------------------------------- */

/* Does what profil(2) of 4.4BSD and of Mac OS X does. Returns 0, or -1 with errno set. caller: return address of the
 * program's call of profil. */
int bsd_profil(const char *dialect, const char *samples, size_t size, unsigned long offset, unsigned int scale,
               const void *caller);

#endif
