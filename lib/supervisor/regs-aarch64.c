/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * AArch64, and 32-bit Arm tracees under it.
 *
 * Here the kernel settles a restart before it asks the tracer (do_signal in
 * arch/arm64/kernel/signal.c) and has already overwritten x0, so a call that failed with a
 * plain EINTR cannot be restarted from outside. Sleepers are never interrupted, which
 * leaves a race of microseconds per look.
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "supervisor/regs.h"
#include "wire/wire.h"

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif

struct regs_arm {
    uint32_t r[18]; /* r0..r15, cpsr, orig_r0 */
};

static int32_t read_syscall(pid_t tid)
{
    int number = WIRE_NO_SYSCALL;
    struct iovec part = {.iov_base = &number, .iov_len = sizeof number};

    if (ptrace(PTRACE_GETREGSET, tid, NT_ARM_SYSTEM_CALL, &part) < 0 || number < 0)
        return WIRE_NO_SYSCALL;
    return number;
}

int regs_read(pid_t tid, struct regs *regs)
{
    union {
        struct user_regs_struct wide;
        struct regs_arm narrow;
    } set;
    struct iovec part = {.iov_base = &set, .iov_len = sizeof set};

    if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &part) < 0)
        return -errno;
    regs->compat = part.iov_len == sizeof set.narrow;
    regs->pc = regs->compat ? set.narrow.r[15] : set.wide.pc;
    regs->sp = regs->compat ? set.narrow.r[13] : set.wide.sp;
    regs->syscall = read_syscall(tid);
    regs->entered = regs->syscall >= 0;
    regs->failed = false;
    return 0;
}

bool regs_restart_syscall(pid_t tid, const struct regs *regs)
{
    (void)tid;
    (void)regs;
    return false;
}
