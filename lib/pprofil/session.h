/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * session.h: sessions, which sample processes. Each session starts a separate process, the supervisor. Only the
 * supervisor traces the sampled processes, which are called targets. The library receives events from the supervisor,
 * and adds them to the session's profile.
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
    PPROFIL_CALL_GRAPH = 1u << 4, /* record the stack of each sample */
    PPROFIL_WARY = 1u << 5,       /* for tests: behave as on kernels before 5.7, without CONFIG_SCHED_DEBUG */
    PPROFIL_NO_PYTHON = 1u << 6,  /* in stacks, show the native frames of Python interpreters, not the Python frames */
    /* with PPROFIL_WALL and PPROFIL_CALL_GRAPH: the stacks of sleeping threads show in which functions of the kernel
     * they sleep. Without CAP_SYS_ADMIN, pprofil_session_open returns -EPERM; with a kernel that has no
     * CONFIG_STACKTRACE, -ENOTSUP */
    PPROFIL_KERNEL = 1u << 7,
    PPROFIL_USAGE = 1u << 10,     /* find out what each process uses: pprofil_session_usage */
    PPROFIL_RESTLESS = 1u << 9,   /* for tests: the supervisor's threads take turns in tracing each thread */
};

#define PPROFIL_MIN_HZ 1.0
#define PPROFIL_MAX_HZ 50000.0
#define PPROFIL_MIN_STACK 1024u
#define PPROFIL_MAX_STACK (1u << 20)

struct pprofil_options {
    size_t size;             /* sizeof(struct pprofil_options) */
    double frequency;        /* requested samples per second of CPU time; 0: the default, 1000 */
    /* largest part of a target's CPU time that samples may take, in percent; 0: the default, 2 percent */
    double overhead;
    uint64_t seed;           /* seed of the random jitter between samples; 0: the seed comes from the clock */
    unsigned flags;          /* enum pprofil_flags */
    const char *events_path; /* path of a file that receives all events, in the format "events"; NULL: none */
    /* for PPROFIL_CALL_GRAPH: how many bytes of a stack a sample copies at most; 0: the default, PPROFIL_MAX_STACK.
     * Only the used part of a stack is copied. Less is copied if stacks of this size come too often */
    size_t stack_size;
};

/* Starts a session with its supervisor. `options` may be NULL. -EINVAL: an option is out of range. -ENOMEM: no memory.
 * Other errors: the supervisor could not be started. Even after an error, *session is a session: the caller reads the
 * reason with pprofil_session_problem, and then closes the session. Only after -ENOMEM, *session may be NULL. */
int pprofil_session_open(const struct pprofil_options *options, pprofil_session **session);

/* Detaches from all targets, and frees the session. Also frees the session's profile, unless the caller has taken it
 * with pprofil_session_take_profile. All targets run on, and a launched program is still the caller's child. `session`
 * may be NULL. */
void pprofil_session_close(pprofil_session *session);

/* Returns one line of text about the last call that failed: what went wrong, why, and what the user can do. Returns ""
 * if no call has failed. `session` may be NULL, which means that pprofil_session_open had no memory. */
const char *pprofil_session_problem(const pprofil_session *session);

/* Options of a launched program. The fields input and output have no defaults: 0 means descriptor 0. The caller's
 * descriptors stay open. */
struct pprofil_launch {
    size_t size;      /* sizeof(struct pprofil_launch) */
    int input;        /* the caller's descriptor that becomes the program's standard input */
    int output;       /* the caller's descriptor that becomes the program's standard output and standard error */
    bool new_session; /* call setsid(2) in the child, so that signals of the terminal do not reach it */
};

/* Starts a program as a child of the caller, and follows it from its first instruction. Searches for the program as
 * execvp(3) does, and returns the errors of execvp: -ENOENT, -EACCES, ... The child inherits the caller's descriptors,
 * directory, environment and process group. If `launch` is NULL, the child also inherits the caller's standard
 * descriptors. After pprofil_session_pump has returned 1, the caller may call waitpid(2) for *pid. */
int pprofil_session_launch(pprofil_session *session, char *const argv[], const struct pprofil_launch *launch,
                           pid_t *pid);

/* Attaches to a running process, without stopping its threads. Leaves out threads that may not be traced. -ESRCH,
 * -EPERM, ...: no thread of the process may be traced. */
int pprofil_session_attach(pprofil_session *session, pid_t pid);

