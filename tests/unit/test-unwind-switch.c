/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks from the scheduler stack of the Go runtime to the stack of a goroutine. */
#include "config.h"

#include "unwind-fixture.h"

/* The functions of the runtime, with frames as Go describes them: only the CFA and the return address. */
static const char runtime[] =
    ".text\n"
    "nop\n"
    "task: .cfi_startproc\n .cfi_def_cfa_offset 24\n nop\n ret\n .cfi_endproc\n"
    "systemstack: .cfi_startproc\n call *%rdi\n"
    "systemstack_back: ret\n .cfi_endproc\n"
    "pushing: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n call *%rdi\n"
    "pushing_back: pop %rbp\n .cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n"
    "mcall: .cfi_startproc\n push %rax\n .cfi_def_cfa_offset 16\n call *%rdi\n"
    "mcall_back: ret\n .cfi_endproc\n"
    "now: .cfi_startproc\n sub $24, %rsp\n .cfi_def_cfa_offset 32\n call *%rax\n"
    "now_back: ret\n .cfi_endproc\n"
    "vdso: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
    "start: .cfi_startproc\n .cfi_def_cfa_offset 16\n call schedule\n"
    "start_back: ret\n .cfi_endproc\n"
    "schedule: .cfi_startproc\n .cfi_def_cfa_offset 16\n call task\n"
    "schedule_back: ret\n .cfi_endproc\n"
    "entry: .cfi_startproc\n .cfi_undefined 16\n call start\n"
    "entry_back: hlt\n .cfi_endproc\n"
    "user: .cfi_startproc\n .cfi_def_cfa_offset 24\n call systemstack\n"
    "user_back: call pushing\n"
    "user_pushing: call mcall\n"
    "user_mcall: call now\n"
    "user_now: ret\n .cfi_endproc\n"
    "goexit: .cfi_startproc\n nop\n"
    "goexit_back: hlt\n .cfi_endproc\n";

#define GOROUTINE UINT64_C(0xc000010000)
#define GOROUTINE_WORDS 8u

/* Makes a goroutine's stack: that of the function `user`, which has called the runtime. */
static void put_goroutine(struct fixture *fixture, uint64_t *words, const char *back)
{
    memset(words, 0, GOROUTINE_WORDS * sizeof *words);
    words[3] = code(fixture, back);
    words[6] = code(fixture, "goexit_back");
    words[7] = code(fixture, "schedule_back"); /* left over from another goroutine */
    fixture->input.pieces[1] =
        (struct unwind_piece){GOROUTINE, (const void *)words, GOROUTINE_WORDS * sizeof *words};
    fixture->input.piece_count = 2;
    fixture->input.switch_sp = GOROUTINE + 3 * 8;
    fixture->input.goroutine_end = GOROUTINE + GOROUTINE_WORDS * 8;
}

static void walk_from(struct fixture *fixture, uint64_t pc)
{
    fixture->input.registers.values[RIP] = pc;
    fixture->input.registers.values[RSP] = STACK;
    walk_cut(fixture, fixture->count * 8);
}

/* Makes a scheduler stack: the function `back` has called `task`, with `room` bytes left for itself. A return address
 * that is left over from earlier is where the frame of `back` would be without the switch. */
static void put_task(struct fixture *fixture, const char *back, unsigned room)
{
    put(fixture, 1);
    put(fixture, 2);
    put(fixture, code(fixture, back));
    for (unsigned i = 0; i < room; i += 8)
        put(fixture, 0);
    fixture->input.switch_base = here(fixture);
    put(fixture, code(fixture, "schedule_back"));
    put(fixture, 0);
}

TestSuite(switches, .init = enter_directory, .fini = remove_directory, .timeout = 60);

Test(switches, systemstack)
{
    struct fixture *fixture = make_fixture(runtime, "gcc");
    uint64_t goroutine[GOROUTINE_WORDS];

    put_task(fixture, "systemstack_back", 0);
    put_goroutine(fixture, goroutine, "user_back");
    walk_from(fixture, code(fixture, "task"));
    expect(fixture, UNWIND_COMPLETE, 4, "=task", "systemstack_back", "user_back", "goexit_back");
    /* the switch is known, but the other stack was not copied that far */
    fixture->input.pieces[1].size = 4 * 8;
    walk_from(fixture, code(fixture, "task"));
    expect(fixture, UNWIND_TRUNCATED, 3, "=task", "systemstack_back", "user_back");
    free_fixture(fixture);
}

/* From Go 1.21 on, systemstack has a frame: it saves the frame pointer. */
Test(switches, systemstack_with_a_frame)
{
    struct fixture *fixture = make_fixture(runtime, "gcc");
    uint64_t goroutine[GOROUTINE_WORDS];

    put_task(fixture, "pushing_back", 0);
    put_goroutine(fixture, goroutine, "user_pushing");
    fixture->input.switch_sp = GOROUTINE + 2 * 8;
    walk_from(fixture, code(fixture, "task"));
    expect(fixture, UNWIND_COMPLETE, 4, "=task", "pushing_back", "user_pushing", "goexit_back");
    free_fixture(fixture);
}

