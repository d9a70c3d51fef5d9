/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions in assembler, whose frames are known to the byte, under stacks made by hand; and this
 * very process, whose stack glibc's own unwinder (backtrace) reads too.
 */
#include "config.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/user.h>
#include <ucontext.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "build-events.h"
#include "unwind/unwind-internal.h"

#define CODE UINT64_C(0x5555550000) /* 39 bits: aarch64 */
#define JIT UINT64_C(0x7f0000000000)
#define STACK UINT64_C(0x7ffff0000000)
#define NARROW_CODE UINT64_C(0x56550000)
#define NARROW_STACK UINT64_C(0xfff00000)
#define CODE_SIZE UINT64_C(0x10000)
#define WORDS_MAX 8192u

static char directory[] = "/tmp/pprofil-test-XXXXXX";

static int sh(const char *format, ...)
{
    char command[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    return system(command);
}

static void make_directory(void)
{
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
}

static void remove_directory(void)
{
    sh("rm -rf %s", directory);
}

/* --- a world of one file and some JIT code ------------------------------------------------ */

struct fixture {
    struct unwinder *unwinder;
    uint64_t code; /* where the file is mapped */
    int fd;        /* or -errno */
    uint64_t words[WORDS_MAX];
    uint32_t narrow[WORDS_MAX]; /* the same for 32-bit machines */
    uint32_t count;
    struct unwind_input input;
    struct unwind_frame frames[UNWIND_FRAMES_MAX];
    struct unwind_stack stack;
};

static bool find(void *context, uint64_t address, struct unwind_mapping *mapping)
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

static int open_object(void *context, uint32_t object)
{
    return object == 0 ? ((const struct fixture *)context)->fd : -ENOENT;
}

static struct fixture *make_fixture(const char *assembler, const char *compiler)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    if (sh("command -v %s nm >/dev/null 2>&1", compiler) != 0)
        cr_skip_test("no compiler here");
    FILE *file = fopen("frames.s", "w");
    fputs(assembler, file);
    fclose(file);
    if (sh("%s -shared -nostdlib -nostartfiles -o frames.so frames.s 2>errors", compiler) != 0)
        cr_skip_test("this compiler cannot make it");
    fixture->unwinder = unwinder_new();
    fixture->fd = open("frames.so", O_RDONLY);
    fixture->code = CODE;
    fixture->input.registers.machine = UNWIND_X86_64;
    fixture->input.piece_count = 1;
    return fixture;
}

static void free_fixture(struct fixture *fixture)
{
    unwinder_free(fixture->unwinder);
    if (fixture->fd >= 0)
        close(fixture->fd);
    free(fixture);
}

/* Where a symbol is in the file, which is where it is mapped, too. */
static uint64_t symbol(const char *name)
{
    char command[256], line[256] = "";

    snprintf(command, sizeof command, "nm frames.so | awk '$3==\"%s\"{print $1}'", name);
    FILE *output = popen(command, "r");
    char *got = fgets(line, sizeof line, output);
    pclose(output);
    cr_assert_not_null(got, "%s", name);
    return strtoull(line, NULL, 16);
}

static uint64_t code(const struct fixture *fixture, const char *name)
{
    return fixture->code + symbol(name);
}

static void put(struct fixture *fixture, uint64_t word)
{
    fixture->narrow[fixture->count] = (uint32_t)word;
    fixture->words[fixture->count++] = word;
}

/* The address of the next word. */
static uint64_t here(const struct fixture *fixture)
{
    return STACK + fixture->count * 8;
}

enum { RBP = 6, RSP = 7, RIP = 16 };

static void walk_pieces(struct fixture *fixture)
{
    const struct unwind_world world = {fixture, find, open_object};

    fixture->stack.frames = fixture->frames;
    if (fixture->stack.room == 0)
        fixture->stack.room = UNWIND_FRAMES_MAX;
    cr_assert_eq(unwind_walk(fixture->unwinder, &world, &fixture->input, &fixture->stack), 0);
}

static void walk_cut(struct fixture *fixture, size_t size)
{
    fixture->input.pieces[0] = (struct unwind_piece){STACK, (const void *)fixture->words, size};
    walk_pieces(fixture);
}

