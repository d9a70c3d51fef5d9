/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* command-line: parses the command line of pprofil and of each subcommand, with the options that all of them have. */
#ifndef PPROFIL_COMMAND_LINE_H
#define PPROFIL_COMMAND_LINE_H

#include <argp.h>

#include "option-table.h"

/* Parses a command line with the options of `argp`, and with -h, --help, --usage, -V and --version, which end
 * pprofil. `name` is what messages and --help call the command, such as "pprofil report". `flags` and `input` are
 * those of argp_parse(3). A wrong option ends pprofil with a message. The user's own options (config-options.h) are
 * parsed before those of the command line; each time, the parser gets an ARGP_KEY_INIT first. The words of `argv`
 * are not changed. Parsers may keep pointers to the words that they get, and to the elements of state->argv. */
void command_line_parse(const char *name, const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/* Adds all options of a command to the table, with those that all commands have. */
void command_line_options(const struct argp *argp, struct option_table *table);

#endif
