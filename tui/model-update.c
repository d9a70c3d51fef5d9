/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Updates the tables and the header's figures from snapshots.
 *
 * Samples arrive immediately. Counts of the kernel and the supervisor (CPU time, time stopped) arrive about once a
 * second, when the supervisor reports. In names, "told" means "reported by the supervisor". The header's figures are
 * differences between two reports, divided by the time between these reports. If a count is the same in two snapshots
 * in a row, there may have been no report between them.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model-internal.h"

#define SECOND UINT64_C(1000000000)
#define SILENCE_NS (5 * SECOND / 2) /* time without a report after which the target's CPU use counts as 0 */
/* time without a report after which the supervisor counts as silent; a shorter silence is normal,
 * because the supervisor reports only at the first tick of each second */
#define PATIENCE_SECONDS 4.0
#define FIRST_WINDOW 0.25           /* least length of a table's first window, as a part of window_seconds */
#define SYSCALLS 1024
#define BEGINNINGS 3 /* greatest number of times that a table begins again because its rows lack names */

/* --- the header: CPU use and quality of the sampling ---------------------------------------- */

/* Returns the time between the last two reports of the supervisor, in ns: the increase of elapsed_ns. Both elapsed_ns
 * and the target's CPU time leave out pauses of the sampling. If elapsed_ns has not increased, returns the time since
 * told_ns. */
static double told_interval(const struct model_before *before, const struct snapshot *snapshot)
{
    double sampled = (double)snapshot->totals.elapsed_ns - (double)before->elapsed_ns;
    double passed = (double)snapshot->time_ns - (double)before->told_ns;

    return sampled > 0 ? sampled : passed;
}

static void remember_told(struct model_before *before, const struct snapshot *snapshot)
{
    before->told = true;
    before->told_ns = snapshot->time_ns;
    before->target_cpu_ns = snapshot->totals.target_cpu_ns;
    before->elapsed_ns = snapshot->totals.elapsed_ns;
    before->stopped_ns = snapshot->totals.stopped_ns;
}

static bool counts_are_cleared(const struct model_before *before, const struct pprofil_totals *totals)
{
    return totals->target_cpu_ns < before->target_cpu_ns ||
           totals->elapsed_ns < before->elapsed_ns || totals->stopped_ns < before->stopped_ns;
}

static bool snapshot_is_over(const struct snapshot *snapshot)
{
    return snapshot->ended || snapshot->dead;
}

static bool snapshot_is_sampled(const struct snapshot *snapshot)
{
    return snapshot->sampling && !snapshot_is_over(snapshot);
}

static void update_told(struct model *model, const struct snapshot *snapshot)
{
    struct model_before *before = &model->before;
    const struct pprofil_totals *totals = &snapshot->totals;

    if (!before->told) { /* the first report covers the time since the start */
        if (totals->elapsed_ns == 0)
            return;
        before->told_ns = snapshot->time_ns - totals->elapsed_ns;
    } else if (counts_are_cleared(before, totals)) {
        remember_told(before, snapshot);
        return;
    }
    double cpu = (double)(totals->target_cpu_ns - before->target_cpu_ns);
    double stopped = (double)(totals->stopped_ns - before->stopped_ns);
    double time = told_interval(before, snapshot);
    if (cpu == 0 && totals->elapsed_ns == before->elapsed_ns) {
        /* without sampling there are no reports, so silence is measured only from the time when sampling resumes */
        if (!snapshot_is_sampled(snapshot))
            before->told_ns = snapshot->time_ns;
        if (!snapshot_is_sampled(snapshot) || time < (double)SILENCE_NS)
            return;
        model->target_cpu = model->stopped_share = 0;
        /* assume that a report came a second ago, so that the next report's CPU time is divided by about a second */
        before->told_ns = snapshot->time_ns - SECOND;
    } else if (time > 0) {
        model->target_cpu = cpu / time;
        model->stopped_share = cpu > 0 ? stopped / cpu : 0;
        remember_told(before, snapshot);
    }
}

/* Finds out how long the supervisor has been silent. The supervisor reports as long as it samples,
 * even if the program sleeps. So its silence is a failure. */
static void update_silence(struct model *model, const struct snapshot *snapshot)
{
    struct model_before *before = &model->before;
    bool news = snapshot->totals.elapsed_ns != model->now.totals.elapsed_ns;

    if (news || before->news_ns == 0 || !snapshot_is_sampled(snapshot) || !model->now.sampling)
        before->news_ns = snapshot->time_ns;
    double silent = (double)(snapshot->time_ns - before->news_ns) / 1e9;
    double tick = snapshot->rate_hz > 0 ? 1 / snapshot->rate_hz : 0;
    model->silent_seconds = silent >= PATIENCE_SECONDS + 2 * tick ? (unsigned)silent : 0;
}

