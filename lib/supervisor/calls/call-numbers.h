/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* call-numbers: system calls have other numbers on each machine, and in each ABI of x86-64. */
#ifndef PPROFIL_CALL_NUMBERS_H
#define PPROFIL_CALL_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/regs.h"

#define CALL_NONE (-1) /* an ABI does not have the call */

/* Calls that socketcall(2) of 32-bit programs may stand for. */
#define CALL_CONNECT_I386 362
#define CALL_ACCEPT4_I386 364

/* Returns the number that a call has in that ABI. */
int32_t call_number(enum regs_abi abi, int32_t native, int16_t x32, int16_t i386);

/* Copies call to *unpacked. If it is a socketcall(2) of a 32-bit program, *unpacked becomes the call that it stands
 * for, with the arguments from the memory of tid. Returns false if they cannot be read, or if that call never waits. */
bool call_unpack_socketcall(pid_t tid, const struct regs_call *call, struct regs_call *unpacked);

#endif
