/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starting processes: the supervisor, which must be as if it were not there, and programs,
 * which must be as if we were not.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session-internal.h"

#define SUPERVISOR "pprofil-supervise"
#define MOST_ARGUMENTS 16

/* Where the supervisor is: named by the environment, beside an uninstalled program, or where
 * it was installed. */
static void find_supervisor(char path[PATH_MAX])
{
    const char *named = secure_getenv("PPROFIL_SUPERVISE");
    char self[PATH_MAX];

    if (named != NULL) {
        snprintf(path, PATH_MAX, "%s", named);
        return;
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    while (length > 0 && self[length - 1] != '/')
        length--;
    for (int up = 0; length > 0 && up < 2; up++) { /* libtool builds into .libs */
        if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, self, up ? "../" : "", SUPERVISOR) <
                PATH_MAX &&
            strncmp(self, BINDIR "/", strlen(BINDIR) + 1) != 0 && access(path, X_OK) == 0)
            return;
    }
    snprintf(path, PATH_MAX, "%s/%s", LIBEXECDIR, SUPERVISOR);
}

/* A fork whose end raises no SIGCHLD, and that wait calls do not see unless they ask for such
 * children: clone(2), "__WCLONE". */
static pid_t fork_quietly(void)
{
    return (pid_t)syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
}

static void keep_only(const int kept[], unsigned count)
{
    if (syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) < 0)
        for (int fd = 3; fd < 1024; fd++)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    for (unsigned i = 0; i < count; i++)
        fcntl(kept[i], F_SETFD, 0);
}

static void become_supervisor(const char *path, char *const argv[], const int kept[3],
                              int report)
{
    sigset_t none;

    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        dup2(null, fd);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    keep_only(kept, 3);
    execv(path, argv);
    int error = errno;
    ssize_t ignored = write(report, &error, sizeof error);
    (void)ignored;
    _exit(125);
}

/* Forks twice, so that init inherits the supervisor, and returns what execv said. */
static int spawn(const char *path, char *const argv[], const int kept[3])
{
    int report[2], error = 0;

    if (pipe2(report, O_CLOEXEC) < 0)
        return -errno;
    pid_t child = fork_quietly();
    if (child == 0) {
        if (fork_quietly() == 0)
            become_supervisor(path, argv, kept, report[1]);
        _exit(0);
    }
    close(report[1]);
    if (child < 0)
        error = EAGAIN;
    else
        while (waitpid(child, NULL, (int)__WCLONE) < 0 && errno == EINTR)
            ;
    if (child > 0 && read(report[0], &error, sizeof error) != (ssize_t)sizeof error)
        error = 0; /* closed by a successful exec */
    close(report[0]);
    return -error;
}

int session_spawn_supervisor(struct pprofil_session *session, int socket, int ring, int wake)
{
    const struct pprofil_options *options = &session->options;
    char path[PATH_MAX], numbers[6][48];
    char *argv[MOST_ARGUMENTS];
    unsigned count = 0;
    const int kept[3] = {socket, ring, wake};

    snprintf(numbers[0], sizeof numbers[0], "--frequency=%.17g", options->frequency);
    snprintf(numbers[1], sizeof numbers[1], "--overhead=%.9g", options->overhead / 100);
    snprintf(numbers[2], sizeof numbers[2], "--seed=%llu", (unsigned long long)options->seed);
    argv[count++] = (char *)SUPERVISOR;
    for (unsigned i = 0; i < 3; i++)
        argv[count++] = numbers[i];
    if (options->flags & PPROFIL_WALL)
        argv[count++] = (char *)"--wall";
    if (options->flags & PPROFIL_NO_FOLLOW)
        argv[count++] = (char *)"--no-follow";
    if (options->flags & PPROFIL_NO_INHERIT)
        argv[count++] = (char *)"--no-inherit";
    if (options->flags & PPROFIL_PARSE_MAPS)
        argv[count++] = (char *)"--parse-maps";
    for (unsigned i = 0; i < 3; i++) {
        snprintf(numbers[3 + i], sizeof numbers[3 + i], "%d", kept[i]);
        argv[count++] = numbers[3 + i];
    }
    argv[count] = NULL;
    find_supervisor(path);
    int error = spawn(path, argv, kept);
    if (error != 0)
        session_fail(session, error, "cannot start %s: %s; PPROFIL_SUPERVISE names another",
                     path, strerror(-error));
    return error;
}

/* --- programs ------------------------------------------------------------------------ */

/* The child's half: says that it may be seized, waits until it is, execs. */
static void become_program(char *const argv[], pid_t supervisor, int report, int go)
{
    int status = 0;
    char byte;

    prctl(PR_SET_PTRACER, (unsigned long)supervisor, 0, 0, 0); /* Yama's ptrace_scope 1 */
    ssize_t got = write(report, &status, sizeof status);
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

    next_word(report);
    int error = session_attach_root(session, &command);
    if (error != 0)
        return error;
    if (write(go, "", 1) != 1)
        return session_fail(session, -errno, "cannot start %s: %s", program, strerror(errno));
    int word = next_word(report);
    if (word > 0)
        return session_fail(session, -word, "%s: %s", program, strerror(word));
    return 0;
}

int pprofil_session_launch(pprofil_session *session, char *const argv[], pid_t *pid)
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
    pid_t child = fork();
    if (child == 0) {
        close(go[1]);
        become_program(argv, session->supervisor, report[1], go[0]);
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