/* Returns one line of text about the process of the last attach: which of its threads could not be traced, and why.
 * Returns "" if all threads could be traced. A thread that could not be traced has no samples, and its children are not
 * followed. */
const char *pprofil_session_untraced(const pprofil_session *session);

/* Attaches to several processes. Calls `warn` with one line of text for each process that may not be traced, and for
 * each process some of whose threads may not be traced. Returns 0 if at least one process could be attached to.
 * Otherwise returns the error of the last process. pprofil_session_problem describes this error, and `warn` was not
 * called for it. An error that is not about one process, such as -EPIPE or -E2BIG, is returned before further processes
 * are tried. */
int pprofil_session_attach_all(pprofil_session *session, const pid_t *pids, unsigned count,
                               void (*warn)(void *context, const char *line), void *context);

/* Returns one line of text about a part of the targets that the profile does not show as it should, such as the frames
 * of a Python interpreter whose memory cannot be understood. Returns "" if there is none. */
const char *pprofil_session_notice(const pprofil_session *session);

/* These two functions start and stop the sampling. A new session does not sample. */
int pprofil_session_start(pprofil_session *session);
int pprofil_session_stop(pprofil_session *session);
bool pprofil_session_sampling(const pprofil_session *session);

/* Sets all counts of the profile and of histograms to 0. If the session samples, the sampling goes on. */
int pprofil_session_clear(pprofil_session *session);

/* Waits up to timeout_ms (-1: without a limit) for events, and adds all events that the supervisor has sent to the
 * profile. The caller must call this function at least a few times a second, because the supervisor's ring holds only a
 * few seconds of samples. While the ring is full, new samples are dropped. Returns
 *
 *     0        the launched program, or at least one process that was attached to, is alive
 *     1        all these processes have ended. Their followed children may live on; pprofil_profile_process shows which
 *              processes are alive. Further calls do not wait, and still add the children's events.
 *     -EPIPE   the supervisor has died. The targets run on, and the profile stays.
 *     -EINTR   a signal came
 *
 * or another error. If the supervisor samples and has sent nothing for 10 s, this function requests an answer from the
 * supervisor, and waits about 10 s for the answer. If no answer comes, kills the supervisor and returns -EPIPE. */
int pprofil_session_pump(pprofil_session *session, int timeout_ms);

/* Returns a descriptor that poll(2) reports as readable when pprofil_session_pump has something to read. The session
 * owns the descriptor. */
int pprofil_session_fd(const pprofil_session *session);

/* Ends the sampling, detaches from all targets, and adds the last events to the profile. -EPIPE: the supervisor died
 * before this function was called, and its last events are missing. -ETIMEDOUT: the supervisor did not answer for about
 * 10 s, and was killed. */
int pprofil_session_finish(pprofil_session *session);

/* Ends a period of a long run: *ended becomes a profile of all that was sampled since the session began, or since the
 * last period ended. The caller closes it, and may use it in another thread or process while the session goes on. The
 * session's profile goes on without these samples. Each sample is in one period. 0; -EINVAL: the session counts by the
 * rules of a dialect; or an error of pprofil_session_pump, after which the session can only be finished. */
int pprofil_session_end_period(pprofil_session *session, pprofil_profile **ended);

/* Called in a child process that the caller has made with fork(2): closes the child's copies of the session's
 * descriptors, so that the session ends with the caller. The child may still use profiles, but not the session. */
void pprofil_session_leave(pprofil_session *session);

/* Returns the profile with all samples so far. The session owns the profile. */
pprofil_profile *pprofil_session_profile(pprofil_session *session);
/* Returns the profile, and makes the caller its owner. The caller calls this function only after
 * pprofil_session_finish. */
pprofil_profile *pprofil_session_take_profile(pprofil_session *session);

/* Returns the present sampling rate, Hz. This rate is lower than the requested rate if the requested rate would cost
 * the targets more CPU time than pprofil_options.overhead allows. */
double pprofil_session_rate(const pprofil_session *session);

/* The first function changes the sampling rate, Hz. The second function changes whether sleeping threads are sampled
 * (PPROFIL_WALL). -EINVAL: the rate is out of range. */
int pprofil_session_set_rate(pprofil_session *session, double hz);
int pprofil_session_set_wall(pprofil_session *session, bool wall);

/* --- control from other processes -------------------------------------------------------- */

