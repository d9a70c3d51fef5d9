/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decodes x86-64 instructions: their sizes, and what they do to the stack pointer, to saved registers and to the flow
 * of control. Of all other instructions, only the size is known.
 *
 * The tables have a character for each opcode (Intel SDM, volume 2, appendix A): what follows the opcode.
 *
 *   .  nothing              m  ModRM
 *   b  1 byte               B  ModRM and 1 byte
 *   z  2 or 4 bytes         Z  ModRM and 2 or 4 bytes (2 with the prefix 66)
 *   w  2 bytes              e  3 bytes
 *   v  4 or 8 bytes (8 with REX.W)
 *   a  8 bytes              g  ModRM, and data if its reg field is 0 or 1 (group 3)
 *   p  a prefix or an escape, which is handled before the table is read
 *   -  no instruction
 */
#include "config.h"

#include <string.h>

#include "unwind/unwind-internal.h"

static const char one_byte_opcodes[] = "mmmmbz--mmmmbz-p" /* 00 */
                                       "mmmmbz--mmmmbz--"
                                       "mmmmbzp-mmmmbzp-" /* 20 */
                                       "mmmmbzp-mmmmbzp-"
                                       "pppppppppppppppp" /* 40 */
                                       "................"
                                       "--pmppppzZbB...." /* 60 */
                                       "bbbbbbbbbbbbbbbb"
                                       "BZ-Bmmmmmmmmmmmm" /* 80 */
                                       "..........-....."
                                       "aaaa....bz......" /* a0 */
                                       "bbbbbbbbvvvvvvvv"
                                       "BBw.ppBZe.w..b-." /* c0 */
                                       "mmmm---.mmmmmmmm"
                                       "bbbbbbbbzz-b...." /* e0 */
                                       "p.pp..gg......mm";

static const char two_byte_opcodes[] = "mmmm-.....-.-m.B" /* 0f 00 */
                                       "mmmmmmmmmmmmmmmm"
                                       "mmmm----mmmmmmmm" /* 0f 20 */
                                       "........p-p-----"
                                       "mmmmmmmmmmmmmmmm" /* 0f 40 */
                                       "mmmmmmmmmmmmmmmm"
                                       "mmmmmmmmmmmmmmmm" /* 0f 60 */
                                       "BBBBmmm.mm--mmmm"
                                       "zzzzzzzzzzzzzzzz" /* 0f 80 */
                                       "mmmmmmmmmmmmmmmm"
                                       "...mBm--...mBmmm" /* 0f a0 */
                                       "mmmmmmmmmmBmmmmm"
                                       "mmBmBBBm........" /* 0f c0 */
                                       "mmmmmmmmmmmmmmmm"
                                       "mmmmmmmmmmmmmmmm" /* 0f e0 */
                                       "mmmmmmmmmmmmmmmm";

enum map { MAP_ONE_BYTE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_OTHER };
enum { RSP_NUMBER = 4, RBP_NUMBER = 5 }; /* as instructions encode these registers */

struct decoder {
    const uint8_t *bytes;
    size_t size, at;
    bool narrow; /* the prefix 66: operands have 16 bits */
    uint8_t rex; /* the prefix REX, or 0 */
    bool vector; /* the prefix VEX or EVEX */
    enum map map;
    uint8_t opcode;
    bool has_modrm;
    uint8_t mod, reg, rm; /* of ModRM, with the bits of REX */
    uint8_t base;         /* number of the register on which the operand in memory is based */
    bool based;           /* the operand in memory is at `base` plus `displacement`, without an index */
    int64_t displacement;
    int64_t immediate;
};

/* Reads a signed number of up to four bytes, which are all there. */
static int64_t take(struct decoder *decoder, size_t size)
{
    uint64_t value = 0;

    if (decoder->size - decoder->at < size) {
        decoder->at = decoder->size + 1; /* beyond the end, for ever */
        return 0;
    }
    memcpy(&value, decoder->bytes + decoder->at, size);
    decoder->at += size;
    return size == 0 || size == 8 ? (int64_t)value : (int64_t)(value << (64 - size * 8)) >> (64 - size * 8);
}

/* --- prefixes --------------------------------------------------------------------------------- */

