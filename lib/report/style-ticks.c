/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the ticks of each symbol. All styles print these ticks.
 *
 * Counters and rows are both sorted by address, so one pass over both is enough. When a counter begins after the end of
 * a row, later counters need not look at this row again. A position is a distance from the start of a histogram's text,
 * in bytes or, for TICKS_UNITS, in units of two bytes. Positions are stored as doubles, which can hold all whole
 * numbers up to 2^53. No text is that long.
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/style-internal.h"

#define UNIT 2u /* bytes of text; a word of the PDP-11, which was the unit of the oldest counters */

/* --- rows -------------------------------------------------------------------------------- */

/* A symbol without a name marks where the text of an object ends. */
static bool ticks_is_end(const struct symbol *symbol)
{
    return symbol->name[0] == '\0';
}

bool ticks_is_function(const struct symbol *symbol)
{
    if (symbol->type == STT_OBJECT || ticks_is_end(symbol))
        return false;
    return symbol->type != STT_NOTYPE || symbol->binding != STB_LOCAL;
}

static bool ticks_is_local(const struct symbol *symbol)
{
    return symbol->binding == STB_LOCAL;
}

/* Returns true if the first or the second character of `than` is an underscore, and that of `name` is not. Compilers
 * and libraries put underscores in front of the names that are in the source. */
static bool ticks_is_plainer(const char *name, const char *than)
{
    return (name[0] != '_' && than[0] == '_') || (name[1] != '_' && than[1] == '_');
}

/* Chooses one of several symbols at one address, among those that the function `wanted` accepts. As in gprof, functions
 * come before labels, and global symbols before local symbols. If several symbols are equal by these rules, chooses the
 * one with the plainest name (ticks_is_plainer), or else the first of them. */
static const struct symbol *ticks_choose(const struct symbol *symbols, size_t count, ticks_wanted *wanted)
{
    const struct symbol *best = NULL;

    for (unsigned rank = 0; rank < 4 && best == NULL; rank++)
        for (size_t i = 0; i < count; i++) {
            const struct symbol *symbol = &symbols[i];
            unsigned own = (symbol->type != STT_FUNC ? 2u : 0u) + (ticks_is_local(symbol) ? 1u : 0u);
            if (own == rank && !ticks_is_end(symbol) && wanted(symbol) &&
                (best == NULL || ticks_is_plainer(symbol->name, best->name)))
                best = symbol;
        }
    return best;
}

int ticks_new(const struct symbol_table *symbols, ticks_wanted *wanted, struct ticks_table *table)
{
    *table = (struct ticks_table){.rows = calloc(symbols->count + 1, sizeof *table->rows)};
    if (table->rows == NULL)
        return -ENOMEM;
    for (size_t i = 0, next; i < symbols->count; i = next) {
        const struct symbol *first = &symbols->symbols[i];
        for (next = i + 1; next < symbols->count; next++)
            if (symbols->symbols[next].address != first->address)
                break;
        const struct symbol *best = ticks_choose(first, next - i, wanted);
        if (best == NULL && !ticks_is_end(first))
            continue;
        if (table->count > 0 && table->rows[table->count - 1].end == UINT64_MAX)
            table->rows[table->count - 1].end = first->address;
        if (best == NULL)
            continue;
        table->rows[table->count++] = (struct ticks_row){.symbol = best,
                                                         .symbols = first,
                                                         .symbol_count = next - i,
                                                         .address = first->address,
                                                         .end = UINT64_MAX};
    }
    if (table->count > 0 && table->rows[table->count - 1].end == UINT64_MAX &&
        symbols->end > table->rows[table->count - 1].address)
        table->rows[table->count - 1].end = symbols->end;
    return 0;
}

void ticks_clear(struct ticks_table *table)
{
    free(table->rows);
    *table = (struct ticks_table){0};
}

struct ticks_row *ticks_find(const struct ticks_table *table, uint64_t address)
{
    size_t count = array_count_up_to(table->rows, table->count, sizeof *table->rows, address);

    return count > 0 && address < table->rows[count - 1].end ? &table->rows[count - 1] : NULL;
}

/* --- ticks ------------------------------------------------------------------------------- */

/* Where the counters of a histogram are in the text. */
struct ruler {
    uint64_t low; /* address of the first counter */
    double width; /* how much text one counter counts; in units of UNIT bytes if `units` is true, otherwise in bytes */
    bool units;
};

