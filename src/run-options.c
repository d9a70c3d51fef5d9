/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the options of pprofil PROGRAM and pprofil -p PID. */
#include "config.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "choices.h"
#include "command-line.h"
#include "completion.h"
#include "option-table.h"
#include "options.h"
#include "output-stream.h"
#include "run.h"

#define DEFAULT_ROWS 30

enum option_key {
    KEY_DELAY = TARGET_KEY_END,
    KEY_SEED,
    KEY_EVENTS,
    KEY_PARSE_MAPS,
    KEY_WARY,
    KEY_RESTLESS,
    KEY_BY,
    KEY_NAMES,
    KEY_NO_SYMBOLIZE,
    KEY_START_STOPPED,
    KEY_CONTROL,
    KEY_DIALECT,
    KEY_SCALE,
    KEY_REGION,
    KEY_BUFSIZE,
    KEY_COUNTERS,
    KEY_COMPLETION,
    KEY_EVERY,
    KEY_KEEP,
    KEY_THEN,
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to profile", 1},
    {"no-follow", TARGET_KEY_NO_FOLLOW, 0, 0, "leave a process when it execs, as profil(2) did", 1},
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
    {"duration", 'd', "TIME", 0, "stop sampling after TIME, such as 10, 500ms or 1h30m", 2},
    {"delay", KEY_DELAY, "TIME", 0, "begin sampling after TIME", 2},
    {"start-stopped", KEY_START_STOPPED, 0, 0, "begin when pprofil ctl says start", 2},
    {"control", KEY_CONTROL, "PATH", 0, "obey pprofil ctl through a socket at PATH", 2},
    {"seed", KEY_SEED, "N", OPTION_HIDDEN, "seed of the ticks' jitter", 2},
    {"parse-maps", KEY_PARSE_MAPS, 0, OPTION_HIDDEN, "as on kernels before 6.11", 2},
    {"wary", KEY_WARY, 0, OPTION_HIDDEN, "as on kernels before 5.7, and without CONFIG_SCHED_DEBUG", 2},
    {"restless", KEY_RESTLESS, 0, OPTION_HIDDEN, "each thread goes from tracer to tracer", 2},
    {0, 0, 0, 0, "What to show", 3},
    {"output", 'o', "FILE", 0, "save the profile instead of printing it", 3},
    {"every", KEY_EVERY, "TIME", 0, "begin a new FILE each TIME, such as 60s; its name needs %t or %n", 3},
    {"keep", KEY_KEEP, "NUMBER", 0, "with --every: remove older files, so that NUMBER stay", 3},
    {"then", KEY_THEN, "COMMAND", 0, "run COMMAND with the name of each FILE that is complete", 3},
    {"format", 'f', "FORMAT|KIND", 0, "FILE's format (by its extension; pprof), or {KIND}; list: all", 3},
    {"per-thread", 't', 0, 0, "rows are threads: the same as --by thread", 3},
    {"by", KEY_BY, "WHAT[,WHAT]", 0, "rows: {WHAT}; two: groups of rows", 3},
    {"limit", 'n', "ROWS", 0, "at most ROWS rows, 0: all (30)", 3},
    {"names", KEY_NAMES, "NAMES", 0, "long names: {NAMES} (fit: short on a terminal)", 3},
    {"no-symbolize", KEY_NO_SYMBOLIZE, 0, 0, "save addresses without names", 3},
    {"events", KEY_EVENTS, "FILE", 0, "record what the supervisor says, for bug reports", 3},
    {"quiet", 'q', 0, 0, "no progress line, no report", 3},
    {"verbose", 'v', 0, 0, "say more about the sampling itself", 3},
    {"completion", KEY_COMPLETION, "SHELL", 0, "print completions for {SHELL}", -1},
    {0},
};

/* Options of dialects. A dialect imitates the profiling of an old system. Only --help=dialects
 * shows these options, because few users need them. */
