/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * n64-internal: what the files of the Nintendo 64's library share. n64.c has the osProfile calls. n64-stream.c writes
 * the data that gperf(1P) reads. n64-host.c has the current segments, and the I/O thread that answers gperf.
 *
 * When the I/O thread reads the segments, the program may have freed their histograms, or replaced the segments. So the
 * thread copies the list under a lock, and reads counters with compat_copy, which returns an error if an address is
 * bad.
 */
#ifndef PPROFIL_COMPAT_N64_INTERNAL_H
#define PPROFIL_COMPAT_N64_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* makes <ultra64.h> declare the functions without inline bodies, because n64.c defines them */
#define PPROFIL_N64_NO_INLINE
#include "compat/n64/ultra64.h"

/* The list of the profiled segments. The array is a copy of the program's array, in memory from compat_map. */
struct n64_list {
    OSProf *segments;
    size_t room; /* size of the block of memory at `segments`, bytes */
    u32 count, counter_size;
    u32 overflow; /* the overflow bin, a counter for pcs in no segment; the supervisor adds to it */
    u32 period_us;
};

/* The current list. Only the osProfile calls change it. As on the console, only one thread may make these calls. */
extern struct n64_list n64_list;

/* Replaces the current list. The overflow bin of the new list is 0. Returns 0 or -ENOMEM. */
int n64_list_replace(const OSProf *segments, u32 count, u32 counter_size);

/* A stream of bytes that is being written. */
struct n64_stream {
    int fd;               /* descriptor of a file or a socket */
    /* time until which the stream must be complete, CLOCK_MONOTONIC ns; 0: no limit. In addition, SO_SNDTIMEO limits
     * each send */
    uint64_t deadline_ns;
    uint64_t sum;         /* hash_fnv of all bytes so far */
};

/* Writes `size` bytes to the stream. Returns 0 or a negative errno; -ETIMEDOUT: stream->deadline_ns has passed. */
int n64_stream_put(struct n64_stream *stream, const void *bytes, size_t size);
/* Writes the data that osProfileFlush sends. pprofil-formats(5) describes it under "n64". Returns 0 or a negative
 * errno; -EFAULT: a histogram is not mapped. */
int n64_stream_write(struct n64_stream *stream, const struct n64_list *list);
/* Writes the lines of a FILE.meta to a new memfd. They contain facts that the stream cannot hold. sum: result of
 * hash_fnv for the file that the lines describe; 0: the lines are not for a file, but are sent together with the
 * stream. Returns a descriptor, which the caller closes, or a negative errno. */
int n64_meta_make(uint64_t sum);

/* Starts the I/O thread, which answers gperf, unless this thread already runs in this process. If the thread cannot be
 * started, gperf gets no answer. If PPROFIL_DEBUG is set, a message says why. */
void n64_host_begin(void);
/* Sends the profile to a gperf that runs as a server. Returns 0 or a negative errno: there is no server, or it belongs
 * to another user, or it does not take all data. */
int n64_host_send(const struct n64_list *list);

#endif