/* The thread was stopped in systemstack itself, after the switch. */
Test(switches, innermost)
{
    struct fixture *fixture = make_fixture(runtime, "gcc");
    uint64_t goroutine[GOROUTINE_WORDS];

    put(fixture, code(fixture, "schedule_back"));
    put(fixture, 0);
    fixture->input.switch_base = STACK;
    put_goroutine(fixture, goroutine, "user_back");
    walk_from(fixture, code(fixture, "systemstack"));
    expect(fixture, UNWIND_COMPLETE, 3, "=systemstack", "user_back", "goexit_back");
    free_fixture(fixture);
}

/* mcall does not return. Its frame is the outermost one, although the goroutine's stack is known. */
Test(switches, mcall)
{
    struct fixture *fixture = make_fixture(runtime, "gcc");
    uint64_t goroutine[GOROUTINE_WORDS];

    put_task(fixture, "mcall_back", 8);
    put_goroutine(fixture, goroutine, "user_mcall");
    fixture->input.switch_sp += 8; /* mcall keeps the stack pointer of its caller */
    walk_from(fixture, code(fixture, "task"));
    expect(fixture, UNWIND_COMPLETE, 2, "=task", "mcall_back");
    fixture->input.piece_count = 1;
    fixture->input.switch_sp = 0;
    walk_from(fixture, code(fixture, "task"));
    expect(fixture, UNWIND_COMPLETE, 2, "=task", "mcall_back");
    free_fixture(fixture);
}

/* A call of the vDSO: only the frame pointer leads back. */
Test(switches, vdso)
{
    struct fixture *fixture = make_fixture(runtime, "gcc");
    uint64_t goroutine[GOROUTINE_WORDS];

    put(fixture, code(fixture, "now_back"));
    for (unsigned i = 0; i < 5; i++)
        put(fixture, code(fixture, "schedule_back"));
    fixture->input.switch_base = STACK + 5 * 8;
    put_goroutine(fixture, goroutine, "user_now");
    fixture->input.switch_sp = GOROUTINE + 8; /* out of date */
    fixture->input.registers.values[RBP] = GOROUTINE + 2 * 8;
    walk_from(fixture, code(fixture, "vdso"));
    expect(fixture, UNWIND_COMPLETE, 4, "=vdso", "now_back", "user_now", "goexit_back");
    free_fixture(fixture);
}

/* The thread has never left its scheduler stack. */
Test(switches, no_switch)
{
    struct fixture *fixture = make_fixture(runtime, "gcc");

    put(fixture, 1);
    put(fixture, 2);
    put(fixture, code(fixture, "schedule_back"));
    put(fixture, 3);
    fixture->input.switch_base = here(fixture) + 8; /* the stack pointer of `start` */
    put(fixture, code(fixture, "start_back"));
    put(fixture, 4);
    put(fixture, code(fixture, "entry_back"));
    walk_from(fixture, code(fixture, "task"));
    expect(fixture, UNWIND_COMPLETE, 4, "=task", "schedule_back", "start_back", "entry_back");
    free_fixture(fixture);
}

/* Whatever the target's memory says, each walk ends, and goes up either stack only once. */
Test(switches, hostile)
{
    struct fixture *fixture = make_fixture(runtime, "gcc");
    uint64_t goroutine[GOROUTINE_WORDS], back = code(fixture, "user_back"), task = code(fixture, "task");
    const uint64_t addresses[] = {0, 1, 8, STACK - 8, STACK, STACK + 1, STACK + 24, GOROUTINE, GOROUTINE + 1,
                                  GOROUTINE + 24, GOROUTINE + 64, UINT64_MAX - 7, UINT64_MAX};
    const size_t count = sizeof addresses / sizeof *addresses;

    put_task(fixture, "systemstack_back", 0);
    put_goroutine(fixture, goroutine, "user_back");
    for (size_t i = 0; i < GOROUTINE_WORDS; i++)
        goroutine[i] = back;
    for (size_t i = 0; i < count * count * count; i++) {
        fixture->input.switch_base = addresses[i % count];
        fixture->input.switch_sp = addresses[i / count % count];
        fixture->input.registers.values[RBP] = addresses[i / count / count];
        for (unsigned overlap = 0; overlap < 2; overlap++) {
            fixture->input.pieces[1].start = overlap ? STACK + 16 : GOROUTINE;
            walk_from(fixture, task);
            cr_assert_lt(fixture->stack.count, 2 + 2 * (GOROUTINE_WORDS + fixture->count));
        }
    }
    free_fixture(fixture);
}
