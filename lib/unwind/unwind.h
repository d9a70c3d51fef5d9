/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unwind: turns a copy of a thread's registers and stack into frames.
 *
 * Nothing here reads a live process. A walk uses only what was copied while the thread was stopped or asleep. If the
 * walk needs more, it ends, and returns the reason (enum unwind_end).
 *
 * The caller has callbacks. One finds the object that is mapped at an address. Another opens the object's ELF file,
 * which has frame descriptions (.eh_frame, .debug_frame). A third finds the file that describes JIT code. When a walk
 * first comes to an address, the frame description of the address is compiled into a short rule. The rule is kept,
 * because stacks go through the same calls thousands of times a second.
 *
 * Registers have the numbers that DWARF gives them on their machine.
 */
#ifndef PPROFIL_UNWIND_H
#define PPROFIL_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jit/jit.h"
#include "profile/profile.h"

enum unwind_machine {
    UNWIND_X86_64 = 1, /* registers 0 to 15: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15; 16: rip */
    UNWIND_I386,       /* registers 0 to 7: eax ecx edx ebx esp ebp esi edi; 8: eip */
    UNWIND_AARCH64,    /* registers 0 to 30: x0 to x30; 31: sp; 32: pc */
};

#define UNWIND_REGISTERS 33u
#define UNWIND_PIECES_MAX 2u
/* largest number of frames of a stack; the outer frames of a deeper stack are left out */
#define UNWIND_FRAMES_MAX 4096u
#define UNWIND_STEPS_MAX 131072u /* limit for the number of frames that a walk passes */

struct unwind_registers {
    enum unwind_machine machine;
    /* indexed by register number; values after the machine's last register are ignored */
    uint64_t values[UNWIND_REGISTERS];
    /* bit i: values[i] is not known. If the thread was asleep, only pc and sp are known */
    uint64_t unknown;
    /* AArch64: mask of the bits of a return address that hold its signature (insn_mask of NT_ARM_PAC_MASK). 0: not
     * known, so the bits that Linux uses are assumed */
    uint64_t signature;
};

/* A piece of a stack: a copy of some memory of the thread's process. */
struct unwind_piece {
    uint64_t start;       /* address of the first byte */
    const uint8_t *bytes; /* borrowed */
    size_t size;
};

struct unwind_input {
    struct unwind_registers registers;
    /* The first piece is the stack, from the stack pointer upwards. It may also have some bytes below the stack
     * pointer, where an epilogue leaves the values that it has popped. If the thread is on an alternate signal stack,
     * or on the scheduler stack of the Go runtime, the second piece is the stack on which the thread ran before. */
    struct unwind_piece pieces[UNWIND_PIECES_MAX];
    uint32_t piece_count;
    /* only on the scheduler stack of the Go runtime: the stack pointer with which the thread came to this stack, and
     * the one with which it has left the stack of a goroutine. 0: not known */
    uint64_t switch_base, switch_sp;
    uint64_t goroutine_end; /* end of the stack of the goroutine, which is one of the pieces; 0: not known */
};

/* Reads the registers from `set`: `size` bytes that PTRACE_GETREGSET has returned for NT_PRSTATUS. False: the machine
 * is not known, or its register set has another size. */
bool unwind_take_registers(enum unwind_machine machine, const void *set, size_t size,
                           struct unwind_registers *registers);
uint64_t unwind_pc(const struct unwind_registers *registers);
uint64_t unwind_sp(const struct unwind_registers *registers);

/* --- what the caller knows -------------------------------------------------------------- */

struct unwind_mapping {
    uint64_t start, end; /* addresses [start, end) */
    uint64_t offset;     /* byte `start` of the process is byte `offset` of the object */
    /* the number by which the caller of unwind_walk knows the object. It should be small, because
     * it is used as an index. Objects with numbers from 2^24 on have no rules */
    uint32_t object;
};

/* The file in which a JIT compiler describes its code. */
struct unwind_jit_file {
    uint32_t process; /* the number by which the caller of unwind_walk knows the process; small, as it is an index */
    int fd;           /* borrowed; the unwinder duplicates it. -1: the file has not come yet */
    struct jit_owner owner;
};

struct unwind_callbacks {
    void *context;
    /* Finds the executable mapping around an address. The mapping must stay as it is until the walk
     * ends. False: no mapping is there. */
    bool (*find)(void *context, uint64_t address, struct unwind_mapping *mapping);
    /* Returns a descriptor of the object's ELF file. The unwinder duplicates the descriptor, so the
     * caller of unwind_walk still owns it, and may close it after the walk. -ENOENT: the object has
     * no file (JIT code), and this function is not called for the object again. -EAGAIN: the file
     * has not come yet, so this function is called again in a later walk. */
    int (*open)(void *context, uint32_t object);
    /* Finds the file that describes the code of an object that is in no file. False: the object is not of this kind.
     * The callback may be NULL. */
    bool (*find_jit)(void *context, uint32_t object, struct unwind_jit_file *file);
};

