/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unwind: turns a copy of a thread's registers and stack into frames.
 *
 * Nothing here reads a live process. A walk uses only what was copied while the thread was stopped
 * or asleep. If the walk needs more, it ends, and returns the reason (enum unwind_end). One
 * callback finds the object that is mapped at an address. The other opens the object's ELF file,
 * which has frame descriptions (.eh_frame, .debug_frame). When a walk first comes to an address,
 * the frame description of the address is compiled into a short rule. The rule is kept, because
 * stacks go through the same calls thousands of times a second.
 *
 * Registers have the numbers that DWARF gives them on their machine.
 */
#ifndef PPROFIL_UNWIND_H
#define PPROFIL_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

enum unwind_machine {
    UNWIND_X86_64 = 1, /* 0..15 rax rdx rcx rbx rsi rdi rbp rsp r8..r15, 16 rip */
    UNWIND_I386,       /* 0..7 eax ecx edx ebx esp ebp esi edi, 8 eip */
    UNWIND_AARCH64,    /* 0..30 x0..x30, 31 sp, 32 pc */
};

#define UNWIND_REGISTERS 33u
#define UNWIND_PIECES_MAX 2u
#define UNWIND_FRAMES_MAX 4096u /* frames; a deeper stack is cut off */

struct unwind_registers {
    enum unwind_machine machine;
    uint64_t values[UNWIND_REGISTERS]; /* values past the machine's last register are ignored */
    /* bit i: values[i] is not known. If the thread was asleep, only pc and sp are known */
    uint64_t unknown;
    /* AArch64: the bits of a return address that hold its signature (insn_mask of NT_ARM_PAC_MASK).
     * 0: not known; frames with a signature are then assumed to have it in the bits that Linux
     * uses */
    uint64_t signature;
};

/* A copy of some memory of the thread's process. */
struct unwind_piece {
    uint64_t start;       /* address of the first byte */
    const uint8_t *bytes; /* borrowed */
    size_t size;
};

struct unwind_input {
    struct unwind_registers registers;
    /* The first piece is the stack from the stack pointer up. The piece may begin below the stack
     * pointer, where epilogues leave what they have popped. If the thread is on an alternate signal
     * stack, the second piece is the stack that the signal interrupted. */
    struct unwind_piece pieces[UNWIND_PIECES_MAX];
    uint32_t piece_count;
};

/* Reads the registers from set, which PTRACE_GETREGSET has returned for NT_PRSTATUS. size: bytes of
 * set. False: the machine is not known, or its register set has another size. */
bool unwind_take_registers(enum unwind_machine machine, const void *set, size_t size,
                           struct unwind_registers *registers);
uint64_t unwind_pc(const struct unwind_registers *registers);
uint64_t unwind_sp(const struct unwind_registers *registers);

/* --- what the caller knows -------------------------------------------------------------- */

struct unwind_mapping {
    uint64_t start, end; /* addresses [start, end) */
    uint64_t offset;     /* address a is at offset (a - start + offset) in the object */
    /* the caller's number for the object: an index into a table. Objects with numbers from 2^24 on
     * have no rules */
    uint32_t object;
};

struct unwind_callbacks {
    void *context;
    /* Finds the executable mapping around an address. The mapping must stay valid until the walk
     * ends. False: there is none. */
    bool (*find)(void *context, uint64_t address, struct unwind_mapping *mapping);
    /* Returns a descriptor of the object's ELF file. The unwinder duplicates it, so the caller of
     * unwind_walk still owns it and may close it after the walk. -ENOENT: the object has no file
     * (JIT code), and open is not called for the object again. -EAGAIN: the file has not come yet,
     * and a later walk calls open again. */
    int (*open)(void *context, uint32_t object);
};

/* --- walking ---------------------------------------------------------------------------- */

enum unwind_end {
    UNWIND_COMPLETE,  /* the outermost frame was reached */
    UNWIND_TRUNCATED, /* the next step needs memory that was not copied */
    UNWIND_NO_INFO,   /* the object of the last frame has no frame description for it */
    UNWIND_BROKEN,    /* this cannot be a stack: it loops, leads to no code, or makes no sense */
    UNWIND_TOO_DEEP,  /* there is no room for more frames */
};

struct unwind_frame {
    uint32_t object; /* the caller's number, or UNWIND_NO_OBJECT */
    /* address is that of the frame's next instruction, not of a call: the frame is the innermost
     * one, was interrupted by a signal, or made no call */
    bool exact;
    /* offset in the object. If exact is not set: the offset of the return address minus 1, which is
     * inside the call instruction */
    uint64_t address;
};
/* The object of a frame if nothing is mapped at the frame's address. Then unwind_frame.address is
 * an address in the process. Only the innermost frame can have this object. */
#define UNWIND_NO_OBJECT UINT32_MAX

struct unwind_stack {
    struct unwind_frame *frames; /* the caller's memory; innermost first */
    uint32_t room;  /* size of the array frames, at least 1; at most UNWIND_FRAMES_MAX are used */
    uint32_t count; /* result: number of frames; at least 1 if unwind_walk returns 0 */
    enum unwind_end end; /* result */
};

struct unwinder;

/* Returns a new unwinder, which only one thread may use at a time. NULL: no memory. */
struct unwinder *unwinder_new(void);
void unwinder_free(struct unwinder *unwinder);

/* Walks one stack. Returns 0, -ENOMEM, or -EINVAL (the machine is not known, or there are too many
 * pieces). A copy that makes no sense ends the walk, but is no error. */
int unwind_walk(struct unwinder *unwinder, const struct unwind_callbacks *callbacks,
                const struct unwind_input *input, struct unwind_stack *stack);

/* --- into a profile --------------------------------------------------------------------- */

/* Walks a stack of a process, and adds it to the profile unless it is there already. *node becomes
 * the node of the innermost frame. A stack that is not complete gets a mark as its outermost frame:
 * "[truncated]", "[no unwind info: libx.so]", "[broken stack]", "[too deep]". In the profile, the
 * process must not have ended, and its objects should have their descriptors. 0, -ENOMEM or
 * -EOVERFLOW. */
int unwind_into_profile(struct unwinder *unwinder, struct profile *profile, uint32_t pid,
                        const struct unwind_input *input, uint32_t *node);

/* Feeds an event to the profile, as profile_feed does. If the event is a sample with a stack,
 * unwinds the stack first. */
int unwind_feed(struct unwinder *unwinder, struct profile *profile,
                const struct wire_header *event);

#endif
