/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Demangles C++ and Rust names, with libiberty, and Fortran names. Only names that begin like mangled names are
 * demangled, because libiberty would turn the C function "i" into "int".
 *
 * A mangled name may refer to its own parts again and again, so that 300 bytes become gigabytes. So
 * libiberty delivers the text piece by piece, and demangling ends when the text gets too long.
 */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#include <setjmp.h>
#endif

#include "symbol/symbol.h"

#define MANGLED_SIZE_MAX 4096 /* bytes; a name that is longer is not demangled */

#ifdef HAVE_LIBIBERTY
struct text {
    char *bytes; /* room for DEMANGLED_SIZE_MAX bytes and a NUL */
    size_t size;
    /* longjmp comes here if the text gets too long, because libiberty cannot be stopped in another way. Memory that it
     * has allocated for parts in punycode is then never freed */
    jmp_buf too_long;
};

#define DEMANGLED_SIZE_MAX 32768u

static void demangle_take(const char *piece, size_t size, void *data)
{
    struct text *text = data;

    if (size > DEMANGLED_SIZE_MAX - text->size)
        longjmp(text->too_long, 1);
    if (size > 0) /* if `size` is 0, `piece` may be NULL */
        memcpy(text->bytes + text->size, piece, size);
    text->size += size;
}

static bool demangle_print(const char *name, struct text *text)
{
    const int options = DMGL_PARAMS | DMGL_ANSI;

    if (setjmp(text->too_long) != 0)
        return false;
    if (rust_demangle_callback(name, options, demangle_take, text))
        return true;
    text->size = 0; /* the Rust demangler may have printed something before it gave up */
    return cplus_demangle_v3_callback(name, options, demangle_take, text);
}

static char *demangle_to_text(const char *name)
{
    struct text text = {.bytes = malloc(DEMANGLED_SIZE_MAX + 1)};
    char *plain = NULL;

    if (text.bytes != NULL && demangle_print(name, &text) && text.size > 0)
        plain = strndup(text.bytes, text.size);
    free(text.bytes);
    return plain;
}
#else
static char *demangle_to_text(const char *name)
{
    (void)name;
    return NULL;
}
#endif

/* Returns "module::procedure" for "__module_MOD_procedure", as gdb shows it. gfortran names the procedures of a module
 * so, in lower case (gfortran's manual, "Naming conventions"). NULL: it is no such name, or there is no memory. */
static char *demangle_fortran(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_", infix[] = "_MOD_";
    size_t size = strncmp(name, "__", 2) == 0 ? strspn(name + 2, letters) : 0;
    char *plain;

    /* the underscore of the infix is counted in `size`, too */
    if (size < 2 || strncmp(name + 2 + size - 1, infix, sizeof infix - 1) != 0)
        return NULL;
    const char *procedure = name + 2 + size - 1 + sizeof infix - 1;
    if (procedure[0] == '\0' || asprintf(&plain, "%.*s::%s", (int)size - 1, name + 2, procedure) < 0)
        return NULL;
    return plain;
}

char *demangle(const char *name)
{
    bool mangled = strncmp(name, "_Z", 2) == 0 || strncmp(name, "__Z", 3) == 0 || strncmp(name, "_R", 2) == 0;

    if (strlen(name) > MANGLED_SIZE_MAX)
        return NULL;
    return mangled ? demangle_to_text(name) : demangle_fortran(name);
}
