/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solaris: profil(2) and pcsample(2). */
#include "config.h"

#include <errno.h>

#include "compat/compat.h"
#include "compat/solaris/pcsample.h"

extern void profil(unsigned short *buffer, size_t size, unsigned long offset, unsigned int scale)
    __asm__("pprofil_solaris_profil");

void profil(unsigned short *buffer, size_t size, unsigned long offset, unsigned int scale)
{
    /* a scale of 0 or 1 turns it off, and it also discards what pcsample counted */
    compat_profil("solaris", 2, buffer, size, offset, scale);
}

long pcsample(uintptr_t samples[], long count)
{
    const struct wire_profil request = {.op = WIRE_PROFIL_PCS,
                                        .counter_size = sizeof *samples,
                                        .dialect = "pcsample",
                                        .array = (uintptr_t)samples,
                                        .room = count};
    int64_t stored;

    int error = count < 0 ? -EINVAL : compat_ask("pcsample", &request, &stored);
    if (error == 0)
        return (long)stored;
    errno = -error;
    return -1;
}
