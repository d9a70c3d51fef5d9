/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * x86-64 and its 32-bit ABI.
 *
 * The kernel decides about restarting a system call after it has asked the tracer (see
 * arch_do_signal_or_restart in arch/x86/kernel/signal.c), from rax as the tracer left it.
 * Writing -ERESTARTNOHAND there turns a plain EINTR into a restart; a handler that runs
 * first turns it back into EINTR.
 */
#include "config.h"

#include <asm/unistd.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <ucontext.h>
#include <elf.h>

#include "supervisor/regs.h"
#include "wire/wire.h"

#define ERESTARTNOHAND 514 /* include/linux/errno.h, not for user space */
#define RESUME_FLAG (1u << 16)
#define CLOSE_I386 6
#define RESTART_SYSCALL_I386 0

/* The layout that NT_PRSTATUS has for a 32-bit tracee: struct user_regs_struct32. */
struct regs_i386 {
    uint32_t ebx, ecx, edx, esi, edi, ebp, eax, ds, es, fs, gs, orig_eax, eip, cs, eflags, esp, ss;
};

/* close() has given the descriptor back when it says EINTR; restart_syscall has lost what
 * it would restart. Every other call that says EINTR has done nothing yet, but that time has
 * passed. */
static bool may_restart(long number, bool compat)
{
    if (compat)
        return number != CLOSE_I386 && number != RESTART_SYSCALL_I386;
    return number != __NR_close && number != __NR_restart_syscall;
}

/* The processor sets the resume flag in what a fault saves and clears it in what an interrupt
 * saves (but amid a repeated string instruction): Intel SDM volume 3, 17.3.1.1. */
static void fill(struct regs *regs, long number, long result, uint64_t flags)
{
    regs->syscall = number >= 0 ? (int32_t)number : WIRE_NO_SYSCALL;
    regs->entered = number >= 0 || (flags & RESUME_FLAG) != 0;
    regs->failed = number >= 0 && result == -EINTR && may_restart(number, regs->compat);
}

/* Of the calls that say EINTR whatever the signal: epoll_wait(2), semtimedop(2), sigtimedwait(2).
 * Of 32-bit programs none is known. */
static uint64_t time_limit(long number, const struct user_regs_struct *set)
{
    int32_t ms = (int32_t)set->r10;

    switch (number) {
    case __NR_epoll_wait:
    case __NR_epoll_pwait:
        return ms < 0 ? REGS_NO_LIMIT : (uint64_t)ms * 1000000;
    case __NR_epoll_pwait2:
    case __NR_semtimedop:
        return set->r10 == 0 ? REGS_NO_LIMIT : REGS_UNKNOWN_LIMIT;
    case __NR_rt_sigtimedwait:
        return set->rdx == 0 ? REGS_NO_LIMIT : REGS_UNKNOWN_LIMIT;
    case __NR_semop:
        return REGS_NO_LIMIT;
    }
    return REGS_UNKNOWN_LIMIT;
}

/* AMD64 ABI, figure 3.36: "DWARF Register Number Mapping". */
static void fill_wide(struct regs *regs, const struct user_regs_struct *set)
{
    const uint64_t general[] = {set->rax, set->rdx, set->rcx, set->rbx, set->rsi, set->rdi,
                                set->rbp, set->rsp, set->r8,  set->r9,  set->r10, set->r11,
                                set->r12, set->r13, set->r14, set->r15, set->rip};

    regs->pc = set->rip;
    regs->sp = set->rsp;
    memcpy(regs->general, general, sizeof general);
    regs->known = (1u << sizeof general / sizeof *general) - 1;
    fill(regs, (long)set->orig_rax, (long)set->rax, set->eflags);
    regs->limit_ns = time_limit((long)set->orig_rax, set);
}

/* i386 ABI, table 2.14. */
static void fill_narrow(struct regs *regs, const struct regs_i386 *set)
{
    const uint64_t general[] = {set->eax, set->ecx, set->edx, set->ebx, set->esp,
                                set->ebp, set->esi, set->edi, set->eip};

    regs->pc = set->eip;
    regs->sp = set->esp;
    memcpy(regs->general, general, sizeof general);
    regs->known = (1u << sizeof general / sizeof *general) - 1;
    fill(regs, (int32_t)set->orig_eax, (int32_t)set->eax, set->eflags);
    regs->limit_ns = REGS_UNKNOWN_LIMIT;
}

int regs_read(pid_t tid, struct regs *regs)
{
    union {
        struct user_regs_struct wide;
        struct regs_i386 narrow;
    } set;
    struct iovec part = {.iov_base = &set, .iov_len = sizeof set};

    if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &part) < 0)
        return -errno;
    regs->compat = part.iov_len == sizeof set.narrow;
    if (regs->compat)
        fill_narrow(regs, &set.narrow);
    else
        fill_wide(regs, &set.wide);
    return 0;
}

struct regs_context regs_context(bool compat)
{
    /* asm/sigcontext.h: struct sigcontext_32 comes after 5 words, and esp is its 8th;
     * arch/x86/kernel/signal.c, align_sigframe: a frame is aligned as at a function's entry */
    if (compat)
        return (struct regs_context){.word = 4, .sp = (5 + 7) * 4, .rest = 12};
    return (struct regs_context){.word = 8,
                                 .sp = offsetof(ucontext_t, uc_mcontext.gregs) + REG_RSP * 8};
}

bool regs_restart_syscall(pid_t tid, const struct regs *regs)
{
    if (!regs->failed)
        return false;
    /* all 64 bits of it: an int would go through ptrace's "..." with zeros above, and the kernel
     * would hand that to the program as a result */
    const long restart = -ERESTARTNOHAND;

    return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, regs.rax), restart) == 0;
}
