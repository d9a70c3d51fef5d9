/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists the inlined functions of a function. A value by address (PCDATA_InlTreeIndex) says which node of the function's
 * tree has the code at an address. A node has the name of the inlined function, and an address with the line of the
 * call. The node at that address is the one around it (runtime/symtabinl.go).
 *
 * Before Go 1.20, nodes also had the index of the node around them and the line of the call, which say the same.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "pclntab/pclntab-internal.h"

#define INLINE_PCDATA 2u       /* PCDATA_InlTreeIndex of runtime/funcdata.h */
#define RANGES_MAX 65536u      /* largest number of ranges that are listed for one function */
#define NO_FUNCDATA UINT32_MAX /* the offset of data that a function does not have */
#define TREES_TRIED 64u        /* go:func.* is checked with this many trees */
#define FUNCTIONS_TRIED 4096u  /* and they are looked for in this many functions */

/* A range of code that belongs to one node of the tree. */
struct run {
    uint64_t start, end;
    int32_t node; /* negative: no inlined function is there */
};

struct tree {
    const struct pclntab *table;
    const struct pclntab_function *function;
    struct pclntab_memory nodes;
    struct run *runs; /* owned; sorted by start */
    uint32_t run_count;
};

struct node {
    const char *name;
    uint32_t line;
    uint64_t call; /* an address with the line of the call */
};

/* --- nodes ---------------------------------------------------------------------------------------- */

/* Finds the address of a function's tree. trees: address of go:func.*. False: it has none. */
static bool tree_address(const struct pclntab *table, const struct pclntab_function *function, uint64_t trees,
                         uint64_t *address)
{
    struct pclntab_memory whole = pclntab_whole(table);
    uint64_t end = pclntab_field(table, function, pclntab_field_count(table)); /* of the fixed part of the entry */
    uint64_t pcdata = pclntab_number(whole, pclntab_field(table, function, FIELD_PCDATA_COUNT), 4);
    uint64_t count = end > table->size ? 0 : table->bytes[end - 1], at = end + 4 * pcdata;
    size_t size = table->version->relative ? 4 : table->word;

    if (table->version->inline_funcdata >= count || pcdata <= INLINE_PCDATA)
        return false;
    at += (size - (table->address + at) % size) % size + table->version->inline_funcdata * size;
    *address = pclntab_number(whole, at, size);
    if (!table->version->relative)
        return *address != 0;
    bool has_tree = *address != NO_FUNCDATA && trees != 0;
    *address += trees;
    return has_tree;
}

static bool tree_node(const struct tree *tree, uint32_t index, struct node *node)
{
    const struct pclntab *table = tree->table;
    bool has_lines = table->version->has_lines;
    uint64_t at = index * (uint64_t)(has_lines ? 16 : 20);
    uint64_t name = pclntab_number(tree->nodes, at + (has_lines ? 4 : 12), 4);
    uint64_t call = pclntab_number(tree->nodes, at + (has_lines ? 8 : 16), 4);

    if (at >= tree->nodes.size)
        return false;
    *node = (struct node){.name = pclntab_text(table, table->names + name),
                          .line = has_lines ? (uint32_t)pclntab_number(tree->nodes, at + 12, 4) : 0,
                          .call = tree->function->start + call};
    return node->name != NULL && node->call < tree->function->end;
}

/* Returns whether the first node makes sense: its call is in the function, its line is not 0, and a name begins where
 * it says so, which is after a zero. Other bytes hardly ever do. Before Go 1.20, the line is that of the call. */
static bool tree_fits(const struct tree *tree)
{
    const struct pclntab *table = tree->table;
    struct node node;

    if (!tree_node(tree, 0, &node) || pclntab_number(tree->nodes, table->version->has_lines ? 12 : 8, 4) == 0)
        return false;
    const char *names = (const char *)table->bytes + table->names;
    return node.name == names || node.name[-1] == '\0';
}

bool pclntab_trees_fit(const struct pclntab *table, uint64_t trees)
{
    struct pclntab_function function;
    unsigned tried = 0;
    uint64_t address;

    for (uint32_t i = 0; i < table->count && i < FUNCTIONS_TRIED && tried < TREES_TRIED; i++) {
        if (!pclntab_function(table, i, &function) || !tree_address(table, &function, trees, &address))
            continue;
        struct tree tree = {.table = table, .function = &function, .nodes = pclntab_memory_at(table->elf, address)};
        if (!tree_fits(&tree))
            return false;
        tried++;
    }
    return tried > 0;
}

/* --- the list ------------------------------------------------------------------------------------- */

static int tree_read_runs(struct tree *tree)
{
    unsigned field = pclntab_field_count(tree->table) + INLINE_PCDATA;
    uint64_t offset = pclntab_number(pclntab_whole(tree->table), pclntab_field(tree->table, tree->function, field), 4);
    struct pclntab_values values = pclntab_values(tree->table, tree->function, offset);

    while (tree->run_count < RANGES_MAX && pclntab_values_next(&values)) {
        int error = array_grow(&tree->runs, tree->run_count, sizeof *tree->runs);
        if (error != 0)
            return error;
        tree->runs[tree->run_count++] = (struct run){values.start, values.end, values.value};
    }
    return 0;
}

/* Returns the node of an address. Negative: no inlined function is there. */
static int32_t node_at(const struct tree *tree, uint64_t address)
{
    size_t below = array_count_up_to(tree->runs, tree->run_count, sizeof *tree->runs, address);

    return below > 0 && address < tree->runs[below - 1].end ? tree->runs[below - 1].node : -1;
}

/* Adds the inlined functions of a run, the outermost first. */
static int add_chain(const struct tree *tree, const struct run *run, struct pclntab_inlined **list, uint32_t *count)
{
    struct pclntab_inlined chain[PCLNTAB_DEPTH_MAX];
    uint64_t body = run->start;
    uint32_t depth = 0;
    struct node node;

    for (int32_t at = run->node; at >= 0 && depth < PCLNTAB_DEPTH_MAX && tree_node(tree, (uint32_t)at, &node);
         at = node_at(tree, node.call)) {
        chain[depth++] = (struct pclntab_inlined){.start = run->start,
                                                  .end = run->end,
                                                  .name = node.name,
                                                  .line = node.line,
                                                  .call = node.call,
                                                  .body = body};
        body = node.call;
    }
    for (uint32_t i = 0; i < depth; i++) {
        int error = array_grow(list, *count, sizeof **list);
        if (error != 0)
            return error;
        (*list)[*count] = chain[depth - 1 - i];
        (*list)[(*count)++].depth = i;
    }
    return 0;
}

int pclntab_inlined(const struct pclntab *table, const struct pclntab_function *function, struct pclntab_inlined **list,
                    uint32_t *count)
{
    struct tree tree = {.table = table, .function = function};
    uint64_t address;

    *list = NULL;
    *count = 0;
    if (!tree_address(table, function, table->trees, &address))
        return 0;
    tree.nodes = pclntab_memory_at(table->elf, address);
    int error = tree_read_runs(&tree);
    for (uint32_t i = 0; error == 0 && i < tree.run_count && *count < RANGES_MAX; i++)
        error = add_chain(&tree, &tree.runs[i], list, count);
    free(tree.runs);
    if (error != 0) {
        free(*list);
        *list = NULL;
        *count = 0;
    }
    return error;
}
