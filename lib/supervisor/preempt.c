/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The seat: taking the CPU from a thread before it is interrupted.
 *
 * PTRACE_INTERRUPT marks a thread at once and makes its CPU notice some microseconds later. A
 * thread that leaves the kernel in between stops right there: one that makes short system
 * calls or takes page faults all the time is then nearly always found at one of them (measured:
 * 34 % of the samples at a call that takes 2.5 % of the time). But a thread that lost its CPU
 * to a timer on that CPU sits where the timer found it, and stops there when it runs again.
 *
 * So a second thread of ours, the keeper, sleeps on the target's CPU until the tick, holds
 * that CPU while the loop, awake on another, sends its interrupt, and goes to sleep for the
 * next. (The loop itself cannot do that: the scheduler resumes a tracee on an idle CPU rather
 * than on its tracer's, and it would wander.) That costs the target two context switches more
 * than a look from afar, so only threads get it whose samples show that they enter the kernel
 * often. Where these run on several CPUs, each tick goes to one of them, drawn by lot. Where
 * no CPU is idle nobody gets it: then the loop itself takes a CPU from a target at every tick,
 * and a second one would cost more samples than it mends.
 */
#include "config.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/supervisor.h"

#define JUDGED_LOOKS 64    /* from afar, ... */
#define OFTEN_ENTERED 4    /* ... of which so many found it in the kernel */
#define MOSTLY_PRESENT 128 /* the keeper would come in vain to a thread that mostly sleeps */
#define SEATED_LOOKS 1024u /* before it is judged anew */
#define MOST_LATE 8        /* ticks in a row whose look waits for the next, if the keeper is late */
#define VAIN_TICKS 1       /* without a look, before the keeper is sent away */
#define EARLY_NS 60000u    /* the loop's waking up, at least, ... */
#define MOST_EARLY_NS 300000u /* ... and at most */
#define SENDING_NS 10000u  /* an interrupt's way */
#define LATE_NS 80000u     /* longest wait for the keeper, and longest that it holds the CPU */

void seat_note(struct tracee *tracee, bool running)
{
    tracee->presence += running ? (256 - tracee->presence) / 8 : 0;
    tracee->presence -= running ? 0 : tracee->presence / 8;
}

bool seat_wanted(const struct tracee *tracee)
{
    return tracee->seated_looks > 0 && tracee->presence > MOSTLY_PRESENT;
}

void seat_judge(struct tracee *tracee, bool entered)
{
    if (seat_wanted(tracee)) {
        tracee->seated_looks--;
        return;
    }
    tracee->judged_looks++;
    tracee->judged_entries += entered;
    if (tracee->judged_entries >= OFTEN_ENTERED)
        tracee->seated_looks = SEATED_LOOKS;
    else if (tracee->judged_looks < JUDGED_LOOKS)
        return;
    tracee->judged_looks = tracee->judged_entries = 0;
}

static void bind_to(int cpu)
{
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
}

static void sleep_until(uint64_t due)
{
    struct timespec when = {.tv_sec = (time_t)(due / 1000000000u),
                            .tv_nsec = (long)(due % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

/* An order is a time and a CPU. The next is given while one is being served, so that the
 * keeper wakes up once per tick only. */
static void *keep(void *context)
{
    struct seat *seat = context;
    uint32_t order = 0;
    int bound = -1;

    prctl(PR_SET_TIMERSLACK, 1ul);
    for (;;) {
        atomic_store(&seat->parked, true);
        while (atomic_load(&seat->orders) == order)
            syscall(SYS_futex, &seat->orders, FUTEX_WAIT_PRIVATE, order, NULL, NULL, 0);
        atomic_store(&seat->parked, false);
        order = atomic_load(&seat->orders);
        int cpu = atomic_load(&seat->cpu);
        uint64_t due = atomic_load(&seat->due);
        if (cpu != bound)
            bind_to(cpu);
        bound = cpu;
        sleep_until(due);
        atomic_store(&seat->arrived, order);
        while (atomic_load(&seat->orders) == order && !atomic_load(&seat->dismissed) &&
               time_now() < due + LATE_NS)
            ;
    }
    return NULL;
}

static bool have_keeper(struct seat *seat)
{
    pthread_t keeper;

    if (!seat->started)
        seat->refused = pthread_create(&keeper, NULL, keep, seat) != 0;
    seat->started = true;
    return !seat->refused;
}

/* Where CPUs are lent by a host, an idle one may take long to wake up, and the loop with it. */
static void adapt_early(struct seat *seat, bool in_time)
{
    uint64_t early = seat->early_ns;

    early = in_time ? early - early / 64 : early + early / 4;
    if (early < EARLY_NS)
        early = EARLY_NS;
    seat->early_ns = early < MOST_EARLY_NS ? early : MOST_EARLY_NS;
}

bool seat_await(struct supervisor *supervisor)
{
    struct seat *seat = &supervisor->seat;
    uint64_t latest = atomic_load(&seat->due) + LATE_NS;
    bool arrived;

    if (!seat->ordered)
        return false;
    for (struct tracee *tracee = supervisor->tracees.active; tracee != NULL;
         tracee = tracee->active_next) {
        struct procfs_state state = {0};
        if (seat_wanted(tracee))
            procfs_look(&tracee->files, &state);
        tracee->asleep_before = state.doing == PROCFS_SLEEPING;
    }
    while (!(arrived = atomic_load(&seat->arrived) == atomic_load(&seat->orders)) &&
           time_now() < latest)
        ;
    bool in_time = time_now() + SENDING_NS < latest; /* else it has let go, or is about to */
    adapt_early(seat, in_time);
    return arrived && in_time;
}

static int draw_cpu(struct rate *rate, const cpu_set_t *cpus)
{
    unsigned drawn = rate_random(rate, (uint32_t)CPU_COUNT(cpus));

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, cpus) && drawn-- == 0)
            return cpu;
    return -1;
}

unsigned seat_choose(struct supervisor *supervisor, struct tracee *seated[], unsigned count,
                     bool held, unsigned *stands_for)
{
    struct seat *seat = &supervisor->seat;
    unsigned here = 0, ways = seat->ways;
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    for (unsigned i = 0; i < count; i++) {
        struct tracee *tracee = seated[i];
        int cpu = procfs_last_cpu(&tracee->files);
        if (cpu >= 0 && cpu < CPU_SETSIZE)
            CPU_SET(cpu, &cpus);
        if (held && cpu == atomic_load(&seat->cpu)) {
            seated[i] = seated[here];
            seated[here++] = tracee;
        }
    }
    CPU_AND(&cpus, &cpus, &supervisor->cpus);
    if (CPU_COUNT(&cpus) > 0) {
        seat->ways = (unsigned)CPU_COUNT(&cpus);
        seat->next = draw_cpu(&supervisor->rate, &cpus);
    } else if (seat->vain > VAIN_TICKS) {
        seat->next = -1;
    }
    seat->taken = here > 0;
    seat->vain = seat->taken ? 0 : seat->vain + 1;
    if (here > 0) {
        *stands_for = ways;
        return here;
    }
    bool late = seat->ordered && !held;
    seat->late = late ? seat->late + 1 : 0;
    if (count == 0 || (late && seat->late <= MOST_LATE))
        return 0;
    /* nobody is where the keeper is: one of them is looked at from afar */
    seated[0] = seated[rate_random(&supervisor->rate, count)];
    *stands_for = count;
    return 1;
}

/* The loop must not be where the keeper wants to be. */
static void make_room(struct supervisor *supervisor, int cpu)
{
    cpu_set_t cpus = supervisor->cpus;

    if (cpu >= 0)
        CPU_CLR(cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
}

uint64_t seat_order(struct supervisor *supervisor, uint64_t due)
{
    struct seat *seat = &supervisor->seat;
    uint64_t early = seat->early_ns > EARLY_NS ? seat->early_ns : EARLY_NS;
    uint64_t earliest = time_now() + early;
    bool wanted = seat->next >= 0 && have_keeper(seat);

    if (wanted != seat->ordered || (wanted && seat->next != atomic_load(&seat->cpu)))
        make_room(supervisor, wanted ? seat->next : -1);
    if (!wanted) {
        seat->ordered = false;
        atomic_store(&seat->dismissed, true);
        return due;
    }
    if (due < earliest)
        due = earliest;
    atomic_store(&seat->cpu, seat->next);
    atomic_store(&seat->due, due);
    atomic_store(&seat->dismissed, false);
    atomic_fetch_add(&seat->orders, 1);
    if (atomic_load(&seat->parked))
        syscall(SYS_futex, &seat->orders, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    seat->ordered = true;
    return due - early;
}
