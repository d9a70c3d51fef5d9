/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil diff OLD NEW: what two profiles differ in, and what of it may be chance.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "diff-view.h"
#include "selection.h"

#define DEFAULT_ROWS 30
#define EXIT_DIFFERENT 1

enum option_key { KEY_ABSOLUTE = 256, KEY_PER_ELAPSED, KEY_LEAST, KEY_EXIT_CODE, KEY_FROM };

struct diff_command {
    struct pprofil_diff_options how;
    struct diff_view view;
    const char *output; /* NULL: standard output */
    const char *from;   /* the files' format; NULL: it shows */
    struct selection_request selection;
    int path_count;
    bool exit_code;
};

static const struct argp_option options[] = {
    {"absolute", KEY_ABSOLUTE, 0, 0, "compare seconds, not shares", 1},
    {"per-elapsed", KEY_PER_ELAPSED, 0, 0, "compare seconds in each second of sampling", 1},
    {"least", KEY_LEAST, "PCT", 0, "call nothing significant that changed by less", 1},
    {"exit-code", KEY_EXIT_CODE, 0, 0, "exit with 1 where something changed significantly", 1},
    {"limit", 'n', "ROWS", 0, "at most so many rows, 0: all (30)", 2},
    {"format", 'f', "NAME", 0, "text, json or csv", 2},
    {"output", 'o', "FILE", 0, "print to FILE", 2},
    {"from", KEY_FROM, "NAME", 0, "the format of both files, if it does not show", 2},
    {0},
};

static error_t parse_path(struct diff_command *command, const char *path)
{
    if (command->path_count == 2)
        return ARGP_ERR_UNKNOWN;
    command->view.paths[command->path_count++] = path;
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct diff_command *command = state->input;
    double number;
    int choice;

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
        if (!parse_number("--least", argument, 0, 1e6, &number))
            exit(EXIT_OWN_FAILURE);
        command->how.least = number / 100;
        break;
    case KEY_EXIT_CODE:
        command->exit_code = true;
        break;
    case 'n':
        if (!parse_number("-n", argument, 0, 1e9, &number))
            exit(EXIT_OWN_FAILURE);
        command->how.limit = (uint32_t)number;
        break;
    case 'f':
        choice = view_format_name(argument);
        if (choice < 0)
            exit(complain("-f takes text, json or csv, not '%s'", argument));
        command->view.format = (enum view_format)choice;
        break;
    case 'o':
        command->output = argument;
        break;
    case KEY_FROM:
        if (!is_format(argument))
            exit(complain("--from %s: no such format; see pprofil-formats(5)", argument));
        command->from = argument;
        break;
    case ARGP_KEY_ARG:
        return parse_path(command, argument);
    case ARGP_KEY_END:
        if (command->path_count < 2)
            exit(complain("diff: which two files, OLD and NEW? See pprofil diff --help"));
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {
    {&selection_parser, 0, NULL, 3},
    {0},
};

static const struct argp parser = {
    options, parse_option, "OLD NEW", "Shows what two profiles differ in.", children, NULL, NULL,
};

static int print(const struct diff_command *command, const pprofil_diff *diff)
{
    static int (*const printers[])(FILE *, const pprofil_diff *, const struct diff_view *) = {
        [VIEW_TEXT] = diff_print_text,
        [VIEW_JSON] = diff_print_json,
        [VIEW_CSV] = diff_print_csv,
    };
    const char *name = command->output != NULL ? command->output : "standard output";
    FILE *out = command->output != NULL ? fopen(command->output, "we") : stdout;
    struct diff_view view = command->view;

    if (out == NULL)
        return complain_file(name, -errno, true);
    view.by = command->how.by;
    view.colour = view_colour(out);
    errno = 0;
    int error = printers[view.format](out, diff, &view);
    if (error == 0 && ferror(out))
        error = errno != 0 ? -errno : -EIO;
    if (fclose(out) != 0 && error == 0)
        error = -errno;
    return error == 0 ? 0 : complain_file(name, error, true);
}

static int complain_diff(const struct diff_command *command, int error)
{
    if (error == -EXDEV)
        return complain("diff: one profile is of elapsed time (-w), the other of CPU time; pprofil "
                        "merge --cpu -o FILE makes one of CPU time of the first");
    if (error == -ENODATA)
        return complain("diff: --per-elapsed, and a file does not say how long sampling took");
    return complain_file(command->view.paths[0], error, false);
}

static int compare(const struct diff_command *command, pprofil_profile *old, pprofil_profile *new)
{
    struct pprofil_diff_totals totals;
    pprofil_diff *diff;
    int error = pprofil_diff_new(old, new, &command->how, &diff);

    if (error != 0)
        return complain_diff(command, error);
    pprofil_diff_totals(diff, &totals, sizeof totals);
    int status = print(command, diff);
    if (status == 0 && command->exit_code && (totals.significant > 0 || totals.whole.significant))
        status = EXIT_DIFFERENT;
    pprofil_diff_free(diff);
    return status;
}

static pprofil_profile *open_part(const struct diff_command *command, const char *path)
{
    const struct selection_request *part = &command->selection;
    pprofil_profile *profile = open_profile(path, command->from, part->selection.object);

    if (profile != NULL && !selection_apply(part, path, &profile)) {
        pprofil_profile_close(profile);
        profile = NULL;
    }
    return profile;
}

int command_diff(int argc, char **argv)
{
    struct diff_command command = {.how = {.size = sizeof command.how, .limit = DEFAULT_ROWS}};
    pprofil_profile *profiles[2] = {NULL, NULL};
    int status = EXIT_OWN_FAILURE;

    argp_err_exit_status = EXIT_OWN_FAILURE;
    argv[0] = (char *)"pprofil diff";
    argp_parse(&parser, argc, argv, 0, NULL, &command);
    command.selection.selection.no_inlines = true; /* no more than the rows tell them apart */
    for (int i = 0; i < 2 && (i == 0 || profiles[0] != NULL); i++)
        profiles[i] = open_part(&command, command.view.paths[i]);
    if (profiles[1] != NULL) {
        command.view.profiles[0] = profiles[0];
        command.view.profiles[1] = profiles[1];
        status = compare(&command, profiles[0], profiles[1]);
    }
    pprofil_profile_close(profiles[0]);
    pprofil_profile_close(profiles[1]);
    return status;
}