/* Reads the prefix VEX (c4, c5) or EVEX (62), and the opcode. Bits of the prefix are those of REX, inverted. */
static void take_vector_opcode(struct decoder *decoder, uint8_t first)
{
    static const enum map maps[] = {MAP_OTHER, MAP_0F, MAP_0F38, MAP_0F3A};
    uint8_t second = (uint8_t)take(decoder, 1), map = 1;

    if (first != 0xc5)
        map = second & 7;
    take(decoder, first == 0xc5 ? 0 : first == 0xc4 ? 1 : 2);
    decoder->rex = (uint8_t)(~second >> 5 & 7);
    decoder->vector = true;
    decoder->map = map < 4 ? maps[map] : MAP_OTHER;
    decoder->opcode = (uint8_t)take(decoder, 1);
}

/* Reads the prefixes and the opcode. False: this is no instruction. */
static bool take_opcode(struct decoder *decoder)
{
    uint8_t byte = (uint8_t)take(decoder, 1);

    for (; byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 ||
           (byte & 0xe7) == 0x26 || (byte & 0xfe) == 0x64 || (byte & 0xf0) == 0x40;
         byte = (uint8_t)take(decoder, 1)) {
        decoder->narrow = decoder->narrow || byte == 0x66;
        decoder->rex = (byte & 0xf0) == 0x40 ? byte : 0;
        if (decoder->at > decoder->size)
            return false;
    }
    decoder->opcode = byte;
    if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
        take_vector_opcode(decoder, byte);
    } else if (byte == 0x0f) {
        decoder->map = MAP_0F;
        decoder->opcode = (uint8_t)take(decoder, 1);
        if (decoder->opcode == 0x38 || decoder->opcode == 0x3a) {
            decoder->map = decoder->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
            decoder->opcode = (uint8_t)take(decoder, 1);
        }
    }
    return decoder->at <= decoder->size;
}

/* --- operands --------------------------------------------------------------------------------- */

static void take_modrm(struct decoder *decoder)
{
    uint8_t modrm = (uint8_t)take(decoder, 1), base = modrm & 7, index = RSP_NUMBER;

    decoder->has_modrm = true;
    decoder->mod = modrm >> 6;
    decoder->reg = (uint8_t)((modrm >> 3 & 7) | (decoder->rex & 4) << 1);
    decoder->rm = (uint8_t)((modrm & 7) | (decoder->rex & 1) << 3);
    if (decoder->mod == 3)
        return;
    bool indexed = base == RSP_NUMBER;
    if (indexed) {
        uint8_t sib = (uint8_t)take(decoder, 1);
        base = sib & 7;
        index = (uint8_t)((sib >> 3 & 7) | (decoder->rex & 2) << 2);
    }
    bool absolute = decoder->mod == 0 && base == RBP_NUMBER; /* without a base, or relative to rip */
    decoder->base = (uint8_t)(base | (decoder->rex & 1) << 3);
    decoder->based = !absolute && index == RSP_NUMBER; /* this index means: none */
    decoder->displacement = take(decoder, absolute || decoder->mod == 2 ? 4 : decoder->mod);
}

static char opcode_form(const struct decoder *decoder)
{
    switch (decoder->map) {
    case MAP_ONE_BYTE:
        return one_byte_opcodes[decoder->opcode];
    case MAP_0F:
        if (decoder->vector && decoder->opcode != 0x77)
            return strchr("BZ", two_byte_opcodes[decoder->opcode]) != NULL ? 'B' : 'm';
        return two_byte_opcodes[decoder->opcode];
    case MAP_0F3A:
        return 'B';
    default:
        return 'm';
    }
}

/* Branches and calls have four bytes also after the prefix 66. */
static size_t immediate_size(const struct decoder *decoder, char form)
{
    bool jumps = decoder->map == MAP_0F || (decoder->opcode & 0xfe) == 0xe8;
    bool group = form == 'g' && (decoder->reg & 7) < 2;
    bool byte_operand = (decoder->opcode & 1) == 0;

    if (form == 'b' || form == 'B' || (group && byte_operand))
        return 1;
    if (form == 'z' || form == 'Z' || group)
        return decoder->narrow && !jumps ? 2 : 4;
    if (form == 'v')
        return (decoder->rex & 8) != 0 ? 8 : decoder->narrow ? 2 : 4;
    return form == 'w' ? 2 : form == 'e' ? 3 : form == 'a' ? 8 : 0;
}

