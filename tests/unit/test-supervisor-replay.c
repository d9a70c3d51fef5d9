/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replays a debug log of the supervisor. lib/supervisor/debug-log.h describes its lines. The test follows each task
 * through its states, and checks that ptrace(2) and the invariants of supervisor.h allow each line.
 *
 * The recorded log has threads, forks, execs, signals, continued calls, and tasks that tracers hand over to each other.
 * In it, the budget limits the sampling rate. PPROFIL_REPLAY names another log to replay (tests/e2e/debug-log.sh).
 */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/budget.h"
#include "supervisor/stop.h"

#define TASKS (1u << 17) /* slots of a hash table with open addressing */
#define WORD 16
#define RATE_ERROR_MAX_HZ 0.1 /* the log shows rates with one decimal */
#define INBOX_NS 1000000000u /* longest time until a tracer reads its inbox, ns */
struct replay;

struct task {
    int tid; /* 0: the slot is free */
    int pid; /* 0: not known */
    struct replay *replay; /* the replay that has this task; borrowed */
    unsigned tracer;       /* number of its tracer in the log */
    bool known;            /* that tracer knows the task */
    /* 1 + number of the tracer that had this tid before an exec; 0: none. By former_until (ns) it knows of the exec */
    unsigned former;
    unsigned long long former_until;
    bool stopped;     /* the task has stopped, and the stop is not answered yet */
    bool lost_thread; /* a thread of this leader's process was released, and no other tracer could seize it */
    char state[WORD];
};

struct line {
    unsigned long long time; /* ns */
    unsigned number;         /* number of the line in the file, from 1 */
    unsigned tracer;
    char event[WORD];
    int tid;
    char rest[96];
};

struct replay {
    struct task *tasks;
    unsigned task_count;
    struct line *lines;
    unsigned count, stops;
    bool asked; /* the log has shown the requested rate */
    struct budget budget;
    char problem[256];
};

/* --- reading ------------------------------------------------------------------------------------ */

