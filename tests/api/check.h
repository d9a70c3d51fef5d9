/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the programs here share: PASS and FAIL lines as the shell tests print them, and time. */
#ifndef PPROFIL_API_CHECK_H
#define PPROFIL_API_CHECK_H

#include <pprofil.h>
#include <stdio.h>
#include <time.h>

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

static inline void pump(pprofil_session *session, int milliseconds)
{
    int64_t end = now_ms() + milliseconds;

    do
        pprofil_session_pump(session, 20);
    while (now_ms() < end);
}

#endif
