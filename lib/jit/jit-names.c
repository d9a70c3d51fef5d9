/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds names of JIT code by address.
 *
 * A JIT compiler makes code, throws it away and makes other code in its place. So names overlap,
 * and the name that was added last hides the others. Once all names are added, their code is cut
 * into address ranges that do not overlap. Each range gets the last name that covers it.
 */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "jit/jit.h"

bool jit_names_add(struct jit_names *names, const struct jit_name *name)
{
    if (array_grow(&names->added, names->count, sizeof *names->added) != 0)
        return false;
    names->added[names->count] = *name;
    names->added[names->count].order = names->count;
    names->count++;
    return true;
}

bool jit_names_keep(struct jit_names *names, void *memory)
{
    if (array_grow(&names->kept, names->kept_count, sizeof *names->kept) != 0) {
        free(memory);
        return false;
    }
    names->kept[names->kept_count++] = memory;
    return true;
}

void jit_names_clear(struct jit_names *names)
{
    for (size_t i = 0; i < names->kept_count; i++)
        free(names->kept[i]);
    free(names->kept);
    free(names->pieces);
    free(names->added);
    *names = (struct jit_names){0};
}

static int jit_names_compare(const void *left, const void *right)
{
    const struct jit_name *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* A binary heap of the names whose code contains the address that cut_into_pieces has reached. On
 * top is the name that was added last. */
struct heap {
    const struct jit_name **entries;
    size_t count;
};

static void heap_swap(struct heap *heap, size_t a, size_t b)
{
    const struct jit_name *entry = heap->entries[a];

    heap->entries[a] = heap->entries[b];
    heap->entries[b] = entry;
}

static void heap_push(struct heap *heap, const struct jit_name *entry)
{
    size_t at = heap->count++;

    heap->entries[at] = entry;
    for (; at > 0 && heap->entries[(at - 1) / 2]->order < entry->order; at = (at - 1) / 2)
        heap_swap(heap, at, (at - 1) / 2);
}

static void heap_pop(struct heap *heap)
{
    heap->entries[0] = heap->entries[--heap->count];
    for (size_t at = 0, child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && heap->entries[child]->order < heap->entries[child + 1]->order)
            child++;
        if (heap->entries[child]->order < heap->entries[at]->order)
            return;
        heap_swap(heap, at, child);
    }
}

/* Cuts the code into ranges that do not overlap. Goes upwards through all addresses at which the
 * code of a name starts or ends. Between two such addresses, the name on top of the heap hides the
 * others. Each name has one start and one end, so there are at most two ranges for each name. */
static void cut_into_pieces(struct jit_names *names, struct heap *heap)
{
    const struct jit_name *entries = names->added;
    const size_t count = names->count;
    uint64_t at = 0;

    for (size_t next = 0; next < count || heap->count > 0;) {
        if (heap->count == 0)
            at = entries[next].start;
        while (next < count && entries[next].start <= at)
            heap_push(heap, &entries[next++]);
        const struct jit_name *top = heap->entries[0];
        uint64_t end = next < count && entries[next].start < top->end ? entries[next].start : top->end;
        names->pieces[names->piece_count++] = (struct jit_piece){at, end, (size_t)(top - entries)};
        at = end;
        while (heap->count > 0 && heap->entries[0]->end <= at)
            heap_pop(heap);
    }
}

bool jit_names_finish(struct jit_names *names)
{
    struct heap heap = {0};

    if (names->count == 0)
        return true;
    qsort(names->added, names->count, sizeof *names->added, jit_names_compare);
    names->pieces = calloc(names->count, 2 * sizeof *names->pieces);
    heap.entries = calloc(names->count, sizeof *heap.entries);
    bool done = names->pieces != NULL && heap.entries != NULL;
    if (done)
        cut_into_pieces(names, &heap);
    free(heap.entries);
    return done;
}

const struct jit_name *jit_names_find(const struct jit_names *names, uint64_t address)
{
    size_t count = array_count_up_to(names->pieces, names->piece_count, sizeof *names->pieces, address);

    return count > 0 && address < names->pieces[count - 1].end ? &names->added[names->pieces[count - 1].name] : NULL;
}