/* Reads an instruction up to its end. False: this is no instruction, or its bytes are not all there. */
static bool take_instruction(struct decoder *decoder)
{
    if (!take_opcode(decoder))
        return false;
    char form = opcode_form(decoder);
    if (form == '-' || form == 'p')
        return false;
    if (strchr("mBZg", form) != NULL)
        take_modrm(decoder);
    decoder->immediate = take(decoder, immediate_size(decoder, form));
    return decoder->at <= decoder->size;
}

/* --- what an instruction does ------------------------------------------------------------------ */

/* The DWARF numbers of the registers (psABI, "DWARF Register Number Mapping"). */
static uint8_t dwarf_number(unsigned number)
{
    static const uint8_t numbers[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

    return numbers[number & 15];
}

static void set_target(struct x86_instruction *instruction, enum x86_kind kind, int64_t distance)
{
    instruction->kind = (uint8_t)kind;
    instruction->value = distance + instruction->size;
}

/* Instructions of the one-byte map that have no ModRM. */
static void read_plain(const struct decoder *decoder, struct x86_instruction *instruction)
{
    uint8_t opcode = decoder->opcode;

    instruction->reg = dwarf_number((opcode & 7u) | (decoder->rex & 1u) << 3);
    if ((opcode & 0xf8) == 0x50 || opcode == 0x68 || opcode == 0x6a || opcode == 0x9c) {
        instruction->kind = X86_PUSH;
        if ((opcode & 0xf8) != 0x50)
            instruction->reg = X86_NO_REGISTER;
    } else if ((opcode & 0xf8) == 0x58 || opcode == 0x9d) {
        instruction->kind = X86_POP;
        if (opcode == 0x9d)
            instruction->reg = X86_NO_REGISTER;
    } else if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0) {
        set_target(instruction, X86_BRANCH, decoder->immediate);
    } else if (opcode == 0xe8) {
        set_target(instruction, X86_CALL, decoder->immediate);
    } else if (opcode == 0xe9 || opcode == 0xeb) {
        set_target(instruction, X86_JUMP, decoder->immediate);
    } else if (opcode == 0xc3 || opcode == 0xc2) {
        instruction->kind = X86_RETURN;
    } else if (opcode == 0xc9) {
        instruction->kind = X86_LEAVE;
    } else if (opcode == 0xf4 || opcode == 0xcc || opcode == 0xcf || opcode == 0xcb || opcode == 0xca) {
        instruction->kind = X86_STOP;
    } else if (opcode == 0xc8 || (instruction->reg == X86_RSP && (opcode & 0xf8) == 0x90) ||
               (instruction->reg == X86_RSP && (opcode & 0xf8) == 0xb8)) {
        instruction->kind = X86_LOSES_SP; /* enter, xchg and mov */
    }
}

/* Instructions whose target is in ModRM: groups 1 (add, sub, and, ...), 1A (pop) and 5 (call, jmp, push, ...). */
static void read_group(const struct decoder *decoder, struct x86_instruction *instruction)
{
    bool to_sp = decoder->mod == 3 && decoder->rm == RSP_NUMBER;
    unsigned which = decoder->reg & 7;

    switch (decoder->opcode) {
    case 0x81:
    case 0x83:
        if (!to_sp || which == 7) /* cmp */
            return;
        instruction->kind = which == 0 || which == 5 ? X86_SP_PLUS : X86_LOSES_SP;
        instruction->value = which == 0 ? decoder->immediate : -decoder->immediate;
        return;
    case 0x8f:
        instruction->kind = to_sp ? X86_LOSES_SP : X86_POP;
        return;
    case 0xff:
        if (which == 6)
            instruction->kind = X86_PUSH;
        else if (which == 4 || which == 5)
            instruction->kind = X86_JUMP_ANYWHERE;
        else if (to_sp && which < 2)
            instruction->kind = X86_LOSES_SP;
    }
}

