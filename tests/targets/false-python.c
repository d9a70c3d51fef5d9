/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that looks like a Python interpreter and is not one. Its memory has what a reader of interpreters must
 * survive. Argument: what it has.
 *
 *     nonsense   random words
 *     ring       states and frames that lead back to themselves, and a code object with endless texts
 *     freed      frames whose code objects come and go, while the thread runs
 *     starting   an interpreter that never begins
 *
 * It burns CPU time in the function work until it is killed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* the symbols by which an interpreter is recognized. This one pretends to be 3.12 */
__attribute__((visibility("default"))) uint64_t _PyRuntime[64];
__attribute__((visibility("default"))) extern const unsigned long Py_Version;
const unsigned long Py_Version = 0x030c01f0;

/* the layout of 3.12: lib/supervisor/python/python-layout.c */
static uint64_t interpreter[32], state[32], cframe[4], frames[3][16], codes[2][32], code_type[8], text_type[8];
static uint64_t long_text[8], lines[8];
static char *mapped;

__attribute__((noinline)) static void work(void)
{
    for (volatile unsigned i = 0; i < 200000; i++)
        ;
}

static void make_types(void)
{
    code_type[3] = (uint64_t)(uintptr_t) "code";
    text_type[3] = (uint64_t)(uintptr_t) "str";
    long_text[1] = (uint64_t)(uintptr_t)text_type;
    long_text[2] = UINT64_MAX;                /* length */
    long_text[4] = 1u << 2 | 1u << 5 | 1u << 6; /* one byte for each character, compact, ASCII */
    lines[2] = UINT64_MAX / 2;
}

static void make_code(uint64_t *code, uint64_t text)
{
    code[1] = (uint64_t)(uintptr_t)code_type;
    code[14] = code[16] = text;
    code[17] = (uint64_t)(uintptr_t)lines;
}

static void make_ring(void)
{
    make_types();
    make_code(codes[0], (uint64_t)(uintptr_t)long_text);
    make_code(codes[1], (uint64_t)(uintptr_t)long_text);
    for (unsigned i = 0; i < 3; i++) {
        frames[i][0] = (uint64_t)(uintptr_t)codes[i % 2];
        frames[i][1] = (uint64_t)(uintptr_t)frames[(i + 1) % 3];
        frames[i][7] = (uint64_t)(uintptr_t)codes[i % 2] + 192;
    }
    cframe[0] = (uint64_t)(uintptr_t)frames[0];
    cframe[1] = (uint64_t)(uintptr_t)cframe;
    state[1] = (uint64_t)(uintptr_t)state;
    state[2] = (uint64_t)(uintptr_t)interpreter;
    state[7] = (uint64_t)(uintptr_t)cframe;
    state[17] = 1;
    state[18] = (uint64_t)syscall(SYS_gettid);
    interpreter[0] = (uint64_t)(uintptr_t)interpreter;
    interpreter[9] = (uint64_t)(uintptr_t)state;
    _PyRuntime[5] = (uint64_t)(uintptr_t)interpreter;
}

static void make_nonsense(void)
{
    for (unsigned i = 0; i < 64; i++)
        _PyRuntime[i] = (uint64_t)random() << 32 ^ (uint64_t)random() << 16;
    _PyRuntime[5] = (uint64_t)(uintptr_t)interpreter;
    for (unsigned i = 0; i < 32; i++)
        interpreter[i] = (uint64_t)(uintptr_t)state + 8 * (uint64_t)(random() % 8), state[i] = (uint64_t)random();
}

/* The frames and their code objects are in memory that is unmapped and mapped again. */
static void make_freed(void)
{
    make_ring();
    for (;;) {
        mapped = mmap(mapped, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        uint64_t *frame = (uint64_t *)(mapped + 4096 * (random() % 8)), *code = (uint64_t *)(mapped + 40000);
        make_code(code, (uint64_t)(uintptr_t)mapped + (uint64_t)(random() % 65536));
        frame[0] = (uint64_t)(uintptr_t)code + (uint64_t)(random() % 3);
        frame[1] = (uint64_t)(uintptr_t)frame + (uint64_t)(random() % 4096);
        cframe[0] = (uint64_t)(uintptr_t)frame;
        work();
        munmap(mapped, 65536);
        work();
    }
}

int main(int argc, char *argv[])
{
    const char *kind = argc > 1 ? argv[1] : "";

    if (strcmp(kind, "nonsense") == 0)
        make_nonsense();
    else if (strcmp(kind, "ring") == 0)
        make_ring();
    else if (strcmp(kind, "freed") == 0)
        make_freed();
    for (;;)
        work();
}
