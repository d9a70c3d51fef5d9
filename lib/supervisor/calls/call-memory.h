/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* call-memory: where a call's vectors and messages are in the target's memory. */
#ifndef PPROFIL_CALL_MEMORY_H
#define PPROFIL_CALL_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

#include "supervisor/calls/calls.h"

struct call_layout {
    unsigned word;
    unsigned message_vector, message_count, message_control, message_flags; /* in struct msghdr */
    unsigned message_length;                                                /* in struct mmsghdr */
    unsigned message_size;                                                  /* of that */
};

struct call_vector {
    uint64_t address, count;
};

/* Where some bytes from the beginning of a vector are. */
struct call_position {
    uint64_t element; /* the vector's count: behind its end */
    uint64_t within;  /* bytes into that */
    uint64_t base, length; /* of that element */
    uint64_t fitting;      /* elements from there on whose ends are no more than room bytes away, ... */
    uint64_t fitting_bytes; /* ... and what they have together */
};

const struct call_layout *call_layout(const struct call_request *request);

/* Returns the address of a message of a call that has several, 0 being the first. */
uint64_t call_message_address(const struct call_request *request, uint64_t message);

/* Finds where byte `done` of a vector is, and which elements from there on are within room bytes. 0 or -errno:
 * -EINVAL where it has more elements than the kernel takes. */
int call_find_position(pid_t tid, const struct call_request *request, const struct call_vector *vector,
                       uint64_t done, uint64_t room, struct call_position *position);

/* Reads the vector of the message at address; *control: where its ancillary data is to be. 0 or -errno. */
int call_read_message(pid_t tid, const struct call_request *request, uint64_t address,
                      struct call_vector *vector, uint64_t *control);

/* Reads what recvmsg(2) has told of the message at address: its msg_flags. 0 or -errno. */
int call_read_flags(pid_t tid, const struct call_request *request, uint64_t address, uint32_t *flags);

#endif
