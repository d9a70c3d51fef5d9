/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the programs of tests/compat. Each program is for one system, and was written from that system's header and
 * manual page alone. It has a table of checks. With the argument "list" it prints their names. With the name of a check
 * it runs that check. A check prints PASS or FAIL for each thing that it asserts.
 *
 * The checks spend CPU time in functions of the section spin_text, which is the region that is profiled.
 *
 * How far the number of ticks may be off: a tick is due for each period of CPU time. If other programs compete for the
 * CPUs, chance decides whether a sample finds the thread on a CPU. At worst the number of ticks has a binomial
 * distribution with one trial for each period of elapsed time. Its standard deviation is at most half the square root
 * of the number of trials. The bound is STEPS of these deviations and three ticks. The three ticks are for the parts of
 * periods at both ends, and for the time that starting takes.
 */
#ifndef PPROFIL_TEST_CHECK_H
#define PPROFIL_TEST_CHECK_H

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define UNUSED __attribute__((unused))
#define SPIN __attribute__((noinline, section("spin_text"), aligned(64)))
#define CHUNK 2000000ul /* rounds of a loop between two reads of the clock */
#define MS 1000000ull   /* ns */
#define STEPS 5.0
#define LATE_LOOKS 8
#define LOOK_NS 7e6 /* least time between two samples, ns */

extern char __start_spin_text[], __stop_spin_text[];

struct check {
    const char *name;
    void (*run)(void);
};

static volatile unsigned long sink;
static int failures;
static char **arguments;

SPIN UNUSED static void spin_first(unsigned long rounds)
{
    for (unsigned long i = 0; i < rounds; i++)
        sink = sink + i;
}

SPIN UNUSED static void spin_second(unsigned long rounds)
{
    for (unsigned long i = 0; i < rounds; i++)
        sink = sink ^ i;
}

/* Makes a system call that fills 16 KiB with random bytes. The call is inlined, so its code is in the region. */
__attribute__((always_inline)) static inline void call_kernel(void)
{
    static char bytes[16384];
#if defined __x86_64__
    long result = SYS_getrandom;
    __asm__ volatile("syscall" : "+a"(result) : "D"(bytes), "S"(sizeof bytes), "d"(0l) : "rcx", "r11", "memory");
#elif defined __aarch64__
    register long number __asm__("x8") = SYS_getrandom;
    register char *result __asm__("x0") = bytes;
    register long size __asm__("x1") = sizeof bytes, flags __asm__("x2") = 0;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(number), "r"(size), "r"(flags) : "memory");
#endif
}

/* Spends about half of the time in the kernel. */
SPIN UNUSED static void spin_calls(unsigned long rounds)
{
    for (unsigned long i = 0; i < rounds; i++) {
        if (i % 20000 == 0)
            call_kernel();
        sink = sink + i;
    }
}

typedef void spin(unsigned long rounds);

__attribute__((format(printf, 3, 4))) UNUSED static void expect(const char *name, bool good, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    printf("%s %s", good ? "PASS" : "FAIL", name);
    if (!good) {
        failures++;
        printf(": ");
        vprintf(format, values);
    }
    printf("\n");
    va_end(values);
    fflush(stdout);
}

UNUSED static uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Spends this much CPU time in the calling thread. */
UNUSED static void burn(spin *work, uint64_t ns)
{
    uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        work(CHUNK);
}

/* The start of a span of time whose ticks are checked. */
struct stretch {
    uint64_t wall_ns, cpu_ns, idle_ns;
};

/* Returns the idle time of all CPUs together, ns: proc_stat(5). */
UNUSED static uint64_t idle_ns(void)
{
    unsigned long long idle = 0, waiting = 0;
    FILE *file = fopen("/proc/stat", "re");

    if (file != NULL) {
        if (fscanf(file, "cpu %*u %*u %*u %llu %llu", &idle, &waiting) != 2)
            idle = waiting = 0;
        fclose(file);
    }
    return (idle + waiting) * 10 * MS; /* USER_HZ is 100 */
}

