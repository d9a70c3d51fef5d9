/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A session from its beginning to its end: opening, pumping, finishing, closing. A session has a ring and a socket to a
 * supervisor, and a profile that is made of the supervisor's events. All functions run in the thread of the caller. If
 * the supervisor dies, the profile keeps all events that arrived before.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/spawn.h"
#include "session/session.h"
#include "unwind/unwind.h"

#define DEFAULT_STACK PPROFIL_MAX_STACK
#define END_MS 1000 /* longest wait for the supervisor's end after it has answered WIRE_OP_QUIT, ms */
#define HUNG "the supervisor hung, and was ended; the target runs on"

/* Copies the caller's options to session->options. An option that is 0 gets its default value. Returns 0, or -EINVAL
 * if an option is out of range. After an error, session->problem tells the reason. */
static int session_take_options(struct pprofil_session *session, const struct pprofil_options *asked)
{
    struct pprofil_options *options = &session->options;

    if (asked != NULL)
        memcpy(options, asked, asked->size < sizeof *options ? asked->size : sizeof *options);
    if (options->frequency == 0)
        options->frequency = 1000;
    if (options->overhead == 0)
        options->overhead = 2;
    if (!(options->flags & PPROFIL_CALL_GRAPH))
        options->stack_size = 0;
    else if (options->stack_size == 0)
        options->stack_size = DEFAULT_STACK;
    if (options->stack_size != 0 &&
        (options->stack_size < PPROFIL_MIN_STACK || options->stack_size > PPROFIL_MAX_STACK))
        return session_fail(session, -EINVAL, "stack size must be %u to %u bytes", PPROFIL_MIN_STACK,
                            PPROFIL_MAX_STACK);
    bool good = options->frequency >= PPROFIL_MIN_HZ && options->frequency <= PPROFIL_MAX_HZ &&
                options->overhead > 0 && options->overhead <= 1000;
    return good ? 0
                : session_fail(session, -EINVAL, "frequency must be %g to %g Hz, overhead above 0 and at most 1000 %%",
                               PPROFIL_MIN_HZ, PPROFIL_MAX_HZ);
}

/* Begins to record the events, if that was asked for. */
static int session_begin_recording(struct pprofil_session *session)
{
    struct wire_clock clock = {.header = {WIRE_CLOCK, sizeof clock}, .time = time_now()};

    if (session->options.events_path == NULL)
        return 0;
    int error = wire_record_create(session->options.events_path, &session->recording);
    if (error != 0)
        return session_fail(session, error, "%s: cannot write: %s", session->options.events_path, strerror(-error));
    clock.real_time = clock.time + session->profile->profile->clock_offset;
    wire_record_event(session->recording, &clock.header);
    return 0;
}

/* Makes all parts of a session except the supervisor. Stores in *far_socket and *ring_fd the descriptors that the
 * supervisor needs. */
