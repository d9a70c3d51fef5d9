/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tally: ticks and calls by symbol, which is what all styles print. They differ in how a counter
 * is shared by symbols that begin or end inside its text.
 */
#ifndef PPROFIL_TALLY_H
#define PPROFIL_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect/histogram.h"
#include "symbol/symbol.h"

struct tally_row {
    const struct symbol *symbol;  /* borrowed: the name that is shown */
    const struct symbol *symbols; /* borrowed: all at this address */
    size_t symbol_count;
    uint64_t address, end; /* its text: up to the next row, the last one's to the text's end */
    double ticks;
    uint64_t calls;
    bool hidden; /* what falls into it is not counted, not in the total either */
};

struct tally {
    struct tally_row *rows; /* owned; by address */
    size_t count;
    double total; /* ticks, in symbols or not */
};

enum tally_split {
    TALLY_UNITS,      /* in proportion, counters cut at whole units of two bytes */
    TALLY_BYTES,      /* in proportion, exactly */
    TALLY_FIRST_BYTE, /* all to the symbol that has the first byte */
};

typedef bool tally_wanted(const struct symbol *symbol);

/* Functions, and labels that are not local. */
bool tally_is_function(const struct symbol *symbol);

/* Rows without ticks and calls for the symbols wanted. 0 or -ENOMEM; clear it in both cases. */
int tally_new(const struct symbol_table *symbols, tally_wanted *wanted, struct tally *tally);
void tally_clear(struct tally *tally);

/* The row whose text holds an address, or NULL. */
struct tally_row *tally_find(const struct tally *tally, uint64_t address);

/* Where a histogram of a file begins, which may not say: then with the page of the first symbol,
 * as kprof took it. */
#define TALLY_PAGE UINT64_C(4096)
uint64_t tally_base(const struct tally *tally, const struct histogram_file *file,
                    const struct histogram *histogram);

/* Adds all counters, or those from the first on, of a histogram that begins at low; its raw pcs. */
void tally_histogram(struct tally *tally, const struct histogram *histogram, uint64_t low,
                     uint64_t first, enum tally_split split);
void tally_pcs(struct tally *tally, const struct histogram_file *file);

/* Both, of a whole file. */
void tally_file(struct tally *tally, const struct histogram_file *file, enum tally_split split);

#endif
