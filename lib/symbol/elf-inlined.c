/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inlined functions, from the trees of functions' scopes in the debug information. Places that
 * are asked about lie near each other, so what was read stays: of a compilation unit where its
 * functions are, once one of them is asked about, and of a function what was inlined into it.
 *
 * A file may come from anywhere, and its trees may have loops: nesting is bounded, and of a unit
 * not more entries are looked at than a few times what fits into it. What is more is left out.
 */
#include "config.h"

#include <dwarf.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "symbol/elf-object-internal.h"

#define DEEPEST 64u  /* scopes in scopes */
#define MOST 65536u  /* stretches of one function */
#define PASSES 4u    /* over the bytes of a unit: an entry has one at least */
#define SPARE 65536u /* entries more: lists of ranges are elsewhere */

/* A range of a function's code; a function may have several. */
struct function {
    uint64_t start, end; /* as in the debug information */
    Dwarf_Off die;
    bool walked;
    struct elf_inlined *inlined; /* owned */
    uint32_t count, room;
};

/* Where the functions of a unit are. */
struct functions {
    Dwarf_Off unit;
    uint64_t budget;      /* entries that may be looked at still */
    struct function *all; /* owned; sorted by start */
    uint32_t count, room;
    int error;
};

static bool spend(struct functions *functions)
{
    if (functions->error != 0 || functions->budget == 0)
        return false;
    functions->budget--;
    return true;
}

/* Makes room for one more. */
static int grow(void *array, uint32_t count, uint32_t *room, size_t size)
{
    void **owner = array;

    if (count < *room)
        return 0;
    uint32_t larger = *room == 0 ? 64 : 2 * *room;
    void *moved = reallocarray(*owner, larger, size);
    if (moved == NULL)
        return -ENOMEM;
    *owner = moved;
    *room = larger;
    return 0;
}

/* --- functions of a unit ----------------------------------------------------------------- */

static void add_function(struct functions *functions, Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0 && spend(functions)) {
        if (start >= end)
            continue;
        functions->error =
            grow(&functions->all, functions->count, &functions->room, sizeof *functions->all);
        if (functions->error == 0)
            functions->all[functions->count++] =
                (struct function){.start = start, .end = end, .die = dwarf_dieoffset(die)};
    }
}

static bool may_hold_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

