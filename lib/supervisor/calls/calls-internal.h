/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* calls-internal: finds the number of a system call in each ABI, and reads a call's vectors and messages from the
 * target's memory. Only files of calls/ include this header. */
#ifndef PPROFIL_CALLS_INTERNAL_H
#define PPROFIL_CALLS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/calls/calls.h"
#include "supervisor/regs.h"

#define CALL_NONE (-1) /* no such call in this ABI, or no such argument */

/* i386 numbers of two calls that a socketcall(2) can make. */
#define CALL_CONNECT_I386 362
#define CALL_ACCEPT4_I386 364

/* Returns the number of a call in this ABI. native, x32, i386: its numbers in the three ABIs. */
int32_t call_number(enum regs_abi abi, int32_t native, int16_t x32, int16_t i386);

/* Copies call to *unpacked. If it is a socketcall(2) of a 32-bit program, sets *unpacked to the call that it makes, and
 * reads the arguments from the memory of tid. Returns false if they cannot be read, or if calls/ does not handle that
 * call. */
bool call_unpack_socketcall(pid_t tid, const struct regs_call *call, struct regs_call *unpacked);

/* Sizes and offsets of the structures of calls in memory, bytes. */
struct call_layout {
    unsigned word;
    unsigned message_vector, message_count, message_control, message_flags; /* offsets in struct msghdr */
    unsigned message_length;                                                /* offset in struct mmsghdr */
    unsigned message_size;                                                  /* size of struct mmsghdr */
};

struct call_vector {
    uint64_t address, count;
};

/* The position of a byte in a vector, and the number of elements that fit from that byte on. */
struct call_position {
    /* index of the element with the byte; the number of elements if the vector ends before the byte */
    uint64_t element;
    uint64_t within;        /* offset of the byte in that element */
    uint64_t base, length;  /* address and size of that element */
    /* number of elements, from that byte on, that fit into room bytes: see call_find_position */
    uint64_t fitting;
    uint64_t fitting_bytes; /* number of bytes in these elements, from that byte on */
};

/* Returns the layout for the word size of the request. */
const struct call_layout *call_layout(const struct call_request *request);

/* Returns the address of a message of a call with several messages. message: index, from 0. */
uint64_t call_message_address(const struct call_request *request, uint64_t message);

/* Finds byte number `done` of a vector, and counts the elements from that byte on that fit into room bytes. Returns 0
 * or -errno: -EINVAL if the vector has more elements than the kernel accepts. */
int call_find_position(pid_t tid, const struct call_request *request, const struct call_vector *vector,
                       uint64_t done, uint64_t room, struct call_position *position);

/* Reads the vector of the message at address, and the address of its ancillary data into *control. Returns 0 or
 * -errno. */
int call_read_message(pid_t tid, const struct call_request *request, uint64_t address,
                      struct call_vector *vector, uint64_t *control);

/* Reads the msg_flags of the message at address, as recvmsg(2) has set them. Returns 0 or -errno. */
int call_read_flags(pid_t tid, const struct call_request *request, uint64_t address, uint32_t *flags);

#endif
