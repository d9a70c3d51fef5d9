/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints reports like kprof(10.1) of Inferno and kprof(1) of Plan 9. These systems call a counter a cell. A cell
 * belongs to the symbol that has the first byte of the text that the cell counts.
 *
 * This file does not copy a bug of the original programs. They skip six cells, counted from the start of the first
 * symbol, and not from the start of the page that contains it. So if this symbol is not at the start of a page, its
 * first 48 bytes are never counted. If it is at the start of a page, there is no difference.
 *
 * On these systems the last symbol is etext, an address without text, which gets no ticks. In an ELF file the last
 * symbol is a function with a size, which can get ticks.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/style-internal.h"
#include "report/style.h"

#define USUAL_US 10000u /* microseconds; period of a tick at 100 Hz, the usual rate */

/* How the kprof of Inferno and the kprof of Plan 9 differ. */
struct kprof {
    uint64_t specials; /* number of cells (counters) at the start of a file that do not count text */
    bool plan9;
};

static int kprof_fail(FILE *errors, const char *why)
{
    fprintf(errors, "kprof: %s\n", why);
    return PPROFIL_ERROR_EXPLAINED;
}

bool style_kprof_refuse(enum style_file which, const char *path, int error, FILE *errors)
{
    if (path == NULL)
        kprof_fail(errors, "usage: kprof text data");
    else if (error == -ENOMEM)
        fprintf(errors, "kprof: malloc: %s\n", strerror(ENOMEM));
    else if (which == STYLE_TEXT && error == -ENOEXEC)
        kprof_fail(errors, "text file not an a.out");
    else if (which == STYLE_DATA && error == PPROFIL_ERROR_DAMAGED)
        kprof_fail(errors, "data file too short");
    else if (error == -EISDIR || error == -EIO)
        fprintf(errors, "kprof: %s: %s\n", which == STYLE_TEXT ? "read text header" : "text read", strerror(-error));
    else if (error == PPROFIL_ERROR_FORMAT || error == PPROFIL_ERROR_DAMAGED)
        return false;
    else
        fprintf(errors, "kprof: %s: %s\n", path, pprofil_error_text(error));
    return true;
}

/* Returns true if the counters were made by the rules of Inferno or Plan 9. In this case the first cells do not count
 * text. */
static bool is_kpdata(const struct histogram_file *file)
{
    return file->dialect != NULL && file->dialect->arithmetic == DIALECT_CELLS;
}

static void kprof_count(const struct histogram_file *file, const struct kprof *kprof, struct ticks_table *table)
{
    struct ticks_row *last = &table->rows[table->count - 1];

    if (last->symbol->size < last->end - last->address)
        last->end = last->address + last->symbol->size;
    for (size_t i = 0; i < file->histogram_count; i++) {
        const struct histogram *histogram = &file->histograms[i];
        ticks_add_histogram(table, histogram, ticks_base(table, file, histogram),
                            is_kpdata(file) ? kprof->specials : 0, TICKS_FIRST_BYTE);
    }
    ticks_add_pcs(table, file);
}

static void kprof_print_base(const struct histogram_file *file, const struct kprof *kprof,
                             const struct ticks_table *table, FILE *out)
{
    uint64_t page = table->rows[0].address & ~(TICKS_PAGE - 1);
    uint64_t base = file->histogram_count > 0 ? ticks_base(table, file, &file->histograms[0]) : page;

    if (!kprof->plan9) {
        fprintf(out, "KTZERO %.8" PRIx64 "\n", page);
        return;
    }
    if (base != page)
        fprintf(out, "warning: kbase %.8" PRIx64 " != tbase %.8" PRIx64 "\n", base, page);
    fprintf(out, "KTZERO %.8" PRIx64 " PGSIZE %" PRIu64 "Kb\n", base, TICKS_PAGE / 1024);
}

/* Compares rows for qsort: by ticks, largest first. The original programs leave the order of equal rows to chance; this
 * file orders equal rows by address. */
