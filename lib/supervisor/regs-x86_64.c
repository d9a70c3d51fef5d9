/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registers and system calls of x86-64 and its 32-bit ABIs.
 *
 * The kernel decides after the stop whether to restart a system call (arch_do_signal_or_restart in
 * arch/x86/kernel/signal.c), by the value that rax has when the tracer resumes the thread. So if a call has returned
 * EINTR, and the tracer sets rax to -ERESTARTNOHAND, the kernel restarts the call. If a signal handler runs first, the
 * kernel sets rax back to -EINTR. */
#include "config.h"

#include <asm/unistd.h>
#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <ucontext.h>
#include <elf.h>

#include "supervisor/regs.h"
#include "wire/wire.h"

#define ERESTARTNOHAND 514 /* from include/linux/errno.h, which user space does not have */
#define RESUME_FLAG (1u << 16)
#define X32_CALL 0x40000000 /* __X32_SYSCALL_BIT */
#define INSTRUCTION_SIZE 2  /* size of syscall, sysenter and int 0x80, bytes */

/* The layout of NT_PRSTATUS for a 32-bit tracee: struct user_regs_struct32. */
struct regs_i386 {
    uint32_t ebx, ecx, edx, esi, edi, ebp, eax, ds, es, fs, gs, orig_eax, eip, cs, eflags, esp, ss;
};

/* Fills in regs->syscall, regs->entered and regs->result. flags: the saved flags register. Its resume flag is 1 if a
 * fault has stopped the thread. If an interrupt has stopped it, the flag is 0, except in the middle of a repeated
 * string instruction: Intel SDM volume 3, 17.3.1.1. */
static void regs_fill(struct regs *regs, long number, long result, uint64_t flags)
{
    regs->syscall = number >= 0 ? (int32_t)number : WIRE_NO_SYSCALL;
    regs->entered = number >= 0 || (flags & RESUME_FLAG) != 0;
    regs->result = result;
}

/* Fills *regs in. regs->general has the order of the AMD64 ABI, figure 3.36: "DWARF Register Number Mapping". */
static void regs_fill_wide(struct regs *regs, const struct user_regs_struct *set)
{
    const uint64_t general[] = {set->rax, set->rdx, set->rcx, set->rbx, set->rsi, set->rdi,
                                set->rbp, set->rsp, set->r8,  set->r9,  set->r10, set->r11,
                                set->r12, set->r13, set->r14, set->r15, set->rip};

    regs->pc = regs->call_end = set->rip;
    regs->sp = set->rsp;
    memcpy(regs->general, general, sizeof general);
    regs->known = (1u << sizeof general / sizeof *general) - 1;
    regs->thread_pointer = set->fs_base;
    regs_fill(regs, (long)set->orig_rax, (long)set->rax, set->eflags);
}

/* Fills *regs in for a 32-bit tracee. regs->general has the order of the i386 ABI, table 2.14. */
static void regs_fill_narrow(struct regs *regs, const struct regs_i386 *set)
{
    const uint64_t general[] = {set->eax, set->ecx, set->edx, set->ebx, set->esp,
                                set->ebp, set->esi, set->edi, set->eip};

    regs->pc = regs->call_end = set->eip;
    regs->sp = set->esp;
    memcpy(regs->general, general, sizeof general);
    regs->known = (1u << sizeof general / sizeof *general) - 1;
    regs->thread_pointer = 0; /* it is in a descriptor that gs selects */
    regs_fill(regs, (int32_t)set->orig_eax, (int32_t)set->eax, set->eflags);
}

union register_set {
    struct user_regs_struct wide;
    struct regs_i386 narrow;
};

_Static_assert(sizeof(union register_set) <= sizeof((struct regs){0}.raw), "raw is too small");

/* Reads the registers. Sets *narrow to true if they have the 32-bit layout. Returns 0 or -errno. */
static int regs_read_set(pid_t tid, union register_set *set, bool *narrow)
{
    struct iovec part = {.iov_base = set, .iov_len = sizeof *set};

    if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &part) < 0)
        return -errno;
    *narrow = part.iov_len == sizeof set->narrow;
    return 0;
}

