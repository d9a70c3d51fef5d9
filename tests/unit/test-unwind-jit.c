/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of stacks through code that is made at run time, whose compiler writes frame descriptions into a jitdump. */
#include "config.h"

#include <elf.h>
#include <sys/stat.h>

#include "jit/jit.h"
#include "unwind-fixture.h"

TestSuite(unwind_jit, .init = enter_directory, .fini = remove_directory);

/* What CPython 3.13 writes with -X perf_jit: .eh_frame, then .eh_frame_hdr. The code is sub $8, %rsp; call *%rcx;
 * add $8, %rsp; ret. Here the frame is larger: the size of the frame is the byte FRAME_AT. */
static const unsigned char descriptions[] = {
    0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x7a, 0x52, 0x00, 0x01, 0x78, 0x10, 0x01,
    0x1b, 0x0c, 0x07, 0x08, 0x90, 0x01, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00,
    0xd0, 0xff, 0xff, 0xff, 0x0b, 0x00, 0x00, 0x00, 0x00, 0x44, 0x0e, 0x40, 0x46, 0x0e, 0x08, 0x00,
    0x01, 0x1b, 0x03, 0x3b, 0xcc, 0xff, 0xff, 0xff, 0x01, 0x00, 0x00, 0x00, 0xc0, 0xff, 0xff, 0xff,
    0xe8, 0xff, 0xff, 0xff,
};
#define HEADER_SIZE 20u
#define FRAME_AT 43u
#define CODE_BYTES 11u
#define BEHIND_SUB 5u

static const char *dump_path = "jit.dump";

