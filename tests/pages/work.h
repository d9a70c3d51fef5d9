/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * work: the text that a program of tests/pages profiles, and CPU time spent in it. This header is C89 without
 * prototypes, because the programs are as old as their pages.
 */
#ifndef PPROFIL_TEST_PAGES_WORK_H
#define PPROFIL_TEST_PAGES_WORK_H

extern unsigned long work_text();    /* its start, aligned to 64 bytes */
extern unsigned long work_size();    /* its size, bytes; a multiple of 64 */
extern void work_run();              /* spends half a second of CPU time there */
extern void work_run_short();        /* a tenth */
/* (name, ticks, period in us): prints PASS if the ticks fit to the CPU time since work_begin, else FAIL */
extern void work_begin();
extern void work_expect_ticks();
/* (name, whether it holds): prints PASS or FAIL */
extern void work_expect();
/* The C library's profil sets a handler and a timer for SIGPROF; ours sets none. */
extern void work_expect_no_sigprof();
extern int work_failures();

#endif
