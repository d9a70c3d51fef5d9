/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receives the commands that the client sends (lib/wire/wire.h), and carries them out. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "supervisor/commands.h"
#include "supervisor/emit.h"
#include "supervisor/follow.h"
#include "supervisor/proc/objects.h"
#include "supervisor/proc/opener.h"
#include "supervisor/python/python.h"
#include "supervisor/sampling.h"
#include "supervisor/serve/serve.h"
#include "supervisor/supervisor.h"
#include "supervisor/wakeup.h"
#include "wire/wire.h"

#define EVENTS_MAX 4

void commands_answer(const struct supervisor *supervisor, const struct wire_message *command, int error,
                     const struct attach_refusal *refusal)
{
    struct wire_message reply = {.op = WIRE_OP_DONE,
                                 .error = -error,
                                 .pid = refusal->tid,
                                 .flags = refusal->count,
                                 .value = command->op};
    wire_send(supervisor->client.socket, &reply, -1);
}

/* Changes the sampling rate. ring_fd: descriptor of a larger ring, which the new rate needs; -1: the ring stays.
 * Returns 0 or -errno. */
static int commands_change_rate(struct supervisor *supervisor, double hz, int ring_fd)
{
    struct ring *ring;

    if (ring_fd >= 0) {
        int error = ring_open(ring_fd, &ring);
        if (error != 0)
            return error;
        emit_set_ring(supervisor, ring);
    }
    sampling_set_rate(supervisor, hz);
    return 0;
}

/* Carries out a command. The caller holds the lock. fd: descriptor that came with the command, which the caller closes;
 * -1: none. Returns 0 or -errno. */
static int commands_do(struct supervisor *supervisor, const struct wire_message *command, int fd)
{
    switch (command->op) {
    case WIRE_OP_START:
        sampling_start(supervisor);
        break;
    case WIRE_OP_STOP:
        sampling_pause(supervisor);
        emit_stats(supervisor, true);
        break;
    case WIRE_OP_FLUSH:
        emit_stats(supervisor, true);
        break;
    case WIRE_OP_CLEAR:
        sampling_clear(supervisor);
        break;
    case WIRE_OP_RATE:
        return commands_change_rate(supervisor, (double)command->value / 1000.0, fd);
    case WIRE_OP_WALL:
        sampling_set_wall(supervisor, command->value != 0);
        break;
    default:
        return -EINVAL;
    }
    return 0;
}

static void commands_obey(struct supervisor *supervisor, const struct wire_message *command, int fd)
{
    struct attach_refusal refusal = {.tid = command->pid};
    int error;

    if (command->op == WIRE_OP_QUIT) {
        supervisor->client.quitting = true;
        return; /* no answer here: main_leave answers QUIT at the end */
    }
    if (command->op == WIRE_OP_PYTHON) {
        supervisor_lock(supervisor);
        objects_note_python(supervisor, command);
        supervisor_unlock(supervisor);
        return; /* no answer: the client does not wait for one */
    }
    if (command->op == WIRE_OP_GO) {
        supervisor_lock(supervisor);
        objects_note_go(supervisor, command);
        supervisor_unlock(supervisor);
        return; /* no answer, as above */
    }
    if (command->op == WIRE_OP_ATTACH) {
        error = attach_process(supervisor->tracers[0], command->pid, command->flags & WIRE_ATTACH_LAUNCHED, &refusal);
    } else {
        supervisor_lock(supervisor);
        error = commands_do(supervisor, command, fd);
        supervisor_unlock(supervisor);
    }
    commands_answer(supervisor, command, error, &refusal);
}

/* Reads the commands of the client, carries them out, and answers them. */
static void commands_read(struct supervisor *supervisor)
{
    struct wire_message command;
    int error, fd;

    /* after QUIT, no command is carried out, but we still read, to notice when the client closes its socket */
    while (!supervisor->client.gone && (error = wire_receive(supervisor->client.socket, &command, &fd)) != -EAGAIN) {
        if (error == -EPIPE)
            supervisor->client.gone = supervisor->client.quitting = true;
        else if (error == 0 && !supervisor->client.quitting)
            commands_obey(supervisor, &command, fd);
        if (fd >= 0)
            close(fd);
    }
}

