/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control: a line of text in, an answer back, one request a connection. The session never
 * waits for a peer: what has not come yet is looked at again in the next pump.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/control-socket.h"
#include "session/session.h"

#define LISTENERS_MAX (SESSION_ROOTS_MAX + 2)
#define PEERS_MAX 64
#define REQUEST_SIZE 64
#define ANSWER_SIZE 1024
#define ACCEPT_MAX 256   /* connections of one socket at once */
#define PATIENCE_MS 5000 /* for a request to come */

struct peer {
    int fd;
    int64_t since_ms; /* CLOCK_MONOTONIC */
    size_t used;
    char text[REQUEST_SIZE];
};

struct control {
    struct control_socket listeners[LISTENERS_MAX];
    unsigned listener_count;
    struct peer peers[PEERS_MAX];
    unsigned peer_count;
    bool serving;
    int (*flush)(void *context);
    void *context;
};

/* --- the session's side ---------------------------------------------------------------- */

static int watch(const struct pprofil_session *session, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(session->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int listen_at(struct pprofil_session *session, const char *target, bool is_path)
{
    struct control *control = session->control;
    struct control_socket socket;
    int error = control->listener_count == LISTENERS_MAX ? -E2BIG : 0;

    if (error == 0)
        error = control_listen(target, is_path, &socket);
    if (error != 0)
        return error;
    error = watch(session, socket.fd);
    if (error != 0) {
        control_close(&socket);
        return error;
    }
    control->listeners[control->listener_count++] = socket;
    return 0;
}

int pprofil_session_control(pprofil_session *session, const char *path,
                            int (*flush)(void *context), void *context)
{
    char number[16];

    if (session->control == NULL)
        session->control = calloc(1, sizeof *session->control);
    if (session->control == NULL)
        return session_fail(session, -ENOMEM, "out of memory");
    session->control->flush = flush;
    session->control->context = context;
    int error = path == NULL ? 0 : listen_at(session, path, true);
    if (error != 0)
        return session_fail(session, error, "%s: cannot listen there: %s", path,
                            error == -EADDRINUSE ? "another pprofil does" : strerror(-error));
    /* numbers are a convenience: who else profiles a target keeps its number */
    snprintf(number, sizeof number, "%d", (int)getpid());
    listen_at(session, number, false);
    pprofil_session_control_targets(session);
    return 0;
}

void pprofil_session_control_targets(pprofil_session *session)
{
    char number[16];

    for (unsigned i = 0; i < session->root_count; i++) {
        snprintf(number, sizeof number, "%d", (int)session->roots[i]);
        if (session->control != NULL && session->roots[i] != 0)
            listen_at(session, number, false);
    }
}

/* The supervisor says the target's own CPU time but once a second: beside what was sampled since,
 * it would be too little. Where it does not answer, what was said last is told. */
static void status(struct pprofil_session *session, char *text, size_t size)
{
    const struct wire_message command = {.op = WIRE_OP_FLUSH};
    const struct profile_totals *totals = &session->profile->profile->totals;

    session_command(session, &command);
    snprintf(text, size,
             "ok\nsampling %s\nsamples %" PRIu64 "\ncpu_s %.3f\ntarget_cpu_s %.3f\nelapsed_s %.3f\n"
             "hz %.0f\nthreads %" PRIu32 "\nprocesses %" PRIu32 "\nlost %" PRIu64 "\n",
             session->sampling ? "on" : "off", totals->samples, (double)totals->cpu_ns / 1e9,
             (double)totals->target_cpu_ns / 1e9, (double)totals->elapsed_ns / 1e9,
             session->rate_hz, totals->threads_alive, totals->processes_alive, totals->lost);
}

static int clear_and_start(struct pprofil_session *session)
{
    int error = pprofil_session_clear(session);

    return error == 0 && !session->sampling ? pprofil_session_start(session) : error;
}

static int flush(struct pprofil_session *session)
{
    struct wire_message command = {.op = WIRE_OP_FLUSH};

    int error = session_command(session, &command);
    return error == 0 ? session->control->flush(session->control->context) : error;
}

static void control_obey(struct pprofil_session *session, const char *command, char *answer, size_t size)
{
    int error = 0;

    if (strcmp(command, "status") == 0) {
        status(session, answer, size);
        return;
    }
    if (strcmp(command, "flush") == 0 && session->control->flush == NULL) {
        snprintf(answer, size, "error there is no file to flush to: it was started without -o\n");
        return;
    }
    if (strcmp(command, "start") == 0)
        error = session->sampling ? 0 : pprofil_session_start(session);
    else if (strcmp(command, "stop") == 0)
        error = session->sampling ? pprofil_session_stop(session) : 0;
    else if (strcmp(command, "startclr") == 0)
        error = clear_and_start(session);
    else if (strcmp(command, "flush") == 0)
        error = flush(session);
    else
        error = -EINVAL;
    if (error == 0)
        snprintf(answer, size, "ok\n");
    else if (error == -EINVAL)
        snprintf(answer, size, "error bad process or channel control request\n");
    else
        snprintf(answer, size, "error %s\n", pprofil_error_text(error));
}

static void hang_up(struct control *control, unsigned i)
{
    close(control->peers[i].fd);
    control->peers[i] = control->peers[--control->peer_count];
}

/* Takes all that have connected, for strangers fill the queue as well: any user may connect to a
 * number. How many are taken at once is bounded: they may come as fast as they are sent away. */
static void take_peers(const struct pprofil_session *session, int listener)
{
    struct control *control = session->control;
    int fd;

    for (unsigned i = 0; i < ACCEPT_MAX && (fd = accept4(listener, NULL, NULL,
                                                        SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;
         i++) {
        if (!control_trusts(fd) || control->peer_count == PEERS_MAX || watch(session, fd) != 0)
            close(fd);
        else
            control->peers[control->peer_count++] = (struct peer){.fd = fd, .since_ms = time_now_ms()};
    }
}

/* True while the connection stays. */
static bool hear(struct pprofil_session *session, struct peer *peer)
{
    char answer[ANSWER_SIZE];

    ssize_t got = recv(peer->fd, peer->text + peer->used, sizeof peer->text - 1 - peer->used, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got <= 0)
        return false;
    peer->used += (size_t)got;
    peer->text[peer->used] = '\0';
    char *end = strchr(peer->text, '\n');
    if (end == NULL)
        return peer->used < sizeof peer->text - 1;
    *end = '\0';
    control_obey(session, peer->text, answer, sizeof answer);
    ssize_t ignored = send(peer->fd, answer, strlen(answer), MSG_NOSIGNAL);
    (void)ignored;
    return false;
}

void control_serve(struct pprofil_session *session)
{
    struct control *control = session->control;

    if (control == NULL || control->serving)
        return; /* a command under way takes events, and comes here again */
    control->serving = true;
    for (unsigned i = 0; i < control->listener_count; i++)
        take_peers(session, control->listeners[i].fd);
    int64_t oldest = time_now_ms() - PATIENCE_MS;
    for (unsigned i = 0; i < control->peer_count;)
        if (hear(session, &control->peers[i]) && control->peers[i].since_ms > oldest)
            i++;
        else
            hang_up(control, i);
    control->serving = false;
}

void control_free(struct pprofil_session *session)
{
    struct control *control = session->control;

    if (control == NULL)
        return;
    while (control->peer_count > 0)
        hang_up(control, 0);
    for (unsigned i = 0; i < control->listener_count; i++)
        control_close(&control->listeners[i]);
    free(control);
    session->control = NULL;
}

/* --- the other side -------------------------------------------------------------------- */

static int read_answer(int fd, char *answer, size_t size)
{
    size_t used = 0;
    ssize_t got;

    while (used < size - 1 && ((got = recv(fd, answer + used, size - 1 - used, 0)) > 0 ||
                               (got < 0 && errno == EINTR)))
        used += got > 0 ? (size_t)got : 0;
    answer[used] = '\0';
    return used == 0 ? -EPIPE : 0;
}

/* Drops the first word, "ok" or "error". */
static int judge(char *answer)
{
    bool good = strncmp(answer, "ok", 2) == 0;
    size_t word = strcspn(answer, " \n");

    memmove(answer, answer + word + (answer[word] != '\0'), strlen(answer + word));
    return good ? 0 : PPROFIL_ERROR_REFUSED;
}

int pprofil_control_send(const char *target, const char *command, char *answer, size_t size)
{
    char line[REQUEST_SIZE];
    struct sockaddr_un address;
    socklen_t length;
    int error = control_address(target, false, &address, &length);

    answer[0] = '\0';
    if (error == 0 && snprintf(line, sizeof line, "%s\n", command) >= (int)sizeof line)
        error = -EINVAL;
    if (error != 0)
        return error;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (struct sockaddr *)&address, length) < 0)
        error = -errno;
    else if (!control_trusts(fd)) /* anybody may take an abstract address */
        error = -EPERM;
    else if (send(fd, line, strlen(line), MSG_NOSIGNAL) < 0)
        error = -errno;
    if (error == 0)
        error = read_answer(fd, answer, size);
    close(fd);
    return error == 0 ? judge(answer) : error;
}