static void append(const void *bytes, size_t size)
{
    FILE *file = fopen(dump_path, "a");

    cr_assert(file != NULL && fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

static void begin_dump(uint32_t machine)
{
    const struct jitdump_header header = {
        .magic = 0x4a695444, .version = 1, .size = sizeof header, .machine = machine, .pid = 1};

    append(&header, sizeof header);
}

/* frame: size of the frame, bytes, at most 127 */
static void append_descriptions(unsigned char frame, uint64_t size)
{
    const struct jitdump_record record = {
        .id = JITDUMP_UNWINDING_INFO,
        .size = sizeof record + sizeof(struct jitdump_unwinding_info) + sizeof descriptions};
    const struct jitdump_unwinding_info info = {.size = size, .header_size = HEADER_SIZE, .mapped_size = 80};
    unsigned char bytes[sizeof descriptions];

    memcpy(bytes, descriptions, sizeof bytes);
    bytes[FRAME_AT] = frame;
    append(&record, sizeof record);
    append(&info, sizeof info);
    append(bytes, sizeof bytes);
}

static void append_load(uint64_t address)
{
    static const char name_and_code[4 + CODE_BYTES] = "f:x";
    const struct jitdump_record record = {
        .id = JITDUMP_LOAD, .size = sizeof record + sizeof(struct jitdump_load) + sizeof name_and_code};
    const struct jitdump_load load = {.pid = 1, .address = address, .size = CODE_BYTES};

    append(&record, sizeof record);
    append(&load, sizeof load);
    append(name_and_code, sizeof name_and_code);
}

static void append_code(uint64_t address, unsigned char frame)
{
    append_descriptions(frame, sizeof descriptions);
    append_load(address);
}

static void append_move(uint64_t from, uint64_t to)
{
    const struct jitdump_record record = {.id = JITDUMP_MOVE, .size = sizeof record + sizeof(struct jitdump_move)};
    const struct jitdump_move move = {.pid = 1, .from = from, .to = to, .size = CODE_BYTES};

    append(&record, sizeof record);
    append(&move, sizeof move);
}

static int dump_fd = -1;

static bool find_jit(void *context, uint32_t object, struct unwind_jit_file *file)
{
    (void)context;
    *file = (struct unwind_jit_file){.process = 3, .fd = dump_fd};
    return object == 1;
}

/* Walks over a stack on which JIT code has a frame of that size. Returns whether its caller is found. */
static bool finds_caller(struct fixture *fixture, uint64_t pc, size_t frame)
{
    const struct unwind_callbacks callbacks = {fixture, find, open_object, find_jit};
    size_t size;

    fixture->count = 0;
    for (size = 8; size < frame; size += 8)
        put(fixture, 0x1111);
    put(fixture, code(fixture, "outer_back"));
    fixture->stack.frames = fixture->frames;
    fixture->stack.room = UNWIND_FRAMES_MAX;
    fixture->input.registers.values[RSP] = STACK;
    fixture->input.registers.values[RIP] = pc;
    fixture->input.pieces[0] = (struct unwind_piece){STACK, (const void *)fixture->words, fixture->count * 8};
    cr_assert_eq(unwind_walk(fixture->unwinder, &callbacks, &fixture->input, &fixture->stack), 0);
    if (fixture->stack.end != UNWIND_COMPLETE)
        return false;
    expect(fixture, UNWIND_COMPLETE, 2, "=jit", "outer_back");
    return true;
}

static struct fixture *make_jit_fixture(uint32_t machine)
{
    struct fixture *fixture = make_fixture(wide, "gcc");

    begin_dump(machine);
    dump_fd = -1;
    return fixture;
}

static void open_dump(void)
{
    dump_fd = open(dump_path, O_RDONLY);
    cr_assert(dump_fd >= 0);
}

Test(unwind_jit, code_that_has_come_or_comes_later)
{
    struct fixture *fixture = make_jit_fixture(EM_X86_64);

    append_code(JIT + 0x100, 64);
    cr_assert(!finds_caller(fixture, JIT + 0x100 + BEHIND_SUB, 64), "there is no file yet");
    open_dump();
    cr_assert(finds_caller(fixture, JIT + 0x100 + BEHIND_SUB, 64));
    cr_assert(finds_caller(fixture, JIT + 0x100, 8), "at its first instruction");
    cr_assert(!finds_caller(fixture, JIT + 0x200 + BEHIND_SUB, 48));
    append_code(JIT + 0x200, 48);
    cr_assert(finds_caller(fixture, JIT + 0x200 + BEHIND_SUB, 48));
    cr_assert(finds_caller(fixture, JIT + 0x100 + BEHIND_SUB, 64));
    cr_assert(!finds_caller(fixture, JIT + 0x100 + CODE_BYTES, 64), "behind its end");
    free_fixture(fixture);
}

Test(unwind_jit, code_that_is_replaced_or_moved)
{
    struct fixture *fixture = make_jit_fixture(EM_X86_64);

    open_dump();
    append_code(JIT + 0x100, 64);
    append_code(JIT + 0x104, 48);
    cr_assert(finds_caller(fixture, JIT + 0x104 + BEHIND_SUB, 48));
    cr_assert(!finds_caller(fixture, JIT + 0x102, 64), "the older code is no longer there");
    append_move(JIT + 0x104, JIT + 0x500);
    cr_assert(finds_caller(fixture, JIT + 0x500 + BEHIND_SUB, 48));
    cr_assert(!finds_caller(fixture, JIT + 0x104 + BEHIND_SUB, 48));
    append_load(JIT + 0x500);
    append_load(JIT + 0x600);
    cr_assert(!finds_caller(fixture, JIT + 0x600 + BEHIND_SUB, 48), "it has no descriptions");
    cr_assert(!finds_caller(fixture, JIT + 0x500 + BEHIND_SUB, 48), "it has none any more");
    free_fixture(fixture);
}

Test(unwind_jit, records_that_make_no_sense)
{
    struct fixture *fixture = make_jit_fixture(EM_X86_64);
    static const uint64_t sizes[] = {0, HEADER_SIZE - 1, HEADER_SIZE, sizeof descriptions + 1, UINT64_MAX};

    open_dump();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        append_descriptions(64, sizes[i]);
        append_load(JIT + 0x100 * i);
        cr_assert(!finds_caller(fixture, JIT + 0x100 * i + BEHIND_SUB, 64), "%zu", i);
    }
    append_code(UINT64_MAX - 3, 64);
    append_code(JIT + 0x1000, 64);
    cr_assert(finds_caller(fixture, JIT + 0x1000 + BEHIND_SUB, 64));
    append_code(JIT + 0x2000, 0); /* the CFA does not move */
    cr_assert(!finds_caller(fixture, JIT + 0x2000 + BEHIND_SUB, 64));
    cr_assert_eq(fixture->stack.end, UNWIND_BROKEN);
    free_fixture(fixture);
}

Test(unwind_jit, code_of_another_machine)
{
    struct fixture *fixture = make_jit_fixture(EM_AARCH64);

    open_dump();
    append_code(JIT + 0x100, 64);
    cr_assert(!finds_caller(fixture, JIT + 0x100 + BEHIND_SUB, 64));
    free_fixture(fixture);
}

/* An interpreter like that of LuaJIT: one frame description for all its code. Other functions are called, too. */
static const char interpreter[] =
    ".text\n"
    "nop\n"
    "interpret: .cfi_startproc\n .cfi_def_cfa_offset 64\n .cfi_offset 6, -16\n"
    " push %rbp\n sub $48, %rsp\n jmp *%rax\n .cfi_endproc\n"
    "plain: .cfi_startproc\n ret\n .cfi_endproc\n"
    "outer: .cfi_startproc\n .cfi_undefined 16\n call plain\n"
    "outer_plain: call interpret\n"
    "outer_back: hlt\n .cfi_endproc\n";

Test(unwind_jit, code_to_which_an_interpreter_has_jumped)
{
    struct fixture *fixture = make_fixture(interpreter, "gcc");
    static const uint64_t junk = 0x1111;

    put(fixture, junk);
    put(fixture, code(fixture, "outer_plain")); /* left over */
    put(fixture, code(fixture, "outer_back"));  /* left over: less than the interpreter's frame is below it */
    for (size_t i = 0; i < 7; i++)
        put(fixture, junk);
    put(fixture, 0xbbbb); /* the saved frame pointer */
    put(fixture, code(fixture, "outer_back"));
    fixture->input.registers.values[RIP] = JIT + 0x40;
    fixture->input.registers.values[RSP] = STACK;
    walk_cut(fixture, fixture->count * 8);
    expect(fixture, UNWIND_COMPLETE, 3, "=jit", "=interpret", "outer_back");
    walk_cut(fixture, (fixture->count - 1) * 8);
    expect(fixture, UNWIND_NO_INFO, 1, "=jit");
    fixture->words[fixture->count - 1] = code(fixture, "outer_plain");
    walk_cut(fixture, fixture->count * 8);
    expect(fixture, UNWIND_NO_INFO, 1, "=jit");
    free_fixture(fixture);
}
