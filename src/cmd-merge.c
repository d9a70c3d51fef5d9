/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil merge -o OUT FILE...: makes one profile of several. Each file is merged and closed before
 * the next one is read.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "command-line.h"
#include "options.h"

enum option_key { KEY_CPU = 256, KEY_NO_SYMBOLIZE };

struct merge_command {
    const char *output;
    /* name of the format of `output`; NULL: the extension of the file's name selects the format */
    const char *format;
    struct selection_request selection; /* which part of each file is merged */
    char **paths;       /* borrowed from argv */
    int path_count;
    unsigned how;
    bool symbolize;
};

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "the file to write; it may be one of FILE", 1},
    {"format", 'f', "FORMAT", 0,
     "the format of OUT, if its name does not say: see pprofil-formats(5)", 1},
    {"cpu", KEY_CPU, 0, 0, "take only the CPU time of profiles of elapsed time", 1},
    {"no-symbolize", KEY_NO_SYMBOLIZE, 0, 0, "do not look up names", 1},
    {0},
};

static error_t merge_parse_option(int key, char *argument, struct argp_state *state)
{
    struct merge_command *command = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &command->selection;
        break;
    case 'o':
        command->output = argument;
        break;
    case 'f':
        command->format = format_option("-f", argument);
        break;
    case KEY_CPU:
        command->how |= PPROFIL_MERGE_CPU;
        break;
    case KEY_NO_SYMBOLIZE:
        command->symbolize = false;
        break;
    case ARGP_KEY_ARGS:
        command->paths = state->argv + state->next;
        command->path_count = state->argc - state->next;
        break;
    case ARGP_KEY_NO_ARGS:
        exit(complain("merge: which FILEs? See pprofil merge --help"));
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp merge_argp = {
    options, merge_parse_option, "FILE...", "Makes one profile of several.", selection_children, NULL, NULL,
};

static int merge_profile(const struct merge_command *command, pprofil_profile *into,
                         pprofil_profile *profile, const char *path)
{
    int error = pprofil_profile_merge(into, profile, command->how), status = 0;

    if (error == PPROFIL_ERROR_MIXED_TIMES)
        status = complain("%s: some profiles are of elapsed time, others of CPU time; --cpu merges "
                          "the CPU time of all",
                          path);
    else if (error == -EOVERFLOW)
        status = complain("%s: with this profile the sums overflow", path);
    else if (error != 0)
        status = complain_file(path, error, false);
    return status;
}

static int merge_file(const struct merge_command *command, pprofil_profile *into, const char *path)
{
    pprofil_profile *profile = selection_open(&command->selection, path);

    if (profile == NULL)
        return EXIT_OWN_FAILURE;
    int status = merge_profile(command, into, profile, path);
    pprofil_profile_close(profile);
    return status;
}

int command_merge(int argc, char **argv)
{
    struct merge_command command = {.symbolize = true};
    pprofil_profile *merged;

    command_line_parse("pprofil merge", &merge_argp, argc, argv, 0, &command);
    if (command.output == NULL)
        return complain("merge: where to? Give -o OUT");
    if (output_format_check(command.output, command.format) != 0)
        return EXIT_OWN_FAILURE;
    int error = pprofil_profile_new(&merged), status = 0;
    if (error != 0)
        return complain_file(command.output, error, true);
    for (int i = 0; status == 0 && i < command.path_count; i++)
        status = merge_file(&command, merged, command.paths[i]);
    const struct pprofil_file file = {.size = sizeof file, .format = command.format};
    if (status == 0)
        error = pprofil_profile_save(merged, command.output, &file, command.symbolize);
    if (error != 0)
        status = complain_file(command.output, error, true);
    pprofil_profile_close(merged);
    return status;
}
