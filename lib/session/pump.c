/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pump: takes the supervisor's events from the ring, and adds them to the profile and to histograms. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "session/session.h"
#include "unwind/unwind.h"

#define OBJECT_MS 100     /* longest wait for the descriptor of a mapped file, ms */

int session_fail(struct pprofil_session *session, int error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(session->problem, sizeof session->problem, format, arguments);
    va_end(arguments);
    utf8_make_harmless(session->problem, "");
    return error;
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
        if (error == 0 && message.op == WIRE_OP_PYTHON)
            python_note_refusal(session, &message);
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
    if (event->type == WIRE_SAMPLE && session->objects_follow)
        pump_await_objects(session);
    int error = unwind_feed(session->unwinder, profile, event);
    if (error == 0 && event->type == WIRE_MAP) {
        session->objects_follow = true;
        error = runtimes_note_mapping(session, (const struct wire_map *)event);
    }
    return error;
}

/* Handles one event. Returns 0 or an error of the profile. */
static int pump_take(struct pprofil_session *session, const struct wire_header *event)
{
    if (event->type == WIRE_FORK)
        wait_names_forget_process(&session->wait_names, ((const struct wire_fork *)event)->pid);
    if (event->type == WIRE_EXEC)
        wait_names_forget_process(&session->wait_names, ((const struct wire_task *)event)->pid);
    if (event->type == WIRE_WAIT)
        event = &wait_names_find(&session->wait_names, session->profile->profile, (const void *)event)->header;
    if (session->recording != NULL)
        wire_record_event(session->recording, event);
    int error = pump_event(session, event);
    if (event->type == WIRE_COMM && error == 0)
        error = session_note_name(session, (const struct wire_comm *)event);
    session_histograms_feed(session, event);
    if (session->dialect_run != NULL && error == 0) {
        pump_await_object(session, event);
        error = dialect_run_feed(session->dialect_run, session->profile->profile, event);
    }
    if (event->type == WIRE_EXIT)
        pump_note_exit(session, (const struct wire_exit *)event);
    if (event->type == WIRE_USAGE && error == 0)
        error = session_note_usage(session, (const struct wire_usage *)event);
    if (event->type == WIRE_THROTTLE)
        session->rate_hz = ((const struct wire_throttle *)event)->rate_hz;
    return error;
}

static int pump_ring(struct pprofil_session *session)
{
    const struct wire_header *event = ring_peek(session->ring);

    if (event != NULL)
        session->heard_ms = time_now_ms();
    for (; event != NULL; event = ring_peek(session->ring)) {
        int error = pump_take(session, event);
        ring_consume(session->ring);
        if (error != 0)
            return session_fail(session, error, "cannot add an event to the profile: %s", pprofil_error_text(error));
    }
    if (ring_broken(session->ring))
        return session_fail(session, -EPROTO, "the supervisor has sent an event that is not valid");
    return 0;
}

int session_take(struct pprofil_session *session)
{
    uint64_t count;
    ssize_t ignored = read(session->wake, &count, sizeof count);

    (void)ignored;
    pump_socket(session);
    int error = pump_ring(session);
    /* the descriptors of files that were just mapped may have come, so it is looked for runtimes in them at once */
    return error == 0 && session->mappings_to_check_count > 0 ? runtimes_look(session) : error;
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
