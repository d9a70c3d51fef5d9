/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library for programs of Mac OS X: defines the function profil. */
#include "config.h"

#include <errno.h>

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

/* The flags of pkg-config contain ld's option --wrap, which renames calls of profil to this name. So these calls never
 * go to the profil of another library. */
extern int __wrap_profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
    __attribute__((alias("profil")));
