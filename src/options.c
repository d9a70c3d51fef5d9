/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the options that subcommands have in common, complains of wrong options, and opens profiles for subcommands. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arguments.h"
#include "choices.h"
#include "options.h"
#include "output-stream.h"

#define RUN_SECONDS_MAX 1e9
#define SHORTEST_RANGE 1e-3 /* s */

/* Prints a line for each format, such as "folded .folded .collapsed read, write". Below that line,
 * prints indented lines that describe the format. */
int list_formats(void)
{
    struct pprofil_format format;

    for (unsigned i = 0; pprofil_format_at(i, &format, sizeof format) == 0; i++) {
        printf("%-12s %-36s %s%s%s\n", format.name, format.extensions, format.readable ? "read" : "",
               format.readable && format.writable ? ", " : "", format.writable ? "write" : "");
        printf("    %s\n", format.summary);
        if (*format.keeps != '\0')
            printf("    keeps: %s\n", format.keeps);
        if (*format.loses != '\0')
            printf("    loses: %s\n", format.loses);
    }
    return output_flush();
}

const char *format_option(const char *option, const char *name)
{
    const char *format = choice_option_name(option, &choices_formats, name);

    if (strcmp(format, "list") == 0)
        exit(list_formats());
    return format;
}

/* --- what is profiled ---------------------------------------------------------------------- */

