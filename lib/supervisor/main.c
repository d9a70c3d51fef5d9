/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil-supervise: the loop.
 *
 * Started by libpprofil with three descriptors: the command socket, the ring and an eventfd
 * that wakes the client. It lives in a session of its own, so that no terminal's signal ends
 * it before its client does, and ends with its client. Nor does SIGTERM end it before, which
 * systemd and others send to all processes of a control group: it stays pending, and the client
 * looks there for it.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "supervisor/proc/kernel.h"
#include "supervisor/supervisor.h"

#define UNKNOWN_POLL_MS 20 /* how soon orphans of a fork are looked after */
#define SERVE_POLL_MS 250  /* how soon the end of all counting is seen */
#define SLICE_NS 100000u    /* the shortest that the scheduler grants */
#define LEAVE_NS 300000000u /* longest wait for interrupts under way at the end */
#define WAKE_LATENCY_NS 30000u /* a stop that woke us from sleep is about this old */
#define LINGER_NS 60000u    /* longest poll for more news, ... */
#define MOST_LINGER_NS 2000000u /* ... however much comes */
#define MOST_LINGER_CREDIT 8u
#define DRAIN_PERIOD_NS 500000000u

static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int watch(const struct supervisor *supervisor, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(supervisor->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int open_descriptors(struct supervisor *supervisor)
{
    sigset_t watched, all;

    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    if (supervisor->options.serve) /* there is no client */
        sigaddset(&watched, SIGTERM);
    sigfillset(&all); /* a tracee's end may be told by any: clone(2), "child termination signal" */
    sigprocmask(SIG_BLOCK, &all, NULL);
    attach_prepare();
    signal(SIGCHLD, SIG_DFL); /* ignored by whoever started us, it would never come */
    supervisor->epoll = epoll_create1(EPOLL_CLOEXEC);
    supervisor->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    supervisor->signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    if (supervisor->epoll < 0 || supervisor->timer < 0 || supervisor->signals < 0)
        return -errno;
    int error = watch(supervisor, supervisor->timer);
    if (error == 0)
        error = watch(supervisor, supervisor->signals);
    return error == 0 ? watch(supervisor, supervisor->socket) : error;
}

/* struct sched_attr of include/uapi/linux/sched/types.h, whose header clashes with glibc's. */
struct scheduling {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* A look that comes late comes when its target has gone to sleep: what runs just after a
 * wake-up would be missed. Whoever may gets real-time priority, of which a tick takes some
 * microseconds, and which finds an idle CPU rather than the target's. Else a short slice makes
 * the scheduler run us at once, and since Linux 6.12 anyone may ask for one. */
static void ask_for_low_latency(void)
{
    const struct scheduling wishes[] = {
        {.size = sizeof *wishes, .policy = SCHED_FIFO, .priority = 1},
        {.size = sizeof *wishes, .policy = SCHED_OTHER, .nice = -10, .runtime = SLICE_NS},
        {.size = sizeof *wishes, .policy = SCHED_OTHER, .runtime = SLICE_NS},
    };

    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++)
        if (syscall(SYS_sched_setattr, 0, &wishes[i], 0u) == 0)
            return;
}

static int set_up(struct supervisor *supervisor, int ring_fd)
{
    int cpu_count = 1;

    setsid();
    raise_descriptor_limit();
    ask_for_low_latency();
    if (sched_getaffinity(0, sizeof supervisor->cpus, &supervisor->cpus) == 0)
        cpu_count = CPU_COUNT(&supervisor->cpus);
    supervisor->may_spin = cpu_count > 1;
    supervisor->seat.cpu = supervisor->seat.next = -1;
    supervisor->most_at_once = (uint32_t)cpu_count * 2;
    if (supervisor->most_at_once > AWAITED_MAX)
        supervisor->most_at_once = AWAITED_MAX;

    int error = 0;
    if (ring_fd >= 0) {
        error = ring_open(ring_fd, &supervisor->ring);
        close(ring_fd);
    }
    if (error == 0)
        error = stack_init(&supervisor->stack, supervisor->options.stack_size);
    if (error == 0)
        error = tracees_init(&supervisor->tracees);
    supervisor->tracees.wary = supervisor->options.wary || kernel_looks_wait_here();
    if (error == 0)
        error = open_descriptors(supervisor);
    const struct options *options = &supervisor->options;
    rate_init(&supervisor->rate, options->frequency, options->overhead, options->seed);
    emit_rate(supervisor);
    return error;
}

static void answer(const struct supervisor *supervisor, const struct wire_message *command,
                   int error, const struct attach_refusal *refusal)
{
    struct wire_message reply = {.op = WIRE_OP_DONE,
                                 .error = -error,
                                 .pid = refusal->tid,
                                 .flags = refusal->count,
                                 .value = command->op};
    wire_send(supervisor->socket, &reply, -1);
}

/* A rate that is too high for the ring comes with a larger one. */
static int change_rate(struct supervisor *supervisor, double hz, int ring_fd)
{
    struct ring *ring;

    if (ring_fd >= 0) {
        int error = ring_open(ring_fd, &ring);
        if (error != 0)
            return error;
        emit_through(supervisor, ring);
    }
    rate_change(&supervisor->rate, hz);
    emit_rate(supervisor);
    return 0;
}

/* fd: what came with the command, or -1; the caller closes it. */
static void obey(struct supervisor *supervisor, const struct wire_message *command, int fd)
{
    struct attach_refusal refusal = {.tid = command->pid};
    int error = 0;

    switch (command->op) {
    case WIRE_OP_ATTACH:
        error = attach_process(supervisor, command->pid, command->flags & WIRE_ATTACH_LAUNCHED,
                               &refusal);
        break;
    case WIRE_OP_START:
        sampling_start(supervisor);
        break;
    case WIRE_OP_STOP:
        sampling_pause(supervisor);
        emit_stats(supervisor);
        break;
    case WIRE_OP_FLUSH:
        emit_stats(supervisor);
        break;
    case WIRE_OP_CLEAR:
        sampling_clear(supervisor);
        break;
    case WIRE_OP_RATE:
        error = change_rate(supervisor, (double)command->value / 1000.0, fd);
        break;
    case WIRE_OP_WALL:
        sampling_set_wall(supervisor, command->value != 0);
        break;
    case WIRE_OP_QUIT:
        supervisor->quitting = true;
        return; /* answered when it is done */
    default:
        error = -EINVAL;
    }
    answer(supervisor, command, error, &refusal);
}

static void read_commands(struct supervisor *supervisor)
{
    struct wire_message command;
    int error, fd;

    while (!supervisor->quitting &&
           (error = wire_receive(supervisor->socket, &command, &fd)) != -EAGAIN) {
        if (error == -EPIPE)
            supervisor->client_gone = supervisor->quitting = true;
        else if (error == 0)
            obey(supervisor, &command, fd);
        if (fd >= 0)
            close(fd);
    }
}

static void read_signals(struct supervisor *supervisor)
{
    struct signalfd_siginfo info;

    while (read(supervisor->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        supervisor->news = true;
        if (info.ssi_signo == SIGTERM && info.ssi_code <= SI_USER) /* else a tracee's end */
            supervisor->quitting = true;
    }
}

/* News comes in company: a parent's stop and its child's, an end and the parent's SIGCHLD. To
 * sleep and be woken in between costs the target more than the stop itself. */
static void linger(struct supervisor *supervisor)
{
    uint64_t deadline = time_now() + LINGER_NS;
    unsigned *credit = &supervisor->linger_credit;

    if (!supervisor->may_spin || supervisor->crowded)
        return;
    if (*credit == 0 && rate_random(&supervisor->rate, MOST_LINGER_CREDIT) != 0)
        return;
    *credit -= *credit > 0;
    do {
        supervisor->stops_since = time_now();
        if (!wait_drain(supervisor))
            continue;
        deadline = time_now() + LINGER_NS;
        *credit = *credit + 2 < MOST_LINGER_CREDIT ? *credit + 2 : MOST_LINGER_CREDIT;
    } while (time_now() < deadline && deadline < supervisor->woke_at + MOST_LINGER_NS);
    supervisor->news = supervisor->news || time_now() < deadline; /* we go on, but look round first */
}

/* Asking whether any tracee has news walks through all of them: it is done when a signal says
 * so, and now and then, for ends that the kernel announces by another signal, or by none
 * (clone(2), "the child termination signal"). */
static void drain(struct supervisor *supervisor)
{
    if (!supervisor->news && supervisor->woke_at - supervisor->drained_at < DRAIN_PERIOD_NS)
        return;
    supervisor->news = false;
    supervisor->drained_at = supervisor->woke_at;
    if (wait_drain(supervisor))
        linger(supervisor);
}

static void wait_for_news(struct supervisor *supervisor, int timeout_ms)
{
    struct epoll_event events[4];
    bool tick = false;

    int count = epoll_wait(supervisor->epoll, events, 4, supervisor->news ? 0 : timeout_ms);
    supervisor->woke_at = time_now();
    supervisor->stops_since = supervisor->woke_at - WAKE_LATENCY_NS;
    for (int i = 0; i < count; i++) {
        if (events[i].data.fd == supervisor->timer)
            tick = true;
        else if (events[i].data.fd == supervisor->signals)
            read_signals(supervisor);
        else if (!supervisor->options.serve)
            read_commands(supervisor);
        else if (events[i].data.fd == supervisor->socket)
            serve_accept(supervisor);
        else
            serve_request(supervisor, events[i].data.fd);
    }
    /* what has stopped already must not be interrupted */
    drain(supervisor);
    tick = tick && supervisor->due != 0 && supervisor->woke_at >= supervisor->due;
    if (tick && supervisor->sampling)
        tick_run(supervisor);
    else
        opener_go_on(&supervisor->openers, supervisor->socket, supervisor->epoll);
}

static bool is_under_way(const struct tracee *tracee)
{
    return tracee->state == TRACEE_INTERRUPTED || tracee->state == TRACEE_CONTINUING;
}

static bool any_under_way(const struct supervisor *supervisor)
{
    for (const struct process *process = supervisor->tracees.processes; process != NULL;
         process = process->next)
        for (const struct tracee *tracee = process->tracees; tracee != NULL;
             tracee = tracee->process_next)
            if (is_under_way(tracee))
                return true;
    return false;
}

static void wait_for_stops(struct supervisor *supervisor)
{
    uint64_t deadline = time_now() + LEAVE_NS;

    while (any_under_way(supervisor) && time_now() < deadline)
        wait_for_news(supervisor, UNKNOWN_POLL_MS);
}

static void give_up_calls(struct supervisor *supervisor)
{
    for (struct process *process = supervisor->tracees.processes; process != NULL;
         process = process->next)
        for (struct tracee *tracee = process->tracees; tracee != NULL;
             tracee = tracee->process_next)
            if (tracee->state == TRACEE_CONTINUING)
                repair_give_up(tracee);
}

/* The kernel lets all tracees go when we end, and none of them needs a stop for that. But an
 * interrupt that has not stopped its thread yet may have broken a system call, which can
 * only be mended at the stop: these are waited for. So are calls that are being continued; those that
 * wait for longer return what they have done. */
static void leave(struct supervisor *supervisor)
{
    if (supervisor->options.serve)
        close(supervisor->socket); /* who connects from now on starts another one */
    if (supervisor->sampling)
        sampling_pause(supervisor);
    wait_for_stops(supervisor);
    give_up_calls(supervisor);
    wait_for_stops(supervisor);
    for (const struct process *process = supervisor->tracees.processes; process != NULL;
         process = process->next)
        emit_exit(supervisor, process->pid, process->pid, process_cpu_counted(process, false),
                  -1);
    emit_stats(supervisor);
    if (supervisor->options.serve)
        return;
    if (!supervisor->client_gone)
        opener_finish(&supervisor->openers, supervisor->socket, supervisor->epoll);
    struct wire_message quit = {.op = WIRE_OP_QUIT};
    answer(supervisor, &quit, 0, &(struct attach_refusal){0});
}

static int run(struct supervisor *supervisor)
{
    bool serve = supervisor->options.serve;

    supervisor->served_at = time_now();
    while (!supervisor->quitting) {
        /* the ticks may be off while all sleep, and nothing else ask for ends without a signal */
        int timeout = serve ? SERVE_POLL_MS : (int)(DRAIN_PERIOD_NS / 1000000);
        int deadline = repair_check_deadlines(supervisor);
        if (supervisor->unknown_count > 0)
            timeout = UNKNOWN_POLL_MS;
        wait_for_news(supervisor, timeout < deadline ? timeout : deadline);
        if (serve)
            serve_look_round(supervisor);
        attach_look_again(supervisor);
        if (supervisor->unknown_count > 0 && !supervisor->sampling)
            wait_resolve_unknown(supervisor);
    }
    leave(supervisor);
    return 0;
}

/* Opens files for who may not hang. Rights that this program has and its caller lacks are not lent
 * for that. */
static int open_files(int socket)
{
    if (getauxval(AT_SECURE) != 0)
        return 125;
    setsid();
    opener_serve(socket);
    return 0;
}

static int usage(void)
{
    fputs("pprofil-supervise is started by pprofil and libpprofil, not by hand.\n", stderr);
    return 125;
}

static int parse(struct options *options, int argc, char **argv)
{
    static const struct option names[] = {
        {"frequency", required_argument, NULL, 'F'},
        {"overhead", required_argument, NULL, 'o'},
        {"seed", required_argument, NULL, 's'},
        {"wall", no_argument, NULL, 'w'},
        {"no-follow", no_argument, NULL, 'f'},
        {"no-inherit", no_argument, NULL, 'i'},
        {"parse-maps", no_argument, NULL, 'm'},
        {"wary", no_argument, NULL, 'y'},
        {"serve", no_argument, NULL, 'S'},
        {"open", no_argument, NULL, 'O'},
        {"stack-size", required_argument, NULL, 'g'},
        {0},
    };
    int letter;

    *options = (struct options){
        .frequency = 1000, .overhead = 0.02, .follow = true, .inherit = true};
    while ((letter = getopt_long(argc, argv, "+", names, NULL)) != -1)
        switch (letter) {
        case 'F':
            options->frequency = strtod(optarg, NULL);
            break;
        case 'o':
            options->overhead = strtod(optarg, NULL);
            break;
        case 's':
            options->seed = strtoull(optarg, NULL, 0);
            break;
        case 'w':
            options->wall = true;
            break;
        case 'f':
            options->follow = false;
            break;
        case 'i':
            options->inherit = false;
            break;
        case 'm':
            options->parse_maps = true;
            break;
        case 'y':
            options->wary = true;
            break;
        case 'g':
            options->stack_size = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'S':
            options->serve = true;
            options->follow = false;
            break;
        case 'O':
            options->open = true;
            break;
        default:
            return -EINVAL;
        }
    bool good = options->frequency > 0 && options->overhead > 0 &&
                options->stack_size <= WIRE_STACK_MOST;
    return good ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
    static struct supervisor supervisor;

    if (parse(&supervisor.options, argc, argv) != 0 ||
        argc - optind != (supervisor.options.serve || supervisor.options.open ? 1 : 3))
        return usage();
    supervisor.socket = atoi(argv[optind]);
    if (supervisor.options.open)
        return open_files(supervisor.socket);
    int ring_fd = supervisor.options.serve ? -1 : atoi(argv[optind + 1]);
    supervisor.wake = supervisor.options.serve ? -1 : atoi(argv[optind + 2]);

    struct wire_message hello = {
        .op = WIRE_OP_DONE, .pid = getpid(), .value = WIRE_VERSION};
    int error = set_up(&supervisor, ring_fd);
    hello.error = -error;
    if (!supervisor.options.serve)
        wire_send(supervisor.socket, &hello, -1);
    if (error != 0)
        return 125;
    int status = run(&supervisor);
    tracees_free(&supervisor.tracees);
    free(supervisor.stack.bytes);
    ring_close(supervisor.ring);
    return status;
}