static int replay_compare(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static bool replay_has_no_task(const char *event)
{
    static const char *const events[] = {"tick", "move", "ask", "cost", "condition", "rate"};

    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (strcmp(event, events[i]) == 0)
            return true;
    return false;
}

static struct line replay_parse(const char *text, unsigned number)
{
    struct line line = {.number = number};
    unsigned long long seconds = 0, ns = 0;
    int end = 0;

    cr_assert_eq(sscanf(text, "%llu.%9llu %u %15s%n", &seconds, &ns, &line.tracer, line.event, &end), 4,
                 "line %u is no line of a log: %s", number, text);
    line.time = seconds * 1000000000u + ns;
    line.tid = replay_has_no_task(line.event) ? 0 : (int)strtol(text + end, NULL, 10);
    snprintf(line.rest, sizeof line.rest, "%s", text + end);
    return line;
}

static struct replay replay_read(FILE *file)
{
    struct replay replay = {.tasks = calloc(TASKS, sizeof *replay.tasks)};
    char *text = NULL;
    size_t size = 0;

    while (getline(&text, &size, file) > 0) {
        if ((replay.count & (replay.count + 1)) == 0) /* doubles the room: a log may have a million lines */
            replay.lines = realloc(replay.lines, (2 * replay.count + 1) * sizeof *replay.lines);
        replay.lines[replay.count] = replay_parse(text, replay.count + 1);
        replay.count++;
    }
    free(text);
    return replay;
}

static void replay_clear(struct replay *replay)
{
    free(replay->tasks);
    free(replay->lines);
}

/* --- the rules ------------------------------------------------------------------------------------ */

static struct task *replay_task(struct replay *replay, int tid)
{
    unsigned slot = (unsigned)tid * 2654435761u % TASKS;

    while (replay->tasks[slot].tid != 0 && replay->tasks[slot].tid != tid)
        slot = (slot + 1) % TASKS;
    replay->task_count += replay->tasks[slot].tid == 0;
    cr_assert_lt(replay->task_count, TASKS / 2, "there are too many tasks");
    replay->tasks[slot].tid = tid;
    replay->tasks[slot].replay = replay;
    return &replay->tasks[slot];
}

static bool is_in(const struct task *task, const char *state)
{
    return task->known && strcmp(task->state, state) == 0;
}

static void enter(struct task *task, const struct line *line, const char *state)
{
    task->tracer = line->tracer;
    task->known = true;
    snprintf(task->state, sizeof task->state, "%s", state);
}

/* A thread that calls execve() gets the leader's tid. Returns true if a thread of the leader's process may have done so
 * while one tracer handed the thread over to another. A third tracer may then still believe that it has this tid. */
static bool has_executed(const struct replay *replay, const struct task *leader)
{
    for (unsigned i = 0; i < TASKS && !leader->lost_thread; i++)
        if (replay->tasks[i].pid == leader->tid && is_in(&replay->tasks[i], "RELEASED"))
            return true;
    return leader->lost_thread;
}

/* Notes which tracer had this tid before an exec. That tracer finds in its inbox that another one has the tid now. */
static void note_former(struct task *task, const struct line *line)
{
    task->former = task->known ? task->tracer + 1 : 0;
    task->former_until = line->time + INBOX_NS;
}

static bool is_by_former(const struct task *task, const struct line *line)
{
    return task->former == line->tracer + 1 && line->time < task->former_until;
}

static const char *on_seize(struct task *task, const struct line *line)
{
    if (is_in(task, "RELEASED") && task->tracer != line->tracer)
        return "is seized by another tracer than it was released for";
    if (task->known && !is_in(task, "RELEASED") && (task->tracer == line->tracer || !has_executed(task->replay, task)))
        return "is seized, and is known already";
    if (task->known && task->tracer != line->tracer && !is_in(task, "RELEASED"))
        note_former(task, line);
    enter(task, line, "RUNNING");
    sscanf(line->rest, "%*d %d", &task->pid);
    task->stopped = task->lost_thread = false;
    return NULL;
}

static const char *on_born(struct task *task, const struct line *line)
{
    if (task->known && !is_in(task, "UNKNOWN"))
        return "is born, and is known already";
    if (task->known && task->tracer != line->tracer)
        return "is born to another tracer than the one that holds it";
    enter(task, line, "STARTING");
    sscanf(line->rest, "%*d %d", &task->pid);
    return NULL;
}

static const char *on_stopped(struct task *task, const struct line *line)
{
    bool held = strcmp(line->event, "held") == 0;

    if (!task->stopped)
        return held ? "is held, and does not stand still" : "has executed, and does not stand still";
    enter(task, line, held ? "UNKNOWN" : "RUNNING");
    return NULL;
}

static const char *on_interrupt(struct task *task, const struct line *line)
{
    if (is_by_former(task, line))
        return NULL;
    if (!task->known || task->tracer != line->tracer)
        return "is interrupted by a tracer that does not have it";
    if (is_in(task, "RELEASED"))
        return "is interrupted before it is seized";
    if (is_in(task, "RUNNING") && strcmp(line->event, "interrupt") == 0)
        enter(task, line, "INTERRUPTED");
    return NULL;
}

static const char *on_stop(struct task *task, const struct line *line)
{
    unsigned status;
    char kind[WORD], state[WORD];

    if (sscanf(line->rest, "%*d %x %15s %15s", &status, kind, state) != 3)
        return "stops without a status, a kind and a state";
    const struct stop stop = stop_decode((int)status);
    if (strcmp(kind, stop_kind_name(stop.kind)) != 0)
        return "stops for another reason than its status says";
    /* a thread that calls execve() gets the leader's tid, so its tracer sees this stop with the leader's tid */
    if (strcmp(kind, "EXEC") == 0 && task->tracer != line->tracer) {
        note_former(task, line);
        task->known = task->stopped = false;
    }
    if (task->known && task->tracer != line->tracer)
        return "stops for a tracer that does not have it";
    if (strcmp(state, task->known ? task->state : "none") != 0)
        return "stops in another state than what was done to it has led to";
    if (task->stopped && stop.kind != STOP_ENDED && !is_in(task, "UNKNOWN"))
        return "stops again before it was answered";
    task->stopped = stop.kind != STOP_ENDED;
    task->tracer = line->tracer;
    return NULL;
}

static const char *on_answer(struct task *task, const struct line *line)
{
    static const struct {
        const char *event, *state; /* state after the event; NULL: the task is no tracee any more */
    } answers[] = {{"resume", "RUNNING"}, {"follow", "RUNNING"}, {"call", "CONTINUING"}, {"listen", "LISTENING"},
                   {"release", "RELEASED"}, {"detach", NULL}};

    if (is_by_former(task, line))
        return NULL;
    if (task->tracer != line->tracer)
        return "is answered by a tracer that does not have it";
    if (!task->stopped)
        return "is answered, and does not stand still";
    task->stopped = false;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcmp(line->event, answers[i].event) == 0 && answers[i].state != NULL)
            enter(task, line, answers[i].state);
        else if (strcmp(line->event, answers[i].event) == 0)
            task->known = false;
    if (is_in(task, "RELEASED")) /* now the task belongs to the tracer for which it was released */
        sscanf(line->rest, "%*d %u", &task->tracer);
    return NULL;
}