static int session_build(struct pprofil_session *session, int *far_socket, int *ring_fd)
{
    int sockets[2];

    session->profile = calloc(1, sizeof *session->profile);
    if (session->profile == NULL || (session->profile->profile = profile_new()) == NULL)
        return -ENOMEM;
    session->profile->profile->clock_offset = clock_real_offset();
    session->profile->profile->totals.wall = session->options.flags & PPROFIL_WALL;
    int error = session_set_host(session);
    if (error == 0)
        error = session_make_ring(session->options.frequency, session->options.stack_size, &session->ring, ring_fd);
    if (error == 0)
        error = wire_socket_pair(sockets);
    if (error != 0)
        return error;
    session->socket = sockets[0];
    *far_socket = spawn_above_standard(sockets[1]);
    *ring_fd = spawn_above_standard(*ring_fd);
    session->wake = spawn_above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (*far_socket < 0 || *ring_fd < 0)
        return *far_socket < 0 ? *far_socket : *ring_fd;
    session->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (session->wake < 0 || session->epoll < 0)
        return -errno;
    error = session_watch(session, session->wake);
    return error == 0 ? session_watch(session, session->socket) : error;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

int pprofil_session_open(const struct pprofil_options *options, pprofil_session **result)
{
    struct pprofil_session *session = calloc(1, sizeof *session);
    int far_socket = -1, ring_fd = -1;

    *result = session;
    if (session == NULL)
        return -ENOMEM;
    session->socket = session->wake = session->epoll = -1;
    int error = session_take_options(session, options);
    if (error != 0)
        return error;
    if (session->options.stack_size > 0 && (session->unwinder = unwinder_new()) == NULL)
        return -ENOMEM;
    error = session_build(session, &far_socket, &ring_fd);
    if (error != 0)
        session_fail(session, error, "cannot set up a session: %s%s", strerror(-error),
                     error == -EMFILE ? "; raise the limit (ulimit -n)" : "");
    if (error == 0)
        error = session_begin_recording(session);
    if (error == 0)
        error = session_start_supervisor(session, far_socket, ring_fd, session->wake);
    close_if_open(far_socket);
    close_if_open(ring_fd);
    return error == 0 ? session_await_hello(session) : error;
}

/* This function is in this file and not in lib/api, because pprofil_session_close calls it, and lib/session does not
 * call lib/api. */
void pprofil_profile_close(pprofil_profile *profile)
{
    if (profile == NULL)
        return;
    symbolizer_free(profile->symbolizer);
    profile_free(profile->profile);
    free(profile->selected);
    free(profile);
}

void pprofil_session_close(pprofil_session *session)
{
    if (session == NULL)
        return;
    close_if_open(session->socket); /* the supervisor ends when its socket is closed */
    close_if_open(session->wake);
    close_if_open(session->epoll);
    if (session->recording != NULL)
        wire_record_close(session->recording);
    ring_close(session->ring);
    unwinder_free(session->unwinder);
    free(session->mappings_to_check);
    control_free(session);
    dialect_run_free(session->dialect_run);
    tasks_free(session->tasks);
    free(session->usages);
    session_histograms_free(session);
    wait_names_clear(&session->wait_names);
    pprofil_profile_close(session->profile);
    free(session);
}

const char *pprofil_session_problem(const pprofil_session *session)
{
    return session == NULL ? "out of memory" : session->problem;
}

static bool session_roots_ended(const struct pprofil_session *session)
{
    for (unsigned i = 0; i < session->root_count; i++)
        if (session->roots[i] != 0)
            return false;
    return session->root_count > 0;
}

static bool session_has_live_processes(const struct pprofil_session *session)
{
    const struct profile *profile = session->profile->profile;

    for (uint32_t i = 0; i < profile->process_count; i++)
        if (profile_runs(profile, i))
            return true;
    return false;
}

int pprofil_session_pump(pprofil_session *session, int timeout_ms)
{
    int waited = 0;
    int error = session_take(session);

    /* this block also runs if all roots have ended, because their children may live on */
    if (error == 0 && !session->dead) {
        if (!session_roots_ended(session))
            waited = session_wait(session, timeout_ms);
        error = session_take(session);
        control_serve(session);
        if (error == 0)
            /* if session_check_supervisor kills the supervisor, it returns 0 and sets session->dead, which is checked
             * below */
            error = session_check_supervisor(session);
    }
    if (error != 0)
        return error;
    if (session_roots_ended(session) && !(session->dead && session_has_live_processes(session)))
        return 1;
    if (session->dead)
        return session_fail(session, -EPIPE, session->hung ? HUNG : "the supervisor has died; the target runs on");
    return waited;
}

int pprofil_session_fd(const pprofil_session *session)
{
    return session->epoll;
}

/* Makes the supervisor quit, and waits until it has ended. The kernel detaches the supervisor from the targets while
 * the supervisor ends. Only after that, another tracer can attach to the targets. */
static int session_quit(struct pprofil_session *session)
{
    struct wire_message quit = {.op = WIRE_OP_QUIT};
    struct pollfd process = {.fd = (int)syscall(SYS_pidfd_open, session->supervisor, 0), .events = POLLIN};

    int error = session_command(session, &quit);
    if (error == 0 && process.fd >= 0)
        poll(&process, 1, END_MS);
    close_if_open(process.fd);
    return error;
}

int pprofil_session_finish(pprofil_session *session)
{
    if (session->finished)
        return 0;
    session->finished = true;
    control_free(session); /* from now on no command can be answered */
    int error = session_quit(session);
    int drained = session_take(session);
    if (session->recording != NULL) {
        int closed = wire_record_close(session->recording);
        session->recording = NULL;
        if (closed != 0)
            return session_fail(session, closed, "%s: cannot write: %s",
                                session->options.events_path, strerror(-closed));
    }
    if (session->hung)
        session_fail(session, error, HUNG);
    else if (error == -EPIPE)
        session_fail(session, error, "the supervisor died before the end");
    return error != 0 ? error : drained;
}

pprofil_profile *pprofil_session_profile(pprofil_session *session)
{
    return session->profile;
}

pprofil_profile *pprofil_session_take_profile(pprofil_session *session)
{
    struct pprofil_profile *profile = session->profile;

    session->profile = NULL;
    return profile;
}

double pprofil_session_rate(const pprofil_session *session)
{
    return session->rate_hz;
}