/* --- descriptors ----------------------------------------------------------------------------- */

/* These descriptors are watched: the client's socket, and the sockets of openers (processes that open files for us);
 * with options.serve also the connections of programs that profile themselves, and an eventfd for SIGTERM. The first
 * tracer sleeps in waitid(2), which cannot wait for descriptors. So another thread, the watcher, polls them. If a
 * descriptor is ready, the watcher wakes the first tracer up, and waits until the tracer has handled the descriptors. A
 * third thread waits for SIGTERM, and writes to the eventfd. */

static int commands_watch(const struct supervisor *supervisor, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    return epoll_ctl(supervisor->client.epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int commands_open(struct supervisor *supervisor)
{
    struct watcher *watch = &supervisor->client.watcher;

    watch->term = -1;
    supervisor->client.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (supervisor->client.epoll < 0)
        return -errno;
    if (supervisor->options.serve) { /* no client sends QUIT, so SIGTERM ends the supervisor */
        watch->term = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        int error = watch->term < 0 ? -errno : commands_watch(supervisor, watch->term);
        if (error != 0)
            return error;
    }
    return commands_watch(supervisor, supervisor->client.socket);
}

/* The thread that waits for SIGTERM. A signalfd(2), which could be polled, is not used: each signal of a tick's timer
 * would wake up the thread that polls. */
static void *commands_await_term(void *context)
{
    struct watcher *watch = context;
    siginfo_t info;
    sigset_t term;

    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    while (sigwaitinfo(&term, &info) != SIGTERM || info.si_code > SI_USER)
        ; /* ignores a SIGTERM that was not sent: the kernel may report a tracee's end by it, see clone(2) */
    eventfd_write(watch->term, 1);
    return NULL;
}

static void *commands_run_watcher(void *context)
{
    struct supervisor *supervisor = context;
    struct watcher *watch = &supervisor->client.watcher;

    for (;;) {
        struct pollfd poller = {.fd = supervisor->client.epoll, .events = POLLIN};
        if (poll(&poller, 1, -1) != 1)
            continue;
        atomic_store(&watch->ready, true);
        wakeup_send(&supervisor->tracers[0]->wakeup);
        while (sem_wait(&watch->served) < 0)
            ;
    }
    return NULL;
}

int commands_start_watcher(struct supervisor *supervisor)
{
    struct watcher *watch = &supervisor->client.watcher;
    pthread_t thread;

    sem_init(&watch->served, 0, 0);
    int error = pthread_create(&thread, NULL, commands_run_watcher, supervisor);
    if (error == 0 && watch->term >= 0)
        error = pthread_create(&thread, NULL, commands_await_term, watch);
    return -error;
}

static void commands_serve_one(struct supervisor *supervisor, int fd)
{
    eventfd_t count;

    if (fd == supervisor->client.watcher.term)
        supervisor->client.quitting = eventfd_read(fd, &count) == 0;
    else if (!supervisor->options.serve)
        commands_read(supervisor);
    else if (fd == supervisor->client.socket)
        serve_accept(supervisor);
    else
        serve_request(supervisor, fd);
}

void commands_serve(struct supervisor *supervisor)
{
    struct epoll_event events[EVENTS_MAX];

    if (!atomic_exchange(&supervisor->client.watcher.ready, false))
        return;
    int count = epoll_wait(supervisor->client.epoll, events, EVENTS_MAX, 0);
    for (int i = 0; i < count; i++)
        commands_serve_one(supervisor, events[i].data.fd);
    supervisor_lock(supervisor);
    openers_advance(&supervisor->openers, supervisor->client.socket, supervisor->client.epoll);
    supervisor_unlock(supervisor);
    sem_post(&supervisor->client.watcher.served);
}
