/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs the session of the live view, and takes snapshots of the session or of a saved profile. Of the library, only
 * functions of pprofil.h are called. Threads of the library do the slow work.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "snapshot-source.h"

/* --- beginning and end ----------------------------------------------------------------- */

static void source_name_targets(const struct source *source, const struct top_request *request)
{
    char text[1024] = "";
    size_t used = 0;

    for (char **word = request->program; word != NULL && *word != NULL && used < sizeof text; word++)
        used += (size_t)snprintf(text + used, sizeof text - used, used ? " %s" : "%s", *word);
    for (unsigned i = 0; i < request->pid_count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, i ? ",%d" : "-p %d", request->pids[i]);
    pprofil_profile_set_command(source->profile, text);
}

static void source_warn(void *context, const char *line)
{
    struct source *source = context;

    if (source->batch)
        fprintf(stderr, "pprofil: %s\n", line);
    else if (source->warning[0] == '\0')
        snprintf(source->warning, sizeof source->warning, "%s", line);
}

static int source_reach_targets(struct source *source, const struct top_request *request,
                                const struct pprofil_launch *launch)
{
    int error = 0;

    if (request->program != NULL)
        error = pprofil_session_launch(source->session, request->program, launch, &source->child);
    else
        error = pprofil_session_attach_all(source->session, request->pids, request->pid_count, source_warn, source);
    return error;
}

int source_open(struct source *source, const struct top_request *request,
                const struct pprofil_launch *launch, char *problem, size_t size)
{
    *source = (struct source){.status = -1, .batch = request->batch};
    int error = pprofil_session_open(&request->options, &source->session);

    if (error == 0) {
        source->profile = pprofil_session_profile(source->session);
        source_name_targets(source, request);
        /* sampling starts before the launch, so that it includes the program's first instruction */
        error = pprofil_session_start(source->session);
    }
    if (error == 0)
        error = source_reach_targets(source, request, launch);
    if (error != 0) {
        snprintf(problem, size, "%s", pprofil_session_problem(source->session));
        return error;
    }
    pprofil_session_control(source->session, NULL, NULL, NULL);
    pprofil_session_control_targets(source->session);
    error = pprofil_live_open(source->session, &source->live);
    if (error != 0)
        snprintf(problem, size, "cannot look up names: %s", strerror(-error));
    return error;
}

int source_open_saved(struct source *source, const struct top_request *request, char *problem, size_t size)
{
    *source = (struct source){.status = -1,
                              .batch = request->batch,
                              .profile = request->profile,
                              .saved = true,
                              .ended = true,
                              .over_ns = time_now()};
    if (request->old != NULL)
        return source_diff_open(request->old, request->profile, &source->diff);
    int error = pprofil_live_open_profile(request->profile, &source->live);
    if (error != 0)
        snprintf(problem, size, "cannot look up names: %s", strerror(-error));
    return error;
}

int source_open_program(struct source *source, const struct top_request *request, int output, struct top_result *result)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct pprofil_launch launch = {.size = sizeof launch,
                                    .input = nothing,
                                    .output = output,
                                    .new_session = !request->batch};

    if (nothing < 0) {
        snprintf(result->problem, sizeof result->problem, "/dev/null: %s", strerror(errno));
        return -errno;
    }
    int error = source_open(source, request, &launch, result->problem, sizeof result->problem);
    close(nothing);
    return error;
}

/* Reaps all children that have ended, and keeps the program's status. The library starts children, too, and does not
 * reap them at the end. waitpid(2) finds these only with __WALL. If pprofil is the first process of a container,
 * orphans are its children, too (pid_namespaces(7)). */
