/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs the instructions of a frame description (DWARF 5, section 6.4.2) up to one address.
 * Instructions for registers that are not unwound here, such as vectors, are ignored.
 */
#include "config.h"

#include <dwarf.h>
#include <string.h>

#include "unwind/unwind-internal.h"

/* From "DWARF for the Arm 64-bit Architecture"; elfutils' dwarf.h does not have it. */
#define DW_CFA_AARCH64_NEGATE_RA_STATE_WITH_PC 0x2c
/* largest depth to which DW_CFA_remember_state may be nested; compilers nest it once or twice */
#define STATES_MAX 16u
#define INSTRUCTIONS_MAX 65536u /* largest number of instructions in one frame description */

struct run {
    const struct cfi_section *section;
    const struct cfi_program *program;
    const struct machine *machine;
    uint64_t address; /* link-time address whose rule is computed */
    uint64_t at;      /* the next instruction changes the rule from this address on */
    bool done, nonsense;
    struct rule_full *rule;
    /* the rule after the instructions of the CIE; DW_CFA_restore goes back to it */
    struct rule_full initial;
    struct rule_full states[STATES_MAX];
    uint32_t state_count;
};

/* The kinds of operands that each instruction has, a letter or digit for each operand. u: an
 * unsigned LEB128 number; s: a signed LEB128 number; 1, 2, 4, 8: a number with this many bytes; a:
 * an address; b: a block. */
static const char operands[64][3] = {
    [DW_CFA_set_loc] = "a",
    [DW_CFA_advance_loc1] = "1",
    [DW_CFA_advance_loc2] = "2",
    [DW_CFA_advance_loc4] = "4",
    [DW_CFA_offset_extended] = "uu",
    [DW_CFA_restore_extended] = "u",
    [DW_CFA_undefined] = "u",
    [DW_CFA_same_value] = "u",
    [DW_CFA_register] = "uu",
    [DW_CFA_def_cfa] = "uu",
    [DW_CFA_def_cfa_register] = "u",
    [DW_CFA_def_cfa_offset] = "u",
    [DW_CFA_def_cfa_expression] = "b",
    [DW_CFA_expression] = "ub",
    [DW_CFA_offset_extended_sf] = "us",
    [DW_CFA_def_cfa_sf] = "us",
    [DW_CFA_def_cfa_offset_sf] = "s",
    [DW_CFA_val_offset] = "uu",
    [DW_CFA_val_offset_sf] = "us",
    [DW_CFA_val_expression] = "ub",
    [DW_CFA_MIPS_advance_loc8] = "8",
    [DW_CFA_GNU_args_size] = "u",
    [DW_CFA_GNU_negative_offset_extended] = "uu",
};

struct operand {
    uint64_t number;
    /* 0, unless the operand is a block of bytes: then its size, and `number` is its offset in the section */
    uint16_t length;
};

static struct operand read_block(struct run *run, struct reader *code)
{
    uint64_t length = reader_uleb(code);
    struct operand operand = {(uint64_t)(code->at - run->section->bytes), (uint16_t)length};

    if (length > UINT16_MAX || operand.number > INT32_MAX)
        code->failed = true;
    reader_skip(code, length);
    return operand;
}

static struct operand read_operand(struct run *run, struct reader *code, char kind)
{
    switch (kind) {
    case 'u':
        return (struct operand){.number = reader_uleb(code)};
    case 's':
        return (struct operand){.number = (uint64_t)reader_sleb(code)};
    case 'a':
        return (struct operand){
            .number = cfi_section_address(run->section, code, run->program->encoding)};
    case 'b':
        return read_block(run, code);
    case '1':
    case '2':
    case '4':
    case '8':
        return (struct operand){.number = reader_fixed(code, (size_t)(kind - '0'))};
    }
    return (struct operand){0};
}

/* Returns `number` times `factor`, which is an offset in a frame. The result must fit into 32 bits,
 * because no frame is larger than two gigabytes. */
