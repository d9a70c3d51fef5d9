/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "unwind-fixture.h"

TestSuite(unwind, .init = enter_directory, .fini = remove_directory, .timeout = 60);

Test(unwind, by_rules)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    put_middle(fixture, code(fixture, "middle_back"));
    for (size_t turn = 0; turn < 2; turn++) { /* the second walk uses the cache */
        walk(fixture, code(fixture, "leaf"));
        expect(fixture, UNWIND_COMPLETE, 3, "=leaf", "middle_back", "outer_back");
    }
    free_fixture(fixture);
}

Test(unwind, cut_anywhere)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    put_middle(fixture, code(fixture, "middle_back"));
    fixture->input.registers.values[RIP] = code(fixture, "leaf");
    fixture->input.registers.values[RSP] = STACK;
    for (size_t size = 0; size <= 56; size++) {
        walk_cut(fixture, size);
        cr_assert_eq(fixture->stack.end, size < 56 ? UNWIND_TRUNCATED : UNWIND_COMPLETE);
        cr_assert_eq(fixture->stack.count, size < 8 ? 1 : size < 56 ? 2 : 3, "%zu", size);
    }
    free_fixture(fixture);
}

/* An epilogue has popped the registers, and memory below the stack pointer is not in the copy. */
Test(unwind, popped)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    put(fixture, code(fixture, "middle_back"));
    put_middle(fixture, 0);
    fixture->input.registers.values[RBP] = STACK + 6 * 8;
    walk(fixture, code(fixture, "middle_end"));
    expect(fixture, UNWIND_COMPLETE, 3, "=middle_end", "middle_back", "outer_back");
    free_fixture(fixture);
}

/* The frames in the middle are left out: half of the room has the innermost, a quarter the outermost ones. */
Test(unwind, deep)
{
    struct fixture *fixture = make_fixture(wide, "gcc");
    struct unwind_stack *stack = &fixture->stack;
    const uint32_t rooms[] = {4, 7, 8, 100};

    uint64_t back = code(fixture, "deep_back");
    for (size_t i = 0; i < WORDS_MAX; i++)
        put(fixture, i + 1 < WORDS_MAX ? back : 0);
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        uint32_t inner = rooms[i] / 2, outer = rooms[i] / 4;
        stack->room = rooms[i];
        walk(fixture, code(fixture, "deep"));
        cr_assert_eq(stack->count, inner + 1 + outer);
        cr_expect_eq(stack->end, UNWIND_COMPLETE);
        for (uint32_t k = 0; k < stack->count; k++)
            cr_expect_eq(stack->frames[k].object == UNWIND_LEFT_OUT, k == inner);
        cr_expect_eq(stack->frames[inner].sp - stack->frames[inner - 1].sp, 16);
        cr_expect_eq(stack->frames[inner + outer].sp, STACK + (WORDS_MAX - 2) * 8);
    }
    stack->room = UINT32_MAX;
    walk(fixture, code(fixture, "deep"));
    cr_expect_eq(stack->count, WORDS_MAX / 2);
    free_fixture(fixture);
}

Test(unwind, nonsense)
{
    static const struct {
        const char *name;
        enum unwind_end end;
    } cases[] = {{"stuck", UNWIND_BROKEN},
                 {"senseless", UNWIND_BROKEN},
                 {"forever", UNWIND_BROKEN},
                 {"far", UNWIND_TRUNCATED},
                 {"bare", UNWIND_NO_INFO}};
    struct fixture *fixture = make_fixture(wide, "gcc");

    put(fixture, 1);
    put(fixture, 2);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        walk(fixture, code(fixture, cases[i].name));
        cr_assert_eq(fixture->stack.end, cases[i].end, "%s: %d", cases[i].name, fixture->stack.end);
        cr_assert_eq(fixture->stack.count, 1, "%s", cases[i].name);
    }
    walk(fixture, 0x1234); /* nothing is mapped there */
    cr_assert(fixture->stack.end == UNWIND_BROKEN && fixture->stack.count == 1);
    cr_assert(fixture->frames[0].object == UNWIND_NO_OBJECT && fixture->frames[0].address == 0x1234);
    free_fixture(fixture);
}

