/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocking calls. Each moves BLOCKING_SIZE bytes, unless a signal with a handler ends it early. */
#ifndef BLOCKING_CALLS_H
#define BLOCKING_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BLOCKING_SIZE (1u << 20)

/* The bytes to send, and the memory to receive them: BLOCKING_SIZE bytes each, mapped shared, so that a child sees
 * them, too. */
extern unsigned char *pattern, *room;

struct blocking_call {
    const char *name;
    /* for calls on a descriptor: */
    void (*make)(int end[2]); /* connects end[0], for reading, with end[1], for writing */
    ssize_t (*call)(int fd);  /* moves the pattern into fd, or from fd into `room` */
    bool goes_on;             /* not tested with signals: after a signal, this call goes on, or the next call fails */
    /* for other calls: */
    ssize_t (*alone)(void);
    unsigned char *const *changes; /* the memory that the call fills, from its first byte on; may be NULL */
    bool copies;                   /* the call copies the pattern into `room` */
};

enum { BLOCKING_SENDERS, BLOCKING_RECEIVERS, BLOCKING_ALONE };

/* Returns the calls of a kind. A call without a name ends the list. */
const struct blocking_call *blocking_calls(int kind);

/* Makes the memory and the files that the calls need. Call it first. On failure it ends the process. */
void blocking_init(void);

bool blocking_is_terminal(const struct blocking_call *call);

/* Returns true if these are the bytes at that offset of a stream that repeats the pattern. */
bool is_pattern(const unsigned char *bytes, size_t size, uint64_t offset);

#endif
