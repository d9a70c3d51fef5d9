/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * regs: the one door to a machine's registers. One file per architecture behind it,
 * chosen by configure.
 */
#ifndef PPROFIL_REGS_H
#define PPROFIL_REGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

#define REGS_NO_LIMIT UINT64_MAX
#define REGS_UNKNOWN_LIMIT UINT64_C(60000000000) /* most are shorter */

struct regs {
    uint64_t pc, sp;
    uint64_t general[WIRE_STACK_REGS]; /* in DWARF's numbering, for unwinding */
    uint64_t known;                    /* bit i: general[i] is filled in */
    int32_t syscall; /* the call that this stop interrupted, or WIRE_NO_SYSCALL */
    bool compat;     /* the thread runs the machine's 32-bit ABI */
    bool entered;    /* it went into the kernel by itself: a call or a fault, no interrupt */
    bool failed;     /* that call is about to return EINTR, and may be restarted */
    uint64_t limit_ns; /* its time limit */
};

/* Reads the registers of a stopped tracee. 0 or -errno. */
int regs_read(pid_t tid, struct regs *regs);

/* Of struct ucontext, in which a signal's frame keeps what it interrupted, in bytes. It begins with
 * words that are the same everywhere: flags, link, and of the alternate stack start, flags, size. */
struct regs_context {
    unsigned word; /* the size of one */
    unsigned sp;   /* where the stack pointer lies */
    unsigned rest; /* of its address divided by 16 */
};
struct regs_context regs_context(bool compat);

/* Makes a call that regs_read found failed start over when the tracee runs on, unless a
 * signal handler runs first; then it returns EINTR as it would have without us. Returns
 * whether it did. */
bool regs_restart_syscall(pid_t tid, const struct regs *regs);

#endif
