/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tick: look, interrupt, and wait for the stops, which at-stop.c answers. Nothing here
 * allocates.
 */
#include "config.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/timerfd.h>

#include "supervisor/supervisor.h"

#define SPIN_NS 50000u           /* longest poll for stops; a sleep and a wake cost as much */
#define PREEMPTED_NS 50000u      /* our own waking up may have taken the CPU from a thread */
#define MOST_SPIN_CREDIT 8
#define FADING 32u               /* looks until two thirds of what was are forgotten */
#define WALL_LOOKS 32u     /* cold threads looked at in one tick, ... */
#define WALL_PERIOD_NS 10000000u /* ... at least so often in wall mode */
#define STEP_ASIDE_NS 2000000u
#define STATS_PERIOD_NS 1000000000u
#define FIRST_STATS_NS 200000000u /* a live view wants them on its first screen */

/* To set it anew also forgets that it has run out: it is never read. due: 0 for never. */
static void set_timer(struct supervisor *supervisor, uint64_t due)
{
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(due / 1000000000u),
                                           .tv_nsec = (long)(due % 1000000000u)}};
    supervisor->due = due;
    timerfd_settime(supervisor->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Periods are of the targets' CPU time, which does not pass while they are stopped: at high
 * rates they would get a fifth more samples than were asked for. */
static void leave_out_stops(struct supervisor *supervisor)
{
    uint64_t stopped = supervisor->stats.stopped_ns - supervisor->left_out_ns;

    if (supervisor->running > 0)
        rate_leave_out(&supervisor->rate, stopped / supervisor->running);
    supervisor->left_out_ns = supervisor->stats.stopped_ns;
}

/* While nobody is active a tick only looks who has woken up, however low the rate is: else short
 * bursts would be over before the first look at them. */
static uint64_t next_due(struct supervisor *supervisor, uint64_t now)
{
    uint64_t scan = active_scan_period(supervisor);

    if (supervisor->idle && !supervisor->options.wall)
        return now + scan;
    if (supervisor->idle && scan > WALL_PERIOD_NS)
        scan = WALL_PERIOD_NS;
    return rate_next(&supervisor->rate, now, supervisor->idle ? scan : 0);
}

static void arm_next(struct supervisor *supervisor)
{
    supervisor->idle = supervisor->tracees.active_count == 0;
    supervisor->armed = true;
    leave_out_stops(supervisor);
    set_timer(supervisor, seat_order(supervisor, next_due(supervisor, time_now())));
}

void tick_arm(struct supervisor *supervisor)
{
    if (!supervisor->sampling || supervisor->tracees.count == 0)
        return;
    if (supervisor->armed && !(supervisor->idle && supervisor->tracees.active_count > 0))
        return;
    rate_restart(&supervisor->rate, time_now());
    arm_next(supervisor);
}

/* Elapsed time counts from now on. */
static void begin_wall(struct supervisor *supervisor, uint64_t now)
{
    for (struct process *process = supervisor->tracees.processes; process != NULL;
         process = process->next)
        for (struct tracee *tracee = process->tracees; tracee != NULL;
             tracee = tracee->process_next)
            tracee->wall_at = now;
}

void sampling_start(struct supervisor *supervisor)
{
    if (supervisor->sampling)
        return;
    supervisor->sampling = true;
    supervisor->started_at = supervisor->tick_at = time_now();
    supervisor->rate.adjusted_at = supervisor->started_at; /* a pause is not throttled time */
    supervisor->stats_at = supervisor->started_at - STATS_PERIOD_NS + FIRST_STATS_NS;
    for (struct process *process = supervisor->tracees.processes; process != NULL;
         process = process->next)
        attach_baseline(supervisor, process);
    begin_wall(supervisor, supervisor->started_at);
    tick_arm(supervisor);
}

void sampling_set_wall(struct supervisor *supervisor, bool wall)
{
    if (wall && !supervisor->options.wall)
        begin_wall(supervisor, time_now());
    supervisor->options.wall = wall;
}

void sampling_pause(struct supervisor *supervisor)
{
    if (!supervisor->sampling)
        return;
    supervisor->stats.elapsed_ns += time_now() - supervisor->started_at;
    for (struct process *process = supervisor->tracees.processes; process != NULL;
         process = process->next)
        process->paused_cpu_ns = process_cpu_counted(process, true);
    supervisor->sampling = false;
    supervisor->armed = false;
    set_timer(supervisor, 0);
    for (struct process *process = supervisor->tracees.processes; process != NULL;
         process = process->next)
        attach_baseline(supervisor, process);
}

void sampling_clear(struct supervisor *supervisor)
{
    supervisor->stats = (struct wire_stats){.untraced = supervisor->tracees.untraced_count};
    supervisor->left_out_ns = 0;
    supervisor->rate.throttled_ns = 0;
    supervisor->ended_cpu_ns = 0;
    supervisor->started_at = supervisor->rate.adjusted_at = time_now();
    for (struct process *process = supervisor->tracees.processes; process != NULL;
         process = process->next) {
        process->paused_cpu_ns = 0;
        attach_baseline(supervisor, process);
    }
}

/* Before its first interrupt that is its whole life. */
static void note_waits(struct tracee *tracee, const struct procfs_cpu *cpu)
{
    tracee->ran_ns -= tracee->ran_ns / FADING;
    tracee->waited_ns -= tracee->waited_ns / FADING;
    if (cpu->run_ns > tracee->run_ns)
        tracee->ran_ns += cpu->run_ns - tracee->run_ns;
    if (cpu->wait_ns > tracee->wait_ns)
        tracee->waited_ns += cpu->wait_ns - tracee->wait_ns;
}

/* since: the time since which the tracee may have had to wait for us */
static void interrupt(struct supervisor *supervisor, struct tracee *tracee, uint64_t pending_ns,
                      uint64_t since)
{
    struct procfs_cpu cpu = {0};

    if (procfs_read_cpu(&tracee->files, &cpu) == 0)
        note_waits(tracee, &cpu);
    tracee->wait_ns = cpu.wait_ns;
    tracee->run_ns = cpu.run_ns;
    tracee->pending_ns = pending_ns + tracee->skipped_ns;
    tracee->overdue_ns = tracee->skipped_ns = 0;
    tracee->interrupted_at = time_now();
    tracee->hindered_at = since;
    if (ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL) < 0) {
        tracee->pending_ns = 0; /* it is ending */
        return;
    }
    tracee->state = TRACEE_INTERRUPTED;
    supervisor->awaited[supervisor->awaited_count++] = tracee->tid;
}

