/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inlined functions, from the tree of a function's scopes in the debug information. It comes from
 * anywhere: how deep and how large it may be is bounded, and what is more is left out.
 */
#include "config.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "symbol/elf-object-internal.h"

#define DEEPEST 64u       /* scopes in scopes */
#define MOST 65536u       /* stretches of one function */
#define MOST_SEEN 262144u /* entries that are looked at */

struct walk {
    const struct elf_object *object;
    struct elf_inlined *list; /* owned */
    uint32_t count, room, seen;
    int error;
};

static void add(struct walk *walk, const char *name, uint64_t start, uint64_t end)
{
    if (walk->count == walk->room && walk->error == 0) {
        uint32_t room = walk->room == 0 ? 64 : 2 * walk->room;
        struct elf_inlined *larger = reallocarray(walk->list, room, sizeof *larger);
        if (larger == NULL) {
            walk->error = -ENOMEM;
            return;
        }
        walk->list = larger;
        walk->room = room;
    }
    GElf_Addr bias = walk->object->dwarf_bias;
    walk->list[walk->count++] = (struct elf_inlined){start + bias, end + bias, name};
}

static void add_ranges(struct walk *walk, Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    const char *name = dwarf_diename(die);
    ptrdiff_t at = 0;

    while (name != NULL && walk->error == 0 && walk->count < MOST &&
           (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
        if (start < end)
            add(walk, name, start, end);
}

static void visit(struct walk *walk, Dwarf_Die *scope, unsigned depth)
{
    Dwarf_Die die;

    if (depth == DEEPEST || dwarf_child(scope, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_inlined_subroutine)
            add_ranges(walk, &die);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
            visit(walk, &die, depth + 1);
    } while (walk->error == 0 && ++walk->seen < MOST_SEEN && dwarf_siblingof(&die, &die) == 0);
}

static bool may_hold_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_subprogram;
}

/* The function whose code is around an address: not one of those that were inlined there. */
static bool find_function(struct walk *walk, Dwarf_Die *scope, Dwarf_Addr address, unsigned depth,
                          Dwarf_Die *function)
{
    Dwarf_Die die;

    if (depth == DEEPEST || dwarf_child(scope, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram && dwarf_haspc(&die, address) > 0) {
            *function = die;
            return true;
        }
        if (may_hold_functions(tag) && find_function(walk, &die, address, depth + 1, function))
            return true;
    } while (++walk->seen < MOST_SEEN && dwarf_siblingof(&die, &die) == 0);
    return false;
}

int elf_object_inlined(struct elf_object *object, uint64_t address, struct elf_inlined **list,
                       uint32_t *count)
{
    struct walk walk = {.object = object};
    struct elf_line line;
    Dwarf_Die function;

    if (elf_object_line(object, address, &line) && /* finds the unit */
        find_function(&walk, &object->unit.die, address - object->dwarf_bias, 0, &function)) {
        walk.seen = 0;
        visit(&walk, &function, 0);
    }
    if (walk.error != 0) {
        free(walk.list);
        walk.list = NULL;
        walk.count = 0;
    }
    *list = walk.list;
    *count = walk.count;
    return walk.error;
}
