/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library for programs of 4.4BSD: defines the function profil. */
#include "config.h"

#include "compat/compat.h"

extern int profil(char *samples, size_t size, unsigned long offset, unsigned int scale);

int profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
{
    return bsd_profil("bsd44", samples, size, offset, scale, __builtin_return_address(0));
}

/* The flags of pkg-config contain ld's option --wrap, which renames calls of profil to this name. So these calls never
 * go to the profil of another library. */
extern int __wrap_profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
    __attribute__((alias("profil")));