static void update_rate(struct model *model, const struct snapshot *snapshot)
{
    struct model_before *before = &model->before;
    const struct pprofil_totals *totals = &snapshot->totals;

    /* counts were cleared in the meantime */
    if (totals->running < before->running || totals->cpu_ns < before->cpu_ns)
        before->running = before->cpu_ns = 0;
    if (totals->cpu_ns > before->cpu_ns)
        model->achieved_hz = (double)(totals->running - before->running) * 1e9 /
                             (double)(totals->cpu_ns - before->cpu_ns);
    else
        model->achieved_hz = 0;
    before->counted = true;
    before->running = totals->running;
    before->cpu_ns = totals->cpu_ns;
}

/* Adds the seconds since the last snapshot to model->minute, until all targets have ended. Seconds without sampling get
 * 0. Here model->now is still the last snapshot. Its `sampling` also tells whether there was sampling since then,
 * because a snapshot is taken immediately when sampling starts or stops. */
static void update_minute(struct model *model, const struct snapshot *snapshot)
{
    uint64_t *last = &model->before.minute_ns;
    uint64_t time_ns = snapshot->over_ns != 0 ? snapshot->over_ns : snapshot->time_ns;
    bool known = !model->have_snapshot || model->now.sampling;

    if (*last == 0 || time_ns < *last)
        *last = time_ns;
    uint64_t seconds = (time_ns - *last) / SECOND;
    *last += seconds * SECOND;
    unsigned more = seconds < MODEL_MINUTE ? (unsigned)seconds : MODEL_MINUTE;
    memmove(model->minute, model->minute + more, (MODEL_MINUTE - more) * sizeof *model->minute);
    for (unsigned i = MODEL_MINUTE - more; i < MODEL_MINUTE; i++)
        model->minute[i] = known ? (float)model->target_cpu : 0;
}

/* --- the header: threads and processes ------------------------------------------------------ */

static void update_tasks(struct model *model, const struct snapshot *snapshot)
{
    uint32_t sleepers[SYSCALLS] = {0};

    model->running = model->sleeping = model->uninterruptible = model->blocked_in_count = 0;
    model->blocked_in = "";
    for (uint32_t i = 0; i < snapshot->task_count; i++) {
        const struct pprofil_task *task = &snapshot->tasks[i];
        model->running += task->state == 'R';
        model->sleeping += task->state == 'S';
        model->uninterruptible += task->state == 'D';
        bool sleeps = task->state == 'S' || task->state == 'D';
        if (!sleeps || task->syscall < 0 || task->syscall >= SYSCALLS)
            continue;
        if (++sleepers[task->syscall] > model->blocked_in_count) {
            model->blocked_in_count = sleepers[task->syscall];
            model->blocked_in = task->syscall_name;
        }
    }
}

static void update_targets(struct model *model, const struct snapshot *snapshot)
{
    uint32_t alive = 0, pid = 0;

    if (model->command[0] == '\0')
        memcpy(model->command, snapshot->command, sizeof model->command);
    for (uint32_t i = 0; i < snapshot->process_count; i++) {
        if (!snapshot->processes[i].alive)
            continue;
        alive++;
        pid = snapshot->processes[i].pid;
    }
    model->own_targets = model->own_targets && (model->have_snapshot || model->targets[0] == '\0');
    if (!model->own_targets)
        return;
    if (alive == 1)
        snprintf(model->targets, sizeof model->targets, "PID %u", pid);
    else if (snapshot->process_count > 1) /* if the only process has ended, its pid remains in `targets` */
        snprintf(model->targets, sizeof model->targets, "%u PIDs", alive);
}

static void update_header(struct model *model, const struct snapshot *snapshot, bool due)
{
    update_told(model, snapshot);
    update_silence(model, snapshot);
    if (due || !model->before.counted)
        update_rate(model, snapshot);
    if (snapshot->has_use)
        memcpy(model->minute, snapshot->use, sizeof model->minute);
    else if (!snapshot->saved)
        update_minute(model, snapshot);
    update_tasks(model, snapshot);
    update_targets(model, snapshot);
}

/* --- tables --------------------------------------------------------------------------------- */

static void update_say_no_memory(struct model *model, const struct snapshot *snapshot)
{
    model_say(model, snapshot->time_ns, "out of memory: some figures are old");
}

/* Returns true if the table has no report yet, or if its window ends now. If a table was opened just before the end of
 * a window, its first window would be too short. So this first window goes on until the end of the next window. */
static bool update_window_ends(const struct model *model, const struct table *table, double seconds, bool due)
{
    if (!table->taken)
        return true;
    return due && (table->windows > 0 || seconds >= FIRST_WINDOW * model->window_seconds);
}

/* Returns true if the table must be cleared and begin again with this snapshot, because rows still lack names and no
 * window of the table has ended. This happens to tables that are opened in the middle of a window. Each new row lacks a
 * name at first. So a table begins again at most BEGINNINGS times. Otherwise its first window might never end. */
static bool update_begins_again(const struct table *table, bool due)
{
    return !due && table->taken && table->windows == 0 && table->begun < BEGINNINGS && table_lacks_names(table);
}

bool model_awaits_names(const struct model *model)
{
    return !model->paused && update_begins_again(&model->tables[model->view], false);
}

/* Keeps a held table still, but lets it have what is still being looked up. When an address gets its name, its counts
 * move to another row. So rows without names get them only if there are no new counts. */
