/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The targets of a session: attaches to processes, and launches programs. A launched program must run as if its user
 * had started it without pprofil.
 *
 * The caller may attach to several processes in one call, and each may have several threads. Processes and threads that
 * cannot be traced are left out, and the caller gets a warning. There is an error only if nothing can be traced.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/spawn.h"
#include "session/session.h"

/* Makes the supervisor attach to command->pid, and adds the process to session->roots. Returns 0 or an error.
 * After an error, session->problem tells the reason. */
static int targets_attach(struct pprofil_session *session, const struct wire_message *command)
{
    session->untraced[0] = '\0';
    if (session->root_count == SESSION_ROOTS_MAX)
        return session_fail(session, -E2BIG, "at most %d processes at once", SESSION_ROOTS_MAX);
    /* the process is added before the command is sent, because it may end soon, and the event of its end may be read
     * before the answer */
    session->roots[session->root_count++] = command->pid;
    int error = session_command(session, command);
    if (error != 0) {
        session->root_count--;
        bool named = session->answered && session->reply.pid > 0;
        ptrace_denied_explain(named ? session->reply.pid : command->pid, error,
                              (command->flags & WIRE_ATTACH_LAUNCHED) != 0, session->problem, sizeof session->problem);
    } else if (session->reply.flags > 0) {
        ptrace_denied_threads(command->pid, session->supervisor, session->reply.flags,
                              session->untraced, sizeof session->untraced);
    }
    return error;
}

int pprofil_session_attach(pprofil_session *session, pid_t pid)
{
    struct wire_message command = {.op = WIRE_OP_ATTACH, .pid = pid};
    return targets_attach(session, &command);
}

const char *pprofil_session_untraced(const pprofil_session *session)
{
    return session->untraced;
}

/* Returns true if the error concerns only one process. Any other error would occur again with the next process. */
static bool is_refusal(int error)
{
    return error == -EPERM || error == -EACCES || error == -ESRCH || error == -EBUSY;
}

int pprofil_session_attach_all(pprofil_session *session, const pid_t *pids, unsigned count,
                               void (*warn)(void *context, const char *line), void *context)
{
    unsigned attached = 0;
    int error = 0;

    for (unsigned i = 0; i < count; i++) {
        /* warns about the previous process; if no process can be traced, the problem of the last one becomes the
         * error */
        if (error != 0)
            warn(context, session->problem);
        error = pprofil_session_attach(session, pids[i]);
        if (error != 0 && !is_refusal(error))
            return error;
        attached += error == 0;
        if (session->untraced[0] != '\0')
            warn(context, session->untraced);
    }
    if (error != 0 && attached > 0)
        warn(context, session->problem);
    return attached > 0 ? 0 : error;
}

/* --- programs ------------------------------------------------------------------------ */

/* Sets the standard descriptors of the child. First copies all three descriptors to numbers above 2, so that no dup2
 * overwrites a descriptor that is still needed. The exec then closes the copies, and also the descriptors that the
 * caller had given. Returns 0 or a negative errno. */
static int redirect_program(const struct pprofil_launch *launch, int *report, int *go)
{
    int from[3] = {launch->input, launch->output, launch->output};

    *report = spawn_above_standard(*report);
    *go = spawn_above_standard(*go);
    for (int fd = 0; fd < 3; fd++) {
        int given = from[fd];
        from[fd] = fcntl(given, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (from[fd] < 0)
            return -errno;
        if (given > STDERR_FILENO)
            fcntl(given, F_SETFD, FD_CLOEXEC);
    }
    for (int fd = 0; fd < 3; fd++)
        if (dup2(from[fd], fd) < 0)
            return -errno;
    if (launch->new_session && setsid() < 0)
        return -errno;
    return *report < 0 || *go < 0 ? -EMFILE : 0;
}

/* Resets the signal handlers of the child. Until its exec, a child has the handlers of its parent. A signal to the
 * child would run such a handler, which might, for example, write to a pipe that both processes have. Also, the signal
 * would not end the child. */
static void drop_handlers(void)
{
    struct sigaction none = {.sa_handler = SIG_DFL}, old;

    for (int signal = 1; signal <= SIGRTMAX; signal++)
        if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN && old.sa_handler != SIG_DFL)
            sigaction(signal, &none, NULL);
}

