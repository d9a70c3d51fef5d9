/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "unwind-fixture.h"

/* --- other machines ------------------------------------------------------------------------ */

Test(unwind, i386)
{
    static const char assembler[] = ".text\n nop\n"
                                    "leaf: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
                                    "middle: .cfi_startproc\n push %ebp\n .cfi_def_cfa_offset 8\n .cfi_offset 5, -8\n"
                                    " mov %esp, %ebp\n .cfi_def_cfa_register 5\n sub $8, %esp\n call leaf\n"
                                    "middle_back: leave\n ret\n .cfi_endproc\n"
                                    "outer: .cfi_startproc\n .cfi_undefined 8\n call middle\n"
                                    "outer_back: hlt\n .cfi_endproc\n";
    struct fixture *fixture = make_fixture(assembler, "gcc -m32");
    const struct unwind_callbacks callbacks = {.context = fixture, .find = find, .open = open_object};

    fixture->code = NARROW_CODE;
    fixture->input.registers.machine = UNWIND_I386;
    put(fixture, code(fixture, "middle_back"));
    put(fixture, 1);
    put(fixture, 2);
    put(fixture, 0xbbbb);
    put(fixture, code(fixture, "outer_back"));
    fixture->input.registers.values[4] = NARROW_STACK;
    fixture->input.registers.values[5] = NARROW_STACK + 12;
    fixture->input.registers.values[8] = code(fixture, "leaf");
    fixture->input.pieces[0] = (struct unwind_piece){NARROW_STACK, (const void *)fixture->narrow, fixture->count * 4};
    fixture->stack = (struct unwind_stack){.frames = fixture->frames, .room = UNWIND_FRAMES_MAX};
    cr_assert_eq(unwind_walk(fixture->unwinder, &callbacks, &fixture->input, &fixture->stack), 0);
    expect(fixture, UNWIND_COMPLETE, 3, "=leaf", "middle_back", "outer_back");
    free_fixture(fixture);
}

/* Walks a stack that contains a return address with this signature. `mask` tells the walk which bits signatures use. 0:
 * the walk finds out whether they begin at bit 48 or at bit 39. */
static void walk_aarch64(uint64_t signature, uint64_t mask)
{
    static const char assembler[] = ".text\n nop\n"
                                    "leaf: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
                                    "middle: .cfi_startproc\n hint #25\n .cfi_negate_ra_state\n"
                                    " stp x29, x30, [sp, #-32]!\n .cfi_def_cfa_offset 32\n .cfi_offset 29, -32\n"
                                    " .cfi_offset 30, -24\n bl leaf\n"
                                    "middle_back: ldp x29, x30, [sp], #32\n ret\n .cfi_endproc\n"
                                    "outer: .cfi_startproc\n .cfi_undefined 30\n bl middle\n"
                                    "outer_back: nop\n .cfi_endproc\n";
    struct fixture *fixture = make_fixture(assembler, "aarch64-linux-gnu-gcc");

    fixture->input.registers.machine = UNWIND_AARCH64;
    fixture->input.registers.signature = mask;
    fixture->input.registers.values[30] = code(fixture, "middle_back");
    fixture->input.registers.values[31] = STACK;
    fixture->input.registers.values[32] = code(fixture, "leaf");
    put(fixture, 0xbbbb);
    put(fixture, code(fixture, "outer_back") | signature);
    put(fixture, 1);
    put(fixture, 2);
    walk_cut(fixture, fixture->count * 8);
    expect(fixture, UNWIND_COMPLETE, 3, "=leaf", "middle_back", "outer_back");
    free_fixture(fixture);
}

Test(unwind, aarch64)
{
    walk_aarch64(UINT64_C(0x002a) << 48, 0);
    walk_aarch64(UINT64_C(0x552a) << 39, 0);
    walk_aarch64(UINT64_C(0x003f) << 48, UINT64_C(0x007f) << 48);
}

/* Walks from the instruction at the symbol `pc`. The link register has the address of the symbol `link`. */
static void walk_linked(struct fixture *fixture, const char *pc, const char *link)
{
    fixture->input.registers.values[30] = code(fixture, link);
    fixture->input.registers.values[31] = STACK;
    fixture->input.registers.values[32] = code(fixture, pc);
    walk_cut(fixture, fixture->count * 8);
}

/* Files do not describe the frames of PLT entries. If x30 is an address after a call, it is the return address of the
 * PLT entry. In a sleeping thread x30 is not known. */
