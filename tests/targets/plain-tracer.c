/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measures what a simple tracer sees of a thread:
 *
 *   plain-tracer PID LOOKS
 *
 * Sleeps LOOKS times for about a millisecond on the CPU of the thread. Then interrupts the thread LOOKS times, from any
 * CPU. Prints "late NS inside SHARE": the median of the time by which the sleeps were too long, and the share of the
 * interrupts that found the thread in a system call.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOKS_MAX 10000
#define PROCESSOR 39 /* number of a field in /proc/PID/stat: proc(5) */

static long now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

/* Sleeps for 0.5 to 1.5 ms, so as not to be in step with the thread. Returns by how much the sleep was too long, ns. */
static long sleep_about_1ms(void)
{
    long due = now_ns() + 500000 + random() % 1000000;
    const struct timespec when = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
    return now_ns() - due;
}

static void read_proc(int pid, const char *name, char text[512])
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = read(file, text, 511);
    text[got > 0 ? got : 0] = '\0';
    close(file);
}

static void follow(int pid)
{
    char text[512];
    cpu_set_t cpus;

    read_proc(pid, "stat", text);
    char *field = strrchr(text, ')');
    for (int i = 2; i < PROCESSOR && field != NULL; i++)
        field = strchr(field + 1, ' ');
    CPU_ZERO(&cpus);
    CPU_SET(field != NULL ? atoi(field) : 0, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
}

static int compare(const void *a, const void *b)
{
    long left = *(const long *)a, right = *(const long *)b;

    return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
    int pid = argc > 2 ? atoi(argv[1]) : 0, looks = argc > 2 ? atoi(argv[2]) : 0, inside = 0;
    static long late[LOOKS_MAX];
    cpu_set_t everywhere;
    char text[512];

    if (pid <= 0 || looks <= 0 || looks > LOOKS_MAX)
        return 2;
    prctl(PR_SET_TIMERSLACK, 1ul);
    sched_getaffinity(0, sizeof everywhere, &everywhere);
    for (int i = 0; i < looks; i++) {
        follow(pid);
        late[i] = sleep_about_1ms();
    }
    qsort(late, (size_t)looks, sizeof *late, compare);
    sched_setaffinity(0, sizeof everywhere, &everywhere);
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0)
        return 1;
    for (int i = 0; i < looks; i++) {
        sleep_about_1ms();
        if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) < 0 || waitpid(pid, NULL, __WALL) != pid)
            return 1;
        read_proc(pid, "syscall", text);
        inside += text[0] != '-'; /* "-1 ..." means outside of a system call */
        ptrace(PTRACE_CONT, pid, NULL, NULL);
    }
    printf("late %ld inside %.4f\n", late[looks / 2], (double)inside / looks);
    return 0;
}
