/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprofil help [COMMAND]: prints what --help prints, of pprofil or of a subcommand. */
#include "config.h"

#include <argp.h>
#include <string.h>

#include "choices.h"
#include "command-line.h"
#include "command.h"

static error_t help_parse_option(int key, char *argument, struct argp_state *state)
{
    const char **topic = state->input;

    if (key != ARGP_KEY_ARG || *topic != NULL)
        return ARGP_ERR_UNKNOWN;
    *topic = argument;
    return 0;
}

const struct argp help_argp = {
    NULL, help_parse_option, "[COMMAND]", "Prints the options of pprofil, or of a command.", NULL, NULL, NULL,
};

int command_help(int argc, char **argv)
{
    char whole[] = "--help", dialects[] = "--help=dialects";
    char *asked[] = {argv[0], whole, NULL};
    const char *topic = NULL;

    command_line_parse("pprofil help", &help_argp, argc, argv, 0, &topic);
    /* "run" stands for pprofil without a command, as in the file of options */
    if (topic == NULL || strcmp(topic, "run") == 0)
        return command_run(2, asked);
    if (strcmp(topic, "dialects") == 0) {
        asked[1] = dialects;
        return command_run(2, asked);
    }
    const struct command *command = command_at((unsigned)choice_option("help", &choices_commands, topic));
    return command->run(2, asked);
}
