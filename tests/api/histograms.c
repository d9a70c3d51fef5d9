/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests the library's histograms, which the supervisor fills while a target runs:
 *
 *   histograms TARGET
 *
 * TARGET is tests/targets/known-shares. Ticks count CPU time, of which the target gets little on a busy machine. So the
 * tests wait until it has used enough, and expect at least three quarters of the ticks that are due.
 */
#include <errno.h>
#include <inttypes.h>
#include <pprofil.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define PATIENCE_MS 30000 /* how long to wait for a second of CPU time, ms of elapsed time */

/* Finds the first executable mapping of the process. */
static bool find_text(pid_t pid, uint64_t *low, uint64_t *high)
{
    char path[64], line[512];

    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        if (strstr(line, " r-xp ") != NULL && sscanf(line, "%" SCNx64 "-%" SCNx64, low, high) == 2) {
            fclose(maps);
            return true;
        }
    return false;
}

static uint64_t sum16(const uint16_t *counters, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += counters[i];
    return sum;
}

static struct pprofil_histogram_state state_of(const pprofil_session *session, pid_t pid)
{
    struct pprofil_histogram_state state = {0};

    pprofil_histogram_state(session, pid, &state, sizeof state);
    return state;
}

static uint64_t cpu_ns(pprofil_session *session)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(pprofil_session_profile(session), &totals, sizeof totals);
    return totals.cpu_ns;
}

/* Pumps until this much more CPU time has been sampled, or for PATIENCE_MS of elapsed time. */
static void pump_cpu(pprofil_session *session, unsigned milliseconds)
{
    uint64_t enough = cpu_ns(session) + milliseconds * UINT64_C(1000000);
    int64_t until = now_ms() + PATIENCE_MS;

    do
        pump(session, 20);
    while (cpu_ns(session) < enough && now_ms() < until);
}

static void test_profil(pprofil_session *session, pid_t pid, uint64_t low, uint64_t high)
{
    size_t count = (high - low) / 4;
    uint16_t *counters = calloc(count, sizeof *counters);

    counters[0] = 7; /* no code runs at the addresses of this counter, so its preset value must stay */
    check("profil", pprofil_profil(session, pid, "solaris", counters, count * 2, low, 0x8000) == 0);
    pump(session, 200);
    check("nothing is counted before start", sum16(counters, count) == 7);
    pprofil_session_start(session);
    pump_cpu(session, 1000);
    pprofil_session_stop(session);
    pump(session, 50);
    struct pprofil_histogram_state state = state_of(session, pid);
    uint64_t counted = sum16(counters, count) - 7;
    check("counters and those outside make the ticks", counted + state.outside == state.ticks);
    check("most of it is in the program", counted > state.ticks / 2);
    /* the last tick may not be complete */
    int64_t expected = (int64_t)(cpu_ns(session) / 10000000), got = (int64_t)state.ticks;
    check("ticks x period is the CPU time", got <= expected && got >= expected - 1 && got > 75);
    check("preset counters stay", counters[0] == 7);
    pump(session, 200);
    check("nothing is counted while stopped", sum16(counters, count) - 7 == counted);
    check("clear", pprofil_session_clear(session) == 0 && sum16(counters, count) == 0);
    check("clear leaves it stopped", !pprofil_session_sampling(session));
    pprofil_session_start(session);
    pump_cpu(session, 300);
    check("and counting goes on after it", sum16(counters, count) > 0);
    check("stop by scale", pprofil_profil(session, pid, "solaris", counters, count * 2, low, 1) == 0);
    counted = sum16(counters, count);
    pump_cpu(session, 100);
    check("stopped by scale", sum16(counters, count) == counted);
    free(counters);
}

static void test_stops(pprofil_session *session, pid_t pid)
{
    uint16_t counter = 32760;

    pprofil_profil(session, pid, "solaris", &counter, sizeof counter, 0, 2);
    pump_cpu(session, 600);
    /* a late sample represents several ticks, which are either all added or all refused */
    struct pprofil_histogram_state state = state_of(session, pid);
    check("solaris ends before it would pass 32767",
          counter <= 32767 && 32760 + state.ticks > 32767 && counter == 32760 + state.ticks - state.overflows);
    check("and says so", !state.on && state.overflows > 0);
    counter = 65530;
    pprofil_profil(session, pid, "irix", &counter, sizeof counter, 0, 2);
    pump_cpu(session, 600);
    check("irix wraps", counter < 1000);
    check("and says how often", state_of(session, pid).on && state_of(session, pid).overflows == 1);
    pprofil_profil_stop(session, pid);
}

