/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses command lines: see command-line.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "command-line.h"
#include "command.h"

enum common_key { KEY_USAGE = 256 };

/* These replace argp's own options, which have no -h. */
static const struct argp_option common_options[] = {
    {"help", 'h', 0, 0, "print this help", -1},
    {0, '?', 0, OPTION_HIDDEN, 0, -1},
    {"usage", KEY_USAGE, 0, 0, "print a short usage message", -1},
    {"version", 'V', 0, 0, "print the version", -1},
    {0},
};

static error_t common_parse_option(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    switch (key) {
    case 'h':
    case '?':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        break;
    case KEY_USAGE:
        argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        break;
    case 'V':
        puts("pprofil " PACKAGE_VERSION);
        exit(fflush(stdout) == 0 ? 0 : EXIT_OWN_FAILURE);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp common_parser = {.options = common_options, .parser = common_parse_option};

/* Leaves out argp's note about the arguments of short options, which says what everybody knows. */
static char *common_help(int key, const char *text, void *input)
{
    (void)input;
    return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)text;
}

/* Returns a copy of the command line in which the first word is `name`. */
static char **command_line_copy(const char *name, int argc, char **argv)
{
    char **words = calloc((size_t)argc + 1, sizeof *words);

    if (words == NULL)
        exit(complain("out of memory"));
    words[0] = (char *)name;
    for (int i = 1; i < argc; i++)
        words[i] = argv[i];
    return words;
}

void command_line_options(const struct argp *argp, struct option_table *table)
{
    option_table_add(table, argp);
    option_table_add(table, &common_parser);
}

void command_line_parse(const char *name, const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
    static char **words; /* never freed, because parsers keep pointers to its elements */
    const struct argp_child children[] = {{argp, 0, NULL, 0}, {&common_parser, 0, NULL, 0}, {0}};
    /* without a parser, it passes `input` on to its first child */
    const struct argp whole = {.children = children, .help_filter = common_help};

    struct option_table table = {0};
    int end;

    argp_err_exit_status = EXIT_OWN_FAILURE;
    words = command_line_copy(name, argc, argv);
    command_line_options(argp, &table);
    option_table_check(&table, name, argc, words, (flags & ARGP_IN_ORDER) != 0);
    argp_parse(&whole, argc, words, flags | ARGP_NO_HELP, &end, input);
    if (end < argc)
        exit(complain("one argument too many: '%s'; see %s --help", words[end], name));
}
