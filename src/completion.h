/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* completion: prints programs with which shells complete command lines of pprofil. They are made of the tables of
 * options and words that pprofil itself reads, and of the parts in src/completion/. */
#ifndef PPROFIL_COMPLETION_H
#define PPROFIL_COMPLETION_H

#include <stdio.h>

#include "choices.h"
#include "option-table.h"

#define OPERANDS_MAX 4
#define VALUE_LISTS_MAX 2

/* What can stand in a place of a command line. Everything is false or 0 if only the user knows it. */
struct completion_values {
    bool files, directories, pids;
    bool comma; /* several values can stand there, with commas between them */
    const struct choices *lists[VALUE_LISTS_MAX];
    unsigned list_count;
};

struct completion_command {
    const char *name;                /* "run": pprofil PROGRAM */
    const char *summary;             /* NULL: none */
    struct option_table options;     /* those that --help shows, and those of OPTION_ELSEWHERE */
    bool runs_program;               /* the first operand is a program, and the others are its arguments */
    char operands[OPERANDS_MAX][32]; /* their names in --help */
    unsigned operand_count;
    bool repeated; /* the last operand may be given several times */
};

/* Describes pprofil PROGRAM, if `i` is 0, or a subcommand. Returns false if `i` is too large. */
bool completion_command(unsigned i, struct completion_command *command);

/* Finds the values of an argument by its name in --help, such as "FILE" or "FORMAT|KIND". */
struct completion_values completion_values(const char *placeholder);

/* Writes what --help says of an option. The text is cut after size - 1 bytes. */
void completion_text(const struct argp_option *option, char *text, size_t size);

/* Prints the completions for the shell of this index in choices_shells. Returns the exit status. */
int completion_print(int shell);

/* --- for each shell ------------------------------------------------------------------------ */

void completion_print_bash(FILE *out);
void completion_print_zsh(FILE *out);
void completion_print_fish(FILE *out);

/* src/completion/completion.bash and its like, as strings */
extern const char completion_bash[], completion_zsh[], completion_fish[];

#endif
