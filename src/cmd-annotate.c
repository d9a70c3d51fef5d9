/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil annotate FILE [FUNCTION]: shows where in a function the time was spent. Without a name, shows the functions
 * in which the most time was spent, the hottest first. On a terminal, the pager begins at the hottest line.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "annotate.h"
#include "base/utf8.h"
#include "command-line.h"
#include "options.h"
#include "output-stream.h"
#include "report.h"

#define LISTED_MAX 20u
#define HOTTEST_MAX 5          /* functions that are shown if none is named, at most */
#define HOTTEST_SHARE_MIN 0.01 /* they have at least this share of the time */
/* matches lines of annotate-text.c with 5 % or more of the time */
#define HOT_PATTERN "^ *([5-9]|[1-9][0-9]+)\\.[0-9][0-9] +[0-9]"

enum option_key { KEY_SOURCE = 256, KEY_INSTRUCTIONS, KEY_NO_PAGER };

struct annotate_command {
    struct annotate_view view;
    const char *path, *function;
    struct selection_request selection;
    bool no_pager;
};

static const struct argp_option options[] = {
    {"source", KEY_SOURCE, 0, 0, "source lines only, in their own order", 1},
    {"instructions", KEY_INSTRUCTIONS, 0, 0, "instructions only", 1},
    {"no-pager", KEY_NO_PAGER, 0, 0, "do not show it through $PAGER", 1},
    {0},
};

