/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * aarch64 FILE: an AArch64 program that copies its own stacks into a file, in the format of tests/unwind/stacks.h, so
 * that another machine can unwind them. A timer's signal interrupts the program. Each time, its handler records two
 * stacks: the interrupted stack, and its own, in which the handler's caller is the code that returns from handlers. The
 * frames are from the compiler's unwinder (backtrace), which stops at code without unwind information, such as entries
 * of linkage tables. Stacks at which it stops too early are not recorded.
 */
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define SIGNALS 250
#define FRAMES_MAX 512
#define MAPPINGS_MAX 64
#define RESTORER 0x04000000ul /* SA_RESTORER, which the headers of C libraries lack */

extern char **environ;

/* The kernel's struct sigaction. */
struct action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

struct mapping {
    uint64_t start, end, offset;
    char path[256];
};

static struct mapping mappings[MAPPINGS_MAX];
static uint32_t mapping_count, signals;
static void *outermost; /* return address of the outermost frame, which all stacks of this program have in common */
static FILE *out;
static volatile unsigned long sink;

/* Returns from a handler, as the kernel's code in the vDSO does. An emulator has its own code for this, but that code
 * is not in any file. */
void restore(void);
__asm__(".text\n.balign 16\nnop\n.global restore\n.type restore, %function\n"
        "restore: mov x8, #139\nsvc #0\n.size restore, .-restore\n");

/* --- records ----------------------------------------------------------------------------- */

static void put(const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, out) != size)
        abort();
}

static void put_number(uint32_t number)
{
    put(&number, sizeof number);
}

static void put_stack(uint64_t start, uint64_t end)
{
    put(&start, sizeof start);
    put_number((uint32_t)(end - start));
    put((const void *)start, end - start);
}

static void put_mappings(void)
{
    put_number(mapping_count);
    for (uint32_t i = 0; i < mapping_count; i++) {
        put(&mappings[i], 3 * sizeof(uint64_t));
        put_number((uint32_t)strlen(mappings[i].path));
        put(mappings[i].path, strlen(mappings[i].path));
    }
}

/* Writes a record. Its frames begin with the one whose program counter is in the registers. */
static void put_record(const uint64_t registers[33], void *const *frames, int count)
{
    int first = 0;

    while (first < count && (uint64_t)frames[first] != registers[32])
        first++;
    put("STK1", 4);
    put_number(3);
    put(registers, 33 * sizeof *registers);
    put_stack(registers[31], (uint64_t)environ);
    put_stack(0, 0);
    put_mappings();
    put_number((uint32_t)(count - first));
    for (int i = first; i < count; i++) {
        put(&frames[i], sizeof frames[i]);
        put_number(0);
    }
    put_number(0);
}

static void take_registers(const ucontext_t *context, uint64_t registers[33])
{
    memcpy(registers, context->uc_mcontext.regs, 31 * sizeof *registers);
    registers[31] = context->uc_mcontext.sp;
    registers[32] = context->uc_mcontext.pc;
}

static void handler(int number, siginfo_t *info, void *interrupted)
{
    uint64_t registers[33], here;
    void *frames[FRAMES_MAX];
    int count = backtrace(frames, FRAMES_MAX);

    (void)number;
    (void)info;
    if (signals++ == SIGNALS)
        exit(fclose(out) != 0);
    if (frames[count - 1] != outermost)
        return;
    take_registers(interrupted, registers);
    put_record(registers, frames, count);
    memset(registers, 0, sizeof registers);
    /* stores the callee-saved registers, fp, lr, sp and pc; unwinding needs no others */
    __asm__ volatile("stp x19, x20, [%1, #152]\nstp x21, x22, [%1, #168]\n"
                     "stp x23, x24, [%1, #184]\nstp x25, x26, [%1, #200]\n"
                     "stp x27, x28, [%1, #216]\nstp x29, x30, [%1, #232]\n"
                     "mov %0, sp\nstr %0, [%1, #248]\nadr %0, .\n"
                     : "=&r"(here)
                     : "r"(registers)
                     : "memory");
    registers[32] = here;
    frames[0] = (void *)here;
    put_record(registers, frames, count);
}

/* --- work -------------------------------------------------------------------------------- */

__attribute__((noinline)) static unsigned long work(unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        sink += i * n;
    return sink;
}

__attribute__((noinline)) static unsigned long deeper(int depth, unsigned long n)
{
    char room[64];

    memset(room, (int)n, sizeof room);
    if (depth > 0)
        return deeper(depth - 1, n + 1) + (unsigned char)room[n % 64];
    return work(n);
}

/* The size of the frame of this function is known only at run time. */
__attribute__((noinline)) static unsigned long wide(unsigned long n)
{
    char *room = __builtin_alloca(n * 16);

    memset(room, (int)n, n * 16);
    return deeper((int)(n % 30), 300) + (unsigned char)room[n];
}

static int compare(const void *a, const void *b)
{
    work(20);
    return *(const int *)a - *(const int *)b;
}

static void read_mappings(const char *vdso)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], permissions[8];

    while (maps != NULL && mapping_count < MAPPINGS_MAX && fgets(line, sizeof line, maps) != NULL) {
        struct mapping *mapping = &mappings[mapping_count];
        *mapping = (struct mapping){0};
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &mapping->start, &mapping->end,
                   permissions, &mapping->offset, mapping->path) < 4 ||
            permissions[2] != 'x')
            continue;
        mapping_count++;
        if (strcmp(mapping->path, "[vdso]") != 0)
            continue;
        FILE *copy = fopen(vdso, "we");
        if (copy == NULL || fwrite((void *)mapping->start, mapping->end - mapping->start, 1, copy) != 1 ||
            fclose(copy) != 0)
            abort();
    }
    fclose(maps);
}

int main(int argc, char **argv)
{
    const struct action action = {
        .handler = handler, .flags = SA_SIGINFO | SA_RESTART | RESTORER, .restorer = restore};
    struct itimerval timer = {{0, 3000}, {0, 3000}};
    char vdso[4096];
    void *first[8];

    if (argc < 2 || (out = fopen(argv[1], "we")) == NULL)
        return 2;
    snprintf(vdso, sizeof vdso, "%s.vdso", argv[1]);
    read_mappings(vdso);
    outermost = first[backtrace(first, 8) - 1];
    if (syscall(SYS_rt_sigaction, SIGALRM, &action, NULL, 8) != 0)
        return 2;
    setitimer(ITIMER_REAL, &timer, NULL);
    for (;;) {
        int numbers[200];
        for (size_t i = 0; i < 200; i++)
            numbers[i] = rand();
        qsort(numbers, 200, sizeof numbers[0], compare);
        deeper(rand() % 20, 500);
        wide((unsigned long)rand() % 100 + 1);
    }
}
