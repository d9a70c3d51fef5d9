/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* disassemble: bytes become instructions, one at a time; nothing is known of names here. */
#ifndef PPROFIL_DISASSEMBLE_H
#define PPROFIL_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISASSEMBLE_TEXT 224 /* more than any instruction's text */

struct disassembler;

struct disassembled {
    uint32_t size;   /* bytes; not 0 */
    bool has_target; /* it jumps to, or calls, an address that it names itself */
    uint64_t target;
    char text[DISASSEMBLE_TEXT]; /* of x86 in AT&T's syntax: "movq   %rax,%rbx" */
};

/* For code of an e_machine of elf.h. NULL where there is no memory; a machine that cannot be
 * disassembled is no error: its code is shown as bytes. */
struct disassembler *disassembler_open(unsigned machine);
void disassembler_close(struct disassembler *disassembler);

/* Why all is shown as bytes, in a few words for people, or NULL where it is not. */
const char *disassembler_problem(const struct disassembler *disassembler);

/* The instruction at the start of so many bytes, at least one. What is none, or is cut off, is
 * the smallest unit that the machine has, in hex. */
void disassemble(struct disassembler *disassembler, const uint8_t *bytes, size_t size,
                 uint64_t address, struct disassembled *result);

#endif
