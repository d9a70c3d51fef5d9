/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header <sys/profil.h> of IRIX: declares profil(2) and sprofil(2). */
#ifndef PPROFIL_IRIX_SYS_PROFIL_H
#define PPROFIL_IRIX_SYS_PROFIL_H

#if defined __GNUC__
#pragma GCC system_header /* profil is declared without a prototype on purpose: see below */
#endif

#include <sys/time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct prof {
    void *pr_base;          /* buffer */
    unsigned int pr_size;   /* size of the buffer, bytes */
    unsigned long pr_off;   /* lowest pc */
    unsigned int pr_scale;
};

#define PROF_USHORT 0x0001 /* 16-bit counters */
#define PROF_UINT 0x0002   /* 32-bit counters */
#define PROF_FAST 0x0004   /* PROF_FAST_CNT times as many ticks per second */
#define PROF_FAST_CNT 10
/* largest number of regions if PPROFIL_STRICT is set in the environment; otherwise 65536 regions are allowed */
#define PROFIL_MAX 100

/* In the manual page the offset has 32 bits, which is too small for today's addresses. So in C there is no prototype: a
 * program may pass 32 or 64 bits, and may itself declare the function as in the page. C23 and C++ need a prototype. */
#if defined __cplusplus || (defined __STDC_VERSION__ && __STDC_VERSION__ > 201710L)
extern int profil(unsigned short *buff, unsigned int bufsiz, unsigned int offset, unsigned int scale);
#else
extern int profil();
#endif
extern int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