Test(unwind, expressions)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    put(fixture, code(fixture, "outer_back"));
    put(fixture, code(fixture, "middle_back"));
    walk(fixture, code(fixture, "plt"));
    expect(fixture, UNWIND_COMPLETE, 2, "=plt", "outer_back");
    fixture->words[0] = 0x77;
    fixture->words[1] = code(fixture, "outer_back");
    walk(fixture, code(fixture, "plt_pushed"));
    expect(fixture, UNWIND_COMPLETE, 2, "=plt_pushed", "outer_back");
    free_fixture(fixture);
}

/* Each operation gives what DWARF 5, section 2.5.1, says. */
Test(unwind, operations)
{
    static const struct {
        const char *code;
        size_t size;
        uint64_t wide, narrow;
    } cases[] = {
#define CODE_OF(text) text, sizeof(text) - 1

        {CODE_OF("\x08\xff"), 255, 255},                                           /* const1u */
        {CODE_OF("\x09\xff"), UINT64_MAX, UINT32_MAX},                             /* const1s */
        {CODE_OF("\x0a\x01\x80"), 0x8001, 0x8001},                                 /* const2u */
        {CODE_OF("\x0d\xfe\xff\xff\xff"), UINT64_MAX - 1, UINT32_MAX - 1},         /* const4s */
        {CODE_OF("\x10\x81\x01"), 129, 129},                                       /* constu */
        {CODE_OF("\x11\x7e"), UINT64_MAX - 1, UINT32_MAX - 1},                     /* consts */
        {CODE_OF("\x35\x33\x1c"), 2, 2},                                           /* 5 - 3 */
        {CODE_OF("\x35\x33\x1e"), 15, 15},                                         /* 5 * 3 */
        {CODE_OF("\x09\xf9\x32\x1b"), UINT64_MAX - 2, UINT32_MAX - 2},             /* -7 / 2 */
        {CODE_OF("\x37\x33\x1d"), 1, 1},                                           /* 7 mod 3 */
        {CODE_OF("\x36\x33\x1a"), 2, 2},                                           /* 6 and 3 */
        {CODE_OF("\x36\x33\x21"), 7, 7},                                           /* 6 or 3 */
        {CODE_OF("\x36\x33\x27"), 5, 5},                                           /* 6 xor 3 */
        {CODE_OF("\x36\x33\x22"), 9, 9},                                           /* 6 + 3 */
        {CODE_OF("\x36\x23\x80\x01"), 134, 134},                                   /* 6 + 128 */
        {CODE_OF("\x31\x08\x1f\x24"), 0x80000000, 0x80000000},                     /* 1 << 31 */
        {CODE_OF("\x31\x08\x20\x24"), UINT64_C(1) << 32, 0},                       /* 1 << 32 */
        {CODE_OF("\x31\x08\x40\x24"), 0, 0},                                       /* 1 << 64 */
        {CODE_OF("\x09\xf0\x32\x25"), UINT64_MAX >> 2 & ~UINT64_C(3), 0x3ffffffc}, /* shr */
        {CODE_OF("\x09\xf0\x32\x26"), UINT64_MAX - 3, UINT32_MAX - 3}, /* -16 >> 2, signed */
        {CODE_OF("\x09\xf0\x08\x7f\x26"), UINT64_MAX, UINT32_MAX},     /* -16 >> 127, signed */
        {CODE_OF("\x09\xfb\x19"), 5, 5},                               /* abs -5 */
        {CODE_OF("\x35\x1f"), UINT64_MAX - 4, UINT32_MAX - 4},         /* neg 5 */
        {CODE_OF("\x35\x20"), UINT64_MAX - 5, UINT32_MAX - 5},         /* not 5 */
        {CODE_OF("\x09\xff\x31\x2d"), 1, 1},                           /* -1 < 1 */
        {CODE_OF("\x09\xff\x31\x2b"), 0, 0},                           /* -1 > 1 */
        {CODE_OF("\x33\x33\x2a"), 1, 1},                               /* 3 >= 3 */
        {CODE_OF("\x33\x33\x2c"), 1, 1},                               /* 3 <= 3 */
        {CODE_OF("\x33\x33\x29"), 1, 1},                               /* 3 == 3 */
        {CODE_OF("\x33\x33\x2e"), 0, 0},                               /* 3 != 3 */
        {CODE_OF("\x31\x32\x12\x22"), 4, 4},                           /* dup */
        {CODE_OF("\x31\x32\x13"), 1, 1},                               /* drop */
        {CODE_OF("\x31\x32\x14"), 1, 1},                               /* over */
        {CODE_OF("\x31\x32\x33\x15\x02"), 1, 1},                       /* pick 2 */
        {CODE_OF("\x35\x33\x16\x1c"), UINT64_MAX - 1, UINT32_MAX - 1}, /* swap: 3 - 5 */
        {CODE_OF("\x31\x32\x33\x17"), 2, 2},                           /* rot */
        {CODE_OF("\x31\x2f\x01\x00\x32"), 1, 1},                       /* skip over one */
        {CODE_OF("\x31\x30\x28\x01\x00\x32"), 2, 2},                   /* bra, not taken */
        {CODE_OF("\x31\x31\x28\x01\x00\x32"), 1, 1},                   /* bra, taken */
        {CODE_OF("\x73\x7f"), 41, 41},                                 /* breg3 - 1 */
        {CODE_OF("\x92\x03\x08"), 50, 50},                             /* bregx 3, 8 */
        {CODE_OF("\x96\x34"), 4, 4},                                   /* nop */
#undef CODE_OF
    };
    const struct unwind_input input = {.piece_count = 0};
    const uint64_t registers[UNWIND_REGISTERS] = {[3] = 42};
    const struct expression_context context = {.registers = registers, .input = &input};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t *code = (const void *)cases[i].code;
        struct reader reader = {code, code + cases[i].size, false};
        uint64_t value = 0;
        cr_assert_eq(expression_run(reader, machine_find(UNWIND_X86_64), &context, false, &value), EXPRESSION_DONE,
                     "%zu", i);
        cr_assert_eq(value, cases[i].wide, "%zu: %lx", i, value);
        cr_assert_eq(expression_run(reader, machine_find(UNWIND_I386), &context, false, &value), EXPRESSION_DONE, "%zu",
                     i);
        cr_assert_eq(value, cases[i].narrow, "%zu: %lx", i, value);
    }
}

