/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil report FILE: prints a saved profile.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define DEFAULT_ROWS 30

enum option_key { KEY_BY = 256, KEY_OBJECT };

struct report_command {
    struct view view;
    const char *output;
    const char *path;
    const char *format; /* of the file; NULL: it shows */
    const char *object; /* that the file's counters are of; NULL: not told */
};

static const struct argp_option options[] = {
    {"by", KEY_BY, "WHAT", 0, "rows: function, object, line, thread, process, syscall", 1},
    {"per-thread", 't', 0, 0, "the same as --by thread", 1},
    {"limit", 'n', "ROWS", 0, "at most so many rows, 0: all (30)", 1},
    {"format", 'f', "NAME", 0, "text, json or csv; or the format of FILE, if it does not show", 1},
    {"object", KEY_OBJECT, "PATH", 0, "the program or library that FILE's counters are of", 1},
    {"output", 'o', "FILE", 0, "print to FILE", 1},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct report_command *command = state->input;
    double number;
    int choice;

    switch (key) {
    case KEY_BY:
        choice = view_by_name(argument);
        if (choice < 0)
            exit(complain("--by takes function, object, line, thread, process or syscall, not "
                          "'%s'",
                          argument));
        command->view.by = (enum pprofil_by)choice;
        break;
    case 't':
        command->view.by = PPROFIL_BY_THREAD;
        break;
    case 'n':
        if (!parse_number("-n", argument, 0, 1e9, &number))
            exit(EXIT_OWN_FAILURE);
        command->view.limit = (uint32_t)number;
        break;
    case 'f':
        choice = view_format_name(argument);
        if (choice < 0 && !is_format(argument))
            exit(complain("-f takes text, json, csv or a format of FILE, not '%s'", argument));
        if (choice < 0)
            command->format = argument;
        else
            command->view.format = (enum view_format)choice;
        break;
    case KEY_OBJECT:
        command->object = argument;
        break;
    case 'o':
        command->output = argument;
        break;
    case ARGP_KEY_ARG:
        if (command->path != NULL)
            return ARGP_ERR_UNKNOWN;
        command->path = argument;
        break;
    case ARGP_KEY_NO_ARGS:
        exit(complain("report: which FILE? See pprofil report --help"));
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp parser = {
    options, parse_option, "FILE", "Prints a saved profile.", NULL, NULL, NULL,
};

static int print(const struct report_command *command, pprofil_profile *profile)
{
    FILE *out = command->output != NULL ? fopen(command->output, "we") : stdout;
    const char *name = command->output != NULL ? command->output : "standard output";

    if (out == NULL)
        return complain_file(name, -errno, true);
    struct view view = command->view;
    view.colour = view_colour(out);
    errno = 0;
    int error = view_print(out, profile, &view);
    if (fclose(out) != 0 && error == 0)
        error = -errno;
    return error == 0 ? 0 : complain_file(name, error, true);
}

int command_report(int argc, char **argv)
{
    struct report_command command = {.view = {.limit = DEFAULT_ROWS}};

    argp_err_exit_status = EXIT_OWN_FAILURE;
    argv[0] = (char *)"pprofil report";
    argp_parse(&parser, argc, argv, 0, NULL, &command);
    pprofil_profile *profile = open_profile(command.path, command.format, command.object);
    if (profile == NULL)
        return EXIT_OWN_FAILURE;
    int status = print(&command, profile);
    pprofil_profile_close(profile);
    return status;
}
