/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting the supervisor, in a caller that must not notice. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawn.h"

#define MOST_DESCRIPTORS 1024 /* on kernels that cannot close all at once */

/* A fork whose end raises no SIGCHLD, and that wait calls do not see unless they ask for such
 * children: clone(2), "__WCLONE". */
static pid_t fork_quietly(void)
{
    return (pid_t)syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
}

static void close_at_exec(void)
{
    if (syscall(SYS_close_range, 0u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) < 0)
        for (int fd = 0; fd < MOST_DESCRIPTORS; fd++)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* None of the caller's, for whoever reads from its pipes waits for the last writer. */
static void keep_only(const int kept[], unsigned count)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd < 3 && null >= 0; fd++)
        if (fd != null)
            dup2(null, fd);
    close_at_exec();
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        fcntl(fd, F_SETFD, 0);
    for (unsigned i = 0; i < count; i++)
        fcntl(kept[i], F_SETFD, 0);
}

static void reap(pid_t child)
{
    while (waitpid(child, NULL, (int)__WALL) < 0 && errno == EINTR)
        ;
}

/* To be the supervisor's parent where its orphan would be the caller's: a child that execs is an
 * ordinary one (de_thread() in fs/exec.c), and only one that does not stays unseen. */
static void be_parent_of(pid_t supervisor)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    if (syscall(SYS_close_range, 0u, ~0u, 0u) < 0)
        for (int fd = 0; fd < MOST_DESCRIPTORS; fd++)
            close(fd);
    reap(supervisor);
}

static void become_supervisor(const char *path, char *const argv[], const int kept[],
                              unsigned count, int report)
{
    sigset_t none;

    keep_only(kept, count);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(path, argv);
    int error = errno;
    ssize_t ignored = write(report, &error, sizeof error);
    (void)ignored;
    _exit(125);
}

int spawn_above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    return above < 0 ? -error : above;
}

/* An orphan becomes a child of the nearest reaper. Where that is the caller its wait calls
 * would find the supervisor, so it is none for a moment. */
static bool stop_reaping(void)
{
    int reaper = 0;

    return prctl(PR_GET_CHILD_SUBREAPER, (unsigned long)&reaper, 0, 0, 0) == 0 && reaper != 0 &&
           prctl(PR_SET_CHILD_SUBREAPER, 0ul, 0, 0, 0) == 0;
}

/* All but the parent's part. */
static void be_child(const char *path, char *const argv[], const int kept[], unsigned count,
                     int report, bool stay)
{
    pid_t supervisor = fork_quietly();

    if (supervisor == 0)
        become_supervisor(path, argv, kept, count, report);
    if (supervisor < 0) {
        int error = errno;
        ssize_t ignored = write(report, &error, sizeof error);
        (void)ignored;
    } else if (stay) {
        be_parent_of(supervisor);
    }
    _exit(0);
}

int spawn_quietly(const char *path, char *const argv[], const int kept[], unsigned count)
{
    static pid_t former; /* one that stayed */
    int report[2], error = 0;
    bool init = getpid() == 1; /* all orphans are its children */

    if (former > 0 && waitpid(former, NULL, (int)__WCLONE | WNOHANG) != 0)
        former = 0;
    if (pipe2(report, O_CLOEXEC) < 0)
        return -errno;
    report[1] = spawn_above_standard(report[1]);
    bool reaper = !init && stop_reaping();
    pid_t child = fork_quietly();
    if (child == 0)
        be_child(path, argv, kept, count, report[1], init);
    close(report[1]);
    if (child < 0)
        error = EAGAIN;
    else if (read(report[0], &error, sizeof error) != (ssize_t)sizeof error)
        error = 0; /* closed by a successful exec */
    close(report[0]);
    if (child > 0 && (!init || error != 0))
        reap(child);
    else if (child > 0)
        former = child;
    if (reaper)
        prctl(PR_SET_CHILD_SUBREAPER, 1ul, 0, 0, 0);
    return -error;
}
