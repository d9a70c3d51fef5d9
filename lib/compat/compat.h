/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compat: the calls of the profil family for programs that contain them. A call becomes a request to a supervisor,
 * which traces the calling process and counts into its memory. The first call starts the supervisor. lib/wire/wire.h
 * has the protocol.
 *
 * Each system has a library of its own, which needs only libc because it is loaded into other people's programs. It
 * defines the names of the system's manual pages, so that a program that declares profil itself gets its system's, and
 * never the C library's. compat.c makes requests, histogram.c checks a histogram before, own-maps.c completes addresses
 * of 32 bits, and say.c writes messages.
 */
#ifndef PPROFIL_COMPAT_H
#define PPROFIL_COMPAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

/* Between these two calls signals are blocked and the thread cannot be cancelled; compat_leave restores errno. They may
 * nest. All code that opens a descriptor or waits is between them, because a signal handler might never return. */
struct compat_guard {
    int before, cancel;
    unsigned long mask[128 / sizeof(unsigned long)]; /* a sigset_t: <signal.h> declares the C library's profil */
};
void compat_enter(struct compat_guard *guard);
void compat_leave(const struct compat_guard *guard);

/* Sends a request to the supervisor and waits for the answer, whose value is written to *value unless that is NULL. May
 * be called from any thread, in a forked child and in a signal handler. Leaves errno alone. Returns 0 or -errno; if
 * PPROFIL_DEBUG is set, a message on stderr explains the error. */
int compat_ask(const char *call, const struct wire_profil *request, int64_t *value);

/* Is PPROFIL_STRICT set, and not 0? Then calls fail whenever the page says so, also where we would serve them. */
bool compat_is_strict(void);
/* Is PPROFIL_SOLARIS_PER_LWP set, and not 0? */
bool compat_is_per_thread(void);
/* Is PPROFIL_DEBUG set, and not 0? */
bool compat_is_debugged(void);
/* Writes to stderr why a call cannot be served, if PPROFIL_DEBUG is set. */
__attribute__((format(printf, 2, 3))) void compat_say(const char *call, const char *format, ...);
/* Writes an important message to stderr, unless PPROFIL_DEBUG is 0. Neither of the two waits or raises a signal, and
 * they write only if standard error is still the file that it was when the program began. */
__attribute__((format(printf, 2, 3))) void compat_warn(const char *call, const char *format, ...);

/* A call of a system that begins to count. */
struct compat_call {
    const char *name;    /* of the function, for messages */
    const char *dialect;
    unsigned counter_size;         /* bytes */
    enum wire_profil_scope scope;  /* whose samples count */
    const void *caller;            /* its return address */
};

/* Begins to count in one histogram of size bytes. A scale that means off in the dialect ends counting. An offset of 32
 * bits is completed. Returns 0 or -errno; -EFAULT, only if is_checked: the buffer cannot be written. Leaves errno
 * alone. */
int compat_profil(const struct compat_call *call, const void *buffer, size_t size, uint64_t offset, uint32_t scale,
                  bool is_checked);

/* Completes the offset of one region, and reports what is wrong with its offset and its buffer. The message that
 * nothing can be counted is an important one. reach: see offset_complete. Returns false if the buffer cannot be
 * written, which is only checked with PPROFIL_DEBUG or PPROFIL_STRICT. Call it between compat_enter and
 * compat_leave. */
bool compat_check_region(const struct compat_call *call, struct wire_profil_region *region, uint64_t reach);
/* Checks in the same way any memory that will be counted in. Call it between compat_enter and compat_leave. */
bool compat_check_buffer(const char *call, uint64_t address, uint64_t size);

/* Ends counting in the threads of a scope. call: its name, for messages. */
int compat_stop(const char *call, enum wire_profil_scope scope);

/* Copies memory that may not be mapped. Returns 0 or -EFAULT. */
int compat_copy(void *to, const void *from, size_t size);

/* Returns zeroed memory that does not come from the allocator, or NULL. */
void *compat_map(size_t size);
void compat_unmap(void *memory, size_t size);

/* --- bsd.c ----------------------------------------------------------------------------------- */

/* profil(2) of 4.4BSD and of Mac OS X. Returns 0, or -1 and errno. caller: the return address of the call. */
int bsd_profil(const char *dialect, const char *samples, size_t size, unsigned long offset, unsigned int scale,
               const void *caller);

#endif
