/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the client asks for: lib/wire/wire.h has the commands. */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "supervisor/attach.h"
#include "supervisor/commands.h"
#include "supervisor/emit.h"
#include "supervisor/sampling.h"
#include "supervisor/supervisor.h"

void commands_answer(const struct supervisor *supervisor, const struct wire_message *command, int error,
                     const struct attach_refusal *refusal)
{
    struct wire_message reply = {.op = WIRE_OP_DONE,
                                 .error = -error,
                                 .pid = refusal->tid,
                                 .flags = refusal->count,
                                 .value = command->op};
    wire_send(supervisor->socket, &reply, -1);
}

/* A rate that is too high for the ring comes with a larger one. */
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

/* With the lock. fd: what came with the command, or -1; the caller closes it. 0 or -errno. */
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
        supervisor->quitting = true;
        return; /* answered when it is done */
    }
    if (command->op == WIRE_OP_ATTACH) {
        error = attach_process(supervisor->tracers[0], command->pid,
                               command->flags & WIRE_ATTACH_LAUNCHED, &refusal);
    } else {
        supervisor_lock(supervisor);
        error = commands_do(supervisor, command, fd);
        supervisor_unlock(supervisor);
    }
    commands_answer(supervisor, command, error, &refusal);
}

void commands_read(struct supervisor *supervisor)
{
    struct wire_message command;
    int error, fd;

    /* after QUIT nothing is obeyed any more, but the end of the client is seen */
    while (!supervisor->client_gone &&
           (error = wire_receive(supervisor->socket, &command, &fd)) != -EAGAIN) {
        if (error == -EPIPE)
            supervisor->client_gone = supervisor->quitting = true;
        else if (error == 0 && !supervisor->quitting)
            commands_obey(supervisor, &command, fd);
        if (fd >= 0)
            close(fd);
    }
}