static int32_t scaled_offset(struct run *run, int64_t number, int64_t factor)
{
    int64_t offset;

    if (__builtin_mul_overflow(number, factor, &offset) || offset != (int32_t)offset) {
        run->nonsense = true;
        return 0;
    }
    return (int32_t)offset;
}

static void cfi_run_set_register(struct run *run, uint64_t number, enum rule_how how, int32_t value, uint16_t length)
{
    if (number < run->machine->registers)
        run->rule->registers[number] = (struct rule_register){
            .value = value, .length = length, .number = (uint8_t)number, .how = (uint8_t)how};
}

static void cfi_run_set_cfa(struct run *run, enum rule_how how, uint64_t number, int32_t value, uint16_t length)
{
    if (number >= run->machine->registers)
        run->nonsense = true;
    else
        run->rule->cfa = (struct rule_register){
            .value = value, .length = length, .number = (uint8_t)number, .how = (uint8_t)how};
}

static void cfi_run_restore(struct run *run, uint64_t number)
{
    if (number < run->machine->registers)
        run->rule->registers[number] = run->initial.registers[number];
}

/* From here on, instructions take effect at the address `to`. If that is after run->address, the
 * rest of the instructions are not needed. */
static void cfi_run_advance(struct run *run, uint64_t to)
{
    run->done = to > run->address;
    run->at = to;
}

static void cfi_run_remember(struct run *run)
{
    if (run->state_count == STATES_MAX)
        run->nonsense = true;
    else
        run->states[run->state_count++] = *run->rule;
}

static void cfi_run_recall(struct run *run)
{
    if (run->state_count == 0)
        run->nonsense = true;
    else
        *run->rule = run->states[--run->state_count];
}

static void cfi_run_cfa(struct run *run, uint8_t instruction, const struct operand *a)
{
    const struct rule_register *cfa = &run->rule->cfa;
    int64_t factor = run->program->data_factor;

    switch (instruction) {
    case DW_CFA_def_cfa:
        cfi_run_set_cfa(run, RULE_REGISTER, a[0].number, scaled_offset(run, (int64_t)a[1].number, 1), 0);
        break;
    case DW_CFA_def_cfa_sf:
        cfi_run_set_cfa(run, RULE_REGISTER, a[0].number, scaled_offset(run, (int64_t)a[1].number, factor), 0);
        break;
    case DW_CFA_def_cfa_register:
        cfi_run_set_cfa(run, RULE_REGISTER, a[0].number, cfa->value, 0);
        break;
    case DW_CFA_def_cfa_offset:
        cfi_run_set_cfa(run, RULE_REGISTER, cfa->number, scaled_offset(run, (int64_t)a[0].number, 1), 0);
        break;
    case DW_CFA_def_cfa_offset_sf:
        cfi_run_set_cfa(run, RULE_REGISTER, cfa->number, scaled_offset(run, (int64_t)a[0].number, factor), 0);
        break;
    case DW_CFA_def_cfa_expression:
        cfi_run_set_cfa(run, RULE_IS_EXPRESSION, 0, (int32_t)a[0].number, a[0].length);
        break;
    }
}

