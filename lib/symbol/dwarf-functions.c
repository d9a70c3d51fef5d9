/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the functions of a compilation unit from its debug information, once, at the first look-up in the unit.
 *
 * A hostile file may have loops in its trees of entries. So the depth of nesting is limited, and so is the number of
 * entries that are read: the limit is a few times the number of entries that fit into the unit. Further entries are
 * left out.
 */
#include "config.h"

#include <dwarf.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbol/elf-internal.h"

/* At most this many entries and ranges are read for a unit: PASSES times the size of the unit in
 * bytes, plus SPARE. An entry has at least one byte, so this is enough to read each entry several
 * times. SPARE is for the ranges, whose lists are in another section. */
#define PASSES 4u
#define SPARE 65536u

bool elf_functions_spend(struct elf_functions *functions)
{
    if (functions->error != 0 || functions->budget == 0)
        return false;
    functions->budget--;
    return true;
}

/* --- reading --------------------------------------------------------------------------------- */

struct reading {
    struct elf_object *object;
    struct elf_functions *functions;
    /* full names in the unit's language include scopes, as a::f in C++; in C they do not */
    bool scoped;
};

static void add_function(const struct reading *reading, Dwarf_Die *die)
{
    struct elf_ranges ranges = elf_ranges_of(reading->object, die);
    struct elf_functions *functions = reading->functions;
    Dwarf_Addr start, end;

    while (elf_ranges_next(&ranges, &start, &end) && elf_functions_spend(functions)) {
        functions->error = array_grow(&functions->all, functions->count, sizeof *functions->all);
        if (functions->error == 0)
            functions->all[functions->count++] =
                (struct elf_function){.start = start, .end = end, .die = dwarf_dieoffset(die)};
    }
}

static void add_out_of_line(struct elf_functions *functions, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr start;
    Dwarf_Die origin;

    if (dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), &origin) == NULL ||
        dwarf_entrypc(die, &start) != 0)
        return;
    functions->error = array_grow(&functions->out_of_line, functions->out_of_line_count,
                                  sizeof *functions->out_of_line);
    if (functions->error == 0)
        functions->out_of_line[functions->out_of_line_count++] = (struct elf_out_of_line){origin.addr, start};
}

static bool may_hold_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram ||
           tag == DW_TAG_lexical_block;
}

/* Returns the index of the new scope, or ELF_NO_SCOPE if there is no memory. */
static uint32_t add_scope(struct elf_functions *functions, const Dwarf_Die *die, uint32_t parent)
{
    functions->error = array_grow(&functions->scopes, functions->scope_count, sizeof *functions->scopes);
    if (functions->error != 0)
        return ELF_NO_SCOPE;
    functions->scopes[functions->scope_count] = (struct elf_scope){.die = *die, .parent = parent};
    return functions->scope_count++;
}

/* Records two facts about a function that are needed for the names of inlined functions: whether it is an operator() of
 * a class, and where its out-of-line instance begins. `own` is the index of the scope around the function. */
static void add_scoped(struct elf_functions *functions, Dwarf_Die *die, uint32_t own)
{
    static const char call[] = "operator()"; /* template arguments may follow */
    const char *name = dwarf_diename(die);

    if (own != ELF_NO_SCOPE && name != NULL && strncmp(name, call, sizeof call - 1) == 0)
        functions->scopes[own].callable = true;
    add_out_of_line(functions, die);
}

