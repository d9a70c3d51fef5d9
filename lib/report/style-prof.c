/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints reports like prof(1) of the Seventh Edition (V7), of 4.3BSD and of Solaris. Solaris has two such reports, for
 * two kinds of mon.out file: the older kind, and the kind that has a version number.
 *
 * A counter counts the ticks in a range of text (code). If the range contains text of several symbols, these symbols
 * share the ticks, in proportion to the size of their text in the range. V7 and 4.3BSD measure sizes in whole words of
 * the PDP-11, Solaris in bytes. A mon.out with a version number has no counters. It contains the pc of each tick.
 *
 * The original programs compute times and scales in single precision and 32-bit integers; this file does not. It counts
 * a call for the nearest symbol before the call's pc; V7 used the first symbol within 20 bytes. For a file without call
 * counts, Solaris printed no table. This file prints one, because files of pprofil often have no call counts.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/style-internal.h"
#include "report/style.h"

/* What the functions prof_print_... need to print a row. */
struct prof_page {
    FILE *out;
    const struct pprofil_style_options *options;
    double total; /* ticks that count as 100 % */
    double hz;    /* ticks per second; 0: not known */
    double ticks; /* ticks of this row and of all rows above it */
};

struct flavour {
    const char *header;
    const char *ticks_header; /* header for files whose rate is not known; NULL: usual_hz is taken for the rate */
    void (*print)(struct prof_page *page, const struct ticks_row *row);
    int (*by_time)(const void *left, const void *right);
    double usual_hz;
    enum ticks_split split;
    uint64_t reach; /* a call counts only up to this distance from its symbol, bytes; 0: the symbol's size */
    int columns;    /* width of addresses; 0: addresses are not printed */
    bool all_rows;  /* also print rows without time and calls */
};

static const char *prof_text_name(const struct histogram_file *file)
{
    return file->object != NULL ? file->object : "a.out";
}

/* --- files that cannot be read ----------------------------------------------------------- */

bool style_v7_refuse(enum style_file which, const char *path, int error, FILE *errors)
{
    if (which == STYLE_DATA)
        fputs("No mon.out\n", errors);
    else
        fprintf(errors, error == -ENOEXEC ? "%s: bad format\n" : "%s: not found\n", path != NULL ? path : "a.out");
    return true;
}

bool style_bsd_refuse(enum style_file which, const char *path, int error, FILE *errors)
{
    (void)which;
    if (error == PPROFIL_ERROR_FORMAT || error == PPROFIL_ERROR_DAMAGED)
        return false;
    if (path == NULL)
        path = "a.out";
    if (error == -ENOEXEC)
        fprintf(errors, "%s: bad format\n", path);
    else
        fprintf(errors, "%s: %s\n", path, pprofil_error_text(error));
    return true;
}

bool style_solaris_refuse(enum style_file which, const char *path, int error, FILE *errors)
{
    if (path == NULL)
        path = "a.out";
    if (error == PPROFIL_ERROR_FORMAT)
        return false;
    if (which == STYLE_DATA)
        fprintf(errors, "prof: %s: %s\n", path,
                error == PPROFIL_ERROR_DAMAGED ? "Premature EOF" : pprofil_error_text(error));
    else if (error == -ENOEXEC)
        fprintf(errors, "prof: %s: improper format\n", path);
    else
        fprintf(errors, "prof: _symintOpen failed: %s\n", strerror(-error));
    return true;
}

/* --- rows -------------------------------------------------------------------------------- */

static double prof_percent(const struct prof_page *page, const struct ticks_row *row)
{
    return page->total > 0 ? 100 * (row->ticks / page->total) : 0;
}

static void prof_print_v7(struct prof_page *page, const struct ticks_row *row)
{
    fprintf(page->out, "%8.8s%6.1f%9.2f", row->symbol->name, prof_percent(page, row), page->ticks / page->hz);
    if (row->calls > 0)
        fprintf(page->out, "%6" PRIu64 " %7.2f", row->calls, row->ticks / ((double)row->calls * (page->hz / 1000)));
    fputc('\n', page->out);
}

static void prof_print_bsd(struct prof_page *page, const struct ticks_row *row)
{
    fprintf(page->out, "%6.1f%9.2f", prof_percent(page, row), page->ticks / page->hz);
    if (row->calls > 0)
        fprintf(page->out, "%7" PRIu64 " %8.2f", row->calls, row->ticks * 1000 / page->hz / (double)row->calls);
    else
        fprintf(page->out, "%7.7s %8.8s", "", "");
    fprintf(page->out, "  %s\n", row->symbol->name);
}

static void prof_print_address(const struct prof_page *page, uint64_t address, int columns)
{
    if (page->options->addresses == PPROFIL_ADDRESSES_OCTAL)
        fprintf(page->out, "%*" PRIo64 " ", columns, address);
    else if (page->options->addresses == PPROFIL_ADDRESSES_HEX)
        fprintf(page->out, "%*" PRIx64 " ", columns, address);
}