/* The tracer that forgets the task may also be the one that had this tid before an exec. */
static const char *on_forget(struct task *task, const struct line *line)
{
    if (is_in(task, "RELEASED"))
        replay_task(task->replay, task->pid)->lost_thread = true;
    if (task->former == line->tracer + 1)
        task->former = 0;
    else if (task->tracer == line->tracer)
        task->known = false;
    return NULL;
}

static const char *on_decision(struct task *task, const struct line *line)
{
    if (is_by_former(task, line))
        return NULL;
    if (!task->known || task->tracer != line->tracer)
        return "is decided on by a tracer that does not have it";
    return is_in(task, "RELEASED") ? "is decided on before it is seized" : NULL;
}

static const char *on_change(struct task *task, const struct line *line)
{
    if (is_by_former(task, line))
        return NULL;
    if (task->tracer != line->tracer)
        return "is changed by a tracer that does not have it";
    return task->stopped ? NULL : "is changed, and does not stand still";
}

static const char *on_ask(struct task *task, const struct line *line)
{
    struct replay *replay = task->replay;
    double hz, share;

    if (sscanf(line->rest, "%lf %lf", &hz, &share) != 2)
        return "asks for no rate";
    if (replay->asked)
        budget_ask(&replay->budget, hz);
    else
        budget_init(&replay->budget, hz, share);
    replay->asked = true;
    return NULL;
}

static const char *on_cost(struct task *task, const struct line *line)
{
    struct replay *replay = task->replay;
    unsigned condition, samples;
    unsigned long long ns;

    if (!replay->asked || sscanf(line->rest, "%u %u %llu", &condition, &samples, &ns) != 3 ||
        condition >= BUDGET_CONDITIONS)
        return "costs something that is not told";
    budget_note(&replay->budget, condition, samples, ns);
    budget_adjust(&replay->budget, replay->budget.condition, line->time);
    return NULL;
}

static const char *on_condition(struct task *task, const struct line *line)
{
    unsigned condition;

    if (!task->replay->asked || sscanf(line->rest, "%u", &condition) != 1 || condition >= BUDGET_CONDITIONS)
        return "is under a condition that is not known";
    budget_adjust(&task->replay->budget, condition, line->time);
    return NULL;
}

/* Checks that the costs in the log lead to the rate in the log. */
static const char *on_rate(struct task *task, const struct line *line)
{
    double hz;

    if (!task->replay->asked || sscanf(line->rest, "%lf", &hz) != 1)
        return "has no rate";
    return fabs(hz - task->replay->budget.rate_hz) < RATE_ERROR_MAX_HZ ? NULL : "has another rate than its costs allow";
}

static const char *on_figures(struct task *task, const struct line *line)
{
    (void)task;
    return line->rest[1] >= '0' && line->rest[1] <= '9' ? NULL : "has no figure";
}

static const struct {
    const char *event;
    const char *(*check)(struct task *task, const struct line *line);
} rules[] = {
    {"seize", on_seize}, {"born", on_born}, {"held", on_stopped}, {"leader", on_stopped}, {"interrupt", on_interrupt},
    {"stop", on_stop}, {"resume", on_answer}, {"call", on_answer}, {"follow", on_answer}, {"listen", on_answer},
    {"release", on_answer}, {"detach", on_answer}, {"forget", on_forget}, {"hand", on_decision},
    {"sample", on_decision}, {"waits", on_decision}, {"late", on_decision}, {"backoff", on_decision},
    {"restart", on_change}, {"piece", on_change}, {"fail", on_change}, {"return", on_change}, {"mask", on_change},
    {"hold", on_change}, {"drop", on_change}, {"siginfo", on_change}, {"short", on_change}, {"send", on_figures},
    {"ask", on_ask}, {"cost", on_cost}, {"condition", on_condition}, {"rate", on_rate}, {"tick", on_figures},
    {"move", on_figures},
};

static void replay_line(struct replay *replay, const struct line *line)
{
    struct task nobody = {.replay = replay};
    struct task *task = line->tid > 0 ? replay_task(replay, line->tid) : &nobody;
    const char *problem = "meets an event that is not known";

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(line->event, rules[i].event) == 0) {
            problem = rules[i].check(task, line);
            break;
        }
    replay->stops += strcmp(line->event, "stop") == 0;
    if (problem != NULL)
        snprintf(replay->problem, sizeof replay->problem, "line %u (%s): task %d %s", line->number, line->event,
                 line->tid, problem);
}

