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

#define CALL_NONE (-1) /* instead of a number: this ABI has no such call, or the call has no such argument */

/* Numbers, in the i386 ABI, of two calls that a socketcall(2) can make. */
#define CALL_CONNECT_I386 362
#define CALL_ACCEPT4_I386 364

/* Returns the number of a call in this ABI. native, x32, i386: its numbers in the three ABIs. */
int32_t call_number(enum regs_abi abi, int32_t native, int16_t x32, int16_t i386);

/* Copies call to *unpacked. But if `call` is a socketcall(2) of a 32-bit program, sets *unpacked to the call that the
 * socketcall makes, with arguments read from the memory of thread `tid`. Returns false if these cannot be read, or if
 * the files of calls/ do not handle that call. */
bool call_unpack_socketcall(pid_t tid, const struct regs_call *call, struct regs_call *unpacked);

/* Sizes, and offsets of fields, of the structures that calls use in the target's memory; all in bytes. */
struct call_layout {
    unsigned word;
    unsigned message_vector, message_count, message_control, message_flags; /* offsets in struct msghdr */
    unsigned message_length;                                                /* offset in struct mmsghdr */
    unsigned message_size;                                                  /* size of struct mmsghdr */
};

struct call_vector {
    uint64_t address, count;
};

/* Result of call_find_position: the place of a byte in a vector, and how many elements fit into a given size. */
struct call_position {
    /* index of the element that contains the byte; if the vector is shorter, its number of elements */
    uint64_t element;
    uint64_t within;        /* offset of the byte in that element */
    uint64_t base, length;  /* address and size of that element */
    /* how many elements fit into `room` bytes (parameter of call_find_position); the first one begins at the byte */
    uint64_t fitting;
    uint64_t fitting_bytes; /* total size of these elements, from the byte on */
};

/* Returns the layout with 64-bit words, or that with 32-bit words if request->narrow is true. */
const struct call_layout *call_layout(const struct call_request *request);

/* Returns the address of one message of a call that moves several messages (CALL_MESSAGES). message: index of the
 * message; the first is 0. */
uint64_t call_message_address(const struct call_request *request, uint64_t message);

/* Finds the byte at offset `done` in a vector, counted over all elements. Also counts the elements whose total size,
 * beginning at that byte, is at most `room` bytes. Returns 0 or -errno: -EINVAL if the vector has more elements than
 * the kernel accepts. */
int call_find_position(pid_t tid, const struct call_request *request, const struct call_vector *vector,
                       uint64_t done, uint64_t room, struct call_position *position);

/* Reads the message at `address` (struct msghdr): sets *vector to its vector, and *control to the address of its
 * ancillary data. Returns 0 or -errno. */
int call_read_message(pid_t tid, const struct call_request *request, uint64_t address,
                      struct call_vector *vector, uint64_t *control);

/* Reads field msg_flags of the message at `address`, which recvmsg(2) has set. Returns 0 or -errno. */
int call_read_flags(pid_t tid, const struct call_request *request, uint64_t address, uint32_t *flags);

#endif
