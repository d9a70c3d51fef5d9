/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* regs: reads and writes a tracee's registers, and the system calls that they contain. Each architecture has a file,
 * regs-ARCHITECTURE.c, which configure chooses. */
#ifndef PPROFIL_REGS_H
#define PPROFIL_REGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

struct procfs_task;

/* The ABI of a system call, which determines its number and its layouts in memory. */
enum regs_abi {
    REGS_ABI_NATIVE,
    REGS_ABI_X32,  /* x86-64 with 32-bit pointers */
    REGS_ABI_I386, /* for 32-bit programs, and for int 0x80 in 64-bit programs */
};

#define REGS_CALL_ARGUMENTS 6
#define REGS_RAW 36 /* size of the largest set of registers, in 64-bit words */

/* A system call as seen at a stop after its instruction: the arguments, and the result that the call returns when the
 * tracee is resumed. */
struct regs_call {
    enum regs_abi abi;
    int32_t number;
    bool lacks_first; /* arguments[0] is not known: regs_complete_call finds it out */
    /* if lacks_first: a hash of the registers that rt_sigreturn(2) restores, without the result */
    uint64_t fingerprint;
    uint64_t arguments[REGS_CALL_ARGUMENTS]; /* in 32-bit ABIs the upper halves are 0 */
    int64_t result;                          /* result or -errno; may be an -ERESTART... code of the kernel */
};

struct regs {
    uint64_t pc, sp;
    uint64_t general[WIRE_STACK_REGS]; /* registers in DWARF's numbering, for unwinding */
    uint64_t known;                    /* bit i: general[i] is filled in */
    int32_t syscall;                   /* number of the call that this stop interrupted, or WIRE_NO_SYSCALL */
    uint64_t call_end;                 /* address after the instruction of that call */
    bool compat;                       /* the thread runs in the machine's 32-bit ABI */
    bool entered;           /* the thread entered the kernel by a call or a fault, not by an interrupt */
    int64_t result;         /* result that the call returns when the tracee is resumed */
    uint64_t raw[REGS_RAW]; /* all registers as the kernel returned them; only regs-*.c use this */
};

/* Reads the registers of a stopped tracee. Returns 0 or -errno. */
int regs_read(pid_t tid, struct regs *regs);

/* Returns true if the client can unwind the stack of a thread. compat: struct regs. */
bool regs_are_unwound(bool compat);

/* The layout of struct ucontext, in which a signal's frame keeps the interrupted state. On all machines, struct
 * ucontext begins with these words: flags, link, then start, flags and size of the alternate stack. */
struct regs_context {
    unsigned word; /* size of a word, bytes */
    unsigned sp;   /* offset of the stack pointer, bytes */
    unsigned rest; /* start address of the struct, modulo 16 */
};
struct regs_context regs_context(bool compat);

/* Makes a call that would return -EINTR begin anew when the tracee is resumed. If a signal handler runs first,
 * the call returns EINTR, as it does without us. Returns 0 or -errno; -ENOSYS: impossible on this machine, where
 * regs_enter_call must be used. */
int regs_restart_call(pid_t tid);

/* Finds the call from which a thread will return when it is resumed, in the registers read at a stop. Fills *call in.
 * Returns false if there is no such call, or if the machine does not show it. If the kernel has prepared the call to
 * begin anew, either returns false, or sets call->result to an -ERESTART... code (include/linux/errno.h). */
bool regs_call(pid_t tid, const struct regs *regs, struct regs_call *call);
/* Finds out call->arguments[0] if call lacks it. To be called at the same stop as regs_call. files: files of the
 * thread. Returns 0 or -errno, such as an error of procfs_first_argument. */
int regs_complete_call(const struct procfs_task *files, struct regs_call *call);
/* Moves a tracee that is stopped after a system call instruction back to that instruction, and gives it the registers
 * for another call of the same ABI. The tracee makes that call when it is resumed, after pending signals. Returns 0 or
 * -errno. */
int regs_enter_call(pid_t tid, const struct regs_call *call);
/* Gives a tracee the registers that it has after call has returned call->result. If the result is CALL_RESTARTNOHAND of
 * calls.h, the call begins anew, or returns EINTR if a signal is pending. entered: the tracee is still before the
 * instruction, as after regs_enter_call; otherwise after it. hidden: later stops should show no call. Returns 0; 1 if
 * hidden is impossible here; or -errno. */
int regs_leave_call(pid_t tid, const struct regs_call *call, bool entered, bool hidden);
/* Sets the value that a call returns when the tracee is resumed (negative: -errno), and no other register. tid: a
 * thread that is stopped after that call. Returns 0 or -errno. */
int regs_set_result(pid_t tid, int64_t result);

#endif
