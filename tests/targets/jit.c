/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that make code, name it in /tmp/perf-PID.map as a JIT compiler does, and run it. The names are jit_made_0,
 * jit_made_1 and so on.
 *
 *   jit PROCESSES SECONDS
 *
 * All processes run at the same time, for SECONDS of elapsed time, and for at least 0.1 s of CPU time each. The maps are
 * removed one second after all processes have ended, so that a profiler can read them even if it waits for a CPU while
 * the processes run. Prints "jit PROCESSES", the number of processes that have run to their end.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clocks.h"

#define PROCESSES_MAX 256
#define ROUNDS 100000
#define CPU_S_MIN 0.1 /* least CPU time of each process, s */
#define KEEP_MAPS_S 1

/* void loop(long rounds): counts down to 0 */
#if defined(__x86_64__)
static const unsigned char loop_code[] = {
    0x48, 0x83, 0xef, 0x01, /* sub rdi, 1 */
    0x75, 0xfa,             /* jne -4 */
    0xc3,                   /* ret */
};
#elif defined(__aarch64__)
static const uint32_t loop_code[] = {
    0xf1000400, /* subs x0, x0, #1 */
    0x54ffffe1, /* b.ne -4 */
    0xd65f03c0, /* ret */
};
#else
#error "no loop in this machine's code"
#endif

static void map_path(pid_t pid, char path[64])
{
    snprintf(path, 64, "/tmp/perf-%d.map", (int)pid);
}

static int tell_name(const void *code, int number)
{
    char path[64];

    map_path(getpid(), path);
    FILE *map = fopen(path, "we");
    if (map == NULL)
        return -1;
    fprintf(map, "%lx %zx jit_made_%d\n", (unsigned long)(uintptr_t)code, sizeof loop_code, number);
    return fclose(map);
}

static int run(int number, double seconds)
{
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void (*loop)(long rounds);

    if (code == MAP_FAILED)
        return 1;
    memcpy(code, loop_code, sizeof loop_code);
    __builtin___clear_cache(code, (char *)code + sizeof loop_code);
    memcpy(&loop, &code, sizeof loop);
    if (tell_name(code, number) != 0)
        return 1;
    double end = now() + seconds;
    while (now() < end || clock_now(CLOCK_PROCESS_CPUTIME_ID) < CPU_S_MIN)
        loop(ROUNDS);
    return 0;
}

int main(int argc, char **argv)
{
    int processes = argc > 2 ? atoi(argv[1]) : 0, status, good = 0;
    char path[64];
    pid_t pids[PROCESSES_MAX];

    if (processes < 1 || processes > PROCESSES_MAX)
        return 2;
    for (int i = 0; i < processes; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            _exit(run(i, strtod(argv[2], NULL)));
    }
    for (int i = 0; i < processes; i++)
        good += waitpid(pids[i], &status, 0) == pids[i] && status == 0;
    sleep(KEEP_MAPS_S);
    for (int i = 0; i < processes; i++) {
        map_path(pids[i], path);
        unlink(path);
    }
    printf("jit %d\n", good);
    return good != processes;
}