Test(unwind, aarch64_leaf)
{
    static const char assembler[] = ".text\n nop\n"
                                    "leaf: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
                                    "stub: nop\n br x17\n"
                                    "middle: .cfi_startproc\n stp x29, x30, [sp, #-16]!\n .cfi_def_cfa_offset 16\n"
                                    " .cfi_offset 29, -16\n .cfi_offset 30, -8\n bl stub\n"
                                    "middle_back: blr x1\n"
                                    "middle_end: ldp x29, x30, [sp], #16\n ret\n .cfi_endproc\n"
                                    "outer: .cfi_startproc\n .cfi_undefined 30\n bl middle\n"
                                    "outer_back: nop\n .cfi_endproc\n";
    struct fixture *fixture = make_fixture(assembler, "aarch64-linux-gnu-gcc");
    struct unwind_registers *registers = &fixture->input.registers;

    registers->machine = UNWIND_AARCH64;
    put(fixture, 0xbbbb);
    put(fixture, code(fixture, "outer_back"));
    walk_linked(fixture, "stub", "middle_back");
    expect(fixture, UNWIND_COMPLETE, 3, "=stub", "middle_back", "outer_back");
    walk_linked(fixture, "stub", "middle_end");
    expect(fixture, UNWIND_COMPLETE, 3, "=stub", "middle_end", "outer_back");
    walk_linked(fixture, "stub", "middle");
    expect(fixture, UNWIND_NO_INFO, 1, "=stub");
    registers->unknown = ~(UINT64_C(1) << 31 | UINT64_C(1) << 32);
    walk_linked(fixture, "leaf", "middle_back");
    expect(fixture, UNWIND_TRUNCATED, 1, "=leaf");
    walk_linked(fixture, "stub", "middle_back");
    expect(fixture, UNWIND_NO_INFO, 1, "=stub");
    walk_linked(fixture, "middle_back", "middle_back");
    expect(fixture, UNWIND_COMPLETE, 2, "=middle_back", "outer_back");
    free_fixture(fixture);
}

/* Code without a frame description keeps a frame record: the caller's frame pointer and the return address. The place
 * of the record does not show where the frame of the code ends. But the caller's frame pointer points to the caller's
 * own record, and so shows where the caller's frame is. */
Test(unwind, aarch64_guess)
{
    static const char assembler[] = ".text\n nop\n"
                                    "jitted: nop\n ret\n"
                                    "middle: .cfi_startproc\n stp x29, x30, [sp, #-32]!\n .cfi_def_cfa_offset 32\n"
                                    " .cfi_offset 29, -32\n .cfi_offset 30, -24\n mov x29, sp\n blr x0\n"
                                    "middle_back: ldp x29, x30, [sp], #32\n ret\n .cfi_endproc\n"
                                    "frameless: .cfi_startproc\n sub sp, sp, #32\n .cfi_def_cfa_offset 32\n blr x0\n"
                                    "frameless_back: nop\n .cfi_endproc\n"
                                    "outer: .cfi_startproc\n .cfi_undefined 30\n bl middle\n"
                                    "outer_back: nop\n .cfi_endproc\n";
    struct fixture *fixture = make_fixture(assembler, "aarch64-linux-gnu-gcc");
    const char *const callers[] = {"middle_back", "frameless_back"};

    fixture->input.registers.machine = UNWIND_AARCH64;
    fixture->input.registers.values[29] = STACK + 16;
    for (int i = 0; i < 10; i++)
        put(fixture, 0x1111);
    fixture->words[2] = STACK + 48;
    fixture->words[6] = 0xbbbb;
    fixture->words[7] = code(fixture, "outer_back");
    for (int i = 0; i < 2; i++) {
        fixture->words[3] = code(fixture, callers[i]);
        walk_linked(fixture, "jitted", "jitted");
        if (i == 0)
            expect(fixture, UNWIND_COMPLETE, 3, "=jitted", "middle_back", "outer_back");
        else
            expect(fixture, UNWIND_TRUNCATED, 2, "=jitted", "frameless_back");
    }
    /* first the code has pushed registers, but no frame record of its own; after that, it has such a record */
    fixture->input.registers.values[29] = STACK + 48;
    walk_linked(fixture, "jitted", "middle_back");
    expect(fixture, UNWIND_COMPLETE, 3, "=jitted", "middle_back", "outer_back");
    fixture->input.registers.values[29] = STACK + 16;
    fixture->words[3] = code(fixture, "middle_back");
    walk_linked(fixture, "jitted", "middle_back");
    expect(fixture, UNWIND_COMPLETE, 3, "=jitted", "middle_back", "outer_back");
    free_fixture(fixture);
}

/* A PLT entry pushes registers, and then jumps to the code for lazy binding. The frame description of that code leaves
 * out what the PLT entry has pushed. */
