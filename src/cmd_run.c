/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil PROGRAM and pprofil -p PID: sample until the end, then print or save.
 *
 * As a wrapper it must not be felt: the program's descriptors, terminal and status are its
 * own. A signal that the terminal sends reaches program and us alike and is the program's
 * business; one sent to us alone is passed on; the second one ends us at once.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

#define PUMP_MS 100
#define CHECKPOINT_MS 10000
#define PIDS_MAX 1024
#define DEFAULT_ROWS 30

enum option_key {
    KEY_NO_FOLLOW = 256,
    KEY_NO_INHERIT,
    KEY_OVERHEAD,
    KEY_DELAY,
    KEY_SEED,
    KEY_EVENTS,
    KEY_PARSE_MAPS,
    KEY_BY,
    KEY_NO_SYMBOLIZE,
};

struct run {
    struct pprofil_options options;
    struct view view;
    const char *output;
    const char *format; /* of the output file */
    const char *by;
    double duration; /* seconds, 0: no limit */
    double delay;
    bool symbolize;
    bool quiet, verbose;
    pid_t pids[PIDS_MAX];
    unsigned pid_count;
    char **program; /* NULL: attach */

    pprofil_session *session;
    pid_t child;
    bool started;
    bool detached; /* asked to leave */
    bool broken;   /* the supervisor has died */
    int64_t start_ms, checkpoint_ms;
    struct progress progress;
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to profile", 1},
    {"pid", 'p', "PID[,PID...]", 0, "attach to running processes", 1},
    {"no-follow", KEY_NO_FOLLOW, 0, 0, "leave a process when it execs, as profil(2) did", 1},
    {"no-inherit", KEY_NO_INHERIT, 0, 0, "do not follow forked children", 1},
    {0, 0, 0, 0, "How", 2},
    {"frequency", 'F', "HZ", 0, "samples per second of CPU time (1000)", 2},
    {"wall", 'w', 0, 0, "elapsed time: sample sleeping threads too", 2},
    {"overhead", KEY_OVERHEAD, "PCT", 0, "CPU time the target may lose; more lowers the rate (2)",
     2},
    {"duration", 'd', "SEC", 0, "stop sampling after so long", 2},
    {"delay", KEY_DELAY, "SEC", 0, "begin sampling after so long", 2},
    {"seed", KEY_SEED, "N", OPTION_HIDDEN, "of the jitter of the ticks", 2},
    {"parse-maps", KEY_PARSE_MAPS, 0, OPTION_HIDDEN, "as on kernels before 6.11", 2},
    {0, 0, 0, 0, "What to show", 3},
    {"output", 'o', "FILE", 0, "save the profile instead of printing it", 3},
    {"format", 'f', "NAME", 0, "of FILE (by its extension; pprof), or text, json, csv", 3},
    {"per-thread", 't', 0, 0, "rows are threads: the same as --by thread", 3},
    {"by", KEY_BY, "WHAT", 0, "rows: function, object, line, thread, process, syscall", 3},
    {"limit", 'n', "ROWS", 0, "at most so many rows, 0: all (30)", 3},
    {"no-symbolize", KEY_NO_SYMBOLIZE, 0, 0, "save addresses without names", 3},
    {"events", KEY_EVENTS, "FILE", 0, "record what the supervisor says, for bug reports", 3},
    {"quiet", 'q', 0, 0, "no progress line, no report", 3},
    {"verbose", 'v', 0, 0, "say more about the sampling itself", 3},
    {0},
};

const char *argp_program_version = "pprofil " PACKAGE_VERSION;

