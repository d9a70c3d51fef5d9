/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mac OS X: the name profil. */
#include "config.h"

#include <errno.h>

#include "compat/bsd.h"
#include "compat/compat.h"

extern int profil(char *samples, size_t size, unsigned long offset, unsigned int scale);

int profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
{
    if (!compat_is_strict())
        return bsd_profil("osx", samples, size, offset, scale, __builtin_return_address(0));
    compat_say("profil", "PPROFIL_STRICT: the page says that it will always return EINVAL");
    errno = EINVAL;
    return -1;
}
