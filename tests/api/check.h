/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the programs here: PASS and FAIL lines like those of the shell tests, a clock, and sessions. */
#ifndef PPROFIL_API_CHECK_H
#define PPROFIL_API_CHECK_H

#include <fcntl.h>
#include <pprofil.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failures;

static inline void check(const char *name, bool good)
{
    printf("%s %s\n", good ? "PASS" : "FAIL", name);
    fflush(stdout);
    failures += !good;
}

static inline int64_t now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Pumps for at least this time. */
static inline void pump(pprofil_session *session, int milliseconds)
{
    int64_t end = now_ms() + milliseconds;

    do
        pprofil_session_pump(session, 20);
    while (now_ms() < end);
}

static inline pprofil_session *open_session(double hz)
{
    struct pprofil_options options = {.size = sizeof options, .frequency = hz};
    pprofil_session *session;

    if (pprofil_session_open(&options, &session) == 0)
        return session;
    printf("FAIL session: %s\n", pprofil_session_problem(session));
    exit(1);
}

/* Starts a program in a new terminal session, with /dev/null as its input and output. */
static inline pid_t launch(pprofil_session *session, const char *const argv[])
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct pprofil_launch how = {.size = sizeof how, .input = null, .output = null, .new_session = true};
    pid_t pid = 0;

    if (pprofil_session_launch(session, (char *const *)argv, &how, &pid) != 0)
        printf("FAIL launch: %s\n", pprofil_session_problem(session));
    close(null);
    return pid;
}

static inline void end(pprofil_session *session, pid_t pid)
{
    kill(pid, SIGKILL);
    pprofil_session_close(session);
    waitpid(pid, NULL, 0);
}

static inline struct pprofil_totals totals_of(pprofil_session *session)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(pprofil_session_profile(session), &totals, sizeof totals);
    return totals;
}

#endif
