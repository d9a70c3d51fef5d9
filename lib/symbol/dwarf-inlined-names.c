/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the names of inlined functions. The best name is the mangled one. Compilers write it for
 * functions that the linker can see. gcc leaves it out for lambdas, static functions and functions
 * in unnamed namespaces, and clang leaves it out for all functions with -g1.
 *
 * If the debug information lacks the mangled name, an out-of-line copy of the function may have a
 * symbol with that name. If there is no such symbol, the name is put together from the scopes in
 * which the function is declared, as in gdb.
 */
#include "config.h"

#include <dwarf.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/elf-internal.h"
#include "symbol/symbol.h"

#define NAME_SIZE_MAX 4096u /* longest name that is put together, bytes */
/* largest number of references on the way from an inlined function to its declaration */
#define STEPS_MAX 16u

/* An inlined function, and the name that was made for it. */
struct origin {
    const void *die; /* the entry that declares the function */
    struct elf_origin known;
    char *made; /* owned; the name, if it was put together here. NULL: the name is in the file */
};

/* --- names in the file ------------------------------------------------------------------------ */

static const char *linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

    if (name == NULL)
        name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
    return elf_is_name(name) ? name : NULL;
}

static bool follow_reference(Dwarf_Die *die, unsigned reference)
{
    Dwarf_Attribute attribute;
    Dwarf_Die next;

    if (dwarf_formref_die(dwarf_attr(die, reference, &attribute), &next) == NULL)
        return false;
    *die = next;
    return true;
}

/* Returns the entry that declares an inlined function. For a method, this is the entry in its class. */
static Dwarf_Die declaration_of(Dwarf_Die die)
{
    for (unsigned i = 0; i < STEPS_MAX; i++)
        if (!follow_reference(&die, DW_AT_abstract_origin) && !follow_reference(&die, DW_AT_specification))
            break;
    return die;
}

/* --- an instance that was not inlined --------------------------------------------------------- */

/* Returns the mangled name in the name of a symbol: "_ZL1fv" for "_ZL1fv.isra.0". The caller frees
 * it. NULL: the symbol has no mangled name, or there is no memory. */
static char *mangled_part(const char *name)
{
    bool mangled = strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;

    return mangled ? strndup(name, strcspn(name, ".@")) : NULL;
}

static char *symbol_of_copy(struct elf_object *object, const struct elf_functions *functions, Dwarf_Die inlined)
{
    uint64_t start;

    if (!follow_reference(&inlined, DW_AT_abstract_origin) ||
        !elf_functions_out_of_line(functions, inlined.addr, &start))
        return NULL;
    start += object->dwarf_bias;
    const struct elf_symbol *symbol = elf_object_symbol(object, start);
    return symbol != NULL && symbol->start == start ? mangled_part(symbol->name) : NULL;
}

/* --- names with their scopes ------------------------------------------------------------------ */

static void put_scope(FILE *text, const struct elf_scope *scope)
{
    Dwarf_Die die = scope->die;
    const char *linkage = linkage_name(&die), *name = dwarf_diename(&die);
    char *plain = linkage != NULL ? demangle(linkage) : NULL;

    if (plain != NULL)
        fputs(plain, text);
    else if (elf_is_name(name))
        fputs(name, text);
    else if (dwarf_tag(&die) == DW_TAG_namespace)
        fputs("(anonymous namespace)", text);
    else
        fputs(scope->callable ? "{lambda}" : "{unnamed type}", text);
    fputs("::", text);
    free(plain);
}

/* Writes the names of a scope and of all scopes around it, outermost first. But if a scope is a function with a mangled
 * name, the scopes around it are not written, because its name includes theirs. */
static void put_scopes(FILE *text, const struct elf_functions *functions, uint32_t scope)
{
    uint32_t chain[ELF_SCOPE_DEPTH_MAX], count = 0;

    while (scope != ELF_NO_SCOPE && count < ELF_SCOPE_DEPTH_MAX) {
        chain[count++] = scope;
        Dwarf_Die die = functions->scopes[scope].die;
        scope = linkage_name(&die) != NULL ? ELF_NO_SCOPE : functions->scopes[scope].parent;
    }
    while (count > 0 && ftell(text) <= (long)NAME_SIZE_MAX)
        put_scope(text, &functions->scopes[chain[--count]]);
}

