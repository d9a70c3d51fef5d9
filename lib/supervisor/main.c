/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The main program of pprofil-supervise: options, main loop, end.
 *
 * libpprofil starts the supervisor with three descriptors: the command socket, the ring and an eventfd that wakes the
 * client. The supervisor must live as long as its client. So it has a session of its own, which signals of the terminal
 * do not reach. It also blocks SIGTERM, because systemd and others send that signal to all processes of a control
 * group. The client notices a SIGTERM that is pending for the supervisor.
 *
 * The session also keeps the tracers apart from the targets, because the scheduler divides the CPUs among sessions
 * (CONFIG_SCHED_AUTOGROUP). A thread that often wakes up gives its session more than its share of full CPUs. If tracers
 * were in the session of their targets, targets beside six busy programs would get three times the CPU time that they
 * get without us (measured). Several supervisors that do so keep each other from a CPU for up to 5 s; meanwhile there
 * are no samples.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/budget.h"
#include "supervisor/commands.h"
#include "supervisor/cpu-time.h"
#include "supervisor/emit.h"
#include "supervisor/follow.h"
#include "supervisor/kernel-stacks.h"
#include "supervisor/proc/opener.h"
#include "supervisor/proc/system.h"
#include "supervisor/sampling.h"
#include "supervisor/serve/serve.h"
#include "supervisor/supervisor.h"
#include "supervisor/tracer-cpus.h"
#include "supervisor/usage.h"
#include "supervisor/wakeup.h"
#include "wire/wire.h"

/* with options.serve: the main loop checks at least this often whether a program still needs the supervisor, ns */
#define SERVE_PERIOD_NS 250000000u
/* without options.serve: longest time from one round of the main loop to the next, ns */
#define DRAIN_PERIOD_NS 500000000u
#define FINISH_NS 2000000000u /* at the end: longest wait for files that the client is to get, ns */
#define FINISH_PERIOD_NS 20000000u
#define OTHERS_LEAVE_NS 1000000000u /* at the end: longest wait until the other tracers have left their targets, ns */
#define LEAVE_PERIOD_NS 1000000u

static void main_raise_limit(int resource)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(resource, &limit);
    }
}

/* --- setting up -------------------------------------------------------------------------------- */

static void main_count_cpus(struct supervisor *supervisor)
{
    if (sched_getaffinity(0, sizeof supervisor->cpus.set, &supervisor->cpus.set) < 0)
        CPU_SET(0, &supervisor->cpus.set);
    supervisor->cpus.count = system_cpu_count(&supervisor->cpus.set);
    supervisor->cpus.may_poll = supervisor->cpus.count > 1;
    supervisor->cpus.load.has_all_cpus = (long)supervisor->cpus.count == sysconf(_SC_NPROCESSORS_ONLN);
}

static int main_set_up(struct supervisor *supervisor, int ring_fd)
{
    const struct options *options = &supervisor->options;
    int error = 0;

    setsid();
    main_raise_limit(RLIMIT_NOFILE);
    main_raise_limit(RLIMIT_SIGPENDING); /* each timer counts as a pending signal */
    supervisor_init_lock(supervisor);
    wakeup_prepare();
    main_count_cpus(supervisor);
    supervisor->processes.wary = options->wary || kernel_syscall_file_blocks_here();
    if (ring_fd >= 0) {
        error = ring_open(ring_fd, &supervisor->ring);
        close(ring_fd);
    }
    budget_init(&supervisor->budget, options->frequency, options->overhead);
    if (error == 0 && options->kernel)
        error = kernel_stacks_check();
    if (error == 0)
        error = commands_open(supervisor);
    if (error == 0)
        error = tracers_init(supervisor, tracer_run);
    if (error == 0)
        error = commands_start_watcher(supervisor);
    if (error == 0)
        /* only now, because the threads that were created above must not inherit the priority */
        priority_ask(supervisor->tracers[0]);
    emit_rate(supervisor);
    return error;
}

/* --- the loop ------------------------------------------------------------------------------------ */

