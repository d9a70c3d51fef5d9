/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 4.4BSD and Mac OS X: profil(2). */
#include "config.h"

#include <errno.h>

#include "compat/compat.h"

#define LARGEST_SCALE 65536

extern int bsd_profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
    __asm__("pprofil_bsd_profil");
extern int macos_profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
    __asm__("pprofil_macos_profil");

static int start(const char *dialect, const char *samples, size_t size, unsigned long offset,
                 unsigned int scale)
{
    int error = -EINVAL;

    if (scale <= LARGEST_SCALE)
        error = compat_profil(dialect, 2, samples, size, offset, scale);
    if (error == 0)
        return 0;
    errno = -error;
    return -1;
}

int bsd_profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
{
    return start("bsd44", samples, size, offset, scale);
}

int macos_profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
{
    return start("osx", samples, size, offset, scale);
}
