/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * n64-internal: what the files of the Nintendo 64's library share. n64.c has the calls, n64-stream.c writes what
 * gperf(1P) reads, n64-host.c talks to it.
 */
#ifndef PPROFIL_COMPAT_N64_INTERNAL_H
#define PPROFIL_COMPAT_N64_INTERNAL_H

#include <stdbool.h>
#include <sys/types.h>

#define PPROFIL_N64_NO_INLINE /* we define the functions */
#include "compat/n64/ultra64.h"

struct n64_profile {
    const OSProf *segments; /* the caller's */
    u32 count, counter_size;
    u32 overflow; /* the bin */
    u32 period_us;
    bool active;
};

/* Writes the stream of osProfileFlush: docs in pprofil-formats(5), "n64". 0 or -errno. */
int n64_stream_write(int fd, const struct n64_profile *profile);
/* Writes the lines that go into FILE.meta: what the stream cannot hold. size: of the file that they are about, bytes;
 * 0: they go with the stream itself. 0 or -errno. */
int n64_meta_write(int fd, uint64_t size);

/* Starts the thread that answers gperf's requests, once in each process. Where it cannot be started, a request gets no
 * answer, and PPROFIL_DEBUG says why. */
void n64_host_begin(const struct n64_profile *profile);
/* Sends the profile to a gperf that runs as a server. 0, or -errno: there is none. */
int n64_host_send(const struct n64_profile *profile);

#endif
