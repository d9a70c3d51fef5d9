/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints the flat profile of GNU gprof, as gprof -b -p does.
 *
 * This style chooses symbols by other rules than the other styles. It leaves out local symbols with "$" or "." in their
 * names, except some that compilers make from functions. The time of a symbol that is left out goes to the symbol
 * before it. The text of the last symbol ends where the code of the file ends. (gprof itself reads past the end of its
 * own table there.)
 */
#include "config.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/style-internal.h"
#include "report/style.h"
#include "symbol/symbol.h"

bool style_gprof_refuse(enum style_file which, const char *path, int error, FILE *errors)
{
    if (path == NULL)
        path = which == STYLE_TEXT ? "a.out" : "gmon.out";
    if (error == -ENOEXEC && which == STYLE_TEXT)
        fprintf(errors, "gprof: %s: not in executable format\n", path);
    else if (error == PPROFIL_ERROR_DAMAGED && which == STYLE_DATA)
        fprintf(errors, "gprof: %s: unexpected end of file\n", path);
    else if (error == PPROFIL_ERROR_FORMAT || error == PPROFIL_ERROR_DAMAGED)
        return false;
    else
        fprintf(errors, "%s: %s\n", path, pprofil_error_text(error));
    return true;
}

/* --- symbols ----------------------------------------------------------------------------- */

/* largest number of bytes that are read after the end of a name; without a limit, a hostile file could make each search
 * very long */
#define LOOKED_AT 4096u

/* Returns the end of a suffix ".NUMBER" (of a nested function) or of a suffix such as ".constprop.NUMBER" (of a copy of
 * a function). Returns NULL for any other suffix. */
static const char *gprof_skip_suffix(const char *suffix, const char *end)
{
    static const char *const copies[] = {".clone.", ".constprop."};
    bool digit = false;

    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        size_t length = strlen(copies[i]);
        if ((size_t)(end - suffix) > length && memcmp(suffix, copies[i], length) == 0 && suffix[length] != '\0') {
            suffix += length - 1;
            break;
        }
    }
    for (suffix++; suffix < end && *suffix != '\0' && !(digit && *suffix == '.'); suffix++) {
        if (!isdigit((unsigned char)*suffix))
            return NULL;
        digit = true;
    }
    return suffix;
}

/* Returns true if gprof treats a local symbol as a label. If a name ends with a suffix that gprof_skip_suffix accepts,
 * gprof misses the end of the name and reads on in the next name of the file. This function does the same. Otherwise
 * this style would print rows for functions for which gprof prints none. */
static bool gprof_is_label(const struct symbol *symbol)
{
    const char *name = symbol->name, *end = name + strlen(name);

    if (symbol->rest > (size_t)(end - name)) {
        size_t rest = symbol->rest - (size_t)(end - name);
        end += rest < LOOKED_AT ? rest : LOOKED_AT;
    }
    for (; name < end && *name != '\0'; name++) {
        if (*name == '$')
            return true;
        while (name < end && *name == '.')
            if ((name = gprof_skip_suffix(name, end)) == NULL)
                return true;
    }
    return strncmp(symbol->name, "__gnu_compiled", 14) == 0 || strncmp(symbol->name, "___gnu_compiled", 15) == 0;
}

static bool gprof_wanted(const struct symbol *symbol)
{
    if (symbol->type == STT_GNU_IFUNC || (symbol->binding == STB_WEAK && symbol->type == STT_OBJECT))
        return false;
    return symbol->binding != STB_LOCAL || !gprof_is_label(symbol);
}

/* Hides mcount and similar functions. They count calls, and are not part of the profiled program. */
static void gprof_hide(struct ticks_table *table)
{
    static const char *const names[] = {"_gprof_mcount",     "mcount",     "_mcount",  "__mcount",
                                        "__mcount_internal", "__mcleanup", "<locore>", "<hicore>"};

    for (size_t i = 0; i < table->count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strcmp(table->rows[i].symbol->name, names[k]) == 0)
                table->rows[i].hidden = true;
}

/* --- rows -------------------------------------------------------------------------------- */

struct flat_row {
    const struct ticks_row *row;
    double ticks, total; /* total: ticks of the function and of the functions that it called */
    uint64_t calls;
};

static const struct unit {
    char prefix;
    double scale;
} units[] = {{'T', 1e-12}, {'G', 1e-9}, {'M', 1e-6}, {'K', 1e-3}, {' ', 1},   {'m', 1e3},
             {'u', 1e6},   {'n', 1e9},  {'p', 1e12}, {'f', 1e15}, {'a', 1e18}};

/* Compares rows for qsort: by time and then by calls, largest first, then by name and address. */
static int gprof_compare(const void *left, const void *right)
{
    const struct flat_row *a = left, *b = right;

    if (a->ticks != b->ticks)
        return a->ticks > b->ticks ? -1 : 1;
    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    int order = strcmp(a->row->symbol->name, b->row->symbol->name);
    if (order != 0)
        return order;
    return a->row->address < b->row->address ? -1 : a->row->address > b->row->address;
}

