/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil report FILE: prints a saved profile.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "choices.h"
#include "command-line.h"
#include "merge.h"
#include "options.h"
#include "output-stream.h"

#define DEFAULT_ROWS 30
#define DEFAULT_TREE_ROWS 100
#define DEFAULT_LEAST 0.005

enum option_key {
    KEY_BY = 256,
    KEY_NAMES,
    KEY_NO_PAGER,
    KEY_IMBALANCE,
    KEY_FLAT,
    KEY_TREE,
    KEY_INVERTED,
    KEY_CALLERS,
    KEY_CALLEES,
    KEY_MIN,
    KEY_DEPTH,
    KEY_FOLD,
    KEY_NO_INLINES,
    KEY_STYLE,
    KEY_SORT,
    KEY_ZEROS,
    KEY_NO_HEADER,
    KEY_OCTAL,
    KEY_HEX
};

struct report_command {
    struct report_view view;
    /* `rows_given`: -n was given; `tree_options`: --min, --depth or --fold was given */
    bool rows_given, tree_options;
    const char *shape;             /* option that chose the shape of the report; NULL: there was no such option */
    struct selection_request selection;
    struct style_view style; /* .name NULL: the report is one of pprofil's own */
    const char *output;
    struct merge_inputs inputs;
    const char *path; /* what messages are about: the first of the inputs */
    bool no_pager;
};

static const struct argp_option options[] = {
    {"by", KEY_BY, "WHAT[,WHAT]", 0, "rows: {WHAT}; two: groups of rows", 1},
    {"per-thread", 't', 0, 0, "the same as --by thread", 1},
    {"limit", 'n', "ROWS", 0, "at most ROWS rows, 0: all (30; of a tree 100)", 1},
    {"format", 'f', "KIND", 0, "{KIND}; list: the formats that FILE may have", 1},
    {"output", 'o', "FILE", 0, "print to FILE", 1},
    {"names", KEY_NAMES, "NAMES", 0, "long names: {NAMES} (fit: short on a terminal)", 1},
    {"no-pager", KEY_NO_PAGER, 0, 0, "do not show it through $PAGER", 1},
    {"sort", KEY_SORT, "ORDER", 0,
     "rows by self or total (self); of --style prof by time, calls, address or name (time)", 1},
    {"imbalance", KEY_IMBALANCE, 0, 0, "how unevenly the ranks of a job spend their time, by function", 1},
    {0, 0, 0, 0, "For profiles with stacks:", 2},
    {"flat", KEY_FLAT, 0, 0, "functions, with and without what they call (the default)", 2},
    {"tree", KEY_TREE, 0, 0, "who calls whom, from the top down", 2},
    {"inverted", KEY_INVERTED, 0, 0, "what runs, and below it its callers, from the bottom up", 2},
    {"callers", KEY_CALLERS, "FUNCTION", 0, "who calls it, and who calls its callers", 2},
    {"callees", KEY_CALLEES, "FUNCTION", 0, "what it calls, and what its callees call", 2},
    {"min", KEY_MIN, "PERCENT", 0, "leave out rows of a tree with less (0.5)", 2},
    {"depth", KEY_DEPTH, "LEVELS", 0, "levels of a tree, 0: all (0)", 2},
    {"fold", KEY_FOLD, 0, 0, "one row of a tree for a function that calls itself directly", 2},
    {"no-inlines", KEY_NO_INLINES, 0, 0, "inlined functions count for their callers", 2},
    {0, 0, 0, 0, "As other systems' programs printed it, also from their files:", 4},
    {"style", KEY_STYLE, "STYLE", 0, "{STYLE}", 4},
    {"zeros", KEY_ZEROS, 0, 0, "rows without time and calls too", 4},
    {"no-header", KEY_NO_HEADER, 0, 0, "prof's rows only", 4},
    {"octal", KEY_OCTAL, 0, 0, "a column of addresses in prof-solaris", 4},
    {"hex", KEY_HEX, 0, 0, "the same in hexadecimal", 4},
    {0},
};

