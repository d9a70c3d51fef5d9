/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * work: the text that the programs of tests/pages profile, and functions that spend CPU time in it. This header is C89
 * without prototypes, because the programs are as old as their manual pages.
 */
#ifndef PPROFIL_TEST_PAGES_WORK_H
#define PPROFIL_TEST_PAGES_WORK_H

extern unsigned long work_text();    /* start of that text, aligned to 64 bytes */
extern unsigned long work_size();    /* size of that text in bytes, a multiple of 64 */
extern void work_run();              /* spends 0.5 s of CPU time in that text */
extern void work_run_short();        /* the same for 0.1 s */
/* work_expect_ticks(name, ticks, period in us) prints PASS if the ticks fit the CPU time since work_begin, otherwise
 * FAIL. */
extern void work_begin();
extern void work_expect_ticks();
/* work_expect(name, truth) prints PASS if truth is not 0, otherwise FAIL. */
extern void work_expect();
/* Checks that SIGPROF has no handler and no timer. The C library's profil sets both. */
extern void work_expect_no_sigprof();
extern int work_failures();

#endif
