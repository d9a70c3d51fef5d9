/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control of a session by other processes, which are called peers. A peer connects to the session, sends a command in
 * one line, and gets an answer. The session never waits for a peer: each call of pprofil_session_pump reads only the
 * bytes that have already arrived.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
#define ACCEPT_MAX 256   /* largest number of connections that one call of control_accept accepts */
#define PATIENCE_MS 5000 /* longest wait for a peer's command, ms; a peer that takes longer is dropped */

struct peer {
    int fd;
    int64_t since_ms; /* time when the peer connected, CLOCK_MONOTONIC */
    size_t used;      /* number of bytes in the field text */
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

static int control_add_listener(struct pprofil_session *session, const char *target, bool is_path)
{
    struct control *control = session->control;
    struct control_socket socket;
    int error = control->listener_count == LISTENERS_MAX ? -E2BIG : 0;

    if (error == 0)
        error = control_listen(target, is_path, &socket);
    if (error != 0)
        return error;
    error = session_watch(session, socket.fd);
    if (error != 0) {
        control_close(&socket);
        return error;
    }
    control->listeners[control->listener_count++] = socket;
    return 0;
}

int pprofil_session_control(pprofil_session *session, const char *path, int (*flush)(void *context), void *context)
{
    char number[16];

    if (session->control == NULL)
        session->control = calloc(1, sizeof *session->control);
    if (session->control == NULL)
        return session_fail(session, -ENOMEM, "out of memory");
    session->control->flush = flush;
    session->control->context = context;
    int error = path == NULL ? 0 : control_add_listener(session, path, true);
    if (error != 0)
        return session_fail(session, error, "%s: cannot listen there: %s", path,
                            error == -EADDRINUSE ? "another pprofil does" : strerror(-error));
    /* an error of control_add_listener is ignored here. It means that a session that profiles this process may already
     * listen at the address for this pid */
    snprintf(number, sizeof number, "%d", (int)getpid());
    control_add_listener(session, number, false);
    pprofil_session_control_targets(session);
    return 0;
}

void pprofil_session_control_targets(pprofil_session *session)
{
    char number[16];

    for (unsigned i = 0; i < session->root_count; i++) {
        snprintf(number, sizeof number, "%d", (int)session->roots[i]);
        if (session->control != NULL && session->roots[i] != 0)
            control_add_listener(session, number, false);
    }
}

/* Writes the answer to "status". The supervisor sends the CPU time of the targets only once a second, so the time that
 * the session knows may be up to a second old. So the session first requests the present CPU time with WIRE_OP_FLUSH.
 * If the supervisor does not answer, "status" shows the old CPU time. */
static void control_status(struct pprofil_session *session, char *text, size_t size)
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

static int control_clear_and_start(struct pprofil_session *session)
{
    int error = pprofil_session_clear(session);

    return error == 0 && !session->sampling ? pprofil_session_start(session) : error;
}

static int control_flush(struct pprofil_session *session)
{
    struct wire_message command = {.op = WIRE_OP_FLUSH};

    int error = session_command(session, &command);
    return error == 0 ? session->control->flush(session->control->context) : error;
}

static void control_carry_out(struct pprofil_session *session, const char *command, char *answer, size_t size)
{
    int error = 0;

    if (strcmp(command, "status") == 0) {
        control_status(session, answer, size);
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
        error = control_clear_and_start(session);
    else if (strcmp(command, "flush") == 0)
        error = control_flush(session);
    else
        error = -EINVAL;
    if (error == 0)
        snprintf(answer, size, "ok\n");
    else if (error == -EINVAL)
        snprintf(answer, size, "error bad process or channel control request\n");
    else
        snprintf(answer, size, "error %s\n", pprofil_error_text(error));
}

static void control_drop_peer(struct control *control, unsigned i)
{
    close(control->peers[i].fd);
    control->peers[i] = control->peers[--control->peer_count];
}

/* Accepts connections, and closes those of other users immediately. Any user may connect to an abstract address, so
 * such connections must be accepted too: otherwise they would stay in the queue of the socket and fill it. A user may
 * connect again as fast as this function closes connections, so each call accepts at most ACCEPT_MAX connections. */
static void control_accept(const struct pprofil_session *session, int listener)
{
    struct control *control = session->control;
    int fd;

    for (unsigned i = 0; i < ACCEPT_MAX && (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;
         i++) {
        if (!control_trusts(fd) || control->peer_count == PEERS_MAX || session_watch(session, fd) != 0)
            close(fd);
        else
            control->peers[control->peer_count++] = (struct peer){.fd = fd, .since_ms = time_now_ms()};
    }
}

/* Reads the bytes that a peer has sent. When a whole line has arrived, answers it. Returns false if the connection must
 * be closed. */
static bool control_read_peer(struct pprofil_session *session, struct peer *peer)
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
    control_carry_out(session, peer->text, answer, sizeof answer);
    ssize_t ignored = send(peer->fd, answer, strlen(answer), MSG_NOSIGNAL);
    (void)ignored;
    return false;
}

void control_serve(struct pprofil_session *session)
{
    struct control *control = session->control;

    if (control == NULL || control->serving)
        /* a call inside another call of control_serve does nothing. Such a call is possible because the command "flush"
         * calls a function of the caller, which may call pprofil_session_pump */
        return;
    control->serving = true;
    for (unsigned i = 0; i < control->listener_count; i++)
        control_accept(session, control->listeners[i].fd);
    int64_t oldest = time_now_ms() - PATIENCE_MS;
    for (unsigned i = 0; i < control->peer_count;)
        if (control_read_peer(session, &control->peers[i]) && control->peers[i].since_ms > oldest)
            i++;
        else
            control_drop_peer(control, i);
    control->serving = false;
}

void control_free(struct pprofil_session *session)
{
    struct control *control = session->control;

    if (control == NULL)
        return;
    while (control->peer_count > 0)
        control_drop_peer(control, 0);
    for (unsigned i = 0; i < control->listener_count; i++)
        control_close(&control->listeners[i]);
    free(control);
    session->control = NULL;
}

void control_leave(const struct pprofil_session *session)
{
    const struct control *control = session->control;

    for (unsigned i = 0; control != NULL && i < control->peer_count; i++)
        close(control->peers[i].fd);
    for (unsigned i = 0; control != NULL && i < control->listener_count; i++)
        close(control->listeners[i].fd);
}

/* --- the peer's side -------------------------------------------------------------------- */

static int read_answer(int fd, char *answer, size_t size)
{
    size_t used = 0;
    ssize_t got;

    while (used < size - 1 && ((got = recv(fd, answer + used, size - 1 - used, 0)) > 0 || (got < 0 && errno == EINTR)))
        used += got > 0 ? (size_t)got : 0;
    answer[used] = '\0';
    return used == 0 ? -EPIPE : 0;
}

/* Removes the first word of an answer, which is "ok" or "error". Returns 0 for "ok", and PPROFIL_ERROR_REFUSED for
 * "error". */
static int control_result(char *answer)
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
    else if (!control_trusts(fd)) /* any user may listen at an abstract address, so the other process is checked */
        error = -EPERM;
    else if (send(fd, line, strlen(line), MSG_NOSIGNAL) < 0)
        error = -errno;
    if (error == 0)
        error = read_answer(fd, answer, size);
    close(fd);
    return error == 0 ? control_result(answer) : error;
}
