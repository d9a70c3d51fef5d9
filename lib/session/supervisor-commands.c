/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sends commands to the supervisor through the socket, and waits for the answers. Kills a supervisor that does not
 * answer. The functions of the public commands start, stop, clear, rate and wall are in this file.
 *
 * Before the supervisor answers a command, it puts all events from before the answer into the ring. So when the session
 * has received the answer and then emptied the ring, it has all these events.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/session.h"

/* Between two calls of pprofil_session_pump the ring must hold the samples of all CPUs. The ring has room for
 * RING_SECONDS of samples without their stacks, and also for STACK_SECONDS of stacks of STACK_TYPICAL bytes. Most
 * stacks are smaller, so this room is enough for a longer time. */
#define RING_SECONDS 6
#define STACK_SECONDS 0.25
#define STACK_TYPICAL 65536u /* bytes; few stacks are larger */
#define RING_SIZE_MIN (1u << 20) /* bytes */
#define RING_SIZE_MAX (64u << 20)
#define ANSWER_SECONDS 10 /* the session waits about this long for an answer, and then kills the supervisor */
/* ms; if a supervisor that samples sends nothing for this long, the session requests an answer */
#define SILENCE_MS 10000

/* Kills a supervisor that hangs, because it may keep a thread of a target stopped. The supervisor may hang, for
 * example, when it reads memory that the target has mapped from a file system that does not answer. When the supervisor
 * has ended, all threads run on. */
static int command_kill_supervisor(struct pprofil_session *session)
{
    kill(session->supervisor, SIGKILL);
    session->dead = session->hung = true;
    return -ETIMEDOUT;
}

/* Does what session_command does, and also sends the descriptor `fd` with the command, unless `fd` is -1. This process
 * and the supervisor may both be stopped for some time, for example by Ctrl-Z or in a frozen container. At most one
 * second of this time counts as waiting for the answer. */
static int command_send(struct pprofil_session *session, const struct wire_message *command, int fd)
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
            return command_kill_supervisor(session);
        since = time_now_ms();
    }
}

int session_command(struct pprofil_session *session, const struct wire_message *command)
{
    return command_send(session, command, -1);
}

int session_check_supervisor(struct pprofil_session *session)
{
    const struct wire_message flush = {.op = WIRE_OP_FLUSH};

    if (session->dead || !session->sampling || time_now_ms() - session->heard_ms < SILENCE_MS)
        return 0;
    return session_command(session, &flush) == -ENOMEM ? -ENOMEM : 0;
}

/* --- commands of the caller -------------------------------------------------------------------- */

static int command_tell(struct pprofil_session *session, const struct wire_message *command)
{
    int error = session_command(session, command);

    if (error != 0)
        session_fail(session, error, "the supervisor does not answer: %s", strerror(-error));
    return error;
}

static int command_tell_op(struct pprofil_session *session, enum wire_op op)
{
    struct wire_message command = {.op = op};
    return command_tell(session, &command);
}

int pprofil_session_start(pprofil_session *session)
{
    struct profile_totals *totals = &session->profile->profile->totals;

    if (totals->start_time == 0)
        totals->start_time = clock_read(CLOCK_REALTIME);
    int error = command_tell_op(session, WIRE_OP_START);
    session->sampling = error == 0;
    return error;
}

int pprofil_session_stop(pprofil_session *session)
{
    int error = command_tell_op(session, WIRE_OP_STOP);
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
        error = command_tell_op(session, WIRE_OP_CLEAR);
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

static size_t command_ring_size(double hz, size_t stack_size)
{
    double samples_a_second = (double)sysconf(_SC_NPROCESSORS_ONLN) * hz;
    double bytes = samples_a_second * RING_SECONDS * sizeof(struct wire_sample);

    bytes += samples_a_second * STACK_SECONDS * (double)(stack_size < STACK_TYPICAL ? stack_size : STACK_TYPICAL);
    return bytes < RING_SIZE_MIN ? RING_SIZE_MIN : bytes > RING_SIZE_MAX ? RING_SIZE_MAX : (size_t)bytes;
}

int session_make_ring(double hz, size_t stack_size, struct ring **ring, int *fd)
{
    return ring_create(command_ring_size(hz, stack_size), ring, fd);
}

/* Sets another sampling rate. The supervisor writes to all pages of a ring, one after the other, so after a while each
 * page of the ring takes memory, even at a low rate. So a ring is only as large as the rate needs. If a higher rate
 * needs a larger ring, the session replaces the ring. */
static int command_rate(struct pprofil_session *session, double hz)
{
    const struct wire_message command = {.op = WIRE_OP_RATE, .value = (uint64_t)(hz * 1000 + 0.5)};
    struct ring *larger = NULL;
    int fd = -1, error = 0;

    if (command_ring_size(hz, session->options.stack_size) > ring_size(session->ring))
        error = session_make_ring(hz, session->options.stack_size, &larger, &fd);
    if (error != 0)
        return error;
    error = command_send(session, &command, fd);
    if (larger == NULL)
        return error;
    close(fd);
    if (!session->answered || session->reply.error != 0) {
        ring_close(larger);
        return error;
    }
    ring_close(session->ring); /* the old ring is empty: session_take emptied it when the answer came */
    session->ring = larger;
    /* the new ring may already have events. command_send may have consumed the wake-up for them, so take them now */
    return error == 0 ? session_take(session) : error;
}

int pprofil_session_set_rate(pprofil_session *session, double hz)
{
    if (!(hz >= PPROFIL_MIN_HZ && hz <= PPROFIL_MAX_HZ))
        return session_fail(session, -EINVAL, "frequency must be %g to %g Hz", PPROFIL_MIN_HZ, PPROFIL_MAX_HZ);
    int error = command_rate(session, hz);
    if (error != 0)
        return session_fail(session, error, "cannot change the rate: %s", strerror(-error));
    session->profile->profile->totals.asked_hz = hz;
    return 0;
}

int pprofil_session_set_wall(pprofil_session *session, bool wall)
{
    struct wire_message command = {.op = WIRE_OP_WALL, .value = wall};
    int error = command_tell(session, &command);

    /* the session has already taken all events from before the answer, so none of them can set the old mode again */
    if (error == 0)
        session->profile->profile->totals.wall = wall;
    return error;
}