/* Sends our requests to the openers (processes that open files for us), and sends the opened files to the client. The
 * caller holds the lock. */
static void main_serve_openers(struct supervisor *supervisor)
{
    supervisor->openers.served = supervisor->openers.requests;
    openers_advance(&supervisor->openers, supervisor->client.socket, supervisor->client.epoll);
}

static void main_run_once(struct supervisor *supervisor)
{
    struct tracer *first = supervisor->tracers[0];
    bool serve = supervisor->options.serve;

    supervisor_lock(supervisor);
    uint64_t now = time_now(), until = housekeeping_run(first);
    main_serve_openers(supervisor);
    bool searching = supervisor->sampling && supervisor->processes.tracee_count > 0;
    supervisor_unlock(supervisor);
    uint64_t latest = now + (serve ? SERVE_PERIOD_NS : DRAIN_PERIOD_NS);
    tracer_step(first, searching && until < latest ? until : latest);
    commands_serve(supervisor);
    if (serve)
        serve_end_if_unneeded(supervisor);
    attach_retry_refused(first);
    first->billing.up_to_ns = 0; /* the CPU time of the work in this function must not count as a cost of samples */
}

static bool main_all_have_left(const struct supervisor *supervisor)
{
    for (unsigned i = 1; i < supervisor->tracer_count; i++)
        if (supervisor->tracers[i]->ready && !supervisor->tracers[i]->has_left)
            return false;
    return true;
}

/* Waits for the files that the client is to get: they arrive later than the samples that need them. Meanwhile answers
 * the stops of tracees. */
static void main_await_files(struct supervisor *supervisor)
{
    uint64_t deadline = time_now() + FINISH_NS;
    bool busy = true;

    while (busy && !supervisor->client.gone && time_now() < deadline) {
        supervisor_lock(supervisor);
        main_serve_openers(supervisor);
        busy = openers_are_busy(&supervisor->openers);
        supervisor_unlock(supervisor);
        if (busy)
            tracer_step(supervisor->tracers[0], time_now() + FINISH_PERIOD_NS);
        commands_serve(supervisor);
    }
}

/* Makes all tracers leave their targets. The first tracer leaves last. After that, nobody answers the stops of its
 * tracees until this program ends, when the kernel detaches them. */
static void main_leave_targets(struct supervisor *supervisor)
{
    supervisor_lock(supervisor);
    supervisor->leaving = true;
    for (unsigned i = 1; i < supervisor->tracer_count; i++)
        wakeup_send(&supervisor->tracers[i]->wakeup);
    supervisor_unlock(supervisor);
    uint64_t deadline = time_now() + OTHERS_LEAVE_NS;
    while (!main_all_have_left(supervisor) && time_now() < deadline)
        tracer_step(supervisor->tracers[0], time_now() + LEAVE_PERIOD_NS);
    tracer_leave(supervisor->tracers[0]);
}

static void main_leave(struct supervisor *supervisor)
{
    if (supervisor->options.serve)
        close(supervisor->client.socket); /* a program that connects later must start another supervisor */
    supervisor_lock(supervisor);
    sampling_pause(supervisor);
    supervisor_unlock(supervisor);
    if (!supervisor->options.serve)
        main_await_files(supervisor);
    main_leave_targets(supervisor);
    supervisor_lock(supervisor);
    for (struct process *process = supervisor->processes.first; process != NULL; process = process->next)
        if (!process->end_reported) {
            usage_read_alive(supervisor, process);
            usage_report(supervisor, process, -1);
            emit_exit(supervisor, process->pid, process->pid, process_cpu_counted(process, false), -1);
        }
    emit_stats(supervisor, true);
    supervisor_unlock(supervisor);
    if (supervisor->options.serve || supervisor->client.gone)
        return;
    openers_give_up(&supervisor->openers, supervisor->client.socket);
    struct wire_message quit = {.op = WIRE_OP_QUIT};
    commands_answer(supervisor, &quit, 0, &(struct attach_refusal){0});
}