/* Returns the unit in which the longest time per call has one to three digits before the point. If no call has any
 * time, returns the first unit, tera. */
static const struct unit *gprof_choose_unit(const struct flat_row *rows, size_t count, double hz)
{
    double longest = 0;
    size_t last = sizeof units / sizeof *units - 1;

    for (size_t i = 0; i < count; i++)
        if (rows[i].calls > 0 && rows[i].total / (double)rows[i].calls > longest)
            longest = rows[i].total / (double)rows[i].calls;
    if (longest <= 0)
        return &units[0];
    longest /= hz;
    for (size_t i = 0; i < last; i++)
        if (units[i].scale * longest >= 1 && units[i].scale * longest < 1000)
            return &units[i];
    return &units[last];
}

static void gprof_print_header(FILE *out, double hz, bool none, const struct unit *unit)
{
    const char per_call[] = {unit->prefix, 's', '/', 'c', 'a', 'l', 'l', '\0'};

    fprintf(out, "Flat profile:\n\nEach sample counts as %g seconds.\n", 1 / hz);
    if (none)
        fputs(" no time accumulated\n\n", out);
    fprintf(out, "%5.5s %10.10s %8.8s %8.8s %8.8s %8.8s  %-8.8s\n", "%  ", "cumulative", "self  ",
            "", "self  ", "total ", "");
    fprintf(out, "%5.5s %9.9s  %8.8s %8.8s %8.8s %8.8s  %-8.8s\n", "time", "seconds", "seconds",
            "calls", per_call, per_call, "name");
}

static void gprof_print_name(FILE *out, const char *name)
{
    char *plain = demangle(name);

    fprintf(out, "%s\n", plain != NULL ? plain : name);
    free(plain);
}

static void gprof_print_row(FILE *out, const struct flat_row *row, double hz, double total, double *ticks, double scale)
{
    *ticks += row->ticks;
    fprintf(out, "%6.2f %9.2f %8.2f", total > 0 ? 100 * row->ticks / total : 0, *ticks / hz, row->ticks / hz);
    if (row->calls > 0)
        fprintf(out, " %8" PRIu64 " %8.2f %8.2f  ", row->calls,
                scale * row->ticks / hz / (double)row->calls,
                scale * row->total / hz / (double)row->calls);
    else
        fprintf(out, " %8.8s %8.8s %8.8s  ", "", "", "");
    gprof_print_name(out, row->row->symbol->name);
}

static void gprof_print_rows(FILE *out, const struct flat_row *rows, size_t count, double hz, double total, bool zeros)
{
    const struct unit *unit = gprof_choose_unit(rows, count, hz);
    double ticks = 0;

    gprof_print_header(out, hz, total <= 0, unit);
    for (size_t i = 0; i < count; i++)
        if (!rows[i].row->hidden && (zeros || rows[i].calls > 0 || rows[i].ticks != 0))
            gprof_print_row(out, &rows[i], hz, total, &ticks, unit->scale);
}

/* --- the report -------------------------------------------------------------------------- */

static int gprof_print(const struct histogram_file *file, struct ticks_table *table, double hz, bool zeros, FILE *out)
{
    struct flat_row *rows = calloc(table->count, sizeof *rows);
    double *below = calloc(table->count, sizeof *below);
    int error = rows == NULL || below == NULL ? -ENOMEM : 0;

    gprof_hide(table);
    ticks_add_file(table, file, TICKS_UNITS);
    if (error == 0)
        error = call_graph(file, table, below);
    for (size_t i = 0; error == 0 && i < table->count; i++)
        rows[i] = (struct flat_row){.row = &table->rows[i],
                                    .ticks = table->rows[i].ticks,
                                    .total = table->rows[i].ticks + below[i],
                                    .calls = table->rows[i].calls};
    if (error == 0) {
        qsort(rows, table->count, sizeof *rows, gprof_compare);
        gprof_print_rows(out, rows, table->count, hz, table->total, zeros);
    }
    free(rows);
    free(below);
    return error;
}

int style_gprof(const struct histogram_file *file, const struct symbol_table *symbols,
                const struct pprofil_style_options *options, FILE *out, FILE *errors)
{
    double hz = file->rate_hz;
    struct ticks_table table;
    int error = ticks_new(symbols, gprof_wanted, &table);

    if (error == 0 && table.count == 0) {
        fprintf(errors, "gprof: file `%s' has no symbols\n", file->object != NULL ? file->object : "a.out");
        error = PPROFIL_ERROR_EXPLAINED;
    }
    if (error == 0 && hz <= 0) {
        fputs("gprof: time is in ticks, not seconds\n", errors);
        hz = 1;
    }
    if (error == 0)
        error = gprof_print(file, &table, hz, options->zeros, out);
    ticks_clear(&table);
    return error;
}
