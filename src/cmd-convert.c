/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil convert -o OUT FILE: saves a profile in another format. Rows for a database may be those of several profiles:
 * they go to standard output, one profile after the other.
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
#define LABELS_MAX 32

enum option_key {
    KEY_DIALECT = 256,
    KEY_SCALE,
    KEY_NO_SYMBOLIZE,
    KEY_ROOTS,
    KEY_VALUES,
    KEY_BASELINE,
    KEY_LABEL
};

struct convert_command {
    struct pprofil_file out;
    const char *output;
    char **paths;             /* borrowed from argv */
    int path_count;
    const char *labels[2 * LABELS_MAX + 1]; /* as in struct pprofil_file */
    unsigned label_count;
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
    {"label", KEY_LABEL, "KEY=VALUE", 0, "rows for ClickHouse get this label", 1},
    {"no-symbolize", KEY_NO_SYMBOLIZE, 0, 0, "do not look up names", 1},
    {0},
};

/* Adds the argument of --label to the labels, or replaces the earlier one of this key. If it is not a label, complains
 * and ends pprofil. */
static void convert_add_label(struct convert_command *command, char *argument)
{
    char *value = strchr(argument, '=');

    if (value == NULL || value == argument)
        exit(complain("--label %s: a label is KEY=VALUE, as in version=1.2", argument));
    *value = '\0';
    unsigned i = 0;
    while (i < command->label_count && strcmp(command->labels[2 * i], argument) != 0)
        i++;
    if (i == LABELS_MAX)
        exit(complain("--label %s: there are %u labels already", argument, LABELS_MAX));
    command->labels[2 * i] = argument;
    command->labels[2 * i + 1] = value + 1;
    command->label_count += i == command->label_count;
}

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
    case KEY_LABEL:
        convert_add_label(command, argument);
        break;
    case KEY_NO_SYMBOLIZE:
        command->symbolize = false;
        break;
    case ARGP_KEY_ARGS:
        command->paths = state->argv + state->next;
        command->path_count = state->argc - state->next;
        break;
    default:
        return key == ARGP_KEY_ARG ? ARGP_ERR_UNKNOWN : file_operand_parse(key, argument, "convert", NULL);
    }
    return 0;
}

const struct argp convert_argp = {
    options, convert_parse_option, "FILE...", "Saves a profile in another format.", selection_children, choices_help,
    NULL,
};

static const char *convert_format(const struct convert_command *command)
{
    return command->out.format != NULL ? command->out.format : pprofil_format_for(command->output);
}

/* Returns true if an error means that the profile does not say what a heat map would show. */
static bool convert_lacks_times(const struct convert_command *command, int error)
{
    const char *format = convert_format(command);

    return error == PPROFIL_ERROR_NO_SAMPLES &&
           (strcmp(format, "heat-svg") == 0 || strcmp(format, "rank-heat-svg") == 0);
}

/* Prints why there is no heat map. */
static int complain_heat_map(const struct convert_command *command, const char *path)
{
    return complain("%s: %s does not say when CPU time was used; what pprofil has saved as pprof, "
                    "json or events does",
                    command->output, path);
}

static int convert_save(const struct convert_command *command, const char *path, pprofil_profile *profile)
{
    int error = pprofil_profile_save(profile, command->output, &command->out, command->symbolize);

    if (error == 0 || (error == -EPIPE && strcmp(command->output, "-") == 0))
        return 0; /* EPIPE: the reader of the pipe has seen enough */
    if (convert_lacks_times(command, error))
        return complain_heat_map(command, path);
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

/* In "convert -f folded -o flame.svg -", -f means what is read: standard input has no name that would say it, and the
 * name of OUT says what is written. It is so only if folded stacks come in, and if no program could read them from a
 * file of that name. */
static void convert_reconsider_format(struct convert_command *command, const char *path, const pprofil_profile *profile)
{
    const char *named = pprofil_format_by_extension(command->output);
    struct pprofil_format format;

    if (command->out.format == NULL || named == NULL || strcmp(path, "-") != 0 ||
        strcmp(command->out.format, pprofil_profile_format(profile)) != 0)
        return;
    if (output_format_find(named, &format) && !format.readable)
        command->out.format = NULL;
}

/* Converts one of the files. Returns the exit status. */
static int convert_file(struct convert_command *command, char *path)
{
    const struct pprofil_file in = {.size = sizeof in,
                                    .format = command->selection.format,
                                    .object = command->selection.selection.object,
                                    .values = command->out.values};
    pprofil_profile *profile = open_profile(path, &in);
    int status = EXIT_OWN_FAILURE;

    if (profile == NULL)
        return EXIT_OWN_FAILURE;
    convert_reconsider_format(command, path, profile);
    if (selection_apply(&command->selection, path, &profile) && convert_open_baseline(command))
        status = convert_save(command, path, profile);
    pprofil_profile_close(command->out.baseline);
    command->out.baseline = NULL;
    pprofil_profile_close(profile);
    return status;
}

/* Checks what only rows can have: several files, and labels. Returns 0, or complains and returns the exit status. */
static int convert_check_rows(const struct convert_command *command)
{
    bool rows = strcmp(convert_format(command), "clickhouse") == 0;

    if (command->label_count > 0 && !rows)
        return complain("--label: the format %s has no labels; -f clickhouse has", convert_format(command));
    if (command->path_count > 1 && (!rows || strcmp(command->output, "-") != 0))
        return complain("convert: one argument too many: '%s'; only -f clickhouse -o - takes several files, "
                        "and pprofil merge makes one of several",
                        command->paths[1]);
    return 0;
}

int command_convert(int argc, char **argv)
{
    struct convert_command command = {.out = {.size = sizeof command.out}, .symbolize = true};
    int status = 0;

    command_line_parse("pprofil convert", &convert_argp, argc, argv, 0, &command);
    if (command.output == NULL)
        return complain("convert: where to? Give -o OUT");
    if (output_format_check(command.output, command.out.format) != 0 || convert_check_rows(&command) != 0)
        return EXIT_OWN_FAILURE;
    command.out.labels = command.labels;
    for (int i = 0; i < command.path_count; i++)
        if (convert_file(&command, command.paths[i]) != 0)
            status = EXIT_OWN_FAILURE; /* the other files are converted */
    return status;
}
