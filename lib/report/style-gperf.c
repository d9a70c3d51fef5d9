/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints a report like gperf(1P) of the Nintendo 64's development kit, as the manual page of gperf shows it. The report
 * has a header, a row for each function with ticks (rows with the fewest ticks first), and a row for the ticks that
 * were in no segment.
 *
 * The manual page does not show how gperf printed counts and times. It also does not say in which unit gperf took a
 * threshold for times; this file takes milliseconds.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "report/style-internal.h"
#include "report/style.h"

#define RULE "-------------------------------------------------------------\n"
#define NAME_WIDTH 43
#define USUAL_HZ 100.0

bool style_gperf_refuse(enum style_file which, const char *path, int error, FILE *errors)
{
    (void)which;
    fprintf(errors, "gperf: %s: %s\n", path != NULL ? path : "a.out",
            error == -ENOEXEC || error == PPROFIL_ERROR_FORMAT || error == PPROFIL_ERROR_DAMAGED
                ? "bad format"
                : pprofil_error_text(error));
    return true;
}

/* What is the same for all rows that gperf_print_row prints. */
struct gperf_page {
    FILE *out;
    const struct pprofil_style_options *options;
    double total; /* ticks that count as 100 % */
    double hz;
};

static const char *gperf_program(const struct histogram_file *file)
{
    const char *path = file->object != NULL     ? file->object
                       : file->module_count > 0 ? file->modules[0].path
                                                : "a.out";

    return path_base_name(path);
}

/* Returns the number of symbols in modules that have a segment. If the file has no modules, returns the number of all
 * symbols. */
static size_t gperf_count_symbols(const struct histogram_file *file, const struct ticks_table *table)
{
    size_t count = file->module_count == 0 ? table->count : 0;

    for (size_t i = 0; i < file->module_count; i++) {
        const struct histogram_module *module = &file->modules[i];
        bool has_segment = false;
        for (size_t j = 0; j < file->histogram_count; j++)
            has_segment = has_segment || (file->histograms[j].low >= module->start &&
                                          file->histograms[j].low < module->end);
        for (size_t j = 0; has_segment && j < table->count; j++)
            count += table->rows[j].address >= module->start && table->rows[j].address < module->end;
    }
    return count;
}

static void gperf_print_head(const struct histogram_file *file, const struct ticks_table *table, double hz, FILE *out)
{
    fprintf(out,
            RULE "Profile Report for %s\nNumber of text symbols: %zu\nSample period: %.0f microseconds\n"
                 "Number of profiled segments: %zu\n",
            gperf_program(file), gperf_count_symbols(file, table), 1e6 / hz, file->histogram_count);
    for (size_t i = 0; i < file->histogram_count; i++)
        fprintf(out, "Text segment %zu, start = %08" PRIx64 ", size = %08" PRIx64 "\n", i,
                file->histograms[i].low, file->histograms[i].high - file->histograms[i].low);
    fputs(RULE "\n\n", out);
}

static double gperf_share(const struct gperf_page *page, double ticks)
{
    switch (page->options->unit) {
    case PPROFIL_UNIT_COUNTS:
        return ticks;
    case PPROFIL_UNIT_MILLISECONDS:
        return ticks * 1000 / page->hz;
    case PPROFIL_UNIT_PERCENT:
        break;
    }
    return page->total > 0 ? 100 * ticks / page->total : 0;
}

/* Prints a row. `place` is an address, or another text of the same width. */
static void gperf_print_row(const struct gperf_page *page, const char *place, const char *name, double ticks)
{
    int length = (int)strnlen(name, NAME_WIDTH);
    double share = gperf_share(page, ticks);

    if (ticks <= 0 || share < page->options->threshold)
        return;
    fprintf(page->out, "%s  %s%.*s", place, name, NAME_WIDTH - length,
            "...........................................");
    if (page->options->unit == PPROFIL_UNIT_COUNTS)
        fprintf(page->out, "%10.0f\n", share);
    else
        fprintf(page->out, "%10.4f %s\n", share, page->options->unit == PPROFIL_UNIT_PERCENT ? "%" : "ms");
}

/* Compares rows for qsort: by ticks, smallest first, then by address. */
static int gperf_order(const void *left, const void *right)
{
    const struct ticks_row *a = left, *b = right;

    if (a->ticks != b->ticks)
        return a->ticks < b->ticks ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

int style_gperf(const struct histogram_file *file, const struct symbol_table *symbols,
                const struct pprofil_style_options *options, FILE *out, FILE *errors)
{
    double hz = file->rate_hz > 0 ? file->rate_hz : USUAL_HZ;
    struct gperf_page page = {
        .out = out, .options = options, .hz = hz, .total = (double)file->ticks};
    struct ticks_table table;
    char place[24];

    int error = ticks_new(symbols, ticks_is_function, &table);
    if (error == 0) {
        if (!options->no_header)
            gperf_print_head(file, &table, hz, out);
        ticks_add_file(&table, file, TICKS_FIRST_BYTE);
        qsort(table.rows, table.count, sizeof *table.rows, gperf_order);
    }
    for (size_t i = 0; error == 0 && i < table.count; i++) {
        snprintf(place, sizeof place, "%08" PRIx64, table.rows[i].address);
        gperf_print_row(&page, place, table.rows[i].symbol->name, table.rows[i].ticks);
    }
    if (error == 0)
        gperf_print_row(&page, "Overflow", "", (double)file->outside);
    ticks_clear(&table);
    if (error == 0 && file->ticks == 0) {
        fputs("gperf: no counts\n", errors);
        error = PPROFIL_ERROR_EXPLAINED;
    }
    return error;
}