/* The threads found running at a tick. */
struct running {
    unsigned count;                      /* but for the seated ones */
    struct tracee *chosen[AWAITED_MAX];  /* at most most_at_once, all with the same chance */
    unsigned seated_count;
    struct tracee *seated[AWAITED_MAX];  /* to be looked at from their own CPU: preempt.c */
};

static void find_running(struct supervisor *supervisor, uint64_t interval,
                         struct running *running)
{
    unsigned most = supervisor->most_at_once;

    running->count = running->seated_count = 0;
    for (struct tracee *tracee = supervisor->tracees.active; tracee != NULL;
         tracee = tracee->active_next) {
        struct procfs_state state;
        if (tracee->process->launching || tracee->state == TRACEE_STARTING ||
            tracee->state == TRACEE_LISTENING)
            continue;
        procfs_look(&tracee->files, &state);
        if (state.doing == PROCFS_SLEEPING && supervisor->options.wall)
            attribution_asleep(supervisor, tracee, &state);
        seat_note(tracee, state.doing == PROCFS_RUNNING);
        if (state.doing != PROCFS_RUNNING)
            continue;
        tracee->active_until = supervisor->tick_at + tracee->active_span;
        if (tracee->state == TRACEE_INTERRUPTED || tracee->state == TRACEE_CONTINUING) {
            tracee->overdue_ns += interval;
            continue;
        }
        if (backoff_holds(&tracee->repair.backoff, tracee->process->pid, tracee->tid,
                          supervisor->tick_at)) {
            tracee->skipped_ns += interval;
            continue;
        }
        if (!supervisor->crowded && seat_wanted(tracee) &&
            running->seated_count < AWAITED_MAX) {
            running->seated[running->seated_count++] = tracee;
            continue;
        }
        unsigned slot = running->count++;
        if (slot >= most)
            slot = rate_random(&supervisor->rate, running->count);
        if (slot < most)
            running->chosen[slot] = tracee;
    }
}

