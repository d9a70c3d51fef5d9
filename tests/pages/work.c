/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the programs of tests/pages share: work that they profile, and checks of the ticks that were counted in it. */
#include <signal.h>
#include <sys/time.h>

#include "../compat/check.h"

extern unsigned long work_text(void), work_size(void);
extern void work_run(void), work_run_short(void), work_begin(void), work_expect_no_sigprof(void);
extern void work_expect_ticks(const char *name, unsigned long ticks, unsigned period_us);
extern void work_expect(const char *name, int truth);
extern int work_failures(void);

static struct stretch since;

unsigned long work_text(void)
{
    return region();
}

unsigned long work_size(void)
{
    return (region_size() + 63) & ~63ul;
}

void work_run(void)
{
    burn(spin_first, 500 * MS);
}

void work_run_short(void)
{
    burn(spin_first, 100 * MS);
}

void work_begin(void)
{
    since = now();
}

void work_expect_ticks(const char *name, unsigned long ticks, unsigned period_us)
{
    expect_ticks(name, ticks, since, period_us * 1e3);
}

void work_expect(const char *name, int truth)
{
    expect(name, truth != 0, "it is not so");
}

void work_expect_no_sigprof(void)
{
    struct sigaction action;
    struct itimerval timer;

    sigaction(SIGPROF, NULL, &action);
    getitimer(ITIMER_PROF, &timer);
    expect("no SIGPROF", action.sa_handler == SIG_DFL && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0,
           "there is a handler or a timer");
}

int work_failures(void)
{
    return failures != 0;
}
