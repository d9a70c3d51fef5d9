/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Registers and system calls of AArch64. Also registers of 32-bit Arm tracees; their system calls are not repaired.
 *
 * Before a stop, the kernel decides whether a broken system call begins anew (do_signal in arch/arm64/kernel/signal.c),
 * and forgets in which call the thread was. So the tracer finds the call itself: the instruction before the pc is the
 * instruction of the call, x8 contains the number of the call, and x0 contains its result. Only the first argument is
 * missing, because the result has replaced it in x0. The kernel has it in orig_x0, which ptrace does not show, but
 * /proc/TID/syscall does. For this, the tracer first tells the kernel the number of the call (NT_ARM_SYSTEM_CALL).
 *
 * To make a call begin anew, the tracer sets the pc back to the instruction of the call. The kernel does not know this,
 * so the tracer must find out itself whether a signal handler runs before the call: a handler runs if the stop of a
 * signal comes before the entry stop of the call. If the pc is after the instruction of a call, the thread need not
 * have made the call just now. It may have returned there from a signal handler: struct handled_call in repair.h.
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

#include "supervisor/proc/procfs.h"
#include "supervisor/regs.h"
#include "wire/wire.h"

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif

/* from include/linux/errno.h, which user space does not have */
#define ERESTARTSYS 512
#define ERESTARTNOHAND 514

struct regs_arm {
    uint32_t r[18]; /* r0..r15, cpsr, orig_r0 */
};

#define SVC 0xd4000001u        /* svc #0 */
#define SVC_ARM 0xef000000u    /* svc #0 of 32-bit tasks */
#define SVC_THUMB 0xdf00u
#define CPSR_THUMB 0x20u

/* at the entry stop and the exit stop of a call, the kernel changes this register to show which of the two it is:
 * report_syscall in ptrace.c */
#define CALL_STOP_REGISTER 7
#define NUMBER_REGISTER 8
#define INSTRUCTION_SIZE 4

/* Returns the number of the system call if the thread is at an entry stop or exit stop. At other stops the kernel no
 * longer knows the call, so this function returns WIRE_NO_SYSCALL, and regs_find_syscall must be used. */
static int32_t regs_read_syscall(pid_t tid)
{
    int number = WIRE_NO_SYSCALL;
    struct iovec part = {.iov_base = &number, .iov_len = sizeof number};

    if (ptrace(PTRACE_GETREGSET, tid, NT_ARM_SYSTEM_CALL, &part) < 0 || number < 0)
        return WIRE_NO_SYSCALL;
    return number;
}

/* Returns the register tpidr_el0; 0: it cannot be read. */
static uint64_t regs_read_thread_pointer(pid_t tid)
{
    uint64_t pointer = 0;
    struct iovec part = {.iov_base = &pointer, .iov_len = sizeof pointer};

    return ptrace(PTRACE_GETREGSET, tid, NT_ARM_TLS, &part) < 0 ? 0 : pointer;
}

/* Sets the number of the system call in which the thread is; -1: it is in no call. Returns 0 or -errno. */
static int regs_write_syscall(pid_t tid, int number)
{
    struct iovec part = {.iov_base = &number, .iov_len = sizeof number};

    return ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &part) < 0 ? -errno : 0;
}

/* Reads the eight bytes around an address, four on each side. Returns false if they cannot be read. */
static bool regs_peek_around(pid_t tid, uint64_t address, unsigned char bytes[8])
{
    errno = 0;
    long word = ptrace(PTRACE_PEEKTEXT, tid, (void *)(uintptr_t)(address - 4), NULL);
    memcpy(bytes, &word, 8);
    return errno == 0;
}

/* Finds the system call in which the thread has stopped. If the instruction before the pc makes a system call, the
 * thread has made this call. If the instruction at the pc makes a system call, the kernel will begin this call anew. */
static void regs_find_syscall(pid_t tid, const struct user_regs_struct *set, struct regs *regs)
{
    unsigned char bytes[8];
    uint32_t code[2];

    if (!regs_peek_around(tid, set->pc, bytes))
        return;
    memcpy(code, bytes, sizeof code);
    if (code[0] != SVC && code[1] != SVC)
        return;
    regs->syscall = (int32_t)set->regs[NUMBER_REGISTER];
    if (code[0] == SVC)
        return;
    regs->call_end = set->pc + INSTRUCTION_SIZE;
    regs->result = -ERESTARTSYS;
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

/* Fills *regs in. In "DWARF for the Arm 64-bit Architecture", registers x0 to x30 have the numbers 0 to 30, sp has 31,
 * and pc has 32. */
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
    regs->known = 0; /* general is not filled in: the client cannot unwind 32-bit stacks (regs_are_unwound) */
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
    regs->syscall = regs_read_syscall(tid);
    regs->result = 0;
    regs->call_end = 0;
    regs->thread_pointer = regs->compat ? 0 : regs_read_thread_pointer(tid);
    if (regs->compat) {
        regs_fill_narrow(regs, &set.narrow);
        if (regs->syscall < 0)
            regs->syscall = regs_find_compat_syscall(tid, &set.narrow);
    } else {
        regs_fill_wide(regs, &set.wide);
        regs->result = (int64_t)set.wide.regs[0];
        regs->call_end = regs->pc;
        if (regs->syscall < 0)
            regs_find_syscall(tid, &set.wide, regs);
    }
    regs->entered = regs->syscall >= 0;
    memcpy(regs->raw, &set, sizeof set);
    return 0;
}

bool regs_are_unwound(bool compat)
{
    return !compat; /* 32-bit Arm has unwind tables in another format, .ARM.exidx */
}

