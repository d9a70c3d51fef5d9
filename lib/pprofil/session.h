/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * session.h: sessions, which sample processes. Each session has a supervisor, a separate process that alone traces the
 * targets. The library receives events from the supervisor, and adds them to the session's profile.
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
    PPROFIL_NO_FOLLOW = 1u << 1,  /* detach from a process when it executes another program */
    PPROFIL_NO_INHERIT = 1u << 2, /* do not follow forked children */
    PPROFIL_PARSE_MAPS = 1u << 3, /* for tests: behave as on kernels without PROCMAP_QUERY */
    PPROFIL_CALL_GRAPH = 1u << 4, /* record stacks, not only the function that ran */
    PPROFIL_WARY = 1u << 5,       /* for tests: behave as on kernels before 5.7 */
    PPROFIL_RESTLESS = 1u << 9,   /* for tests: hand each thread to another tracer at each stop */
};

#define PPROFIL_MIN_HZ 1.0
#define PPROFIL_MAX_HZ 50000.0
#define PPROFIL_MIN_STACK 1024u
#define PPROFIL_MAX_STACK (1u << 20)

struct pprofil_options {
    size_t size;             /* sizeof(struct pprofil_options) */
    double frequency;        /* samples per second of CPU time; 0: 1000 */
    double overhead;         /* percent of its CPU time that a target may lose to samples; 0: 2 */
    uint64_t seed;           /* seed of the random jitter between samples; 0: a seed from the clock */
    unsigned flags;          /* enum pprofil_flags */
    const char *events_path; /* path of a file that receives all events, in the format "events"; NULL: none */
    size_t stack_size;       /* PPROFIL_CALL_GRAPH: bytes of stack that a sample copies; 0: 16384 */
};

/* Starts a session with its supervisor. options may be NULL. -EINVAL: an option is out of range. -ENOMEM: no memory;
 * *session may be NULL. Other errors: the supervisor could not be started. *session is set even after an error. Then
 * the caller reads the reason with pprofil_session_problem, and closes the session. */
int pprofil_session_open(const struct pprofil_options *options, pprofil_session **session);

/* Detaches from all targets, which run on, and frees the session. Also frees its profile, unless
 * pprofil_session_take_profile has returned it. A launched program runs on, as the caller's child. session may be
 * NULL. */
void pprofil_session_close(pprofil_session *session);

/* Returns one line of text about the last call that failed: what went wrong, why, and what to do about it. Returns ""
 * if no call has failed. session may be NULL: then there was no memory for pprofil_session_open. */
const char *pprofil_session_problem(const pprofil_session *session);

/* Options of a launched program. input and output are always used. In input and output, 0 is descriptor 0 and not a
 * default. The caller's descriptors stay open. */
struct pprofil_launch {
    size_t size;      /* sizeof(struct pprofil_launch) */
    int input;        /* the caller's descriptor that becomes the program's standard input */
    int output;       /* the caller's descriptor that becomes the program's standard output and standard error */
    bool new_session; /* call setsid(2) in the child, so that signals of the terminal do not reach it */
};

/* Starts a program as a child of the caller, and follows it from its first instruction. The program is searched as
 * execvp(3) does, with the same errors: -ENOENT, -EACCES, ... The child inherits the caller's descriptors, directory,
 * environment and process group. launch NULL: the child also has the caller's standard descriptors. After
 * pprofil_session_pump has returned 1 the caller may wait for *pid with waitpid(2). */
int pprofil_session_launch(pprofil_session *session, char *const argv[], const struct pprofil_launch *launch,
                           pid_t *pid);

/* Attaches to all threads of a running process that may be traced, without stopping the threads. -ESRCH, -EPERM, ...:
 * none of its threads may be traced. */
int pprofil_session_attach(pprofil_session *session, pid_t pid);

/* Returns one line of text about the process of the last attach: which of its threads could not be traced, and why.
 * Returns "" if all threads could be traced. The session has no samples of the other threads, and does not follow their
 * children. */
const char *pprofil_session_untraced(const pprofil_session *session);

/* Attaches to several processes. Calls warn with one line of text for each process that may not be traced, and for each
 * process with threads that may not be traced. Returns 0 if it has attached to at least one process. Otherwise returns
 * the error of the last process: pprofil_session_problem then describes it, and warn was called only for the other
 * processes. An error that is not about one process, such as -EPIPE or -E2BIG, ends the call and is returned at
 * once. */
int pprofil_session_attach_all(pprofil_session *session, const pid_t *pids, unsigned count,
                               void (*warn)(void *context, const char *line), void *context);

/* Start and stop the sampling. A new session does not sample. */
int pprofil_session_start(pprofil_session *session);
int pprofil_session_stop(pprofil_session *session);
bool pprofil_session_sampling(const pprofil_session *session);

/* Sets all counts of the profile and of histograms to 0. A session that samples goes on sampling. */
int pprofil_session_clear(pprofil_session *session);