Test(unwind, aarch64_saved_above)
{
    static const char assembler[] =
        ".text\n nop\n"
        "resolve: .cfi_startproc\n .cfi_offset 30, 8\n sub sp, sp, #32\n .cfi_def_cfa_offset 32\n nop\n"
        "resolving: ret\n .cfi_endproc\n"
        "middle: .cfi_startproc\n stp x29, x30, [sp, #-32]!\n .cfi_def_cfa_offset 32\n"
        " .cfi_offset 29, -32\n .cfi_offset 30, -24\n blr x0\n"
        "middle_back: ldp x29, x30, [sp], #32\n ret\n .cfi_endproc\n"
        "outer: .cfi_startproc\n .cfi_undefined 30\n bl middle\n"
        "outer_back: nop\n .cfi_endproc\n";
    struct fixture *fixture = make_fixture(assembler, "aarch64-linux-gnu-gcc");

    fixture->input.registers.machine = UNWIND_AARCH64;
    for (int i = 0; i < 10; i++)
        put(fixture, 0x1111);
    fixture->words[5] = code(fixture, "middle_back");
    fixture->words[7] = code(fixture, "outer_back");
    walk_linked(fixture, "resolving", "resolving");
    expect(fixture, UNWIND_COMPLETE, 3, "=resolving", "middle_back", "outer_back");
    free_fixture(fixture);
}

/* The vDSO's description of a signal frame leaves out the program counter. But the kernel has saved it in the frame. */
Test(unwind, aarch64_signal)
{
    static const char assembler[] = ".text\n nop\n"
                                    "leaf: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
                                    " .cfi_startproc\n .cfi_signal_frame\n .cfi_def_cfa 29, 0\n .cfi_offset 29, 0\n"
                                    " .cfi_offset 30, 8\n nop\n"
                                    "sigreturn: mov x8, #139\n svc #0\n .cfi_endproc\n"
                                    "outer: .cfi_startproc\n .cfi_undefined 30\n bl leaf\n"
                                    "outer_back: nop\n .cfi_endproc\n";
    struct fixture *fixture = make_fixture(assembler, "aarch64-linux-gnu-gcc");
    enum { REGISTERS = 312 / 8 }; /* index of the first register: after siginfo and the beginning of ucontext */

    for (size_t i = 0; i < 80; i++)
        put(fixture, 0);
    fixture->words[REGISTERS + 30] = code(fixture, "outer_back");
    fixture->words[REGISTERS + 31] = STACK + 75 * 8;
    fixture->words[REGISTERS + 32] = code(fixture, "leaf");
    fixture->input.registers.machine = UNWIND_AARCH64;
    fixture->input.registers.values[30] = code(fixture, "sigreturn");
    fixture->input.registers.values[31] = STACK;
    fixture->input.registers.values[32] = code(fixture, "leaf");
    walk_cut(fixture, fixture->count * 8);
    expect(fixture, UNWIND_COMPLETE, 4, "=leaf", "=sigreturn", "=leaf", "outer_back");
    free_fixture(fixture);
}

/* struct user_pt_regs contains x0 to x30, sp, pc and pstate, in this order. */
Test(unwind, aarch64_registers)
{
    struct unwind_registers registers;
    uint64_t words[34];

    for (size_t i = 0; i < 34; i++)
        words[i] = 100 + i;
    cr_assert(unwind_take_registers(UNWIND_AARCH64, words, sizeof words, &registers));
    for (size_t i = 0; i < UNWIND_REGISTERS; i++)
        cr_assert_eq(registers.values[i], words[i], "register %zu", i);
    cr_assert(unwind_sp(&registers) == words[31] && unwind_pc(&registers) == words[32]);
    cr_assert_not(unwind_take_registers(UNWIND_AARCH64, words, sizeof words - 8, &registers));
}

#ifdef __x86_64__ /* the test uses struct user_regs_struct of x86-64 */
Test(unwind, registers)
{
    struct unwind_registers registers;
    struct user_regs_struct set;
    unsigned long long words[sizeof set / 8];

    for (size_t i = 0; i < sizeof set / 8; i++)
        words[i] = 100 + i;
    memcpy(&set, words, sizeof set);
    cr_assert(unwind_take_registers(UNWIND_X86_64, &set, sizeof set, &registers));
    cr_assert(unwind_pc(&registers) == set.rip && unwind_sp(&registers) == set.rsp);
    cr_assert(registers.values[0] == set.rax && registers.values[1] == set.rdx);
    cr_assert(registers.values[3] == set.rbx && registers.values[6] == set.rbp);
    cr_assert(registers.values[8] == set.r8 && registers.values[15] == set.r15);
    cr_assert_not(unwind_take_registers(UNWIND_I386, &set, sizeof set, &registers));
    cr_assert(unwind_take_registers(UNWIND_I386, &set, 17 * 4, &registers));
    cr_assert_eq(unwind_pc(&registers), (uint32_t)words[6]);
    cr_assert(unwind_take_registers(UNWIND_AARCH64, words, 34 * 8 <= sizeof words ? 34 * 8 : 0,
                                    &registers) == (34 * 8 <= sizeof words));
}
#endif