/* Each stop sends SIGCHLD, at the stopped thread's expense; those of a tick are polled for
 * anyway. */
static void announce_stops(struct supervisor *supervisor, bool announced)
{
    struct sigaction action = {.sa_handler = SIG_DFL,
                               .sa_flags = announced ? 0 : SA_NOCLDSTOP};

    if (supervisor->unannounced == !announced)
        return;
    sigaction(SIGCHLD, &action, NULL);
    supervisor->unannounced = !announced;
    if (announced)
        wait_drain(supervisor); /* whatever else has stopped meanwhile */
}

/* Returns how many run. */
static unsigned interrupt_running(struct supervisor *supervisor, uint64_t interval, bool held)
{
    const struct seat *seat = &supervisor->seat;
    uint64_t due = seat->due, woken = supervisor->woke_at - PREEMPTED_NS;
    struct running running;
    unsigned times = 1;

    find_running(supervisor, interval, &running);
    supervisor->awaited_count = 0;
    if (running.count + running.seated_count > 0)
        announce_stops(supervisor, false);
    unsigned count = seat_choose(supervisor, running.seated, running.seated_count, held, &times);
    for (unsigned i = 0; count == 0 && i < running.seated_count; i++)
        running.seated[i]->skipped_ns += interval;
    for (unsigned i = 0; i < count; i++)
        interrupt(supervisor, running.seated[i], interval * times, seat->taken ? due : woken);
    count = running.count < supervisor->most_at_once ? running.count : supervisor->most_at_once;
    if (count > AWAITED_MAX - supervisor->awaited_count)
        count = AWAITED_MAX - supervisor->awaited_count;
    for (unsigned i = 0; i < count; i++)
        interrupt(supervisor, running.chosen[i], interval * running.count / count, woken);
    return running.count + running.seated_count;
}

/* The scheduler may wake us on the CPU of a running tracee though another is idle (where CPUs
 * share no cache it does not even look), and leave us there for long. */
static void step_aside(struct supervisor *supervisor)
{
    cpu_set_t others = supervisor->cpus;
    int cpu = sched_getcpu();

    if (cpu < 0 || supervisor->seat.ordered ||
        supervisor->tick_at - supervisor->stepped_at < STEP_ASIDE_NS)
        return;
    supervisor->stepped_at = supervisor->tick_at;
    CPU_CLR(cpu, &others);
    if (sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof supervisor->cpus, &supervisor->cpus);
}

/* A call that goes on stops at its entry before it waits. */
static bool is_about_to_stop(const struct tracee *tracee)
{
    return tracee->state == TRACEE_INTERRUPTED ||
           (tracee->state == TRACEE_CONTINUING && !tracee->repair.piece_entered);
}

/* Polls once for each stop of this tick that is still to come. */
static void poll_awaited(struct supervisor *supervisor)
{
    for (unsigned i = 0; i < supervisor->awaited_count; i++) {
        struct tracee *tracee = tracee_find(&supervisor->tracees, supervisor->awaited[i]);
        bool open = tracee != NULL && is_about_to_stop(tracee);
        if (open && tracee->spin_credit < MOST_SPIN_CREDIT)
            tracee->spin_credit++; /* taken back if it has not stopped; it may be freed if it has */
        if (open && !wait_poll(supervisor, tracee)) {
            tracee->spin_credit--;
            continue;
        }
        supervisor->awaited[i--] = supervisor->awaited[--supervisor->awaited_count];
    }
}

static bool worth_polling(struct supervisor *supervisor)
{
    for (unsigned i = 0; i < supervisor->awaited_count; i++) {
        const struct tracee *tracee = tracee_find(&supervisor->tracees, supervisor->awaited[i]);
        if (tracee != NULL && tracee->spin_credit > 0)
            return true;
    }
    return rate_random(&supervisor->rate, MOST_SPIN_CREDIT) == 0;
}

/* Polls for the stops of this tick. A thread whose stop does not come is asleep by now, deep
 * in the kernel, or waiting for the very CPU that we poll on: then we leave it that CPU. */