/* From this instruction, with the stack as it was put. */
static void walk(struct fixture *fixture, uint64_t pc)
{
    fixture->input.registers.values[RIP] = pc;
    fixture->input.registers.values[RSP] = STACK;
    walk_cut(fixture, fixture->count * 8);
}

/* Frames by name: of an exact one a symbol, else a label behind a call. */
static void expect(const struct fixture *fixture, enum unwind_end end, size_t count, ...)
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
            cr_assert(frame->object == 0 &&
                          frame->address == symbol(name + frame->exact) - (frame->exact ? 0 : 1),
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
    /* as a PLT has it: CFA = rsp + 8 + ((rip & 15) >= 11) * 8 */
    ".p2align 4\n"
    "plt: .cfi_startproc\n"
    " .cfi_escape 0x0f,0x0b,0x77,0x08,0x80,0x00,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22\n"
    " .skip 11\n plt_pushed: .skip 5\n .cfi_endproc\n"
    /* CFA = *(rsp + 0x1000) */
    "far: .cfi_startproc\n .cfi_escape 0x0f,0x04,0x77,0x80,0x20,0x06\n nop\n .cfi_endproc\n"
    /* CFA = 1 / 0 */
    "senseless: .cfi_startproc\n .cfi_escape 0x0f,0x03,0x31,0x30,0x1b\n nop\n .cfi_endproc\n"
    /* for ever: skip to itself */
    "forever: .cfi_startproc\n .cfi_escape 0x0f,0x03,0x2f,0xfd,0xff\n nop\n .cfi_endproc\n"
    /* restored state; rip in a register's place */
    "states: .cfi_startproc\n .cfi_remember_state\n .cfi_def_cfa_offset 64\n nop\n"
    "states_back: .cfi_restore_state\n nop\n states_end: nop\n .cfi_endproc\n"
    "nop\n"
    /* rsp at 8 above, rip at 16 above, rbp at 24 above */
    "restorer: .cfi_startproc\n .cfi_signal_frame\n .cfi_escape 0x0f,0x03,0x77,0x08,0x06\n"
    " .cfi_escape 0x10,0x10,0x02,0x77,0x10\n .cfi_escape 0x10,0x06,0x02,0x77,0x18\n nop\n"
    " .cfi_endproc\n"
    /* the stack goes on elsewhere: at what is saved below the return address */
    "elsewhere: .cfi_startproc\n .cfi_def_cfa 7, 16\n .cfi_offset 7, -16\n nop\n .cfi_endproc\n"
    /* the return address was popped into rcx */
    "jumper: .cfi_startproc\n .cfi_def_cfa 7, 0\n .cfi_register 16, 2\n jmp *%rcx\n .cfi_endproc\n"
    "indirect: .cfi_startproc\n .cfi_undefined 16\n call *8(%rax)\n"
    "indirect_back: hlt\n .cfi_endproc\n"
    /* nothing is said of these */
    "bare: nop\n call leaf\n"
    "bare_back: nop\n"
    ".skip 16\n"
    "sigreturn: mov $15, %rax\n syscall\n";

/* What middle leaves on the stack when it has called, and what called it. */
static void put_middle(struct fixture *fixture, uint64_t back)
{
    put(fixture, back);
    for (size_t i = 0; i < 4; i++)
        put(fixture, 0x11111111 * i);
    fixture->input.registers.values[RBP] = here(fixture);
    put(fixture, 0xbbbb);
    put(fixture, code(fixture, "outer_back"));
}

TestSuite(unwind, .init = make_directory, .fini = remove_directory, .timeout = 60);

Test(unwind, by_rules)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    put_middle(fixture, code(fixture, "middle_back"));
    for (size_t turn = 0; turn < 2; turn++) { /* the second time from the cache */
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

/* In an epilogue the registers have been popped: what is below the stack pointer is not there. */
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

Test(unwind, too_deep)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    uint64_t back = code(fixture, "deep_back");
    for (size_t i = 0; i < WORDS_MAX; i++)
        put(fixture, back);
    fixture->stack.room = 7;
    walk(fixture, code(fixture, "deep"));
    cr_assert(fixture->stack.end == UNWIND_TOO_DEEP && fixture->stack.count == 7);
    fixture->stack.room = UINT32_MAX;
    walk(fixture, code(fixture, "deep"));
    cr_assert_eq(fixture->stack.count,
                 WORDS_MAX / 2 < UNWIND_FRAMES_MAX ? WORDS_MAX / 2 : UNWIND_FRAMES_MAX);
    cr_assert_eq(fixture->stack.end, UNWIND_TOO_DEEP);
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
    cr_assert(fixture->frames[0].object == UNWIND_NO_OBJECT &&
              fixture->frames[0].address == 0x1234);
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

/* Each operation, by the standard's words (DWARF 5, section 2.5.1). */
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
        {CODE_OF("\x09\xf0\x08\x7f\x26"), UINT64_MAX, UINT32_MAX},     /* all of it */
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
    const struct expression_world world = {.registers = registers, .input = &input};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t *code = (const void *)cases[i].code;
        struct reader reader = {code, code + cases[i].size, false};
        uint64_t value = 0;
        cr_assert_eq(
            expression_run(reader, machine_find(UNWIND_X86_64), &world, false, &value),
            EXPRESSION_DONE, "%zu", i);
        cr_assert_eq(value, cases[i].wide, "%zu: %lx", i, value);
        cr_assert_eq(
            expression_run(reader, machine_find(UNWIND_I386), &world, false, &value),
            EXPRESSION_DONE, "%zu", i);
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

/* A handler on an alternate stack; the interrupted stack is a second piece, or is not there. */
Test(unwind, signals)
{
    struct fixture *fixture = make_fixture(wide, "gcc");
    uint64_t other[] = {code(fixture, "outer_back")};

    put(fixture, code(fixture, "restorer"));
    put(fixture, 0);
    put(fixture, STACK + 0x100000); /* the stack pointer that it interrupted */
    put(fixture, code(fixture, "leaf"));
    put(fixture, 0xbbbb);
    walk(fixture, code(fixture, "leaf"));
    expect(fixture, UNWIND_TRUNCATED, 3, "=leaf", "=restorer", "=leaf");
    fixture->input.pieces[1] =
        (struct unwind_piece){STACK + 0x100000, (const void *)other, sizeof other};
    fixture->input.piece_count = 2;
    walk(fixture, code(fixture, "leaf"));
    expect(fixture, UNWIND_COMPLETE, 4, "=leaf", "=restorer", "=leaf", "outer_back");
    free_fixture(fixture);
}

/* A signal's return that no file describes: struct rt_sigframe behind the return address. */
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
    put(fixture, STACK + 4 * 8); /* the caller's, also JIT code */
    put(fixture, JIT + 0x100);
    put(fixture, 0x5555);
    put(fixture, 0xbbbb);
    put(fixture, code(fixture, "outer_back"));
    fixture->input.registers.values[RBP] = STACK + 8;
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_COMPLETE, 3, "=jit", "jit", "outer_back");

    fixture->words[5] = code(fixture, "leaf"); /* no call is before it */
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
    fixture->words[4] = 0; /* and the chain ends: as a goroutine's stack does */
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_COMPLETE, 2, "=jit", "jit");
    fixture->words[1] = fixture->words[2] = 0; /* no frame pointer has led anywhere */
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_NO_INFO, 1, "=jit");
    fixture->words[2] = code(fixture, "leaf"); /* but that was made */
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_COMPLETE, 1, "=jit");
    fixture->words[1] = STACK + 4 * 8;
    fixture->words[2] = 0x1234; /* no code */
    walk(fixture, JIT + 0x40);
    expect(fixture, UNWIND_NO_INFO, 1, "=jit");
    fixture->input.registers.values[RBP] = STACK - 8; /* below */
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
    fixture->input.registers.values[2] = code(fixture, "jumper"); /* for ever */
    walk(fixture, code(fixture, "jumper"));
    cr_assert(fixture->stack.end != UNWIND_COMPLETE && fixture->stack.count <= 2);
    free_fixture(fixture);
}

