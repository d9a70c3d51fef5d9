/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprofil web FILE: makes a page of a saved profile, and opens it in a browser. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "arguments.h"
#include "command-line.h"
#include "open-page.h"
#include "options.h"

enum option_key { KEY_NO_SOURCE = 256, KEY_NO_SYMBOLIZE };

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "write the page there; -: standard output", 1},
    {"no-source", KEY_NO_SOURCE, 0, 0, "leave out the text of source files", 1},
    {"no-symbolize", KEY_NO_SYMBOLIZE, 0, 0, "do not look up names", 1},
    {0},
};

struct web_command {
    struct pprofil_file out;
    struct selection_request selection;
    const char *path, *output; /* `output` NULL: a file that only the user can read */
    bool symbolize;
};

static error_t web_parse_option(int key, char *argument, struct argp_state *state)
{
    struct web_command *command = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &command->selection;
        break;
    case 'o':
        command->output = argument;
        break;
    case KEY_NO_SOURCE:
        command->out.no_source = true;
        break;
    case KEY_NO_SYMBOLIZE:
        command->symbolize = false;
        break;
    default:
        return file_operand_parse(key, argument, "web", &command->path);
    }
    return 0;
}

const struct argp web_argp = {
    options,
    web_parse_option,
    "FILE",
    "Makes one page of a saved profile, and opens it in a browser: flame graph, functions, callers and callees, "
    "source, "
    "and what each thread did when. The page needs no network and no other file.\v"
    "Without a graphical session it prints the path of the page.",
    selection_children,
    NULL,
    NULL,
};

/* Checks whether a page can be written at command->output. A name that other formats have is refused: it would be the
 * name of a profile by mistake. */
static int web_check_output(const struct web_command *command)
{
    const char *named = pprofil_format_by_extension(command->output);

    if (output_is_terminal(command->output))
        return complain("-o %s: a page is not for a terminal: redirect it, or give -o FILE.html", command->output);
    if (named != NULL && strcmp(named, "web") != 0 && strcmp(named, "flame-html") != 0)
        return complain("-o %s: this is a name of the format %s, and web writes a page: give -o FILE.html",
                        command->output, named);
    return 0;
}

static int web_save(const struct web_command *command, pprofil_profile *profile, const char *path)
{
    int error = pprofil_profile_save(profile, path, &command->out, command->symbolize);

    if (error == 0 || (error == -EPIPE && strcmp(path, "-") == 0))
        return 0; /* EPIPE: the reader of the pipe has seen enough */
    return complain_saving(profile, path, &command->out, error);
}

/* Makes the page in a file that only the user can read, and opens it. */
static int web_open(const struct web_command *command, pprofil_profile *profile)
{
    char path[PATH_MAX];
    int error = open_page_path(command->path, path);

    if (error != 0)
        return complain("web: no directory for the page in $XDG_RUNTIME_DIR, $TMPDIR and /tmp: %s; give -o FILE.html",
                        strerror(-error));
    mode_t before = umask(077);
    int status = web_save(command, profile, path);
    umask(before);
    if (status != 0)
        open_page_remove(path);
    else if (!open_page_in_browser(path))
        printf("%s\n", path);
    return status;
}

int command_web(int argc, char **argv)
{
    struct web_command command = {.out = {.size = sizeof command.out, .format = "web"}, .symbolize = true};

    command_line_parse("pprofil web", &web_argp, argc, argv, 0, &command);
    if (command.output != NULL && web_check_output(&command) != 0)
        return EXIT_OWN_FAILURE;
    pprofil_profile *profile = selection_open(&command.selection, command.path);
    if (profile == NULL)
        return EXIT_OWN_FAILURE;
    int status = command.output != NULL ? web_save(&command, profile, command.output) : web_open(&command, profile);
    pprofil_profile_close(profile);
    return status;
}
