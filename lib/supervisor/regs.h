/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* regs: the one door to a machine's registers. Behind it is one file for each architecture, chosen by configure. */
#ifndef PPROFIL_REGS_H
#define PPROFIL_REGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

struct procfs_task;

/* The ABI whose numbers and layouts a system call has. */
enum regs_abi {
    REGS_ABI_NATIVE,
    REGS_ABI_X32,  /* x86-64 with 32-bit pointers */
    REGS_ABI_I386, /* of 32-bit programs, and of int 0x80 in 64-bit ones */
};

#define REGS_CALL_ARGUMENTS 6
#define REGS_RAW 36 /* 64-bit words of the largest set of registers */

/* A system call as a stop behind it shows it: what it was asked for, and what it is about to return. */
struct regs_call {
    enum regs_abi abi;
    int32_t number;
    bool lacks_first; /* arguments[0] is not known yet: regs_complete_call */
    /* lacks_first: a hash of the registers that rt_sigreturn(2) restores, except the one that has the result */
    uint64_t fingerprint;
    uint64_t arguments[REGS_CALL_ARGUMENTS]; /* in 32-bit ABIs the upper half is 0 */
    int64_t result;                          /* or -errno; also the kernel's own -ERESTART... */
};

struct regs {
    uint64_t pc, sp;
    uint64_t general[WIRE_STACK_REGS]; /* in DWARF's numbering, for unwinding */
    uint64_t known;                    /* bit i: general[i] is filled in */
    int32_t syscall;                   /* the call that this stop interrupted, or WIRE_NO_SYSCALL */
    uint64_t call_end;                 /* address of the instruction that follows the one of that call */
    bool compat;                       /* the thread runs in the machine's 32-bit ABI */
    bool entered;           /* the thread entered the kernel by itself, by a call or a fault, and not by an interrupt */
    int64_t result;         /* what that call is about to return */
    uint64_t raw[REGS_RAW]; /* as the kernel gave them; only regs-*.c use this */
};

/* Reads the registers of a stopped tracee. Returns 0 or -errno. */
int regs_read(pid_t tid, struct regs *regs);

/* Returns true if the client can unwind the stacks of such a thread. */
bool regs_are_unwound(bool compat);

/* The layout of struct ucontext, in which the frame of a signal keeps what it interrupted. It begins with the same
 * words on all machines: flags, link, and of the alternate stack start, flags, size. */
struct regs_context {
    unsigned word; /* size of a word, bytes */
    unsigned sp;   /* offset of the stack pointer, bytes */
    unsigned rest; /* address of the struct modulo 16 */
};
struct regs_context regs_context(bool compat);

/* Makes a call that is about to return -EINTR start over when the tracee is resumed, unless a signal handler runs
 * first; then it returns EINTR as it would have done without us. Returns 0; -ENOSYS: this machine cannot do that, but
 * regs_enter_call can; or -errno. */
int regs_restart_call(pid_t tid);

/* Fills *call in with the call that a thread is about to return from, by the registers read at a stop. Returns false if
 * there is none, or if the machine does not show it. If the kernel has prepared the call to begin anew, the function
 * either returns false, or sets call->result to one that says so (include/linux/errno.h). */
bool regs_call(pid_t tid, const struct regs *regs, struct regs_call *call);
/* Finds out call->arguments[0], if call lacks it. files: of the thread that makes the call, at the same stop as
 * regs_call. Returns 0 or -errno: what procfs_first_argument returns. */
int regs_complete_call(const struct procfs_task *files, struct regs_call *call);
/* Puts a tracee that stands behind a system call instruction before it again, to make another call of the same ABI by
 * it. The tracee makes that call when it is resumed, after signals that are pending. Returns 0 or -errno. */
int regs_enter_call(pid_t tid, const struct regs_call *call);
/* Gives a tracee the registers that it has when call has returned call->result. CALL_RESTARTNOHAND of calls.h: the call
 * begins anew, or returns EINTR if a signal waits. entered: the tracee stands where regs_enter_call put it, and not
 * behind the instruction. hidden: a stop that follows shows no call. Returns 0; 1 where such a stop shows the call all
 * the same; or -errno. */
int regs_leave_call(pid_t tid, const struct regs_call *call, bool entered, bool hidden);
/* Sets the value that the call at whose end tid stands is about to return (negative: -errno), and no other register.
 * Returns 0 or -errno. */
int regs_set_result(pid_t tid, int64_t result);

#endif
