/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names, lines and inlined functions of Go code without debug information, from the table that Go's runtime needs
 * itself (lib/pclntab). Where a file has symbols or DWARF for Go code, these come first, and the table is not used.
 */
#include "config.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "pclntab/pclntab.h"
#include "symbol/elf-internal.h"

/* A function whose inlined functions have been read. */
struct go_function {
    uint64_t start; /* address in the file */
    struct elf_inlined *inlined;
    uint32_t inlined_count;
};

static const struct pclntab *go_table(struct elf_object *object)
{
    if (!object->go_looked)
        pclntab_open(object->elf, &object->go); /* without memory, there are no names */
    object->go_looked = true;
    return object->go;
}

static bool go_find(struct elf_object *object, uint64_t address, struct pclntab_function *function)
{
    const struct pclntab *table = go_table(object);

    return table != NULL && pclntab_find(table, address - object->bias, function);
}

/* --- symbols -------------------------------------------------------------------------------------- */

uint32_t elf_go_count(struct elf_object *object)
{
    const struct pclntab *table = go_table(object);

    return table != NULL ? pclntab_count(table) : 0;
}

bool elf_go_symbol(struct elf_object *object, uint32_t index, struct elf_symbol *symbol)
{
    struct pclntab_function function;

    if (!pclntab_function(go_table(object), index, &function))
        return false;
    *symbol = (struct elf_symbol){.start = function.start + object->bias,
                                  .size = function.end - function.start,
                                  .name = function.name,
                                  .sized = true};
    return true;
}

/* --- lines ---------------------------------------------------------------------------------------- */

bool elf_go_line(struct elf_object *object, uint64_t address, struct elf_line *line)
{
    struct pclntab_function function;

    *line = (struct elf_line){.directory = "", .file = ""};
    return go_find(object, address, &function) &&
           pclntab_line(object->go, &function, address - object->bias, &line->file, &line->number);
}

bool elf_go_definition(struct elf_object *object, uint64_t start, struct elf_line *line)
{
    struct pclntab_function function;
    struct elf_inlined *chain[ELF_INLINED_MAX];
    uint32_t depth = 0;

    if (!go_find(object, start, &function) || elf_object_inlined_at(object, start, chain, &depth) != 0)
        return false;
    /* the first instruction may belong to an inlined function, which may be in another file */
    if (!elf_go_line(object, depth > 0 ? chain[0]->call : start, line))
        return false;
    if (function.line != 0)
        line->number = function.line;
    return true;
}

/* --- inlined functions ---------------------------------------------------------------------------- */

static int compare_origins(const void *left, const void *right)
{
    const struct elf_origin *a = left, *b = right;
    return a->name < b->name ? -1 : a->name > b->name;
}

static int compare_functions(const void *left, const void *right)
{
    const struct go_function *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void free_function(void *of_function)
{
    struct go_function *function = of_function;

    free(function->inlined);
    free(function);
}

void elf_go_close(struct elf_object *object)
{
    tdestroy(object->go_functions, free_function);
    tdestroy(object->go_origins, free);
    pclntab_close(object->go);
}

/* Returns the origin of an inlined function. Each name is in the file once, so its address identifies it. NULL: no
 * memory. */
static struct elf_origin *go_origin(struct elf_object *object, const struct pclntab_inlined *inlined)
{
    struct elf_origin wanted = {.name = inlined->name};
    void **known = tfind(&wanted, &object->go_origins, compare_origins);

    if (known != NULL)
        return *known;
    struct elf_origin *origin = calloc(1, sizeof *origin);
    if (origin == NULL)
        return NULL;
    origin->name = inlined->name;
    if (inlined->line != 0)
        elf_go_line(object, inlined->body + object->bias, &origin->declared);
    else
        origin->declared.file = origin->declared.directory = "";
    origin->declared.number = inlined->line;
    if (tsearch(origin, &object->go_origins, compare_origins) != NULL)
        return origin;
    free(origin);
    return NULL;
}

static int go_take_inlined(struct elf_object *object, const struct pclntab_inlined *list, uint32_t count,
                           struct go_function *function)
{
    function->inlined = calloc(count > 0 ? count : 1, sizeof *function->inlined);
    if (function->inlined == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        function->inlined[i] = (struct elf_inlined){.start = list[i].start + object->bias,
                                                    .end = list[i].end + object->bias,
                                                    .depth = list[i].depth,
                                                    .call = list[i].call + object->bias,
                                                    .origin = go_origin(object, &list[i])};
        if (function->inlined[i].origin == NULL)
            return -ENOMEM;
    }
    function->inlined_count = count;
    return 0;
}

/* Reads the inlined functions of a function, and keeps them. 0 or -ENOMEM. */
static int go_read_function(struct elf_object *object, const struct pclntab_function *from, struct go_function **result)
{
    struct go_function *function = calloc(1, sizeof *function);
    struct pclntab_inlined *list = NULL;
    uint32_t count = 0;

    if (function == NULL)
        return -ENOMEM;
    function->start = from->start;
    int error = pclntab_inlined(object->go, from, &list, &count);
    if (error == 0)
        error = go_take_inlined(object, list, count, function);
    free(list);
    if (error == 0 && tsearch(function, &object->go_functions, compare_functions) == NULL)
        error = -ENOMEM;
    if (error != 0)
        free_function(function);
    *result = function;
    return error;
}

int elf_go_inlined(struct elf_object *object, uint64_t address, struct elf_inlined **list, uint32_t *count)
{
    struct pclntab_function found;
    struct go_function *function;

    *list = NULL;
    *count = 0;
    if (!go_find(object, address, &found))
        return 0;
    struct go_function wanted = {.start = found.start};
    void **known = tfind(&wanted, &object->go_functions, compare_functions);
    int error = known == NULL ? go_read_function(object, &found, &function) : 0;
    if (error != 0)
        return error;
    if (known != NULL)
        function = *known;
    *list = function->inlined;
    *count = function->inlined_count;
    return 0;
}