/*
 * Makes the session obey commands from other processes of the same user or of root. The commands are "start", "stop",
 * "startclr" (clear and start), "flush" and "status"; pprofil_session_pump executes them. Other processes address the
 * session by the pid of the caller, by the pid of a target, or by `path`. At `path` the session makes a socket with
 * mode 0600. If `path` is NULL, it makes no such socket. For the command "flush", the session calls the caller's
 * function `flush`, which returns 0 or an error. If `flush` is NULL, the session refuses the command. -EADDRINUSE:
 * another session listens at `path`. -EEXIST: `path` is a file that is not a socket.
 */
int pprofil_session_control(pprofil_session *session, const char *path, int (*flush)(void *context), void *context);

/* Makes the session reachable by the pids of all targets that were added after the call of pprofil_session_control. */
void pprofil_session_control_targets(pprofil_session *session);

/* Sends a command to a session, and stores the answer, which is a text that ends with a newline. `target` is a path or
 * a pid. The answer to "status" has several lines. PPROFIL_ERROR_REFUSED: `answer` contains the reason. -ENOENT,
 * -ECONNREFUSED: there is no session. -EPERM: the session belongs to another user. */
int pprofil_control_send(const char *target, const char *command, char *answer, size_t size);

/* --- processes and threads ---------------------------------------------------------------- */

/* A thread of one of the session's processes, as /proc shows it now. */
struct pprofil_task {
    uint32_t pid, tid;
    char comm[32];
    char state;               /* R, S, D, ... of proc(5) */
    int32_t syscall;          /* number of the system call in which the thread sleeps; -1: none or not known */
    const char *syscall_name; /* "" if syscall is -1 */
    uint64_t cpu_ns;          /* CPU time since the thread began */
    uint64_t id;              /* id of the thread's row in reports by thread; 0: not in the profile yet */
    const char *name;         /* name of that row, valid as long as the profile; "" if id is 0 */
};

/* Lists all threads that are alive, sorted by pid and tid. The caller frees the array with free(3). If the previous
 * call of this function found more than 64 threads, this call does not read /proc for all of them. It reads /proc for
 * all threads that have run since the previous call, and for an eighth of the threads that sleep. So the system call of
 * a sleeping thread may be up to 8 calls old. */
int pprofil_session_tasks(pprofil_session *session, struct pprofil_task **tasks, uint32_t *count);

#define PPROFIL_UNKNOWN UINT64_MAX /* value of a figure that is not known */

/* What a process has used from its beginning until its end, or until the session detached from it. If the session
 * attached to the process, only what it used since then; if it launched the process, since its exec. An exec does not
 * begin another process. */
struct pprofil_usage {
    uint32_t pid, ppid; /* ppid: pid of the parent at the end; 0: not known */
    int32_t status;     /* as in struct pprofil_process */
    uint32_t threads;   /* how many threads the process has had, its first one included; 0: not known */
    char comm[16];
    /* each of the rest may be PPROFIL_UNKNOWN: */
    uint64_t cpu_ns, user_ns, system_ns;
    uint64_t run_delay_ns; /* time for which its threads waited for a CPU */
    uint64_t voluntary_switches, involuntary_switches;
    uint64_t minor_faults, major_faults;
    uint64_t max_rss;      /* maximum resident set size, bytes */
    /* calls that read and write, and the bytes that they have moved, from or to files of any kind */
    uint64_t read_calls, write_calls, read_bytes, written_bytes;
    uint64_t storage_read_bytes, storage_written_bytes; /* what had to be read from storage, or goes to it */
};

/* Lists the processes that have ended so far, in the order of their ends; after pprofil_session_finish, also those that
 * the session has detached from. The list is empty without PPROFIL_USAGE. The caller frees the array with free(3). */
int pprofil_session_usage(const pprofil_session *session, struct pprofil_usage **usages, uint32_t *count);

/* A process of this machine that a session may be able to attach to. */
struct pprofil_candidate {
    uint32_t pid, ppid, uid, threads;
    uint64_t cpu_ns; /* CPU time since the process began */
    char user[32];
    char comm[32];
    char command[256]; /* arguments of the process, separated by spaces; "" for a kernel thread */
    char refused[160]; /* reason why the caller may not attach to the process; "": the caller may */
};

/* Lists all processes of this machine except the caller and the supervisors of sessions, sorted by pid. The caller
 * frees the array with free(3). */
int pprofil_candidates(struct pprofil_candidate **candidates, uint32_t *count);

/* Describes one process, which may also be the caller or a supervisor. -ESRCH: there is no such process. */
int pprofil_candidate_of(pid_t pid, struct pprofil_candidate *candidate, size_t size);

#ifdef __cplusplus
}
#endif

#endif