/* Checks all lines, in the order of their times. Returns the text of the first problem, or "" if there is none. */
static const char *replay_run(struct replay *replay)
{
    replay->problem[0] = '\0';
    replay->stops = replay->task_count = 0;
    replay->asked = false;
    memset(replay->tasks, 0, TASKS * sizeof *replay->tasks);
    qsort(replay->lines, replay->count, sizeof *replay->lines, replay_compare);
    for (unsigned i = 0; i < replay->count && replay->problem[0] == '\0'; i++)
        replay_line(replay, &replay->lines[i]);
    for (unsigned i = 0; i < TASKS && replay->problem[0] == '\0'; i++)
        if (replay->tasks[i].stopped)
            snprintf(replay->problem, sizeof replay->problem, "task %d stands still at the end", replay->tasks[i].tid);
    return replay->problem;
}

/* --- tests ---------------------------------------------------------------------------------------- */

static struct replay read_log(void)
{
    const char *path = getenv("PPROFIL_REPLAY"), *source = getenv("abs_srcdir");
    char recorded[4096];

    snprintf(recorded, sizeof recorded, "%s/tests/unit/supervisor-log.txt", source != NULL ? source : ".");
    FILE *file = fopen(path != NULL ? path : recorded, "re");
    cr_assert_not_null(file, "%s cannot be opened", path != NULL ? path : recorded);
    struct replay replay = replay_read(file);
    fclose(file);
    return replay;
}

Test(replay, a_log_keeps_all_rules)
{
    struct replay log = read_log();

    cr_assert_str_eq(replay_run(&log), "");
    cr_assert_geq(log.stops, 20, "there are %u stops", log.stops);
    replay_clear(&log);
}

/* Returns true if the next line about the task says that it ended, or if no line about it follows. A killed task may
 * end in any state, so the replay finds no defect just before the end of a task. */
static bool ends_next(const struct replay *log, unsigned line)
{
    if (log->lines[line].tid == 0)
        return false;
    for (unsigned i = line; i < log->count; i++)
        if (log->lines[i].tid == log->lines[line].tid && strstr(log->lines[i].rest, " ENDED ") != NULL)
            return true;
        else if (i > line && log->lines[i].tid == log->lines[line].tid && log->lines[i].event[0] != 't')
            return false;
    return true;
}

/* Restores a line. It may be at another index now, because each replay sorts the lines. */
static void put_back(struct replay *log, const struct line *kept)
{
    for (unsigned i = 0; i < log->count; i++)
        if (log->lines[i].number == kept->number)
            log->lines[i] = *kept;
}

/* Spoils up to 50 lines with this event, one in each replay, and checks that each replay finds the defect. */
static void expect_found(const char *event, void (*spoil)(struct line *line))
{
    struct replay log = read_log();
    unsigned tried = 0, found = 0;

    replay_run(&log);
    for (unsigned i = 0; i < log.count && tried < 50; i++) {
        struct line kept = log.lines[i];
        if (strcmp(kept.event, event) != 0 || ends_next(&log, i))
            continue;
        spoil(&log.lines[i]);
        found += replay_run(&log)[0] != '\0';
        put_back(&log, &kept);
        tried++;
    }
    cr_expect_gt(tried, 0, "%s: the log has none", event);
    cr_expect_eq(found, tried, "%s: %u of %u defects found", event, found, tried);
    cr_assert_str_eq(replay_run(&log), "");
    replay_clear(&log);
}

static void leave_out(struct line *line)
{
    snprintf(line->event, sizeof line->event, "tick");
}

static void give_to_another_tracer(struct line *line)
{
    line->tracer += 100;
}

static void change_kind(struct line *line)
{
    snprintf(line->rest, sizeof line->rest, " %d 80057f SIGNAL RUNNING", line->tid);
}

Test(replay, finds_what_is_wrong, .timeout = 60)
{
    static const struct {
        const char *event;
        void (*spoil)(struct line *line);
    } defects[] = {{"resume", leave_out},  {"stop", leave_out},
                   {"listen", leave_out},  {"release", leave_out},
                   {"seize", leave_out},   {"resume", give_to_another_tracer},
                   {"interrupt", give_to_another_tracer}, {"stop", change_kind}};

    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++)
        expect_found(defects[i].event, defects[i].spoil);
}

static void raise_rate(struct line *line)
{
    snprintf(line->rest, sizeof line->rest, " %.1f", 1 + 1.01 * strtod(line->rest, NULL));
}

Test(replay, a_rate_follows_from_its_costs)
{
    expect_found("rate", raise_rate);
}
