/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprofil view: shows a saved profile, or what differs between two, on the screen of pprofil top. */
#include "config.h"

#include <argp.h>

#include "arguments.h"
#include "command-line.h"
#include "options.h"
#include "view-file.h"

enum option_key { KEY_ROWS = 256 };

static const struct argp_option options[] = {
    {"batch", 'b', 0, 0, "print a frame of text instead", 1},
    {"rows", KEY_ROWS, "N", 0, "at most N rows in the frame, 0: all (20)", 1},
    {0},
};

struct view_command {
    struct top_request request;
    struct selection_request selection;
    const char *paths[2]; /* the second is NULL if there is only one file */
};

static error_t view_parse_option(int key, char *argument, struct argp_state *state)
{
    struct view_command *command = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &command->selection;
        break;
    case 'b':
        command->request.batch = true;
        break;
    case KEY_ROWS:
        command->request.rows = count_option("--rows", argument);
        break;
    default:
        return file_operand_parse(key, argument, "view", &command->paths[command->paths[0] != NULL]);
    }
    return 0;
}

const struct argp view_argp = {
    options,
    view_parse_option,
    "FILE\nOLD NEW",
    "Shows a saved profile on a screen, to walk through: functions, callers, code, lines, threads, and what each "
    "thread did when. With two, shows what has changed from OLD to NEW, with the tests of pprofil diff.\v"
    "? shows the keys. pprofil-top(1) explains the screen.",
    selection_children,
    NULL,
    NULL,
};

int command_view(int argc, char **argv)
{
    struct view_command command = {.request = {.rows = 20}};

    command_line_parse("pprofil view", &view_argp, argc, argv, 0, &command);
    if (command.paths[1] != NULL)
        return view_files_compare(&command.request, &command.selection, command.paths);
    return view_file_show(&command.request, &command.selection, command.paths[0]);
}