static void cfi_run_register(struct run *run, uint8_t instruction, const struct operand *a)
{
    int64_t factor = run->program->data_factor, given = (int64_t)a[1].number;
    uint64_t number = a[0].number;

    switch (instruction) {
    case DW_CFA_offset_extended:
    case DW_CFA_offset_extended_sf:
        cfi_run_set_register(run, number, RULE_AT, scaled_offset(run, given, factor), 0);
        break;
    case DW_CFA_GNU_negative_offset_extended:
        cfi_run_set_register(run, number, RULE_AT, scaled_offset(run, -(given & INT32_MAX), factor), 0);
        break;
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
        cfi_run_set_register(run, number, RULE_IS, scaled_offset(run, given, factor), 0);
        break;
    case DW_CFA_restore_extended:
        cfi_run_restore(run, number);
        break;
    case DW_CFA_undefined:
        cfi_run_set_register(run, number, RULE_UNDEFINED, 0, 0);
        break;
    case DW_CFA_same_value:
        cfi_run_set_register(run, number, RULE_SAME, 0, 0);
        break;
    case DW_CFA_register:
        run->nonsense = run->nonsense || a[1].number >= run->machine->registers;
        cfi_run_set_register(run, number, RULE_REGISTER, (int32_t)(a[1].number & 0xff), 0);
        break;
    case DW_CFA_expression:
        cfi_run_set_register(run, number, RULE_AT_EXPRESSION, (int32_t)a[1].number, a[1].length);
        break;
    case DW_CFA_val_expression:
        cfi_run_set_register(run, number, RULE_IS_EXPRESSION, (int32_t)a[1].number, a[1].length);
        break;
    }
}

static void cfi_run_extended(struct run *run, uint8_t instruction, const struct operand *a)
{
    switch (instruction) {
    case DW_CFA_nop:
    case DW_CFA_GNU_args_size:
        break;
    case DW_CFA_set_loc:
        cfi_run_advance(run, a[0].number);
        break;
    case DW_CFA_advance_loc1:
    case DW_CFA_advance_loc2:
    case DW_CFA_advance_loc4:
    case DW_CFA_MIPS_advance_loc8:
        cfi_run_advance(run, run->at + a[0].number * run->program->code_factor);
        break;
    case DW_CFA_remember_state:
        cfi_run_remember(run);
        break;
    case DW_CFA_restore_state:
        cfi_run_recall(run);
        break;
    case DW_CFA_AARCH64_negate_ra_state:
    case DW_CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
        run->rule->is_signed = !run->rule->is_signed;
        break;
    default:
        if (operands[instruction][0] == '\0')
            run->nonsense = true;
        cfi_run_cfa(run, instruction, a);
        cfi_run_register(run, instruction, a);
    }
}

static void cfi_run_instruction(struct run *run, struct reader *code)
{
    uint8_t byte = (uint8_t)reader_fixed(code, 1), low = byte & 0x3f;

    if ((byte & 0xc0) == DW_CFA_advance_loc) {
        cfi_run_advance(run, run->at + low * run->program->code_factor);
    } else if ((byte & 0xc0) == DW_CFA_offset) {
        int64_t given = (int64_t)reader_uleb(code);
        cfi_run_set_register(run, low, RULE_AT, scaled_offset(run, given, run->program->data_factor), 0);
    } else if ((byte & 0xc0) == DW_CFA_restore) {
        cfi_run_restore(run, low);
    } else {
        struct operand a[2];
        for (size_t i = 0; i < 2; i++)
            a[i] = read_operand(run, code, operands[low][i]);
        if (!code->failed)
            cfi_run_extended(run, low, a);
    }
    run->nonsense = run->nonsense || code->failed;
}

static void cfi_run_code(struct run *run, struct reader code)
{
    for (uint32_t i = 0; code.at < code.end && !run->done && !run->nonsense; i++) {
        cfi_run_instruction(run, &code);
        run->nonsense = run->nonsense || i == INSTRUCTIONS_MAX;
    }
}

bool cfi_run(const struct cfi_section *section, const struct cfi_program *program,
             const struct machine *machine, uint64_t address, struct rule_full *rule)
{
    struct run run;

    /* run.states needs no clearing: its elements are written before they are read */
    memset(&run, 0, offsetof(struct run, states));
    memset(rule, 0, sizeof *rule);
    run.section = section;
    run.program = program;
    run.machine = machine;
    run.address = address;
    run.at = program->start;
    run.rule = rule;
    run.state_count = 0;
    cfi_run_code(&run, program->initial);
    run.initial = *rule;
    if (!run.done)
        cfi_run_code(&run, program->own);
    return !run.nonsense && rule->cfa.how != RULE_SAME;
}
