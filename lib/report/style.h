/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * style: the reports of older systems' programs, byte for byte. So text is made here, into the
 * caller's stream, unlike in the rest of this room.
 *
 * Programs are ELF files, to which the rules of these programs are applied: text belongs to the
 * symbol before it, whatever the size of that symbol; static functions have rows, as with prof -a
 * and -g; and if an address has several names, one is chosen as gprof chooses.
 */
#ifndef PPROFIL_STYLE_H
#define PPROFIL_STYLE_H

#include <stdbool.h>
#include <stdio.h>

#include "dialect/histogram.h"
#include "pprofil.h"
#include "symbol/symbol.h"

/* Prints a report. The addresses of symbols and histograms are those of the linker. 0; -ENOMEM;
 * PPROFIL_ERROR_EXPLAINED: there is nothing to print, and errors has got the reason in the
 * program's own words. The caller checks whether out could be written. */
typedef int style_function(const struct histogram_file *file, const struct symbol_table *symbols,
                           const struct pprofil_style_options *options, FILE *out, FILE *errors);

style_function style_kprof, style_kprof_plan9;
style_function style_prof; /* of the system that wrote the file */
style_function style_prof_v7, style_prof_bsd, style_prof_solaris, style_prof_solaris_versioned;
style_function style_gprof;
style_function style_gperf;

/* The files that these programs read. */
enum style_file { STYLE_TEXT, STYLE_DATA };

struct style {
    const char *name;
    const char *summary; /* for people, one line */
    const char *dialect; /* the rules by which a profile becomes counters for this report */
    bool whole; /* samples of all objects are in the report, as raw pcs where they were mapped */
    style_function *print;
    /* Says in the program's own words why a file could not be read. path: NULL if none was given.
     * The error of TEXT is one of open(2), or -ENOEXEC: it is not an ELF file; that of DATA one of
     * histogram_open. False: the program has no words for this. */
    bool (*refuse)(enum style_file which, const char *path, int error, FILE *errors);
};

/* Return the style of a name, and the i-th one in the order of the manual page. NULL: there is
 * none. */
const struct style *style_find(const char *name);
const struct style *style_at(unsigned i);

/* style.refuse of the programs. */
bool style_kprof_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_v7_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_bsd_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_solaris_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_gprof_refuse(enum style_file which, const char *path, int error, FILE *errors);
bool style_gperf_refuse(enum style_file which, const char *path, int error, FILE *errors);

#endif
