/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * n64-internal: shared by the files of the Nintendo 64's library. n64.c has the calls and the current segments,
 * n64-stream.c writes what gperf(1P) reads, and n64-host.c is the thread that answers it.
 *
 * When the I/O thread reads the segments, the program may have freed their histograms or passed others. So the list is
 * copied under a lock, and counters are read in a way that makes a bad address an error.
 */
#ifndef PPROFIL_COMPAT_N64_INTERNAL_H
#define PPROFIL_COMPAT_N64_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PPROFIL_N64_NO_INLINE /* this library defines the functions */
#include "compat/n64/ultra64.h"

/* What is profiled. The segments are a copy of the program's, in memory from compat_map. */
struct n64_list {
    OSProf *segments;
    size_t room; /* bytes of their memory */
    u32 count, counter_size;
    u32 overflow; /* the overflow bin */
    u32 period_us;
};

/* The current list. Only the calls change it, and only one thread makes them, as on the console. */
extern struct n64_list n64_list;

/* Replaces the current list, and sets the overflow bin to 0. Returns 0 or -ENOMEM. */
int n64_list_replace(const OSProf *segments, u32 count, u32 counter_size);
/* Copies the current list; any thread may call this. Returns 0 or -ENOMEM; n64_list_free frees the copy. */
int n64_list_copy(struct n64_list *copy);
void n64_list_free(struct n64_list *copy);
/* In a forked child, where no thread has the lock. */
void n64_list_unlock_child(void);

/* A stream that is being written. */
struct n64_stream {
    int fd;               /* a file or a socket */
    uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none. SO_SNDTIMEO limits a single send */
    uint64_t sum;         /* of all bytes so far: hash_fnv */
};

/* Writes bytes. Returns 0 or -errno; -ETIMEDOUT: the deadline has passed. */
int n64_stream_put(struct n64_stream *stream, const void *bytes, size_t size);
/* Writes what osProfileFlush sends: pprofil-formats(5), "n64". Returns 0 or -errno; -EFAULT: a histogram is not
 * mapped. */
int n64_stream_write(struct n64_stream *stream, const struct n64_list *list);
/* Writes the lines of a FILE.meta, which has what the stream cannot hold, to a new memfd. sum: of the file that they
 * describe; 0: they are sent with the stream. Returns a descriptor, which the caller closes, or -errno. */
int n64_meta_make(uint64_t sum);

/* Starts the thread that answers gperf's requests, unless this process has it. If it cannot be started, PPROFIL_DEBUG
 * explains why, and requests are not answered. */
void n64_host_begin(void);
/* Sends the profile to a gperf that runs as a server. Returns 0 or -errno: there is none, or it refuses. */
int n64_host_send(const struct n64_list *list);

#endif