static int regs_write_set(pid_t tid, union register_set *set, bool narrow)
{
    struct iovec part = {.iov_base = set,
                         .iov_len = narrow ? sizeof set->narrow : sizeof set->wide};

    return ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &part) < 0 ? -errno : 0;
}

int regs_read(pid_t tid, struct regs *regs)
{
    union register_set set;
    int error = regs_read_set(tid, &set, &regs->compat);

    if (error != 0)
        return error;
    if (regs->compat)
        regs_fill_narrow(regs, &set.narrow);
    else
        regs_fill_wide(regs, &set.wide);
    memcpy(regs->raw, &set, sizeof set);
    return 0;
}

bool regs_are_unwound(bool compat)
{
    (void)compat;
    return true;
}

/* Offsets in struct ucontext: of cs and ss in struct sigcontext_32, and of cs in struct sigcontext_64, where gs, fs and
 * ss follow (asm/sigcontext.h). */
#define COMPAT_CS ((5u + 15u) * 4u)
#define COMPAT_SS ((5u + 18u) * 4u)
#define WIDE_SELECTORS (offsetof(ucontext_t, uc_mcontext.gregs) + REG_CSGSFS * 8)

struct regs_context regs_context(bool compat)
{
    /* In struct ucontext of i386, struct sigcontext_32 (asm/sigcontext.h) begins after 5 words, and esp is its 8th
     * word. The kernel aligns the frame of a handler like the frame of a function at its entry: align_sigframe in
     * arch/x86/kernel/signal.c */
    if (compat)
        return (struct regs_context){.word = 4, .sp = (5 + 7) * 4, .rest = 12, .size = COMPAT_SS + 4};
    return (struct regs_context){
        .word = 8, .sp = offsetof(ucontext_t, uc_mcontext.gregs) + REG_RSP * 8, .size = WIDE_SELECTORS + 8};
}

/* The lowest two bits of a selector are a privilege level, which is 3 for user code. */
static bool regs_is_user_selector(uint16_t selector)
{
    return (selector & 3) == 3;
}

bool regs_is_context(bool compat, const unsigned char *bytes)
{
    uint16_t selectors[4], cs, ss;

    if (compat) {
        memcpy(&cs, bytes + COMPAT_CS, sizeof cs);
        memcpy(&ss, bytes + COMPAT_SS, sizeof ss);
        return regs_is_user_selector(cs) && regs_is_user_selector(ss);
    }
    memcpy(selectors, bytes + WIDE_SELECTORS, sizeof selectors); /* cs, gs, fs, ss; the kernel sets gs and fs to 0 */
    return regs_is_user_selector(selectors[0]) && selectors[1] == 0 && selectors[2] == 0 &&
           regs_is_user_selector(selectors[3]);
}

int regs_set_result(pid_t tid, int64_t result)
{
    /* must be a long, because ptrace takes variable arguments: if an int were passed, the upper half of the value would
     * be 0 */
    const long value = (long)result;

    return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, regs.rax), value) < 0 ? -errno : 0;
}

int regs_restart_call(pid_t tid)
{
    return regs_set_result(tid, -ERESTARTNOHAND);
}

/* Returns the ABI of a call. The ABI depends on the instruction and on the number of the call, and a 64-bit program may
 * use all three ABIs. PTRACE_GET_SYSCALL_INFO shows the architecture that belongs to the instruction, at any stop
 * (ptrace_get_syscall_info in kernel/ptrace.c). */
static enum regs_abi regs_call_abi(pid_t tid, int64_t number)
{
    struct __ptrace_syscall_info info;
    long size = ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof info, &info);

    if (size > 0 && info.arch == AUDIT_ARCH_I386)
        return REGS_ABI_I386;
    return (number & X32_CALL) != 0 ? REGS_ABI_X32 : REGS_ABI_NATIVE;
}