/* A function that says nothing and has pushed nothing. */
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

Test(unwind, debug_frame)
{
    char text[sizeof wide + 64];

    snprintf(text, sizeof text, ".cfi_sections .debug_frame\n%s", wide);
    struct fixture *fixture = make_fixture(text, "gcc -Wl,--compress-debug-sections=zlib");
    cr_assert_eq(sh("readelf -SW frames.so | grep -q 'debug_frame.* C '"), 0);
    put_middle(fixture, code(fixture, "middle_back"));
    walk(fixture, code(fixture, "leaf"));
    expect(fixture, UNWIND_COMPLETE, 3, "=leaf", "middle_back", "outer_back");
    free_fixture(fixture);
}

/* Only program headers lead to the frames. */
Test(unwind, no_sections)
{
    struct fixture *fixture = make_fixture(wide, "gcc -Wl,--eh-frame-hdr");
    const uint8_t nothing[16] = {0};

    put_middle(fixture, code(fixture, "middle_back"));
    uint64_t leaf = code(fixture, "leaf");
    int fd = open("frames.so", O_WRONLY);
    cr_assert_eq(pwrite(fd, nothing, 8, 0x28), 8); /* e_shoff */
    cr_assert_eq(pwrite(fd, nothing, 4, 0x3c), 4); /* e_shnum, e_shstrndx */
    close(fd);
    walk(fixture, leaf);
    cr_assert(fixture->stack.end == UNWIND_COMPLETE && fixture->stack.count == 3);
    free_fixture(fixture);
}

