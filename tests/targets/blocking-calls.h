/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocking calls that move all that they are asked for, BLOCKING_SIZE bytes, unless a signal with a handler comes. */
#ifndef BLOCKING_CALLS_H
#define BLOCKING_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BLOCKING_SIZE (1u << 20)

/* What is sent, and where it is received: BLOCKING_SIZE bytes each, mapped shared, so that a child sees them, too. */
extern unsigned char *pattern, *room;

struct blocking_call {
    const char *name;
    /* a call on a descriptor: */
    void (*make)(int end[2]); /* connects end[1], which is written to, with end[0] */
    ssize_t (*call)(int fd);  /* moves the pattern into fd, or from fd into room */
    bool goes_on;             /* a signal does not end it, or leaves an error for the next one */
    /* or one that needs none: */
    ssize_t (*alone)(void);
    unsigned char *const *changes; /* the memory that it fills from its beginning; may be NULL */
    bool copies;                   /* it fills room with the pattern */
};

enum { BLOCKING_SENDERS, BLOCKING_RECEIVERS, BLOCKING_ALONE };

/* All calls of one of these kinds. A call without a name ends the list. */
const struct blocking_call *blocking_calls(int kind);

/* Makes what the calls need; to be called first. Ends the process where it cannot. */
void blocking_init(void);

bool blocking_is_terminal(const struct blocking_call *call);

/* Are these the bytes at that offset of a stream that repeats the pattern? */
bool is_pattern(const unsigned char *bytes, size_t size, uint64_t offset);

#endif
