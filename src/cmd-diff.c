/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil diff OLD NEW, and OLD... vs NEW...: shows how two profiles differ, and which differences may be chance.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "choices.h"
#include "command-line.h"
#include "diff-gate.h"
#include "diff-sides.h"
#include "options.h"
#include "output-stream.h"
#include "report.h"

#define DEFAULT_ROWS 30
#define EXIT_DIFFERENT 1

enum option_key { KEY_ABSOLUTE = 256, KEY_PER_ELAPSED, KEY_LEAST, KEY_EXIT_CODE, KEY_FAIL_OVER };

struct diff_command {
    struct pprofil_diff_options how;
    struct diff_view view;
    const char *output; /* NULL: standard output */
    struct selection_request selection;
    struct diff_side sides[2]; /* the old and the new one */
    const char **operands;     /* owned */
    int operand_count;
    struct diff_gate gate;
    enum diff_format format;
    bool exit_code;
};

static const struct argp_option options[] = {
    {"absolute", KEY_ABSOLUTE, 0, 0, "compare seconds, not shares", 1},
    {"per-elapsed", KEY_PER_ELAPSED, 0, 0, "compare seconds in each second of sampling", 1},
    {"least", KEY_LEAST, "PCT", 0, "changes by less are not significant", 1},
    {"exit-code", KEY_EXIT_CODE, 0, 0, "exit with 1 if anything changed significantly", 1},
    {"fail-over", KEY_FAIL_OVER, "PCT", 0, "exit with 1 if a function takes longer by more than PCT percent", 1},
    {"limit", 'n', "ROWS", 0, "at most ROWS rows, 0: all (30)", 2},
    {"format", 'f', "FORM", 0, "{FORM}", 2},
    {"output", 'o', "FILE", 0, "print to FILE", 2},
    {0},
};

#define WORD_BETWEEN "vs" /* stands between the old and the new files */

static error_t diff_parse_operand(struct diff_command *command, const char *operand)
{
    command->operands[command->operand_count++] = operand;
    return 0;
}

/* Divides the operands among both sides. */
static int diff_find_sides(struct diff_command *command)
{
    int count = command->operand_count, between = 0, words = 0, status = 0;

    for (int i = 0; i < count; i++)
        if (strcmp(command->operands[i], WORD_BETWEEN) == 0) {
            between = i;
            words++;
        }
    bool two = words == 0 && count == 2;
    if (!two && (words != 1 || between == 0 || between == count - 1))
        return complain("diff: which files are old, and which are new? 'OLD NEW' or 'OLD... vs NEW...'; see "
                        "pprofil diff --help");
    for (int i = 0; status == 0 && i < count; i++)
        if (two || i != between)
            status = merge_inputs_add_operand(&command->sides[i > between || (two && i == 1)].inputs,
                                              command->operands[i]);
    for (int side = 0; side < 2 && status == 0; side++)
        if (command->sides[side].inputs.count == 0)
            status = complain("diff: there are no files in %s", command->operands[side == 0 ? 0 : count - 1]);
    return status;
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
    case KEY_FAIL_OVER:
        command->gate.limit = percent_option("--fail-over", argument, 0, 1e6);
        command->exit_code = true;
        break;
    case KEY_EXIT_CODE:
        command->exit_code = true;
        break;
    case 'n':
        command->how.limit = count_option("-n", argument);
        break;
    case 'f':
        command->format = (enum diff_format)choice_option("-f", &choices_diff_formats, argument);
        break;
    case 'o':
        command->output = argument;
        break;
    case ARGP_KEY_ARG:
        return diff_parse_operand(command, argument);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp diff_argp = {
    options,
    diff_parse_option,
    "OLD NEW\nOLD... vs NEW...",
    "Shows how two profiles differ, or several runs of each side.",
    selection_children,
    choices_help,
    NULL,
};

static int cmd_diff_print_to(FILE *out, const struct diff_command *command, const struct diff_view *view,
                             const pprofil_diff *diff)
{
    if (command->format == DIFF_MARKDOWN)
        diff_gate_print_markdown(out, &command->gate, diff, view);
    else if (command->format == DIFF_JUNIT)
        diff_gate_print_junit(out, &command->gate, diff, view);
    else
        return diff_print(out, diff, view);
    return 0;
}

static int cmd_diff_print(const struct diff_command *command, const pprofil_diff *diff)
{
    struct diff_view view = command->view;
    struct output_stream output;

    if (!output_stream_open(&output, command->output))
        return EXIT_OWN_FAILURE;
    view.by = command->how.by;
    view.colour = output.colour;
    view.columns = output.columns;
    view.format = command->format == DIFF_JSON ? REPORT_JSON : command->format == DIFF_CSV ? REPORT_CSV : REPORT_TEXT;
    return output_stream_close(&output, cmd_diff_print_to(output.stream, command, &view, diff));
}

static int cmd_diff_compare(const struct diff_command *command, const struct pprofil_diff_options *how,
                            pprofil_diff **diff)
{
    int error = pprofil_diff_new(command->sides[0].whole, command->sides[1].whole, how, diff);

    return error == 0 ? 0 : complain("diff: %s", pprofil_error_text(error));
}

/* Returns EXIT_DIFFERENT if the gate fails. All rows are judged, even if fewer were printed. */
static int cmd_diff_judge(const struct diff_command *command)
{
    struct pprofil_diff_options how = command->how;
    pprofil_diff *diff;

    how.limit = 0;
    int status = cmd_diff_compare(command, &how, &diff);
    if (status != 0)
        return status;
    if (diff_gate_judged(&command->gate, diff) == 0)
        status = complain("diff: no function of the profiles matches --function '%s', so nothing was judged",
                          command->gate.function);
    else
        status = diff_gate_count(&command->gate, diff) > 0 ? EXIT_DIFFERENT : 0;
    pprofil_diff_free(diff);
    return status;
}

static int cmd_diff_check_one(const pprofil_profile *profile, const char *path)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(profile, &totals, sizeof totals);
    return totals.samples > 0 ? 0 : complain("diff: %s: there are no samples, so nothing can be judged", path);
}