/* Files that are cut off, overwritten, or no ELF files at all. */
Test(unwind, hostile_files)
{
    struct fixture *fixture = make_fixture(wide, "gcc");
    char bytes[32768];
    size_t size = (size_t)pread(fixture->fd, bytes, sizeof bytes, 0);

    put_middle(fixture, code(fixture, "middle_back"));
    uint64_t leaf = code(fixture, "leaf");
    for (size_t cut = 0; cut < size; cut += 97) {
        int fd = open("cut.so", O_RDWR | O_CREAT | O_TRUNC, 0600);
        cr_assert_eq(write(fd, bytes, cut), (ssize_t)cut);
        cr_assert_eq(pwrite(fd, "\xff\xff\xff\xff", 4, (off_t)(cut / 2)), 4);
        unwinder_free(fixture->unwinder);
        close(fixture->fd);
        fixture->unwinder = unwinder_new();
        fixture->fd = fd;
        walk(fixture, leaf);
        cr_assert(fixture->stack.count >= 1 && fixture->stack.count <= 3);
    }
    free_fixture(fixture);
}

/* What is not there yet is asked for again; what is not there at all is not. */
Test(unwind, later)
{
    struct fixture *fixture = make_fixture(wide, "gcc");
    int fd = fixture->fd;

    put_middle(fixture, code(fixture, "middle_back"));
    fixture->input.registers.values[RBP] = 0;
    fixture->fd = -EAGAIN;
    walk(fixture, code(fixture, "leaf"));
    expect(fixture, UNWIND_NO_INFO, 1, "=leaf");
    fixture->fd = fd;
    fixture->input.registers.values[RBP] = STACK + 5 * 8;
    walk(fixture, code(fixture, "leaf"));
    cr_assert_eq(fixture->stack.end, UNWIND_COMPLETE);
    free_fixture(fixture);
}

/* Of a sleeper the stack pointer is known, and what lies on the stack. */
Test(unwind, asleep)
{
    static const char assembler[] =
        ".text\n nop\n"
        "leaf: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
        /* as vfork has it: the return address is in rdi */
        "forked: .cfi_startproc\n pop %rdi\n .cfi_adjust_cfa_offset -8\n .cfi_register 16, 5\n"
        "forked_end: jmp *%rdi\n .cfi_endproc\n"
        /* as main with a wide alignment: CFA = *(rbp - 8) */
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

/* Where a sleeper's frame pointer points is told by who is called, and what is not told is not
 * made up: a place that may be the one is not passed over but for one that must be. */
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
    fixture->words[1] = outer_end; /* it may have called the sleeper */
    walk(fixture, code(fixture, "asleep"));
    expect(fixture, UNWIND_TRUNCATED, 1, "=asleep");
    fixture->words[0] = STACK + 16;
    walk(fixture, code(fixture, "asleep"));
    expect(fixture, UNWIND_COMPLETE, 2, "=asleep", "outer_end");
    fixture->words[1] = code(fixture, "outer_back"); /* it called another one */
    fixture->words[2] = 1;
    fixture->words[3] = outer_end;
    walk(fixture, code(fixture, "asleep"));
    expect(fixture, UNWIND_TRUNCATED, 1, "=asleep");
    fixture->words[3] = code(fixture, "restorer");
    walk(fixture, code(fixture, "asleep"));
    expect(fixture, UNWIND_COMPLETE, 2, "=asleep", "=restorer");
    free_fixture(fixture);
}

