/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks for the profil(2) of any system. A program defines these before it includes this file:
 *
 *   counter         type of a counter
 *   PERIOD_NS       the period of the system's tick
 *   ONE_EACH_WORD   the scale that gives every 4 bytes of text a counter
 *   start(buffer, size, offset, scale), stop()   turn counting on and off
 *   CHILD_COUNTS    1: counting goes on in a forked child
 *   SYSTEM_TIME     1: time in the kernel counts, too
 */
#ifndef PPROFIL_TEST_PROFIL_CHECKS_H
#define PPROFIL_TEST_PROFIL_CHECKS_H

#include <unistd.h>

#include "check.h"

#define LONG_NS (200 * MS)
#define SHORT_NS (80 * MS)
#define KERNEL_TICK_NS 1e7 /* greatest period of the kernel's tick */

static counter counters[4096];

static size_t counter_count(void)
{
    return region_size() / 4;
}

static uint64_t sum_of(const counter *from, spin *function)
{
    size_t low = ((uintptr_t)function - region()) / 4, high = (end_of(function) - region()) / 4;
    uint64_t sum = 0;

    for (size_t i = low; i < high; i++)
        sum += from[i];
    return sum;
}

static uint64_t sum_all(void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        sum += counters[i];
    return sum;
}

static void start_usual(counter *buffer)
{
    start(buffer, counter_count() * sizeof(counter), region(), ONE_EACH_WORD);
}

/* Starts counting with scale 2: all ticks go to the first counter. */
static void start_one(counter *one)
{
    start(one, sizeof *one, region(), 2);
}

static void check_basic(void)
{
    start_usual(counters);
    struct stretch first = now();
    burn(spin_first, LONG_NS);
    expect_ticks("first function", sum_of(counters, spin_first), first, PERIOD_NS);
    uint64_t before = sum_of(counters, spin_first);
    struct stretch second = now();
    burn(spin_second, LONG_NS);
    stop();
    expect_ticks("second function", sum_of(counters, spin_second), second, PERIOD_NS);
    expect("first function is left alone", sum_of(counters, spin_first) <= before + 1, "%ju, before %ju",
           (uintmax_t)sum_of(counters, spin_first), (uintmax_t)before);
    expect("nothing elsewhere", sum_all() == sum_of(counters, spin_first) + sum_of(counters, spin_second), "%ju",
           (uintmax_t)sum_all());
}

static void check_stop(void)
{
    start_usual(counters);
    burn(spin_first, SHORT_NS);
    stop();
    uint64_t before = sum_all();
    burn(spin_first, SHORT_NS);
    expect("stopped", sum_all() == before, "%ju, then %ju", (uintmax_t)before, (uintmax_t)sum_all());
    struct stretch again = now();
    start_usual(counters);
    burn(spin_second, LONG_NS);
    stop();
    expect_ticks("started again", sum_of(counters, spin_second), again, PERIOD_NS);
    expect("counts are kept", sum_of(counters, spin_first) == before, "%ju, then %ju",
           (uintmax_t)before, (uintmax_t)sum_of(counters, spin_first));
    expect_left("supervisor is gone");
    memset(counters, 0, sizeof counters);
    struct stretch later = now();
    start_usual(counters);
    burn(spin_first, LONG_NS);
    expect_ticks("started by another supervisor", sum_all(), later, PERIOD_NS);
    stop();
    stop();
}

static void check_replace(void)
{
    static counter other[4096];

    start_usual(counters);
    for (int i = 0; i < 100 && sum_all() == 0; i++)
        burn(spin_first, SHORT_NS);
    start_usual(other);
    uint64_t before = sum_all();
    struct stretch replaced = now();
    burn(spin_first, LONG_NS);
    stop();
    expect("replaced buffer", sum_all() == before && before > 0, "%ju, then %ju", (uintmax_t)before,
           (uintmax_t)sum_all());
    expect_ticks("new buffer", sum_of(other, spin_first), replaced, PERIOD_NS);
}

static void check_preset(void)
{
    uint64_t presets = 0;
    bool kept = true;

    for (size_t i = 0; i < counter_count(); i++)
        presets += counters[i] = 7;
    struct stretch since = now();
    start_usual(counters);
    burn(spin_first, LONG_NS);
    stop();
    for (size_t i = 0; i < counter_count(); i++)
        kept = kept && counters[i] >= 7;
    expect("presets are kept", kept, "one is below 7");
    expect_ticks("and added to", sum_all() - presets, since, PERIOD_NS);
}