/* Forks, and keeps all signals blocked until the child has reset its handlers. Returns the result of fork(2). */
static pid_t fork_without_handlers(void)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    int error = errno;
    if (child == 0)
        drop_handlers();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return child;
}

/* This function runs in the child. `report` and `go` are descriptors of pipes. Writes to `report` when the supervisor
 * may attach, waits for a byte from `go`, and then executes the program. `launch` may be NULL. */
static void become_program(char *const argv[], const struct pprofil_launch *launch,
                           pid_t supervisor, int report, int go)
{
    int status = launch != NULL ? -redirect_program(launch, &report, &go) : 0;
    char byte;

    /* allows the supervisor to trace this process; this is needed if Yama's ptrace_scope is 1 */
    prctl(PR_SET_PTRACER, (unsigned long)supervisor, 0, 0, 0);
    ssize_t got = write(report, &status, sizeof status);
    if (status != 0)
        _exit(125);
    do
        got = read(go, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        _exit(125);
    execvp(argv[0], argv);
    status = errno;
    got = write(report, &status, sizeof status);
    _exit(status == ENOENT ? 127 : 126);
}

/* Reads what the child reports next, and returns it: 0 if the child is ready, or an errno if redirecting or exec has
 * failed. Returns -1 if the pipe was closed, which means that exec has succeeded. */
static int read_report(int report)
{
    int reported;
    ssize_t got;

    do
        got = read(report, &reported, sizeof reported);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof reported ? reported : -1;
}

static int launch_seized(struct pprofil_session *session, pid_t child, const char *program, int report, int go)
{
    struct wire_message command = {
        .op = WIRE_OP_ATTACH, .pid = child, .flags = WIRE_ATTACH_LAUNCHED};

    int reported = read_report(report);
    if (reported > 0)
        return session_fail(session, -reported, "cannot redirect %s: %s", program, strerror(reported));
    int error = targets_attach(session, &command);
    if (error != 0)
        return error;
    if (write(go, "", 1) != 1)
        return session_fail(session, -errno, "cannot start %s: %s", program, strerror(errno));
    reported = read_report(report);
    if (reported > 0)
        return session_fail(session, -reported, "%s: %s", program, strerror(reported));
    return 0;
}

/* Forks a child, and launches the program in the child. If `how` is NULL, the child keeps all descriptors of the
 * caller. */
static int launch_program(struct pprofil_session *session, char *const argv[],
                  const struct pprofil_launch *how, pid_t *pid)
{
    int report[2], go[2];

    if (pipe2(report, O_CLOEXEC) < 0)
        return session_fail(session, -errno, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(go, O_CLOEXEC) < 0) {
        int error = -errno;
        close(report[0]);
        close(report[1]);
        return session_fail(session, error, "cannot make a pipe: %s", strerror(-error));
    }
    pid_t child = fork_without_handlers();
    if (child == 0) {
        close(go[1]);
        become_program(argv, how, session->supervisor, report[1], go[0]);
    }
    close(report[1]);
    close(go[0]);
    int error = child < 0 ? session_fail(session, -errno, "cannot fork: %s", strerror(errno))
                          : launch_seized(session, child, argv[0], report[0], go[1]);
    close(report[0]);
    close(go[1]);
    if (error != 0 && child > 0) {
        kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
        return error;
    }
    *pid = child;
    return error;
}

int pprofil_session_launch(pprofil_session *session, char *const argv[], const struct pprofil_launch *given, pid_t *pid)
{
    struct pprofil_launch how = {.input = STDIN_FILENO, .output = STDOUT_FILENO};

    if (given != NULL)
        memcpy(&how, given, given->size < sizeof how ? given->size : sizeof how);
    return launch_program(session, argv, given != NULL ? &how : NULL, pid);
}
