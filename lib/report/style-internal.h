/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* style-internal: what the files of styles share: a table of ticks and calls by symbol. Styles differ in how they
 * divide the ticks of a counter among several symbols in the counter's text. */
#ifndef PPROFIL_STYLE_INTERNAL_H
#define PPROFIL_STYLE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect/histogram.h"
#include "symbol/symbol.h"

struct ticks_row {
    /* must be the first field, because array_count_up_to searches by it */
    uint64_t address;
    uint64_t end; /* end of the row's text: where the next row begins, or the end of all text */
    const struct symbol *symbol;  /* borrowed; the symbol whose name is shown */
    const struct symbol *symbols; /* borrowed; all symbols at this address */
    size_t symbol_count;
    double ticks;
    uint64_t calls;
    bool hidden; /* the ticks of the row count nowhere, not even in ticks_table.total */
};

struct ticks_table {
    struct ticks_row *rows; /* owned; sorted by address */
    size_t count;
    double total; /* all ticks, including ticks outside of symbols, but without ticks of hidden rows */
};

enum ticks_split {
    /* in proportion to the text of the symbols; counters begin and end at whole units of two bytes */
    TICKS_UNITS,
    TICKS_BYTES,      /* in proportion to the bytes of text of the symbols */
    TICKS_FIRST_BYTE, /* all ticks to the symbol that has the first byte of the counter's text */
};

typedef bool ticks_wanted(const struct symbol *symbol);

/* Returns true for functions, and for labels that are not local. */
bool ticks_is_function(const struct symbol *symbol);

/* Makes a row, without ticks and calls, for each address that has a wanted symbol. Returns 0 or
 * -ENOMEM. The caller clears the table in both cases. */
int ticks_new(const struct symbol_table *symbols, ticks_wanted *wanted, struct ticks_table *table);
void ticks_clear(struct ticks_table *table);

/* Returns the row whose text contains an address, or NULL. */
struct ticks_row *ticks_find(const struct ticks_table *table, uint64_t address);

/* Returns the address at which a histogram of a file begins. If file->from_text is true, the file does not contain this
 * address, and the start of the page of the first symbol is used, as in kprof. A page has TICKS_PAGE bytes. */
#define TICKS_PAGE UINT64_C(4096)
uint64_t ticks_base(const struct ticks_table *table, const struct histogram_file *file,
                    const struct histogram *histogram);

/* Adds the counters of a histogram, beginning with counter number first. low: address at which the histogram begins. */
void ticks_add_histogram(struct ticks_table *table, const struct histogram *histogram, uint64_t low,
                         uint64_t first, enum ticks_split split);
/* Adds the raw pcs of a file. */
void ticks_add_pcs(struct ticks_table *table, const struct histogram_file *file);
/* Adds all histograms and raw pcs of a file. */
void ticks_add_file(struct ticks_table *table, const struct histogram_file *file,
                    enum ticks_split split);

/*
 * Finds how much time the callees of each row's function spent, as gprof does. The time of a function is divided among
 * its callers in proportion to their calls. Functions that call each other in a circle are treated as one function.
 * Hidden rows are left out.
 *
 * The rows must be sorted by address and have their ticks. Adds the calls by other functions to the calls of each row.
 * below is an array with one entry for each row, which is 0; adds the ticks of the row's callees to the entry. Returns
 * 0 or -ENOMEM.
 */
int call_graph(const struct histogram_file *file, struct ticks_table *table, double *below);

#endif
