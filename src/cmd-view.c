/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprofil view: shows a saved profile on the screen of pprofil top. */
#include "config.h"

#include <argp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "command-line.h"
#include "options.h"
#include "view-file.h"

enum option_key { KEY_ROWS = 256, KEY_INPUT_FORMAT };

static const struct argp_option options[] = {
    {"batch", 'b', 0, 0, "print a frame of text instead", 1},
    {"rows", KEY_ROWS, "N", 0, "at most N rows in the frame, 0: all (20)", 1},
    {"input-format", KEY_INPUT_FORMAT, "NAME", 0, "the format of FILE, if it is not recognized", 1},
    {0},
};

struct view_command {
    struct top_request request;
    struct selection_request selection;
    const char *path, *input_format;
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
    case KEY_INPUT_FORMAT:
        command->input_format = format_option("--input-format", argument);
        break;
    case ARGP_KEY_ARG:
        if (command->path != NULL)
            return ARGP_ERR_UNKNOWN;
        command->path = argument;
        break;
    case ARGP_KEY_NO_ARGS:
        exit(complain("view: which FILE? See pprofil view --help"));
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp view_argp = {
    options,
    view_parse_option,
    "FILE",
    "Shows a saved profile on a screen, to walk through: functions, callers, code, lines, threads, and what each "
    "thread "
    "did when.\v"
    "? shows the keys. pprofil-top(1) explains the screen.",
    selection_children,
    NULL,
    NULL,
};

bool view_is_file(const char *word)
{
    struct stat status;

    return stat(word, &status) == 0 && S_ISREG(status.st_mode) && access(word, X_OK) != 0;
}

int view_show(const struct top_request *asked, const struct selection_request *selection, const char *path,
              const char *input_format)
{
    struct top_request request = *asked;
    struct top_result result;

    request.program = NULL;
    request.path = path;
    request.profile = selection_open(selection, path, input_format);
    if (request.profile == NULL)
        return EXIT_OWN_FAILURE;
    int error = top_run(&request, &result);
    if (error != 0)
        complain("%s", result.problem[0] != '\0' ? result.problem : pprofil_error_text(error));
    pprofil_profile_close(request.profile);
    return error != 0 ? EXIT_OWN_FAILURE : 0;
}

int command_view(int argc, char **argv)
{
    struct view_command command = {.request = {.rows = 20}};

    command_line_parse("pprofil view", &view_argp, argc, argv, 0, &command);
    return view_show(&command.request, &command.selection, command.path, command.input_format);
}
