/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting processes: the supervisor, and programs, which must be as if we were not there. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/spawn.h"
#include "session/session.h"

#define ARGUMENTS_MAX 16
#define ARGUMENT_SIZE 48

/* Adds to the problem why it is not the one that the caller may think of. */
static void say_passed_over(struct pprofil_session *session, const struct spawn_supervisor *found)
{
    size_t used = strlen(session->problem);

    if (found->passed_over[0] != '\0')
        snprintf(session->problem + used, sizeof session->problem - used,
                 "; %s is not taken, for others may have put it there", found->passed_over);
}

/* *fd is -1 where nobody asked for a log. 0 or -errno. */
static int open_debug_log(struct pprofil_session *session, int *fd)
{
    int error = spawn_open_debug_log(fd);

    return error == 0 ? 0
                      : session_fail(session, error, "PPROFIL_DEBUG=%s: %s", getenv("PPROFIL_DEBUG"), strerror(-error));
}

struct arguments {
    char texts[ARGUMENTS_MAX][ARGUMENT_SIZE];
    char *all[ARGUMENTS_MAX + 1]; /* NULL comes last */
    unsigned count;
};

static void add_argument(struct arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_argument(struct arguments *arguments, const char *format, ...)
{
    char *text = arguments->texts[arguments->count];
    va_list values;

    va_start(values, format);
    vsnprintf(text, ARGUMENT_SIZE, format, values);
    va_end(values);
    arguments->all[arguments->count++] = text;
}

/* kept: socket, ring, wake, and the debug log or -1. */
static void make_arguments(const struct pprofil_options *options, const int kept[4],
                           struct arguments *arguments)
{
    static const struct {
        unsigned flag;
        const char *argument;
    } flags[] = {{PPROFIL_WALL, "--wall"},             {PPROFIL_NO_FOLLOW, "--no-follow"},
                 {PPROFIL_NO_INHERIT, "--no-inherit"}, {PPROFIL_PARSE_MAPS, "--parse-maps"},
                 {PPROFIL_RESTLESS, "--restless"},     {PPROFIL_WARY, "--wary"}};

    add_argument(arguments, "%s", SPAWN_SUPERVISOR);
    add_argument(arguments, "--frequency=%.17g", options->frequency);
    add_argument(arguments, "--overhead=%.9g", options->overhead / 100);
    add_argument(arguments, "--seed=%llu", (unsigned long long)options->seed);
    add_argument(arguments, "--stack-size=%zu", options->stack_size);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if ((options->flags & flags[i].flag) != 0)
            add_argument(arguments, "%s", flags[i].argument);
    if (kept[3] >= 0)
        add_argument(arguments, "--debug=%d", kept[3]);
    for (unsigned i = 0; i < 3; i++)
        add_argument(arguments, "%d", kept[i]);
}

int session_spawn_supervisor(struct pprofil_session *session, int socket, int ring, int wake)
{
    struct arguments arguments = {.count = 0};
    struct spawn_supervisor found;
    int kept[4] = {socket, ring, wake};
    int error = open_debug_log(session, &kept[3]);

    if (error != 0)
        return error;
    make_arguments(&session->options, kept, &arguments);
    spawn_find_supervisor(true, &found);
    error = spawn_quietly(found.path, arguments.all, kept, kept[3] >= 0 ? 4 : 3);
    if (kept[3] >= 0)
        close(kept[3]);
    if (error == 0)
        return 0;
    session_fail(session, error, "cannot start %s: %s; %s", found.path, strerror(-error),
                 error == -EMFILE   ? "raise the limit (ulimit -n)"
                 : error == -EAGAIN ? "raise the limit of processes (ulimit -u)"
                                    : "PPROFIL_SUPERVISE names another");
    say_passed_over(session, &found);
    return error;
}

int session_await_hello(struct pprofil_session *session)
{
    struct wire_message none = {0};
    struct spawn_supervisor found;
    const char *path = found.path;
    int error = session_command(session, &none);

    session->supervisor = session->reply.pid;
    spawn_find_supervisor(true, &found);
    if (session->answered && session->reply.value != WIRE_VERSION)
        error = session_fail(session, -EPROTO,
                             "%s is of another build: it speaks protocol %llu, and we speak %u",
                             path, (unsigned long long)session->reply.value, WIRE_VERSION);
    else if (error == -EPIPE)
        session_fail(session, error,
                     "%s said nothing that we understand: it is of another build, or cannot run "
                     "here", path);
    else if (error != 0)
        session_fail(session, error, "%s did not start: %s", path, strerror(-error));
    if (error != 0)
        say_passed_over(session, &found);
    return error;
}

/* --- programs ------------------------------------------------------------------------ */

/* Puts the standard descriptors in their places. First all are copied above these, where none can be
 * overwritten before its turn; the caller's numbers, and the copies, end with the exec. */
static int redirect(const struct pprofil_launch *launch, int *report, int *go)
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

/* Until it execs a child has the caller's handlers, which would take a signal for the caller's and
 * keep the child from being killed by it; they may write to pipes that both have. */
static void drop_handlers(void)
{
    struct sigaction none = {.sa_handler = SIG_DFL}, old;

    for (int signal = 1; signal <= SIGRTMAX; signal++)
        if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN &&
            old.sa_handler != SIG_DFL)
            sigaction(signal, &none, NULL);
}

/* Not even a signal that comes at once meets a handler in the child. */
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

/* The child's half: says that it may be seized, waits until it is, execs. launch may be NULL. */
static void become_program(char *const argv[], const struct pprofil_launch *launch,
                           pid_t supervisor, int report, int go)
{
    int status = launch != NULL ? -redirect(launch, &report, &go) : 0;
    char byte;

    prctl(PR_SET_PTRACER, (unsigned long)supervisor, 0, 0, 0); /* Yama's ptrace_scope 1 */
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

/* The child's next word: 0 for "ready", an errno from exec; -1 where it said nothing more,
 * because it is another program now. */
static int next_word(int report)
{
    int word;
    ssize_t got;

    do
        got = read(report, &word, sizeof word);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof word ? word : -1;
}

static int launch_seized(struct pprofil_session *session, pid_t child, const char *program,
                         int report, int go)
{
    struct wire_message command = {
        .op = WIRE_OP_ATTACH, .pid = child, .flags = WIRE_ATTACH_LAUNCHED};

    int word = next_word(report);
    if (word > 0)
        return session_fail(session, -word, "cannot redirect %s: %s", program, strerror(word));
    int error = session_attach_root(session, &command);
    if (error != 0)
        return error;
    if (write(go, "", 1) != 1)
        return session_fail(session, -errno, "cannot start %s: %s", program, strerror(errno));
    word = next_word(report);
    if (word > 0)
        return session_fail(session, -word, "%s: %s", program, strerror(word));
    return 0;
}

/* launch NULL: all descriptors are the caller's. */
static int launch(struct pprofil_session *session, char *const argv[],
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

int pprofil_session_launch(pprofil_session *session, char *const argv[], const struct pprofil_launch *given,
                           pid_t *pid)
{
    struct pprofil_launch how = {.input = STDIN_FILENO, .output = STDOUT_FILENO};

    if (given != NULL)
        memcpy(&how, given, given->size < sizeof how ? given->size : sizeof how);
    return launch(session, argv, given != NULL ? &how : NULL, pid);
}
