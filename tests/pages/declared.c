/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that was written from a manual page without an #include line. A macro chooses a variant:
 *
 *   IMPLICIT  it does not declare profil at all
 *   KANDR     it declares profil without parameters
 *   PAGE      it has a copy of the SYNOPSIS
 *   ADDRESS   it calls profil through a pointer
 *   HEADER    it includes the header, and has a copy of the SYNOPSIS after it
 *
 * SYSTEM_IRIX and similar macros choose the system. The offset is cast as in programs for 32-bit systems.
 */
#ifdef HEADER
#ifdef SYSTEM_OSF1
#include <sys/resource.h>
#else
#include <unistd.h>
#endif
#endif
#include "work.h"

#if defined HEADER || defined PAGE
#if defined SYSTEM_IRIX
int profil(unsigned short *buff, unsigned int bufsiz, unsigned int offset, unsigned int scale);
#elif defined SYSTEM_SOLARIS
void profil(unsigned short *buff, unsigned int bufsiz, unsigned int offset, unsigned int scale);
#elif defined SYSTEM_OSF1
void profil(unsigned short *short_buffer, unsigned int buffer_size, void *offset, unsigned int scale);
#else
int profil(char *samples, __SIZE_TYPE__ size, unsigned long offset, unsigned int scale);
#endif
#elif defined KANDR || defined ADDRESS
int profil();
#endif

#ifdef SYSTEM_OSF1
#define OFFSET(address) ((void *)(address))
#define PERIOD_US 977
#else
#define OFFSET(address) ((unsigned)(address))
#define PERIOD_US 10000
#endif
#if defined SYSTEM_BSD || defined SYSTEM_MACOS
#define BUFFER (char *)counts
#else
#define BUFFER counts
#endif

static unsigned short counts[32768];

#ifdef ADDRESS
static int (*volatile called)() = profil;
#define profil called
#endif

int main()
{
    unsigned long i, sum = 0, bytes = work_size() / 2;

    if (bytes > sizeof counts)
        return 2;
    work_begin();
    profil(BUFFER, bytes, OFFSET(work_text()), 0x8000);
    work_run();
    profil(BUFFER, 0, 0, 0);
    for (i = 0; i < bytes / 2; i++)
        sum += counts[i];
    work_expect_ticks("ticks", sum, PERIOD_US);
    work_expect_no_sigprof();
    return work_failures();
}
