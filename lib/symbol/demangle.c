/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Demangles C++ and Rust names, with libiberty. Only names that begin like mangled names are
 * demangled, because libiberty would turn the C function "i" into "int".
 *
 * A mangled name may refer to its own parts again and again, so that 300 bytes become gigabytes. So
 * libiberty delivers the text piece by piece, and demangling ends when the text gets too long.
 */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
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

char *demangle(const char *name)
{
    bool mangled = strncmp(name, "_Z", 2) == 0 || strncmp(name, "__Z", 3) == 0 || strncmp(name, "_R", 2) == 0;

    return mangled && strlen(name) <= MANGLED_SIZE_MAX ? demangle_to_text(name) : NULL;
}