static const struct argp_option dialect_options[] = {
    {"dialect", KEY_DIALECT, "DIALECT", OPTION_ELSEWHERE, "count by its rules, write the file it wrote", 1},
    {"scale", KEY_SCALE, "S", OPTION_ELSEWHERE, "65536 times the bytes of buffer for a byte of text (0x8000)", 1},
    {"region", KEY_REGION, "TEXT", OPTION_ELSEWHERE, "OBJECT, LO-HI or OBJECT:LO-HI, in hex (the program)", 1},
    {"bufsize", KEY_BUFSIZE, "BYTES", OPTION_ELSEWHERE, "of each buffer (0: what the text needs)", 1},
    {"counters", KEY_COUNTERS, "BITS", OPTION_ELSEWHERE, "16, 32 or 64 (the system's)", 1},
    {0},
};
#define DIALECT_OPTIONS (sizeof dialect_options / sizeof *dialect_options)

static error_t run_parse_sampling(int key, char *argument, struct run_request *request)
{
    switch (key) {
    case 'd':
        request->duration = duration_option("-d", argument, 0.001, 1e9);
        break;
    case KEY_DELAY:
        request->delay = duration_option("--delay", argument, 0, 1e9);
        break;
    case KEY_START_STOPPED:
        request->start_stopped = true;
        break;
    case KEY_CONTROL:
        request->control = argument;
        break;
    case KEY_SEED:
        request->options.seed = strtoull(argument, NULL, 0);
        break;
    case KEY_PARSE_MAPS:
        request->options.flags |= PPROFIL_PARSE_MAPS;
        break;
    case KEY_RESTLESS:
        request->options.flags |= PPROFIL_RESTLESS;
        break;
    case KEY_WARY:
        request->options.flags |= PPROFIL_WARY;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t run_parse_dialect(int key, char *argument, struct argp_state *state)
{
    struct run_request *request = state->input;
    struct pprofil_dialect_options *dialect = &request->dialect;

    switch (key) {
    case KEY_DIALECT:
        dialect->dialect = choice_option_name("--dialect", &choices_dialects, argument);
        break;
    case KEY_SCALE:
        dialect->scale = integer_option("--scale", argument);
        dialect->scaled = true;
        break;
    case KEY_REGION:
        if (dialect->region_count == RUN_REGIONS_MAX)
            exit(complain("at most %d regions", RUN_REGIONS_MAX));
        request->regions[dialect->region_count++] = argument;
        break;
    case KEY_BUFSIZE:
        dialect->buffer_size = integer_option("--bufsize", argument);
        break;
    case KEY_COUNTERS:
        dialect->counter_size = integer_option("--counters", argument) / 8;
        if (dialect->counter_size * 8 != integer_option("--counters", argument))
            dialect->counter_size = 1; /* refused later, as all other invalid sizes are */
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t run_parse_output(int key, char *argument, struct run_request *request)
{
    switch (key) {
    case 'o':
        request->output = argument;
        break;
    case 'f':
        if (strcmp(argument, "list") == 0)
            exit(list_formats());
        request->format = argument;
        break;
    case 't':
        request->view.by = PPROFIL_BY_THREAD;
        break;
    case KEY_BY:
        request->by_given = true;
        by_option(argument, &request->view);
        break;
    case KEY_NAMES:
        request->view.names = (enum report_names)choice_option("--names", &choices_names, argument);
        break;
    case 'n':
        request->view.limit = count_option("-n", argument);
        break;
    case KEY_NO_SYMBOLIZE:
        request->symbolize = false;
        break;
    case KEY_EVERY:
        request->periods.every = duration_option("--every", argument, 1, 1e9);
        break;
    case KEY_KEEP:
        request->periods.keep = (unsigned)number_option("--keep", argument, 1, 1e6);
        break;
    case KEY_THEN:
        request->periods.then = argument;
        break;
    case KEY_EVENTS:
        request->options.events_path = argument;
        break;
    case 'q':
        request->quiet = true;
        break;
    case 'v':
        request->verbose = true;
        break;
    case KEY_COMPLETION:
        exit(completion_print(choice_option("--completion", &choices_shells, argument)));
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t run_options_parse_option(int key, char *argument, struct argp_state *state)
{
    struct run_request *request = state->input;
    struct target_options target = {&request->options, &request->program};
    error_t error = target_option_parse(&target, key, argument, state);

    if (error == ARGP_ERR_UNKNOWN)
        error = run_parse_sampling(key, argument, request);
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = request;
        state->child_inputs[1] = &request->search;
    }
    if (error == ARGP_ERR_UNKNOWN)
        error = run_parse_output(key, argument, request);
    return error;
}

static const struct argp dialect_parser = {.options = dialect_options, .parser = run_parse_dialect};
static const struct argp_child children[] = {{&dialect_parser, 0, NULL, 0}, {&process_search_argp, 0, NULL, 0}, {0}};

/* Appends the list of subcommands to the text that comes before the options in --help. */
static char *run_options_help(int key, const char *text, void *input)
{
    char *help = NULL;
    size_t size;

    FILE *stream = key == ARGP_KEY_HELP_PRE_DOC ? open_memstream(&help, &size) : NULL;
    if (stream == NULL)
        return choices_help(key, text, input);
    fprintf(stream, "%s\n\nCommands (pprofil help COMMAND lists the options of one):\n", text);
    for (unsigned i = 0; command_at(i) != NULL; i++)
        fprintf(stream, "  %-10s %s\n", command_at(i)->name, command_at(i)->summary);
    return fclose(stream) == 0 ? help : (char *)text;
}

const struct argp run_argp = {
    options,
    run_options_parse_option,
    "[--] PROGRAM [ARG...]\n-p PID|NAME[,...]",
    "Shows where a program spends its CPU time, without recompiling it, stopping it or being "
    "root.\v"
    "Examples; pprofil(1) has more:\n"
    "  pprofil ./program input                    where it spends its CPU time\n"
    "  pprofil -d 10 -p nginx --children          the same of a running server\n"
    "  pprofil -w -g -d 10 --by wait -p service   for which lock or file it waits\n"
    "  pprofil -g -o p.pb.gz ./program            saves it for pprofil view\n"
    "  pprofil diff old.pb.gz new.pb.gz           what has become slower\n\n"
    "A program that is called like a command: pprofil -- PROGRAM.\n"
    "'pprofil --help=dialects': count as an old system's profil(2) did.",
    children,
    run_options_help,
    NULL,
};

static int print_dialect_help(void)
{
    struct argp_option shown[DIALECT_OPTIONS];
    const struct argp help = {.options = shown,
                              .args_doc = "--dialect DIALECT PROGRAM [ARG...]",
                              .doc = "Counts as an old system's profil(2) did, and writes the file that it wrote."};
    const char *name, *system;

    memcpy(shown, dialect_options, sizeof shown);
    for (size_t i = 0; i < DIALECT_OPTIONS; i++)
        shown[i].flags = 0;
    argp_help(&help, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG, (char *)"pprofil");
    puts("\nDIALECT is one of these:");
    for (unsigned i = 0; pprofil_dialect_at(i, &name, &system, NULL) == 0; i++)
        printf("  %-14s %s\n", name, system);
    puts("\npprofil-dialects(7) says what each does. 'pprofil kprof' and 'pprofil gperf' are of this family too.");
    return output_flush();
}

/* Checks the options of a dialect. Without -F, the sampling rate becomes the tick rate of the old
 * system that the dialect imitates. */
static bool run_check_dialect(struct run_request *request)
{
    struct pprofil_dialect_options *dialect = &request->dialect;
    const char *name;
    uint64_t period_ns;

    if (dialect->dialect == NULL) {
        if (!dialect->scaled && dialect->region_count == 0 && dialect->buffer_size == 0 && dialect->counter_size == 0)
            return true;
        complain("--scale, --region, --bufsize and --counters need a --dialect");
        return false;
    }
    if (request->by_given || request->view.by != PPROFIL_BY_FUNCTION || request->options.flags & PPROFIL_WALL) {
        complain("--by, -t and -w are not for a --dialect, which prints no rows");
        return false;
    }
    dialect->size = sizeof *dialect;
    dialect->regions = request->regions;
    dialect->format = request->format;
    if (request->options.frequency != 0)
        dialect->period_ns = (uint64_t)(1e9 / request->options.frequency);
    for (unsigned i = 0; pprofil_dialect_at(i, &name, NULL, &period_ns) == 0; i++)
        if (strcmp(name, dialect->dialect) == 0 && request->options.frequency == 0)
            request->options.frequency = 1e9 / (double)period_ns;
    return true;
}

/* Finds out what -f means: the format of a file, or, if the profile is printed, the format of the report. A wrong
 * format ends pprofil. */
static void run_check_format(struct run_request *request)
{
    bool printed = request->output == NULL && request->dialect.dialect == NULL;

    if (request->format == NULL)
        return;
    if (!printed && strcmp(request->format, "text") == 0)
        exit(complain("-f text prints a report, and -o saves a profile: leave -o out, or print the saved profile with "
                      "pprofil report -o FILE"));
    if (!printed)
        request->format = format_option("-f", request->format);
    else if (choices_find(&choices_report_formats, request->format) < 0 &&
             choices_find(&choices_formats, request->format) >= 0)
        exit(complain("-f %s needs a file: add -o FILE (without one, -f takes text, json or csv)", request->format));
    else
        request->view.format = (enum report_format)choice_option("-f", &choices_report_formats, request->format);
}

/* Checks --every, --keep and --then. On failure it complains and returns false. */
static bool run_check_periods(const struct run_request *request)
{
    const struct run_period_options *periods = &request->periods;
    const char *output = request->output;

    if (periods->every == 0 && periods->keep == 0 && periods->then == NULL)
        return true;
    if (output == NULL || request->dialect.dialect != NULL)
        complain("--every, --keep and --then are for the files of -o FILE%s",
                 request->dialect.dialect != NULL ? ", not for those of a dialect" : ": add it");
    else if (periods->every == 0 && periods->keep != 0)
        complain("--keep is for the files of --every: add it");
    else if (periods->keep != 0 && strrchr(output, '/') != NULL &&
             (strchr(output, '%') < strrchr(output, '/') && strchr(output, '%') != NULL))
        complain("-o %s: --keep counts the files of one folder, so the name of the folder may not depend on the run",
                 output);
    else if (periods->every != 0 && !name_pattern_has(output, 't') && !name_pattern_has(output, 'n'))
        complain("-o %s: each file of --every would replace the one before; add %%t, the time, or %%n, a number, "
                 "to the name",
                 output);
    else
        return true;
    return false;
}

/* Checks options that depend on other options. On failure it complains and returns false. */
static bool run_options_check(struct run_request *request)
{
    bool attach = process_search_any(&request->search);

    if (attach == (request->program != NULL)) {
        complain(attach ? "give a PROGRAM or -p PID, not both"
                        : "nothing to profile: give a PROGRAM or -p PID; see pprofil --help");
        return false;
    }
    if (!run_check_dialect(request))
        return false;
    /* no thread waits in CPU time */
    if (request->view.by == PPROFIL_BY_WAIT || (request->view.grouped && request->view.groups == PPROFIL_BY_WAIT))
        request->options.flags |= PPROFIL_WALL;
    if (request->program != NULL && request->search.children) {
        complain("--children goes with -p: the children of a PROGRAM are followed in any case");
        return false;
    }
    run_check_format(request);
    if (!run_check_periods(request))
        return false;
    if (by_check(&request->view) != 0)
        return false;
    return !attach || process_search_find(&request->search, request->quiet || request->view.format != REPORT_TEXT);
}

bool run_options_parse(struct run_request *request, int argc, char **argv)
{
    *request = (struct run_request){.options = {.size = sizeof request->options},
                                    .view = {.limit = DEFAULT_ROWS},
                                    .symbolize = true};
    request->search.pids = &request->pids;
    if (argc == 2 && strcmp(argv[1], "--help=dialects") == 0)
        exit(print_dialect_help());
    command_line_parse("pprofil", &run_argp, argc, argv, ARGP_IN_ORDER, request);
    return run_options_check(request);
}
