/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libiberty does the work. It is asked only about names that cannot be C: "i" would become
 * "int" in a demangler.
 */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#include "symbol/demangle.h"

#define LONGEST 4096 /* a hostile name must not cost more than it is worth */

char *demangle(const char *name)
{
    bool mangled = strncmp(name, "_Z", 2) == 0 || strncmp(name, "__Z", 3) == 0 ||
                   strncmp(name, "_R", 2) == 0;

    if (!mangled || strlen(name) > LONGEST)
        return NULL;
#ifdef HAVE_LIBIBERTY
    return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
#else
    return NULL;
#endif
}
