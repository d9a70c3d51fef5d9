/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprofil merge -o OUT FILE...: makes one profile of several. */
#include "config.h"

#include <argp.h>
#include <string.h>

#include "arguments.h"
#include "command-line.h"
#include "merge.h"

#define EXIT_LEFT_OUT 1 /* the output was written, but without some of the files */

enum option_key { KEY_CPU = 256, KEY_NO_SYMBOLIZE, KEY_FILES_FROM };

struct merge_command {
    const char *output;
    /* name of the format of `output`; NULL: the extension of the file's name selects the format */
    const char *format;
    struct selection_request selection; /* which part of the sum is wanted */
    char **paths;                       /* borrowed from argv */
    int path_count;
    const char *list; /* path of a file with more paths; NULL: none */
    struct merge_inputs inputs;
    size_t closed_count; /* operands that could not be read, which were complained of */
    unsigned how;
    unsigned jobs; /* how many threads merge; 0: not given */
    bool symbolize;
};

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "the file to write; it may be one of FILE", 1},
    {"format", 'f', "FORMAT", 0, "the format of OUT, if its name does not say: see pprofil-formats(5)", 1},
    {"cpu", KEY_CPU, 0, 0, "take only the CPU time of profiles of elapsed time", 1},
    {"files-from", KEY_FILES_FROM, "LIST", 0, "merge also the files that LIST names, one a line; -: standard input", 1},
    {"jobs", 'j', "NUMBER", 0, "read so many files at a time (as many as there are CPUs)", 1},
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
    case KEY_FILES_FROM:
        command->list = argument;
        break;
    case 'j':
        command->jobs = (unsigned)number_option("-j", argument, 1, MERGE_THREADS_MAX);
        break;
    case ARGP_KEY_ARGS:
        command->paths = state->argv + state->next;
        command->path_count = state->argc - state->next;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp merge_argp = {
    options, merge_parse_option, "FILE|FOLDER...", "Makes one profile of several.", selection_children, NULL, NULL,
};

static int merge_find_inputs(struct merge_command *command)
{
    int status = command->list == NULL ? 0 : merge_inputs_add_list(&command->inputs, command->list);

    for (int i = 0; status == 0 && i < command->path_count; i++)
        command->closed_count += merge_inputs_add_operand(&command->inputs, command->paths[i]) != 0;
    if (status == 0 && command->inputs.count == 0)
        status = command->closed_count > 0 ? EXIT_OWN_FAILURE
                                           : complain("merge: there are no files in %s",
                                                      command->list != NULL ? command->list : command->paths[0]);
    return status;
}

/* Writes the merged profile, and says how many files are not in it. */
static int merge_save(const struct merge_command *command, pprofil_profile *merged, size_t left_out)
{
    const struct pprofil_file file = {.size = sizeof file, .format = command->format};

    if (left_out == command->inputs.count)
        return EXIT_OWN_FAILURE; /* each file was complained of */
    left_out += command->closed_count;
    int error = pprofil_profile_save(merged, command->output, &file, command->symbolize);
    if (error != 0)
        return complain_file(command->output, error, true);
    if (left_out == 0)
        return 0;
    complain("merge: %zu of %zu files were left out", left_out, command->inputs.count + command->closed_count);
    return EXIT_LEFT_OUT;
}

int command_merge(int argc, char **argv)
{
    struct merge_command command = {.symbolize = true};
    pprofil_profile *merged = NULL;
    size_t left_out;

    command_line_parse("pprofil merge", &merge_argp, argc, argv, 0, &command);
    if (command.output == NULL)
        return complain("merge: where to? Give -o OUT");
    if (command.path_count == 0 && command.list == NULL)
        return complain("merge: which FILEs? See pprofil merge --help");
    if (output_format_check(command.output, command.format) != 0)
        return EXIT_OWN_FAILURE;
    command.inputs.output = strcmp(command.output, "-") == 0 ? NULL : command.output;
    int status = merge_find_inputs(&command);
    const struct merge_work work = {.inputs = &command.inputs,
                                    .selection = &command.selection,
                                    .how = command.how,
                                    .threads = command.jobs > 0 ? command.jobs : merge_threads_best()};
    if (status == 0)
        status = merge_run(&work, &merged, &left_out);
    if (status == 0)
        status = merge_save(&command, merged, left_out);
    if (merged != NULL)
        pprofil_profile_close(merged);
    merge_inputs_clear(&command.inputs);
    return status;
}