UNUSED static struct stretch now(void)
{
    return (struct stretch){clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID), idle_ns()};
}

/* Checks the number of ticks that were counted from `since` until now. cpu_ns: CPU time used in this time. threads:
 * number of samples in each period; the expected variance is proportional to this number. */
UNUSED static void expect_ticks_of(const char *name, double ticks, double cpu_ns, struct stretch since,
                                   double period_ns, double threads)
{
    struct stretch end = now();
    double wall_ns = (double)(end.wall_ns - since.wall_ns);
    bool full = (double)(end.idle_ns - since.idle_ns) < wall_ns / 2;
    double due = cpu_ns / period_ns;
    /* at high rates the limit on overhead makes samples rarer, and each sample stands for several ticks */
    double look_ns = period_ns > LOOK_NS ? period_ns : LOOK_NS;
    double bound = STEPS * sqrt(wall_ns * threads / look_ns) / 2 * look_ns / period_ns + 3;

    /* the probability that there is no sample at all is e^-15; if no CPU is idle, samples are also late */
    bool some = ticks > 0 || cpu_ns < (full ? 40 : 15) * look_ns;
    /* if no CPU is idle, the supervisor may come late up to eight times in a row, and then counts nothing:
     * LATE_TICKS_MAX in lib/supervisor/tick-taken.c */
    double least = full ? due - bound - LATE_LOOKS * look_ns / period_ns : due - bound;
    expect(name, some && ticks >= least && ticks <= due + bound, "%.0f ticks for %.1f that are due, %.1f to %.1f",
           ticks, due, least, due + bound);
}

UNUSED static void expect_ticks(const char *name, uint64_t ticks, struct stretch since, double period_ns)
{
    struct stretch end = now();

    expect_ticks_of(name, (double)ticks, (double)(end.cpu_ns - since.cpu_ns), since, period_ns, 1);
}

UNUSED static long status_number(const char *name)
{
    char line[256];
    long value = -1;
    FILE *file = fopen("/proc/self/status", "re");

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtol(line + strlen(name), NULL, 10);
    if (file != NULL)
        fclose(file);
    return value;
}

/* Waits until nobody traces this process. That takes about 2 s if the machine is not busy. */
UNUSED static void expect_left(const char *name)
{
    const struct timespec wait = {.tv_nsec = 50000000};
    int waits = 0;

    while (status_number("TracerPid:") != 0 && waits < 600) {
        nanosleep(&wait, NULL);
        waits++;
    }
    expect(name, status_number("TracerPid:") == 0, "traced by %ld", status_number("TracerPid:"));
}

UNUSED static uintptr_t region(void)
{
    return (uintptr_t)__start_spin_text;
}

UNUSED static size_t region_size(void)
{
    return (size_t)(__stop_spin_text - __start_spin_text + 15) & ~(size_t)15;
}

/* Returns the address of the end of a function in the region. */
UNUSED static uintptr_t end_of(spin *function)
{
    uintptr_t start = (uintptr_t)function, end = region() + region_size();
    spin *all[] = {spin_first, spin_second, spin_calls};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((uintptr_t)all[i] > start && (uintptr_t)all[i] < end)
            end = (uintptr_t)all[i];
    return end;
}

UNUSED static void *pages(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

/* Waits for a forked child. Its exit status must be 0: all its checks were right. */
UNUSED static void join_child(const char *name, pid_t child)
{
    int status = -1;

    pid_t got = waitpid(child, &status, 0);
    expect(name, got == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
           "waitpid %d, status %#x", (int)got, (unsigned)status);
}

UNUSED static int run_checks(const struct check *checks, int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "list";

    arguments = argv;
    for (; checks->name != NULL; checks++) {
        if (strcmp(wanted, "list") == 0)
            puts(checks->name);
        else if (strcmp(wanted, checks->name) == 0)
            checks->run();
    }
    return failures != 0;
}

#endif