/* --- other machines ------------------------------------------------------------------------ */

Test(unwind, i386)
{
    static const char assembler[] =
        ".text\n nop\n"
        "leaf: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
        "middle: .cfi_startproc\n push %ebp\n .cfi_def_cfa_offset 8\n .cfi_offset 5, -8\n"
        " mov %esp, %ebp\n .cfi_def_cfa_register 5\n sub $8, %esp\n call leaf\n"
        "middle_back: leave\n ret\n .cfi_endproc\n"
        "outer: .cfi_startproc\n .cfi_undefined 8\n call middle\n"
        "outer_back: hlt\n .cfi_endproc\n";
    struct fixture *fixture = make_fixture(assembler, "gcc -m32");
    const struct unwind_world world = {fixture, find, open_object};

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
    fixture->input.pieces[0] =
        (struct unwind_piece){NARROW_STACK, (const void *)fixture->narrow, fixture->count * 4};
    fixture->stack = (struct unwind_stack){.frames = fixture->frames, .room = UNWIND_FRAMES_MAX};
    cr_assert_eq(unwind_walk(fixture->unwinder, &world, &fixture->input, &fixture->stack), 0);
    expect(fixture, UNWIND_COMPLETE, 3, "=leaf", "middle_back", "outer_back");
    free_fixture(fixture);
}