static void add_functions(const struct reading *reading, Dwarf_Die *scope, uint32_t own, unsigned depth)
{
    struct elf_functions *functions = reading->functions;
    Dwarf_Die die;

    if (depth == ELF_SCOPE_DEPTH_MAX || dwarf_child(scope, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            add_function(reading, &die);
        if (functions->error == 0 && reading->scoped && tag == DW_TAG_subprogram)
            add_scoped(functions, &die, own);
        if (functions->error != 0 || !may_hold_functions(tag))
            continue;
        uint32_t inner = own;
        if (reading->scoped && tag != DW_TAG_lexical_block)
            inner = add_scope(functions, &die, own);
        add_functions(reading, &die, inner, depth + 1);
    } while (elf_functions_spend(functions) && dwarf_siblingof(&die, &die) == 0);
}

static int compare_functions(const void *left, const void *right)
{
    const struct elf_function *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->die < b->die ? -1 : a->die > b->die;
}

static int compare_out_of_line(const void *left, const void *right)
{
    const struct elf_out_of_line *a = left, *b = right;

    if (a->origin != b->origin)
        return (uintptr_t)a->origin < (uintptr_t)b->origin ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

static uint64_t unit_size(Dwarf_Die *unit)
{
    Dwarf_Off start = dwarf_dieoffset(unit) - dwarf_cuoffset(unit), next;
    size_t header;

    if (dwarf_next_unit(dwarf_cu_getdwarf(unit->cu), start, &next, &header, NULL, NULL, NULL, NULL, NULL, NULL) != 0 ||
        next < start)
        return 0;
    return next - start;
}

/* Returns whether full names in the unit's language include scopes. In C they do not: even the name
 * of a nested function of GNU C does not include the outer function. */
static bool is_scoped(Dwarf_Die *unit)
{
    int language = dwarf_srclang(unit);

    return language != DW_LANG_C && language != DW_LANG_C89 && language != DW_LANG_C99 && language != DW_LANG_C11;
}

/* --- functions by unit ------------------------------------------------------------------------ */

static int compare_units(const void *left, const void *right)
{
    const struct elf_functions *a = left, *b = right;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static void free_functions(void *of_unit)
{
    struct elf_functions *functions = of_unit;

    for (uint32_t i = 0; i < functions->count; i++)
        free(functions->all[i].inlined);
    free(functions->all);
    free(functions->scopes);
    free(functions->out_of_line);
    free(functions);
}

void elf_functions_clear(struct elf_object *object)
{
    tdestroy(object->functions, free_functions);
}

int elf_functions_of(struct elf_object *object, Dwarf_Die *unit, struct elf_functions **result)
{
    struct elf_functions wanted = {.unit = unit->addr};
    void **known = tfind(&wanted, &object->functions, compare_units);

    if (known != NULL) {
        *result = *known;
        return 0;
    }
    struct elf_functions *functions = calloc(1, sizeof *functions);
    if (functions == NULL)
        return -ENOMEM;
    functions->unit = wanted.unit;
    functions->budget = PASSES * unit_size(unit) + SPARE;
    const struct reading reading = {
        .object = object, .functions = functions, .scoped = is_scoped(unit)};
    add_functions(&reading, unit, ELF_NO_SCOPE, 0);
    if (functions->error != 0 || tsearch(functions, &object->functions, compare_units) == NULL) {
        free_functions(functions);
        return -ENOMEM;
    }
    if (functions->count > 0)
        qsort(functions->all, functions->count, sizeof *functions->all, compare_functions);
    if (functions->out_of_line_count > 0)
        qsort(functions->out_of_line, functions->out_of_line_count, sizeof *functions->out_of_line,
              compare_out_of_line);
    *result = functions;
    return 0;
}

/* --- look-ups --------------------------------------------------------------------------------- */

struct elf_function *elf_functions_around(const struct elf_functions *functions, uint64_t address)
{
    size_t below = array_count_up_to(functions->all, functions->count, sizeof *functions->all, address);

    return below > 0 && address < functions->all[below - 1].end ? &functions->all[below - 1] : NULL;
}

/* Uses a binary search. Scopes are read in the order of their entries in the file, so they are
 * sorted by the addresses of these entries. If a damaged file has loops, the scopes are not sorted,
 * and the search does not find all of them. */
uint32_t elf_functions_scope(const struct elf_functions *functions, const Dwarf_Die *die)
{
    const struct elf_scope *scopes = functions->scopes;
    uint32_t low = 0, high = functions->scope_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)scopes[middle].die.addr < (uintptr_t)die->addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low < functions->scope_count && scopes[low].die.addr == die->addr ? scopes[low].parent : ELF_NO_SCOPE;
}

bool elf_functions_out_of_line(const struct elf_functions *functions, const void *origin, uint64_t *start)
{
    uint32_t low = 0, high = functions->out_of_line_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)functions->out_of_line[middle].origin < (uintptr_t)origin)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == functions->out_of_line_count || functions->out_of_line[low].origin != origin)
        return false;
    *start = functions->out_of_line[low].start;
    return true;
}