static struct ruler ticks_make_ruler(const struct histogram *histogram, uint64_t low, enum ticks_split split)
{
    struct ruler ruler = {.low = low, .units = split == TICKS_UNITS};
    uint64_t text = histogram->high - histogram->low;

    if (histogram->high <= histogram->low)
        return ruler;
    if (ruler.units)
        text /= UNIT;
    ruler.width = (double)text / (double)histogram->count;
    if (split == TICKS_FIRST_BYTE && histogram->scale > 0) /* the text of the last counter may be shorter */
        ruler.width = histogram->counter_size * (double)DIALECT_ONE_TO_ONE / histogram->scale;
    return ruler;
}

/* Returns the position at which the text of counter `i` begins. */
static double ticks_edge_of(const struct ruler *ruler, uint64_t i)
{
    double edge = ruler->width * (double)i;
    return ruler->units ? floor(edge) : edge;
}

static double ticks_place_of(const struct ruler *ruler, uint64_t address)
{
    if (address <= ruler->low)
        return 0;
    return ruler->units ? (double)(address / UNIT - ruler->low / UNIT) : (double)(address - ruler->low);
}

/* Divides the ticks of counter `i` among the rows in its text. Rows with an index below *from end before this text. The
 * caller passes the counters in ascending order, and this function increases *from. */
static void ticks_share_out(struct ticks_table *table, const struct ruler *ruler, size_t *from,
                            uint64_t i, double ticks)
{
    double low = ticks_edge_of(ruler, i), high = ticks_edge_of(ruler, i + 1);

    while (*from < table->count && ticks_place_of(ruler, table->rows[*from].end) <= low)
        ++*from;
    for (size_t at = *from; at < table->count; at++) {
        struct ticks_row *row = &table->rows[at];
        double begin = ticks_place_of(ruler, row->address), end = ticks_place_of(ruler, row->end);
        if (begin >= high)
            break;
        double overlap = fmin(end, high) - fmax(begin, low);
        double credit = overlap * ticks / ruler->width;
        if (overlap > 0 && row->hidden)
            table->total -= credit;
        else if (overlap > 0)
            row->ticks += credit;
    }
}

static void ticks_give_first(struct ticks_table *table, const struct ruler *ruler, uint64_t i, double ticks)
{
    double address = (double)ruler->low + floor(ticks_edge_of(ruler, i));
    struct ticks_row *row = NULL;

    if (address < (double)UINT64_MAX)
        row = ticks_find(table, ruler->low + (uint64_t)ticks_edge_of(ruler, i));
    if (row != NULL)
        row->ticks += ticks;
}

void ticks_add_histogram(struct ticks_table *table, const struct histogram *histogram, uint64_t low,
                         uint64_t first, enum ticks_split split)
{
    struct ruler ruler = ticks_make_ruler(histogram, low, split);
    size_t from = 0;

    for (uint64_t i = first; i < histogram->count; i++) {
        double ticks = (double)histogram->counters[i];
        if (histogram->counters[i] == 0)
            continue;
        table->total += ticks;
        if (ruler.width <= 0)
            continue;
        if (split == TICKS_FIRST_BYTE)
            ticks_give_first(table, &ruler, i, ticks);
        else
            ticks_share_out(table, &ruler, &from, i, ticks);
    }
}

uint64_t ticks_base(const struct ticks_table *table, const struct histogram_file *file,
                    const struct histogram *histogram)
{
    if (!file->from_text || table->count == 0)
        return histogram->low;
    return histogram->low + (table->rows[0].address & ~(TICKS_PAGE - 1));
}

void ticks_add_pcs(struct ticks_table *table, const struct histogram_file *file)
{
    for (size_t i = 0; i < file->pc_count; i++) {
        struct ticks_row *row = ticks_find(table, file->pcs[i]);
        if (row != NULL && row->hidden)
            continue;
        if (row != NULL)
            row->ticks++;
        table->total++;
    }
}

void ticks_add_file(struct ticks_table *table, const struct histogram_file *file, enum ticks_split split)
{
    for (size_t i = 0; i < file->histogram_count; i++)
        ticks_add_histogram(table, &file->histograms[i], ticks_base(table, file, &file->histograms[i]), 0, split);
    ticks_add_pcs(table, file);
}
