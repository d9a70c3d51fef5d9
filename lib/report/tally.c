/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters and rows are both in the order of their addresses, so one pass serves both: a row that
 * ends before a counter begins is never looked at again.
 *
 * Places are distances from a histogram's low end, as doubles, in the units of the split: exact,
 * for no text has 2^53 bytes.
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/tally.h"

#define UNIT 2u /* bytes of text that the oldest counters stood for: a PDP-11 word */

/* --- rows -------------------------------------------------------------------------------- */

/* Where symbols of one object end, and none begins. */
static bool is_end(const struct symbol *symbol)
{
    return symbol->name[0] == '\0';
}

bool tally_is_function(const struct symbol *symbol)
{
    if (symbol->type == STT_OBJECT || is_end(symbol))
        return false;
    return symbol->type != STT_NOTYPE || symbol->binding != STB_LOCAL;
}

static bool is_local(const struct symbol *symbol)
{
    return symbol->binding == STB_LOCAL;
}

/* A name without underscores is the one that its author used. */
static bool is_plainer(const char *name, const char *than)
{
    return (name[0] != '_' && than[0] == '_') || (name[1] != '_' && than[1] == '_');
}

/* Chooses among symbols at one address. gprof shows a function rather than a label, and a global one rather than a
 * local one. Else the plainer name is taken, else the first. */
static const struct symbol *choose(const struct symbol *symbols, size_t count, tally_wanted *wanted)
{
    const struct symbol *best = NULL;

    for (unsigned rank = 0; rank < 4 && best == NULL; rank++)
        for (size_t i = 0; i < count; i++) {
            const struct symbol *symbol = &symbols[i];
            unsigned own = (symbol->type != STT_FUNC ? 2u : 0u) + (is_local(symbol) ? 1u : 0u);
            if (own == rank && !is_end(symbol) && wanted(symbol) &&
                (best == NULL || is_plainer(symbol->name, best->name)))
                best = symbol;
        }
    return best;
}

int tally_new(const struct symbol_table *symbols, tally_wanted *wanted, struct tally *tally)
{
    *tally = (struct tally){.rows = calloc(symbols->count + 1, sizeof *tally->rows)};
    if (tally->rows == NULL)
        return -ENOMEM;
    for (size_t i = 0, next; i < symbols->count; i = next) {
        const struct symbol *first = &symbols->symbols[i];
        for (next = i + 1; next < symbols->count; next++)
            if (symbols->symbols[next].address != first->address)
                break;
        const struct symbol *best = choose(first, next - i, wanted);
        if (best == NULL && !is_end(first))
            continue;
        if (tally->count > 0 && tally->rows[tally->count - 1].end == UINT64_MAX)
            tally->rows[tally->count - 1].end = first->address;
        if (best == NULL)
            continue;
        tally->rows[tally->count++] = (struct tally_row){.symbol = best,
                                                         .symbols = first,
                                                         .symbol_count = next - i,
                                                         .address = first->address,
                                                         .end = UINT64_MAX};
    }
    if (tally->count > 0 && tally->rows[tally->count - 1].end == UINT64_MAX &&
        symbols->end > tally->rows[tally->count - 1].address)
        tally->rows[tally->count - 1].end = symbols->end;
    return 0;
}

void tally_clear(struct tally *tally)
{
    free(tally->rows);
    *tally = (struct tally){0};
}

struct tally_row *tally_find(const struct tally *tally, uint64_t address)
{
    size_t low = 0, high = tally->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tally->rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < tally->rows[low - 1].end ? &tally->rows[low - 1] : NULL;
}

/* --- ticks ------------------------------------------------------------------------------- */

/* A histogram, and how wide a counter's text is. */
struct ruler {
    uint64_t low;
    double width;
    bool units;
};

static struct ruler make_ruler(const struct histogram *histogram, uint64_t low,
                               enum tally_split split)
{
    struct ruler ruler = {.low = low, .units = split == TALLY_UNITS};
    uint64_t text = histogram->high - histogram->low;

    if (histogram->high <= histogram->low)
        return ruler;
    if (ruler.units)
        text /= UNIT;
    ruler.width = (double)text / (double)histogram->count;
    if (split == TALLY_FIRST_BYTE && histogram->scale > 0) /* the range may end in a part */
        ruler.width = histogram->counter_size * (double)DIALECT_ONE_TO_ONE / histogram->scale;
    return ruler;
}

/* Where counter i begins. */
static double edge_of(const struct ruler *ruler, uint64_t i)
{
    double edge = ruler->width * (double)i;
    return ruler->units ? floor(edge) : edge;
}

static double place_of(const struct ruler *ruler, uint64_t address)
{
    if (address <= ruler->low)
        return 0;
    return ruler->units ? (double)(address / UNIT - ruler->low / UNIT)
                        : (double)(address - ruler->low);
}

/* Shares out a counter; rows before *from are done with. */
static void share_out(struct tally *tally, const struct ruler *ruler, size_t *from, uint64_t i,
                      double ticks)
{
    double low = edge_of(ruler, i), high = edge_of(ruler, i + 1);

    while (*from < tally->count && place_of(ruler, tally->rows[*from].end) <= low)
        ++*from;
    for (size_t at = *from; at < tally->count; at++) {
        struct tally_row *row = &tally->rows[at];
        double begin = place_of(ruler, row->address), end = place_of(ruler, row->end);
        if (begin >= high)
            break;
        double overlap = fmin(end, high) - fmax(begin, low);
        double credit = overlap * ticks / ruler->width;
        if (overlap > 0 && row->hidden)
            tally->total -= credit;
        else if (overlap > 0)
            row->ticks += credit;
    }
}

static void give_first(struct tally *tally, const struct ruler *ruler, uint64_t i, double ticks)
{
    double address = (double)ruler->low + floor(edge_of(ruler, i));
    struct tally_row *row = NULL;

    if (address < (double)UINT64_MAX)
        row = tally_find(tally, ruler->low + (uint64_t)edge_of(ruler, i));
    if (row != NULL)
        row->ticks += ticks;
}

void tally_histogram(struct tally *tally, const struct histogram *histogram, uint64_t low,
                     uint64_t first, enum tally_split split)
{
    struct ruler ruler = make_ruler(histogram, low, split);
    size_t from = 0;

    for (uint64_t i = first; i < histogram->count; i++) {
        double ticks = (double)histogram->counters[i];
        if (histogram->counters[i] == 0)
            continue;
        tally->total += ticks;
        if (ruler.width <= 0)
            continue;
        if (split == TALLY_FIRST_BYTE)
            give_first(tally, &ruler, i, ticks);
        else
            share_out(tally, &ruler, &from, i, ticks);
    }
}

uint64_t tally_base(const struct tally *tally, const struct histogram_file *file,
                    const struct histogram *histogram)
{
    if (!file->from_text || tally->count == 0)
        return histogram->low;
    return histogram->low + (tally->rows[0].address & ~(TALLY_PAGE - 1));
}

void tally_pcs(struct tally *tally, const struct histogram_file *file)
{
    for (size_t i = 0; i < file->pc_count; i++) {
        struct tally_row *row = tally_find(tally, file->pcs[i]);
        if (row != NULL && row->hidden)
            continue;
        if (row != NULL)
            row->ticks++;
        tally->total++;
    }
}

void tally_file(struct tally *tally, const struct histogram_file *file, enum tally_split split)
{
    for (size_t i = 0; i < file->histogram_count; i++)
        tally_histogram(tally, &file->histograms[i], tally_base(tally, file, &file->histograms[i]),
                        0, split);
    tally_pcs(tally, file);
}