struct regs_context regs_context(bool compat)
{
    (void)compat;
    return (struct regs_context){.word = 8,
                                 .sp = offsetof(ucontext_t, uc_mcontext.sp),
                                 .size = offsetof(ucontext_t, uc_mcontext.pstate) + 8};
}

bool regs_is_context(bool compat, const unsigned char *bytes)
{
    uint64_t flags, state;

    (void)compat;
    memcpy(&flags, bytes, sizeof flags);
    memcpy(&state, bytes + offsetof(ucontext_t, uc_mcontext.pstate), sizeof state);
    return flags == 0 && (state & 0xf) == 0; /* setup_sigframe in arch/arm64/kernel/signal.c; user code is at EL0 */
}

int regs_restart_call(pid_t tid)
{
    (void)tid;
    return -ENOSYS; /* impossible, because after the stop the kernel treats EINTR like any other result */
}

/* Adds a word to a hash. The hash is FNV-1a, applied to words instead of bytes. */
static uint64_t regs_hash(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x100000001b3);
}

/* Returns a hash of all registers except x0, which contains the result, and CALL_STOP_REGISTER, which the kernel
 * changes at the entry and exit stops of a call. */
static uint64_t regs_fingerprint(const struct user_regs_struct *set, uint64_t call_end)
{
    uint64_t hash = regs_hash(UINT64_C(0xcbf29ce484222325), call_end);

    for (unsigned i = 1; i < 31; i++)
        if (i != CALL_STOP_REGISTER)
            hash = regs_hash(hash, set->regs[i]);
    return regs_hash(hash, set->sp);
}

bool regs_call(pid_t tid, const struct regs *regs, struct regs_call *call)
{
    struct user_regs_struct set;

    (void)tid;
    if (regs->syscall < 0 || regs->compat)
        return false;
    memcpy(&set, regs->raw, sizeof set);
    *call = (struct regs_call){
        .abi = REGS_ABI_NATIVE, .number = regs->syscall, .lacks_first = true, .result = regs->result};
    call->fingerprint = regs_fingerprint(&set, regs->call_end);
    for (unsigned i = 1; i < REGS_CALL_ARGUMENTS; i++)
        call->arguments[i] = set.regs[i];
    return true;
}

int regs_complete_call(const struct procfs_task *files, struct regs_call *call)
{
    bool forgotten = regs_read_syscall(files->tid) < 0;
    int error = call->lacks_first && forgotten ? regs_write_syscall(files->tid, call->number) : 0;

    if (!call->lacks_first || error != 0)
        return error;
    error = procfs_first_argument(files, &call->arguments[0]);
    if (forgotten)
        regs_write_syscall(files->tid, WIRE_NO_SYSCALL);
    call->lacks_first = error != 0;
    return error;
}

static int regs_read_wide(pid_t tid, struct user_regs_struct *set)
{
    struct iovec part = {.iov_base = set, .iov_len = sizeof *set};

    return ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &part) < 0 ? -errno : 0;
}

static int regs_write_wide(pid_t tid, struct user_regs_struct *set)
{
    struct iovec part = {.iov_base = set, .iov_len = sizeof *set};

    return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &part) < 0 ? -errno : 0;
}

static void regs_put_call(struct user_regs_struct *set, const struct regs_call *call)
{
    for (unsigned i = 0; i < REGS_CALL_ARGUMENTS; i++)
        set->regs[i] = call->arguments[i];
    set->regs[NUMBER_REGISTER] = (uint32_t)call->number;
}

int regs_enter_call(pid_t tid, const struct regs_call *call)
{
    struct user_regs_struct set;
    int error = regs_read_wide(tid, &set);

    if (error != 0)
        return error;
    regs_put_call(&set, call);
    set.pc -= INSTRUCTION_SIZE;
    /* tells the kernel that the thread is in no call, so that the kernel does not begin the former call anew */
    regs_write_syscall(tid, WIRE_NO_SYSCALL);
    return regs_write_wide(tid, &set);
}

/* Makes the thread make the call again, with the pc at the call's instruction. The kernel itself will not begin the
 * call anew, because it has decided this before the stop. entered: as in regs_leave_call. */
static int regs_begin_anew(pid_t tid, const struct regs_call *call, bool entered)
{
    struct user_regs_struct set;

    if (!entered)
        return regs_enter_call(tid, call);
    int error = regs_read_wide(tid, &set);
    if (error != 0)
        return error;
    regs_put_call(&set, call);
    return regs_write_wide(tid, &set);
}

int regs_leave_call(pid_t tid, const struct regs_call *call, bool entered, bool hidden)
{
    struct user_regs_struct set;
    bool anew = call->result == -ERESTARTNOHAND, interrupted = anew && procfs_signal_waits(tid, false);

    if (anew && !interrupted)
        return regs_begin_anew(tid, call, entered);
    int error = regs_read_wide(tid, &set);
    if (error != 0)
        return error;
    regs_put_call(&set, call);
    set.regs[0] = interrupted ? (uint64_t)-EINTR : (uint64_t)call->result;
    if (entered)
        set.pc += INSTRUCTION_SIZE;
    else if (regs_read_syscall(tid) >= 0)
        regs_write_syscall(tid, hidden ? WIRE_NO_SYSCALL : call->number);
    error = regs_write_wide(tid, &set);
    return error == 0 && hidden ? 1 : error;
}

int regs_set_result(pid_t tid, int64_t result)
{
    struct user_regs_struct set;
    int error = regs_read_wide(tid, &set);

    if (error != 0)
        return error;
    set.regs[0] = (uint64_t)result;
    return regs_write_wide(tid, &set);
}
