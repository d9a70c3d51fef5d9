/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * n64-internal: what the files of the Nintendo 64's library share. n64.c has the calls, n64-list.c the segments that
 * are in force, n64-stream.c writes what gperf(1P) reads, n64-host.c talks to it.
 *
 * The I/O thread looks at the segments whenever somebody asks, and the program may have freed its histograms, or given
 * others, since: the list is copied under a lock, and counters are read so that a bad address is an error.
 */
#ifndef PPROFIL_COMPAT_N64_INTERNAL_H
#define PPROFIL_COMPAT_N64_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PPROFIL_N64_NO_INLINE /* we define the functions */
#include "compat/n64/ultra64.h"

/* What is profiled. The segments are a copy of the program's, in memory of their own. */
struct n64_list {
    OSProf *segments;
    size_t room; /* bytes of their memory */
    u32 count, counter_size;
    u32 overflow; /* the bin */
    u32 period_us;
};

/* The list in force. Only the calls change it, which are one thread's, as on the console. */
extern struct n64_list n64_list;

/* Puts another list in its place, and empties the bin. 0 or -ENOMEM. */
int n64_list_replace(const OSProf *segments, u32 count, u32 counter_size);
/* A copy of what is in force, from any thread. 0 or -ENOMEM; n64_list_free frees it. */
int n64_list_copy(struct n64_list *copy);
void n64_list_free(struct n64_list *copy);
/* In a forked child: nobody has the lock. */
void n64_list_unlock_child(void);

/* Where a stream goes, and how far it has come. */
struct n64_stream {
    int fd;               /* a file or a socket */
    uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none. A send that waits has a limit of its own, SO_SNDTIMEO */
    uint64_t sum;         /* of all bytes so far: base/hash.h */
};

/* Writes bytes. 0 or -errno; -ETIMEDOUT: too late. */
int n64_stream_put(struct n64_stream *stream, const void *bytes, size_t size);
/* Writes what osProfileFlush sends: pprofil-formats(5), "n64". 0 or -errno; -EFAULT: a histogram is gone. */
int n64_stream_write(struct n64_stream *stream, const struct n64_list *list);
/* Makes the lines of a FILE.meta, what the stream cannot hold, in a new file in memory. sum: of the file that they are
 * about; 0: they go with the stream itself. A descriptor, or -errno. */
int n64_meta_make(uint64_t sum);

/* Starts the thread that answers gperf's requests, once in each process. Where it cannot be started, a request gets no
 * answer, and PPROFIL_DEBUG says why. */
void n64_host_begin(void);
/* Sends the profile to a gperf that runs as a server. 0, or -errno: there is none, or it does not take it. */
int n64_host_send(const struct n64_list *list);

#endif