/* Returns the name of a function with its scopes: "a::b::f" for "f". The caller frees it. NULL: the
 * function is in no scope, the name gets too long, or there is no memory. */
static char *scoped_name(const struct elf_functions *functions, const Dwarf_Die *declared, const char *name)
{
    uint32_t scope = elf_functions_scope(functions, declared);
    char *made = NULL;
    size_t size = 0;

    if (scope == ELF_NO_SCOPE)
        return NULL;
    FILE *text = open_memstream(&made, &size);
    if (text == NULL)
        return NULL;
    put_scopes(text, functions, scope);
    fputs(name, text);
    if (fclose(text) == 0 && size <= NAME_SIZE_MAX)
        return made;
    free(made);
    return NULL;
}

/* --- names by declaration --------------------------------------------------------------------- */

static int functions_around(struct elf_object *object, Dwarf_Die *die, struct elf_functions **functions)
{
    Dwarf_Die unit;

    if (dwarf_diecu(die, &unit, NULL, NULL) == NULL)
        return -ENOENT;
    return elf_functions_of(object, &unit, functions);
}

static int name_origin(struct elf_object *object, Dwarf_Die *inlined, Dwarf_Die *declared, struct origin *origin)
{
    struct elf_functions *functions;

    if ((origin->known.name = linkage_name(inlined)) != NULL)
        return 0;
    origin->known.name = dwarf_diename(inlined);
    if (!elf_is_name(origin->known.name))
        origin->known.name = "";
    int error = functions_around(object, inlined, &functions);
    if (error == 0)
        origin->made = symbol_of_copy(object, functions, *inlined);
    if (error == 0 && origin->made == NULL)
        error = functions_around(object, declared, &functions);
    if (error == 0 && origin->made == NULL)
        origin->made = scoped_name(functions, declared, origin->known.name);
    if (origin->made != NULL)
        origin->known.name = origin->made;
    return error == -ENOMEM ? error : 0;
}

static int compare_origins(const void *left, const void *right)
{
    const struct origin *a = left, *b = right;
    return a->die < b->die ? -1 : a->die > b->die;
}

static void free_origin(void *of_function)
{
    struct origin *origin = of_function;

    free(origin->made);
    free(origin);
}

void elf_origins_clear(struct elf_object *object)
{
    tdestroy(object->origins, free_origin);
}

static int make_origin(struct elf_object *object, Dwarf_Die *inlined, Dwarf_Die *declared, struct origin **result)
{
    struct origin *origin = calloc(1, sizeof *origin);
    if (origin == NULL)
        return -ENOMEM;

    origin->die = declared->addr;
    elf_declaration(inlined, &origin->known.declared);
    int error = name_origin(object, inlined, declared, origin);
    if (error == 0 && tsearch(origin, &object->origins, compare_origins) == NULL)
        error = -ENOMEM;
    if (error != 0)
        free_origin(origin);
    *result = origin;
    return error;
}

int elf_object_inlined_origin(struct elf_object *object, struct elf_inlined *inlined, struct elf_origin **result)
{
    Dwarf_Die die;

    if (inlined->origin == NULL) {
        struct origin *origin = NULL;
        if (dwarf_offdie(inlined->dwarf, inlined->die, &die) == NULL)
            return -ENOMEM; /* the entry could be read before, so now there is no memory */
        Dwarf_Die declared = declaration_of(die);
        const struct origin wanted = {.die = declared.addr};
        void **known = tfind(&wanted, &object->origins, compare_origins);
        int error = known != NULL ? 0 : make_origin(object, &die, &declared, &origin);
        if (error != 0)
            return error;
        inlined->origin = known != NULL ? &(*(struct origin **)known)->known : &origin->known;
    }
    *result = inlined->origin;
    return 0;
}