/* Fills in call->arguments, from the registers that call->abi uses for arguments: syscall(2), "Architecture calling
 * conventions". */
static void regs_wide_arguments(const struct user_regs_struct *set, struct regs_call *call)
{
    const uint64_t native[] = {set->rdi, set->rsi, set->rdx, set->r10, set->r8, set->r9};
    const uint64_t i386[] = {set->rbx, set->rcx, set->rdx, set->rsi, set->rdi, set->rbp};

    for (unsigned i = 0; i < REGS_CALL_ARGUMENTS; i++)
        call->arguments[i] = call->abi == REGS_ABI_I386 ? (uint32_t)i386[i] : native[i];
}

static bool regs_is_call_instruction(const unsigned char code[INSTRUCTION_SIZE])
{
    return (code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x34)) || /* syscall, sysenter */
           (code[0] == 0xcd && code[1] == 0x80);                        /* int $0x80 */
}

/* Reads the word at an address of the target. Returns false if it cannot be read. */
static bool regs_peek_word(pid_t tid, uint64_t address, unsigned char code[sizeof(long)])
{
    errno = 0;
    long word = ptrace(PTRACE_PEEKTEXT, tid, (void *)(uintptr_t)address, NULL);
    memcpy(code, &word, sizeof word);
    return errno == 0;
}

/* Returns true if the instruction at `pc` is a system call. Reads a word of memory that ends with this instruction. If
 * the memory before the instruction is not mapped, reads a word that begins with the instruction. */
static bool regs_is_call_at(pid_t tid, uint64_t pc)
{
    unsigned char code[sizeof(long)];
    const unsigned before = sizeof code - INSTRUCTION_SIZE;

    if (regs_peek_word(tid, pc - before, code))
        return regs_is_call_instruction(code + before);
    return regs_peek_word(tid, pc, code) && regs_is_call_instruction(code);
}

/*
 * Returns true if the registers show that the thread is about to return from a call. A thread can stop twice before it
 * runs, and between the two stops the kernel may have changed the registers in one of two ways:
 *
 * The kernel may have prepared the thread to begin the call anew (arch_do_signal_or_restart). Then the pc is at the
 * instruction of the call, and rax contains the number of the call, or of restart_syscall, instead of a result. A call
 * that has returned, and whose result happens to be one of these numbers, may look the same. This function then also
 * returns false.
 *
 * The kernel may have prepared the thread to run a signal handler. Then the pc is at the beginning of the handler, so
 * this function returns false. In a 32-bit program eax contains the number of the signal (ia32_setup_rt_frame). In an
 * x32 program eax still contains the result of the call.
 */
static bool regs_has_returned(pid_t tid, const struct regs *regs)
{
    bool is_number = regs->result == regs->syscall || (regs->result & ~X32_CALL) == __NR_restart_syscall;
    uint64_t start = regs->pc - INSTRUCTION_SIZE;

    return regs_is_call_at(tid, start) && !(is_number && regs_is_call_at(tid, regs->pc));
}

/* Returns true if a call with this result may have to be repaired. */
static bool regs_may_be_broken(const struct regs *regs)
{
    return regs->result > 0 || regs->result == -EINTR || regs->result == -EAGAIN;
}

bool regs_call(pid_t tid, const struct regs *regs, struct regs_call *call)
{
    union register_set set;

    if (regs->syscall < 0 || (regs_may_be_broken(regs) && !regs_has_returned(tid, regs)))
        return false;
    memcpy(&set, regs->raw, sizeof set);
    call->result = regs->result;
    call->lacks_first = false;
    if (regs->compat) {
        const struct regs_i386 *narrow = &set.narrow;
        const uint32_t arguments[] = {narrow->ebx, narrow->ecx, narrow->edx, narrow->esi, narrow->edi, narrow->ebp};
        call->abi = REGS_ABI_I386;
        for (unsigned i = 0; i < REGS_CALL_ARGUMENTS; i++)
            call->arguments[i] = arguments[i];
    } else {
        call->abi = regs_call_abi(tid, regs->syscall);
        regs_wide_arguments(&set.wide, call);
    }
    call->number = regs->syscall & ~(call->abi == REGS_ABI_X32 ? X32_CALL : 0);
    return true;
}

