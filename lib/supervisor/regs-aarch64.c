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
#include <string.h>
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

#define SVC 0xd4000001u        /* svc #0 */
#define SVC_ARM 0xef000000u    /* of 32-bit tasks: svc #0 */
#define SVC_THUMB 0xdf00u
#define CPSR_THUMB 0x20u

/* Of a stop at a system call's entry or exit. At all others the kernel has forgotten it: regs_find_syscall. */
static int32_t regs_read_syscall(pid_t tid)
{
    int number = WIRE_NO_SYSCALL;
    struct iovec part = {.iov_base = &number, .iov_len = sizeof number};

    if (ptrace(PTRACE_GETREGSET, tid, NT_ARM_SYSTEM_CALL, &part) < 0 || number < 0)
        return WIRE_NO_SYSCALL;
    return number;
}

/* Reads the eight bytes that lie around an address, four on each side. */
static bool regs_peek_around(pid_t tid, uint64_t address, unsigned char bytes[8])
{
    errno = 0;
    long word = ptrace(PTRACE_PEEKTEXT, tid, (void *)(uintptr_t)(address - 4), NULL);
    memcpy(bytes, &word, 8);
    return errno == 0;
}

/* do_signal() forgets which call it was before it lets the tracer look (forget_syscall in asm/processor.h), and x8 still
 * has the number: the thread stands behind the call's instruction, or before it, if the kernel begins the call anew. */
static int32_t regs_find_syscall(pid_t tid, const struct user_regs_struct *set)
{
    unsigned char bytes[8];
    uint32_t code[2];

    if (!regs_peek_around(tid, set->pc, bytes))
        return WIRE_NO_SYSCALL;
    memcpy(code, bytes, sizeof code);
    return code[0] == SVC || code[1] == SVC ? (int32_t)set->regs[8] : WIRE_NO_SYSCALL;
}

static int32_t regs_find_compat_syscall(pid_t tid, const struct regs_arm *set)
{
    unsigned char bytes[8];
    uint32_t arm[2];
    uint16_t thumb[4];

    if (!regs_peek_around(tid, set->r[15], bytes))
        return WIRE_NO_SYSCALL;
    memcpy(arm, bytes, sizeof arm);
    memcpy(thumb, bytes, sizeof thumb);
    bool in_call = (set->r[16] & CPSR_THUMB) != 0 ? thumb[1] == SVC_THUMB || thumb[2] == SVC_THUMB
                                                  : arm[0] == SVC_ARM || arm[1] == SVC_ARM;
    return in_call ? (int32_t)set->r[7] : WIRE_NO_SYSCALL;
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
    if (regs->syscall == WIRE_NO_SYSCALL)
        regs->syscall = regs->compat ? regs_find_compat_syscall(tid, &set.narrow) : regs_find_syscall(tid, &set.wide);
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