/* Runs in the child. Returns 0 if all is right. */
static int child_counts(uint64_t before)
{
    int bad = sum_of(counters, spin_first) < before ? 1 : 0;
    struct stretch since = now();

    burn(spin_second, LONG_NS);
    uint64_t ticks = sum_of(counters, spin_second);
    if (!CHILD_COUNTS)
        return bad | (ticks != 0 ? 2 : 0) | (status_number("TracerPid:") != 0 ? 4 : 0);
    expect_ticks("ticks of the child", ticks, since, PERIOD_NS);
    stop();
    ticks = sum_of(counters, spin_second);
    burn(spin_second, SHORT_NS);
    return bad | failures | (sum_of(counters, spin_second) != ticks ? 8 : 0);
}

static void check_fork(void)
{
    start_usual(counters);
    burn(spin_first, SHORT_NS);
    uint64_t before = sum_of(counters, spin_first);
    pid_t child = fork();
    if (child == 0)
        _exit(child_counts(before));
    join_child("child", child);
    expect("parent has none of the child's", sum_of(counters, spin_second) == 0, "%ju",
           (uintmax_t)sum_of(counters, spin_second));
    struct stretch since = now();
    before = sum_of(counters, spin_first);
    burn(spin_first, LONG_NS);
    expect_ticks("parent goes on", sum_of(counters, spin_first) - before, since, PERIOD_NS);
    stop();
}

static void check_vfork_exec(void)
{
    static char *next[] = {NULL, (char *)"after-exec", NULL};

    next[0] = arguments[0];
    start_usual(counters);
    pid_t child = vfork();
    if (child == 0) {
        execv(next[0], next);
        _exit(127);
    }
    join_child("image after vfork and exec", child);
    struct stretch since = now();
    uint64_t before = sum_all();
    burn(spin_first, LONG_NS);
    expect_ticks("parent goes on", sum_all() - before, since, PERIOD_NS);
    stop();
}

/* Executes this program again, which then makes the checks of check_after_exec. */
static void check_exec(void)
{
    char *next[] = {arguments[0], (char *)"after-exec", NULL};

    start_usual(counters);
    burn(spin_first, SHORT_NS);
    execv(next[0], next);
    expect("exec", false, "%s", strerror(errno));
}

static void check_after_exec(void)
{
    expect("exec turns it off", status_number("TracerPid:") == 0, "traced by %ld", status_number("TracerPid:"));
    burn(spin_first, SHORT_NS);
    expect("nothing counts after exec", sum_all() == 0, "%ju", (uintmax_t)sum_all());
    struct stretch since = now();
    start_usual(counters);
    burn(spin_first, LONG_NS);
    stop();
    expect_ticks("the new image starts its own", sum_all(), since, PERIOD_NS);
}

static pthread_barrier_t started;

static void *burn_in_thread(void *which)
{
    pthread_barrier_wait(&started);
    burn(*(const int *)which % 2 ? spin_second : spin_first, LONG_NS);
    return NULL;
}

static void check_threads(void)
{
    static const int numbers[] = {0, 1, 2, 3};
    pthread_t threads[4];

    pthread_barrier_init(&started, NULL, 5);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, burn_in_thread, (void *)&numbers[i]);
    start_usual(counters);
    for (int i = 2; i < 4; i++)
        pthread_create(&threads[i], NULL, burn_in_thread, (void *)&numbers[i]);
    struct stretch since = now();
    pthread_barrier_wait(&started);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    stop();
    const double ns = 2.0 * LONG_NS;
    expect_ticks_of("first function of two threads", (double)sum_of(counters, spin_first), ns, since, PERIOD_NS, 4);
    expect_ticks_of("second function of two threads", (double)sum_of(counters, spin_second), ns, since, PERIOD_NS, 4);
}

/* Runs until a tick has found the bad buffer and nobody traces this process any more. That may take seconds if the CPUs
 * are busy. */
static void burn_until_left(void)
{
    for (int i = 0; i < 100 && status_number("TracerPid:") != 0; i++)
        burn(spin_first, SHORT_NS);
}

