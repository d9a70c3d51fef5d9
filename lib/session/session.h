/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * session: sessions, as pprofil/session.h declares them. A session starts the supervisor (start-supervisor.c), sends it
 * commands (supervisor-commands.c), makes it attach to targets (targets.c), and adds the supervisor's events to a
 * profile and to histograms (pump.c). session.c contains the life of a session from opening to closing: read it first.
 */
#ifndef PPROFIL_SESSION_H
#define PPROFIL_SESSION_H

#include <sys/types.h>

#include "dialect/dialect.h"
#include "histogram/dialect-run.h"
#include "pprofil.h"
#include "profile/profile.h"
#include "session/wait-names.h"
#include "symbol/symbol.h"
#include "wire/wire.h"

#define SESSION_ROOTS_MAX 1024
#define PROBLEM_SIZE 512

/* The pprofil_profile of pprofil.h. Sessions and lib/api create such profiles. */
struct pprofil_profile {
    struct profile *profile;       /* owned */
    struct symbolizer *symbolizer; /* owned; NULL: no names have been looked up yet */
    bool counters;                 /* the profile was read from a file of counters */
    const char *format;            /* static; name of the format of the file it was read from; NULL: it was not */
    /* owned; text of the selection by which pprofil_profile_select made this profile from another profile; NULL: this
     * profile was made in another way */
    char *selected;
    double selected_share;         /* share of the other profile's time that this profile contains, 0..1 */
    uint64_t selected_of;          /* number of samples of the other profile */
    char problem[PROBLEM_SIZE];    /* reason why the last call failed; "": not known */
};

/* A histogram in buffers of the caller. It is an element of a linked list. */
struct session_histogram {
    pid_t pid;                   /* process that is counted; 0: all processes */
    struct dialect_count *count; /* owned */
    bool ended;                  /* an exec has ended the counting */
    bool by_call;                /* the histogram counts the time in each system call, not at each address */
    struct session_histogram *next;
};

struct pprofil_session {
    struct pprofil_options options;
    struct pprofil_profile *profile; /* owned, until pprofil_session_take_profile gives it to the caller */
    struct ring *ring;
    struct wire_recording *recording; /* owned; NULL: events are not recorded */
    int socket, wake, epoll;
    pid_t supervisor;
    bool dead;        /* the supervisor has ended, or uses another version of the protocol */
    bool hung;        /* the supervisor did not answer, and was killed */
    int64_t heard_ms; /* time of the last message or event from the supervisor, CLOCK_MONOTONIC */
    bool finished;
    bool answered; /* the answer to the last command has arrived, and is in `reply` */
    struct wire_message reply;
    /* pids of the processes that the caller launched or attached to; 0 in place of a process that has ended */
    pid_t roots[SESSION_ROOTS_MAX];
    unsigned root_count;
    double rate_hz;
    bool sampling;
    struct unwinder *unwinder;            /* owned; NULL: no call graph */
    /* true: after the last stack was unwound, more files were mapped, and their descriptors may not have arrived yet */
    bool objects_follow;
    struct mapping_to_check *mappings_to_check; /* owned: runtimes.c */
    uint32_t mappings_to_check_count;
    struct session_histogram *histograms; /* owned */
    struct dialect_run *dialect_run;      /* owned; NULL: no dialect */
    struct control *control;              /* owned; NULL: the session accepts no commands from other processes */
    struct pprofil_usage *usages;         /* owned; what processes have used: usage.c */
    uint32_t usage_count;
    struct tasks *tasks;                  /* owned; NULL: pprofil_session_tasks has not been called yet */
    struct wait_names wait_names;
    char problem[PROBLEM_SIZE];
    char notice[PROBLEM_SIZE];   /* text for pprofil_session_notice; "": none */
    char untraced[PROBLEM_SIZE]; /* text for pprofil_session_untraced; "": all threads could be traced */
};

/* --- start-supervisor.c ------------------------------------------------------------------- */

/* Starts pprofil-supervise, and gives it three descriptors. A wait(2) of the caller does not find the supervisor, and
 * the caller gets no signal when the supervisor ends. The session notices this because the socket is closed. Returns 0
 * or a negative errno. After an error, session->problem tells the reason. */
int session_start_supervisor(struct pprofil_session *session, int socket, int ring, int wake);

/* Waits for the supervisor's first message, which contains the supervisor's protocol version. Returns 0 or a negative
 * errno. After an error, session->problem tells the reason. */
int session_await_hello(struct pprofil_session *session);

/* --- pump.c ---------------------------------------------------------------------------------- */

