/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * session: a run. A session starts the supervisor (start-supervisor.c), has it attach to targets (targets.c), and adds
 * the events that it sends to a profile and to histograms (pump.c). Start with session.c.
 */
#ifndef PPROFIL_SESSION_H
#define PPROFIL_SESSION_H

#include <sys/types.h>

#include "dialect/dialect.h"
#include "histogram/dialect-run.h"
#include "pprofil.h"
#include "profile/profile.h"
#include "symbol/symbol.h"
#include "wire/wire.h"

#define SESSION_ROOTS_MAX 1024
#define PROBLEM_SIZE 512

/* What a pprofil_profile of pprofil.h is. A session makes one; lib/api makes others. */
struct pprofil_profile {
    struct profile *profile;       /* owned */
    struct symbolizer *symbolizer; /* owned; NULL: no names have been looked up yet */
    bool counters;                 /* it was read from a file of counters */
    char *selected;                /* owned: the selection that made it a part of another profile; NULL: it is none */
    double selected_share;         /* of the whole's time, 0..1 */
    uint64_t selected_of;          /* samples of the whole */
    char problem[PROBLEM_SIZE];    /* of the last call that failed; "": not known */
};

/* A histogram in buffers of the caller. */
struct session_histogram {
    pid_t pid;                   /* 0: of all processes */
    struct dialect_count *count; /* owned */
    bool ended;                  /* by an exec */
    bool by_call;                /* counts system calls, not addresses */
    struct session_histogram *next;
};

struct pprofil_session {
    struct pprofil_options options;
    struct pprofil_profile *profile; /* owned, until it is taken */
    struct ring *ring;
    struct wire_recording *recording; /* NULL: none */
    int socket, wake, epoll;
    pid_t supervisor;
    bool dead;        /* the supervisor has ended */
    bool hung;        /* it did not answer, and was killed */
    int64_t heard_ms; /* when it sent something last, CLOCK_MONOTONIC */
    bool finished;
    bool answered; /* the current command has its answer, in reply */
    struct wire_message reply;
    pid_t roots[SESSION_ROOTS_MAX]; /* launched or attached to by the caller; 0: it has ended */
    unsigned root_count;
    double rate_hz;
    bool sampling;
    struct unwinder *unwinder;            /* owned; NULL: no call graph */
    bool objects_follow;                  /* files were mapped since the last stack; their descriptors may be missing */
    struct session_histogram *histograms; /* owned */
    struct dialect_run *dialect_run;      /* owned; NULL: no dialect */
    struct control *control;              /* owned; NULL: nobody may command the session */
    struct tasks *tasks;                  /* owned; NULL: no caller has asked for tasks yet */
    char problem[PROBLEM_SIZE];
    char untraced[PROBLEM_SIZE]; /* which threads of the last process that was attached to could not be traced */
};

/* Records a problem in one line, and returns error. */
int session_fail(struct pprofil_session *session, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a descriptor to those that session_wait, and pprofil_session_fd, wait for. 0 or a negative errno. */
int session_watch(const struct pprofil_session *session, int fd);

/* --- start-supervisor.c ------------------------------------------------------------------- */

/* Starts pprofil-supervise on its three descriptors. It is not a child that the caller's wait calls could find, and its
 * end raises no signal; the socket shows it. 0 or a negative errno, with the problem set. */
int session_start_supervisor(struct pprofil_session *session, int socket, int ring, int wake);

/* Waits for its first message, which says the version of its protocol. 0 or a negative errno, with the problem set. */
int session_await_hello(struct pprofil_session *session);

/* --- pump.c ---------------------------------------------------------------------------------- */

/* Creates a ring for a sampling rate: it holds some seconds of samples from every CPU. Errors are those of
 * ring_create. */
int session_make_ring(double hz, size_t stack_size, struct ring **ring, int *fd);

/* Adds the events that have come to the profile and to histograms, without waiting. 0, -ENOMEM, or -EPROTO: the ring
 * does not hold events. */
int session_take(struct pprofil_session *session);

/* Waits until something comes, at most timeout_ms (-1: without a limit). 0 or -EINTR. */
int session_wait(const struct pprofil_session *session, int timeout_ms);

/* Sends a command (op 0: none), and waits for an answer; meanwhile it takes events. Returns the error in the answer;
 * -EPIPE: the supervisor has ended; -ETIMEDOUT: it did not answer, and was killed. */
int session_command(struct pprofil_session *session, const struct wire_message *command);

/* Checks that a supervisor is alive. One that samples sends something each second. If it has been silent for long, it
 * is asked for an answer, and killed without one, because it may hold threads of the target. 0, also if it was killed,
 * or -ENOMEM. */
int session_check_supervisor(struct pprofil_session *session);

/* Sets another sampling rate, with a larger ring if that needs one. Errors are those of session_command and
 * session_make_ring. */
int session_command_rate(struct pprofil_session *session, double hz);

/* --- histograms.c ----------------------------------------------------------------------------- */

/* Counts an event in all histograms that it concerns. */
void session_histograms_feed(struct pprofil_session *session, const struct wire_header *event);
void session_histograms_clear(struct pprofil_session *session);
void session_histograms_free(struct pprofil_session *session);

/* --- tasks.c ----------------------------------------------------------------------------------- */

void tasks_free(struct tasks *tasks);

/* --- control.c ---------------------------------------------------------------------------------- */

/* Carries out the commands that have come from other processes. */
void control_serve(struct pprofil_session *session);
void control_free(struct pprofil_session *session);

/* --- ptrace-denied.c ------------------------------------------------------------------------- */

/* Says in one line why a task cannot be traced, and what can be done about it. error: what PTRACE_SEIZE returned. */
void ptrace_denied_explain(pid_t pid, int error, char *text, size_t size);

/* Says in one line which threads of a process cannot be traced, and why the first of them cannot. tracer: the process
 * that traces the others. count: the number of untraced threads that it met, which is said if none of them is left. */
void ptrace_denied_threads(pid_t pid, pid_t tracer, unsigned count, char *text, size_t size);

#endif
