/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The properties of each machine, and how its registers are read. The numbers of registers are those of DWARF, from the
 * psABI supplements. The layout of the kernel's register sets is from arch/.../include/asm/user.h and ptrace.h. The
 * code that reads the pieces of memory that were copied from a process is here too. It is the same for all machines.
 */
#include "config.h"

#include <string.h>

#include "unwind/unwind-internal.h"

static const struct machine machines[] = {
    [UNWIND_X86_64] =
        {.word = 8, .registers = 17, .sp = 7, .fp = 6, .pc = 16, .elf = EM_X86_64, .pushes = true},
    [UNWIND_I386] =
        {.word = 4, .registers = 9, .sp = 4, .fp = 5, .pc = 8, .elf = EM_386, .pushes = true},
    [UNWIND_AARCH64] =
        {.word = 8, .registers = 33, .sp = 31, .fp = 29, .pc = 32, .link = 30, .elf = EM_AARCH64},
};

const struct machine *machine_find(enum unwind_machine machine)
{
    if (machine < UNWIND_X86_64 || machine > UNWIND_AARCH64)
        return NULL;
    return &machines[machine];
}

uint64_t machine_wrap(const struct machine *machine, uint64_t value)
{
    return machine->word == 4 ? (uint32_t)value : value;
}

/* --- registers ------------------------------------------------------------------------ */

struct register_set {
    size_t size; /* size of the set, bytes */
    /* register i is the word with index words[i] in the set. Not used on AArch64, whose set has the registers in the
     * order of their numbers */
    uint8_t words[17];
};

static const struct register_set sets[] = {
    /* struct user_regs_struct: r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax
     * rip cs eflags rsp ... */
    [UNWIND_X86_64] = {27 * 8, {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16}},
    /* struct user_regs_struct32: ebx ecx edx esi edi ebp eax ds es fs gs orig_eax eip cs eflags esp ss */
    [UNWIND_I386] = {17 * 4, {6, 1, 2, 0, 15, 5, 3, 4, 12}},
    /* struct user_pt_regs: x0..x30 sp pc pstate */
    [UNWIND_AARCH64] = {34 * 8, {0}},
};

/* Returns a word of the set. `index` counts words, which have `size` bytes. All these machines are
 * little-endian, and so is the machine that runs pprofil. */
static uint64_t register_set_word(const void *set, size_t index, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, (const char *)set + index * size, size);
    return value;
}

bool unwind_take_registers(enum unwind_machine number, const void *set, size_t size, struct unwind_registers *registers)
{
    const struct machine *machine = machine_find(number);

    if (machine == NULL || size != sets[number].size)
        return false;
    *registers = (struct unwind_registers){.machine = number};
    for (size_t i = 0; i < machine->registers; i++) {
        size_t index = number == UNWIND_AARCH64 ? i : sets[number].words[i];
        registers->values[i] = register_set_word(set, index, machine->word);
    }
    return true;
}

uint64_t unwind_pc(const struct unwind_registers *registers)
{
    const struct machine *machine = machine_find(registers->machine);
    return machine == NULL ? 0 : registers->values[machine->pc];
}

uint64_t unwind_sp(const struct unwind_registers *registers)
{
    const struct machine *machine = machine_find(registers->machine);
    return machine == NULL ? 0 : registers->values[machine->sp];
}

/* --- memory --------------------------------------------------------------------------- */

bool memory_read(const struct unwind_input *input, uint64_t address, size_t size, uint64_t *value)
{
    for (uint32_t i = 0; i < input->piece_count; i++) {
        const struct unwind_piece *piece = &input->pieces[i];
        uint64_t into = address - piece->start;
        if (into >= piece->size || piece->size - into < size)
            continue;
        *value = 0;
        if (size == sizeof *value) /* if the size is a constant, the compiler makes this one load */
            memcpy(value, piece->bytes + into, sizeof *value);
        else
            memcpy(value, piece->bytes + into, size);
        return true;
    }
    return false;
}
