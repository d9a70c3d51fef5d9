/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil convert -o OUT FILE: saves a profile in another format.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "choices.h"
#include "command-line.h"
#include "options.h"

#define SCALE_MAX 65536

enum option_key {
    KEY_DIALECT = 256,
    KEY_SCALE,
    KEY_NO_SYMBOLIZE,
    KEY_ROOTS,
    KEY_VALUES,
    KEY_BASELINE
};

struct convert_command {
    struct pprofil_file out;
    const char *path, *output;
    const char *baseline;     /* path of the profile to compare with; NULL: none */
    struct selection_request selection;
    bool symbolize;
};

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "the file to write; -: standard output", 1},
    {"format", 'f', "FORMAT", 0, "the format of OUT, if its name does not say; list: print all formats", 1},
    {"dialect", KEY_DIALECT, "DIALECT", 0, "count as this system did, if OUT holds counters", 1},
    {"scale", KEY_SCALE, "N", 0, "bytes of counters for 65536 bytes of text (32768)", 1},
    {"roots", KEY_ROOTS, "WHO", 0,
     "folded stacks begin with: {WHO} (process, if there are several)", 1},
    {"values", KEY_VALUES, "UNIT", 0, "folded stacks count samples or time, in us (samples)", 1},
    {"baseline", KEY_BASELINE, "OLD", 0, "show what has changed since OLD, if OUT is a flame graph", 1},
    {"no-symbolize", KEY_NO_SYMBOLIZE, 0, 0, "do not look up names", 1},
    {0},
};

static error_t convert_parse_option(int key, char *argument, struct argp_state *state)
{
    struct convert_command *command = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &command->selection;
        break;
    case 'o':
        command->output = argument;
        break;
    case 'f':
        command->out.format = format_option("-f", argument);
        break;
    case KEY_DIALECT:
        command->out.dialect = choice_option_name("--dialect", &choices_dialects, argument);
        break;
    case KEY_SCALE:
        command->out.scale = (uint32_t)number_option("--scale", argument, 1, SCALE_MAX);
        break;
    case KEY_ROOTS:
        command->out.roots = choice_option_name("--roots", &choices_roots, argument);
        break;
    case KEY_VALUES:
        command->out.values = choice_option_name("--values", &choices_values, argument);
        break;
    case KEY_BASELINE:
        command->baseline = argument;
        break;
    case KEY_NO_SYMBOLIZE:
        command->symbolize = false;
        break;
    default:
        return file_operand_parse(key, argument, "convert", &command->path);
    }
    return 0;
}

const struct argp convert_argp = {
    options, convert_parse_option, "FILE", "Saves a profile in another format.", selection_children, choices_help, NULL,
};

static bool is_heat_map(const struct convert_command *command)
{
    const char *name = command->out.format != NULL ? command->out.format : pprofil_format_for(command->output);
    return strcmp(name, "heat-svg") == 0;
}

/* Prints why there is no heat map. */
static int complain_heat_map(const struct convert_command *command)
{
    return complain("%s: %s does not say when CPU time was used; what pprofil has saved as pprof, "
                    "json or events does",
                    command->output, command->path);
}

static int convert_save(const struct convert_command *command, pprofil_profile *profile)
{
    int error = pprofil_profile_save(profile, command->output, &command->out, command->symbolize);

    if (error == 0 || (error == -EPIPE && strcmp(command->output, "-") == 0))
        return 0; /* EPIPE: the reader of the pipe has seen enough */
    if (error == PPROFIL_ERROR_NO_SAMPLES && is_heat_map(command))
        return complain_heat_map(command);
    if (error == PPROFIL_ERROR_DIALECT)
        return complain("--dialect %s: %s", command->out.dialect, pprofil_error_text(error));
    return complain_saving(profile, command->output, &command->out, error);
}

/* Opens the baseline, if there is one, and selects the same part of the baseline as of the profile.
 * On failure it complains and returns false. */
static bool convert_open_baseline(struct convert_command *command)
{
    if (command->baseline == NULL)
        return true;
    command->out.baseline = open_profile(command->baseline, NULL);
    return command->out.baseline != NULL &&
           selection_apply(&command->selection, command->baseline, &command->out.baseline);
}

int command_convert(int argc, char **argv)
{
    struct convert_command command = {.out = {.size = sizeof command.out}, .symbolize = true};

    command_line_parse("pprofil convert", &convert_argp, argc, argv, 0, &command);
    if (command.output == NULL)
        return complain("convert: where to? Give -o OUT");
    if (output_format_check(command.output, command.out.format) != 0)
        return EXIT_OWN_FAILURE;
    const struct pprofil_file in = {.size = sizeof in,
                                    .format = command.selection.format,
                                    .object = command.selection.selection.object,
                                    .values = command.out.values};
    pprofil_profile *profile = open_profile(command.path, &in);
    if (profile == NULL)
        return EXIT_OWN_FAILURE;
    int status = EXIT_OWN_FAILURE;
    if (selection_apply(&command.selection, command.path, &profile) && convert_open_baseline(&command))
        status = convert_save(&command, profile);
    pprofil_profile_close(command.out.baseline);
    pprofil_profile_close(profile);
    return status;
}
