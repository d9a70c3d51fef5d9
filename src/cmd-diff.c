/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil diff OLD NEW: shows how two profiles differ, and which differences may be chance.
 */
#include "config.h"

#include <argp.h>
#include <stdlib.h>

#include "arguments.h"
#include "choices.h"
#include "command-line.h"
#include "options.h"
#include "output-stream.h"
#include "report.h"

#define DEFAULT_ROWS 30
#define EXIT_DIFFERENT 1

enum option_key { KEY_ABSOLUTE = 256, KEY_PER_ELAPSED, KEY_LEAST, KEY_EXIT_CODE };

struct diff_command {
    struct pprofil_diff_options how;
    struct diff_view view;
    const char *output; /* NULL: standard output */
    struct selection_request selection;
    int path_count;
    bool exit_code;
};

static const struct argp_option options[] = {
    {"absolute", KEY_ABSOLUTE, 0, 0, "compare seconds, not shares", 1},
    {"per-elapsed", KEY_PER_ELAPSED, 0, 0, "compare seconds in each second of sampling", 1},
    {"least", KEY_LEAST, "PCT", 0, "changes by less are not significant", 1},
    {"exit-code", KEY_EXIT_CODE, 0, 0, "exit with 1 if anything changed significantly", 1},
    {"limit", 'n', "ROWS", 0, "at most ROWS rows, 0: all (30)", 2},
    {"format", 'f', "KIND", 0, "{KIND}", 2},
    {"output", 'o', "FILE", 0, "print to FILE", 2},
    {0},
};

static error_t diff_parse_path(struct diff_command *command, const char *path)
{
    if (command->path_count == 2)
        return ARGP_ERR_UNKNOWN;
    command->view.paths[command->path_count++] = path;
    return 0;
}

static error_t diff_parse_option(int key, char *argument, struct argp_state *state)
{
    struct diff_command *command = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &command->selection;
        break;
    case KEY_ABSOLUTE:
        command->how.by = PPROFIL_DIFF_TIME;
        break;
    case KEY_PER_ELAPSED:
        command->how.by = PPROFIL_DIFF_TIME_A_SECOND;
        break;
    case KEY_LEAST:
        command->how.least = percent_option("--least", argument, 0, 1e6);
        break;
    case KEY_EXIT_CODE:
        command->exit_code = true;
        break;
    case 'n':
        command->how.limit = count_option("-n", argument);
        break;
    case 'f':
        command->view.format = (enum report_format)choice_option("-f", &choices_report_formats, argument);
        break;
    case 'o':
        command->output = argument;
        break;
    case ARGP_KEY_ARG:
        return diff_parse_path(command, argument);
    case ARGP_KEY_END:
        if (command->path_count < 2)
            exit(complain("diff: which two files, OLD and NEW? See pprofil diff --help"));
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp diff_argp = {
    options, diff_parse_option, "OLD NEW", "Shows how two profiles differ.", selection_children, choices_help, NULL,
};

static int cmd_diff_print(const struct diff_command *command, const pprofil_diff *diff)
{
    struct diff_view view = command->view;
    struct output_stream output;

    if (!output_stream_open(&output, command->output))
        return EXIT_OWN_FAILURE;
    view.by = command->how.by;
    view.colour = output.colour;
    view.columns = output.columns;
    return output_stream_close(&output, diff_print(output.stream, diff, &view));
}

static int diff_compare(const struct diff_command *command, pprofil_profile *old, pprofil_profile *new)
{
    struct pprofil_diff_totals totals;
    pprofil_diff *diff;
    int error = pprofil_diff_new(old, new, &command->how, &diff);

    if (error != 0)
        return complain("diff: %s", pprofil_error_text(error));
    pprofil_diff_totals(diff, &totals, sizeof totals);
    int status = cmd_diff_print(command, diff);
    if (status == 0 && command->exit_code && (totals.significant > 0 || totals.whole.significant))
        status = EXIT_DIFFERENT;
    pprofil_diff_free(diff);
    return status;
}

int command_diff(int argc, char **argv)
{
    struct diff_command command = {.how = {.size = sizeof command.how, .limit = DEFAULT_ROWS}};
    pprofil_profile *profiles[2] = {NULL, NULL};
    int status = EXIT_OWN_FAILURE;

    command_line_parse("pprofil diff", &diff_argp, argc, argv, 0, &command);
    /* a diff counts the time of an inlined function for its caller, so the selection does so, too */
    command.selection.selection.no_inlines = true;
    for (int i = 0; i < 2 && (i == 0 || profiles[0] != NULL); i++)
        profiles[i] = selection_open(&command.selection, command.view.paths[i]);
    if (profiles[1] != NULL) {
        command.view.profiles[0] = profiles[0];
        command.view.profiles[1] = profiles[1];
        status = diff_compare(&command, profiles[0], profiles[1]);
    }
    pprofil_profile_close(profiles[0]);
    pprofil_profile_close(profiles[1]);
    return status;
}
