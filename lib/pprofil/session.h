/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions. A session has a supervisor, a process of its own that alone touches the targets. The library only reads
 * what the supervisor sends, and adds it to the session's profile.
 */
#ifndef PPROFIL_PUBLIC_SESSION_H
#define PPROFIL_PUBLIC_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pprofil/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofil_session pprofil_session;

enum pprofil_flags {
    PPROFIL_WALL = 1u << 0,       /* sample sleeping threads too, without stopping them */
    PPROFIL_NO_FOLLOW = 1u << 1,  /* leave a process when it executes another program */
    PPROFIL_NO_INHERIT = 1u << 2, /* do not follow forked children */
    PPROFIL_PARSE_MAPS = 1u << 3, /* for tests: behave as on kernels without PROCMAP_QUERY */
    PPROFIL_CALL_GRAPH = 1u << 4, /* record stacks, not only the function that ran */
    PPROFIL_WARY = 1u << 5,       /* for tests: behave as on kernels before 5.7 */
    PPROFIL_RESTLESS = 1u << 9,   /* for tests: hand each thread from tracer to tracer all the time */
};

#define PPROFIL_MIN_HZ 1.0
#define PPROFIL_MAX_HZ 50000.0
#define PPROFIL_MIN_STACK 1024u
#define PPROFIL_MAX_STACK (1u << 20)

struct pprofil_options {
    size_t size;             /* sizeof(struct pprofil_options) */
    double frequency;        /* samples per second of CPU time; 0: 1000 */
    double overhead;         /* percent of its CPU time that a target may lose to samples; 0: 2 */
    uint64_t seed;           /* of the random jitter between samples; 0: any */
    unsigned flags;          /* enum pprofil_flags */
    const char *events_path; /* a file that gets all events, in the format "events"; NULL: none */
    size_t stack_size;       /* PPROFIL_CALL_GRAPH: bytes of stack that a sample copies; 0: 16384 */
};

/* Starts a supervisor. options may be NULL. -EINVAL: an option is out of range. Other errors: the supervisor could not
 * be started. After an error *session is set all the same, unless memory is out: pprofil_session_problem says why, and
 * the caller closes it. */
int pprofil_session_open(const struct pprofil_options *options, pprofil_session **session);

/* Lets all targets go, unharmed, and frees the session and its profile, unless pprofil_session_take_profile has taken
 * that. A launched program runs on, as the caller's child. session may be NULL. */
void pprofil_session_close(pprofil_session *session);

/* Returns one line for people about the last call that failed: what went wrong, why, and what to do about it. Returns
 * "" if no call has failed. session may be NULL, as after pprofil_session_open without memory. */
const char *pprofil_session_problem(const pprofil_session *session);

/* The standard descriptors of a launched program. The caller's own stay open. */
struct pprofil_launch {
    size_t size;      /* sizeof(struct pprofil_launch) */
    int input;        /* the caller's descriptor that becomes its standard input */
    int output;       /* the caller's descriptor that becomes its standard output and its standard error */
    bool new_session; /* call setsid(2): signals of the terminal do not reach it */
};

/* Starts a program as a child of the caller, and follows it from its first instruction. It is found as execvp(3) finds
 * it, and the call fails as that does: -ENOENT, -EACCES, ... The child inherits the caller's descriptors, directory,
 * environment and process group. launch may be NULL: the child also has the caller's standard descriptors. Once
 * pprofil_session_pump has returned 1 the caller may wait for *pid with waitpid(2). */
int pprofil_session_launch(pprofil_session *session, char *const argv[], const struct pprofil_launch *launch,
                           pid_t *pid);

/* Attaches to all threads of a running process that may be traced. This does not stop them. -ESRCH, -EPERM, ...: none
 * of its threads may be traced. */
int pprofil_session_attach(pprofil_session *session, pid_t pid);

/* Returns one line for people about the process that was attached to last: which of its threads could not be traced,
 * and why. Returns "" if all could. The session sees neither the time of such threads nor their children. */
const char *pprofil_session_untraced(const pprofil_session *session);

/* Attaches to several processes. It calls warn with one line for each process that may not be traced, and for each that
 * has threads which may not. Returns 0 if at least one process could be attached to. Otherwise it returns the error of
 * the last one; then pprofil_session_problem is about that one, and warn was called for the others only. */
int pprofil_session_attach_all(pprofil_session *session, const pid_t *pids, unsigned count,
                               void (*warn)(void *context, const char *line), void *context);

/* Start and stop the sampling. A new session does not sample. */
int pprofil_session_start(pprofil_session *session);
int pprofil_session_stop(pprofil_session *session);
bool pprofil_session_sampling(const pprofil_session *session);

/* Sets all counts of the profile and of histograms to 0. A session that samples goes on sampling. */
int pprofil_session_clear(pprofil_session *session);

