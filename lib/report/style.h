/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * style: the old systems' own reports, made of what their files hold. Their bytes are the result,
 * so here, unlike in the rest of the room, text is made: into the caller's stream.
 *
 * What the programs did to programs of their day they do to ELF files: text belongs to the symbol
 * before it, whatever that one's size, static functions have rows (as prof -a and -g showed
 * them), and of several names for one address one is chosen, as gprof chooses.
 */
#ifndef PPROFIL_STYLE_H
#define PPROFIL_STYLE_H

#include <stdbool.h>
#include <stdio.h>

#include "dialect/histogram.h"
#include "pprofil/error.h"
#include "pprofil/report.h"
#include "symbol/symbol.h"

/* Prints the report. Symbols have link-time addresses, as the histograms. 0; -ENOMEM;
 * PPROFIL_ERROR_EXPLAINED: there is nothing to print, and errors has got the reason in the program's own words. Whether
 * out could be written is for the caller to see. */
typedef int style_function(const struct histogram_file *file, const struct symbol_table *symbols,
                           const struct pprofil_style_options *options, FILE *out, FILE *errors);

style_function style_kprof, style_kprof_plan9;
style_function style_prof; /* the flavour that the file is of */
style_function style_prof_v7, style_prof_bsd, style_prof_solaris, style_prof_solaris_versioned;
style_function style_gprof;
style_function style_gperf;

/* The files that a program was told to read. */
enum style_file { STYLE_TEXT, STYLE_DATA };

struct style {
    const char *name;
    const char *summary; /* for people, one line */
    const char *dialect; /* by whose rules a profile becomes counters for this report */
    bool whole;          /* of all objects: as raw pcs where they were mapped */
    style_function *print;
    /* Says in the program's own words why a file could not be read; path NULL: none was given. The error of a TEXT is
     * as of open, or -ENOEXEC: it is no ELF file. That of DATA is as of histogram_open. False: it has no words for
     * this. */
    bool (*refuse)(enum style_file which, const char *path, int error, FILE *errors);
};

/* By its name; in the order of the manual page; NULL: there is none. */
const struct style *style_find(const char *name);
const struct style *style_at(unsigned i);

/* What the programs say of files: style.refuse. */
bool style_kprof_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_v7_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_bsd_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_solaris_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_gprof_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_gperf_refuse(enum style_file which, const char *path, int error, FILE *errors);

#endif
