/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests changes of the sampling rate while a target runs:
 *
 *   rates TARGET
 *
 * TARGET is tests/targets/known-shares.
 */
#include <errno.h>
#include <inttypes.h>
#include <pprofil.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

#define AWAY_MS 3000 /* ms for which the caller does not pump; the ring holds the samples of 6 s */
#define CPU_TIME_MIN 4000000000u /* CPU time of the target that is enough to compare, ns */
#define AWAY_COUNT_MAX 10 /* the caller stays away so often, until there is enough CPU time */

/* Largest error of the sampled CPU time, as a share of it. The time since the last sample of each of the four threads
 * is missing: 0.1 ms at 10 kHz, or some 30 ms if the supervisor has to wait for a busy CPU. */
#define TAIL_MAX 0.04

static void be_away(int milliseconds)
{
    const struct timespec time = {.tv_sec = milliseconds / 1000,
                                  .tv_nsec = milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static void test_raised(pprofil_session *session)
{
    pprofil_session_start(session);
    pump(session, 500);
    uint64_t slow = totals_of(session).samples;
    check("raised", pprofil_session_set_rate(session, 10000) == 0);
    for (int i = 0; i < AWAY_COUNT_MAX && totals_of(session).target_cpu_ns < CPU_TIME_MIN; i++) {
        be_away(AWAY_MS);
        pump(session, 100);
    }
    check("stop", pprofil_session_stop(session) == 0);
    pump(session, 50);
    struct pprofil_totals totals = totals_of(session);
    double part = (double)totals.cpu_ns / (double)totals.target_cpu_ns;
    printf("# %" PRIu64 " samples at 100 Hz, %" PRIu64 " after; %" PRIu64 " lost; %.4f of the CPU time\n", slow,
           totals.samples - slow, totals.lost, part);
    check("nothing is lost after it", totals.lost == 0);
    check("nor any CPU time", part > 1 - TAIL_MAX && part < 1 + TAIL_MAX);
}

static void test_often(pprofil_session *session)
{
    static const double rates[] = {50000, 1, 20000, 100, 50000, 1000};
    bool good = true;

    pprofil_session_start(session);
    for (unsigned i = 0; i < sizeof rates / sizeof *rates; i++) {
        good = good && pprofil_session_set_rate(session, rates[i]) == 0;
        pump(session, 100);
    }
    pprofil_session_stop(session);
    check("up and down", good && totals_of(session).lost == 0);
    check("out of range", pprofil_session_set_rate(session, 50001) == -EINVAL);
}

static void test_limit(void)
{
    struct pprofil_totals totals = {.elapsed_ns = 10000,
                                    .throttled_ns = 5000,
                                    .full_ns = 8000,
                                    .sample_cost_ns = 63000,
                                    .overhead = 0.02,
                                    .asked_hz = 1000};
    char why[128] = "";

    pprofil_totals_limit(&totals, true, why, sizeof why);
    check("why the rate is low, and what helps",
          strcmp(why, "a sample cost 63 us, for no CPU was idle; --overhead 7 would give all") == 0);
    totals.asked_hz = 10000;
    totals.full_ns = 0;
    pprofil_totals_limit(&totals, true, why, sizeof why);
    check("what helps a little", strcmp(why, "a sample cost 63 us; --overhead 5 would give about 790") == 0);
    totals.overhead = 0.1;
    pprofil_totals_limit(&totals, true, why, sizeof why);
    check("more is not advised", strcmp(why, "a sample cost 63 us") == 0);
    totals.wall = true;
    check("elapsed time, too", pprofil_totals_limit(&totals, true, why, sizeof why) > 0);
    totals.throttled_ns = totals.elapsed_ns / 200;
    check("not worth words", pprofil_totals_limit(&totals, true, why, sizeof why) == 0);
}

int main(int argc, char **argv)
{
    char *const command[] = {argc > 1 ? argv[1] : NULL, (char *)"60", (char *)"4", NULL};
    struct pprofil_options options = {.size = sizeof options, .frequency = 100, .overhead = 1000};
    pprofil_session *session;
    pid_t pid = 0;

    if (pprofil_session_open(&options, &session) != 0 || pprofil_session_launch(session, command, NULL, &pid) != 0) {
        printf("FAIL session: %s\n", pprofil_session_problem(session));
        return 1;
    }
    test_limit();
    test_raised(session);
    test_often(session);
    kill(pid, SIGKILL);
    pprofil_session_close(session);
    waitpid(pid, NULL, 0);
    return failures > 0;
}
