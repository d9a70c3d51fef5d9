/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers of test-unwind-*.c: make a file with frame descriptions and a stack, and walk the stack. */
#ifndef PPROFIL_TEST_UNWIND_FIXTURE_H
#define PPROFIL_TEST_UNWIND_FIXTURE_H

#include <dlfcn.h>
#include <dwarf.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/user.h>
#include <ucontext.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "build-events.h"
#include "test-directory.h"
#include "unwind/unwind-internal.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

/* Addresses at which the file, JIT code and the stack are mapped. */
#define CODE UINT64_C(0x5555550000) /* fits into the 39 bits that some AArch64 kernels have */
#define JIT UINT64_C(0x7f0000000000)
#define STACK UINT64_C(0x7ffff0000000)
#define NARROW_CODE UINT64_C(0x56550000)
#define NARROW_STACK UINT64_C(0xfff00000)
#define CODE_SIZE UINT64_C(0x10000)
#define WORDS_MAX 8192u

/* --- a process with one file and some JIT code -------------------------------------------- */

struct fixture {
    struct unwinder *unwinder;
    uint64_t code; /* address at which the file is mapped */
    int fd;        /* descriptor of the file, or -errno */
    uint64_t words[WORDS_MAX];
    uint32_t narrow[WORDS_MAX]; /* the same words for 32-bit machines */
    uint32_t count;
    struct unwind_input input;
    struct unwind_frame frames[UNWIND_FRAMES_MAX];
    struct unwind_stack stack;
};

UNUSED static bool find(void *context, uint64_t address, struct unwind_mapping *mapping)
{
    const struct fixture *fixture = context;

    if (address - fixture->code < CODE_SIZE)
        *mapping = (struct unwind_mapping){fixture->code, fixture->code + CODE_SIZE, 0, 0};
    else if (address - JIT < CODE_SIZE)
        *mapping = (struct unwind_mapping){JIT, JIT + CODE_SIZE, JIT, 1};
    else
        return false;
    return true;
}

UNUSED static int open_object(void *context, uint32_t object)
{
    return object == 0 ? ((const struct fixture *)context)->fd : -ENOENT;
}

UNUSED static struct fixture *make_fixture(const char *assembler, const char *compiler)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    char command[256];

    if (!have(compiler) || !have("nm"))
        cr_skip_test("no compiler here");
    write_file("frames.s", assembler);
    snprintf(command, sizeof command, "%s -shared -nostdlib -nostartfiles -o frames.so frames.s 2>errors", compiler);
    if (system(command) != 0)
        cr_skip_test("this compiler cannot make it");
    fixture->unwinder = unwinder_new();
    fixture->fd = open("frames.so", O_RDONLY);
    fixture->code = CODE;
    fixture->input.registers.machine = UNWIND_X86_64;
    fixture->input.piece_count = 1;
    return fixture;
}

UNUSED static void free_fixture(struct fixture *fixture)
{
    unwinder_free(fixture->unwinder);
    if (fixture->fd >= 0)
        close(fixture->fd);
    free(fixture);
}

/* Returns the offset of a symbol in the file. The symbol has the same offset from the address of the mapping. */
UNUSED static uint64_t symbol(const char *name)
{
    char command[256], line[256] = "";

    snprintf(command, sizeof command, "nm frames.so | awk '$3==\"%s\"{print $1}'", name);
    FILE *output = popen(command, "r");
    char *got = fgets(line, sizeof line, output);
    pclose(output);
    cr_assert_not_null(got, "%s", name);
    return strtoull(line, NULL, 16);
}

UNUSED static uint64_t code(const struct fixture *fixture, const char *name)
{
    return fixture->code + symbol(name);
}

UNUSED static void put(struct fixture *fixture, uint64_t word)
{
    fixture->narrow[fixture->count] = (uint32_t)word;
    fixture->words[fixture->count++] = word;
}

/* Returns the address at which put() will put the next word of the stack. */
UNUSED static uint64_t here(const struct fixture *fixture)
{
    return STACK + fixture->count * 8;
}

enum { RBP = 6, RSP = 7, RIP = 16 };

UNUSED static void walk_pieces(struct fixture *fixture)
{
    const struct unwind_callbacks callbacks = {.context = fixture, .find = find, .open = open_object};

    fixture->stack.frames = fixture->frames;
    if (fixture->stack.room == 0)
        fixture->stack.room = UNWIND_FRAMES_MAX;
    cr_assert_eq(unwind_walk(fixture->unwinder, &callbacks, &fixture->input, &fixture->stack), 0);
}

UNUSED static void walk_cut(struct fixture *fixture, size_t size)
{
    fixture->input.pieces[0] = (struct unwind_piece){STACK, (const void *)fixture->words, size};
    walk_pieces(fixture);
}

/* Walks from the instruction at pc, with the stack of the fixture. */
UNUSED static void walk(struct fixture *fixture, uint64_t pc)
{
    fixture->input.registers.values[RIP] = pc;
    fixture->input.registers.values[RSP] = STACK;
    walk_cut(fixture, fixture->count * 8);
}