/* A build must not pass because nothing was measured. And a run without samples has no shares, which the mean over the
 * runs of its side would need. */
static int cmd_diff_check_samples(const struct diff_command *command, bool for_build)
{
    bool has_shares = command->how.run_count[0] > 0 && command->how.by == PPROFIL_DIFF_SHARE;
    int status = 0;

    for (int side = 0; status == 0 && side < 2; side++) {
        const struct diff_side *runs = &command->sides[side];
        if (for_build)
            status = cmd_diff_check_one(runs->whole, runs->title);
        for (size_t i = 0; status == 0 && has_shares && i < runs->inputs.count; i++)
            status = cmd_diff_check_one(runs->runs[i], runs->inputs.paths[i]);
    }
    return status;
}

static int cmd_diff_run(struct diff_command *command)
{
    bool for_builds = command->format == DIFF_MARKDOWN || command->format == DIFF_JUNIT;
    pprofil_diff *diff;

    for (int side = 0; side < 2; side++) {
        int status = diff_side_open(&command->sides[side], &command->selection);
        if (status != 0)
            return status;
        command->view.profiles[side] = command->sides[side].whole;
        command->view.paths[side] = command->sides[side].title;
        command->how.runs[side] = command->sides[side].runs;
        command->how.run_count[side] = (uint32_t)command->sides[side].inputs.count;
        command->view.runs[side] = command->how.run_count[side];
    }
    if (command->how.run_count[0] + command->how.run_count[1] == 2)
        command->how.run_count[0] = command->how.run_count[1] = 0;
    if (for_builds)
        command->how.limit = 0;
    int status = cmd_diff_check_samples(command, for_builds || command->exit_code);
    if (status == 0)
        status = cmd_diff_compare(command, &command->how, &diff);
    if (status != 0)
        return status;
    status = cmd_diff_print(command, diff);
    pprofil_diff_free(diff);
    return status == 0 && command->exit_code ? cmd_diff_judge(command) : status;
}

/* With --fail-over, --function names the functions that are judged, and selects no samples. */
static void cmd_diff_take_function(struct diff_command *command)
{
    if (command->gate.limit < 0)
        return;
    command->gate.function = command->how.tested = command->selection.selection.function;
    command->selection.selection.function = NULL;
}

int command_diff(int argc, char **argv)
{
    struct diff_command command = {.how = {.size = sizeof command.how, .limit = DEFAULT_ROWS}, .gate = {.limit = -1}};

    command.operands = calloc((size_t)argc, sizeof *command.operands);
    if (command.operands == NULL)
        return complain("diff: %s", pprofil_error_text(-ENOMEM));
    command_line_parse("pprofil diff", &diff_argp, argc, argv, 0, &command);
    /* a diff counts the time of an inlined function for its caller, so the selection does so, too */
    command.selection.selection.no_inlines = true;
    cmd_diff_take_function(&command);
    int status = diff_find_sides(&command);
    if (status == 0)
        status = cmd_diff_run(&command);
    for (int side = 0; side < 2; side++)
        diff_side_close(&command.sides[side]);
    free(command.operands);
    return status;
}