/* Stores a problem, as one line of text, in session->problem. Returns `error`. */
int session_fail(struct pprofil_session *session, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a descriptor to session->epoll. From then on, when this descriptor is readable, session_wait returns, and the
 * descriptor of pprofil_session_fd is readable too. Returns 0 or a negative errno. */
int session_watch(const struct pprofil_session *session, int fd);

/* Adds all events in the ring to the profile and to histograms, without waiting. Returns 0, or -ENOMEM, or -EPROTO if
 * there is something in the ring that is not an event, or -EOVERFLOW if the profile is too large, or -EFBIG if a region
 * of the dialect needs too large a buffer. */
int session_take(struct pprofil_session *session);

/* Waits until events, messages or commands come, at most timeout_ms (-1: without a limit). Returns 0 or -EINTR. */
int session_wait(const struct pprofil_session *session, int timeout_ms);

/* --- supervisor-commands.c ---------------------------------------------------------------------- */

/* Sends a command, and waits for an answer. If the op of the command is 0, sends nothing, and only waits. While it
 * waits, calls session_take. Returns the error in the answer, or -EPIPE if the supervisor has ended, or -ETIMEDOUT if
 * the supervisor did not answer and was killed, or an error of session_take. */
int session_command(struct pprofil_session *session, const struct wire_message *command);

/* Checks that the supervisor is alive. While the supervisor samples, it sends something each second. If it has sent
 * nothing for about 10 s, this function requests an answer. If no answer comes, kills the supervisor, because the
 * supervisor may keep threads of a target stopped. Returns 0, also after killing the supervisor, or -ENOMEM. */
int session_check_supervisor(struct pprofil_session *session);

/* Creates a ring that can hold a few seconds of samples from every CPU, at the rate `hz`. Errors are those of
 * ring_create. */
int session_make_ring(double hz, size_t stack_size, struct ring **ring, int *fd);

/* --- runtimes.c ------------------------------------------------------------------------------- */

/* Notes that a file was mapped, so that runtimes_look finds out whether it has a Python interpreter or Go code. 0 or
 * -ENOMEM. */
int runtimes_note_mapping(struct pprofil_session *session, const struct wire_map *map);
/* Looks for language runtimes in the mapped files whose descriptors have come, and tells the supervisor. 0 or
 * -ENOMEM. */
int runtimes_look(struct pprofil_session *session);
/* Gives the mappings that will be looked at the new indexes of a period's tables (profile_end_period). */
void runtimes_end_period(struct pprofil_session *session, const struct profile_moves *moves);
/* The supervisor refuses an interpreter, whose memory is not as its version says. */
void python_note_refusal(struct pprofil_session *session, const struct wire_message *message);

/* --- histograms.c ----------------------------------------------------------------------------- */

/* Updates the histograms in buffers of the caller after an event. A sample is counted in the histogram of its process,
 * and in the histogram of all processes. An exec ends the counting for its process. */
void session_histograms_feed(struct pprofil_session *session, const struct wire_header *event);
void session_histograms_clear(struct pprofil_session *session);
void session_histograms_free(struct pprofil_session *session);

/* --- tasks.c ----------------------------------------------------------------------------------- */

void tasks_free(struct tasks *tasks);

/* --- ranks.c ----------------------------------------------------------------------------------- */

/* Gives the name of this host to the processes that will be profiled. Returns 0, -ENOMEM or -EOVERFLOW. */
int session_set_host(struct pprofil_session *session);
/* Finds out which rank of a job a process is, when the process has got a name. Returns 0, -ENOMEM or -EOVERFLOW. */
int session_note_name(struct pprofil_session *session, const struct wire_comm *event);

/* --- usage.c ----------------------------------------------------------------------------------- */

/* Keeps what a process has used. Returns 0 or -ENOMEM. */
int session_note_usage(struct pprofil_session *session, const struct wire_usage *event);

/* --- control.c ---------------------------------------------------------------------------------- */

/* Executes the commands that other processes have sent, and answers them. */
void control_serve(struct pprofil_session *session);
void control_free(struct pprofil_session *session);
/* Closes a child process's copies of the descriptors. */
void control_leave(const struct pprofil_session *session);

/* --- attachable.c ----------------------------------------------------------------------------- */

/* Finds out whether the caller may trace a process by the rules of users, capabilities and security modules. Returns 0,
 * or the error that PTRACE_SEIZE would return for these rules, or -ENOENT if there is no such process. */
int attachable_access(pid_t pid);

/* --- ptrace-limits.c -------------------------------------------------------------------------- */

struct proc_status;

/* Returns kernel.yama.ptrace_scope; -1: this kernel has no Yama. */
int ptrace_limits_yama_scope(void);
/* Returns true if a process with this status has CAP_SYS_PTRACE. */
bool ptrace_limits_may_trace_all(const struct proc_status *own);

/* --- ptrace-denied.c ------------------------------------------------------------------------- */

/* Stores one line of text: why a task cannot be traced, and what the user can do. `error` is the negative error of
 * PTRACE_SEIZE. launched: the caller has launched the task, which permits the supervisor to trace it. */
void ptrace_denied_explain(pid_t pid, int error, bool launched, char *text, size_t size);

/* Stores one line of text: which threads of a process cannot be traced, and why the first of them cannot. The process
 * `tracer` traces the other threads, and has found `count` threads that it cannot trace. If all of these have ended or
 * are traced now, the text contains only `count`. */
void ptrace_denied_threads(pid_t pid, pid_t tracer, unsigned count, char *text, size_t size);

#endif
