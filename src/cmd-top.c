/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprofil top: runs the live view. At the end it prints the largest rows of the whole session's flat profile. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "arguments.h"
#include "command-line.h"
#include "options.h"
#include "output-stream.h"
#include "tui/top.h"
#include "view-file.h"

#define SUMMARY_ROWS 10

enum option_key {
    KEY_ROWS = TARGET_KEY_END,
    KEY_LIST_KEYS,
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to profile", 1},
    {"no-follow", TARGET_KEY_NO_FOLLOW, 0, 0, "leave a process when it execs", 1},
    {"no-inherit", TARGET_KEY_NO_INHERIT, 0, 0, "do not follow forked children", 1},
    {0, 0, 0, 0, "How", 2},
    {"frequency", 'F', "HZ", 0, "samples per second of CPU time, such as 99, 10k or max (1000)", 2},
    {"wall", 'w', 0, 0, "elapsed time: sample sleeping threads too", 2},
    {"overhead", TARGET_KEY_OVERHEAD, "PCT", 0, "CPU time the target may lose; more lowers the rate (2)",
     2},
    {"call-graph", 'g', 0, 0, "who called too: stacks, unwound outside the target", 2},
    {"stack-size", TARGET_KEY_STACK_SIZE, "BYTES", 0, "size of the stack looked at in a sample, at most (1M)", 2},
    {"kernel", TARGET_KEY_KERNEL, 0, 0, "where in the kernel threads sleep; for root; implies -g -w", 2},
    {"no-python", TARGET_KEY_NO_PYTHON, 0, 0, "stacks of the Python interpreter itself, not of its code", 2},
    {"delay", 'd', "TIME", 0, "time between two screens, such as 2 or 500ms (1)", 2},
    {0, 0, 0, 0, "Without a terminal", 3},
    {"batch", 'b', 0, 0, "print text frames instead", 3},
    {"frames", 'n', "N", 0, "number of frames (until the target ends)", 3},
    {"rows", KEY_ROWS, "N", 0, "at most N rows in a frame, 0: all (20)", 3},
    {0, 0, 0, 0, "The keys", 4},
    {"list-keys", KEY_LIST_KEYS, 0, 0, "print the keys, where they are valid and what they do, and exit", 4},
    {0},
};

/* Prints the table of keys for --list-keys. Returns the exit status. */
static int top_list_keys(void)
{
    int error = top_print_keys(stdout);

    return error == 0 ? 0 : complain_file("standard output", error, true);
}

struct top_command {
    struct top_request request;
    struct pids pids;
    struct process_search search;
};

static error_t top_parse_option(int key, char *argument, struct argp_state *state)
{
    struct top_command *command = state->input;
    struct top_request *request = &command->request;
    struct target_options target = {&request->options, &request->program};

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &command->search;
        break;
    case 'd':
        request->window_seconds = duration_option("-d", argument, 0.1, 3600);
        break;
    case 'b':
        request->batch = true;
        break;
    case 'n':
        request->frames = (unsigned)number_option("-n", argument, 1, 1e9);
        break;
    case KEY_ROWS:
        request->rows = (uint32_t)number_option("--rows", argument, 0, 1e9);
        break;
    case KEY_LIST_KEYS:
        exit(top_list_keys());
    default:
        return target_option_parse(&target, key, argument, state);
    }
    return 0;
}

static const struct argp_child children[] = {{&process_search_argp, 0, NULL, 0}, {0}};

const struct argp top_argp = {
    options,
    top_parse_option,
    "[--] PROGRAM [ARG...]\n-p PID|NAME[,...]\nFILE\nOLD NEW\n",
    "Shows live where programs spend their CPU time: functions, objects, threads, processes, "
    "system calls. With nothing to profile it lists the processes to choose from. Shows a saved profile, FILE, or "
    "what has changed between two, as pprofil view does.\v"
    "? shows the keys, as --list-keys does. pprofil-top(1) explains the screen.",
    children,
    NULL,
    NULL,
};

/* Shows a saved profile, or compares two. Returns the exit status. */
static int top_show_file(const struct top_request *request, char **words)
{
    static const struct selection_request all;

    if (words[1] != NULL && words[2] == NULL && view_file_is(words[1]))
        return view_files_compare(request, &all, (const char *const[]){words[0], words[1]});
    if (words[1] != NULL)
        return complain("top: %s is a saved profile, and only another one goes with it; pprofil view takes options",
                        words[0]);
    return view_file_show(request, &all, words[0]);
}

static bool top_check(const struct top_request *request, bool attach, bool with_children)
{
    if (request->program != NULL && attach) {
        complain("top: give a PROGRAM or -p PID, not both");
        return false;
    }
    if (request->program != NULL && with_children) {
        complain("top: --children goes with -p: the children of a PROGRAM are followed in any case");
        return false;
    }
    if (request->batch && request->program == NULL && !attach) {
        complain("top: --batch cannot ask what to profile: give a PROGRAM or -p PID");
        return false;
    }
    if (request->frames > 0 && !request->batch) {
        complain("top: -n is the number of frames of --batch");
        return false;
    }
    return true;
}

static int top_failed(const struct top_request *request, const struct top_result *result, int error)
{
    complain("%s", result->problem[0] != '\0' ? result->problem : pprofil_error_text(error));
    return request->program != NULL ? launch_failure_status(error) : EXIT_OWN_FAILURE;
}

static int top_summarize(const struct top_request *request, const struct top_result *result)
{
    struct report_view view = {
        .limit = SUMMARY_ROWS, .colour = output_wants_colour(stdout), .columns = output_columns(stdout)};
    int error = 0;

    if (result->session != NULL && !request->batch)
        error = report_print(stdout, pprofil_session_profile(result->session), &view);
    if (error != 0 && result->signal == 0)
        return complain("cannot print the report: %s", pprofil_error_text(error));
    if (result->problem[0] != '\0')
        complain("%s; the profile ends there", result->problem);
    if (result->status >= 0 && WIFEXITED(result->status))
        return WEXITSTATUS(result->status);
    if (result->status >= 0)
        return 128 + WTERMSIG(result->status);
    return 0;
}

int command_top(int argc, char **argv)
{
    struct top_command command = {.request = {.options = {.size = sizeof command.request.options},
                                              .rows = 20}};
    struct top_request *request = &command.request;
    struct top_result result;

    command.search.pids = &command.pids;
    command_line_parse("pprofil top", &top_argp, argc, argv, ARGP_IN_ORDER, &command);
    request->pids = command.pids.pids;
    if (!top_check(request, process_search_any(&command.search), command.search.children))
        return EXIT_OWN_FAILURE;
    if (process_search_any(&command.search) && !process_search_find(&command.search, !request->batch))
        return EXIT_OWN_FAILURE;
    request->pid_count = command.pids.count;
    if (request->program != NULL && view_file_is(request->program[0]))
        return top_show_file(request, request->program);
    int error = top_run(request, &result);
    int status = error != 0 ? top_failed(request, &result, error) : top_summarize(request, &result);
    pprofil_session_close(result.session);
    return status;
}
