/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * work: text that a program of tests/pages profiles, and CPU time spent there. It is C89 without prototypes, for the
 * programs are as old as their pages. work.c says what is expected of ticks, in today's C.
 */
#ifndef PPROFIL_TEST_PAGES_WORK_H
#define PPROFIL_TEST_PAGES_WORK_H

extern unsigned long work_text();    /* where it begins, 64 bytes aligned */
extern unsigned long work_size();    /* of it, bytes; a multiple of 64 */
extern void work_run();              /* spends half a second of CPU time there */
extern void work_run_short();        /* a tenth */
/* (name, ticks, period in us): so many are due for all that ran since work_begin; prints PASS or FAIL */
extern void work_begin();
extern void work_expect_ticks();
/* (name, truth) */
extern void work_expect();
/* The C library's profil sets a handler and a timer of SIGPROF; ours sets none. */
extern void work_expect_no_sigprof();
extern int work_failures();

#endif
