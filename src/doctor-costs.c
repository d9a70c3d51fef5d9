/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of pprofil doctor: what clocks, wake-ups, context switches and samples cost here, and which sampling rates fit
 * into the default budget. Each is measured for a short time, on the machine as it is. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "doctor.h"

#define MEASURE_NS UINT64_C(50000000) /* a measurement goes on for this long, ns */
#define CLOCK_CALLS 1000u             /* calls between two looks at the time */
#define SWITCH_TURNS 50u              /* turns between two looks at the time; a turn is two switches */
#define SLEEP_NS 500000u
#define SLEEPS_MAX 100u
#define ALL_SECONDS 1.0

/* --- clocks ------------------------------------------------------------------------------------ */

static void read_clock(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
}

static void read_clock_by_call(void)
{
    struct timespec time;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
}

/* Returns the time of a call, ns. Takes the shortest mean over CLOCK_CALLS calls, because others may take the CPU
 * meanwhile. */
static double cost_of_call(void (*call)(void))
{
    uint64_t begin = time_now(), best = UINT64_MAX, now = begin;

    while (now - begin < MEASURE_NS) {
        uint64_t before = now;
        for (unsigned i = 0; i < CLOCK_CALLS; i++)
            call();
        now = time_now();
        best = now - before < best ? now - before : best;
    }
    return (double)best / CLOCK_CALLS;
}

static void cost_read_clock_source(char source[], size_t size)
{
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

    if (file == NULL || fgets(source, (int)size, file) == NULL)
        snprintf(source, size, "not known");
    if (file != NULL)
        fclose(file);
    source[strcspn(source, "\n")] = '\0';
}

/* The vDSO reads a clock without a system call, if the kernel's clock source permits it: vdso(7). */
static void cost_of_clock(struct doctor *doctor, struct finding *finding)
{
    double here = cost_of_call(read_clock), kernel = cost_of_call(read_clock_by_call);
    char source[32];

    (void)doctor;
    cost_read_clock_source(source, sizeof source);
    finding_number(finding, "clock_ns", here);
    finding_number(finding, "system_call_ns", kernel);
    finding_yes(finding, "reading the clock: %.0f ns (by a system call: %.0f ns; clock source: %s)", here, kernel,
                source);
    if (here < kernel / 2)
        return;
    finding->verdict = VERDICT_LIMITED;
    finding_why(finding,
                "each reading enters the kernel, so samples cost more; choose a clock source that programs can "
                "read, such as tsc, in /sys/devices/system/clocksource");
}

/* --- wake-ups and switches --------------------------------------------------------------------- */

