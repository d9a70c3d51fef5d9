/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of this room share: a symbolizer with its sources of names, and the disassembler.
 */
#ifndef PPROFIL_SYMBOL_INTERNAL_H
#define PPROFIL_SYMBOL_INTERNAL_H

#include "symbol/elf-object.h"
#include "symbol/jit-code.h"
#include "symbol/symbol.h"

/* --- sources of names: symbol-source.c ----------------------------------------------------------
 */

/* Where the names in an object come from. */
struct symbol_source {
    bool opened;
    struct elf_object *elf; /* owned; of kinds FILE and VDSO; NULL: no names */
    struct jit_code *jit;   /* owned; of kind ANON; NULL: no names */
    const char *problem;    /* why there are no names; NULL: there are, or nobody asked */
    char *own_problem;      /* owned; the text of problem, where it had to be made */
};

struct symbolizer {
    struct profile *profile;       /* borrowed */
    struct symbol_source *sources; /* owned; by object */
    uint32_t source_count;
};

/* The source of an object, opened at the first call. NULL: no memory. */
struct symbol_source *symbolizer_source(struct symbolizer *symbolizer, uint32_t object);
void symbol_source_close(struct symbol_source *source);
/* The source of an object of kind ANON that was opened before, or NULL. */
struct symbol_source *symbolizer_jit_source(const struct symbolizer *symbolizer, uint32_t object);

/* The file that has the code of a location. PPROFIL_ERROR_NO_CODE: no file has it, and *problem
 * (borrowed) says why; -ENOMEM. */
int symbolizer_elf(struct symbolizer *symbolizer, uint32_t location, struct elf_object **elf,
                   const char **problem);

/* Opens the ELF file of an object of kind FILE or VDSO. 0 or -errno; -ENOENT: it is gone; -ESTALE:
 * another file took its place; -ENOEXEC: it is no ELF file; -ETIMEDOUT: it hangs. */
int object_file_open(const struct profile *profile, uint32_t object, struct elf_object **elf);

/* --- disassembler: disassemble.c ----------------------------------------------------------------
 */

/* Bytes become instructions, one at a time. Nothing is known of names here. */

#define DISASSEMBLE_TEXT 224 /* bytes: more than any instruction's text */

struct disassembler;

struct disassembled {
    uint32_t size;   /* bytes; not 0 */
    bool has_target; /* it jumps to, or calls, an address that it names itself */
    uint64_t target;
    char text[DISASSEMBLE_TEXT]; /* of x86 in AT&T's syntax: "movq   %rax,%rbx" */
};

/* For code of machine, an e_machine of elf.h. Code of a machine that cannot be disassembled is
 * shown as bytes. NULL where there is no memory. */
struct disassembler *disassembler_open(unsigned machine);
void disassembler_close(struct disassembler *disassembler);

/* Why everything is shown as bytes, in a few words for people; NULL where it is not. */
const char *disassembler_problem(const struct disassembler *disassembler);

/* Disassembles the instruction at the start of size bytes, at least one. What is no instruction, or
 * is cut off, becomes the smallest unit that the machine has, in hexadecimal. */
void disassemble(struct disassembler *disassembler, const uint8_t *bytes, size_t size,
                 uint64_t address, struct disassembled *result);

/* --- lines of instructions: function-lines.c -----------------------------------------------------
 */

struct symbol_code;

/* Sets the file and line of each instruction. shift leads from addresses as linked, which
 * instructions have, to those of elf. 0 or -ENOMEM. */
int function_lines_read(struct elf_object *elf, uint64_t shift, struct symbol_code *code);
/* Sets the innermost inlined function of each instruction; address, one of elf's, is in the
 * function. 0 or -ENOMEM. */
int function_inlined_read(struct elf_object *elf, uint64_t shift, uint64_t address,
                          struct symbol_code *code);

#endif