/* Expects these frames. "=NAME": the program counter is at symbol NAME. "NAME": the frame makes a call, and symbol NAME
 * is the return address of this call. "=jit" and "jit": the same at any address of JIT code. */
UNUSED static void expect(const struct fixture *fixture, enum unwind_end end, size_t count, ...)
{
    va_list names;

    va_start(names, count);
    cr_assert_eq(fixture->stack.end, end, "ends %d", fixture->stack.end);
    cr_assert_eq(fixture->stack.count, count, "%u frames", fixture->stack.count);
    for (size_t i = 0; i < count; i++) {
        const char *name = va_arg(names, const char *);
        const struct unwind_frame *frame = &fixture->frames[i];
        cr_assert_eq(frame->exact, name[0] == '=', "%s", name);
        if (strcmp(name, "=jit") == 0 || strcmp(name, "jit") == 0)
            cr_assert(frame->object == 1 && frame->address - JIT < CODE_SIZE, "%s", name);
        else
            cr_assert(frame->object == 0 && frame->address == symbol(name + frame->exact) - (frame->exact ? 0 : 1),
                      "%s: %lx", name, frame->address);
    }
    va_end(names);
}

/* --- x86-64 ------------------------------------------------------------------------------- */

static const char wide[] =
    ".text\n"
    "nop\n"
    "leaf: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
    "middle: .cfi_startproc\n"
    " push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset 6, -16\n"
    " mov %rsp, %rbp\n .cfi_def_cfa_register 6\n"
    " sub $32, %rsp\n call leaf\n"
    "middle_back: leave\n .cfi_def_cfa 7, 8\n"
    "middle_end: ret\n .cfi_endproc\n"
    "outer: .cfi_startproc\n .cfi_undefined 16\n call middle\n"
    "outer_back: hlt\n .cfi_endproc\n"
    "deep: .cfi_startproc\n .cfi_def_cfa_offset 16\n call deep\n"
    "deep_back: ret\n .cfi_endproc\n"
    "stuck: .cfi_startproc\n .cfi_def_cfa 7, 0\n nop\n .cfi_endproc\n"
    /* like a PLT: CFA = rsp + 8 + ((rip & 15) >= 11) * 8 */
    ".p2align 4\n"
    "plt: .cfi_startproc\n"
    " .cfi_escape 0x0f,0x0b,0x77,0x08,0x80,0x00,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22\n"
    " .skip 11\n plt_pushed: .skip 5\n .cfi_endproc\n"
    /* CFA = *(rsp + 0x1000) */
    "far: .cfi_startproc\n .cfi_escape 0x0f,0x04,0x77,0x80,0x20,0x06\n nop\n .cfi_endproc\n"
    /* CFA = 1 / 0 */
    "senseless: .cfi_startproc\n .cfi_escape 0x0f,0x03,0x31,0x30,0x1b\n nop\n .cfi_endproc\n"
    /* an expression that jumps back to itself */
    "forever: .cfi_startproc\n .cfi_escape 0x0f,0x03,0x2f,0xfd,0xff\n nop\n .cfi_endproc\n"
    /* a remembered state is restored */
    "states: .cfi_startproc\n .cfi_remember_state\n .cfi_def_cfa_offset 64\n nop\n"
    "states_back: .cfi_restore_state\n nop\n states_end: nop\n .cfi_endproc\n"
    "nop\n"
    /* rsp, rip and rbp are saved 8, 16 and 24 bytes above the stack pointer */
    "restorer: .cfi_startproc\n .cfi_signal_frame\n .cfi_escape 0x0f,0x03,0x77,0x08,0x06\n"
    " .cfi_escape 0x10,0x10,0x02,0x77,0x10\n .cfi_escape 0x10,0x06,0x02,0x77,0x18\n nop\n"
    " .cfi_endproc\n"
    /* the caller's stack is elsewhere: its address is saved below the return address */
    "elsewhere: .cfi_startproc\n .cfi_def_cfa 7, 16\n .cfi_offset 7, -16\n nop\n .cfi_endproc\n"
    /* the return address was popped into rcx */
    "jumper: .cfi_startproc\n .cfi_def_cfa 7, 0\n .cfi_register 16, 2\n jmp *%rcx\n .cfi_endproc\n"
    "indirect: .cfi_startproc\n .cfi_undefined 16\n call *8(%rax)\n"
    "indirect_back: hlt\n .cfi_endproc\n"
    /* these have no frame descriptions */
    "bare: nop\n call leaf\n"
    "bare_back: nop\n"
    ".skip 16\n"
    "sigreturn: mov $15, %rax\n syscall\n";

/* Puts the frame of the function "middle" on the stack, as it is while this function makes a call. `back` is the return
 * address of that call. The return address of "middle" itself follows. */
UNUSED static void put_middle(struct fixture *fixture, uint64_t back)
{
    put(fixture, back);
    for (size_t i = 0; i < 4; i++)
        put(fixture, 0x11111111 * i);
    fixture->input.registers.values[RBP] = here(fixture);
    put(fixture, 0xbbbb);
    put(fixture, code(fixture, "outer_back"));
}

#endif
