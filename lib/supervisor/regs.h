/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* regs: reads and changes the registers of a tracee, and the system call that they show. There is a file
 * regs-ARCHITECTURE.c for each architecture; configure chooses one of them. */
#ifndef PPROFIL_REGS_H
#define PPROFIL_REGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

struct procfs_task;

/* The ABI of a system call. It determines the number of the call, and the layout of the call's data in memory. */
enum regs_abi {
    REGS_ABI_NATIVE,
    REGS_ABI_X32,  /* x86-64 with 32-bit pointers */
    REGS_ABI_I386, /* for 32-bit programs, and for int 0x80 in 64-bit programs */
};

#define REGS_CALL_ARGUMENTS 6
#define REGS_RAW 36 /* size of the largest set of registers, in 64-bit words */

/* A system call, as the registers show it at a stop after the call's instruction: its arguments, and the result that it
 * returns when the tracee is resumed. */
struct regs_call {
    enum regs_abi abi;
    int32_t number;
    bool lacks_first; /* arguments[0] is not known yet; regs_complete_call can find it out */
    /* if lacks_first: a hash of the registers without the result, to recognize the call later */
    uint64_t fingerprint;
    uint64_t arguments[REGS_CALL_ARGUMENTS]; /* in a 32-bit ABI the upper half of each argument is 0 */
    int64_t result;                          /* result or -errno; may be an -ERESTART... code of the kernel */
};

struct regs {
    uint64_t pc, sp;
    uint64_t general[WIRE_STACK_REGS]; /* registers in DWARF's numbering, for unwinding */
    uint64_t known;                    /* if bit i is set, general[i] is filled in */
    uint64_t thread_pointer;           /* address of the thread control block; 0: not known */
    /* number of the system call in which the thread has stopped; WIRE_NO_SYSCALL: none */
    int32_t syscall;
    uint64_t call_end;                 /* address after the instruction of that call */
    bool compat;                       /* the thread runs in the machine's 32-bit ABI */
    bool entered;           /* the thread entered the kernel by a call or a fault, not by an interrupt */
    int64_t result;         /* result that the call returns when the tracee is resumed */
    uint64_t raw[REGS_RAW]; /* all registers, in the format of the kernel; only regs-*.c use this field */
};

/* Reads the registers of a stopped tracee. Returns 0 or -errno. */
int regs_read(pid_t tid, struct regs *regs);

/* Returns true if the client can unwind the stack of a thread. compat: field of struct regs for that thread. */
bool regs_are_unwound(bool compat);

/* The layout of struct ucontext. When a signal handler begins, the kernel stores the registers of the interrupted code
 * in this structure on the stack. On all machines it begins with these words: flags, link, then start, flags and size
 * of the alternate stack. */
struct regs_context {
    unsigned word; /* size of a word, bytes */
    unsigned sp;   /* offset of the field with the stack pointer, bytes */
    unsigned rest; /* address of the structure, modulo 16 */
    unsigned size; /* bytes up to the end of the last field that we read */
};
struct regs_context regs_context(bool compat);
/* Returns true if memory looks like a struct ucontext that the kernel has written. bytes: its first regs_context.size
 * bytes. */
bool regs_is_context(bool compat, const unsigned char *bytes);

/* Makes a call that would return -EINTR begin anew when the tracee is resumed. If a signal handler runs first, the call
 * returns EINTR, as it does without us. Returns 0 or -errno. -ENOSYS means that this machine has no way to do this, so
 * regs_enter_call must be used. */
int regs_restart_call(pid_t tid);

/* Finds the system call from which the thread will return when it is resumed. regs: the registers, as read at the stop.
 * Fills *call in and returns true. Returns false if there is no such call, or if the machine does not show it.
 * The kernel may have decided to begin the call anew. Then some machines do not show the call; on other machines
 * call->result is an -ERESTART... code (include/linux/errno.h). */
bool regs_call(pid_t tid, const struct regs *regs, struct regs_call *call);
/* If call->lacks_first, finds out call->arguments[0]. To be called at the same stop as regs_call. files: the files of
 * the thread in /proc. Returns 0 or -errno, such as an error of procfs_first_argument. */
int regs_complete_call(const struct procfs_task *files, struct regs_call *call);
/* To be called if a tracee is stopped after the instruction of a system call. Sets the pc back to that instruction, and
 * sets the other registers so that the instruction makes `call`, which must have the same ABI as that system call. When
 * the tracee is resumed, it first gets its pending signals, and then makes `call`. Returns 0 or -errno. */
int regs_enter_call(pid_t tid, const struct regs_call *call);
/* Sets the registers of a tracee as they are after `call` has returned call->result. If this result is
 * CALL_RESTARTNOHAND of calls.h, the tracee makes the call anew when it is resumed, or gets EINTR if a signal is
 * pending. entered: the tracee is still before the call's instruction, as after regs_enter_call; otherwise it is after
 * the instruction. hidden: later stops should not show this call. Returns 0 or -errno; or 1 if `hidden` is true, but
 * this machine cannot hide the call. */
int regs_leave_call(pid_t tid, const struct regs_call *call, bool entered, bool hidden);
/* Sets the register that contains the result of a call, and no other register. tid: thread that is stopped after the
 * call. When it is resumed, the call returns `result` (negative: -errno). Returns 0 or -errno. */
int regs_set_result(pid_t tid, int64_t result);

#endif
