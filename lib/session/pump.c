/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A session's ends of the ring and the socket: commands go out and are waited for, and whatever
 * comes meanwhile is taken into the profile.
 *
 * Answers come after all events of before: who has an answer and has emptied the ring since has
 * seen everything that the supervisor had to say until then.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/session.h"
#include "unwind/unwind.h"

#define RING_SECONDS 6        /* of samples from every CPU: so long may the caller be busy */
#define STACK_SECONDS 0.25    /* the same of whole stacks; most are much smaller */
#define RING_SIZE_MIN (1u << 20) /* bytes */
#define RING_SIZE_MAX (64u << 20)
#define OBJECT_MS 100
#define ANSWER_SECONDS 10 /* a supervisor that says nothing for so long is broken */
#define SILENCE_MS 10000 /* before one that was not asked is */

static size_t room_for(double hz, size_t stack_size)
{
    double samples_a_second = (double)sysconf(_SC_NPROCESSORS_ONLN) * hz;
    double bytes = samples_a_second * RING_SECONDS * sizeof(struct wire_sample);

    bytes += samples_a_second * STACK_SECONDS * (double)stack_size;
    return bytes < RING_SIZE_MIN ? RING_SIZE_MIN : bytes > RING_SIZE_MAX ? RING_SIZE_MAX : (size_t)bytes;
}

int session_make_ring(double hz, size_t stack_size, struct ring **ring, int *fd)
{
    return ring_create(room_for(hz, stack_size), ring, fd);
}

static void note_end(struct pprofil_session *session, const struct wire_exit *event)
{
    if (event->pid != event->tid)
        return;
    for (unsigned i = 0; i < session->root_count; i++)
        if (session->roots[i] == (pid_t)event->pid)
            session->roots[i] = 0;
}

static void drain_socket(struct pprofil_session *session)
{
    struct wire_message message;
    int error, fd;

    while (!session->dead && (error = wire_receive(session->socket, &message, &fd)) != -EAGAIN) {
        session->heard_ms = time_now_ms();
        if (error == -EPIPE ||
            error == -EPROTO) /* one that speaks in other ways is as good as dead */
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
    if (session->dead && session->epoll >= 0) /* else it would stay readable for ever */
        epoll_ctl(session->epoll, EPOLL_CTL_DEL, session->socket, NULL);
}

/* A census has to read an object as soon as it is mapped. Its descriptor follows at once. */
static void await_object(struct pprofil_session *session, const struct wire_header *event)
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
        drain_socket(session);
}

/* A stack cannot be walked without the files that it leads through. Their descriptors follow
 * their mappings at once, by another way. */
static void await_objects(struct pprofil_session *session)
{
    struct pollfd poller = {.fd = session->socket, .events = POLLIN};
    int64_t left, deadline = time_now_ms() + OBJECT_MS;

    session->objects_follow = false;
    while (profile_awaits_any_file(session->profile->profile) && !session->dead &&
           (left = deadline - time_now_ms()) > 0 && poll(&poller, 1, (int)left) > 0)
        drain_socket(session);
}

static int feed(struct pprofil_session *session, const struct wire_header *event)
{
    struct profile *profile = session->profile->profile;

    if (session->unwinder == NULL)
        return profile_feed(profile, event);
    if (event->type == WIRE_MAP)
        session->objects_follow = true;
    if (event->type == WIRE_SAMPLE && session->objects_follow)
        await_objects(session);
    return unwind_feed(session->unwinder, profile, event);
}

static int drain_ring(struct pprofil_session *session)
{
    const struct wire_header *event = ring_peek(session->ring);

    if (event != NULL)
        session->heard_ms = time_now_ms();
    for (; event != NULL; event = ring_peek(session->ring)) {
        if (session->recording != NULL)
            wire_record_event(session->recording, event);
        int error = feed(session, event);
        session_histograms_feed(session, event);
        if (session->dialect_run != NULL && error == 0) {
            await_object(session, event);
            error = dialect_run_feed(session->dialect_run, session->profile->profile, event);
        }
        if (event->type == WIRE_EXIT)
            note_end(session, (const struct wire_exit *)event);
        if (event->type == WIRE_THROTTLE)
            session->rate_hz = ((const struct wire_throttle *)event)->rate_hz;
        ring_consume(session->ring);
        if (error != 0)
            return session_fail(session, error, "out of memory for the profile");
    }
    return ring_broken(session->ring) ? -EPROTO : 0;
}

int session_take(struct pprofil_session *session)
{
    uint64_t count;
    ssize_t ignored = read(session->wake, &count, sizeof count);

    (void)ignored;
    drain_socket(session);
    return drain_ring(session);
}

int session_wait(const struct pprofil_session *session, int timeout_ms)
{
    struct pollfd poller = {.fd = session->epoll, .events = POLLIN};
    return poll(&poller, 1, timeout_ms) < 0 ? -errno : 0;
}

/* It hangs, in a target's memory behind a file system that does not answer perhaps, and may hold a
 * thread meanwhile: its end sets everybody free. */
static int end_supervisor(struct pprofil_session *session)
{
    kill(session->supervisor, SIGKILL);
    session->dead = session->hung = true;
    return -ETIMEDOUT;
}

/* The same as session_command, with a descriptor, or -1. Of the time in which all of us were
 * stopped (Ctrl-Z, a frozen container) no more than one second counts as waiting. */
static int command_with(struct pprofil_session *session, const struct wire_message *command, int fd)
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
            return end_supervisor(session);
        since = time_now_ms();
    }
}

int session_command(struct pprofil_session *session, const struct wire_message *command)
{
    return command_with(session, command, -1);
}

int session_check_supervisor(struct pprofil_session *session)
{
    const struct wire_message flush = {.op = WIRE_OP_FLUSH};

    if (session->dead || !session->sampling || time_now_ms() - session->heard_ms < SILENCE_MS)
        return 0;
    return session_command(session, &flush) == -ENOMEM ? -ENOMEM : 0;
}

/* A ring is used up from one end to the other whatever the rate, so it is no larger than the
 * rate in force needs, and another takes its place when that is not enough. */
int session_command_rate(struct pprofil_session *session, double hz)
{
    const struct wire_message command = {.op = WIRE_OP_RATE, .value = (uint64_t)(hz * 1000 + 0.5)};
    struct ring *larger = NULL;
    int fd = -1, error = 0;

    if (room_for(hz, session->options.stack_size) > ring_size(session->ring))
        error = session_make_ring(hz, session->options.stack_size, &larger, &fd);
    if (error != 0)
        return error;
    error = command_with(session, &command, fd);
    if (larger == NULL)
        return error;
    close(fd);
    if (!session->answered || session->reply.error != 0) {
        ring_close(larger);
        return error;
    }
    ring_close(session->ring); /* emptied with the answer */
    session->ring = larger;
    return error == 0 ? session_take(session)
                      : error; /* their wake-up may have been the answer's */
}