static error_t annotate_parse_argument(struct annotate_command *command, const char *argument)
{
    if (command->path == NULL)
        command->path = argument;
    else if (command->function == NULL)
        command->function = argument;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static error_t cmd_annotate_parse_option(int key, char *argument, struct argp_state *state)
{
    struct annotate_command *command = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &command->selection;
        break;
    case KEY_SOURCE:
        command->view.what = ANNOTATE_SOURCE;
        break;
    case KEY_INSTRUCTIONS:
        command->view.what = ANNOTATE_INSTRUCTIONS;
        break;
    case KEY_NO_PAGER:
        command->no_pager = true;
        break;
    case ARGP_KEY_ARG:
        return annotate_parse_argument(command, argument);
    case ARGP_KEY_END:
        if (command->path == NULL)
            exit(complain("annotate: which FILE? See pprofil annotate --help"));
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp annotate_argp = {
    options,
    cmd_annotate_parse_option,
    "FILE [FUNCTION]",
    "Prints a function's source and instructions with counts. Without FUNCTION, prints the functions with the most "
    "time.",
    selection_children,
    NULL,
    NULL,
};

/* --- which function ---------------------------------------------------------------------- */

static int complain_of_choice(const struct annotate_command *command, const pprofil_report *found)
{
    uint32_t count = pprofil_report_count(found);

    complain("%s: '%s' matches %u functions:", command->path, command->function, count);
    for (uint32_t i = 0; i < count && i < LISTED_MAX; i++) {
        struct pprofil_row row;
        pprofil_report_row(found, i, &row, sizeof row);
        fprintf(stderr, "%6.2f %%  ",
                100 * (pprofil_report_has_totals(found) ? row.total_share : row.share));
        utf8_print_harmless(stderr, row.object);
        fputc(':', stderr);
        utf8_print_harmless(stderr, row.name);
        fputc('\n', stderr);
    }
    if (count > LISTED_MAX)
        fprintf(stderr, "          and %u more\n", count - LISTED_MAX);
    return EXIT_OWN_FAILURE;
}

/* Finds the only function that matches the pattern. Returns 0. If no function or several functions
 * match, it complains and returns the exit status. */
static int annotate_choose(const struct annotate_command *command, pprofil_profile *profile, struct pprofil_row *row)
{
    pprofil_report *found;
    int error = pprofil_profile_find(profile, command->function, &found), status = 0;

    if (error == -EINVAL)
        return complain("'%s' is neither a part of a function's name nor a regular expression: %s",
                        command->function, pprofil_profile_problem(profile));
    if (error != 0)
        return complain_file(command->path, error, false);
    if (pprofil_report_count(found) == 1)
        pprofil_report_row(found, 0, row, sizeof *row);
    else if (pprofil_report_count(found) > 1)
        status = complain_of_choice(command, found);
    else
        status = complain("%s: %s", command->path, pprofil_profile_problem(profile));
    pprofil_report_free(found);
    return status;
}

/* --- printing ---------------------------------------------------------------------------- */

static bool annotation_has_totals(const pprofil_annotation *annotation)
{
    const pprofil_code *code;
    struct pprofil_code_about about;

    for (uint32_t i = 0; (code = pprofil_annotation_code(annotation, i)) != NULL; i++) {
        pprofil_code_about(code, &about, sizeof about);
        if (about.total_samples != about.samples)
            return true;
    }
    return false;
}

/* The text of one or more functions, before it goes to the pager. */
struct annotated {
    FILE *out; /* writes to `text` */
    char *text; /* owned */
    size_t size;
    unsigned functions;              /* how many functions have code */
    struct annotate_hottest hottest; /* of the first of them */
};

/* Adds the blocks of a function to the text. Returns 0 or a negative error. */
static int annotated_add(struct annotated *annotated, const struct annotate_view *view,
                         const pprofil_annotation *annotation)
{
    struct annotate_view shown = *view;
    const pprofil_code *code;
    int error = 0;

    shown.colour = output_wants_colour(stdout);
    shown.stacks = annotation_has_totals(annotation);
    shown.hottest = annotated->functions == 0 ? &annotated->hottest : NULL;
    for (uint32_t i = 0; error == 0 && (code = pprofil_annotation_code(annotation, i)) != NULL; i++) {
        fputs(i > 0 || annotated->functions > 0 ? "\n" : "", annotated->out);
        error = annotate_print(annotated->out, code, &shown);
    }
    annotated->functions++;
    return error;
}

/* Adds a function. Returns 0, or the exit status if its code cannot be shown and it was asked for by its name. */
static int annotated_add_function(struct annotated *annotated, const struct annotate_command *command,
                                  pprofil_profile *profile, const struct pprofil_row *row)
{
    struct annotate_view view = command->view;
    pprofil_annotation *annotation;
    struct pprofil_totals totals;
    int status = 0;

    pprofil_profile_totals(profile, &totals, sizeof totals);
    view.name = row->name;
    view.whole_ns = totals.wall ? totals.wall_ns : totals.cpu_ns;
    int error = pprofil_annotate(profile, row->id, &annotation);
    if (error != 0)
        return complain_file(command->path, error, false);
    if (pprofil_annotation_code(annotation, 0) != NULL)
        error = annotated_add(annotated, &view, annotation);
    else if (command->function != NULL)
        status = complain("%s: there is no code to show: %s", command->function,
                          pprofil_annotation_problem(annotation));
    pprofil_annotation_free(annotation);
    return error != 0 ? complain_file(command->path, error, false) : status;
}

/* Adds the functions with the most time of their own. Those without code, such as marks, are left out. */
static int annotated_add_hottest(struct annotated *annotated, const struct annotate_command *command,
                                 pprofil_profile *profile)
{
    const struct pprofil_report_options largest = {
        .size = sizeof largest, .by = PPROFIL_BY_FUNCTION, .limit = HOTTEST_MAX, .no_inlines = true};
    pprofil_report *report;
    int error = pprofil_report_new(profile, &largest, &report), status = 0;

    if (error != 0)
        return complain_file(command->path, error, false);
    for (uint32_t i = 0; status == 0 && i < pprofil_report_count(report); i++) {
        struct pprofil_row row;
        pprofil_report_row(report, i, &row, sizeof row);
        if (row.share >= HOTTEST_SHARE_MIN)
            status = annotated_add_function(annotated, command, profile, &row);
    }
    pprofil_report_free(report);
    if (status == 0 && annotated->functions == 0)
        status = complain("%s: none of the hottest functions has code to show; pprofil report shows which they are",
                          command->path);
    return status;
}

/* Shows the text. A pager begins at the hottest line, and its keys n and N go to other hot lines. */
static int annotated_show(const struct annotated *annotated, const struct annotate_command *command)
{
    unsigned long line = 1;

    for (long i = 0; i < annotated->hottest.offset; i++)
        line += annotated->text[i] == '\n';
    struct pager pager = pager_open_at(!command->no_pager, line, HOT_PATTERN);
    fwrite(annotated->text, 1, annotated->size, pager.out);
    int closed = pager_close(&pager);
    if (closed == -ENOENT)
        return complain("there is no pager '%s'; --no-pager prints without one", getenv("PAGER"));
    return closed == 0 || closed == -EPIPE ? 0 : complain_file("standard output", closed, true);
}

static int cmd_annotate(const struct annotate_command *command, pprofil_profile *profile)
{
    struct annotated annotated = {0};
    struct pprofil_row row;
    int status = command->function != NULL ? annotate_choose(command, profile, &row) : 0;

    if (status != 0)
        return status;
    annotated.out = open_memstream(&annotated.text, &annotated.size);
    if (annotated.out == NULL)
        return complain_file(command->path, -ENOMEM, false);
    status = command->function != NULL ? annotated_add_function(&annotated, command, profile, &row)
                                       : annotated_add_hottest(&annotated, command, profile);
    if (fclose(annotated.out) != 0 && status == 0)
        status = complain_file(command->path, -ENOMEM, false);
    if (status == 0)
        status = annotated_show(&annotated, command);
    free(annotated.text);
    return status;
}

int command_annotate(int argc, char **argv)
{
    struct annotate_command command = {0};

    command_line_parse("pprofil annotate", &annotate_argp, argc, argv, 0, &command);
    pprofil_profile *profile = selection_open(&command.selection, command.path);
    if (profile == NULL)
        return EXIT_OWN_FAILURE;
    int status = cmd_annotate(&command, profile);
    pprofil_profile_close(profile);
    return status;
}
