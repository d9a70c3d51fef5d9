/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known from code alone, without frame descriptions: calls, trampolines, instructions, and rules that follow
 * from what the instructions do. For the files of lib/unwind only. */
#ifndef PPROFIL_UNWIND_CODE_H
#define PPROFIL_UNWIND_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gelf.h>

struct machine;
struct rule_full;
struct unwind_input;
struct unwind_object;

/* --- segments: object-code.c --------------------------------------------------------------------- */

size_t object_segment_count(Elf *elf);
/* Finds the segment of code that holds a file offset. False: no segment of code holds it. */
bool object_segment_of_offset(Elf *elf, uint64_t offset, GElf_Phdr *segment);
/* Finds the part of a segment from an address to the segment's end: the offset and size of this
 * part in the file. False: no segment holds the address. */
bool object_segment_from(Elf *elf, uint64_t address, uint64_t *offset, uint64_t *size);
/* Finds the next segment that is loaded (PT_LOAD) and has all `flags` (PF_X, ...). *index is 0 before the first call.
 * False: there are no more. */
bool object_next_segment(Elf *elf, size_t *index, uint32_t flags, GElf_Phdr *segment);

/* --- patterns: code-patterns.c ---------------------------------------------------------------- */

/* Returns whether a trampoline is at an offset of the file. A trampoline is the code to which
 * signal handlers return. */
bool trampoline_is(const struct unwind_object *object, const struct machine *machine, uint64_t offset);
/* Steps from a trampoline to the frame that the signal interrupted: replaces the values in `registers` with those that
 * the kernel has saved on the stack. False: the saved values were not copied. */
bool trampoline_step(const struct machine *machine, const struct unwind_input *input, uint64_t *registers);

/* Returns whether the bytes just before an offset of the file look like a call instruction. */
bool call_precedes(const struct unwind_object *object, const struct machine *machine, uint64_t offset);
/* Finds the target of the call instruction that ends at an offset of the file. *target becomes the
 * offset of the target in the file. False: no call instruction ends there, or its target is not in
 * the instruction, but in a register or in memory. */
bool call_target(const struct unwind_object *object, const struct machine *machine, uint64_t offset, uint64_t *target);

/* --- instructions of x86-64: x86-instruction.c --------------------------------------------------- */

#define X86_INSTRUCTION_MAX 15u /* bytes */

/* DWARF numbers of registers */
enum { X86_RBX = 3, X86_RBP = 6, X86_RSP = 7, X86_R12 = 12, X86_RIP = 16, X86_NO_REGISTER = 255 };

/* What an instruction does. `reg`, `base` and `value` are fields of struct x86_instruction. */
enum x86_kind {
    X86_OTHER,    /* neither of the following */
    X86_PUSH,     /* pushes `reg`, or another word of 8 bytes */
    X86_POP,      /* pops into `reg`, or elsewhere */
    X86_SP_PLUS,  /* adds `value` to rsp */
    X86_COPY,     /* reg = base + value; `base` is rsp or rbp */
    X86_STORE,    /* stores `reg` at base + value; `base` is rsp or rbp */
    X86_LOAD,     /* loads `reg` from base + value; `base` is rsp or rbp */
    X86_LEAVE,    /* rsp = rbp; then pops rbp */
    X86_LOSES_SP, /* changes rsp in another way */
    X86_SYSCALL,
    X86_CALL,          /* calls the function `value` bytes behind the start of the instruction */
    X86_BRANCH,        /* may jump there */
    X86_JUMP,          /* jumps there */
    X86_JUMP_ANYWHERE, /* jumps to an address in a register or in memory */
    X86_RETURN,
    X86_STOP, /* ends a function in another way: hlt, ud2, int3, ... */
};

struct x86_instruction {
    uint8_t size;      /* bytes */
    uint8_t kind;      /* enum x86_kind */
    uint8_t reg, base; /* DWARF numbers, or X86_NO_REGISTER */
    int64_t value;
};

/* Decodes the instruction at the start of `bytes`. False: there is none, or its bytes are not all there. */
bool x86_instruction_read(const uint8_t *bytes, size_t size, struct x86_instruction *instruction);

/* --- what such instructions have done: x86-state.c ------------------------------------------------- */

#define X86_PRESERVED 6u
extern const uint8_t x86_preserved[X86_PRESERVED]; /* DWARF numbers: rbx, rbp, r12 to r15 */

enum x86_base { BASE_UNKNOWN, BASE_SP, BASE_FP };
/* An address, relative to the value that a register had at the first instruction. */
struct x86_place {
    int32_t offset;
    uint8_t base; /* enum x86_base */
};
/* A register that a function must preserve. Its value is known by the place from where it was loaded. If that is
 * unknown, it is the first value. */
struct preserved {
    struct x86_place value;
    struct x86_place slot, slot_value; /* where a value was stored, and which one; unknown: none was */
};
/* What the code has done since the first instruction. */
struct x86_state {
    struct x86_place sp, fp; /* what rsp and rbp are now */
    struct preserved preserved[X86_PRESERVED];
    bool called_kernel;
};

bool x86_place_is(struct x86_place a, struct x86_place b);
/* Adds what an instruction does. first_fp: the value of rbp at the first instruction. */
void x86_state_step(struct x86_state *state, const struct x86_instruction *instruction, struct x86_place first_fp);

/* --- starts of functions: code-starts.c ---------------------------------------------------------- */

/* Where functions begin, as far as this is known: by symbols, and by calls in the code. */
struct code_starts {
    uint64_t *offsets; /* owned; offsets in the file, sorted */
    uint8_t *returns;  /* owned; enum code_returns of each of these functions */
    uint32_t count;
    uint32_t budget; /* so many instructions may yet be read to make rules for this object */
    bool looked;
};
enum code_returns { CODE_UNKNOWN, CODE_RETURNS, CODE_NEVER_RETURNS };

/* Finds the starts of an object's functions, unless this was done before. 0 or -ENOMEM. */
int code_starts_look(struct unwind_object *object);
/* Returns whether a function begins at an offset of the file. */
bool code_starts_at(const struct code_starts *starts, uint64_t offset);
/* Finds the last start at or below an offset. False: there is none. */
bool code_starts_below(const struct code_starts *starts, uint64_t offset, uint64_t *start);

/* Returns the place where it is kept whether the function that begins at an offset returns. NULL: no function is known
 * to begin there. */
uint8_t *code_starts_returns(struct code_starts *starts, uint64_t offset);

/* --- rules from code: code-flow.c ------------------------------------------------------------------ */

#define CODE_EXTENT_MAX 256u /* bytes */
/* Returns how far the code that begins at an offset of the file reaches, up to about CODE_EXTENT_MAX bytes: where its
 * last instruction ends (x86-64 only). 0: not known. */
uint64_t code_flow_extent(struct unwind_object *object, uint64_t begin);
/* Makes the rule of an instruction by what the code of its function does (x86-64 only). `exact` means what it means
 * in struct unwind_frame. 0; -ENOENT: no rule can be made; -ENOMEM. */
int code_flow_rule(struct unwind_object *object, uint64_t offset, bool exact, struct rule_full *rule);

#endif
