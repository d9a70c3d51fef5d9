/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * AArch64, and 32-bit Arm tracees under it.
 *
 * Here the kernel settles a restart before it asks the tracer (do_signal in
 * arch/arm64/kernel/signal.c) and has already overwritten x0, so a call that failed with a
 * plain EINTR cannot be restarted from outside, and one that came back short cannot be continued:
 * its first argument was in x0, too. Sleepers are never interrupted, which leaves a race of
 * microseconds per look.
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <ucontext.h>

#include "supervisor/regs.h"
#include "wire/wire.h"

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif

struct regs_arm {
    uint32_t r[18]; /* r0..r15, cpsr, orig_r0 */
};

static int32_t regs_read_syscall(pid_t tid)
{
    int number = WIRE_NO_SYSCALL;
    struct iovec part = {.iov_base = &number, .iov_len = sizeof number};

    if (ptrace(PTRACE_GETREGSET, tid, NT_ARM_SYSTEM_CALL, &part) < 0 || number < 0)
        return WIRE_NO_SYSCALL;
    return number;
}

/* DWARF for the Arm 64-bit Architecture: x0 to x30 are 0 to 30, sp is 31, and 32 is the pc. */
static void regs_fill_wide(struct regs *regs, const struct user_regs_struct *set)
{
    regs->pc = set->pc;
    regs->sp = set->sp;
    for (unsigned i = 0; i < 31; i++)
        regs->general[i] = set->regs[i];
    regs->general[31] = set->sp;
    regs->general[32] = set->pc;
    regs->known = (1ull << 33) - 1;
}

static void regs_fill_narrow(struct regs *regs, const struct regs_arm *set)
{
    regs->pc = set->r[15];
    regs->sp = set->r[13];
    for (unsigned i = 0; i < 16; i++)
        regs->general[i] = set->r[i];
    regs->known = (1u << 16) - 1;
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
    if (regs->compat)
        regs_fill_narrow(regs, &set.narrow);
    else
        regs_fill_wide(regs, &set.wide);
    regs->syscall = regs_read_syscall(tid);
    regs->entered = regs->syscall >= 0;
    regs->result = 0;
    return 0;
}

struct regs_context regs_context(bool compat)
{
    (void)compat; /* nobody unwinds stacks of 32-bit Arm */
    return (struct regs_context){.word = 8, .sp = offsetof(ucontext_t, uc_mcontext.sp)};
}

int regs_restart_call(pid_t tid)
{
    (void)tid;
    return -ENOSYS;
}

bool regs_call(pid_t tid, const struct regs *regs, struct regs_call *call)
{
    (void)tid;
    (void)regs;
    (void)call;
    return false;
}

int regs_enter_call(pid_t tid, const struct regs_call *call)
{
    (void)tid;
    (void)call;
    return -ENOSYS;
}

int regs_leave_call(pid_t tid, const struct regs_call *call, bool entered)
{
    (void)tid;
    (void)call;
    (void)entered;
    return -ENOSYS;
}

int regs_set_result(pid_t tid, int64_t result)
{
    (void)tid;
    (void)result;
    return -ENOSYS;
}
