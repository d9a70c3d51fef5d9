/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * style: prints reports that equal, byte for byte, the reports of other systems' profilers, such as prof, gprof and
 * kprof. The files style-*.c write text to a stream of the caller. All other files of this directory only return data.
 *
 * The profiled program is an ELF file. Styles read it by the rules of the old profilers: all code from one symbol to
 * the next counts for the first of them, even if its size is smaller. Static functions have rows, as with the options
 * -a and -g of prof. If an address has several names, the rules of gprof choose one of them.
 */
#ifndef PPROFIL_STYLE_H
#define PPROFIL_STYLE_H

#include <stdbool.h>
#include <stdio.h>

#include "dialect/histogram.h"
#include "pprofil.h"
#include "symbol/symbol.h"

/* Prints a report to the stream `out`. The addresses in *symbols and in *file are of the same kind: link-time addresses
 * or, if style.whole is true, the addresses at which objects were mapped. Returns 0, -ENOMEM, or
 * PPROFIL_ERROR_EXPLAINED if there is nothing to print; in this case the function has written the reason to the stream
 * `errors`, in the old program's own words. The caller checks whether writing to `out` failed. */
typedef int style_function(const struct histogram_file *file, const struct symbol_table *symbols,
                           const struct pprofil_style_options *options, FILE *out, FILE *errors);

style_function style_kprof, style_kprof_plan9;
style_function style_prof; /* prints like the prof of the system that wrote the file */
style_function style_prof_v7, style_prof_bsd, style_prof_solaris, style_prof_solaris_versioned;
style_function style_gprof;
style_function style_gperf;

/* The two files that the old programs read: the profiled program, and its profile. */
enum style_file { STYLE_TEXT, STYLE_DATA };

struct style {
    const char *name;
    const char *summary; /* description for users, one line */
    /* name of the dialect (pprofil-dialects(7)) by whose rules a saved profile is turned into counters for this
     * report */
    const char *dialect;
    /* the report is for all objects, not only for the program. Addresses are those at which the objects were mapped */
    bool whole;
    style_function *print;
    /* Prints to the stream `errors`, in the old program's own words, why a file could not be read. `path` is NULL if
     * the user gave no path. `error`: for STYLE_TEXT an error of open(2), or -ENOEXEC if the file is not an ELF
     * file; for STYLE_DATA an error of format_read_histograms. Returns false if the old program had no words for
     * this error. */
    bool (*refuse)(enum style_file which, const char *path, int error, FILE *errors);
};

/* style_find returns the style with the name `name`. style_at returns the i-th style, in the order of the manual page.
 * Both return NULL if there is no such style. */
const struct style *style_find(const char *name);
const struct style *style_at(unsigned i);

/* The functions to which the field style.refuse points, one for each old program. */
bool style_kprof_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_v7_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_bsd_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_solaris_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_gprof_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_gperf_refuse(enum style_file which, const char *path, int error, FILE *errors);

#endif