error_t target_option_parse(const struct target_options *target, int key, char *argument, struct argp_state *state)
{
    switch (key) {
    case 'F':
        target->options->frequency = frequency_option("-F", argument, PPROFIL_MIN_HZ, PPROFIL_MAX_HZ);
        break;
    case 'w':
        target->options->flags |= PPROFIL_WALL;
        break;
    case 'g':
        target->options->flags |= PPROFIL_CALL_GRAPH;
        break;
    case TARGET_KEY_OVERHEAD:
        target->options->overhead = 100 * percent_option("--overhead", argument, 0.01, 1000);
        break;
    case TARGET_KEY_STACK_SIZE:
        target->options->stack_size = size_option("--stack-size", argument, PPROFIL_MIN_STACK, PPROFIL_MAX_STACK);
        target->options->flags |= PPROFIL_CALL_GRAPH;
        break;
    case TARGET_KEY_NO_PYTHON:
        target->options->flags |= PPROFIL_NO_PYTHON;
        break;
    case TARGET_KEY_KERNEL:
        target->options->flags |= PPROFIL_KERNEL | PPROFIL_WALL | PPROFIL_CALL_GRAPH;
        break;
    case TARGET_KEY_NO_FOLLOW:
        target->options->flags |= PPROFIL_NO_FOLLOW;
        break;
    case TARGET_KEY_NO_INHERIT:
        target->options->flags |= PPROFIL_NO_INHERIT;
        break;
    case ARGP_KEY_ARG: /* all words after the program are its arguments */
        *target->program = &state->argv[state->next - 1];
        state->next = state->argc;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* --- rows ---------------------------------------------------------------------------------- */

void by_option(const char *argument, struct report_view *view)
{
    const char *comma = strchr(argument, ',');
    char first[32];

    view->grouped = comma != NULL;
    if (comma == NULL) {
        view->by = (enum pprofil_by)choice_option("--by", &choices_groupings, argument);
        return;
    }
    snprintf(first, sizeof first, "%.*s", (int)(comma - argument), argument);
    view->groups = (enum pprofil_by)choice_option("--by", &choices_groupings, first);
    view->by = (enum pprofil_by)choice_option("--by", &choices_groupings, comma + 1);
    if (view->groups == PPROFIL_BY_FUNCTION || view->groups == PPROFIL_BY_LINE || view->groups == PPROFIL_BY_SYSCALL ||
        view->groups == PPROFIL_BY_STATE)
        exit(complain("--by %s: the first of two is program, process, thread, object, wait, host, job or rank",
                      argument));
}

int by_check(const struct report_view *view)
{
    if (view->grouped && view->format == REPORT_CSV && view->tree)
        return complain("two levels with trees are printed as text or json");
    return 0;
}

/* --- a profile, or a part of it ------------------------------------------------------------ */

enum selection_key {
    KEY_COMM = 256,
    KEY_THREAD,
    KEY_OBJECT,
    KEY_FUNCTION,
    KEY_FOCUS,
    KEY_IGNORE,
    KEY_WAIT,
    KEY_HOST,
    KEY_JOB,
    KEY_RANK,
    KEY_FROM,
    KEY_TO,
    KEY_INPUT_FORMAT,
};

static const struct argp_option selection_options[] = {
    {"input-format", KEY_INPUT_FORMAT, "FORMAT", 0, "the format of a file, if it is not recognized", -1},
    {0, 0, 0, 0, "Only a part of the profile (names are whole names, or patterns):", 0},
    {"pid", 'p', "NUMBER[,NUMBER...]", 0, "only these processes", 0},
    {"comm", KEY_COMM, "NAME", 0, "only processes of this name", 0},
    {"thread", KEY_THREAD, "NAME", 0, "only threads of this name, or number", 0},
    {"object", KEY_OBJECT, "PATH", 0,
     "only what ran in this program or library; for a file of counters: what they count", 0},
    {"function", KEY_FUNCTION, "NAME", 0, "only what ran in this function itself", 0},
    {"focus", KEY_FOCUS, "NAME", 0, "only stacks that have this function", 0},
    {"ignore", KEY_IGNORE, "NAME", 0, "only stacks that do not have this function", 0},
    {"wait", KEY_WAIT, "NAME", 0, "only threads that sleep and wait for this, such as a lock or a file", 0},
    {"host", KEY_HOST, "NAME", 0, "only processes that ran on this host", 0},
    {"job", KEY_JOB, "NAME", 0, "only processes of this job", 0},
    {"rank", KEY_RANK, "NUMBER", 0, "only processes that have this rank in their job", 0},
    {"from", KEY_FROM, "TIME", 0, "only from this time on, in seconds since the profile begins", 0},
    {"to", KEY_TO, "TIME", 0, "only until this time", 0},
    {0},
};

static error_t selection_parse_option(int key, char *argument, struct argp_state *state)
{
    struct selection_request *request = state->input;
    struct pprofil_selection *selection = &request->selection;

    switch (key) {
    case 'p':
        if (!pids_parse(&request->pids, argument))
            exit(complain("--pid takes process numbers with commas between them, not '%s'", argument));
        break;
    case KEY_COMM:
        selection->comm = argument;
        break;
    case KEY_THREAD:
        selection->thread = argument;
        break;
    case KEY_OBJECT:
        selection->object = argument;
        break;
    case KEY_FUNCTION:
        selection->function = argument;
        break;
    case KEY_FOCUS:
        selection->focus = argument;
        break;
    case KEY_IGNORE:
        selection->ignore = argument;
        break;
    case KEY_WAIT:
        selection->wait = argument;
        break;
    case KEY_HOST:
        selection->host = argument;
        break;
    case KEY_JOB:
        selection->job = argument;
        break;
    case KEY_RANK:
        selection->rank = argument;
        break;
    case KEY_FROM:
        selection->from_ns = (uint64_t)(duration_option("--from", argument, 0, RUN_SECONDS_MAX) * 1e9);
        break;
    case KEY_TO:
        selection->to_ns = (uint64_t)(duration_option("--to", argument, SHORTEST_RANGE, RUN_SECONDS_MAX) * 1e9);
        break;
    case KEY_INPUT_FORMAT:
        request->format = format_option("--input-format", argument);
        break;
    case ARGP_KEY_END:
        if (selection->to_ns != 0 && selection->from_ns >= selection->to_ns)
            exit(complain("--from must be before --to"));
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp selection_parser = {selection_options, selection_parse_option, NULL, NULL, NULL, NULL, NULL};

const struct argp_child selection_children[] = {
    {&selection_parser, 0, NULL, 3},
    {0},
};

pprofil_profile *open_profile(const char *path, const struct pprofil_file *file)
{
    pprofil_profile *profile;
    struct stat status;
    int error = pprofil_profile_open(path, file, &profile);

    if (strcmp(path, "-") == 0)
        path = "standard input";
    if (error == 0)
        return profile;
    if (error == PPROFIL_ERROR_NO_OBJECT || error == PPROFIL_ERROR_NOT_ELF)
        complain("--object %s: %s", file->object, pprofil_error_text(error));
    else if (error == PPROFIL_ERROR_DAMAGED && file != NULL && file->format != NULL)
        complain("%s: it is damaged, cut short, or no %s file", path, file->format);
    else if (error == PPROFIL_ERROR_FORMAT && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
             status.st_size == 0)
        complain("%s: it is empty", path);
    else
        complain_file(path, error, false);
    return NULL;
}

error_t file_operand_parse(int key, char *argument, const char *command, const char **path)
{
    if (key == ARGP_KEY_NO_ARGS)
        exit(complain("%s: which FILE? See pprofil %s --help", command, command));
    if (key != ARGP_KEY_ARG || *path != NULL)
        return ARGP_ERR_UNKNOWN;
    *path = argument;
    return 0;
}

pprofil_profile *selection_open(const struct selection_request *request, const char *path)
{
    const struct pprofil_file file = {
        .size = sizeof file, .format = request->format, .object = request->selection.object};
    pprofil_profile *profile = open_profile(path, &file);

    if (profile != NULL && !selection_apply(request, path, &profile)) {
        pprofil_profile_close(profile);
        profile = NULL;
    }
    return profile;
}

bool selection_apply(const struct selection_request *request, const char *path, pprofil_profile **profile)
{
    struct pprofil_selection selection = request->selection;
    uint32_t pids[PIDS_MAX];
    pprofil_profile *part;

    for (unsigned i = 0; i < request->pids.count; i++)
        pids[i] = (uint32_t)request->pids.pids[i];
    selection.size = sizeof selection;
    selection.pids = pids;
    selection.pid_count = request->pids.count;
    if (pprofil_profile_has_counters(*profile))
        /* --object names the object that the counters count; it was needed to open the file, and selects nothing */
        selection.object = NULL;
    if (!pprofil_selection_any(&selection))
        return true;
    int error = pprofil_profile_select(*profile, &selection, &part);
    const char *problem = pprofil_profile_problem(*profile);
    if (error != 0 && problem[0] != '\0')
        complain("%s: %s", path, problem);
    else if (error != 0)
        complain_file(path, error, false);
    if (error != 0)
        return false;
    if (problem[0] != '\0')
        complain("%s: note: %s", path, problem);
    pprofil_profile_close(*profile);
    *profile = part;
    return true;
}
