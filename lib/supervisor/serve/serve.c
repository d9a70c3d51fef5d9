/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Serves programs that profile themselves. The supervisor has no client then. A program, or a child that it forked,
 * makes a connection for each request. The credentials of the connection show which process it is, and the samples are
 * counted in the memory of that process. The supervisor ends when no process is counting samples any more, so a program
 * that has turned profiling off is not traced. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "dialect/dialect.h"
#include "supervisor/cpu-time.h"
#include "supervisor/follow.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/sampling.h"
#include "supervisor/schedule.h"
#include "supervisor/serve/serve.h"
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"
#include "supervisor/tick.h"
#include "wire/wire.h"

#define REQUEST_WAIT_NS 10000000000u /* the supervisor ends if no request comes within this time, ns */
/* for how long the supervisor still runs after profiling was turned off everywhere, ns; a program may turn it on again
 * soon */
#define STAY_NS 1000000000u
#define SERVE_RATE_MAX_HZ 50000.0

static bool serve_follows(struct supervisor *supervisor, pid_t pid)
{
    supervisor_lock(supervisor);
    bool follows = process_find(&supervisor->processes, pid) != NULL;
    supervisor_unlock(supervisor);
    return follows;
}

static int serve_find_caller(struct supervisor *supervisor, int fd, pid_t *pid)
{
    struct ucred credentials;
    socklen_t size = sizeof credentials;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0)
        return -errno;
    /* a program that we already trace is accepted even if it has changed its user since then */
    if (credentials.pid <= 0 || (credentials.uid != geteuid() && !serve_follows(supervisor, credentials.pid)))
        return -EPERM;
    *pid = credentials.pid;
    return 0;
}

/* Returns true if the caller's end of the connection is closed. It is closed when the caller ends, or execs another
 * program. To be called after the caller was seized: from then on every exec is reported, and PTRACE_SEIZE has waited
 * for an exec that was under way. So if the connection is still open, the caller still runs the program that sent the
 * request. */
