/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compat: the calls of the profil family for programs that contain them. A call becomes a
 * request to a supervisor that traces the calling process and counts into its memory; the
 * first one starts it. See lib/wire/wire.h for how they talk.
 *
 * Each system has a library of its own, of libc only, because it lives in programs of other people. It defines the
 * names that the system's pages have, so that a program that declares profil itself gets the one of its system, and
 * never the C library's. compat.c is how requests are made, histogram.c what is checked before, offset.c and
 * own-maps.c complete addresses of 32 bits, say.c is what is said to people.
 */
#ifndef PPROFIL_COMPAT_H
#define PPROFIL_COMPAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

/* Between these two no signal comes and the thread is not cancelled, and errno is afterwards what it was. They nest.
 * Whatever opens a descriptor or waits does it between them: a handler might never come back. */
struct compat_guard {
    int before, cancel;
    unsigned long mask[128 / sizeof(unsigned long)]; /* a sigset_t: <signal.h> declares the C library's profil */
};
void compat_enter(struct compat_guard *guard);
void compat_leave(const struct compat_guard *guard);

/* Makes a request of the process; *value is the answer's, and value may be NULL. May be called from any thread, in a
 * forked child and in a signal handler. errno stays. 0 or -errno; what went wrong is said on
 * stderr if PPROFIL_DEBUG is set. */
int compat_ask(const char *call, const struct wire_profil *request, int64_t *value);

/* Is PPROFIL_STRICT set, and not 0? Then errors are those of the page where we are kinder otherwise. */
bool compat_is_strict(void);
/* Is PPROFIL_SOLARIS_PER_LWP? */
bool compat_is_per_thread(void);
/* Does PPROFIL_DEBUG ask for explanations? */
bool compat_is_debugged(void);
/* Says on stderr why a call cannot be served, where PPROFIL_DEBUG is set. */
__attribute__((format(printf, 2, 3))) void compat_say(const char *call, const char *format, ...);
/* Says what nobody may miss, unless PPROFIL_DEBUG is 0. Neither waits, raises a signal, or writes where standard error
 * is not what it was when the program began. */
__attribute__((format(printf, 2, 3))) void compat_warn(const char *call, const char *format, ...);

/* One of the calls that begin to count, as its system has it. */
struct compat_call {
    const char *name;    /* of the function, for messages */
    const char *dialect;
    unsigned counter_size;         /* bytes */
    enum wire_profil_scope scope;  /* which threads it is about */
    const void *caller;            /* its return address */
};

/* Begins to count in one histogram of size bytes. A scale that the dialect takes for off turns off what is on. An
 * offset of 32 bits is completed. -EFAULT where the buffer cannot be written, if is_checked; else
 * 0 or -errno. errno stays. */
int compat_profil(const struct compat_call *call, const void *buffer, size_t size, uint64_t offset, uint32_t scale,
                  bool is_checked);

/* Completes the offset of one region, and says what is wrong with its offset and its buffer; where nothing can be
 * counted, without being asked. reach: see offset_complete. Returns whether the buffer can be written; only looked
 * at where somebody wants to know (debugged, strict). Inside compat_enter. */
bool compat_check_region(const struct compat_call *call, struct wire_profil_region *region, uint64_t reach);
/* The second half of that, of any memory that is to be counted in. Inside compat_enter. */
bool compat_check_buffer(const char *call, uint64_t address, uint64_t size);

/* Turns off whatever is on in the threads of that scope. call: for messages. */
int compat_stop(const char *call, enum wire_profil_scope scope);

/* Copies what may not be there. 0 or -EFAULT. */
int compat_copy(void *to, const void *from, size_t size);

/* Zeroed memory for so many bytes, which the allocator knows nothing of, or NULL. */
void *compat_map(size_t size);
void compat_unmap(void *memory, size_t size);

/* --- bsd.c ----------------------------------------------------------------------------------- */

/* The profil(2) of 4.4BSD and of Mac OS X, for its dialect: 0, or -1 and errno. caller: the address that the call returns
 * to. */
int bsd_profil(const char *dialect, const char *samples, size_t size, unsigned long offset, unsigned int scale,
               const void *caller);

#endif
