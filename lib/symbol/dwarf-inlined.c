/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds inlined functions, from the tree of scopes that the debug information has for each function. The tree of a
 * function is read once and its inlined functions are kept, because many look-ups are in the same function. Reading the
 * trees of hostile files is limited as in dwarf-functions.c.
 */
#include "config.h"

#include <dwarf.h>

#include "base/array.h"
#include "symbol/elf-internal.h"

#define RANGES_MAX 65536u /* largest number of ranges of inlined functions in one function */

/* --- functions that were inlined into a function ------------------------------------------- */

struct inlined_walk {
    struct elf_object *object;
    struct elf_functions *functions;
    struct elf_function *function;
};

static void add_inlined_ranges(struct inlined_walk *walk, Dwarf_Die *die, unsigned depth)
{
    struct elf_function *function = walk->function;
    GElf_Addr bias = walk->object->dwarf_bias;
    struct elf_ranges ranges = elf_ranges_of(walk->object, die);
    bool named = elf_is_name(dwarf_diename(die));
    Dwarf_Addr start, end;

    while (named && function->inlined_count < RANGES_MAX && elf_ranges_next(&ranges, &start, &end) &&
           elf_functions_spend(walk->functions)) {
        walk->functions->error = array_grow(&function->inlined, function->inlined_count, sizeof *function->inlined);
        if (walk->functions->error == 0)
            function->inlined[function->inlined_count++] = (struct elf_inlined){
                .start = start + bias,
                .end = end + bias,
                .depth = depth,
                .die = dwarf_dieoffset(die),
                .dwarf = dwarf_cu_getdwarf(die->cu),
            };
    }
}

static void walk_inlined_scope(struct inlined_walk *walk, Dwarf_Die *scope, unsigned depth)
{
    Dwarf_Die die;

    if (depth == ELF_SCOPE_DEPTH_MAX || dwarf_child(scope, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_inlined_subroutine)
            add_inlined_ranges(walk, &die, depth);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
            walk_inlined_scope(walk, &die, depth + 1);
    } while (elf_functions_spend(walk->functions) && dwarf_siblingof(&die, &die) == 0);
}

/* Finds the function around an address, and its entry in the debug information. The fields of *walk become NULL if
 * there is none. 0 or -ENOMEM. */
static int find_function(struct elf_object *object, uint64_t address, struct inlined_walk *walk, Dwarf_Die *die)
{
    *walk = (struct inlined_walk){.object = object};
    if (!elf_object_find_unit(object, address))
        return 0;
    Dwarf_Die *entries = &object->unit.entries;
    int error = elf_functions_of(object, entries, &walk->functions);
    if (error != 0)
        return error;
    walk->function = elf_functions_around(walk->functions, address - object->dwarf_bias);
    if (walk->function != NULL && dwarf_offdie(dwarf_cu_getdwarf(entries->cu), walk->function->die, die) == NULL)
        walk->function = NULL;
    return 0;
}

int elf_object_inlined(struct elf_object *object, uint64_t address, struct elf_inlined **list, uint32_t *count)
{
    struct inlined_walk walk;
    Dwarf_Die die;
    int error = find_function(object, address, &walk, &die);

    *list = NULL;
    *count = 0;
    if (error == 0 && walk.functions == NULL)
        return elf_go_inlined(object, address, list, count);
    if (error != 0 || walk.function == NULL)
        return error;
    if (!walk.function->inlined_read)
        walk_inlined_scope(&walk, &die, 0);
    walk.function->inlined_read = true;
    *list = walk.function->inlined;
    *count = walk.function->inlined_count;
    return walk.functions->error;
}

int elf_object_inlined_at(struct elf_object *object, uint64_t address,
                          struct elf_inlined *chain[ELF_INLINED_MAX], uint32_t *count)
{
    struct elf_inlined *list;
    /* `all` counts the ranges in the function, `found` those around the address */
    uint32_t all, found = 0;
    int error = elf_object_inlined(object, address, &list, &all);

    for (uint32_t i = 0; error == 0 && i < all && found < ELF_INLINED_MAX; i++) {
        if (address < list[i].start || address >= list[i].end)
            continue;
        if (found > 0 && list[i].depth <= chain[found - 1]->depth)
            /* this range is beside the previous one, not inside it. An address is in only one of the two */
            break;
        chain[found++] = &list[i];
    }
    *count = found;
    return error;
}

/* --- where functions are called and declared ------------------------------------------------ */

/* Returns the directory in which the unit of an attribute was compiled. If that is not known, returns "". */
static const char *directory_of(Dwarf_Attribute *of)
{
    Dwarf_Attribute attribute;
    Dwarf_Die unit;

    if (dwarf_cu_info(of->cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0)
        return "";
    const char *directory = dwarf_formstring(dwarf_attr_integrate(&unit, DW_AT_comp_dir, &attribute));
    return directory != NULL ? directory : "";
}

/* Reads a source file and line from an entry of the debug information. `file` and `line` are the
 * numbers of the attributes that have them, such as DW_AT_decl_file. */
static void read_place(Dwarf_Die *die, unsigned file, unsigned line, struct elf_line *place)
{
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    Dwarf_Files *files;
    Dwarf_Word number;

    *place = (struct elf_line){.directory = "", .file = ""};
    if (dwarf_formudata(dwarf_attr_integrate(die, line, &attribute), &number) == 0)
        place->number = (uint32_t)number;
    if (dwarf_formudata(dwarf_attr_integrate(die, file, &attribute), &number) != 0 ||
        dwarf_cu_info(attribute.cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
        dwarf_getsrcfiles(&unit, &files, NULL) != 0)
        return;
    const char *path = dwarf_filesrc(files, number, NULL, NULL);
    if (path == NULL)
        return;
    place->file = path;
    place->directory = path[0] == '/' ? "" : directory_of(&attribute);
}

void elf_object_inlined_call(struct elf_object *object, const struct elf_inlined *inlined, struct elf_line *call)
{
    Dwarf_Die die;

    *call = (struct elf_line){.directory = "", .file = ""};
    if (inlined->call != 0)
        elf_go_line(object, inlined->call, call);
    else if (dwarf_offdie(inlined->dwarf, inlined->die, &die) != NULL)
        read_place(&die, DW_AT_call_file, DW_AT_call_line, call);
}

void elf_declaration(Dwarf_Die *die, struct elf_line *declared)
{
    read_place(die, DW_AT_decl_file, DW_AT_decl_line, declared);
}

int elf_object_definition(struct elf_object *object, uint64_t address, struct elf_line *defined)
{
    struct inlined_walk walk;
    Dwarf_Die die;
    int error = find_function(object, address, &walk, &die);

    *defined = (struct elf_line){.directory = "", .file = ""};
    if (error == 0 && walk.function != NULL)
        elf_declaration(&die, defined);
    if (defined->number != 0)
        return error;
    bool in_unit = walk.functions != NULL;
    if (!(in_unit ? elf_object_line(object, address, defined) : elf_go_definition(object, address, defined)))
        *defined = (struct elf_line){.directory = "", .file = ""};
    return error;
}