/* Waits up to timeout_ms (-1: without a limit) for events, and adds the events that have come to the profile. Call it
 * at least a few times a second: the supervisor's ring holds a few seconds of samples, and new samples are dropped
 * while it is full. It returns
 *
 *     0        the launched program, or at least one process that was attached to, is alive
 *     1        all of them have ended. Children that are followed may live on; pprofil_profile_process shows which
 *              processes are alive. Further calls do not wait, and still add the children's events.
 *     -EPIPE   the supervisor has died. The targets run on, and the profile stays.
 *     -EINTR   a signal came
 *
 * or another error. If a supervisor that samples has sent nothing for 10 s, the call requests an answer from it, and
 * waits about 10 s for that. Without an answer it kills the supervisor, and returns -EPIPE. */
int pprofil_session_pump(pprofil_session *session, int timeout_ms);

/* Returns a descriptor that poll(2) reports as readable when pprofil_session_pump would not wait. The session owns
 * it. */
int pprofil_session_fd(const pprofil_session *session);

/* Ends the sampling, detaches from all targets, and adds the last events to the profile. -EPIPE: the supervisor had
 * died before, and its last events are missing. -ETIMEDOUT: the supervisor did not answer for about 10 s, and was
 * killed. */
int pprofil_session_finish(pprofil_session *session);

/* Returns the profile so far. The session owns it. */
pprofil_profile *pprofil_session_profile(pprofil_session *session);
/* Returns the profile, which the caller owns from now on. Call this only after pprofil_session_finish. */
pprofil_profile *pprofil_session_take_profile(pprofil_session *session);

/* Returns the present sampling rate, Hz. It is lower than the requested rate if that would cost the targets more than
 * pprofil_options.overhead. */
double pprofil_session_rate(const pprofil_session *session);

/* Change the sampling rate, Hz, and whether sleeping threads are sampled (PPROFIL_WALL). -EINVAL: the rate is out of
 * range. */
int pprofil_session_set_rate(pprofil_session *session, double hz);
int pprofil_session_set_wall(pprofil_session *session, bool wall);

/* --- control from other processes -------------------------------------------------------- */

/*
 * Makes the session obey commands from other processes of the same user or of root: "start", "stop", "startclr" (clear
 * and start), "flush" and "status". Other processes reach the session by the process number of the caller or of a
 * target. They also reach it by path, where the session makes a socket with mode 0600; path NULL: there is no such
 * socket. pprofil_session_pump executes the commands. For "flush" it calls flush, which returns 0 or an error. flush
 * NULL: the session refuses this command. -EADDRINUSE: another session listens at path. -EEXIST: path is not a socket.
 */
int pprofil_session_control(pprofil_session *session, const char *path, int (*flush)(void *context), void *context);

/* Makes the session reachable by the process numbers of the targets that were added since pprofil_session_control. */
void pprofil_session_control_targets(pprofil_session *session);

/* Sends a command to the session at target, which is a path or a process number. Waits for the answer, a text that ends
 * with a newline. The answer to "status" has several lines. PPROFIL_ERROR_REFUSED: answer contains the reason. -ENOENT,
 * -ECONNREFUSED: there is no session. -EPERM: the session belongs to another user. */
int pprofil_control_send(const char *target, const char *command, char *answer, size_t size);

/* --- processes and threads ---------------------------------------------------------------- */

/* A thread of one of the session's processes, as /proc shows it now. */
struct pprofil_task {
    uint32_t pid, tid;
    char comm[32];
    char state;               /* R, S, D, ... of proc(5) */
    int32_t syscall;          /* number of the system call in which the thread sleeps; -1: none, or not known */
    const char *syscall_name; /* "" if syscall is -1 */
    uint64_t cpu_ns;          /* CPU time since the thread began */
    uint64_t id;              /* id of the thread's row BY_THREAD; 0: the profile does not have the thread yet */
    const char *name;         /* name of the thread's row BY_THREAD, valid as long as the profile; "": id is 0 */
};

/* Lists all threads that are alive, sorted by pid and tid. The caller frees the array with free(3). If there are more
 * than 64 threads, a call does not read /proc for all of them. It reads it for all running threads, and for an eighth
 * of the sleeping threads. So the system call of a sleeping thread may be up to 8 calls old. */
int pprofil_session_tasks(pprofil_session *session, struct pprofil_task **tasks, uint32_t *count);

/* A process of this machine that a session may be able to attach to. */
struct pprofil_candidate {
    uint32_t pid, ppid, uid, threads;
    uint64_t cpu_ns; /* CPU time since the process began */
    char user[32];
    char comm[32];
    char command[256]; /* its arguments, with spaces between them; "" for a kernel thread */
    char refused[160]; /* reason why it may not be attached to; "": it may */
};

/* Lists all processes except the caller and supervisors, sorted by pid. The caller frees the array with free(3). */
int pprofil_candidates(struct pprofil_candidate **candidates, uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
