/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pump: takes the supervisor's events from the ring, and adds them to the profile and to histograms. Also sends
 * commands to the supervisor through the socket, for example the caller's commands start, stop, clear, rate and wall,
 * and waits for the answers.
 *
 * Before the supervisor answers a command, it puts all events from before the answer into the ring. So when the session
 * has received the answer and then emptied the ring, it has all these events.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "session/session.h"
#include "unwind/unwind.h"

/* Between two calls of pprofil_session_pump the ring must hold the samples of all CPUs. The ring has room for
 * RING_SECONDS of samples without their stacks, and also for STACK_SECONDS of stacks of the largest size. Most stacks
 * are smaller, so this room is enough for a longer time. */
#define RING_SECONDS 6
#define STACK_SECONDS 0.25
#define RING_SIZE_MIN (1u << 20) /* bytes */
#define RING_SIZE_MAX (64u << 20)
#define OBJECT_MS 100     /* ms; how long the session waits at most for the descriptor of a mapped file */
#define ANSWER_SECONDS 10 /* the session waits about this long for an answer, and then kills the supervisor */
/* ms; if a supervisor that samples sends nothing for this long, the session requests an answer */
#define SILENCE_MS 10000

int session_fail(struct pprofil_session *session, int error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(session->problem, sizeof session->problem, format, arguments);
    va_end(arguments);
    utf8_make_harmless(session->problem, "");
    return error;
}

static size_t pump_ring_size(double hz, size_t stack_size)
{
    double samples_a_second = (double)sysconf(_SC_NPROCESSORS_ONLN) * hz;
    double bytes = samples_a_second * RING_SECONDS * sizeof(struct wire_sample);

    bytes += samples_a_second * STACK_SECONDS * (double)stack_size;
    return bytes < RING_SIZE_MIN ? RING_SIZE_MIN : bytes > RING_SIZE_MAX ? RING_SIZE_MAX : (size_t)bytes;
}

int session_make_ring(double hz, size_t stack_size, struct ring **ring, int *fd)
{
    return ring_create(pump_ring_size(hz, stack_size), ring, fd);
}

/* Notes that a root, which is a process in session->roots, has ended. A root has ended when its main thread has
 * ended. */
static void pump_note_exit(struct pprofil_session *session, const struct wire_exit *event)
{
    if (event->pid != event->tid)
        return;
    for (unsigned i = 0; i < session->root_count; i++)
        if (session->roots[i] == (pid_t)event->pid)
            session->roots[i] = 0;
}

static void pump_socket(struct pprofil_session *session)
{
    struct wire_message message;
    int error, fd;

    while (!session->dead && (error = wire_receive(session->socket, &message, &fd)) != -EAGAIN) {
        session->heard_ms = time_now_ms();
        if (error == -EPIPE || error == -EPROTO) /* -EPROTO: the supervisor uses another version of the protocol */
            session->dead = true;
        else if (error == 0 && message.op == WIRE_OP_OBJECT)
            profile_give_object(session->profile->profile, (uint32_t)message.value,
                                fd < 0 && message.error > 0 ? -message.error : fd);
        else if (fd >= 0)
            close(fd);
        if (error == 0 && message.op == WIRE_OP_DONE) {
            session->reply = message;
            session->answered = true;
        }
    }
    if (session->dead && session->epoll >= 0) /* otherwise the socket of the dead supervisor would always be readable */
        epoll_ctl(session->epoll, EPOLL_CTL_DEL, session->socket, NULL);
}

/* Waits for the descriptor of a file that was just mapped. With a dialect, the session reads this file before it takes
 * the next event. The supervisor sends the descriptor on the socket right after the event of the mapping. */
static void pump_await_object(struct pprofil_session *session, const struct wire_header *event)
{
    const struct wire_map *map = (const struct wire_map *)event;
    struct pollfd poller = {.fd = session->socket, .events = POLLIN};
    uint32_t object;
    uint64_t start, offset;

    if (event->type != WIRE_MAP || map->object == 0 || map->kind != WIRE_MAP_FILE)
        return;
    const struct profile *profile = session->profile->profile;
    if (profile_find_mapping(profile, map->pid, map->start, &object, &start, &offset) &&
        profile->objects[object].fd < 0 && poll(&poller, 1, OBJECT_MS) > 0)
        pump_socket(session);
}