int regs_complete_call(const struct procfs_task *files, struct regs_call *call)
{
    (void)files;
    (void)call; /* nothing to do: x86 shows all arguments */
    return 0;
}

/* Stores the arguments of a call in the registers of its ABI. */
static void regs_put_arguments(union register_set *set, bool narrow, const struct regs_call *call)
{
    struct user_regs_struct *wide = &set->wide;
    const uint64_t *from = call->arguments;

    if (narrow) {
        uint32_t *const to[] = {&set->narrow.ebx, &set->narrow.ecx, &set->narrow.edx,
                                &set->narrow.esi, &set->narrow.edi, &set->narrow.ebp};
        for (unsigned i = 0; i < REGS_CALL_ARGUMENTS; i++)
            *to[i] = (uint32_t)from[i];
        return;
    }
    bool i386 = call->abi == REGS_ABI_I386;
    unsigned long long int *const native_to[] = {&wide->rdi, &wide->rsi, &wide->rdx,
                                                 &wide->r10, &wide->r8,  &wide->r9};
    unsigned long long int *const i386_to[] = {&wide->rbx, &wide->rcx, &wide->rdx,
                                               &wide->rsi, &wide->rdi, &wide->rbp};
    for (unsigned i = 0; i < REGS_CALL_ARGUMENTS; i++) {
        /* int 0x80 ignores the upper halves of the registers, so these keep the values of the program */
        if (i386)
            *i386_to[i] = (*i386_to[i] & ~(unsigned long long)UINT32_MAX) | (uint32_t)from[i];
        else
            *native_to[i] = from[i];
    }
}

/* Sets rax, which contains the result of a call, and orig_rax, which contains its number. orig_rax -1 tells the kernel
 * that the thread is in no call, so the kernel begins no call anew. */
static void regs_put_number(union register_set *set, bool narrow, int64_t rax, int64_t orig_rax)
{
    if (narrow) {
        set->narrow.eax = (uint32_t)rax;
        set->narrow.orig_eax = (uint32_t)orig_rax;
    } else {
        set->wide.rax = (unsigned long long)rax;
        set->wide.orig_rax = (unsigned long long)orig_rax;
    }
}

static void regs_move_pc(union register_set *set, bool narrow, int by)
{
    if (narrow)
        set->narrow.eip += (uint32_t)by;
    else
        set->wide.rip += (unsigned long long)by;
}

static int64_t regs_call_number(const struct regs_call *call)
{
    return call->abi == REGS_ABI_X32 ? call->number | X32_CALL : call->number;
}

int regs_enter_call(pid_t tid, const struct regs_call *call)
{
    union register_set set;
    bool narrow = false;
    int error = regs_read_set(tid, &set, &narrow);

    if (error != 0)
        return error;
    regs_put_arguments(&set, narrow, call);
    regs_put_number(&set, narrow, regs_call_number(call), -1);
    regs_move_pc(&set, narrow, -INSTRUCTION_SIZE);
    return regs_write_set(tid, &set, narrow);
}

int regs_leave_call(pid_t tid, const struct regs_call *call, bool entered, bool hidden)
{
    union register_set set;
    bool narrow = false;
    int error = regs_read_set(tid, &set, &narrow);

    if (error != 0)
        return error;
    regs_put_arguments(&set, narrow, call);
    regs_put_number(&set, narrow, call->result, hidden ? -1 : regs_call_number(call));
    if (entered)
        regs_move_pc(&set, narrow, INSTRUCTION_SIZE);
    return regs_write_set(tid, &set, narrow);
}
