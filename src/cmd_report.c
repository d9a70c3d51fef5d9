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

enum option_key {
    KEY_BY = 256,
    KEY_STYLE,
    KEY_OBJECT,
    KEY_FROM,
    KEY_SORT,
    KEY_ZEROS,
    KEY_NO_HEADER,
    KEY_OCTAL,
    KEY_HEX
};

struct report_command {
    struct view view;
    struct style_view style; /* name NULL: our own */
    const char *output;
    const char *path;
};

static const struct argp_option options[] = {
    {"by", KEY_BY, "WHAT", 0, "rows: function, object, line, thread, process, syscall", 1},
    {"per-thread", 't', 0, 0, "the same as --by thread", 1},
    {"limit", 'n', "ROWS", 0, "at most so many rows, 0: all (30)", 1},
    {"format", 'f', "NAME", 0, "text, json or csv", 1},
    {"output", 'o', "FILE", 0, "print to FILE", 1},
    {"from", KEY_FROM, "NAME", 0, "the format of FILE, if it does not show", 1},
    {"object", KEY_OBJECT, "PATH", 0, "the program or library that FILE's counters are of", 1},
    {0, 0, 0, 0, "As other systems' programs printed it, also from their files:", 2},
    {"style", KEY_STYLE, "NAME", 0,
     "gprof; prof, prof-v7, prof-bsd, prof-solaris, prof-solaris-versioned; kprof, kprof-plan9", 2},
    {"sort", KEY_SORT, "ORDER", 0, "prof's rows by time, calls, address or name (time)", 2},
    {"zeros", KEY_ZEROS, 0, 0, "rows without time and calls too", 2},
    {"no-header", KEY_NO_HEADER, 0, 0, "prof's rows only", 2},
    {"octal", KEY_OCTAL, 0, 0, "a column of addresses in prof-solaris", 2},
    {"hex", KEY_HEX, 0, 0, "the same in hexadecimal", 2},
    {0},
};

static error_t parse_style(int key, char *argument, struct style_view *style)
{
    int choice;

    switch (key) {
    case KEY_STYLE:
        if (!style_is_known(argument))
            exit(EXIT_OWN_FAILURE);
        style->name = argument;
        break;
    case KEY_OBJECT:
        style->options.object = argument;
        break;
    case KEY_FROM:
        if (!is_format(argument))
            exit(complain("--from %s: no such format; see pprofil-formats(5)", argument));
        style->options.format = argument;
        break;
    case KEY_SORT:
        choice = style_sort_name(argument);
        if (choice < 0)
            exit(complain("--sort takes time, calls, address or name, not '%s'", argument));
        style->options.sort = (enum pprofil_sort)choice;
        break;
    case KEY_ZEROS:
        style->options.zeros = true;
        break;
    case KEY_NO_HEADER:
        style->options.no_header = true;
        break;
    case KEY_OCTAL:
        style->options.addresses = PPROFIL_ADDRESSES_OCTAL;
        break;
    case KEY_HEX:
        style->options.addresses = PPROFIL_ADDRESSES_HEX;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

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
        if (choice < 0)
            exit(complain("-f takes text, json or csv, not '%s'", argument));
        command->view.format = (enum view_format)choice;
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
        return parse_style(key, argument, &command->style);
    }
    return 0;
}

static const struct argp parser = {
    options, parse_option, "FILE", "Prints a saved profile.", NULL, NULL, NULL,
};

static const char *output_name(const struct report_command *command)
{
    return command->output != NULL ? command->output : "standard output";
}

static FILE *open_output(const struct report_command *command)
{
    FILE *out = command->output != NULL ? fopen(command->output, "we") : stdout;

    if (out == NULL)
        complain_file(output_name(command), -errno, true);
    return out;
}

static int print_style(const struct report_command *command)
{
    FILE *out = open_output(command);
    if (out == NULL)
        return EXIT_OWN_FAILURE;

    int status = style_view_print(out, output_name(command), command->path, &command->style);
    if (fclose(out) != 0 && status == 0)
        status = complain_file(output_name(command), -errno, true);
    return status;
}

static int print(const struct report_command *command, pprofil_profile *profile)
{
    FILE *out = open_output(command);

    if (out == NULL)
        return EXIT_OWN_FAILURE;
    struct view view = command->view;
    view.colour = view_colour(out);
    errno = 0;
    int error = view_print(out, profile, &view);
    if (fclose(out) != 0 && error == 0)
        error = -errno;
    return error == 0 ? 0 : complain_file(output_name(command), error, true);
}

/* Options of the one kind of report are none of the other's. */
static int check(const struct report_command *command)
{
    const struct pprofil_style_options *given = &command->style.options;

    if (command->style.name == NULL &&
        (given->zeros || given->no_header || given->sort != PPROFIL_SORT_TIME ||
         given->addresses != PPROFIL_ADDRESSES_NONE))
        return complain("report: --sort, --zeros, --no-header, --octal and --hex need --style");
    if (command->style.name != NULL &&
        (command->view.by != PPROFIL_BY_FUNCTION || command->view.format != VIEW_TEXT))
        return complain(
            "report: --style prints functions, as text: --by, -t and -f are not for it");
    return 0;
}

int command_report(int argc, char **argv)
{
    struct report_command command = {
        .view = {.limit = DEFAULT_ROWS},
        .style = {.options = {.size = sizeof command.style.options}},
    };

    argp_err_exit_status = EXIT_OWN_FAILURE;
    argv[0] = (char *)"pprofil report";
    argp_parse(&parser, argc, argv, 0, NULL, &command);
    if (check(&command) != 0)
        return EXIT_OWN_FAILURE;
    if (command.style.name != NULL)
        return print_style(&command);
    pprofil_profile *profile = open_profile(command.path, command.style.options.format,
                                            command.style.options.object);
    if (profile == NULL)
        return EXIT_OWN_FAILURE;
    int status = print(&command, profile);
    pprofil_profile_close(profile);
    return status;
}
