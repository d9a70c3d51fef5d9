/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "debug-log-replay.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/stop.h"

#define TASKS (1u << 17)      /* slots of a hash table with open addressing */
#define RATE_ERROR_MAX_HZ 0.1 /* the log shows rates with one decimal */
#define INBOX_NS 1000000000u  /* longest time until a tracer reads its inbox, ns */

struct log_task {
    int tid;               /* 0: the slot is free */
    int pid;               /* 0: not known */
    struct replay *replay; /* the replay that has this task; borrowed */
    unsigned tracer;       /* number of its tracer in the log */
    bool known;            /* that tracer knows the task */
    /* 1 + number of the tracer that had this tid before an exec; 0: none. By former_until (ns) it knows of the exec */
    unsigned former;
    unsigned long long former_until;
    bool stopped;     /* the task has stopped, and the stop is not answered yet */
    bool lost_thread; /* a thread of this leader's process was released, and no other tracer could seize it */
    char state[LOG_WORD_SIZE];
};

/* --- reading ------------------------------------------------------------------------------------ */

static int replay_compare(const void *a, const void *b)
{
    const struct log_line *x = a, *y = b;

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

static struct log_line replay_parse(const char *text, unsigned number)
{
    struct log_line line = {.number = number};
    unsigned long long seconds = 0, ns = 0;
    int end = 0;

    cr_assert_eq(sscanf(text, "%llu.%9llu %u %15s%n", &seconds, &ns, &line.tracer, line.event, &end), 4,
                 "line %u is no line of a log: %s", number, text);
    line.time = seconds * 1000000000u + ns;
    line.tid = replay_has_no_task(line.event) ? 0 : (int)strtol(text + end, NULL, 10);
    snprintf(line.rest, sizeof line.rest, "%s", text + end);
    return line;
}

struct replay replay_read(FILE *file)
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

void replay_clear(struct replay *replay)
{
    free(replay->tasks);
    free(replay->lines);
}

/* --- the rules ------------------------------------------------------------------------------------ */

static struct log_task *replay_task(struct replay *replay, int tid)
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

static bool is_in(const struct log_task *task, const char *state)
{
    return task->known && strcmp(task->state, state) == 0;
}

static void enter(struct log_task *task, const struct log_line *line, const char *state)
{
    task->tracer = line->tracer;
    task->known = true;
    snprintf(task->state, sizeof task->state, "%s", state);
}

/* A thread that calls execve() gets the leader's tid. Returns true if a thread of the leader's process may have done so
 * while one tracer handed the thread over to another. A third tracer may then still believe that it has this tid. */
static bool has_executed(const struct replay *replay, const struct log_task *leader)
{
    for (unsigned i = 0; i < TASKS && !leader->lost_thread; i++)
        if (replay->tasks[i].pid == leader->tid && is_in(&replay->tasks[i], "RELEASED"))
            return true;
    return leader->lost_thread;
}

/* Notes which tracer had this tid before an exec. That tracer finds in its inbox that another one has the tid now. */
static void note_former(struct log_task *task, const struct log_line *line)
{
    task->former = task->known ? task->tracer + 1 : 0;
    task->former_until = line->time + INBOX_NS;
}

static bool is_by_former(const struct log_task *task, const struct log_line *line)
{
    return task->former == line->tracer + 1 && line->time < task->former_until;
}

static const char *on_seize(struct log_task *task, const struct log_line *line)
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

static const char *on_born(struct log_task *task, const struct log_line *line)
{
    if (task->known && !is_in(task, "UNKNOWN"))
        return "is born, and is known already";
    if (task->known && task->tracer != line->tracer)
        return "is born to another tracer than the one that holds it";
    enter(task, line, "STARTING");
    sscanf(line->rest, "%*d %d", &task->pid);
    return NULL;
}

static const char *on_stopped(struct log_task *task, const struct log_line *line)
{
    bool held = strcmp(line->event, "held") == 0;

    if (!task->stopped)
        return held ? "is held, and does not stand still" : "has executed, and does not stand still";
    enter(task, line, held ? "UNKNOWN" : "RUNNING");
    return NULL;
}

static const char *on_interrupt(struct log_task *task, const struct log_line *line)
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

static const char *on_stop(struct log_task *task, const struct log_line *line)
{
    unsigned status;
    char kind[LOG_WORD_SIZE], state[LOG_WORD_SIZE];

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

static const char *on_answer(struct log_task *task, const struct log_line *line)
{
    static const struct {
        const char *event, *state; /* state after the event; NULL: the task is no tracee any more */
    } answers[] = {{"resume", "RUNNING"},   {"follow", "RUNNING"},   {"call", "CONTINUING"},
                   {"listen", "LISTENING"}, {"release", "RELEASED"}, {"detach", NULL}};

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
static const char *on_forget(struct log_task *task, const struct log_line *line)
{
    if (is_in(task, "RELEASED"))
        replay_task(task->replay, task->pid)->lost_thread = true;
    if (task->former == line->tracer + 1)
        task->former = 0;
    else if (task->tracer == line->tracer)
        task->known = false;
    return NULL;
}

static const char *on_decision(struct log_task *task, const struct log_line *line)
{
    if (is_by_former(task, line))
        return NULL;
    if (!task->known || task->tracer != line->tracer)
        return "is decided on by a tracer that does not have it";
    return is_in(task, "RELEASED") ? "is decided on before it is seized" : NULL;
}

static const char *on_change(struct log_task *task, const struct log_line *line)
{
    if (is_by_former(task, line))
        return NULL;
    if (task->tracer != line->tracer)
        return "is changed by a tracer that does not have it";
    return task->stopped ? NULL : "is changed, and does not stand still";
}

static const char *on_ask(struct log_task *task, const struct log_line *line)
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

static const char *on_cost(struct log_task *task, const struct log_line *line)
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

static const char *on_condition(struct log_task *task, const struct log_line *line)
{
    unsigned condition;

    if (!task->replay->asked || sscanf(line->rest, "%u", &condition) != 1 || condition >= BUDGET_CONDITIONS)
        return "is under a condition that is not known";
    budget_adjust(&task->replay->budget, condition, line->time);
    return NULL;
}

/* Checks that the costs in the log lead to the rate in the log. */
static const char *on_rate(struct log_task *task, const struct log_line *line)
{
    double hz;

    if (!task->replay->asked || sscanf(line->rest, "%lf", &hz) != 1)
        return "has no rate";
    return fabs(hz - task->replay->budget.rate_hz) < RATE_ERROR_MAX_HZ ? NULL : "has another rate than its costs allow";
}

static const char *on_figures(struct log_task *task, const struct log_line *line)
{
    (void)task;
    return line->rest[1] >= '0' && line->rest[1] <= '9' ? NULL : "has no figure";
}

static const struct {
    const char *event;
    const char *(*check)(struct log_task *task, const struct log_line *line);
} rules[] = {
    {"seize", on_seize},
    {"born", on_born},
    {"held", on_stopped},
    {"leader", on_stopped},
    {"interrupt", on_interrupt},
    {"stop", on_stop},
    {"resume", on_answer},
    {"call", on_answer},
    {"follow", on_answer},
    {"listen", on_answer},
    {"release", on_answer},
    {"detach", on_answer},
    {"forget", on_forget},
    {"hand", on_decision},
    {"sample", on_decision},
    {"unsampled", on_decision},
    {"waits", on_decision},
    {"late", on_decision},
    {"backoff", on_decision},
    {"restart", on_change},
    {"piece", on_change},
    {"fail", on_change},
    {"return", on_change},
    {"mask", on_change},
    {"hold", on_change},
    {"drop", on_change},
    {"siginfo", on_change},
    {"short", on_change},
    {"send", on_figures},
    {"ask", on_ask},
    {"cost", on_cost},
    {"condition", on_condition},
    {"rate", on_rate},
    {"tick", on_figures},
    {"move", on_figures},
};

static void replay_check_line(struct replay *replay, const struct log_line *line)
{
    struct log_task nobody = {.replay = replay};
    struct log_task *task = line->tid > 0 ? replay_task(replay, line->tid) : &nobody;
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

const char *replay_run(struct replay *replay)
{
    replay->problem[0] = '\0';
    replay->stops = replay->task_count = 0;
    replay->asked = false;
    memset(replay->tasks, 0, TASKS * sizeof *replay->tasks);
    qsort(replay->lines, replay->count, sizeof *replay->lines, replay_compare);
    for (unsigned i = 0; i < replay->count && replay->problem[0] == '\0'; i++)
        replay_check_line(replay, &replay->lines[i]);
    for (unsigned i = 0; i < TASKS && replay->problem[0] == '\0'; i++)
        if (replay->tasks[i].stopped)
            snprintf(replay->problem, sizeof replay->problem, "task %d stands still at the end", replay->tasks[i].tid);
    return replay->problem;
}
