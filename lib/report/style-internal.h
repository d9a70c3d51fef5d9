/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* style-internal: a table with the ticks and calls of each symbol, which the files of all styles use. The text (code)
 * that a counter counts may belong to several symbols. Styles differ in how they divide the counter's ticks among these
 * symbols. */
#ifndef PPROFIL_STYLE_INTERNAL_H
#define PPROFIL_STYLE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect/histogram.h"
#include "symbol/symbol.h"

struct ticks_row {
    /* must be the first field, because array_count_up_to reads only the first field */
    uint64_t address;
    uint64_t end; /* end of the row's text: where the next row begins, or the end of all text */
    const struct symbol *symbol;  /* borrowed; the symbol whose name is shown */
    const struct symbol *symbols; /* borrowed; all symbols at this address */
    size_t symbol_count;
    double ticks;
    uint64_t calls;
    bool hidden; /* the ticks of this row count nowhere, not even in ticks_table.total */
};

struct ticks_table {
    struct ticks_row *rows; /* owned; sorted by address */
    size_t count;
    double total; /* all ticks, even ticks outside of all symbols, but without the ticks of hidden rows */
};

enum ticks_split {
    /* a symbol gets a share of a counter's ticks, in proportion to the part of the counter's text that belongs to the
     * symbol; this text begins and ends at multiples of two bytes */
    TICKS_UNITS,
    TICKS_BYTES,      /* as TICKS_UNITS, but the counter's text may begin and end anywhere */
    TICKS_FIRST_BYTE, /* all ticks go to the symbol that has the first byte of the counter's text */
};

typedef bool ticks_wanted(const struct symbol *symbol);

/* Returns true if the symbol is a function, or a label that is not local. */
bool ticks_is_function(const struct symbol *symbol);

/* Makes a row for each address at which there is a symbol that `wanted` accepts. The rows have 0 ticks and 0 calls.
 * Returns 0 or -ENOMEM. The caller clears *table in both cases. */
int ticks_new(const struct symbol_table *symbols, ticks_wanted *wanted, struct ticks_table *table);
void ticks_clear(struct ticks_table *table);

/* Returns the row whose text contains an address, or NULL. */
struct ticks_row *ticks_find(const struct ticks_table *table, uint64_t address);

/* Returns the address at which the text of a histogram begins. If file->from_text is true, the file does not contain
 * this address. In that case the start of the page of the first symbol is used, as kprof does. A page has TICKS_PAGE
 * bytes. */
#define TICKS_PAGE UINT64_C(4096)
uint64_t ticks_base(const struct ticks_table *table, const struct histogram_file *file,
                    const struct histogram *histogram);

/* Adds the counters of a histogram to the table, beginning with counter number `first`. `low` is the address at which
 * the histogram begins. */
void ticks_add_histogram(struct ticks_table *table, const struct histogram *histogram, uint64_t low,
                         uint64_t first, enum ticks_split split);
/* A file may contain single program counters, one for each tick. Adds these ticks to the table. */
void ticks_add_pcs(struct ticks_table *table, const struct histogram_file *file);
/* Adds all histograms and all single program counters of a file. */
void ticks_add_file(struct ticks_table *table, const struct histogram_file *file, enum ticks_split split);

/*
 * Finds for each row how much time the callees of its function spent, as gprof does. The time of a function is divided
 * among its callers in proportion to their calls. Functions that call each other in a circle are treated as one
 * function. Hidden rows are left out.
 *
 * The rows must be sorted by address and have their ticks. Adds the calls by other functions to the field `calls` of
 * each row. Stores the ticks of each row's callees in `below`, an array with one element for each row, which the caller
 * has set to 0. Returns 0 or -ENOMEM.
 */
int call_graph(const struct histogram_file *file, struct ticks_table *table, double *below);

#endif