static int kprof_compare(const void *left, const void *right)
{
    const struct ticks_row *a = left, *b = right;

    if (a->ticks != b->ticks)
        return a->ticks > b->ticks ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

static uint64_t us_per_tick(const struct histogram_file *file)
{
    if (file->rate_hz > 0)
        return (uint64_t)fmin(round(1e6 / file->rate_hz), UINT32_MAX);
    return file->dialect != NULL ? file->dialect->period_ns / 1000 : USUAL_US;
}

/* Returns ticks * times / whole, rounded down, because the original programs compute with integers. */
static uint64_t kprof_part(uint64_t ticks, uint64_t times, uint64_t whole)
{
    __extension__ unsigned __int128 product = (unsigned __int128)ticks * times;
    return whole == 0 ? 0 : (uint64_t)(product / whole);
}

/* Returns ticks as an integer. If they do not fit into 64 bits, which is possible in a hostile file, returns
 * UINT64_MAX. */
static uint64_t whole_ticks(double ticks)
{
    return ticks < (double)UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

/* Returns the number that is printed for ticks. In Plan 9's report this is their time in milliseconds, if the rate is
 * known. Otherwise it is the number of ticks. */
static uint64_t kprof_shown(const struct histogram_file *file, const struct kprof *kprof, uint64_t ticks)
{
    return kprof->plan9 && file->rate_hz > 0 ? whole_ticks((double)ticks * 1000 / file->rate_hz) : ticks;
}

static int kprof_print_rows(const struct histogram_file *file, const struct kprof *kprof,
                            uint64_t in, struct ticks_table *table, FILE *out, FILE *errors)
{
    qsort(table->rows, table->count, sizeof *table->rows, kprof_compare);
    if (table->rows[0].ticks <= 0)
        return kprof_fail(errors, "no counts");
    fputs("ms\t  %\tsym\n", out);
    for (size_t i = 0; i < table->count && table->rows[i].ticks > 0; i++) {
        uint64_t ticks = whole_ticks(table->rows[i].ticks);
        fprintf(out, "%" PRIu64 "\t%3" PRIu64 ".%" PRIu64 "\t%s\n",
                kprof->plan9 ? kprof_shown(file, kprof, ticks) : kprof_part(ticks, us_per_tick(file), 1000),
                kprof_part(ticks, 100, in), kprof_part(ticks, 1000, in) % 10, table->rows[i].symbol->name);
    }
    return 0;
}

static int kprof_print(const struct histogram_file *file, const struct symbol_table *symbols,
                       const struct kprof *kprof, FILE *out, FILE *errors)
{
    uint64_t in = file->ticks > file->outside ? file->ticks - file->outside : 0;
    struct ticks_table table;

    for (size_t i = 0; is_kpdata(file) && i < file->histogram_count; i++)
        if (file->histograms[i].counter_size != 4)
            return kprof_fail(errors, "only sample size 4 supported\n");
    fprintf(out, "total: %" PRIu64 "\tin kernel text: %" PRIu64 "\toutside kernel text: %" PRIu64 "\n",
            kprof_shown(file, kprof, file->ticks), kprof_shown(file, kprof, in),
            kprof_shown(file, kprof, file->outside));
    if (file->ticks == 0)
        return 0;
    int error = ticks_new(symbols, ticks_is_function, &table);
    if (error == 0 && table.count == 0)
        error = kprof_fail(errors, "no text symbols");
    if (error == 0) {
        kprof_print_base(file, kprof, &table, out);
        kprof_count(file, kprof, &table);
        error = kprof_print_rows(file, kprof, in, &table, out, errors);
    }
    ticks_clear(&table);
    return error;
}

int style_kprof(const struct histogram_file *file, const struct symbol_table *symbols,
                const struct pprofil_style_options *options, FILE *out, FILE *errors)
{
    (void)options;
    return kprof_print(file, symbols, &(struct kprof){.specials = DIALECT_CELL_SPECIALS}, out, errors);
}

int style_kprof_plan9(const struct histogram_file *file, const struct symbol_table *symbols,
                      const struct pprofil_style_options *options, FILE *out, FILE *errors)
{
    (void)options;
    return kprof_print(file, symbols, &(struct kprof){.specials = 2, .plan9 = true}, out, errors);
}