/* Copies of registers, and lea: the operand in memory is based on rsp or rbp. */
static void read_move(const struct decoder *decoder, struct x86_instruction *instruction)
{
    bool memory = decoder->mod != 3, wide = (decoder->rex & 8) != 0;
    uint8_t to = decoder->opcode == 0x89 ? decoder->rm : decoder->reg;
    uint8_t from = decoder->opcode == 0x89 ? decoder->reg : memory ? decoder->base : decoder->rm;
    bool address = decoder->opcode == 0x8d || !memory; /* lea, or between two registers */
    bool framed = memory && decoder->based && (decoder->base == RSP_NUMBER || decoder->base == RBP_NUMBER);

    if (memory && decoder->opcode == 0x89) { /* a store */
        instruction->kind = wide && framed ? X86_STORE : X86_OTHER;
        instruction->reg = dwarf_number(decoder->reg);
    } else if (!address && to != RSP_NUMBER) {
        instruction->kind = wide && framed ? X86_LOAD : X86_OTHER;
        instruction->reg = dwarf_number(to);
    } else if (address && wide && (decoder->based || !memory) && (from == RSP_NUMBER || from == RBP_NUMBER)) {
        instruction->kind = X86_COPY;
        instruction->reg = dwarf_number(to);
    } else if (to == RSP_NUMBER) {
        instruction->kind = X86_LOSES_SP;
    }
    instruction->base = dwarf_number(memory ? decoder->base : from);
    instruction->value = memory ? decoder->displacement : 0;
}

/* Returns whether an instruction with ModRM, of which nothing else is known, writes the stack pointer. Of the
 * arithmetic instructions, those with bit 1 write the register in `reg`, the others that in `rm`. */
static bool writes_sp(const struct decoder *decoder)
{
    uint8_t opcode = decoder->opcode;
    bool by_reg = (opcode & 2) != 0;

    if (decoder->map == MAP_0F)
        return (opcode & 0xf0) == 0x40 && decoder->reg == RSP_NUMBER; /* cmov */
    if (opcode == 0x63 || opcode == 0x69 || opcode == 0x6b)
        return decoder->reg == RSP_NUMBER;
    if (opcode == 0x87)
        return decoder->reg == RSP_NUMBER || (decoder->mod == 3 && decoder->rm == RSP_NUMBER);
    if (opcode >= 0x38 || (opcode & 1) == 0) /* cmp and test write nothing, and parts of rsp are never written */
        return opcode == 0xc7 && decoder->mod == 3 && decoder->rm == RSP_NUMBER;
    return by_reg ? decoder->reg == RSP_NUMBER : decoder->mod == 3 && decoder->rm == RSP_NUMBER;
}

static void read_two_byte(const struct decoder *decoder, struct x86_instruction *instruction)
{
    uint8_t opcode = decoder->opcode;

    if ((opcode & 0xf0) == 0x80)
        set_target(instruction, X86_BRANCH, decoder->immediate);
    else if (opcode == 0x05)
        instruction->kind = X86_SYSCALL;
    else if (opcode == 0x0b || opcode == 0xb9)
        instruction->kind = X86_STOP;
    else if (opcode == 0xa0 || opcode == 0xa8)
        instruction->kind = X86_PUSH;
    else if (opcode == 0xa1 || opcode == 0xa9)
        instruction->kind = X86_POP;
    else if (decoder->has_modrm && writes_sp(decoder))
        instruction->kind = X86_LOSES_SP;
}

bool x86_instruction_read(const uint8_t *bytes, size_t size, struct x86_instruction *instruction)
{
    struct decoder decoder = {.bytes = bytes, .size = size < X86_INSTRUCTION_MAX ? size : X86_INSTRUCTION_MAX};

    if (!take_instruction(&decoder))
        return false;
    *instruction = (struct x86_instruction){
        .size = (uint8_t)decoder.at, .kind = X86_OTHER, .reg = X86_NO_REGISTER, .base = X86_NO_REGISTER};
    if (decoder.vector || decoder.map == MAP_0F38 || decoder.map == MAP_0F3A)
        return true;
    if (decoder.map == MAP_0F)
        read_two_byte(&decoder, instruction);
    else if (!decoder.has_modrm)
        read_plain(&decoder, instruction);
    else if (decoder.opcode == 0x89 || decoder.opcode == 0x8b || decoder.opcode == 0x8d)
        read_move(&decoder, instruction);
    else if (decoder.opcode == 0x81 || decoder.opcode == 0x83 || decoder.opcode == 0x8f || decoder.opcode == 0xff)
        read_group(&decoder, instruction);
    else if (writes_sp(&decoder))
        instruction->kind = X86_LOSES_SP;
    return true;
}