static bool serve_has_hung_up(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void serve_accept(struct supervisor *supervisor)
{
    struct wire_profil_answer hello = {.pid = getpid(), .value = WIRE_VERSION};
    struct epoll_event event = {.events = EPOLLIN};
    pid_t pid;

    int fd = accept4(supervisor->client.socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    /* callers of another user are rejected here, so that their connections do not keep the supervisor running */
    if (serve_find_caller(supervisor, fd, &pid) != 0) {
        close(fd);
        return;
    }
    event.data.fd = fd;
    supervisor->serving.requested_at = time_now();
    if (send(fd, &hello, sizeof hello, MSG_NOSIGNAL) < 0 ||
        epoll_ctl(supervisor->client.epoll, EPOLL_CTL_ADD, fd, &event) < 0)
        close(fd);
}

/* Returns true if the process has a count that is on, or if a later call of pcsample by the process must still return
 * how many samples were stored. */
static bool serve_is_needed(const struct process *process)
{
    const struct dialect_count *all = counts_of(process, COUNTS_ALL_THREADS);

    return counts_rate(process) > 0 || (all != NULL && all->pcsample.count > 0);
}

/* Sets the sampling rate to the highest rate that a process needs. If no process needs samples, pauses sampling. */
static void serve_set_rate(struct supervisor *supervisor)
{
    double hz = 0;

    for (const struct process *process = supervisor->processes.first; process != NULL; process = process->next)
        if (counts_rate(process) > hz)
            hz = counts_rate(process);
    if (hz > SERVE_RATE_MAX_HZ)
        hz = SERVE_RATE_MAX_HZ;
    if (hz == 0) {
        sampling_pause(supervisor);
        return;
    }
    if (supervisor->budget.asked_hz != hz)
        sampling_set_rate(supervisor, hz);
    sampling_start(supervisor);
}

/* Reads memory of a process through any thread that still exists, because the leader may end before the other threads.
 * Returns 0 or -errno. */
static int serve_read_process(const struct process *process, uint64_t address, void *to, size_t size)
{
    int error = -ESRCH;

    for (const struct tracee *tracee = process->tracees; tracee != NULL && error == -ESRCH;
         tracee = tracee->process_next)
        error = target_memory_read(tracee->tid, address, to, size);
    return error;
}

/* Reads the regions (parts of the program that are to be profiled) of a request from the caller's memory, and checks
 * them. Returns 0 if they start counting, 1 if they stop counting, or -errno. */
static int serve_copy_regions(const struct process *process, const struct wire_profil *request,
                              const struct dialect *dialect, struct dialect_region *regions, uint64_t *addresses)
{
    bool off = request->region_count > 0;

    for (size_t i = 0; i < request->region_count; i++) {
        struct wire_profil_region region;
        int error = serve_read_process(process, request->regions + i * sizeof region, &region, sizeof region);
        if (error != 0)
            return error;
        regions[i] = (struct dialect_region){.offset = region.offset,
                                             .size = region.size,
                                             .low = region.low,
                                             .high = region.high,
                                             .scale = (uint32_t)region.scale};
        addresses[i] = region.buffer;
        error = dialect_check(dialect, &regions[i]);
        if (error != 0)
            return error;
        off = off && dialect_is_off(dialect, regions[i].scale);
    }
    return off ? 1 : 0;
}

/* A request, and the answer to it. */
struct serve_call {
    int fd;    /* the connection */
    pid_t pid; /* the process that made the request */
    const struct wire_profil *request;
    const struct dialect *dialect;
    struct wire_profil_answer *answer;
};

/* Returns the thread id, in our PID namespace, of the thread that made the request; -1: not found. A thread in another
 * PID namespace sends the id that it has there, which "NSpid" of proc_pid_status(5) shows. */
static pid_t serve_find_thread(const struct serve_call *call, const struct process *process)
{
    pid_t tid = call->request->tid;

    if (call->request->pid == call->pid)
        return tid;
    for (const struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next)
        if (procfs_status_number(tracee->tid, "NSpid:") == tid)
            return tracee->tid;
    return -1;
}

static int serve_start_counting(struct process *process, const struct serve_call *call)
{
    const struct wire_profil *request = call->request;
    struct dialect_count *count = NULL;
    size_t regions = request->region_count;

    if (regions > WIRE_PROFIL_REGIONS_MAX)
        return -E2BIG;
    if (request->counter_size != 2 && request->counter_size != 4 && request->counter_size != 8)
        return -EINVAL;
    struct dialect_region *copies = calloc(regions + 1, sizeof *copies);
    uint64_t *addresses = calloc(regions + 1, sizeof *addresses);
    int error = copies == NULL || addresses == NULL
                    ? -ENOMEM
                    : serve_copy_regions(process, request, call->dialect, copies, addresses);
    bool off = error > 0;
    if (error == 0)
        count = dialect_count_new(call->dialect, request->counter_size, copies, addresses, regions);
    free(copies);
    free(addresses);
    if (error < 0 || (count == NULL && !off))
        return error < 0 ? error : -ENOMEM;
    pid_t caller = serve_find_thread(call, process);
    if (caller < 0 && request->scope != WIRE_PROFIL_ALL_THREADS) {
        free(count);
        return -ESRCH;
    }
    if (off) {
        counts_stop(process, caller, request->scope);
        return 0;
    }
    count->overflow = request->overflow;
    count->told = request->told;
    count->period_ns = request->period_ns != 0 ? request->period_ns : call->dialect->period_ns;
    return counts_put(process, counts_place(process, caller, request->scope, call->dialect->name), caller, count);
}

/* Carries out a call of pcsample, which starts or stops the storing of samples. Puts into the answer how many samples
 * were stored since the previous call. Returns 0 or -errno. */
static int serve_start_storing(struct process *process, const struct serve_call *call)
{
    const struct wire_profil *request = call->request;
    const struct dialect_count *former = counts_of(process, COUNTS_ALL_THREADS);
    struct dialect_pcsample state = {0};

    if (former != NULL && former->dialect->arithmetic == DIALECT_RAW)
        state = former->pcsample;
    call->answer->value = dialect_pcsample_call(&state, request->room);
    if (call->answer->value < 0)
        return (int)call->answer->value;
    if (request->room == 0) {
        counts_clear(process);
        return 0;
    }
    struct dialect_count *count = dialect_count_new(call->dialect, request->counter_size, NULL, NULL, 0);
    if (count == NULL)
        return -ENOMEM;
    count->pcsample = state;
    count->array = request->array;
    if (request->period_ns != 0)
        count->period_ns = request->period_ns;
    return counts_put(process, COUNTS_ALL_THREADS, serve_find_thread(call, process), count);
}

/* Starts to count or to store the samples of a process, as a request asks. The caller holds the supervisor's lock. */
static int serve_start(struct supervisor *supervisor, struct process *process, const struct serve_call *call)
{
    if (counts_rate(process) == 0)
        baseline_resume(supervisor, process);
    int error = serve_has_hung_up(call->fd)                ? -ESRCH
                : call->request->op == WIRE_PROFIL_PCS ? serve_start_storing(process, call)
                                                       : serve_start_counting(process, call);

    for (struct tracee *tracee = process->tracees; tracee != NULL && error == 0; tracee = tracee->process_next)
        active_note(supervisor->tracers[0], tracee, time_now());
    return error;
}

static int serve_obey(struct supervisor *supervisor, struct serve_call *call)
{
    const struct wire_profil *request = call->request;
    bool stops = request->op == WIRE_PROFIL_STOP;
    char name[sizeof request->dialect];
    struct attach_refusal refusal;
    bool follows = serve_follows(supervisor, call->pid);
    int error = 0;

    memcpy(name, request->dialect, sizeof name);
    name[sizeof name - 1] = '\0';
    call->dialect = dialect_find(name);
    if (call->dialect == NULL && !stops)
        return -EINVAL;
    if (!stops && !follows)
        error = attach_process(supervisor->tracers[0], call->pid, false, &refusal);
    supervisor_lock(supervisor);
    struct process *process = process_find(&supervisor->processes, call->pid);
    if (process != NULL && counts_rate(process) > 0)
        baseline_keep_debts(process);
    if (stops && process != NULL)
        counts_stop(process, serve_find_thread(call, process), request->scope);
    else if (!stops && error == 0 && process == NULL)
        error = -ESRCH;
    else if (!stops && error == 0) {
        if (!follows)
            counts_draw_owed(process, schedule_random(&supervisor->tracers[0]->schedule, UINT32_MAX));
        error = serve_start(supervisor, process, call);
    }
    serve_set_rate(supervisor);
    supervisor_unlock(supervisor);
    return error;
}

void serve_request(struct supervisor *supervisor, int fd)
{
    struct wire_profil_answer answer = {.pid = getpid()};
    struct wire_profil request;
    struct serve_call call = {.fd = fd, .request = &request, .answer = &answer};

    /* if the supervisor is ending, the connection is closed without an answer, so that the caller turns to another
     * supervisor */
    if (!supervisor->client.quitting && recv(fd, &request, sizeof request, 0) == (ssize_t)sizeof request) {
        int error = serve_find_caller(supervisor, fd, &call.pid);
        if (error == 0)
            error = serve_obey(supervisor, &call);
        answer.error = -error;
        supervisor->serving.requested_at = time_now();
        supervisor->serving.requested = true;
        /* an error is ignored: it means that the caller is gone */
        ssize_t ignored = send(fd, &answer, sizeof answer, MSG_NOSIGNAL);
        (void)ignored;
    }
    close(fd);
}

void serve_end_if_unneeded(struct supervisor *supervisor)
{
    bool needed = false;

    supervisor_lock(supervisor);
    for (const struct process *process = supervisor->processes.first; process != NULL; process = process->next)
        needed = needed || serve_is_needed(process);
    /* a process may have ended or turned profiling off, so a lower rate may be enough now */
    serve_set_rate(supervisor);
    uint64_t patience = !supervisor->serving.requested                ? REQUEST_WAIT_NS
                        : supervisor->processes.tracee_count == 0 ? 0
                                                                  : STAY_NS;
    supervisor_unlock(supervisor);
    if (!needed && time_now() - supervisor->serving.requested_at >= patience)
        supervisor->client.quitting = true;
}