Test(unwind, states)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    put(fixture, code(fixture, "outer_back"));
    walk(fixture, code(fixture, "states"));
    cr_assert_eq(fixture->stack.end, UNWIND_TRUNCATED);
    walk(fixture, code(fixture, "states_end"));
    expect(fixture, UNWIND_COMPLETE, 2, "=states_end", "outer_back");
    free_fixture(fixture);
}

/* A handler runs on an alternate stack. The stack that its signal interrupted is the second piece of the copy, or is
 * missing. */
Test(unwind, signals)
{
    struct fixture *fixture = make_fixture(wide, "gcc");
    uint64_t other[] = {code(fixture, "outer_back")};

    put(fixture, code(fixture, "restorer"));
    put(fixture, 0);
    put(fixture, STACK + 0x100000); /* the stack pointer of the interrupted code */
    put(fixture, code(fixture, "leaf"));
    put(fixture, 0xbbbb);
    walk(fixture, code(fixture, "leaf"));
    expect(fixture, UNWIND_TRUNCATED, 3, "=leaf", "=restorer", "=leaf");
    fixture->input.pieces[1] = (struct unwind_piece){STACK + 0x100000, (const void *)other, sizeof other};
    fixture->input.piece_count = 2;
    walk(fixture, code(fixture, "leaf"));
    expect(fixture, UNWIND_COMPLETE, 4, "=leaf", "=restorer", "=leaf", "outer_back");
    free_fixture(fixture);
}

/* A handler returns to code whose frame no file describes. But the layout of this frame is known: it is a struct
 * rt_sigframe, and contains the interrupted registers. */
Test(unwind, trampoline)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    put(fixture, code(fixture, "sigreturn"));
    for (size_t i = 0; i < 60; i++)
        put(fixture, 0);
    fixture->words[1 + 5 + 15] = STACK + 40 * 8;        /* rsp */
    fixture->words[1 + 5 + 16] = code(fixture, "leaf"); /* rip */
    fixture->words[40] = code(fixture, "outer_back");
    walk(fixture, code(fixture, "leaf"));
    expect(fixture, UNWIND_COMPLETE, 4, "=leaf", "=sigreturn", "=leaf", "outer_back");
    free_fixture(fixture);
}

