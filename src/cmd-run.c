/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil PROGRAM and pprofil -p PID: samples until the targets end or a limit is reached, then prints or saves the
 * profile.
 *
 * The program keeps its descriptors, its terminal and its signals (forward-signals.h), and pprofil ends with its exit
 * status. Names are looked up at the end. The lookup may take long if debug files come from a server, so any signal
 * that asks for an end, such as SIGINT, ends pprofil during the lookup. A profile for a regular file is saved without
 * names before the lookup.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "run.h"

#define PUMP_MS 100
#define HINT_SIZE 128

static void run_begin_when_due(struct run *run)
{
    bool due = time_now_ms() - run->start_ms >= (int64_t)(run->asked.delay * 1000);

    if (run->started || !due)
        return;
    if (run->asked.start_stopped || pprofil_session_start(run->session) == 0)
        run->started = true;
    run->start_ms = time_now_ms(); /* --duration counts from this time */
}

static int run_wait_ms(const struct run *run)
{
    double left = PUMP_MS;
    double waited = (double)(time_now_ms() - run->start_ms);

    if (!run->started && run->asked.delay * 1000 - waited < left)
        left = run->asked.delay * 1000 - waited;
    if (run->started && run->asked.duration > 0 && run->asked.duration * 1000 - waited < left)
        left = run->asked.duration * 1000 - waited;
    return forward_wait_ms(&run->forward, left < 1 ? 1 : (int)left);
}

static bool run_is_over(const struct run *run)
{
    return run->started && run->asked.duration > 0 &&
           time_now_ms() - run->start_ms >= (int64_t)(run->asked.duration * 1000);
}

/* Reaps all children that have ended. The program need not be the only child:
 * - pprofil adopts orphans if it is a subreaper (prctl(2)), or if it is the first process of a container.
 * - If a shell has replaced itself by pprofil (execve(2)), the shell's children are now children of pprofil.
 * - The library starts children. This function must reap them. Only wait calls with __WALL find them. */
static void run_reap(struct run *run)
{
    siginfo_t ended = {0};
    int status, error;

    while ((error = waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT | __WALL)) == 0 && ended.si_pid != 0) {
        if (ended.si_pid == run->child)
            lsan_note_end(&run->lsan_note, run->child);
        if (waitpid(ended.si_pid, &status, __WALL) != ended.si_pid)
            continue;
        run_periods_note_end(run, ended.si_pid, status);
        if (ended.si_pid == run->child) {
            run->status = status;
            run->ended = true;
        }
    }
    run->ended = run->ended || (error < 0 && errno == ECHILD);
    if (run->ended)
        forward_end(&run->forward);
}

/* Returns the program's wait status as the supervisor saw it, or 0 if the supervisor saw none. If SIGCHLD was ignored
 * when pprofil was started, pprofil itself may miss the status of a program that ends immediately. */
static int run_supervisor_status(const struct run *run)
{
    const pprofil_profile *profile = pprofil_session_profile(run->session);
    struct pprofil_process process;

    for (uint32_t i = 0; pprofil_profile_process(profile, i, &process, offsetof(struct pprofil_process, command)) == 0;
         i++)
        if ((pid_t)process.pid == run->child && process.status >= 0)
            return process.status;
    return 0;
}

static void run_sample(struct run *run)
{
    int ended = 0;

    while (ended != 1 && !run_is_over(run) && !(run->left = forward_serve(&run->forward))) {
        run_begin_when_due(run);
        ended = pprofil_session_pump(run->session, run_wait_ms(run));
        if (ended < 0 && ended != -EINTR) {
            run->broken = true;
            return;
        }
        run_reap(run);
        run_periods_serve(run);
        if (run->broken)
            return;
        run_checkpoint_when_due(run);
        progress_show(&run->progress, run->session, time_now_ms());
    }
}