static int update_frozen(struct table *frozen, const struct table *table)
{
    if (!frozen->taken || (table_lacks_names(frozen) && frozen->total_ns == table->total_ns))
        return table_copy(frozen, table);
    table_copy_texts(frozen, table);
    return 0;
}

/* Takes the rows of a table. After all targets have ended, no window ends any more, but rows may still get names. */
static void update_table(struct model *model, struct snapshot *snapshot, enum pprofil_by by, bool due)
{
    struct table *table = &model->tables[by];

    /* a saved profile is taken as a whole again if rows may have got names since the last snapshot */
    bool again = snapshot->saved && table->taken && snapshot->by[by].history != NULL;
    if (snapshot->by[by].taken && (again || update_begins_again(table, due))) {
        unsigned begun = table->begun;
        table_clear(table);
        table->begun = begun + 1;
    }
    uint64_t since = table->taken ? model->table_ns[by] : model->began_ns;
    double seconds = since == 0 ? 0 : ((double)snapshot->time_ns - (double)since) / 1e9;

    bool ends = update_window_ends(model, table, seconds, due);
    if (!snapshot->by[by].taken || (!ends && !model->closed))
        return;
    int error = idle_add(model, snapshot, by);
    if (error == 0)
        error = ends ? table_take(table, &snapshot->by[by], seconds) : table_retext(table, &snapshot->by[by]);
    if (error != 0) {
        update_say_no_memory(model, snapshot);
        return;
    }
    if (ends)
        model->table_ns[by] = snapshot->time_ns;
    view_arrange(model, table, by, snapshot);
    if (model->paused && update_frozen(&model->frozen[by], table) != 0)
        update_say_no_memory(model, snapshot);
}

static void update_tables(struct model *model, struct snapshot *snapshot, bool due)
{
    /* counts of CPU time cannot be subtracted from counts of elapsed time */
    if (model->have_snapshot && snapshot->totals.wall != model->now.totals.wall)
        model_cleared(model);
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        update_table(model, snapshot, by, due);
    model->closed = snapshot_is_over(snapshot) && (model->closed || due);
}

/* --- the model as a whole ------------------------------------------------------------------- */

/* Keeps the tasks, processes and code that a paused display shows: moves them from the shown
 * snapshot to the fresh one. */
static void update_hold_still(struct snapshot *shown, struct snapshot *fresh)
{
    struct snapshot held = *fresh;

    fresh->tasks = shown->tasks;
    fresh->task_count = shown->task_count;
    fresh->processes = shown->processes;
    fresh->process_count = shown->process_count;
    shown->tasks = held.tasks;
    shown->processes = held.processes;
    if (shown->code_count == 0)
        return; /* no code is shown yet, so the fresh code stays */
    struct snapshot_counts *held_old = fresh->code_old;
    fresh->code_old = shown->code_old;
    shown->code_old = held_old;
    fresh->code = shown->code;
    fresh->code_count = shown->code_count;
    fresh->code_state = shown->code_state;
    fresh->code_problem = shown->code_problem;
    shown->code = held.code;
}

/* Moves the cursor to the hottest line of the code. If two profiles are compared, the hottest line is the one with the
 * most time in both together. */
static void update_select_hottest_code(struct model *model)
{
    const struct snapshot *now = &model->now;
    uint32_t hottest = 0;

    for (uint32_t i = 1; i < now->code_count; i++)
        if (now->code_old != NULL) {
            if (now->code[i].ns + now->code_old[i].ns > now->code[hottest].ns + now->code_old[hottest].ns)
                hottest = i;
        } else if (!now->code[i].source && now->code[i].ns > now->code[hottest].ns) {
            hottest = i;
        }
    list_select(model, hottest);
}

static void snapshot_drop_rows(struct snapshot *snapshot)
{
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        snapshot_rows_free(&snapshot->by[by]);
    free(snapshot->calls.rows);
    snapshot->calls = (struct snapshot_calls){0};
}

void model_take(struct model *model, struct snapshot *snapshot, bool due)
{
    bool had_code = model->now.code_count > 0;

    list_settle(model);
    model_answer_seen(model, snapshot->time_ns);
    if (snapshot->saved) /* all of a saved profile is one window */
        model->began_ns = snapshot->time_ns - (snapshot->totals.elapsed_ns > 0 ? snapshot->totals.elapsed_ns : SECOND);
    update_tables(model, snapshot, due);
    calls_take_snapshot(model, snapshot, due);
    timeline_take(model, snapshot);
    model->began_ns = 0; /* a table that is opened later does not begin at began_ns */
    update_header(model, snapshot, due);
    snapshot_drop_rows(snapshot);
    if (model->paused && model->have_snapshot)
        update_hold_still(&model->now, snapshot);
    snapshot_free(&model->now);
    model->now = *snapshot;
    *snapshot = (struct snapshot){.status = -1};
    model->have_snapshot = true;
    if (model->page == PAGE_CODE && !had_code && model->now.code_count > 0)
        update_select_hottest_code(model);
    list_follow(model);
}

void model_cleared(struct model *model)
{
    list_settle(model);
    view_clear_tables(model);
    model->began_ns = 0;
    model->before.counted = false;
}