Test(unwind, frame_pointers)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    put(fixture, 0x4444);
    put(fixture, STACK + 4 * 8); /* frame pointer of the caller, which is JIT code, too */
    put(fixture, JIT + 0x100);
    put(fixture, 0x5555);
    put(fixture, 0xbbbb);
    put(fixture, code(fixture, "outer_back"));
    fixture->input.registers.values[RBP] = STACK + 8;
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_COMPLETE, 3, "=jit", "jit", "outer_back");

    fixture->words[5] = code(fixture, "leaf"); /* there is no call instruction just before this address */
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_NO_INFO, 2, "=jit", "jit");
    walk_cut(fixture, 40);
    expect(fixture, UNWIND_TRUNCATED, 2, "=jit", "jit");

    fixture->input.pieces[1] = fixture->input.pieces[0];
    fixture->input.pieces[0].start = STACK / 2; /* another stack */
    fixture->input.piece_count = 2;
    walk_pieces(fixture);
    fixture->input.piece_count = 1;
    expect(fixture, UNWIND_TRUNCATED, 2, "=jit", "jit");
    fixture->words[4] = 0; /* frame pointer 0 ends the chain, as on a goroutine's stack */
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_COMPLETE, 2, "=jit", "jit");
    fixture->words[1] = fixture->words[2] = 0; /* the first frame pointer leads to no caller */
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_NO_INFO, 1, "=jit");
    fixture->words[2] = code(fixture, "leaf"); /* this record has a return address, and ends the chain */
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_COMPLETE, 1, "=jit");
    fixture->words[1] = STACK + 4 * 8;
    fixture->words[2] = 0x1234; /* not an address of code */
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_NO_INFO, 1, "=jit");
    fixture->input.registers.values[RBP] = STACK - 8; /* below the stack pointer */
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_NO_INFO, 1, "=jit");
    free_fixture(fixture);
}

Test(unwind, stack_elsewhere)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    put(fixture, STACK + 4 * 8);
    put(fixture, code(fixture, "leaf") + 1);
    put(fixture, 0x11);
    put(fixture, 0x22);
    put(fixture, code(fixture, "outer_back"));
    walk(fixture, code(fixture, "elsewhere"));
    cr_assert(fixture->stack.end == UNWIND_COMPLETE && fixture->stack.count == 3);
    free_fixture(fixture);
}

Test(unwind, return_address_in_register)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    put(fixture, 0x11);
    fixture->input.registers.values[2] = code(fixture, "outer_back");
    walk(fixture, code(fixture, "jumper"));
    expect(fixture, UNWIND_COMPLETE, 2, "=jumper", "outer_back");
    fixture->input.registers.values[2] = code(fixture, "jumper"); /* the function would return to itself */
    walk(fixture, code(fixture, "jumper"));
    cr_assert(fixture->stack.end != UNWIND_COMPLETE && fixture->stack.count <= 2);
    free_fixture(fixture);
}

/* If a function has no frame description, the walk assumes that it has pushed nothing, so that the return address is on
 * top of the stack. */
Test(unwind, top_of_stack)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    put(fixture, code(fixture, "indirect_back"));
    walk(fixture, code(fixture, "bare"));
    expect(fixture, UNWIND_COMPLETE, 2, "=bare", "indirect_back");
    fixture->count = 0;

    put(fixture, code(fixture, "outer_back"));
    walk(fixture, code(fixture, "bare"));
    expect(fixture, UNWIND_COMPLETE, 2, "=bare", "outer_back");
    free_fixture(fixture);
}

