/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 4.4BSD: the name profil. */
#include "config.h"

#include "compat/compat.h"

extern int profil(char *samples, size_t size, unsigned long offset, unsigned int scale);

int profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
{
    return bsd_profil("bsd44", samples, size, offset, scale, __builtin_return_address(0));
}

/* The flags of pkg-config have ld's --wrap rename calls of profil to this, so that no other library's profil gets
 * them. */
extern int __wrap_profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
    __attribute__((alias("profil")));
