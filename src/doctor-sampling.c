/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children of pprofil doctor, and profiles of children that use CPU time. A child gets SIGKILL when its parent ends, so
 * that nothing is left over after Ctrl-C or kill -9. A launched child must execute a program: it executes pprofil
 * itself, with the hidden option --busy.
 */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "doctor.h"

#define BUSY_SECONDS 30 /* even if it is not killed, a busy child ends after this time */
#define CHILDREN_MAX 512u
#define PUMP_MS 50

/* --- children ---------------------------------------------------------------------------------- */

/* Makes the end of the parent end this process. Returns false if the parent has ended already. */
static bool child_die_with(pid_t parent)
{
    return prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL) == 0 && getppid() == parent;
}

pid_t child_begin(int (*body)(void *context), void *context)
{
    pid_t parent = getpid(), child = fork();

    if (child != 0)
        return child < 0 ? -errno : child;
    _exit(child_die_with(parent) ? body(context) : EXIT_FAILURE);
}

int child_await(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void child_end(pid_t child)
{
    kill(child, SIGKILL);
    child_await(child);
}

int child_be_busy(pid_t parent)
{
    volatile uint64_t turns = 0;

    if (!child_die_with(parent))
        return EXIT_FAILURE;
    alarm(BUSY_SECONDS);
    for (;;)
        turns = turns + 1;
}

static int child_run_busy(void *context)
{
    return child_be_busy(*(pid_t *)context);
}

/* --- profiles of children ---------------------------------------------------------------------- */

unsigned sampling_cpu_count(void)
{
    cpu_set_t cpus;

    return sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus) : 1;
}

static void sampling_note_error(struct sampling *sampling, const pprofil_session *session, int error)
{
    const char *problem = pprofil_session_problem(session);

    sampling->error = error;
    if (error != 0)
        snprintf(sampling->problem, sizeof sampling->problem, "%s",
                 problem[0] != '\0' ? problem : pprofil_error_text(error));
}

/* Opens a session that samples as often as the default budget allows. Returns NULL after a failure. */
static pprofil_session *sampling_open(struct sampling *sampling)
{
    const struct pprofil_options options = {.size = sizeof options, .frequency = PPROFIL_MAX_HZ};
    pprofil_session *session;

    *sampling = (struct sampling){.error = 0};
    int error = pprofil_session_open(&options, &session);
    if (error == 0)
        error = pprofil_session_start(session);
    if (error == 0)
        return session;
    sampling_note_error(sampling, session, error);
    pprofil_session_close(session);
    return NULL;
}

/* Samples for `seconds`, unless an error was noted before. Then closes the session. */
static void sampling_finish(struct sampling *sampling, pprofil_session *session, double seconds)
{
    int64_t end_ms = time_now_ms() + (int64_t)(seconds * 1000);
    int error = sampling->error;

    while ((error == 0 || error == -EINTR) && time_now_ms() < end_ms)
        error = pprofil_session_pump(session, PUMP_MS);
    if (error >= 0 || error == -EINTR)
        error = pprofil_session_finish(session);
    sampling_note_error(sampling, session, error);
    pprofil_profile_totals(pprofil_session_profile(session), &sampling->totals, sizeof sampling->totals);
    pprofil_session_close(session);
}

void sampling_launch(struct sampling *sampling, unsigned children, double seconds)
{
    char busy[32], *const argv[] = {(char *)"/proc/self/exe", (char *)"doctor", busy, NULL};
    pprofil_session *session = sampling_open(sampling);
    pid_t pids[CHILDREN_MAX];

    if (session == NULL)
        return;
    snprintf(busy, sizeof busy, "--busy=%d", (int)getpid());
    while (sampling->error == 0 && sampling->children < children && sampling->children < CHILDREN_MAX) {
        sampling->error = pprofil_session_launch(session, argv, NULL, &pids[sampling->children]);
        sampling->children += sampling->error == 0;
    }
    sampling_finish(sampling, session, seconds);
    for (unsigned i = 0; i < sampling->children; i++)
        child_end(pids[i]);
}

void sampling_attach(struct sampling *sampling, double seconds)
{
    pprofil_session *session = sampling_open(sampling);
    pid_t self = getpid(), child;

    if (session == NULL)
        return;
    child = child_begin(child_run_busy, &self);
    sampling->error = child < 0 ? child : pprofil_session_attach(session, child);
    sampling->children = child > 0;
    sampling_finish(sampling, session, seconds);
    if (child > 0)
        child_end(child);
}

double sampling_rate_hz(const struct sampling *sampling)
{
    const struct pprofil_totals *totals = &sampling->totals;

    return totals->cpu_ns > 0 ? (double)totals->running * 1e9 / (double)totals->cpu_ns : -1;
}

double sampling_cost_ns(const struct sampling *sampling)
{
    return sampling->totals.sample_cost_ns > 0 ? (double)sampling->totals.sample_cost_ns : -1;
}

double sampling_full_share(const struct sampling *sampling)
{
    const struct pprofil_totals *totals = &sampling->totals;

    return totals->elapsed_ns > 0 ? (double)totals->full_ns / (double)totals->elapsed_ns : -1;
}
