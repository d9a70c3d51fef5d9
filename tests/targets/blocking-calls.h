/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocking calls that move all that they are asked for, BLOCKING_SIZE bytes, unless a signal comes.
 */
#ifndef BLOCKING_CALLS_H
#define BLOCKING_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BLOCKING_SIZE (1u << 20)

/* What is sent, and where it is received. Both are mapped shared, so that a child sees them, too.
 */
extern unsigned char *pattern, *room;

struct blocking_call {
    const char *name;
    /* with a descriptor */
    void (*make)(int end[2]); /* connects end[1], which is written to, with end[0] */
    ssize_t (*call)(int fd);  /* moves the pattern into fd, or from fd into room */
    bool goes_on;             /* a signal does not end it, or leaves an error for the next one */
    /* or without */
    ssize_t (*alone)(void);
    unsigned char *const *changes; /* the memory that it fills from the beginning on; may be NULL */
    bool copies;                   /* it fills room with the pattern */
};

enum { BLOCKING_SENDERS, BLOCKING_RECEIVERS, BLOCKING_ALONE };

/* The calls of one of these kinds, the last of which has no name. */
const struct blocking_call *blocking_calls(int kind);

/* To be called first. Ends the process when something cannot be had. */
void blocking_init(void);

bool blocking_is_terminal(const struct blocking_call *call);

/* Bytes at an offset in a stream that repeats the pattern: are they the right ones? */
bool is_pattern(const unsigned char *bytes, size_t size, uint64_t offset);

#endif
