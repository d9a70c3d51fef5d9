/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recognises code by its bytes: calls, and the trampolines to which signal handlers return.
 *
 * Programs without a C library (Go), and some C libraries, have a trampoline of their own: two
 * instructions for which no file has a frame description. AArch64's vdso describes its trampoline,
 * but leaves out the program counter. At a trampoline, the stack pointer points to the registers
 * that the kernel saved: struct rt_sigframe of arch/.../kernel/signal.c.
 */
#include "config.h"

#include <string.h>

#include "unwind/unwind-internal.h"

struct trampoline {
    uint16_t elf;
    uint8_t size;
    uint8_t bytes[9];
};

static const struct trampoline trampolines[] = {
    /* mov $15,%rax; syscall */
    {EM_X86_64, 9, {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}},
    /* mov $173,%eax; int $0x80 */
    {EM_386, 7, {0xb8, 0xad, 0, 0, 0, 0xcd, 0x80}},
    /* mov x8, #139; svc #0 */
    {EM_AARCH64, 8, {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}},
};

/* Element i is the index of a word of struct sigcontext: the word in which register i is saved. */
static const uint8_t x86_64_context_words[17] = {13, 12, 14, 11, 9, 8, 10, 15, 0,
                                                 1,  2,  3,  4,  5, 6, 7,  16};
static const uint8_t i386_context_words[9] = {11, 10, 9, 8, 7, 6, 5, 4, 14};

/* Distance from the stack pointer up to the saved registers, bytes. */
#define X86_64_CONTEXT 40u /* the fields of struct ucontext before them: flags, link and stack */
/* siginfo, the fields of ucontext before struct sigcontext, and the field fault_address of sigcontext */
#define AARCH64_CONTEXT 312u
/* On i386, the third argument of the handler points to ucontext, which has the registers. This is the distance from the
 * stack pointer up to that argument, bytes. The return address is not on the stack any more: it was popped. */
#define I386_UCONTEXT 8u
#define I386_CONTEXT 20u /* offset of struct sigcontext in ucontext, bytes */

bool trampoline_is(const struct unwind_object *object, const struct machine *machine, uint64_t offset)
{
    uint8_t bytes[9];

    for (size_t i = 0; i < sizeof trampolines / sizeof trampolines[0]; i++) {
        const struct trampoline *known = &trampolines[i];
        if (known->elf == machine->elf && unwind_object_bytes(object, offset, bytes, known->size) &&
            memcmp(bytes, known->bytes, known->size) == 0)
            return true;
    }
    return false;
}

static uint64_t trampoline_register_at(const struct machine *machine, size_t number)
{
    switch (machine->elf) {
    case EM_X86_64:
        return X86_64_CONTEXT + x86_64_context_words[number] * 8u;
    case EM_386:
        return I386_CONTEXT + i386_context_words[number] * 4u;
    }
    return AARCH64_CONTEXT + number * 8;
}

bool trampoline_step(const struct machine *machine, const struct unwind_input *input, uint64_t *registers)
{
    uint64_t loaded[UNWIND_REGISTERS], context = registers[machine->sp];

    if (machine->elf == EM_386 && !memory_read(input, context + I386_UCONTEXT, machine->word, &context))
        return false;
    for (size_t i = 0; i < machine->registers; i++)
        if (!memory_read(input, context + trampoline_register_at(machine, i), machine->word, &loaded[i]))
            return false;
    memcpy(registers, loaded, machine->registers * sizeof loaded[0]);
    return true;
}

/* Returns whether the last of seven bytes is the end of a call instruction: of call rel32 (e8), or of a call through a
 * register or memory (ff /2), which has two to seven bytes (Intel SDM, volume 2). */
static bool is_x86_call(const uint8_t *bytes)
{
    static const uint8_t sizes[] = {2, 3, 4, 6, 7};

    if (bytes[7 - 5] == 0xe8)
        return true;
    for (size_t i = 0; i < sizeof sizes; i++) {
        const uint8_t *call = bytes + 7 - sizes[i];
        if (call[0] == 0xff && (call[1] & 0x38) == 0x10)
            return true;
    }
    return false;
}

/* Returns whether an instruction is a call: bl, blr, or one of the forms of blr that authenticate
 * the target, such as blraa and blrabz (Arm ARM, C6.2). */
static bool is_aarch64_call(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000 || (word & 0xfefff800) == 0xd63f0800;
}

bool call_precedes(const struct unwind_object *object, const struct machine *machine, uint64_t offset)
{
    uint8_t bytes[7];
    size_t size = machine->pushes ? sizeof bytes : 4;

    if (offset < size || !unwind_object_bytes(object, offset - size, bytes, size))
        return false;
    return machine->pushes ? is_x86_call(bytes) : is_aarch64_call(bytes);
}

bool call_target(const struct unwind_object *object, const struct machine *machine, uint64_t offset, uint64_t *target)
{
    uint8_t call[5];
    size_t size = machine->pushes ? 5 : 4;
    int32_t by;

    if (offset < size || !unwind_object_bytes(object, offset - size, call, size))
        return false;
    memcpy(&by, call + size - 4, sizeof by);
    if (machine->pushes)
        *target = offset + (uint64_t)(int64_t)by;
    else /* the low 26 bits are the distance from the call to its target, in instructions */
        *target = offset - 4 + (uint64_t)((int64_t)((uint64_t)(int64_t)by << 38) >> 36);
    return machine->pushes ? call[0] == 0xe8 : ((uint32_t)by & 0xfc000000) == 0x94000000;
}