/* Returns the number of digits that Solaris printed after the decimal point of a time per call. */
static int prof_digits_of(uint64_t calls)
{
    int digits = 0;

    for (uint64_t limit = 10; digits < 4 && calls >= limit; limit *= 10)
        digits++;
    return digits;
}

static void prof_print_solaris(struct prof_page *page, const struct ticks_row *row)
{
    double seconds = row->ticks / page->hz;
    const char *gap = "";

    fprintf(page->out, "%6.1f%8.2f%8.2f", prof_percent(page, row), seconds, page->ticks / page->hz);
    if (row->calls > 0) {
        int digits = prof_digits_of(row->calls);
        fprintf(page->out, "%8" PRIu64 "%#*.*f%*s", row->calls, digits + 8, digits,
                1000 * seconds / (double)row->calls, 6 - digits, " ");
    } else {
        fprintf(page->out, "%22s", " ");
    }
    for (size_t i = 0; i < row->symbol_count; i++)
        if (ticks_is_function(&row->symbols[i])) {
            fprintf(page->out, "%s%s", gap, row->symbols[i].name);
            gap = ", ";
        }
    fputc('\n', page->out);
}

static void prof_print_versioned(struct prof_page *page, const struct ticks_row *row)
{
    double unit = page->hz > 0 ? 1 / page->hz : 1, per_call = 0;

    if (row->calls > 0)
        per_call = row->ticks * (page->hz > 0 ? 1000 / page->hz : 1) / (double)row->calls;
    fprintf(page->out, "%6.1f%8.2f%8.2f%8" PRIu64 "%12.4f  %s\n", prof_percent(page, row),
            row->ticks * unit, page->ticks * unit, row->calls, per_call, row->symbol->name);
}

/* --- order ------------------------------------------------------------------------------- */

static int prof_by_address(const void *left, const void *right)
{
    const struct ticks_row *a = left, *b = right;

    return a->address < b->address ? -1 : a->address > b->address;
}

static int prof_by_name(const void *left, const void *right)
{
    const struct ticks_row *a = left, *b = right;
    int order = strcmp(a->symbol->name, b->symbol->name);

    return order != 0 ? order : prof_by_address(left, right);
}

/* Compares rows by ticks, largest first, then by address. (The original programs do not order equal rows.) */
static int prof_by_time(const void *left, const void *right)
{
    const struct ticks_row *a = left, *b = right;

    if (a->ticks != b->ticks)
        return a->ticks > b->ticks ? -1 : 1;
    return prof_by_address(left, right);
}

static int prof_by_time_and_name(const void *left, const void *right)
{
    const struct ticks_row *a = left, *b = right;

    return a->ticks != b->ticks ? prof_by_time(left, right) : prof_by_name(left, right);
}

static int prof_by_calls(const void *left, const void *right)
{
    const struct ticks_row *a = left, *b = right;

    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    return prof_by_time_and_name(left, right);
}

static void prof_sort(struct ticks_table *table, const struct flavour *flavour, enum pprofil_sort order)
{
    int (*const orders[])(const void *left, const void *right) = {
        [PPROFIL_SORT_TIME] = flavour->by_time,
        [PPROFIL_SORT_CALLS] = prof_by_calls,
        [PPROFIL_SORT_ADDRESS] = prof_by_address,
        [PPROFIL_SORT_NAME] = prof_by_name,
    };
    qsort(table->rows, table->count, sizeof *table->rows, orders[order]);
}

/* --- counts ------------------------------------------------------------------------------ */

static void prof_add_calls(struct ticks_table *table, uint64_t pc, uint64_t count, uint64_t reach)
{
    struct ticks_row *row = ticks_find(table, pc);

    if (row == NULL)
        return;
    if (reach == 0)
        reach = row->symbol->size > 0 ? row->symbol->size : UINT64_MAX;
    if (pc - row->address <= reach)
        row->calls += count;
}

/* Adds the calls and ticks of a file. A gmon.out file has arcs. An arc says how often one place in the code called one
 * function. */
static void prof_count(struct ticks_table *table, const struct histogram_file *file, const struct flavour *flavour)
{
    for (size_t i = 0; i < file->calls_count; i++)
        prof_add_calls(table, file->calls[i].pc, file->calls[i].count, flavour->reach);
    for (size_t i = 0; i < file->arc_count; i++)
        prof_add_calls(table, file->arcs[i].self, file->arcs[i].count, UINT64_MAX);
    ticks_add_file(table, file, flavour->split);
}

static double prof_rate_of(const struct histogram_file *file, const struct flavour *flavour)
{
    if (file->rate_hz > 0)
        return file->rate_hz;
    if (flavour->usual_hz > 0 || file->dialect == NULL)
        return flavour->usual_hz;
    return round(1e9 / (double)file->dialect->period_ns);
}

/* --- the report -------------------------------------------------------------------------- */

static void prof_print_header(const struct prof_page *page, const struct flavour *flavour)
{
    bool addresses = flavour->columns > 0 && page->options->addresses != PPROFIL_ADDRESSES_NONE;

    if (page->options->no_header)
        return;
    if (addresses)
        fprintf(page->out, "%*s", flavour->columns + 1, " Address ");
    fprintf(page->out, "%s\n", page->hz > 0 ? flavour->header : flavour->ticks_header);
}