/* Waits up to timeout_ms (-1: without a limit) for events, and adds those that have come to the profile. Call it at
 * least a few times a second: the supervisor's ring holds a few seconds of samples, and drops what comes when it is
 * full. It returns
 *
 *     0        the launched program, or at least one process that was attached to, is alive
 *     1        all of them have ended. Children that are followed may live on: pprofil_profile_process tells who is
 *              alive. Further calls do not wait, and still add the children's events.
 *     -EPIPE   the supervisor has died. The targets run on, and the profile stays.
 *     -EINTR   a signal came
 *
 * If a supervisor that samples has sent nothing for 10 s, the call asks it for a sign of life, and waits up to 10 s for
 * it. Without an answer it kills the supervisor, and returns -EPIPE. */
int pprofil_session_pump(pprofil_session *session, int timeout_ms);

/* Returns a descriptor, which the session owns. poll(2) finds it readable when pprofil_session_pump would not wait. */
int pprofil_session_fd(const pprofil_session *session);

/* Ends the sampling, lets all targets go, and adds the last events to the profile. -EPIPE: the supervisor had died, and
 * its last events are missing. -ETIMEDOUT: the supervisor did not answer for 10 s, and was killed. */
int pprofil_session_finish(pprofil_session *session);

/* Returns the profile so far. The session owns it. */
pprofil_profile *pprofil_session_profile(pprofil_session *session);
/* Returns the profile, which the caller owns from now on. Only after pprofil_session_finish. */
pprofil_profile *pprofil_session_take_profile(pprofil_session *session);

/* Returns the present sampling rate, Hz. It is lower than what was asked for if that would take more than the overhead
 * allows. */
double pprofil_session_rate(const pprofil_session *session);

/* Changes the sampling rate, Hz; or whether sleeping threads are sampled (PPROFIL_WALL). -EINVAL: the rate is out of
 * range. */
int pprofil_session_set_rate(pprofil_session *session, double hz);
int pprofil_session_set_wall(pprofil_session *session, bool wall);

/* --- control from other processes -------------------------------------------------------- */

/*
 * Makes the session obey commands from other processes of the same user or of root: "start", "stop", "startclr" (clear
 * and start), "flush" and "status". They address it by the process number of the caller or of a target, or by path, a
 * socket with mode 0600; path NULL: no socket is made in the file system. pprofil_session_pump carries the commands
 * out. For "flush" it calls flush, which returns 0 or an error; flush NULL: the command is refused. -EADDRINUSE:
 * another session listens at path. -EEXIST: path is not a socket.
 */
int pprofil_session_control(pprofil_session *session, const char *path, int (*flush)(void *context), void *context);

/* Makes the session reachable by the numbers of targets that were added since pprofil_session_control. */
void pprofil_session_control_targets(pprofil_session *session);

/* Sends a command to the session at target, a path or a process number, and waits for the answer, a text that ends with
 * a newline. "status" is answered with several lines. PPROFIL_ERROR_REFUSED: answer says why. -ENOENT, -ECONNREFUSED:
 * there is no session. -EPERM: it is another user's. */
int pprofil_control_send(const char *target, const char *command, char *answer, size_t size);

/* --- processes and threads ---------------------------------------------------------------- */

/* A thread of the session's processes, as /proc has it now. */
struct pprofil_task {
    uint32_t pid, tid;
    char comm[32];
    char state;               /* R, S, D, ... of proc(5) */
    int32_t syscall;          /* number of the system call that it sleeps in; -1: none, or not known */
    const char *syscall_name; /* "" if syscall is -1 */
    uint64_t cpu_ns;          /* CPU time since it began */
    uint64_t id;              /* of its row BY_THREAD; 0: it has no samples yet */
    const char *name;         /* of that row; lives as long as the profile; "": it has no samples yet */
};

/* Lists all threads that are alive, sorted by pid and tid. The caller frees the array with free(3). If there are more
 * than 64 threads, a call reads /proc for all that run, and for an eighth of those that sleep: the system call of a
 * sleeping thread may be what one of the last 8 calls found. */
int pprofil_session_tasks(pprofil_session *session, struct pprofil_task **tasks, uint32_t *count);

/* A process of this machine that a session may be able to attach to. */
struct pprofil_candidate {
    uint32_t pid, ppid, uid, threads;
    uint64_t cpu_ns; /* CPU time since it began */
    char user[32];
    char comm[32];
    char command[256]; /* its arguments; "" for a kernel thread */
    char refused[160]; /* why it may not be attached to; "": it may */
};

/* Lists all processes, sorted by pid, except the caller and supervisors. The caller frees the array with free(3). */
int pprofil_candidates(struct pprofil_candidate **candidates, uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
