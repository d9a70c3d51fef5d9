/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses command lines: see command-line.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command-line.h"
#include "command.h"
#include "config-options.h"
#include "output-stream.h"

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
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK);
        break;
    case KEY_USAGE:
        argp_state_help(state, stdout, ARGP_HELP_USAGE);
        break;
    case 'V':
        puts("pprofil " PACKAGE_VERSION);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    exit(output_flush());
}

static const struct argp common_parser = {.options = common_options, .parser = common_parse_option};

/* Leaves out argp's note about the arguments of short options, which says what everybody knows. */
static char *common_help(int key, const char *text, void *input)
{
    (void)input;
    return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)text;
}

void command_line_options(const struct argp *argp, struct option_table *table)
{
    option_table_add(table, argp);
    option_table_add(table, &common_parser);
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

/* --- the user's options, which come first ------------------------------------------------------ */

/* The input of the parser below. */
struct defaults {
    const struct argp *argp; /* of the command */
    void *input;
};

/* Parses options that are not on the command line. The command's parser does not see the end of them, where it would
 * check whether anything is missing. */
static error_t defaults_parse_option(int key, char *argument, struct argp_state *state)
{
    const struct defaults *defaults = state->input;

    if (key == ARGP_KEY_END || key == ARGP_KEY_NO_ARGS || key == ARGP_KEY_SUCCESS)
        return ARGP_ERR_UNKNOWN;
    state->input = defaults->input;
    return defaults->argp->parser(key, argument, state);
}

static void defaults_parse(const struct defaults *defaults, const char *name, const struct config_line *line)
{
    struct argp argp = *defaults->argp;
    struct option_table table = {0};

    argp.parser = defaults_parse_option;
    option_table_add(&table, defaults->argp);
    complain_about(line->path, line->number);
    int end = option_table_check(&table, name, line->count, line->words, true);
    if (end < line->count)
        exit(complain("only options can be here, not '%s'", line->words[end]));
    argp_parse(&argp, line->count, line->words, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, (void *)defaults);
    complain_about(NULL, 0);
}

/* Returns true if the user's own options are not needed. Help comes even if they are wrong. */
static bool asks_for_help(char **words, int count)
{
    static const char *const helps[] = {"-h", "-?", "--help", "--usage", "-V", "--version"};

    if (strcmp(words[0], "pprofil help") == 0)
        return true;
    for (int i = 1; i < count; i++)
        for (size_t k = 0; k < sizeof helps / sizeof *helps; k++)
            if (strcmp(words[i], helps[k]) == 0)
                return true;
    return false;
}

void command_line_parse(const char *name, const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
    /* not freed at the end, because parsers keep pointers into them */
    static struct config_options config;
    static char **words;
    const char *blank = strchr(name, ' ');
    const struct argp_child children[] = {{argp, 0, NULL, 0}, {&common_parser, 0, NULL, 0}, {0}};
    /* without a parser, it passes `input` on to its first child */
    const struct argp whole = {.children = children, .help_filter = common_help};
    const struct defaults defaults = {argp, input};
    struct option_table table = {0};

    argp_err_exit_status = EXIT_OWN_FAILURE;
    free(words); /* of pprofil help, which calls another command */
    words = command_line_copy(name, argc, argv);
    command_line_options(argp, &table);
    int end = option_table_check(&table, name, argc, words, (flags & ARGP_IN_ORDER) != 0);
    if (!asks_for_help(words, end))
        config_options_read(blank != NULL ? blank + 1 : "run", &config);
    for (unsigned i = 0; i < config.count; i++)
        defaults_parse(&defaults, name, &config.lines[i]);
    argp_parse(&whole, argc, words, flags | ARGP_NO_HELP, &end, input);
    if (end < argc)
        exit(complain("one argument too many: '%s'; see %s --help", words[end], name));
}