static void source_reap(struct source *source)
{
    int status;
    pid_t child;

    while ((child = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
        if (child == source->child)
            source->status = status;
}

int source_finish(struct source *source, pprofil_session **session)
{
    *session = source->session;
    pprofil_live_close(source->live);
    source_diff_free(source->diff);
    int error = source->session != NULL ? pprofil_session_finish(source->session) : 0;
    source_reap(source);
    source->live = NULL;
    source->diff = NULL;
    source->session = NULL;
    source->profile = NULL;
    return error;
}

/* Reads an entry of the profile's list of processes. The command is left out, because the library
 * would read a file of /proc for it. Returns false after the last entry. */
static bool source_process(const struct source *source, uint32_t i, struct snapshot_process *process)
{
    struct pprofil_process from;

    if (pprofil_profile_process(source->profile, i, &from,
                                offsetof(struct pprofil_process, command)) != 0)
        return false;
    *process = (struct snapshot_process){.pid = from.pid,
                                         .ppid = from.ppid,
                                         .image = from.image,
                                         .status = from.status,
                                         .comm = from.comm,
                                         .id = from.id,
                                         .alive = from.alive};
    return true;
}

/* Returns true if a followed process is alive. The profile's list of processes is up to date: a new process is in the
 * list before its parent can end, and the end of a process is noted in the list before the sampling ends. The
 * supervisor's own count of processes may be a second old. source->survivor is checked first, because the list may have
 * thousands of entries. */
static bool source_survives(struct source *source)
{
    struct snapshot_process process = {0};

    source_process(source, source->survivor, &process);
    for (uint32_t i = 0; !process.alive && source_process(source, i, &process); i++)
        source->survivor = i;
    return process.alive;
}

/* Notes the end of all targets. Time that passes from now on is not sampled. */
static void source_note_end(struct source *source)
{
    source->ended = true;
    source->over_ns = time_now();
    pprofil_session_stop(source->session); /* even if the stop fails, no more samples come */
}

void source_pump(struct source *source)
{
    if (source->session == NULL || source->dead)
        return;
    int state = source->ended ? 1 : pprofil_session_pump(source->session, 0);
    /* children are reaped even after the end of all targets, because the supervisor may report the program's end a
     * little before wait(2) returns its status */
    source_reap(source);
    if (state == 1 && !source->ended && !source_survives(source))
        source_note_end(source);
    source->dead = state < 0 && state != -EINTR;
    if (source->dead)
        source->over_ns = time_now();
}

/* --- snapshots ------------------------------------------------------------------------- */

static int source_take_rows(const struct source *source, enum pprofil_by by, const struct snapshot_wants *wants,
                            struct snapshot_rows *rows)
{
    pprofil_report *report;
    int error = pprofil_live_report(source->live, by, &wants->filter, &report);

    if (error != 0)
        return error;
    rows->count = pprofil_report_count(report);
    rows->rows = calloc(rows->count + 1u, sizeof *rows->rows);
    rows->taken = rows->rows != NULL;
    for (uint32_t i = 0; rows->taken && i < rows->count; i++)
        pprofil_report_row(report, i, &rows->rows[i], sizeof rows->rows[i]);
    if (rows->taken && wants->history[by])
        error = source_take_history(source, by, wants, report, rows);
    pprofil_report_free(report);
    return rows->taken ? error : -ENOMEM;
}

static int source_take_processes(const struct source *source, struct snapshot *snapshot)
{
    struct snapshot_process process;

    for (uint32_t i = 0; source_process(source, i, &process); i++) {
        int error = array_grow(&snapshot->processes, i, sizeof *snapshot->processes);
        if (error != 0)
            return error;
        snapshot->alive += process.alive;
        snapshot->processes[i] = process;
        snapshot->process_count = i + 1;
    }
    return 0;
}

static void source_take_command(const struct source *source, struct snapshot *snapshot)
{
    struct pprofil_process first;

    if (pprofil_profile_process(source->profile, 0, &first, sizeof first) == 0)
        snprintf(snapshot->command, sizeof snapshot->command, "%s",
                 first.command[0] != '\0' ? first.command : first.comm);
}

static int source_take_code(const struct source *source, const struct snapshot_wants *wants, struct snapshot *snapshot)
{
    pprofil_code *code;

    snapshot->code_state = pprofil_live_code(source->live, wants->code_by, wants->code_id, &wants->filter, &code);
    if (snapshot->code_state == -ENOMEM)
        return -ENOMEM;
    if (snapshot->code_state != 0) {
        snapshot->code_problem = pprofil_live_problem(source->live);
        return 0;
    }
    snapshot->code_count = pprofil_code_count(code);
    snapshot->code = calloc(snapshot->code_count + 1u, sizeof *snapshot->code);
    for (uint32_t i = 0; snapshot->code != NULL && i < snapshot->code_count; i++)
        pprofil_code_row(code, i, &snapshot->code[i], sizeof snapshot->code[i]);
    pprofil_code_free(code);
    return snapshot->code != NULL ? 0 : -ENOMEM;
}

static int source_take_calls(const struct source *source, const struct snapshot_wants *wants,
                             struct snapshot_calls *calls)
{
    const struct pprofil_live_tree_options options = {
        .size = sizeof options, .kind = wants->calls_kind, .function = wants->calls_function};
    pprofil_live_tree *tree;
    int error = pprofil_live_tree_new(source->live, &options, &wants->filter, &tree);

    if (error != 0)
        return error;
    calls->count = pprofil_live_tree_count(tree);
    calls->all_ns = pprofil_live_tree_ns(tree, &calls->tree_ns);
    calls->rows = calloc(calls->count + 1u, sizeof *calls->rows);
    calls->taken = calls->rows != NULL;
    for (uint32_t i = 0; calls->taken && i < calls->count; i++)
        pprofil_live_tree_at(tree, i, &calls->rows[i], sizeof calls->rows[i]);
    pprofil_live_tree_free(tree);
    return calls->taken ? 0 : -ENOMEM;
}

static int source_take_lists(const struct source *source, const struct snapshot_wants *wants, struct snapshot *snapshot)
{
    int error = 0;

    for (unsigned by = 0; error == 0 && by < SNAPSHOT_GROUPINGS; by++)
        if (wants->by[by])
            error = source_take_rows(source, (enum pprofil_by)by, wants, &snapshot->by[by]);
    if (error == 0 && wants->tasks && !source->saved)
        error = pprofil_session_tasks(source->session, &snapshot->tasks, &snapshot->task_count);
    if (error == 0 && wants->processes)
        error = source_take_processes(source, snapshot);
    if (error == 0 && wants->use)
        error = source_take_use(source, wants, snapshot);
    if (error == 0 && wants->timeline)
        error = source_take_timeline(source, wants, &snapshot->timeline);
    if (error == 0 && wants->command)
        source_take_command(source, snapshot);
    if (error == 0 && wants->calls)
        error = source_take_calls(source, wants, &snapshot->calls);
    if (error == 0 && wants->code_id != 0)
        error = source_take_code(source, wants, snapshot);
    return error;
}

uint32_t source_ask_names(struct source *source)
{
    source_pump(source);
    return source->live != NULL ? pprofil_live_pending(source->live) : 0;
}

int source_take(struct source *source, const struct snapshot_wants *wants, struct snapshot *snapshot)
{
    *snapshot = (struct snapshot){.status = -1};
    if (!source_is_open(source))
        return 0;
    source_pump(source);
    for (uint32_t i = 0; i < wants->shown_count; i++)
        if (source->live != NULL)
            pprofil_live_define(source->live, wants->shown_by, wants->shown[i]);
    int error = source->diff != NULL ? source_diff_take(source->diff, wants, snapshot)
                                     : source_take_lists(source, wants, snapshot);
    if (error != 0) {
        snapshot_free(snapshot);
        return error;
    }
    snapshot->time_ns = time_now();
    if (source->diff != NULL)
        snapshot->totals = snapshot->comparison.of[1];
    else
        pprofil_profile_totals(source->profile, &snapshot->totals, sizeof snapshot->totals);
    snapshot->limited = pprofil_totals_limit(&snapshot->totals, false, NULL, 0) > 0;
    snapshot->rate_hz = source->saved ? 0 : pprofil_session_rate(source->session);
    snapshot->sampling = !source->saved && pprofil_session_sampling(source->session);
    snapshot->pending = source->live != NULL ? pprofil_live_pending(source->live) : 0;
    snapshot->ended = source->ended;
    snapshot->saved = source->saved;
    snapshot->dead = source->dead;
    snapshot->over_ns = source->over_ns;
    snapshot->status = source->status;
    return 0;
}
