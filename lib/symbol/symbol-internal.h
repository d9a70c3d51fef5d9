/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations for the files of lib/symbol only: sources of names, the disassembler, and lines of instructions. */
#ifndef PPROFIL_SYMBOL_INTERNAL_H
#define PPROFIL_SYMBOL_INTERNAL_H

#include "jit/jit.h"
#include "symbol/elf-object.h"
#include "symbol/symbol.h"

/* --- sources of names: symbol-source.c -------------------------------------------------------- */

/* Where the names of an object's functions come from. */
struct symbol_source {
    bool opened;
    struct elf_object *elf; /* owned; for objects of kind FILE and VDSO; NULL: no names */
    struct jit_code *jit;   /* owned; for objects of kind ANON; NULL: no names */
    const char *problem; /* why there are no names. NULL: there are names, or `opened` is false */
    /* owned; the text of `problem`, if that text was put together at run time. NULL: `problem` is a
     * constant, or NULL */
    char *own_problem;
    /* owned; the text that symbolizer_missing returned; NULL: it was not called for the object */
    char *missing;
};

struct symbolizer {
    struct profile *profile;       /* borrowed */
    struct symbol_source *sources; /* owned; indexed by object */
    uint32_t source_count;
};

/* Returns the source of the names of an object's functions. Opens the source when it is first
 * needed. NULL: no memory. */
struct symbol_source *symbolizer_source(struct symbolizer *symbolizer, uint32_t object);
void symbol_source_close(struct symbol_source *source);
/* Returns the source of the names of an object of kind ANON, if it has been opened already; otherwise NULL. */
struct symbol_source *symbolizer_jit_source(const struct symbolizer *symbolizer, uint32_t object);

/* Finds the ELF file with the code of a location. Returns 0; PPROFIL_ERROR_NO_CODE: no file has the
 * code, and *problem (borrowed) says why; or -ENOMEM. */
int symbolizer_elf(struct symbolizer *symbolizer, uint32_t location, struct elf_object **elf, const char **problem);

/* Opens the ELF file of an object of kind FILE or VDSO. Returns 0 or -errno; -ENOENT: the file is gone; -ESTALE:
 * another file is at its path; -ENOEXEC: it is no ELF file; -ETIMEDOUT: its file system does not answer. */
int object_file_open(const struct profile *profile, uint32_t object, struct elf_object **elf);

/* --- disassembler: disassemble.c -------------------------------------------------------------- */

/* Turns bytes into instructions, one at a time. Names of call targets are added in function-code.c,
 * not by the disassembler. */

#define DISASSEMBLE_TEXT 224 /* bytes; longer than the text of any instruction */

struct disassembler;

struct disassembled {
    uint32_t size;   /* bytes; not 0 */
    bool has_target; /* `target` is set; it is the address that the instruction jumps to or calls */
    uint64_t target;
    char text[DISASSEMBLE_TEXT]; /* x86 in AT&T syntax: "movq   %rax,%rbx" */
};

/* Opens a disassembler. `machine` is an e_machine of elf.h. If code of that machine cannot be
 * disassembled, the disassembler shows all code as bytes. NULL: no memory. */
struct disassembler *disassembler_open(unsigned machine);
void disassembler_close(struct disassembler *disassembler);

/* Returns why all code is shown as bytes, in a few words for people. NULL: code is disassembled. */
const char *disassembler_problem(const struct disassembler *disassembler);

/* Disassembles the instruction at the start of `bytes` (at least one byte). If they are not a whole instruction, the
 * text is the smallest unit of code in hexadecimal: 1 byte on x86, 4 bytes on AArch64. If code of the machine cannot be
 * disassembled at all, the text is up to 8 bytes in hexadecimal. */
void disassemble(struct disassembler *disassembler, const uint8_t *bytes, size_t size,
                 uint64_t address, struct disassembled *result);

struct symbol_code;

/* --- functions without machine code: named-code.c ------------------------------------------------- */

/* Makes the code of a function that is known by names only: its source lines, as far as the profile has samples in
 * them. location: one of its locations. The caller frees *code with symbol_code_free. 0 or -ENOMEM. */
int named_code_make(const struct profile *profile, uint32_t location, struct symbol_code **code);

/* --- lines of instructions: function-lines.c -------------------------------------------------- */

/* Sets the source file and line of each instruction. The address of an instruction in `elf` is its
 * address in `code` plus `shift`. 0 or -ENOMEM. */
int function_lines_read(struct elf_object *elf, uint64_t shift, struct symbol_code *code);
/* Sets the innermost inlined function of each instruction. The address of an instruction in `elf` is its address in
 * `code` plus `shift`. The parameter `address` is any address of the function, in `elf`. 0 or -ENOMEM. */
int function_inlined_read(struct elf_object *elf, uint64_t shift, uint64_t address, struct symbol_code *code);

#endif