/* --- walking ---------------------------------------------------------------------------- */

enum unwind_end {
    UNWIND_COMPLETE,  /* the outermost frame was reached */
    UNWIND_TRUNCATED, /* the next step needs memory that was not copied */
    UNWIND_NOT_COPIED, /* the same, and nothing at all was copied: the thread went on before, or its memory is gone */
    /* the last frame is in an object that has no frame description for its code */
    UNWIND_NO_INFO,
    /* this cannot be a real stack: it has a loop, leads to no code, or makes no sense */
    UNWIND_BROKEN,
    UNWIND_TOO_DEEP, /* UNWIND_STEPS_MAX steps have not reached the outermost frame */
};

struct unwind_frame {
    /* the number by which the caller of unwind_walk knows the object, or UNWIND_NO_OBJECT, or UNWIND_LEFT_OUT */
    uint32_t object;
    /* true: `address` is the frame's next instruction: the frame is the innermost one, was interrupted by a signal, or
     * has made no call (makecontext). False: `address` is inside the call instruction */
    bool exact;
    /* offset in the object. If `exact` is not set, it is the offset of the byte before the return address */
    uint64_t address;
    /* the stack pointer, when the frame runs or its callee has returned. The frame's memory is between this address and
     * that of its caller */
    uint64_t sp;
};
/* The value of unwind_frame.object if nothing is mapped at the frame's address. In this case, unwind_frame.address is
 * an address in the process. Only the innermost frame can have this value. */
#define UNWIND_NO_OBJECT UINT32_MAX
/* The value of unwind_frame.object if the element stands for frames that were left out, because the stack has more of
 * them than there is room for. Its `sp` is that of the first of them. */
#define UNWIND_LEFT_OUT (UINT32_MAX - 1)

struct unwind_stack {
    /* memory of the caller of unwind_walk; the innermost frame is the first one */
    struct unwind_frame *frames;
    /* how many elements `frames` has; at least 4; no more than UNWIND_FRAMES_MAX of them are used */
    uint32_t room;
    uint32_t count;      /* result: number of frames; at least 1 if unwind_walk returns 0 */
    enum unwind_end end; /* result */
};

struct unwinder;

/* Returns a new unwinder, which only one thread may use at a time. NULL: no memory. */
struct unwinder *unwinder_new(void);
void unwinder_free(struct unwinder *unwinder);

/* Walks over one stack. Returns 0, -ENOMEM, or -EINVAL (the machine is not known, or `input` has
 * too many pieces). If the copied memory makes no sense, the walk ends, but this is no error. */
int unwind_walk(struct unwinder *unwinder, const struct unwind_callbacks *callbacks,
                const struct unwind_input *input, struct unwind_stack *stack);

/* --- into a profile --------------------------------------------------------------------- */

/* Walks over a stack of a process, and adds the stack to the profile unless it is there already.
 * *node becomes the node of the innermost frame. If the stack is not complete, its outermost frame
 * is a mark: "[truncated]", "[not copied]", "[no unwind info: libx.so]", "[broken stack]", "[too deep]". If a stack
 * has more than UNWIND_FRAMES_MAX frames, a mark "[frames left out]" is in the place of those in the
 * middle. In the profile, the process must not have ended, and its objects should have their
 * descriptors. 0, -ENOMEM or -EOVERFLOW. */
int unwind_into_profile(struct unwinder *unwinder, struct profile *profile, uint32_t pid,
                        const struct unwind_input *input, uint32_t *node);

/* Feeds an event to the profile, as profile_feed does. If the event is a sample with a stack, unwinds the stack first.
 * If it also has Python frames, they are put into the stack. All events that are fed to an unwinder must be fed to the
 * same profile. */
int unwind_feed(struct unwinder *unwinder, struct profile *profile, const struct wire_header *event);

/* The profile has begun a new period (profile_end_period): what the unwinder knows of its tables gets their new
 * indexes. ended: the profile of the period before. 0, -ENOMEM or -EOVERFLOW; after an error, the unwinder can only be
 * freed. */
int unwinder_end_period(struct unwinder *unwinder, const struct profile *ended, const struct profile_moves *moves);

struct script_interpreter;

/* Finds the Python interpreter in an object of the profile. *found is borrowed from the unwinder. 0; -ENOENT: the
 * object has no interpreter; -EAGAIN: the object's file has not come yet; -ENOMEM. */
int unwind_find_interpreter(struct unwinder *unwinder, struct profile *profile, uint32_t object,
                            const struct script_interpreter **found);
/* Finds out whether an object of the profile has Go code. 0: it has; -ENOENT: it has none; -EAGAIN: the object's file
 * has not come yet; -ENOMEM. */
int unwind_find_go(struct unwinder *unwinder, struct profile *profile, uint32_t object);
/* Returns true if the ELF file behind fd, which stays open, has Go code. */
bool unwind_file_has_go(int fd);

#endif
