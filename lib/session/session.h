/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * session: a run. It starts the supervisor (targets.c), attaches to processes (session-attach.c) and feeds what
 * comes into a profile, and whatever else counts (pump.c). Start with session.c.
 */
#ifndef PPROFIL_SESSION_H
#define PPROFIL_SESSION_H

#include <sys/types.h>

#include "dialect/dialect.h"
#include "histogram/dialect-run.h"
#include "pprofil.h"
#include "session/profile-handle.h"
#include "wire/wire.h"

#define SESSION_ROOTS_MAX 1024

/* A histogram that the caller asked for. */
struct session_histogram {
    pid_t pid; /* 0: of all processes */
    struct dialect_count *count; /* owned */
    bool ended;                  /* by exec */
    bool by_call;
    struct session_histogram *next;
};

struct pprofil_session {
    struct pprofil_options options;
    struct pprofil_profile *profile; /* owned, until taken */
    struct ring *ring;
    struct wire_recording *recording; /* NULL: none */
    int socket, wake, epoll;
    pid_t supervisor;
    bool dead;     /* the supervisor is gone */
    bool hung;     /* because it did not answer, and was ended */
    int64_t heard_ms; /* of it last, CLOCK_MONOTONIC */
    bool finished;
    bool answered; /* the command under way; reply holds the answer */
    struct wire_message reply;
    pid_t roots[SESSION_ROOTS_MAX]; /* launched or attached; 0 once ended */
    unsigned root_count;
    double rate_hz;
    bool sampling;
    struct unwinder *unwinder;    /* owned; NULL: no call graph */
    bool objects_follow;          /* of mappings told since the last stack */
    struct session_histogram *histograms; /* owned */
    struct dialect_run *dialect_run; /* owned; NULL: no dialect */
    struct control *control;      /* owned; NULL: nobody may command it */
    struct tasks *tasks;          /* owned; NULL: nobody has asked for them yet */
    char problem[PROBLEM_SIZE];
    char untraced[PROBLEM_SIZE]; /* threads of the last process attached to */
};

/* Records a problem in one line and returns error. */
int session_fail(struct pprofil_session *session, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Starts pprofil-supervise on its three descriptors. It is no child of ours that a wait could
 * find, and no signal tells of its end; the socket does. 0 or -errno, with the problem set. */
int session_spawn_supervisor(struct pprofil_session *session, int socket, int ring, int wake);

/* Waits for its first word, and to be of the same protocol. 0 or -errno, with the problem set. */
int session_await_hello(struct pprofil_session *session);

/* Has the supervisor attach to command->pid, whose end ends the session. 0 or -errno, with the
 * problem set. */
int session_attach_root(struct pprofil_session *session, const struct wire_message *command);

/* --- pump.c ---------------------------------------------------------------- */

/* A ring for a rate: samples of some seconds from every CPU. As ring_create. */
int session_make_ring(double hz, size_t stack_size, struct ring **ring, int *fd);

/* Takes what has come, without waiting, into the profile and whatever else counts. 0, -ENOMEM,
 * or -EPROTO: what comes is no stream of events. */
int session_take(struct pprofil_session *session);

/* Waits until something comes, at most timeout_ms (-1: for ever). 0 or -EINTR. */
int session_wait(const struct pprofil_session *session, int timeout_ms);

/* Sends a command (op 0: none) and waits for an answer, taking events meanwhile. The answer's
 * error, or -EPIPE: the supervisor is gone; -ETIMEDOUT: it is silent. */
int session_command(struct pprofil_session *session, const struct wire_message *command);

/* Whoever samples says so each second: one that has said nothing for long is asked, and so ended
 * where it hangs, for it may hold threads of the target. 0 (also if it is dead then) or -ENOMEM. */
int session_look_after(struct pprofil_session *session);

/* Asks for another rate, with a ring that is large enough for it. As session_command. */
int session_command_rate(struct pprofil_session *session, double hz);

/* --- histograms.c ---------------------------------------------------------------------- */

/* Counts an event in all histograms that it concerns. */
void session_histograms_feed(struct pprofil_session *session, const struct wire_header *event);
void session_histograms_clear(struct pprofil_session *session);
void session_histograms_free(struct pprofil_session *session);

/* --- tasks.c ----------------------------------------------------------------------- */

void tasks_free(struct tasks *tasks);

/* --- control.c --------------------------------------------------------------------- */

/* Obeys what has come from others. */
void control_serve(struct pprofil_session *session);
void control_free(struct pprofil_session *session);

#endif