static void add_functions(struct functions *functions, Dwarf_Die *scope, unsigned depth)
{
    Dwarf_Die die;

    if (depth == DEEPEST || dwarf_child(scope, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            add_function(functions, &die);
        if (may_hold_functions(tag))
            add_functions(functions, &die, depth + 1);
    } while (spend(functions) && dwarf_siblingof(&die, &die) == 0);
}

static int compare_functions(const void *left, const void *right)
{
    const struct function *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->die < b->die ? -1 : a->die > b->die;
}

static uint64_t unit_size(const struct elf_object *object, Dwarf_Die *unit)
{
    Dwarf_Off start = dwarf_dieoffset(unit) - dwarf_cuoffset(unit), next;
    size_t header;

    if (dwarf_next_unit(object->dwarf, start, &next, &header, NULL, NULL, NULL, NULL, NULL, NULL) !=
            0 ||
        next < start)
        return 0;
    return next - start;
}

static int compare_units(const void *left, const void *right)
{
    const struct functions *a = left, *b = right;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static void free_functions(void *of_unit)
{
    struct functions *functions = of_unit;

    for (uint32_t i = 0; i < functions->count; i++)
        free(functions->all[i].inlined);
    free(functions->all);
    free(functions);
}

void elf_inlined_clear(struct elf_object *object)
{
    tdestroy(object->functions, free_functions);
}

/* Those of the unit that was found last. -ENOMEM. */
static int need_functions(struct elf_object *object, struct functions **result)
{
    Dwarf_Die *unit = &object->unit.die;
    struct functions wanted = {.unit = dwarf_dieoffset(unit)};
    void **known = tfind(&wanted, &object->functions, compare_units);

    if (known != NULL) {
        *result = *known;
        return 0;
    }
    struct functions *functions = calloc(1, sizeof *functions);
    if (functions == NULL)
        return -ENOMEM;
    functions->unit = wanted.unit;
    functions->budget = PASSES * unit_size(object, unit) + SPARE;
    add_functions(functions, unit, 0);
    if (functions->error != 0 || tsearch(functions, &object->functions, compare_units) == NULL) {
        free_functions(functions);
        return -ENOMEM;
    }
    if (functions->count > 0)
        qsort(functions->all, functions->count, sizeof *functions->all, compare_functions);
    *result = functions;
    return 0;
}

/* --- what was inlined into one ------------------------------------------------------------ */

struct walk {
    const struct elf_object *object;
    struct functions *functions;
    struct function *function;
};

static void add_stretches(struct walk *walk, Dwarf_Die *die, unsigned depth)
{
    struct function *function = walk->function;
    GElf_Addr bias = walk->object->dwarf_bias;
    Dwarf_Addr base, start, end;
    const char *name = dwarf_diename(die);
    bool named = elf_is_name(name);
    ptrdiff_t at = 0;

    while (named && function->count < MOST &&
           (at = dwarf_ranges(die, at, &base, &start, &end)) > 0 && spend(walk->functions)) {
        if (start >= end)
            continue;
        walk->functions->error =
            grow(&function->inlined, function->count, &function->room, sizeof *function->inlined);
        if (walk->functions->error == 0)
            function->inlined[function->count++] = (struct elf_inlined){
                .start = start + bias,
                .end = end + bias,
                .name = name,
                .depth = depth,
                .die = dwarf_dieoffset(die),
            };
    }
}

static void walk_scope(struct walk *walk, Dwarf_Die *scope, unsigned depth)
{
    Dwarf_Die die;

    if (depth == DEEPEST || dwarf_child(scope, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_inlined_subroutine)
            add_stretches(walk, &die, depth);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
            walk_scope(walk, &die, depth + 1);
    } while (spend(walk->functions) && dwarf_siblingof(&die, &die) == 0);
}

/* The function around an address of the debug information; not one that was inlined there. */
static struct function *find_function(const struct functions *functions, uint64_t address)
{
    size_t below =
        elf_object_count_below(functions->all, functions->count, sizeof *functions->all, address);

    return below > 0 && address < functions->all[below - 1].end ? &functions->all[below - 1] : NULL;
}

int elf_object_inlined(struct elf_object *object, uint64_t address, struct elf_inlined **list,
                       uint32_t *count)
{
    struct functions *functions;
    Dwarf_Die die;

    *list = NULL;
    *count = 0;
    if (!elf_object_find_unit(object, address))
        return 0;
    int error = need_functions(object, &functions);
    if (error != 0)
        return error;
    struct function *function = find_function(functions, address - object->dwarf_bias);
    if (function == NULL)
        return 0;
    if (!function->walked && dwarf_offdie(object->dwarf, function->die, &die) != NULL) {
        struct walk walk = {.object = object, .functions = functions, .function = function};
        walk_scope(&walk, &die, 0);
    }
    function->walked = true;
    *list = function->inlined;
    *count = function->count;
    return functions->error;
}

int elf_object_inlined_at(struct elf_object *object, uint64_t address,
                          struct elf_inlined *chain[ELF_INLINED_MOST], uint32_t *count)
{
    struct elf_inlined *list;
    uint32_t all, found = 0;
    int error = elf_object_inlined(object, address, &list, &all);

    for (uint32_t i = 0; error == 0 && i < all && found < ELF_INLINED_MOST; i++) {
        if (address < list[i].start || address >= list[i].end)
            continue;
        if (found > 0 && list[i].depth <= chain[found - 1]->depth)
            break; /* beside it, and not in it: the code cannot be of both */
        chain[found++] = &list[i];
    }
    *count = found;
    return error;
}

/* --- what is known of one ------------------------------------------------------------------ */

/* The directory of the compilation that an attribute is of. */
static const char *directory_of(Dwarf_Attribute *of)
{
    Dwarf_Attribute attribute;
    Dwarf_Die unit;

    if (dwarf_cu_info(of->cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0)
        return "";
    const char *directory = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
    return directory != NULL ? directory : "";
}

/* The file and line that two attributes of an entry tell. */
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

void elf_object_inlined_call(struct elf_object *object, const struct elf_inlined *inlined,
                             struct elf_line *call)
{
    Dwarf_Die die;

    *call = (struct elf_line){.directory = "", .file = ""};
    if (dwarf_offdie(object->dwarf, inlined->die, &die) != NULL)
        read_place(&die, DW_AT_call_file, DW_AT_call_line, call);
}

const char *elf_object_inlined_name(struct elf_object *object, const struct elf_inlined *inlined,
                                    struct elf_line *declared)
{
    Dwarf_Attribute attribute;
    Dwarf_Die die;

    *declared = (struct elf_line){.directory = "", .file = ""};
    if (dwarf_offdie(object->dwarf, inlined->die, &die) == NULL)
        return inlined->name;
    read_place(&die, DW_AT_decl_file, DW_AT_decl_line, declared);
    const char *name = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute));
    if (name == NULL)
        name = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_MIPS_linkage_name, &attribute));
    return elf_is_name(name) ? name : inlined->name;
}