static error_t cmd_report_parse_style(int key, char *argument, struct style_view *style)
{
    switch (key) {
    case KEY_STYLE:
        style->name = choice_option_name("--style", &choices_styles, argument);
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

/* Notes an option that chooses the shape of the report: flat rows, or one of the trees. If an
 * earlier option contradicts this option, it complains and exits. */
static void cmd_report_choose_shape(struct report_command *command, const char *option,
                                    enum pprofil_tree_kind kind, const char *function)
{
    if (command->shape != NULL && strcmp(command->shape, option) != 0 &&
        !(strcmp(command->shape, "--tree") == 0 && kind == PPROFIL_TREE_INVERTED) &&
        !(strcmp(option, "--tree") == 0 && command->view.kind == PPROFIL_TREE_INVERTED))
        exit(complain("report: %s and %s are two reports: choose one", command->shape, option));
    if (strcmp(option, "--tree") == 0 && command->shape != NULL)
        return; /* --tree or --inverted came before, and both options mean a tree */
    command->shape = option;
    command->view.tree = strcmp(option, "--flat") != 0;
    command->view.kind = kind;
    command->view.function = function;
}

/* The orders self and total are for pprofil's own reports, the others for styles. */
static void cmd_report_parse_order(const char *argument, struct report_command *command)
{
    int order = choice_option("--sort", &choices_orders, argument);

    if (order == CHOICE_ORDER_SELF || order == CHOICE_ORDER_TOTAL)
        command->view.by_total = order == CHOICE_ORDER_TOTAL;
    else
        command->style.options.sort = (enum pprofil_sort)order;
}

static error_t cmd_report_parse_stacks(int key, char *argument, struct report_command *command)
{
    switch (key) {
    case KEY_FLAT:
        cmd_report_choose_shape(command, "--flat", PPROFIL_TREE_CALLS, NULL);
        return 0;
    case KEY_TREE:
        cmd_report_choose_shape(command, "--tree", PPROFIL_TREE_CALLS, NULL);
        return 0;
    case KEY_INVERTED:
        cmd_report_choose_shape(command, "--inverted", PPROFIL_TREE_INVERTED, NULL);
        return 0;
    case KEY_CALLERS:
        cmd_report_choose_shape(command, "--callers", PPROFIL_TREE_CALLERS, argument);
        return 0;
    case KEY_CALLEES:
        cmd_report_choose_shape(command, "--callees", PPROFIL_TREE_CALLEES, argument);
        return 0;
    case KEY_NO_INLINES:
        command->view.no_inlines = command->selection.selection.no_inlines = true;
        return 0;
    case KEY_MIN:
        command->view.least = percent_option("--min", argument, 0, 100);
        break;
    case KEY_DEPTH:
        command->view.depth = count_option("--depth", argument);
        break;
    case KEY_FOLD:
        command->view.fold = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    command->tree_options = true;
    return 0;
}

static error_t cmd_report_parse_operand(int key, char *argument, struct report_command *command)
{
    const char *path = NULL;

    if (key == ARGP_KEY_ARG) {
        command->path = command->path != NULL ? command->path : argument;
        if (merge_inputs_add_operand(&command->inputs, argument) != 0)
            exit(EXIT_OWN_FAILURE);
        return 0;
    }
    return file_operand_parse(key, argument, "report", &path);
}

static error_t cmd_report_parse_option(int key, char *argument, struct argp_state *state)
{
    struct report_command *command = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &command->selection;
        /* the command line may choose another shape than the user's own options */
        command->shape = NULL;
        command->tree_options = false;
        break;
    case KEY_BY:
        by_option(argument, &command->view);
        break;
    case KEY_NAMES:
        command->view.names = (enum report_names)choice_option("--names", &choices_names, argument);
        break;
    case KEY_NO_PAGER:
        command->no_pager = true;
        break;
    case KEY_IMBALANCE:
        command->view.imbalance = true;
        break;
    case 't':
        command->view.by = PPROFIL_BY_THREAD;
        command->view.grouped = false;
        break;
    case 'n':
        command->view.limit = count_option("-n", argument);
        command->rows_given = true;
        break;
    case 'f':
        if (strcmp(argument, "list") == 0)
            exit(list_formats());
        command->view.format = (enum report_format)choice_option("-f", &choices_report_formats, argument);
        break;
    case 'o':
        command->output = argument;
        break;
    case KEY_SORT:
        cmd_report_parse_order(argument, command);
        break;
    default:
        if (cmd_report_parse_stacks(key, argument, command) == 0 ||
            cmd_report_parse_style(key, argument, &command->style) == 0)
            return 0;
        return cmd_report_parse_operand(key, argument, command);
    }
    return 0;
}

const struct argp report_argp = {
    options,
    cmd_report_parse_option,
    "FILE|FOLDER...",
    "Prints a saved profile, or the sum of several.",
    selection_children,
    choices_help,
    NULL,
};

static int cmd_report_print_style(const struct report_command *command)
{
    struct output_stream output;

    if (!output_stream_open(&output, command->output))
        return EXIT_OWN_FAILURE;
    int status = style_view_print(output.stream, command->path, &command->style);
    if (status == 0)
        return output_stream_close(&output, 0);
    output_stream_abandon(&output);
    return status;
}

static int cmd_report_complain(const struct report_command *command, const pprofil_profile *profile, int error)
{
    const char *problem = pprofil_profile_problem(profile);

    if (problem[0] != '\0' && command->view.function != NULL && command->shape != NULL)
        return complain("%s: %s: %s", command->path, command->shape, problem);
    if (problem[0] != '\0')
        return complain("%s: %s", command->path, problem);
    if (error == -EOVERFLOW)
        return complain("%s: it has more stacks than a report can hold; --focus and --comm choose a part",
                        command->path);
    if (error == PPROFIL_ERROR_NO_RANKS || error == PPROFIL_ERROR_SEVERAL_JOBS)
        return complain("%s: %s", command->inputs.count == 1 ? command->path : "report", pprofil_error_text(error));
    return 0;
}

/* Prints the report to standard output, through a pager if that is a terminal and the report is text. */
static int cmd_report_show(const struct report_command *command, pprofil_profile *profile)
{
    struct report_view view = command->view;

    view.colour = output_wants_colour(stdout);
    view.columns = output_columns(stdout);
    struct pager pager = pager_open(!command->no_pager && view.format == REPORT_TEXT);
    int error = report_print(pager.out, profile, &view);
    int status = error != 0 ? cmd_report_complain(command, profile, error) : 0;
    int closed = pager_close(&pager);
    if (status == 0 && closed == -ENOENT)
        return complain("there is no pager '%s'; --no-pager prints without one", getenv("PAGER"));
    if (error == 0)
        error = closed;
    return status != 0 || error == 0 || error == -EPIPE ? status : complain_file("standard output", error, true);
}

static int cmd_report_print(const struct report_command *command, pprofil_profile *profile)
{
    struct output_stream output;

    if (command->output == NULL || strcmp(command->output, "-") == 0)
        return cmd_report_show(command, profile);
    if (!output_stream_open(&output, command->output))
        return EXIT_OWN_FAILURE;
    struct report_view view = command->view;
    view.colour = output.colour;
    view.columns = output.columns;
    int error = report_print(output.stream, profile, &view);
    int status = error != 0 ? cmd_report_complain(command, profile, error) : 0;
    if (status == 0)
        return output_stream_close(&output, error);
    output_stream_abandon(&output);
    return status;
}

/* Complains if options of pprofil's own reports are combined with --style. Returns 0 or the exit status. */
static int cmd_report_check_style(const struct report_command *command)
{
    const struct pprofil_selection *part = &command->selection.selection;

    if (command->view.grouped || command->view.by != PPROFIL_BY_FUNCTION || command->view.format != REPORT_TEXT ||
        command->view.by_total || command->shape != NULL || command->tree_options)
        return complain("report: --style prints functions as text: --by, -t, -f and options for "
                        "stacks do not go with it");
    if (command->selection.pids.count > 0 || part->comm != NULL || part->thread != NULL ||
        part->function != NULL || part->focus != NULL || part->ignore != NULL || part->from_ns != 0 ||
        part->to_ns != 0)
        return complain("report: --style prints all of an object: make a file of the part with "
                        "pprofil convert");
    return 0;
}

static int cmd_report_check(const struct report_command *command)
{
    const struct pprofil_style_options *given = &command->style.options;

    if (command->style.name != NULL)
        return cmd_report_check_style(command);
    if (given->zeros || given->no_header || given->sort != PPROFIL_SORT_TIME ||
        given->addresses != PPROFIL_ADDRESSES_NONE)
        return complain("report: --zeros, --no-header, --octal, --hex and these orders of --sort "
                        "need --style");
    if (command->tree_options && !command->view.tree)
        return complain("report: --min, --depth and --fold are for --tree, --inverted, --callers "
                        "and --callees");
    int status = by_check(&command->view);
    if (status != 0)
        return status;
    if (command->view.tree && command->view.by > PPROFIL_BY_LINE)
        return complain("report: rows of %s are functions, objects or lines",
                        command->shape != NULL ? command->shape : "a tree");
    if (command->view.imbalance &&
        (command->view.tree || command->view.grouped || command->view.by != PPROFIL_BY_FUNCTION))
        return complain("report: --imbalance compares functions: --by, -t and trees do not go with it");
    if (command->view.tree && command->view.by_total)
        return complain("report: --sort total is for flat rows: a tree is in that order");
    return 0;
}

/* Opens the profile of the report, which is the sum of all inputs. The caller closes *profile, also after a failure,
 * unless it is NULL. Returns 0 or the exit status. */
static int cmd_report_open(const struct report_command *command, pprofil_profile **profile)
{
    const struct merge_work work = {.inputs = &command->inputs,
                                    .selection = &command->selection,
                                    .threads = merge_threads_best()};
    size_t left_out;

    if (command->inputs.count == 1) {
        *profile = selection_open(&command->selection, command->path);
        return *profile != NULL ? 0 : EXIT_OWN_FAILURE;
    }
    int status = merge_run(&work, profile, &left_out);
    return status == 0 && left_out > 0 ? EXIT_OWN_FAILURE : status;
}

static int cmd_report_run(struct report_command *command)
{
    pprofil_profile *profile = NULL;

    if (command->inputs.count == 0)
        return complain("report: there are no files in %s", command->path);
    command->path = command->inputs.paths[0];
    if (command->style.name != NULL && command->inputs.count > 1)
        return complain("report: --style prints one file; pprofil merge makes one file of several");
    if (command->style.name != NULL)
        return cmd_report_print_style(command);
    int status = cmd_report_open(command, &profile);
    if (status == 0)
        status = cmd_report_print(command, profile);
    if (profile != NULL)
        pprofil_profile_close(profile);
    return status;
}

int command_report(int argc, char **argv)
{
    struct report_command command = {
        .view = {.limit = DEFAULT_ROWS, .least = DEFAULT_LEAST},
        .style = {.options = {.size = sizeof command.style.options}},
    };

    command_line_parse("pprofil report", &report_argp, argc, argv, 0, &command);
    if (cmd_report_check(&command) != 0)
        return EXIT_OWN_FAILURE;
    command.style.options.object = command.selection.selection.object;
    command.style.options.format = command.selection.format;
    if (command.view.tree && !command.rows_given)
        command.view.limit = DEFAULT_TREE_ROWS;
    int status = cmd_report_run(&command);
    merge_inputs_clear(&command.inputs);
    return status;
}