static void test_sprofil(pprofil_session *session, pid_t pid, uint64_t low, uint64_t high)
{
    uint64_t middle = low + (high - low) / 8 * 4;
    uint32_t *counters = calloc((high - low) / 4 + 1, sizeof *counters), *bin = counters;
    struct pprofil_region regions[] = {
        {.buffer = bin, .size = sizeof *bin, .scale = 2},
        {.buffer = counters + 1, .size = middle - low, .offset = low, .scale = 0x10000},
        {.buffer = counters + 1 + (middle - low) / 4,
         .size = high - middle,
         .offset = middle,
         .scale = 0x10000},
    };

    check("sprofil", pprofil_sprofil(session, pid, regions, 3, 4) == 0);
    pump_cpu(session, 500);
    pprofil_session_stop(session);
    uint64_t sum = 0;
    for (size_t i = 0; i <= (high - low) / 4; i++)
        sum += counters[i];
    check("the bin takes what no region does", sum == state_of(session, pid).ticks && sum > 37);
    pprofil_session_start(session);
    free(counters);
    pprofil_sprofil(session, pid, NULL, 0, 4);
}

static void test_pcsample(pprofil_session *session, pid_t pid, uint64_t low, uint64_t high)
{
    uint64_t samples[20] = {0}, more[20];
    bool inside = true;

    check("pcsample: the first call", pprofil_pcsample(session, pid, samples, 20) == 0);
    pump_cpu(session, 800);
    for (int i = 0; i < 20; i++)
        inside = inside && samples[i] != 0;
    check("the array is full", inside && !state_of(session, pid).on);
    int own = 0;
    for (int i = 0; i < 20; i++)
        own += samples[i] >= low && samples[i] < high;
    check("with addresses of the program", own > 10);
    check("a negative number is refused", pprofil_pcsample(session, pid, more, -1) == -EINVAL);
    check("the second call", pprofil_pcsample(session, pid, more, 0) == 20);
    check("and the third", pprofil_pcsample(session, pid, more, 20) == 0);
    pprofil_profil_stop(session, pid); /* the array is a local variable of this function */
}

static void test_others(pprofil_session *session, pid_t pid, uint64_t low, uint64_t high)
{
    uint32_t bin = 0;
    uint64_t *wide = calloc((high - low) / 4, sizeof *wide);
    const struct pprofil_region region = {.buffer = wide,
                                          .size = (high - low) / 4 * 8,
                                          .offset = low,
                                          .low = low,
                                          .high = high};
    struct pprofil_histogram histogram = {.size = sizeof histogram,
                                          .dialect = "n64",
                                          .counter_size = 8,
                                          .period_ns = 5000000,
                                          .regions = &region,
                                          .region_count = 1,
                                          .overflow = &bin};

    check("n64, of all processes", pprofil_profil_regions(session, 0, &histogram) == 0);
    pump_cpu(session, 500);
    uint64_t sum = bin;
    for (size_t i = 0; i < (high - low) / 4; i++)
        sum += wide[i];
    check("64-bit counters and the bin", sum == state_of(session, 0).ticks && sum > 75);
    histogram.dialect = "nosuch";
    check("no such dialect", pprofil_profil_regions(session, pid, &histogram) == -EINVAL);
    check("bsd44 refuses large scales", pprofil_profil(session, pid, "bsd44", wide, 64, low, 65537) == -EINVAL);
    pprofil_profil_stop(session, 0);
    check("after a stop there is no state",
          pprofil_histogram_state(session, 0, &(struct pprofil_histogram_state){0}, 8) == -ENOENT);
    free(wide);
}

int main(int argc, char **argv)
{
    char *const command[] = {argc > 1 ? argv[1] : NULL, (char *)"60", NULL};
    struct pprofil_options options = {.size = sizeof options, .frequency = 200};
    pprofil_session *session;
    uint64_t low = 0, high = 0;
    pid_t pid = 0;

    if (pprofil_session_open(&options, &session) != 0 || pprofil_session_launch(session, command, NULL, &pid) != 0) {
        printf("FAIL session: %s\n", pprofil_session_problem(session));
        return 1;
    }
    pump(session, 200);
    check("the target's text", find_text(pid, &low, &high));
    test_profil(session, pid, low, high);
    test_stops(session, pid);
    test_sprofil(session, pid, low, high);
    test_pcsample(session, pid, low, high);
    test_others(session, pid, low, high);
    kill(pid, SIGKILL);
    pprofil_session_close(session);
    return failures > 0;
}