/* Return addresses are signed in bits above the 48th, or the 39th, or where the mask says. */
static void walk_aarch64(uint64_t signature, uint64_t mask)
{
    static const char assembler[] =
        ".text\n nop\n"
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

/* From an instruction, and with another one to return to. */
static void walk_linked(struct fixture *fixture, const char *pc, const char *link)
{
    fixture->input.registers.values[30] = code(fixture, link);
    fixture->input.registers.values[31] = STACK;
    fixture->input.registers.values[32] = code(fixture, pc);
    walk_cut(fixture, fixture->count * 8);
}

/* Entries of linkage tables have no description; where they return to is in x30, if that leads
 * behind a call. Of a sleeper it is not known. */
Test(unwind, aarch64_leaf)
{
    static const char assembler[] =
        ".text\n nop\n"
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

/* Code that nothing describes keeps a frame pointer, which does not tell how large its frame is. The caller's frame
 * pointer does, since that points to the caller's own record. */
Test(unwind, aarch64_guess)
{
    static const char assembler[] =
        ".text\n nop\n"
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
    /* it has pushed registers, and calls nobody; or it has a record of its own */
    fixture->input.registers.values[29] = STACK + 48;
    walk_linked(fixture, "jitted", "middle_back");
    expect(fixture, UNWIND_COMPLETE, 3, "=jitted", "middle_back", "outer_back");
    fixture->input.registers.values[29] = STACK + 16;
    fixture->words[3] = code(fixture, "middle_back");
    walk_linked(fixture, "jitted", "middle_back");
    expect(fixture, UNWIND_COMPLETE, 3, "=jitted", "middle_back", "outer_back");
    free_fixture(fixture);
}

/* What a lazy binding saves is described as if its caller had pushed nothing. */
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

/* The vdso's description of a signal's frame has no program counter; what the kernel saved has. */
Test(unwind, aarch64_signal)
{
    static const char assembler[] =
        ".text\n nop\n"
        "leaf: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
        " .cfi_startproc\n .cfi_signal_frame\n .cfi_def_cfa 29, 0\n .cfi_offset 29, 0\n"
        " .cfi_offset 30, 8\n nop\n"
        "sigreturn: mov x8, #139\n svc #0\n .cfi_endproc\n"
        "outer: .cfi_startproc\n .cfi_undefined 30\n bl leaf\n"
        "outer_back: nop\n .cfi_endproc\n";
    struct fixture *fixture = make_fixture(assembler, "aarch64-linux-gnu-gcc");
    enum { REGISTERS = 312 / 8 }; /* behind siginfo and what else a ucontext begins with */

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

/* struct user_pt_regs: x0 to x30, sp, pc, pstate. */
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

#ifdef __x86_64__ /* whose registers are taken here */
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

/* --- this process, by glibc's unwinder too -------------------------------------------------- */

static struct {
    void *theirs[256];
    int count;
    struct user_regs_struct set;
    uint64_t words[4096];
    size_t size;
    uint64_t start;
} seen;

static bool find_own(void *context, uint64_t address, struct unwind_mapping *mapping)
{
    char line[512], executable[8];
    FILE *maps = fopen("/proc/self/maps", "r");
    bool found = false;

    for (uint32_t i = 0; !found && fgets(line, sizeof line, maps) != NULL; i++) {
        int name = 0;
        sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &mapping->start, &mapping->end, executable,
               &mapping->offset, &name);
        found = address >= mapping->start && address < mapping->end && executable[2] == 'x';
        mapping->object = i;
        if (found)
            sscanf(line + name, "%511s", (char *)context);
    }
    fclose(maps);
    return found;
}

static int open_own(void *context, uint32_t object)
{
    (void)object; /* the one that was found last */
    int fd = open(context, O_RDONLY);
    return fd < 0 ? -ENOENT : fd;
}

/* Where a signal came, as the kernel tells; and the stack from there on. */
static void look(int number, siginfo_t *information, void *context)
{
    const ucontext_t *at = context;
    const greg_t *r = at->uc_mcontext.gregs;

    (void)number;
    (void)information;
    seen.set = (struct user_regs_struct){.rax = (uint64_t)r[REG_RAX],
                                         .rbx = (uint64_t)r[REG_RBX],
                                         .rcx = (uint64_t)r[REG_RCX],
                                         .rdx = (uint64_t)r[REG_RDX],
                                         .rsi = (uint64_t)r[REG_RSI],
                                         .rdi = (uint64_t)r[REG_RDI],
                                         .rbp = (uint64_t)r[REG_RBP],
                                         .rsp = (uint64_t)r[REG_RSP],
                                         .rip = (uint64_t)r[REG_RIP],
                                         .r8 = (uint64_t)r[REG_R8],
                                         .r9 = (uint64_t)r[REG_R9],
                                         .r10 = (uint64_t)r[REG_R10],
                                         .r11 = (uint64_t)r[REG_R11],
                                         .r12 = (uint64_t)r[REG_R12],
                                         .r13 = (uint64_t)r[REG_R13],
                                         .r14 = (uint64_t)r[REG_R14],
                                         .r15 = (uint64_t)r[REG_R15]};
    seen.start = seen.set.rsp;
    int memory = open("/proc/self/mem", O_RDONLY); /* what the sanitizers forbid to look at, too */
    seen.size = (size_t)pread(memory, seen.words, sizeof seen.words, (off_t)seen.start);
    close(memory);
    seen.count = backtrace(seen.theirs, 256);
}

static int order(const void *a, const void *b)
{
    if (*(const int *)a == 7)
        raise(SIGUSR1);
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int recurse(int depth)
{
    int numbers[] = {3, 7, 1, 9};
    volatile char room[16 * (depth % 3 + 1)];

    room[0] = (char)depth;
    if (depth > 0)
        return recurse(depth - 1) + room[0];
    qsort(numbers, 4, sizeof numbers[0], order);
    return numbers[0];
}

Test(unwind, as_glibc)
{
    struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO};
    static struct unwind_frame frames[UNWIND_FRAMES_MAX];
    struct unwind_stack stack = {.frames = frames, .room = UNWIND_FRAMES_MAX};
    struct unwinder *unwinder = unwinder_new();
    struct unwind_input input = {.piece_count = 1};
    struct unwind_mapping mapping;
    char path[512];
    const struct unwind_world world = {path, find_own, open_own};
    int first = 0;

    char reserve[sizeof seen.words + 4096]; /* so much stack is above */
    memset(reserve, 1, sizeof reserve);
    sigaction(SIGUSR1, &action, NULL);
    recurse(9 + reserve[4] - reserve[7]);
    cr_assert_gt(seen.count, 12);
    unwind_take_registers(UNWIND_X86_64, &seen.set, sizeof seen.set, &input.registers);
    input.pieces[0] = (struct unwind_piece){seen.start, (const void *)seen.words, seen.size};
    cr_assert_eq(unwind_walk(unwinder, &world, &input, &stack), 0);
    cr_assert_geq(stack.count, 12); /* recurse ten times, raise, order, qsort; then it is cut */
    while ((uint64_t)seen.theirs[first] != seen.set.rip)
        cr_assert_lt(++first, seen.count);
    for (uint32_t i = 0; i < stack.count; i++) {
        uint64_t pc = (uint64_t)seen.theirs[first + (int)i];
        cr_assert(find_own(path, pc, &mapping));
        cr_assert_eq(frames[i].address + (i > 0), pc - mapping.start + mapping.offset, "%u", i);
    }
    unwinder_free(unwinder);
}

#endif

/* --- rules of the C library, by libdw too ----------------------------------------------------- */

static bool same_cfa(Dwarf_Frame *frame, const struct rule *rule)
{
    Dwarf_Op *operations;
    size_t count;

    cr_assert_eq(dwarf_frame_cfa(frame, &operations, &count), 0);
    if (rule->cfa.how != RULE_REGISTER)
        return rule->cfa.how == RULE_IS_EXPRESSION && count > 1;
    bool numbered = operations[0].atom == DW_OP_bregx;
    return count == 1 &&
           rule->cfa.number ==
               (numbered ? operations[0].number : (Dwarf_Word)(operations[0].atom - DW_OP_breg0)) &&
           (Dwarf_Word)(int64_t)rule->cfa.value ==
               (numbered ? operations[0].number2 : operations[0].number);
}

/* Saved registers are at "the CFA plus so much"; those that nothing is said of have no rule. */
static bool same_register(Dwarf_Frame *frame, const struct rule *rule, int number)
{
    Dwarf_Op memory[3], *operations;
    const struct rule_register *ours = NULL;
    size_t count;

    for (size_t i = 0; i < rule->count; i++)
        if (rule->registers[i].number == number)
            ours = &rule->registers[i];
    cr_assert_eq(dwarf_frame_register(frame, number, memory, &operations, &count), 0);
    if (count == 0)
        return ours == NULL || ours->how == RULE_UNDEFINED;
    if (operations[0].atom == DW_OP_regx)
        return ours != NULL && ours->how == RULE_REGISTER &&
               operations[0].number == (Dwarf_Word)ours->value;
    if (ours == NULL || operations[0].atom != DW_OP_call_frame_cfa)
        return false;
    if (count > 1 && operations[1].atom != DW_OP_plus_uconst)
        return ours->how == RULE_AT_EXPRESSION;
    return ours->how == RULE_AT &&
           (Dwarf_Word)(int64_t)ours->value == (count == 1 ? 0 : operations[1].number);
}

Test(unwind, as_libdw)
{
    const struct machine *machine = machine_find(UNWIND_X86_64);
    Dl_info library;
    uint32_t compared = 0;

    cr_assert_neq(dladdr((void *)(uintptr_t)qsort, &library), 0);
    int fd = open(library.dli_fname, O_RDONLY);
    struct unwind_object *object = unwind_object_open(fd);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    GElf_Ehdr header;
    Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
    if (gelf_getehdr(elf, &header) == NULL || header.e_machine != EM_X86_64 || cfi == NULL)
        cr_skip_test("another machine's library");
    for (uint32_t i = 0; i < object->frames.count; i++) {
        const struct description *description = &object->frames.descriptions[i];
        for (uint64_t into = 0; into < description->size && into < 4000; into += 1 + into / 7) {
            uint64_t address = description->start + into;
            const struct rule *rule;
            Dwarf_Frame *frame;
            /* text is mapped as linked in this library: offsets are addresses */
            cr_assert_eq(unwind_object_rule(object, machine, address, &rule), 0);
            if (dwarf_cfi_addrframe(cfi, address, &frame) != 0) {
                cr_assert_null(rule, "%lx", address);
                continue;
            }
            cr_assert_not_null(rule, "%lx", address);
            cr_assert(same_cfa(frame, rule), "CFA at %lx", address);
            for (int number = 0; number <= 16; number++)
                cr_assert(number == 7 || same_register(frame, rule, number), "register %d at %lx",
                          number, address);
            free(frame);
            compared++;
        }
    }
    cr_assert_gt(compared, 10000);
    dwarf_cfi_end(cfi);
    elf_end(elf);
    unwind_object_close(object);
    close(fd);
}

/* --- into a profile -------------------------------------------------------------------------- */

static const char *name_of(const struct profile *profile, uint32_t node)
{
    const struct profile_location *location = &profile->locations[profile->nodes[node].location];

    return profile->objects[location->object].kind == PROFILE_OBJECT_MARK
               ? profile->strings[profile->objects[location->object].path]
               : "code";
}

Test(unwind, profile)
{
    struct fixture *fixture = make_fixture(wide, "gcc");
    struct profile *profile = profile_new();
    uint32_t node, again, depth = 0;

    feed_fork(profile, 7, 0);
    feed_map(profile, &(struct map_spec){.pid = 7,
                                         .kind = WIRE_MAP_FILE,
                                         .object = 3,
                                         .start = CODE,
                                         .end = CODE + CODE_SIZE,
                                         .inode = 5,
                                         .name = "/lib/frames.so"});
    put_middle(fixture, code(fixture, "middle_back"));
    fixture->input.registers.values[RIP] = code(fixture, "leaf");
    fixture->input.registers.values[RSP] = STACK;
    fixture->input.pieces[0] = (struct unwind_piece){STACK, (const void *)fixture->words, 8};
    uint64_t fp = fixture->input.registers.values[RBP];
    fixture->input.registers.values[RBP] = 0;
    cr_assert_eq(unwind_into_profile(fixture->unwinder, profile, 7, &fixture->input, &node), 0);
    node = profile->nodes[node].parent;
    cr_assert_str_eq(name_of(profile, node), "[no unwind info: frames.so]");

    profile_give_object(profile, 3, dup(fixture->fd));
    fixture->input.registers.values[RBP] = fp;
    cr_assert_eq(unwind_into_profile(fixture->unwinder, profile, 7, &fixture->input, &node), 0);
    node = profile->nodes[profile->nodes[node].parent].parent;
    cr_assert_str_eq(name_of(profile, node), "[truncated]");
    cr_assert_eq(profile->nodes[node].parent, PROFILE_NONE);

    fixture->input.pieces[0].size = 56;
    cr_assert_eq(unwind_into_profile(fixture->unwinder, profile, 7, &fixture->input, &node), 0);
    cr_assert_eq(unwind_into_profile(fixture->unwinder, profile, 7, &fixture->input, &again), 0);
    cr_assert_eq(node, again);
    cr_assert_eq(profile->locations[profile->nodes[node].location].address, symbol("leaf"));
    for (; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        cr_assert_str_eq(name_of(profile, node), "code");
        depth++;
    }
    cr_assert_eq(depth, 3);
    profile_free(profile);
    free_fixture(fixture);
}

/* A JIT's names may come at any time, or never: its frames do not wait for them. */
Test(unwind, profile_of_jit)
{
    struct fixture *fixture = make_fixture(wide, "gcc");
    struct profile *profile = profile_new();
    uint32_t node, depth = 0;

    feed_fork(profile, 7, 0);
    feed_map(profile, &(struct map_spec){.pid = 7,
                                         .kind = WIRE_MAP_FILE,
                                         .object = 3,
                                         .start = CODE,
                                         .end = CODE + CODE_SIZE,
                                         .inode = 5,
                                         .name = "/lib/frames.so"});
    feed_map(profile, &(struct map_spec){.pid = 7,
                                         .kind = WIRE_MAP_ANON,
                                         .object = 4,
                                         .start = JIT,
                                         .end = JIT + CODE_SIZE,
                                         .name = ""});
    profile_give_object(profile, 3, dup(fixture->fd));
    put(fixture, STACK + 16);
    put(fixture, JIT + 0x100);
    put(fixture, 0xbbbb);
    put(fixture, code(fixture, "outer_back"));
    fixture->input.registers.values[RIP] = JIT + 0x40;
    fixture->input.registers.values[RSP] = STACK;
    fixture->input.registers.values[RBP] = STACK;
    fixture->input.pieces[0] = (struct unwind_piece){STACK, (const void *)fixture->words, 32};
    cr_assert_eq(unwind_into_profile(fixture->unwinder, profile, 7, &fixture->input, &node), 0);
    for (; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        cr_assert_str_eq(name_of(profile, node), "code");
        depth++;
    }
    cr_assert_eq(depth, 3);
    profile_free(profile);
    free_fixture(fixture);
}