/* Opens files for another process, which must not hang even if opening a file hangs. Refuses if this program has more
 * rights than that process (AT_SECURE), because that process could use these rights. */
static int main_open_files(int socket)
{
    if (getauxval(AT_SECURE) != 0)
        return 125;
    /* makes a process group of our own, so that Ctrl-C at the terminal does not reach this process */
    setpgid(0, 0);
    opener_serve(socket);
    return 0;
}

static int main_usage(void)
{
    fputs("pprofil-supervise is started by pprofil and libpprofil, not by hand.\n", stderr);
    return 125;
}

/* Returns the field that an option without an argument changes; NULL: it is no such option. */
static bool *main_flag(struct options *options, int letter)
{
    switch (letter) {
    case 'w':
        return &options->wall;
    case 'f':
        return &options->follow;
    case 'i':
        return &options->inherit;
    case 'm':
        return &options->parse_maps;
    case 'r':
        return &options->restless;
    case 'y':
        return &options->wary;
    case 'k':
        return &options->kernel;
    case 'u':
        return &options->usage;
    case 'S':
        return &options->serve;
    case 'O':
        return &options->open;
    default:
        return NULL;
    }
}

/* Reads an option with an argument. Returns false if there is no such option. */
static bool main_read_value(struct options *options, int letter, const char *value)
{
    switch (letter) {
    case 'F':
        options->frequency = strtod(value, NULL);
        return true;
    case 'o':
        options->overhead = strtod(value, NULL);
        return true;
    case 's':
        options->seed = strtoull(value, NULL, 0);
        return true;
    case 'g':
        options->stack_size = (uint32_t)strtoul(value, NULL, 10);
        return true;
    case 'd':
        options->debug_fd = atoi(value);
        return true;
    default:
        return false;
    }
}

static int main_parse(struct options *options, int argc, char **argv)
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
        {"kernel", no_argument, NULL, 'k'},
        {"restless", no_argument, NULL, 'r'},
        {"usage", no_argument, NULL, 'u'},
        {"serve", no_argument, NULL, 'S'},
        {"open", no_argument, NULL, 'O'},
        {"stack-size", required_argument, NULL, 'g'},
        {"debug", required_argument, NULL, 'd'},
        {0},
    };
    int letter;

    *options = (struct options){
        .frequency = 1000, .overhead = 0.02, .follow = true, .inherit = true, .debug_fd = -1};
    while ((letter = getopt_long(argc, argv, "+", names, NULL)) != -1) {
        bool *flag = main_flag(options, letter);
        if (flag != NULL)
            *flag = flag != &options->follow && flag != &options->inherit;
        else if (!main_read_value(options, letter, optarg))
            return -EINVAL;
    }
    if (options->serve)
        options->follow = false;
    bool good = options->frequency > 0 && options->overhead > 0 && options->stack_size <= WIRE_STACK_MAX;
    return good ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
    static struct supervisor supervisor;

    if (main_parse(&supervisor.options, argc, argv) != 0 ||
        argc - optind != (supervisor.options.serve || supervisor.options.open ? 1 : 3))
        return main_usage();
    supervisor.client.socket = atoi(argv[optind]);
    if (supervisor.options.open)
        return main_open_files(supervisor.client.socket);
    int ring_fd = supervisor.options.serve ? -1 : atoi(argv[optind + 1]);
    supervisor.wake = supervisor.options.serve ? -1 : atoi(argv[optind + 2]);

    struct wire_message hello = {
        .op = WIRE_OP_DONE, .pid = getpid(), .value = WIRE_VERSION};
    int error = main_set_up(&supervisor, ring_fd);
    hello.error = -error;
    if (!supervisor.options.serve)
        wire_send(supervisor.client.socket, &hello, -1);
    if (error != 0)
        return 125;
    supervisor.serving.requested_at = time_now();
    while (!supervisor.client.quitting)
        main_run_once(&supervisor);
    main_leave(&supervisor);
    return 0;
}
