/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IRIX <sys/profil.h>: profil(2) and sprofil(2). offset is as wide as an address here. */
#ifndef PPROFIL_IRIX_SYS_PROFIL_H
#define PPROFIL_IRIX_SYS_PROFIL_H

#include <sys/time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct prof {
    void *pr_base;          /* buffer */
    unsigned int pr_size;   /* of it, bytes */
    unsigned long pr_off;   /* lowest pc */
    unsigned int pr_scale;
};

#define PROF_USHORT 0x0001 /* 16-bit counters */
#define PROF_UINT 0x0002   /* 32-bit counters */
#define PROF_FAST 0x0004   /* PROF_FAST_CNT times as often */
#define PROF_FAST_CNT 10
#define PROFIL_MAX 100

extern int profil(unsigned short *buff, unsigned int bufsiz, unsigned long offset,
                  unsigned int scale) __asm__("pprofil_irix_profil");
extern int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags)
    __asm__("pprofil_irix_sprofil");

#ifdef __cplusplus
}
#endif

#endif
