/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprofil stat: runs a program, or attaches to processes, as pprofil itself does. At the end it prints what each
 * process has used, and the largest functions of the profile. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "choices.h"
#include "command-line.h"
#include "output-stream.h"
#include "run.h"
#include "stat-report.h"

#define DEFAULT_PROCESSES 10
#define DEFAULT_FUNCTIONS 5

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to measure", 1},
    {"no-follow", TARGET_KEY_NO_FOLLOW, 0, 0, "leave a process when it execs", 1},
    {"no-inherit", TARGET_KEY_NO_INHERIT, 0, 0, "do not follow forked children", 1},
    {0, 0, 0, 0, "How", 2},
    {"frequency", 'F', "HZ", 0, "samples per second of CPU time, such as 99, 10k or max (1000)", 2},
    {"wall", 'w', 0, 0, "functions by elapsed time: sample sleeping threads too", 2},
    {"overhead", TARGET_KEY_OVERHEAD, "PCT", 0, "CPU time the target may lose; more lowers the rate (2)", 2},
    {"duration", 'd', "TIME", 0, "stop after TIME, such as 10, 500ms or 1h30m", 2},
    {0, 0, 0, 0, "What to show", 3},
    {"limit", 'n', "ROWS", 0, "at most ROWS processes and functions, 0: all (10 and 5)", 3},
    {"format", 'f', "KIND", 0, "{KIND} (text)", 3},
    {"output", 'o', "FILE", 0, "print to FILE", 3},
    {0},
};

struct stat_command {
    struct run_request run;
    struct stat_view view;
    bool limited; /* -n was given */
};

static error_t cmd_stat_parse_option(int key, char *argument, struct argp_state *state)
{
    struct stat_command *command = state->input;
    struct run_request *run = &command->run;
    struct target_options target = {&run->options, &run->program};

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &run->search;
        break;
    case 'd':
        run->duration = duration_option("-d", argument, 0.001, 1e9);
        break;
    case 'n':
        command->limited = true;
        command->view.limit = run->view.limit = count_option("-n", argument);
        break;
    case 'f':
        run->view.format = (enum report_format)choice_option("-f", &choices_report_formats, argument);
        break;
    case 'o':
        command->view.output = argument;
        break;
    default:
        return target_option_parse(&target, key, argument, state);
    }
    return 0;
}

static const struct argp_child children[] = {{&process_search_argp, 0, NULL, 0}, {0}};

const struct argp stat_argp = {
    options,
    cmd_stat_parse_option,
    "[--] PROGRAM [ARG...]\n-p PID|NAME[,...]",
    "Shows what a program and its children have used: CPU time, memory, page faults, context switches, I/O, and the "
    "functions that took the most CPU time.\v"
    "pprofil-stat(1) explains the figures.",
    children,
    choices_help,
    NULL,
};

static int cmd_stat_check(struct stat_command *command)
{
    struct run_request *run = &command->run;
    bool attach = process_search_any(&run->search);

    if (attach == (run->program != NULL))
        return complain(attach ? "stat: give a PROGRAM or -p PID, not both"
                               : "stat: nothing to measure: give a PROGRAM or -p PID; see pprofil stat --help");
    if (run->program != NULL && run->search.children)
        return complain("stat: --children goes with -p: the children of a PROGRAM are followed in any case");
    if (!command->limited && run->view.format != REPORT_TEXT)
        command->view.limit = 0; /* programs that read the figures need all of them */
    int status = output_check(command->view.output);
    if (status != 0 || !attach)
        return status;
    return process_search_find(&run->search, run->quiet || run->view.format != REPORT_TEXT) ? 0 : EXIT_OWN_FAILURE;
}

int command_stat(int argc, char **argv)
{
    struct stat_command command = {
        .run = {.options = {.size = sizeof command.run.options, .flags = PPROFIL_USAGE},
                .view = {.limit = DEFAULT_FUNCTIONS},
                .symbolize = true,
                .stat = &command.view},
        .view = {.limit = DEFAULT_PROCESSES},
    };

    command.run.search.pids = &command.run.pids;
    command_line_parse("pprofil stat", &stat_argp, argc, argv, ARGP_IN_ORDER, &command);
    return cmd_stat_check(&command) == 0 ? run_execute(&command.run, argv) : EXIT_OWN_FAILURE;
}

/* --- at the end of the run --------------------------------------------------------------------- */

static int cmd_stat_print(FILE *out, const struct stat_figures *figures, pprofil_profile *profile,
                          const struct report_view *view)
{
    if (view->format == REPORT_CSV)
        return stat_print_csv(out, figures);
    return view->format == REPORT_JSON ? stat_print_json(out, figures, profile, view)
                                       : stat_print_text(out, figures, profile, view);
}

static int cmd_stat_print_to_file(const char *path, const struct stat_figures *figures, pprofil_profile *profile,
                                  struct report_view *view)
{
    struct output_stream output;

    if (!output_stream_open(&output, path))
        return EXIT_OWN_FAILURE;
    view->colour = output.colour;
    view->columns = output.columns;
    int error = cmd_stat_print(output.stream, figures, profile, view);
    return output_stream_close(&output, error);
}

static int cmd_stat_print_to_stream(const struct run_request *run, const struct stat_figures *figures,
                                    pprofil_profile *profile, struct report_view *view)
{
    FILE *out = run_open_report(run, view);

    if (out == NULL)
        return EXIT_OWN_FAILURE;
    int error = cmd_stat_print(out, figures, profile, view);
    if (fclose(out) != 0 && error == 0)
        error = -errno;
    return error == 0 ? 0 : complain("cannot print the figures: %s", pprofil_error_text(error));
}

int stat_deliver(const struct run_request *run, pprofil_profile *profile, struct pprofil_usage *usages, uint32_t count)
{
    struct report_view view = run->view;
    struct stat_figures figures;

    stat_figures_make(&figures, usages, count, run->stat->limit);
    return run->stat->output != NULL ? cmd_stat_print_to_file(run->stat->output, &figures, profile, &view)
                                     : cmd_stat_print_to_stream(run, &figures, profile, &view);
}