static void prof_print_table(struct prof_page *page, const struct flavour *flavour, struct ticks_table *table)
{
    prof_print_header(page, flavour);
    prof_sort(table, flavour, page->options->sort);
    for (size_t i = 0; i < table->count; i++) {
        const struct ticks_row *row = &table->rows[i];
        if (row->ticks <= 0 && row->calls == 0 && !page->options->zeros && !flavour->all_rows)
            continue;
        page->ticks += row->ticks;
        if (flavour->columns > 0)
            prof_print_address(page, row->address, flavour->columns);
        flavour->print(page, row);
    }
}

static const struct flavour v7 = {
    .header = "    name %time  cumsecs  #call  ms/call",
    .print = prof_print_v7,
    .by_time = prof_by_time,
    .usual_hz = 60,
    .split = TICKS_UNITS,
    .reach = 21,
    .all_rows = true,
};

static const struct flavour bsd = {
    .header = " %time  cumsecs  #call  ms/call  name",
    .print = prof_print_bsd,
    .by_time = prof_by_time_and_name,
    .usual_hz = 100,
    .split = TICKS_UNITS,
    .reach = 23,
};

static const struct flavour solaris = {
    .header = " %Time Seconds Cumsecs  #Calls   msec/call  Name",
    .print = prof_print_solaris,
    .by_time = prof_by_time,
    .usual_hz = 100,
    .split = TICKS_BYTES,
    .columns = 8,
};

static const struct flavour versioned = {
    .header = " %Time Seconds Cumsecs  #Calls   msec/call  Name",
    .ticks_header = " %Time   Tiks  Cumtiks  #Calls   tiks/call  Name",
    .print = prof_print_versioned,
    .by_time = prof_by_time,
    .split = TICKS_BYTES,
    .columns = 16,
};

static int prof_print(const struct histogram_file *file, const struct symbol_table *symbols,
                      const struct pprofil_style_options *options, const struct flavour *flavour,
                      FILE *out, FILE *errors)
{
    struct prof_page page = {.out = out, .options = options, .hz = prof_rate_of(file, flavour)};
    struct ticks_table table;
    int error = ticks_new(symbols, ticks_is_function, &table);

    if (error == 0 && table.count == 0) {
        fprintf(errors, flavour->split == TICKS_BYTES ? "prof: %s: no symbols\n" : "%s: no symbols\n",
                prof_text_name(file));
        error = PPROFIL_ERROR_EXPLAINED;
    }
    if (error == 0)
        prof_count(&table, file, flavour);
    if (error == 0 && table.total <= 0 && flavour->split == TICKS_UNITS) {
        fputs("No time accumulated\n", errors);
        error = flavour->all_rows ? PPROFIL_ERROR_EXPLAINED : 0; /* V7's prof printed nothing more */
    }
    page.total = table.total;
    if (error == 0)
        prof_print_table(&page, flavour, &table);
    ticks_clear(&table);
    return error;
}

int style_prof_v7(const struct histogram_file *file, const struct symbol_table *symbols,
                  const struct pprofil_style_options *options, FILE *out, FILE *errors)
{
    return prof_print(file, symbols, options, &v7, out, errors);
}

int style_prof_bsd(const struct histogram_file *file, const struct symbol_table *symbols,
                   const struct pprofil_style_options *options, FILE *out, FILE *errors)
{
    return prof_print(file, symbols, options, &bsd, out, errors);
}

int style_prof_solaris(const struct histogram_file *file, const struct symbol_table *symbols,
                       const struct pprofil_style_options *options, FILE *out, FILE *errors)
{
    return prof_print(file, symbols, options, &solaris, out, errors);
}

int style_prof_solaris_versioned(const struct histogram_file *file, const struct symbol_table *symbols,
                                 const struct pprofil_style_options *options, FILE *out, FILE *errors)
{
    return prof_print(file, symbols, options, &versioned, out, errors);
}

/* Returns the flavour of the system by whose rules the ticks were counted. If these rules are not known, returns the
 * flavour of the system that probably wrote the file. */
static const struct flavour *prof_flavour_of(const struct histogram_file *file)
{
    enum dialect_prof prof = file->dialect != NULL ? file->dialect->prof : DIALECT_PROF_BSD;

    if (file->pc_count > 0 || prof == DIALECT_PROF_VERSIONED)
        return &versioned;
    if (prof == DIALECT_PROF_V7 || file->pointer_size == 2)
        return &v7;
    if (prof == DIALECT_PROF_SYSTEM_V)
        return &solaris;
    if (file->dialect == NULL && file->calls_count > 0)
        return &solaris; /* Solaris was the last system that had mon.out files */
    return &bsd;
}

int style_prof(const struct histogram_file *file, const struct symbol_table *symbols,
               const struct pprofil_style_options *options, FILE *out, FILE *errors)
{
    return prof_print(file, symbols, options, prof_flavour_of(file), out, errors);
}