/* Waits for the program, which may have ended already. A second signal that asks for an end stops the waiting. */
static void run_wait_for_program(struct run *run)
{
    sigset_t ends, before;

    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &before);
    for (run_reap(run); !run->ended; run_reap(run)) {
        run->left = forward_serve(&run->forward);
        if (run->left)
            break;
        const struct timespec pause = {.tv_nsec = forward_wait_ms(&run->forward, PUMP_MS) * 1000000L};
        sigtimedwait(&ends, NULL, &pause);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* The command that reports show: the program with its arguments, or the options that chose the processes. A number
 * tells nothing, so the name of the only process stands beside it. */
static void run_set_command(const struct run *run)
{
    char text[1024], name[RUN_NAME_SIZE];
    size_t used = 0;

    text[0] = '\0';
    for (char **word = run->asked.program; word != NULL && *word != NULL && used < sizeof text; word++)
        used += (size_t)snprintf(text + used, sizeof text - used, used ? " %s" : "%s", *word);
    if (run->asked.program == NULL)
        process_search_describe(&run->asked.search, text, sizeof text);
    if (run->asked.program == NULL && run->asked.search.name_count == 0 && run->asked.pids.count == 1) {
        run_program_name(&run->asked, name);
        used = strlen(text);
        snprintf(text + used, sizeof text - used, name[0] != '\0' ? " (%s)" : "%s", name);
    }
    pprofil_profile_set_command(pprofil_session_profile(run->session), text);
}

static void run_warn(void *context, const char *line)
{
    (void)context;
    complain("%s", line);
}

/* Without --children, remembers the children that an attached run leaves out, and says so. */
static void run_find_left_out(struct run *run)
{
    if (run->asked.program != NULL || run->asked.search.children || run->asked.quiet ||
        run->asked.view.format != REPORT_TEXT)
        return;
    left_out_find(&run->left_out, &run->asked.pids);
    left_out_say(&run->left_out);
}

static void run_say_left_out(const struct run *run)
{
    struct pprofil_totals totals;

    pprofil_profile_totals(pprofil_session_profile(run->session), &totals, sizeof totals);
    left_out_say_busy(&run->left_out, totals.target_cpu_ns);
}

static int run_begin(struct run *run)
{
    char hint[HINT_SIZE];

    if (run_job_check(run) != 0 || run_output_check(run) != 0)
        return EXIT_OWN_FAILURE;
    int error = pprofil_session_open(&run->asked.options, &run->session);

    if (error != 0)
        return complain("%s", pprofil_session_problem(run->session));
    if (run->asked.dialect.dialect != NULL && pprofil_session_dialect(run->session, &run->asked.dialect) != 0)
        return complain("%s", pprofil_session_problem(run->session));
    error = pprofil_session_control(run->session, run->asked.control,
                                    run_may_save_early(&run->asked) ? run_save_so_far : NULL, run);
    if (error != 0)
        return complain("%s", pprofil_session_problem(run->session));
    run_set_command(run);
    run->start_ms = time_now_ms();
    run_checkpoint_later(run);
    if (run->asked.program != NULL) {
        run_begin_when_due(run); /* without --delay, sampling begins with the program's first instruction */
        error = pprofil_session_launch(run->session, run->asked.program, NULL, &run->child);
    }
    if (error == 0 && run->asked.program == NULL)
        error = pprofil_session_attach_all(run->session, run->asked.pids.pids, run->asked.pids.count, run_warn, NULL);
    /* The kernel discards the status of children if SIGCHLD is ignored. The program was started before this, so it
     * still ignores the signal. */
    signal(SIGCHLD, SIG_DFL);
    if (error == 0 && run->asked.program != NULL) {
        forward_to(&run->forward, run->child, run->argv);
        lsan_note_begin(&run->lsan_note, run->child);
    }
    if (error == 0) {
        run_find_left_out(run);
        run_output_choose(run);
        pprofil_session_control_targets(run->session);
        return 0;
    }
    if (run->asked.program == NULL)
        return complain("%s", pprofil_session_problem(run->session));
    int status = launch_failure_status(error);
    if (status == EXIT_NOT_FOUND && command_hint(run->asked.program[0], hint, sizeof hint))
        complain("%s; did you mean '%s'?", pprofil_session_problem(run->session), hint);
    else
        complain("%s", pprofil_session_problem(run->session));
    return status;
}

static int run_die_like(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    struct rlimit no_core = {0};
    /* no core file of pprofil is needed, because the program has left one already */
    setrlimit(RLIMIT_CORE, &no_core);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

static int run_finish(struct run *run)
{
    bool waits = run->asked.program != NULL && !run->left;

    progress_clear(&run->progress);
    int error = pprofil_session_finish(run->session);
    /* the terminal belongs to the program until it ends, so pprofil prints nothing before that */
    if (waits)
        run_wait_for_program(run);
    waits = waits && !run->left;
    if (run->status < 0)
        run->status = run_supervisor_status(run);
    forward_end(&run->forward);
    if (waits && run_supervisor_status(run) == run->status) /* the supervisor traced the program to its end */
        lsan_note_decide(&run->lsan_note, pprofil_session_profile(run->session), run->child, run->status);
    if (error != 0 || run->broken)
        complain("%s; the profile ends there", pprofil_session_problem(run->session));
    if (run->asked.periods.every == 0) /* otherwise this is only the last period */
        run_say_left_out(run);
    int own = run_deliver(run);
    int periods = run_periods_finish(run, own == 0);
    own = own != 0 ? own : periods;
    run_output_release(run);
    pprofil_session_close(run->session);
    if (run->asked.program != NULL && run->left)
        return 128 + run->forward.end_signal;
    if (waits && (run->status != 0 || own == 0))
        return run_die_like(run->status);
    return own;
}

int run_execute(const struct run_request *request, char **argv)
{
    struct run run = {.asked = *request, .argv = argv, .status = -1};
    int error = forward_open(&run.forward, run.asked.program != NULL);
    if (error != 0)
        return complain("cannot make a pipe: %s%s", pprofil_error_text(error),
                        error == -EMFILE ? "; raise the limit (ulimit -n)" : "");
    progress_init(&run.progress, run.asked.quiet || run.asked.program != NULL);
    int failure = run_begin(&run);
    if (failure != 0) {
        pprofil_session_close(run.session);
        return failure;
    }
    run_sample(&run);
    return run_finish(&run);
}

int command_run(int argc, char **argv)
{
    struct run_request request;

    return run_options_parse(&request, argc, argv) ? run_execute(&request, argv) : EXIT_OWN_FAILURE;
}
