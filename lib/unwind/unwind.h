/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unwind: a copy of a thread's registers and of its stack becomes frames.
 *
 * Nothing here looks at a live process. There is only what was copied while the thread was stopped;
 * where a walk needs more, it ends and says why. Two callbacks tell which object is mapped where,
 * and open its ELF file. What the file says about its frames (.eh_frame, .debug_frame) is compiled
 * into a rule of a few words when an address is first met, and kept with the object, because stacks
 * go through the same calls thousands of times a second.
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
#define UNWIND_FRAMES_MAX 4096u /* a deeper stack is cut here */

struct unwind_registers {
    enum unwind_machine machine;
    uint64_t values[UNWIND_REGISTERS]; /* those past the machine's last register are ignored */
    uint64_t unknown;   /* bit i: values[i] is not known; only pc and sp of a sleeping thread are */
    uint64_t signature; /* AArch64: address bits that hold a signature (NT_ARM_PAC_MASK, code); 0:
                         * the bits that Linux uses, in frames that say that they sign */
};

/* A copy of some memory of the thread's process. */
struct unwind_piece {
    uint64_t start;       /* address of the first byte */
    const uint8_t *bytes; /* borrowed */
    size_t size;
};

struct unwind_input {
    struct unwind_registers registers;
    /* The first piece is the stack, from the stack pointer up, or from 128 bytes below it, where
     * epilogues leave what they have popped. Where the thread is on an alternate signal stack, the
     * second piece is the stack that the signal interrupted. */
    struct unwind_piece pieces[UNWIND_PIECES_MAX];
    uint32_t piece_count;
};

/* Takes the registers from set, which the kernel gives a tracer as NT_PRSTATUS (struct
 * user_regs_struct of the machine). False: a set of this machine has another size. */
bool unwind_take_registers(enum unwind_machine machine, const void *set, size_t size,
                           struct unwind_registers *registers);
uint64_t unwind_pc(const struct unwind_registers *registers);
uint64_t unwind_sp(const struct unwind_registers *registers);

/* --- what the caller knows -------------------------------------------------------------- */

struct unwind_mapping {
    uint64_t start, end; /* addresses [start, end) */
    uint64_t offset;     /* address a is at a - start + offset in the object */
    uint32_t object;     /* the caller's number of it; small, because it is an index into a table */
};

struct unwind_callbacks {
    void *context;
    /* The executable mapping around an address; it must stay true until the walk ends. False: there
     * is none. */
    bool (*find)(void *context, uint64_t address, struct unwind_mapping *mapping);
    /* A descriptor of the object's ELF file, which stays the caller's and may be closed later.
     * -ENOENT: it has no file (JIT code), and is not asked about again; -EAGAIN: the file may still
     * come. */
    int (*open)(void *context, uint32_t object);
};

/* --- walking ---------------------------------------------------------------------------- */

enum unwind_end {
    UNWIND_COMPLETE,  /* the outermost frame was reached */
    UNWIND_TRUNCATED, /* the next step needs memory that was not copied */
    UNWIND_NO_INFO,   /* the object of the last frame does not describe it */
    UNWIND_BROKEN,    /* this cannot be a stack: it loops, leads to no code, or makes no sense */
    UNWIND_TOO_DEEP,  /* there is no room for more frames */
};

struct unwind_frame {
    uint32_t object;  /* the caller's number, or UNWIND_NO_OBJECT */
    bool exact;       /* address is that of the instruction: the frame is the innermost one, was
                       * interrupted by a signal, or never made a call */
    uint64_t address; /* in the object; unless exact it is the return address minus 1, which is
                       * inside the call */
};
/* Nothing is mapped there; address is the process's. Only the innermost frame can be so. */
#define UNWIND_NO_OBJECT UINT32_MAX

struct unwind_stack {
    struct unwind_frame *frames; /* the caller's memory; innermost first */
    uint32_t room;       /* frames that fit, at least 1; no more than UNWIND_FRAMES_MAX are used */
    uint32_t count;      /* result: frames, at least 1 */
    enum unwind_end end; /* result */
};

struct unwinder;

/* NULL where there is no memory. One thread may use it at a time. */
struct unwinder *unwinder_new(void);
void unwinder_free(struct unwinder *unwinder);

/* Walks one stack. 0, -ENOMEM, or -EINVAL: no such machine, or too many pieces. What the copy holds
 * makes no error, but ends the walk. */
int unwind_walk(struct unwinder *unwinder, const struct unwind_callbacks *callbacks,
                const struct unwind_input *input, struct unwind_stack *stack);

/* --- into a profile --------------------------------------------------------------------- */

/* Walks a stack of a process, and enters it into the profile unless it is there already. *node
 * becomes its leaf. A stack that is not complete has a mark as its outermost frame: "[truncated]",
 * "[no unwind info: libx.so]", "[broken stack]", "[too deep]". The process must not have ended.
 * Descriptors of its objects should have been given to the profile before. 0, -ENOMEM or
 * -EOVERFLOW. */
int unwind_into_profile(struct unwinder *unwinder, struct profile *profile, uint32_t pid,
                        const struct unwind_input *input, uint32_t *node);

/* Feeds any event to the profile as profile_feed does; unwinds the stack of a sample that has one.
 */
int unwind_feed(struct unwinder *unwinder, struct profile *profile,
                const struct wire_header *event);

#endif