/* `take` makes the buffer inaccessible, or, if its parameter `back` is true, accessible again. */
static void check_fault_by(const char *name, void (*take)(void *page, size_t size, bool back))
{
    size_t size = (counter_count() * sizeof(counter) + 4095) & ~(size_t)4095;
    counter *buffer = pages(size);

    start_usual(buffer);
    for (int i = 0; i < 100 && sum_of(buffer, spin_first) == 0; i++)
        burn(spin_first, SHORT_NS);
    uint64_t before = sum_of(buffer, spin_first);
    expect(name, before > 0, "nothing counted");
    take(buffer, size, false);
    burn_until_left();
    take(buffer, size, true);
    before = sum_of(buffer, spin_first);
    burn(spin_first, SHORT_NS);
    expect("a bad update turns it off", sum_of(buffer, spin_first) == before, "%ju, then %ju",
           (uintmax_t)before, (uintmax_t)sum_of(buffer, spin_first));
    expect_left("nobody traces after a bad update");
    start_usual(buffer);
    struct stretch since = now();
    burn(spin_first, LONG_NS);
    expect_ticks("and it starts again", sum_of(buffer, spin_first) - before, since, PERIOD_NS);
    stop();
    munmap(buffer, size);
}

static void take_mapping(void *page, size_t size, bool back)
{
    if (!back)
        munmap(page, size);
    else if (mmap(page, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        abort();
}

static void take_writing(void *page, size_t size, bool back)
{
    if (mprotect(page, size, back ? PROT_READ | PROT_WRITE : PROT_READ) != 0)
        abort();
}

static void check_fault(void)
{
    check_fault_by("counting into pages that are unmapped", take_mapping);
    check_fault_by("counting into pages that are protected", take_writing);
}

static void check_bad_buffer(void)
{
    start_usual((counter *)16);
    burn_until_left();
    expect_left("a buffer that never was");
}

static void check_no_room(void)
{
    start(counters, 0, region(), ONE_EACH_WORD);
    burn(spin_first, SHORT_NS);
    stop();
    expect("an empty buffer is ineffective", sum_all() == 0, "%ju", (uintmax_t)sum_all());
    start(counters, sizeof(counter), region(), ONE_EACH_WORD);
    burn(spin_first, SHORT_NS);
    burn(spin_second, SHORT_NS);
    stop();
    expect("nothing beyond the buffer", sum_all() == counters[0], "%ju and %ju",
           (uintmax_t)sum_all(), (uintmax_t)counters[0]);
}

static void check_all_into_one(void)
{
    struct stretch since = now();

    start_one(counters);
    burn(spin_first, LONG_NS);
    stop();
    expect_ticks("scale 2", counters[0], since, PERIOD_NS);
    expect("scale 2: nothing elsewhere", sum_all() == counters[0], "%ju", (uintmax_t)sum_all());
}

/* Presets the first counter, and returns its value after LONG_NS of CPU time. */
static UNUSED counter overflow_from(counter preset)
{
    counters[0] = preset;
    start_one(counters);
    burn(spin_first, LONG_NS);
    stop();
    return counters[0];
}

static UNUSED void check_wrap(void)
{
    counter end = (counter)-1;

    for (int i = 0; i < 20 && end >= 1000; i++) /* repeats until two ticks have come */
        end = overflow_from((counter)-2);
    expect("overflow wraps", end < 1000, "%ju", (uintmax_t)end);
}

static UNUSED void check_off_scale(void)
{
    for (unsigned scale = 0; scale < 2; scale++) {
        start(counters, sizeof counters, region(), scale);
        expect("a scale of 0 or 1 asks for nobody", status_number("TracerPid:") == 0, "traced");
        start_usual(counters);
        start(counters, sizeof counters, region(), scale);
        burn(spin_first, SHORT_NS);
        expect("a scale of 0 or 1 is off", sum_all() == 0, "%ju", (uintmax_t)sum_all());
        expect_left("gone");
    }
}

static UNUSED void check_large_scale(void)
{
    struct stretch since = now();
    uint64_t sum = 0;

    start(counters, sizeof counters, region(), 4 * ONE_EACH_WORD);
    burn(spin_second, LONG_NS);
    stop();
    for (uintptr_t pc = (uintptr_t)spin_second; pc < end_of(spin_second); pc++)
        sum += counters[pc - region()];
    expect_ticks("a scale beyond 1 multiplies", sum, since, PERIOD_NS);
}

/* Spends a part of the time in the kernel. The optional argument is the number of seconds, for trials by hand. On
 * systems that count only user time, the ticks are compared with ru_utime. The kernel measures ru_utime in ticks of up
 * to 10 ms, which add to the variance. */
static void check_usage(void)
{
    double seconds = arguments[2] != NULL ? strtod(arguments[2], NULL) : 0.7;
    struct rusage before, after;
    struct stretch since;

    start_one(counters);
    getrusage(RUSAGE_SELF, &before);
    since = now();
    burn(spin_calls, (uint64_t)(seconds * 1e9));
    getrusage(RUSAGE_SELF, &after);
    uint64_t ticks = counters[0];
    struct stretch end = now();
    stop();
    double user = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1e9 +
                  (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) * 1e3;
    double cpu = (double)(end.cpu_ns - since.cpu_ns);
    double due = SYSTEM_TIME ? cpu : user;
    printf("ticks %.3f s, CPU %.3f s of which user %.3f s, %+.2f %%\n", (double)ticks * (PERIOD_NS) / 1e9, cpu / 1e9,
           user / 1e9, ((double)ticks * (PERIOD_NS) / due - 1) * 100);
    double noise = SYSTEM_TIME ? 1 : 1 + KERNEL_TICK_NS / (PERIOD_NS);
    expect_ticks_of("ticks against getrusage", (double)ticks, due, since, PERIOD_NS, noise);
}

/* --- ticks that are hard to count: bursts, and more threads than CPUs --- */

#define MANY_THREADS 16
#define MANY_CHILDREN 16

/* Turns profiling on for half a period at a time, but at least for 4 ms, because turning it on takes time. */
static void check_bursts(void)
{
    struct stretch since = now();
    uint64_t on_ns = 0;

    while (on_ns < 2 * LONG_NS) {
        start_usual(counters);
        uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID), end = begun;
        while ((double)(end - begun) < fmax(PERIOD_NS / 2, 4.0 * MS)) {
            spin_first(CHUNK / 32);
            end = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        }
        stop();
        on_ns += end - begun;
    }
    expect_ticks_of("half a period each time", (double)sum_all(), (double)on_ns, since, PERIOD_NS, 1);
}

static void *burn_a_part(void *unused)
{
    burn(spin_first, LONG_NS / MANY_THREADS * 2);
    return unused;
}

/* Runs more threads than there are CPUs, each for 25 ms of CPU time. */
static void check_many_threads(void)
{
    pthread_t threads[MANY_THREADS];
    struct stretch since = now();

    start_usual(counters);
    for (int i = 0; i < MANY_THREADS; i++)
        pthread_create(&threads[i], NULL, burn_a_part, NULL);
    for (int i = 0; i < MANY_THREADS; i++)
        pthread_join(threads[i], NULL);
    stop();
    expect_ticks_of("all of many threads", (double)sum_all(), 2.0 * LONG_NS, since, PERIOD_NS, 4);
}

/* Runs many children at the same time, each for a few ticks. */
static void check_many_children(void)
{
    uint64_t each = 4 * LONG_NS / MANY_CHILDREN;
    counter *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct stretch since = now();

    start_one(shared);
    for (int i = 0; i < MANY_CHILDREN; i++)
        if (fork() == 0) {
            burn(spin_first, each);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    stop();
    /* A child is sampled only a few times, and the CPU time after its last sample is not always counted. So twice the
     * variance of check_many_threads is allowed. */
    if (CHILD_COUNTS)
        expect_ticks_of("all of many children", *shared, (double)(MANY_CHILDREN * each), since, PERIOD_NS, 8);
    else
        expect_ticks_of("children that do not count", *shared, 0, since, PERIOD_NS, 1);
    munmap(shared, sizeof *shared);
}

#define PROFIL_CHECKS                                                                              \
    {"basic", check_basic}, {"stop", check_stop}, {"replace", check_replace},                      \
        {"preset", check_preset}, {"fork", check_fork}, {"vfork-exec", check_vfork_exec},          \
        {"exec", check_exec}, {"after-exec", check_after_exec}, {"threads", check_threads},        \
        {"bursts", check_bursts}, {"many-threads", check_many_threads},                            \
        {"many-children", check_many_children}, {"fault", check_fault},                            \
        {"bad-buffer", check_bad_buffer}, {"no-room", check_no_room},                              \
        {"all-into-one", check_all_into_one},                                                      \
    {                                                                                              \
        "usage", check_usage                                                                       \
    }

#endif
