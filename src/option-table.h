/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* option-table: the options of a command as one list, and a check of command lines against it. */
#ifndef PPROFIL_OPTION_TABLE_H
#define PPROFIL_OPTION_TABLE_H

#include <argp.h>
#include <stdbool.h>

#define OPTIONS_MAX 128

/* The flags of an option that --help does not show, because another --help does. Completions have it. */
#define OPTION_ELSEWHERE (OPTION_HIDDEN | OPTION_NO_USAGE)

struct option_table {
    const struct argp_option *options[OPTIONS_MAX];
    unsigned count;
};

/* Adds the options of a parser and of its children, without headers and texts. */
void option_table_add(struct option_table *table, const struct argp *argp);

/* Returns the letter of an option, or '\0' if it has none. */
char option_letter(const struct argp_option *option);

/* Checks the words of a command line, from words[1] on: that there is such an option, and that it has its argument. If
 * not, complains in one line and ends pprofil. `name` is what messages call the command, such as "pprofil report". If
 * `in_order` is true, the options end at the first word that is none. Returns the number of that word, or `count`. */
int option_table_check(const struct option_table *table, const char *name, int count, char **words, bool in_order);

#endif
