/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compat: the calls of the profil family for programs that contain them. A call becomes a
 * request to a supervisor that traces the calling process and counts into its memory; the
 * first one starts it. See lib/wire/wire.h for how they talk.
 *
 * This is a library of its own, of libc only, because it lives in programs of other people.
 */
#ifndef PPROFIL_COMPAT_H
#define PPROFIL_COMPAT_H

#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

/* Makes a request of the process; *value is the answer's. May be called from any thread, in a
 * forked child and in a signal handler. errno stays. 0 or -errno; what went wrong is said on
 * stderr if PPROFIL_DEBUG is set. */
int compat_ask(const char *call, const struct wire_profil *request, int64_t *value);

/* A histogram over one region; counters of counter_size bytes. A scale that its dialect takes
 * for off turns off what is on. */
int compat_profil(const char *dialect, unsigned counter_size, const void *buffer, size_t size,
                  uint64_t offset, uint32_t scale);

/* Turns off whatever is on. */
int compat_stop(void);

/* Copies what may not be there. 0 or -EFAULT. */
int compat_copy(void *to, const void *from, size_t size);

/* Zeroed memory for so many bytes, which the allocator knows nothing of, or NULL. */
void *compat_map(size_t size);
void compat_unmap(void *memory, size_t size);

#endif