static void parse_pids(struct run *run, const char *text, struct argp_state *state)
{
    const char *at = text;

    while (*at != '\0') {
        char *end;
        errno = 0;
        long pid = strtol(at, &end, 10);
        if (end == at || errno != 0 || pid <= 0 || pid > 0x7fffffff ||
            (*end != '\0' && *end != ',') || run->pid_count == PIDS_MAX)
            argp_error(state, "-p takes process numbers with commas between them, not '%s'", text);
        else
            run->pids[run->pid_count++] = (pid_t)pid;
        at = *end == ',' ? end + 1 : end;
        if (at == end && *end != '\0')
            break;
    }
}

static double number(const char *option, const char *text, double lowest, double highest)
{
    double value = 0;

    if (!parse_number(option, text, lowest, highest, &value))
        exit(EXIT_OWN_FAILURE);
    return value;
}

static error_t parse_what(int key, char *argument, struct run *run, struct argp_state *state)
{
    switch (key) {
    case 'p':
        parse_pids(run, argument, state);
        break;
    case KEY_NO_FOLLOW:
        run->options.flags |= PPROFIL_NO_FOLLOW;
        break;
    case KEY_NO_INHERIT:
        run->options.flags |= PPROFIL_NO_INHERIT;
        break;
    case ARGP_KEY_ARG: /* the program: what follows is its own */
        run->program = &state->argv[state->next - 1];
        state->next = state->argc;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse_how(int key, char *argument, struct run *run)
{
    switch (key) {
    case 'F':
        run->options.frequency = number("-F", argument, PPROFIL_MIN_HZ, PPROFIL_MAX_HZ);
        break;
    case 'w':
        run->options.flags |= PPROFIL_WALL;
        break;
    case KEY_OVERHEAD:
        run->options.overhead = number("--overhead", argument, 0.01, 1000);
        break;
    case 'd':
        run->duration = number("-d", argument, 0.001, 1e9);
        break;
    case KEY_DELAY:
        run->delay = number("--delay", argument, 0, 1e9);
        break;
    case KEY_SEED:
        run->options.seed = strtoull(argument, NULL, 0);
        break;
    case KEY_PARSE_MAPS:
        run->options.flags |= PPROFIL_PARSE_MAPS;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse_show(int key, char *argument, struct run *run)
{
    switch (key) {
    case 'o':
        run->output = argument;
        break;
    case 'f':
        run->format = argument;
        break;
    case 't':
        run->view.by = PPROFIL_BY_THREAD;
        break;
    case KEY_BY:
        run->by = argument;
        break;
    case 'n':
        run->view.limit = (uint32_t)number("-n", argument, 0, 1e9);
        break;
    case KEY_NO_SYMBOLIZE:
        run->symbolize = false;
        break;
    case KEY_EVENTS:
        run->options.events_path = argument;
        break;
    case 'q':
        run->quiet = true;
        break;
    case 'v':
        run->verbose = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct run *run = state->input;
    error_t error = parse_what(key, argument, run, state);

    if (error == ARGP_ERR_UNKNOWN)
        error = parse_how(key, argument, run);
    if (error == ARGP_ERR_UNKNOWN)
        error = parse_show(key, argument, run);
    return error;
}

static const struct argp parser = {
    options,
    parse_option,
    "[--] PROGRAM [ARG...]\n-p PID[,PID...]",
    "Shows where a program spends its CPU time, without recompiling it, stopping it or being "
    "root.\v"
    "'pprofil report FILE' prints a saved profile. pprofil(1) has examples.",
    NULL,
    NULL,
    NULL,
};

/* What the options mean together. */
static bool check(struct run *run)
{
    bool attach = run->pid_count > 0;

    if (attach == (run->program != NULL)) {
        complain(attach ? "give a PROGRAM or -p PID, not both"
                        : "what shall be profiled? Give a PROGRAM or -p PID; see pprofil --help");
        return false;
    }
    if (run->by != NULL) {
        int by = view_by_name(run->by);
        if (by < 0) {
            complain("--by takes function, object, line, thread, process or syscall, not '%s'",
                     run->by);
            return false;
        }
        run->view.by = (enum pprofil_by)by;
    }
    if (run->format != NULL && run->output == NULL) {
        int format = view_format_name(run->format);
        if (format < 0) {
            complain("-f %s needs a file: add -o FILE (without one, -f takes text, json or csv)",
                     run->format);
            return false;
        }
        run->view.format = (enum view_format)format;
    }
    return true;
}

/* --- signals ------------------------------------------------------------------------- */

static volatile sig_atomic_t leave_signal, leave_sender, leave_count;

static void note_signal(int signal, siginfo_t *info, void *context)
{
    (void)context;
    leave_signal = signal;
    leave_sender = info->si_code <= 0; /* kill(2), not the terminal */
    leave_count = leave_count + 1;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_sigaction = note_signal, .sa_flags = SA_SIGINFO}, old;
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        if (sigaction(caught[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup */
            sigaction(caught[i], &action, NULL);
}

static int64_t now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* True where sampling shall end now. */
static bool obey_signals(struct run *run, int *seen)
{
    if (leave_count == *seen)
        return false;
    *seen = leave_count;
    run->detached = true;
    if (run->program == NULL || *seen > 1)
        return true;
    if (leave_sender)
        kill(run->child, leave_signal);
    return false;
}

/* --- the run ------------------------------------------------------------------------- */

static void begin_when_due(struct run *run)
{
    bool due = now_ms() - run->start_ms >= (int64_t)(run->delay * 1000);

    if (run->started || !due)
        return;
    if (pprofil_session_start(run->session) == 0)
        run->started = true;
    run->start_ms = now_ms(); /* the duration counts from here */
}

static void checkpoint_when_due(struct run *run)
{
    if (run->output == NULL || now_ms() < run->checkpoint_ms)
        return;
    /* without names: they may take long, and the sampling goes on meanwhile */
    pprofil_profile_save(pprofil_session_profile(run->session), run->output, run->format, false);
    run->checkpoint_ms = now_ms() + CHECKPOINT_MS;
}

static int wait_ms(const struct run *run)
{
    double left = PUMP_MS;
    double waited = (double)(now_ms() - run->start_ms);

    if (!run->started && run->delay * 1000 - waited < left)
        left = run->delay * 1000 - waited;
    if (run->started && run->duration > 0 && run->duration * 1000 - waited < left)
        left = run->duration * 1000 - waited;
    return left < 1 ? 1 : (int)left;
}

static bool over(const struct run *run)
{
    return run->started && run->duration > 0 &&
           now_ms() - run->start_ms >= (int64_t)(run->duration * 1000);
}

static void sample(struct run *run)
{
    int seen = 0, ended = 0;

    while (ended != 1 && !over(run) && !obey_signals(run, &seen)) {
        begin_when_due(run);
        ended = pprofil_session_pump(run->session, wait_ms(run));
        if (ended < 0 && ended != -EINTR) {
            run->broken = true;
            return;
        }
        checkpoint_when_due(run);
        progress_show(&run->progress, run->session, now_ms());
    }
}

/* The program goes on, or has ended: its status, with signals still passed on. */
static int wait_for_program(const struct run *run)
{
    int status = 0, seen = leave_count;

    while (waitpid(run->child, &status, 0) < 0 && errno == EINTR)
        if (leave_count != seen) {
            seen = leave_count;
            if (leave_sender)
                kill(run->child, leave_signal);
        }
    return status;
}

static void set_command(const struct run *run)
{
    char text[1024];
    size_t used = 0;

    text[0] = '\0';
    for (char **word = run->program; word != NULL && *word != NULL && used < sizeof text; word++)
        used += (size_t)snprintf(text + used, sizeof text - used, used ? " %s" : "%s", *word);
    for (unsigned i = 0; i < run->pid_count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, i ? ",%d" : "-p %d",
                                 run->pids[i]);
    pprofil_profile_set_command(pprofil_session_profile(run->session), text);
}

static int begin(struct run *run)
{
    int error = pprofil_session_open(&run->options, &run->session);

    if (error != 0)
        return complain("%s", pprofil_session_problem(run->session));
    set_command(run);
    run->start_ms = now_ms();
    run->checkpoint_ms = run->start_ms + CHECKPOINT_MS;
    if (run->program != NULL) {
        begin_when_due(run); /* from the first instruction */
        error = pprofil_session_launch(run->session, run->program, &run->child);
    }
    for (unsigned i = 0; error == 0 && i < run->pid_count; i++)
        error = pprofil_session_attach(run->session, run->pids[i]);
    if (error == 0)
        return 0;
    complain("%s", pprofil_session_problem(run->session));
    if (run->program != NULL && (error == -ENOENT || error == -ENOTDIR))
        return EXIT_NOT_FOUND;
    if (run->program != NULL && (error == -EACCES || error == -ENOEXEC || error == -EISDIR))
        return EXIT_NOT_EXECUTABLE;
    return EXIT_OWN_FAILURE;
}

static void say_more(pprofil_profile *profile)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(profile, &totals, sizeof totals);
    double elapsed = totals.elapsed_ns == 0 ? 1 : (double)totals.elapsed_ns;
    fprintf(stderr,
            "# the supervisor used %.3f s of CPU time, %.2f %% of a core; mean stop %.1f us; "
            "%u processes and %u threads alive at the end\n",
            (double)totals.supervisor_cpu_ns / 1e9,
            100 * (double)totals.supervisor_cpu_ns / elapsed,
            totals.samples == 0 ? 0 : (double)totals.stopped_ns / 1e3 / (double)totals.samples,
            totals.processes_alive, totals.threads_alive);
}

static int deliver(struct run *run)
{
    pprofil_profile *profile = pprofil_session_profile(run->session);

    if (run->output != NULL) {
        int error = pprofil_profile_save(profile, run->output, run->format, run->symbolize);
        if (error != 0)
            return complain_file(run->output, error, true);
        if (!run->quiet)
            fprintf(stderr, "pprofil: profile saved; look at it with: pprofil report %s\n",
                    run->output);
        return 0;
    }
    if (run->quiet)
        return 0;
    run->view.colour = view_colour(stderr);
    int error = view_print(stderr, profile, &run->view);
    if (error == 0 && run->verbose && run->view.format == VIEW_TEXT)
        say_more(profile);
    return error == 0 ? 0 : complain("cannot print the report: %s", strerror(-error));
}

static int die_like(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    struct rlimit no_core = {0};
    setrlimit(RLIMIT_CORE, &no_core); /* the program has left its own */
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

static int finish(struct run *run)
{
    int status = 0;

    progress_clear(&run->progress);
    int error = pprofil_session_finish(run->session);
    /* a run that goes on without us keeps its terminal to itself until it ends */
    if (run->program != NULL && leave_count < 2)
        status = wait_for_program(run);
    if (error != 0 || run->broken)
        complain("%s; the profile ends there", pprofil_session_problem(run->session));
    int own = deliver(run);
    pprofil_session_close(run->session);
    if (run->program != NULL && leave_count >= 2)
        return 128 + leave_signal;
    if (run->program != NULL && (status != 0 || own == 0))
        return die_like(status);
    return own;
}

int command_run(int argc, char **argv)
{
    struct run run = {.options = {.size = sizeof run.options},
                      .view = {.limit = DEFAULT_ROWS},
                      .symbolize = true};

    argp_err_exit_status = EXIT_OWN_FAILURE;
    argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &run);
    if (!check(&run))
        return EXIT_OWN_FAILURE;
    catch_signals();
    progress_init(&run.progress, run.quiet || run.program != NULL);
    int failure = begin(&run);
    if (failure != 0) {
        pprofil_session_close(run.session);
        return failure;
    }
    sample(&run);
    return finish(&run);
}