/* Waits for the descriptors of all files that were mapped. They are needed to unwind a stack, because its functions are
 * in these files. The supervisor sends the descriptors on the socket right after the events of the mappings. */
static void pump_await_objects(struct pprofil_session *session)
{
    struct pollfd poller = {.fd = session->socket, .events = POLLIN};
    int64_t left, deadline = time_now_ms() + OBJECT_MS;

    session->objects_follow = false;
    while (profile_awaits_any_file(session->profile->profile) && !session->dead &&
           (left = deadline - time_now_ms()) > 0 && poll(&poller, 1, (int)left) > 0)
        pump_socket(session);
}

static int pump_event(struct pprofil_session *session, const struct wire_header *event)
{
    struct profile *profile = session->profile->profile;

    if (session->unwinder == NULL)
        return profile_feed(profile, event);
    if (event->type == WIRE_MAP)
        session->objects_follow = true;
    if (event->type == WIRE_SAMPLE && session->objects_follow)
        pump_await_objects(session);
    return unwind_feed(session->unwinder, profile, event);
}

static int pump_ring(struct pprofil_session *session)
{
    const struct wire_header *event = ring_peek(session->ring);

    if (event != NULL)
        session->heard_ms = time_now_ms();
    for (; event != NULL; event = ring_peek(session->ring)) {
        if (session->recording != NULL)
            wire_record_event(session->recording, event);
        int error = pump_event(session, event);
        session_histograms_feed(session, event);
        if (session->dialect_run != NULL && error == 0) {
            pump_await_object(session, event);
            error = dialect_run_feed(session->dialect_run, session->profile->profile, event);
        }
        if (event->type == WIRE_EXIT)
            pump_note_exit(session, (const struct wire_exit *)event);
        if (event->type == WIRE_THROTTLE)
            session->rate_hz = ((const struct wire_throttle *)event)->rate_hz;
        ring_consume(session->ring);
        if (error != 0)
            return session_fail(session, error, "cannot add an event to the profile: %s", pprofil_error_text(error));
    }
    return ring_broken(session->ring) ? -EPROTO : 0;
}

int session_take(struct pprofil_session *session)
{
    uint64_t count;
    ssize_t ignored = read(session->wake, &count, sizeof count);

    (void)ignored;
    pump_socket(session);
    return pump_ring(session);
}

