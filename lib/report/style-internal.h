/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* style-internal: what the styles print: ticks and calls by symbol. Styles differ in how the ticks
 * of a counter are shared by symbols that begin or end inside its text. */
#ifndef PPROFIL_STYLE_INTERNAL_H
#define PPROFIL_STYLE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect/histogram.h"
#include "symbol/symbol.h"

struct ticks_row {
    uint64_t address;             /* is first, for array_count_up_to */
    uint64_t end;                 /* of its text: the next row, or the end of the text */
    const struct symbol *symbol;  /* borrowed; the name that is shown */
    const struct symbol *symbols; /* borrowed; all symbols at this address */
    size_t symbol_count;
    double ticks;
    uint64_t calls;
    bool hidden; /* its ticks count nowhere, nor in the total */
};

struct ticks_table {
    struct ticks_row *rows; /* owned; by address */
    size_t count;
    double total; /* ticks, in symbols or not */
};

enum ticks_split {
    TICKS_UNITS,      /* in proportion, counters cut at whole units of two bytes */
    TICKS_BYTES,      /* in proportion, exactly */
    TICKS_FIRST_BYTE, /* all to the symbol that has the first byte */
};

typedef bool ticks_wanted(const struct symbol *symbol);

/* Wants functions, and labels that are not local. */
bool ticks_is_function(const struct symbol *symbol);

/* Makes a row, without ticks and calls, for each wanted symbol. 0 or -ENOMEM; clear it in both
 * cases. */
int ticks_new(const struct symbol_table *symbols, ticks_wanted *wanted, struct ticks_table *table);
void ticks_clear(struct ticks_table *table);

/* Returns the row whose text has an address, or NULL. */
struct ticks_row *ticks_find(const struct ticks_table *table, uint64_t address);

/* Returns where a histogram of a file begins. A file that does not say so begins with the page of
 * the first symbol, as kprof assumed. */
#define TICKS_PAGE UINT64_C(4096)
uint64_t ticks_base(const struct ticks_table *table, const struct histogram_file *file,
                    const struct histogram *histogram);

/* Adds the counters of a histogram that begins at low, from the counter number first on. */
void ticks_add_histogram(struct ticks_table *table, const struct histogram *histogram, uint64_t low,
                         uint64_t first, enum ticks_split split);
/* Adds the raw pcs of a file. */
void ticks_add_pcs(struct ticks_table *table, const struct histogram_file *file);
/* Adds all histograms and raw pcs of a file. */
void ticks_add_file(struct ticks_table *table, const struct histogram_file *file,
                    enum ticks_split split);

/* Finds how much time callees spent for each row, as gprof does: a function's time is shared among
 * its callers by how often each called it, and functions that call each other in a circle pass on
 * their time together. Counts the calls of each row, except those by itself, and adds to below, an
 * array of zeros, the ticks of its callees on its behalf. Hidden rows take no part. Rows are by
 * address and have their ticks. 0 or -ENOMEM. */
int call_graph(const struct histogram_file *file, struct ticks_table *table, double *below);

#endif