static void await_stops(struct supervisor *supervisor)
{
    uint64_t deadline = time_now() + SPIN_NS;

    if (!supervisor->may_spin || supervisor->awaited_count == 0)
        return;
    if (worth_polling(supervisor)) {
        do
            poll_awaited(supervisor);
        while (supervisor->awaited_count > 0 && time_now() < deadline);
    }
    if (supervisor->awaited_count > 0 && !supervisor->crowded)
        step_aside(supervisor);
    for (unsigned i = 0; i < supervisor->awaited_count; i++) {
        struct tracee *tracee = tracee_find(&supervisor->tracees, supervisor->awaited[i]);
        if (tracee != NULL && tracee->spin_credit > 0)
            tracee->spin_credit--;
    }
}

/* Wall mode: threads that are not active take turns. */
static void look_at_sleepers(struct supervisor *supervisor)
{
    const struct tracees *tracees = &supervisor->tracees;
    unsigned looks = 0;

    for (size_t i = 0; i < tracees->bucket_count && looks < WALL_LOOKS; i++) {
        supervisor->wall_bucket = (supervisor->wall_bucket + 1) & (tracees->bucket_count - 1);
        for (struct tracee *tracee = tracees->buckets[supervisor->wall_bucket]; tracee != NULL;
             tracee = tracee->hash_next) {
            struct procfs_state state;
            if (tracee->active || tracee->state != TRACEE_RUNNING || tracee->process->launching)
                continue;
            looks++;
            procfs_look(&tracee->files, &state);
            if (state.doing == PROCFS_SLEEPING)
                attribution_asleep(supervisor, tracee, &state);
            else if (state.doing == PROCFS_RUNNING)
                tracee_activate(&supervisor->tracees, tracee, supervisor->tick_at);
        }
    }
}

static void keep_house(struct supervisor *supervisor)
{
    uint64_t now = time_now();

    active_check(supervisor, now);
    struct rate_totals totals = {.sampling_ns = supervisor->sampling_cost_ns,
                                 .events_ns = supervisor->events_cost_ns,
                                 .cpu_ns = supervisor->attributed_ns};
    if (rate_adjust(&supervisor->rate, now, &totals))
        emit_rate(supervisor);
    if (now - supervisor->stats_at >= STATS_PERIOD_NS)
        emit_stats(supervisor);
    if (supervisor->unknown_count > 0)
        wait_resolve_unknown(supervisor);
}

/* Where stops come in company there is no time for it later: see tell in attribution.c. */
static void emit_mappings(struct supervisor *supervisor)
{
    if (supervisor->stack.limit == 0 || supervisor->tracees.active_count < 2)
        return;
    for (struct tracee *tracee = supervisor->tracees.active; tracee != NULL;
         tracee = tracee->active_next)
        if (!tracee->process->launching)
            objects_emit_executable(supervisor, tracee->process);
}

void tick_run(struct supervisor *supervisor)
{
    uint64_t interval = supervisor->rate.covered_ns;
    uint64_t due = supervisor->seat.due;

    emit_mappings(supervisor);
    bool held = seat_await(supervisor);

    supervisor->tick_at = time_now();
    supervisor->stats.ticks++;
    supervisor->running = interrupt_running(supervisor, interval, held);
    supervisor->crowded = supervisor->running >= (unsigned)CPU_COUNT(&supervisor->cpus);
    if (held)
        arm_next(supervisor); /* lets go of the CPU */
    if (supervisor->seat.taken)
        supervisor->sampling_cost_ns += time_now() - due;
    await_stops(supervisor);
    announce_stops(supervisor, true);
    supervisor->armed = supervisor->tracees.count > 0;
    if (!supervisor->armed)
        set_timer(supervisor, 0);
    else if (!held)
        arm_next(supervisor);
    opener_go_on(&supervisor->openers, supervisor->socket, supervisor->epoll);
    if (supervisor->options.wall)
        look_at_sleepers(supervisor);
    keep_house(supervisor);
    tick_arm(supervisor); /* for those that have woken up */
    /* where targets want every CPU, ours is taken from them too */
    if (supervisor->crowded)
        supervisor->sampling_cost_ns += time_now() - supervisor->woke_at;
}
