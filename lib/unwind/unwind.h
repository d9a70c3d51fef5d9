/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unwind: a copy of a thread's registers and of its stack becomes frames.
 *
 * Nothing here looks at a live process: what was copied while the thread was stopped is all
 * there is, and where more would be needed the walk ends and says why. Which object is mapped
 * where, and its ELF file, come from two functions of the caller's. What the files say about
 * their frames (.eh_frame, .debug_frame) is compiled at the first use of an address into a rule
 * of a few words, and kept by object: the same call is walked through thousands of times a
 * second.
 *
 * Registers have DWARF's numbers for their machine.
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
    uint64_t values[UNWIND_REGISTERS]; /* those above the machine's last are not looked at */
    uint64_t unknown;   /* bit i: values[i] is not known: of a sleeper only pc and sp are */
    uint64_t signature; /* AArch64: address bits that hold a signature (NT_ARM_PAC_MASK, code); 0:
                         * as Linux sets them where a frame says that it signs */
};

/* A copy of memory. */
struct unwind_piece {
    uint64_t start;       /* address of the first byte */
    const uint8_t *bytes; /* borrowed */
    size_t size;
};

struct unwind_input {
    struct unwind_registers registers;
    /* The stack from its pointer up, or from 128 bytes below it, where epilogues leave what they
     * have popped; then, of a thread on an alternate stack, the one that it interrupted. */
    struct unwind_piece pieces[UNWIND_PIECES_MAX];
    uint32_t piece_count;
};

/* What the kernel gives a tracer as NT_PRSTATUS (struct user_regs_struct of the machine). False:
 * the size is not that of this machine's. */
bool unwind_take_registers(enum unwind_machine machine, const void *set, size_t size,
                           struct unwind_registers *registers);
uint64_t unwind_pc(const struct unwind_registers *registers);
uint64_t unwind_sp(const struct unwind_registers *registers);

/* --- where things are ------------------------------------------------------------------- */

struct unwind_mapping {
    uint64_t start, end; /* addresses [start, end) */
    uint64_t offset;     /* an address's place in the object is address - start + offset */
    uint32_t object;     /* the caller's number of it, small: there is a table by it */
};

struct unwind_callbacks {
    void *context;
    /* The executable mapping around an address; false: none. It holds until the walk ends. */
    bool (*find)(void *context, uint64_t address, struct unwind_mapping *mapping);
    /* A descriptor of the object's ELF file, the caller's own (it is not closed, and may be
     * closed later). -ENOENT: it has none (JIT code), which is remembered; -EAGAIN: not yet. */
    int (*open)(void *context, uint32_t object);
};

/* --- walking ---------------------------------------------------------------------------- */

enum unwind_end {
    UNWIND_COMPLETE,  /* the outermost frame is there */
    UNWIND_TRUNCATED, /* memory is wanted that was not copied */
    UNWIND_NO_INFO,   /* the last frame's object does not describe it */
    UNWIND_BROKEN,    /* what is there cannot be a stack: a loop, no code, nonsense */
    UNWIND_TOO_DEEP,  /* there is no room for more frames */
};

struct unwind_frame {
    uint32_t object;  /* the caller's number, or UNWIND_NO_OBJECT */
    bool exact;       /* innermost, interrupted by a signal, or not called: the very instruction */
    uint64_t address; /* in the object; else in the call: the return address minus 1 */
};
#define UNWIND_NO_OBJECT UINT32_MAX /* only of the innermost; address is as mapped */

struct unwind_stack {
    struct unwind_frame *frames; /* the caller's room, innermost first */
    uint32_t room;               /* at least 1; more than UNWIND_FRAMES_MAX is not used */
    uint32_t count;              /* set: at least 1 */
    enum unwind_end end;         /* set */
};

struct unwinder;

/* NULL where there is no memory. One thread may use it at a time. */
struct unwinder *unwinder_new(void);
void unwinder_free(struct unwinder *unwinder);

/* Walks one stack. 0, -ENOMEM, or -EINVAL: no such machine; whatever the copy holds is no error. */
int unwind_walk(struct unwinder *unwinder, const struct unwind_callbacks *callbacks,
                const struct unwind_input *input, struct unwind_stack *stack);

/* --- into a profile --------------------------------------------------------------------- */

/* Walks a stack of a process and finds or adds it in the profile: *node is its leaf. A stack
 * that is not complete has a mark as its outermost frame: "[truncated]", "[no unwind info:
 * libx.so]", "[broken stack]", "[too deep]". The process must not have ended; descriptors of its
 * objects that were announced should have been given to the profile before. 0, -ENOMEM or
 * -EOVERFLOW. */
int unwind_into_profile(struct unwinder *unwinder, struct profile *profile, uint32_t pid,
                        const struct unwind_input *input, uint32_t *node);

/* Takes any event as profile_feed does; of a sample with a stack, the callers too. */
int unwind_feed(struct unwinder *unwinder, struct profile *profile,
                const struct wire_header *event);

#endif