static int cost_compare(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Measures by how much sleeps are too long. The kernel may lengthen the sleeps of a thread by its timer slack, so the
 * slack is set to the least value meanwhile. */
static void cost_of_wake_up(struct doctor *doctor, struct finding *finding)
{
    int slack = prctl(PR_GET_TIMERSLACK);
    uint64_t late[SLEEPS_MAX];

    (void)doctor;
    prctl(PR_SET_TIMERSLACK, 1ul);
    for (unsigned i = 0; i < SLEEPS_MAX; i++) {
        uint64_t due = time_now() + SLEEP_NS, now;
        const struct timespec when = {.tv_sec = (time_t)(due / 1000000000), .tv_nsec = (long)(due % 1000000000)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
        now = time_now();
        late[i] = now > due ? now - due : 0;
    }
    if (slack > 0)
        prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
    qsort(late, SLEEPS_MAX, sizeof *late, cost_compare);
    double median = (double)late[SLEEPS_MAX / 2];
    finding_number(finding, "wake_up_ns", median);
    finding_yes(finding, "waking up by a timer: %.1f us late (the median of %u)", median / 1e3, SLEEPS_MAX);
}

struct ping_pong {
    int there[2], back[2]; /* two pipes */
};

/* Answers each byte, until the other process closes its pipe. */
static int cost_answer(void *context)
{
    const struct ping_pong *pipes = context;
    char byte;

    close(pipes->there[1]);
    while (read(pipes->there[0], &byte, 1) == 1 && write(pipes->back[1], &byte, 1) == 1)
        ;
    return 0;
}

/* Returns the time from one process to the other, ns: the shortest mean over SWITCH_TURNS turns; -1: not known. */
static double cost_play(const struct ping_pong *pipes)
{
    uint64_t begin = time_now(), best = UINT64_MAX, now = begin;
    char byte = 0;

    while (now - begin < MEASURE_NS) {
        uint64_t before = now;
        for (unsigned i = 0; i < SWITCH_TURNS; i++)
            if (write(pipes->there[1], &byte, 1) != 1 || read(pipes->back[0], &byte, 1) != 1)
                return -1;
        now = time_now();
        best = now - before < best ? now - before : best;
    }
    return (double)best / (2 * SWITCH_TURNS);
}

static double cost_between_processes(void)
{
    struct ping_pong pipes;
    double cost = -1;

    if (pipe2(pipes.there, O_CLOEXEC) < 0)
        return -1;
    if (pipe2(pipes.back, O_CLOEXEC) == 0) {
        pid_t child = child_begin(cost_answer, &pipes);
        close(pipes.back[1]);
        if (child > 0)
            cost = cost_play(&pipes);
        if (child > 0)
            child_end(child);
        close(pipes.back[0]);
    }
    close(pipes.there[0]);
    close(pipes.there[1]);
    return cost;
}

/* Both processes run on the same CPU, so that each byte takes a switch from one to the other. */
static void cost_of_switch(struct doctor *doctor, struct finding *finding)
{
    cpu_set_t before, one;
    int cpu = sched_getcpu();

    (void)doctor;
    CPU_ZERO(&one);
    CPU_SET(cpu < 0 ? 0 : cpu, &one);
    bool bound = sched_getaffinity(0, sizeof before, &before) == 0 && sched_setaffinity(0, sizeof one, &one) == 0;
    double cost = cost_between_processes();
    if (bound)
        sched_setaffinity(0, sizeof before, &before);
    if (cost >= 0) {
        finding_number(finding, "switch_ns", cost);
        finding_yes(finding, "a context switch between two processes: %.1f us (through a pipe)", cost / 1e3);
    } else {
        finding_no(finding, "a context switch between two processes: not measured");
        finding_why(finding, "there is no pipe or no child; raise the limits (ulimit -n, ulimit -u)");
    }
}

/* --- samples --------------------------------------------------------------------------------------- */

static void cost_say_not_measured(const struct sampling *sampling, const char *what, struct finding *finding)
{
    finding_no(finding, "%s: not measured", what);
    finding_why(finding, "%s", sampling->error != 0 ? sampling->problem : "there were no samples of it");
}

static void cost_of_stop(struct doctor *doctor, struct finding *finding)
{
    const struct pprofil_totals *totals = &doctor->one.totals;
    double samples = (double)totals->samples, stop = (double)totals->stopped_ns / samples;

    if (totals->samples == 0) {
        cost_say_not_measured(&doctor->one, "a stop by ptrace", finding);
        return;
    }
    finding_number(finding, "stop_ns", stop);
    finding_yes(finding, "a stop by ptrace, from the interrupt to the resume: %.1f us (the mean of %.0f)", stop / 1e3,
                samples);
}

static void cost_of_sample(struct doctor *doctor, struct finding *finding)
{
    const struct pprofil_totals *totals = &doctor->one.totals;
    double cost = sampling_cost_ns(&doctor->one);

    if (cost < 0 || totals->samples == 0) {
        cost_say_not_measured(&doctor->one, "a sample", finding);
        return;
    }
    double own = (double)totals->supervisor_cpu_ns / (double)totals->samples;
    finding_number(finding, "sample_ns", cost);
    finding_number(finding, "supervisor_ns", own);
    finding_yes(finding, "a sample: %.1f us of CPU time of its target, and %.1f us of pprofil's", cost / 1e3,
                own / 1e3);
}

/* --- rates ----------------------------------------------------------------------------------------- */

/* Says which rate was reached with the default budget, and which rate the budget allows by the cost of a sample. */
static void rate_say(const struct sampling *sampling, const char *what, struct finding *finding)
{
    double reached = sampling_rate_hz(sampling), cost = sampling_cost_ns(sampling);

    if (reached < 0 || cost < 0) {
        cost_say_not_measured(sampling, what, finding);
        return;
    }
    double allowed = sampling->totals.overhead * 1e9 / cost, full = sampling_full_share(sampling);
    finding_number(finding, "reached_hz", reached);
    finding_number(finding, "allowed_hz", allowed);
    finding_number(finding, "sample_ns", cost);
    finding_number(finding, "full_share", full);
    finding_number(finding, "children", sampling->children);
    finding_yes(finding, "%s: %.0f Hz reached; a sample costs %.1f us, so %.0f %% of the CPU time allow %.0f Hz", what,
                reached, cost / 1e3, sampling->totals.overhead * 100, allowed);
    if (allowed >= DOCTOR_DEFAULT_HZ)
        return;
    finding->verdict = VERDICT_LIMITED;
    finding_why(finding, "the default rate, %.0f Hz, is lowered; --overhead %.0f gives all", DOCTOR_DEFAULT_HZ,
                ceil(DOCTOR_DEFAULT_HZ * cost / 1e9 * 100));
}

/* The machine may never be idle. So this says how long it was. */
static void rate_of_one(struct doctor *doctor, struct finding *finding)
{
    double full = sampling_full_share(&doctor->one);
    char what[128];

    snprintf(what, sizeof what, "one busy thread, and a CPU idle for %.0f %% of the time", fmax(0, 100 - full * 100));
    rate_say(&doctor->one, full >= 0 ? what : "one busy thread", finding);
}

static void rate_of_all(struct doctor *doctor, struct finding *finding)
{
    unsigned cpus = sampling_cpu_count();
    char what[128];

    if (doctor->one.error == 0)
        sampling_launch(&doctor->all, cpus, ALL_SECONDS);
    else
        doctor->all = doctor->one; /* it would fail in the same way */
    snprintf(what, sizeof what, "%u busy thread%s on %u CPU%s", doctor->all.children,
             doctor->all.children == 1 ? "" : "s", cpus, cpus == 1 ? "" : "s");
    rate_say(&doctor->all, doctor->all.error == 0 ? what : "a busy thread on each CPU", finding);
}

static const struct check checks[] = {
    {"clock", cost_of_clock},
    {"wake-up", cost_of_wake_up},
    {"switch", cost_of_switch},
    {"stop", cost_of_stop},
    {"sample", cost_of_sample},
    {"rate-one", rate_of_one},
    {"rate-all", rate_of_all},
    {0},
};

const struct check_group doctor_costs = {"costs", "Costs, and rates within the default --overhead", checks};
