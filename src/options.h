/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options: what options of several subcommands take. A value that is none is complained of, and
 * ends the program. */
#ifndef PPROFIL_OPTIONS_H
#define PPROFIL_OPTIONS_H

#include "report.h"

/* A number within bounds. */
double number_option(const char *option, const char *text, double lowest, double highest);
/* A whole one, from 0 to 10^9: of rows, or levels. */
uint32_t count_option(const char *option, const char *text);
/* The name of a format of files; list prints all of them, and ends the program too. */
const char *format_option(const char *option, const char *name);
/* Returns how rows are printed: the argument of -f. */
enum report_format report_format_option(const char *text);

#endif