int session_watch(const struct pprofil_session *session, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(session->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int session_wait(const struct pprofil_session *session, int timeout_ms)
{
    struct pollfd poller = {.fd = session->epoll, .events = POLLIN};
    return poll(&poller, 1, timeout_ms) < 0 ? -errno : 0;
}

/* Kills a supervisor that hangs, because it may keep a thread of a target stopped. The supervisor may hang, for
 * example, when it reads memory that the target has mapped from a file system that does not answer. When the supervisor
 * has ended, all threads run on. */
static int pump_kill_supervisor(struct pprofil_session *session)
{
    kill(session->supervisor, SIGKILL);
    session->dead = session->hung = true;
    return -ETIMEDOUT;
}

/* Does what session_command does, and also sends the descriptor `fd` with the command, unless `fd` is -1. This process
 * and the supervisor may both be stopped for a while, for example by Ctrl-Z or in a frozen container. At most one
 * second of this while counts as waiting for the answer. */
static int pump_command(struct pprofil_session *session, const struct wire_message *command, int fd)
{
    int64_t since = time_now_ms();
    unsigned patience = ANSWER_SECONDS;

    session->answered = false;
    if (command->op != 0) {
        int error = session->dead ? -EPIPE : wire_send(session->socket, command, fd);
        if (error != 0)
            return error == -ECONNRESET ? -EPIPE : error;
    }
    for (;;) {
        int error = session_take(session);
        if (error != 0)
            return error;
        if (session->answered)
            return -session->reply.error;
        if (session->dead)
            return -EPIPE;
        session_wait(session, 1000);
        if (time_now_ms() - since < 1000)
            continue;
        if (patience-- == 0)
            return pump_kill_supervisor(session);
        since = time_now_ms();
    }
}

int session_command(struct pprofil_session *session, const struct wire_message *command)
{
    return pump_command(session, command, -1);
}

int session_check_supervisor(struct pprofil_session *session)
{
    const struct wire_message flush = {.op = WIRE_OP_FLUSH};

    if (session->dead || !session->sampling || time_now_ms() - session->heard_ms < SILENCE_MS)
        return 0;
    return session_command(session, &flush) == -ENOMEM ? -ENOMEM : 0;
}

/* --- commands of the caller -------------------------------------------------------------------- */

static int pump_tell(struct pprofil_session *session, const struct wire_message *command)
{
    int error = session_command(session, command);

    if (error != 0)
        session_fail(session, error, "the supervisor does not answer: %s", strerror(-error));
    return error;
}

static int pump_tell_op(struct pprofil_session *session, enum wire_op op)
{
    struct wire_message command = {.op = op};
    return pump_tell(session, &command);
}

int pprofil_session_start(pprofil_session *session)
{
    struct profile_totals *totals = &session->profile->profile->totals;
    struct timespec time;

    if (totals->start_time == 0) {
        clock_gettime(CLOCK_REALTIME, &time);
        totals->start_time = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    }
    int error = pump_tell_op(session, WIRE_OP_START);
    session->sampling = error == 0;
    return error;
}

int pprofil_session_stop(pprofil_session *session)
{
    int error = pump_tell_op(session, WIRE_OP_STOP);
    session->sampling = session->sampling && error != 0;
    return error;
}

bool pprofil_session_sampling(const pprofil_session *session)
{
    return session->sampling;
}

int pprofil_session_clear(pprofil_session *session)
{
    bool sampling = session->sampling;
    int error = 0;

    /* the sampling is off during the clear, so that no event from before the clear can be read after it */
    if (sampling)
        error = pprofil_session_stop(session);
    if (error == 0)
        error = pump_tell_op(session, WIRE_OP_CLEAR);
    if (error == 0)
        error = session_take(session);
    if (error != 0)
        return error;
    profile_clear(session->profile->profile);
    session->profile->profile->totals.start_time = 0;
    session_histograms_clear(session);
    if (session->dialect_run != NULL)
        dialect_run_clear(session->dialect_run);
    return sampling ? pprofil_session_start(session) : 0;
}

/* Sets another sampling rate. The supervisor writes to all pages of a ring, one after the other, so after a while each
 * page of the ring takes memory, even at a low rate. So a ring is only as large as the rate needs. If a higher rate
 * needs a larger ring, the session replaces the ring. */
static int pump_command_rate(struct pprofil_session *session, double hz)
{
    const struct wire_message command = {.op = WIRE_OP_RATE, .value = (uint64_t)(hz * 1000 + 0.5)};
    struct ring *larger = NULL;
    int fd = -1, error = 0;

    if (pump_ring_size(hz, session->options.stack_size) > ring_size(session->ring))
        error = session_make_ring(hz, session->options.stack_size, &larger, &fd);
    if (error != 0)
        return error;
    error = pump_command(session, &command, fd);
    if (larger == NULL)
        return error;
    close(fd);
    if (!session->answered || session->reply.error != 0) {
        ring_close(larger);
        return error;
    }
    ring_close(session->ring); /* the old ring is empty: session_take emptied it when the answer came */
    session->ring = larger;
    /* the new ring may already have events. pump_command may have consumed the wake-up for them, so take them now */
    return error == 0 ? session_take(session) : error;
}

int pprofil_session_set_rate(pprofil_session *session, double hz)
{
    if (!(hz >= PPROFIL_MIN_HZ && hz <= PPROFIL_MAX_HZ))
        return session_fail(session, -EINVAL, "frequency must be %g to %g Hz", PPROFIL_MIN_HZ, PPROFIL_MAX_HZ);
    int error = pump_command_rate(session, hz);
    if (error != 0)
        return session_fail(session, error, "cannot change the rate: %s", strerror(-error));
    session->profile->profile->totals.asked_hz = hz;
    return 0;
}

int pprofil_session_set_wall(pprofil_session *session, bool wall)
{
    struct wire_message command = {.op = WIRE_OP_WALL, .value = wall};
    int error = pump_tell(session, &command);

    /* the session has already taken all events from before the answer, so none of them can set the old mode again */
    if (error == 0)
        session->profile->profile->totals.wall = wall;
    return error;
}