/* Only pc, sp and the stack of a sleeping thread are known. */
Test(unwind, asleep)
{
    static const char assembler[] =
        ".text\n nop\n"
        "leaf: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
        /* like vfork: the return address is in rdi */
        "forked: .cfi_startproc\n pop %rdi\n .cfi_adjust_cfa_offset -8\n .cfi_register 16, 5\n"
        "forked_end: jmp *%rdi\n .cfi_endproc\n"
        /* like a main that aligns its stack: CFA = *(rbp - 8) */
        "aligned: .cfi_startproc\n .cfi_escape 0x0f,0x03,0x76,0x78,0x06\n nop\n .cfi_endproc\n"
        "outer: .cfi_startproc\n .cfi_undefined 16\n call leaf\n"
        "outer_back: hlt\n .cfi_endproc\n";
    struct fixture *fixture = make_fixture(assembler, "gcc");
    uint64_t *registers = fixture->input.registers.values;

    put(fixture, code(fixture, "outer_back"));
    put(fixture, STACK + 8);
    registers[5] = code(fixture, "outer_back");
    registers[RBP] = STACK + 16;
    walk(fixture, code(fixture, "forked_end"));
    expect(fixture, UNWIND_COMPLETE, 2, "=forked_end", "outer_back");
    walk(fixture, code(fixture, "aligned"));
    expect(fixture, UNWIND_COMPLETE, 2, "=aligned", "outer_back");
    fixture->input.registers.unknown = ~(UINT64_C(1) << RIP | UINT64_C(1) << RSP);
    walk(fixture, code(fixture, "leaf"));
    expect(fixture, UNWIND_COMPLETE, 2, "=leaf", "outer_back");
    walk(fixture, code(fixture, "forked_end"));
    expect(fixture, UNWIND_TRUNCATED, 1, "=forked_end");
    walk(fixture, code(fixture, "aligned"));
    expect(fixture, UNWIND_TRUNCATED, 1, "=aligned");
    free_fixture(fixture);
}

/* The frame pointer of a sleeping thread is not known. So the walk searches the stack for a frame record whose return
 * address follows a call of the sleeping function. An indirect call may have called another function. After such a
 * call, the walk goes on only if the record is certain to be the right one, so that no frame is left out. */
Test(unwind, asleep_frame_pointer)
{
    static const char assembler[] =
        ".text\n nop\n"
        "sleeper: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset 6, -16\n"
        " mov %rsp, %rbp\n .cfi_def_cfa_register 6\n sub $64, %rsp\n"
        "asleep: nop\n .cfi_endproc\n"
        "middle: .cfi_startproc\n .cfi_def_cfa_offset 16\n call sleeper\n"
        "middle_back: nop\n .cfi_endproc\n"
        "outer: .cfi_startproc\n .cfi_undefined 16\n call middle\n"
        "outer_back: call *%rax\n"
        "outer_end: hlt\n .cfi_endproc\n"
        " .cfi_startproc\n .cfi_signal_frame\n .cfi_def_cfa 7, 8\n .cfi_undefined 16\n nop\n"
        "restorer: mov $15, %rax\n syscall\n .cfi_endproc\n";
    struct fixture *fixture = make_fixture(assembler, "gcc");
    uint64_t middle_back = code(fixture, "middle_back"), outer_end = code(fixture, "outer_end");

    fixture->input.registers.unknown = ~(UINT64_C(1) << RIP | UINT64_C(1) << RSP);
    put(fixture, 0xbbbb);
    put(fixture, middle_back);
    put(fixture, 0xcccc);
    put(fixture, code(fixture, "outer_back"));
    walk(fixture, code(fixture, "asleep"));
    expect(fixture, UNWIND_COMPLETE, 3, "=asleep", "middle_back", "outer_back");
    /* the call before this address is indirect, so it may have called the sleeping function */
    fixture->words[1] = outer_end;
    walk(fixture, code(fixture, "asleep"));
    expect(fixture, UNWIND_TRUNCATED, 1, "=asleep");
    fixture->words[0] = STACK + 16;
    walk(fixture, code(fixture, "asleep"));
    expect(fixture, UNWIND_COMPLETE, 2, "=asleep", "outer_end");
    fixture->words[1] = code(fixture, "outer_back"); /* follows a call of `middle`, not of `sleeper` */
    fixture->words[2] = 1;
    fixture->words[3] = outer_end;
    walk(fixture, code(fixture, "asleep"));
    expect(fixture, UNWIND_TRUNCATED, 1, "=asleep");
    fixture->words[3] = code(fixture, "restorer");
    walk(fixture, code(fixture, "asleep"));
    expect(fixture, UNWIND_COMPLETE, 2, "=asleep", "=restorer");
    free_fixture(fixture);
}
