/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting the supervisor, in a caller that must not notice. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawn.h"

void spawn_find_supervisor(bool beside, char path[PATH_MAX])
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
    for (int up = 0; beside && length > 0 && up < 2; up++) { /* libtool builds into .libs */
        if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, self, up ? "../" : "",
                     SPAWN_SUPERVISOR) < PATH_MAX &&
            strncmp(self, BINDIR "/", strlen(BINDIR) + 1) != 0 && access(path, X_OK) == 0)
            return;
    }
    snprintf(path, PATH_MAX, "%s/%s", LIBEXECDIR, SPAWN_SUPERVISOR);
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

static void become_supervisor(const char *path, char *const argv[], const int kept[],
                              unsigned count, int report)
{
    sigset_t none;

    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        dup2(null, fd);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    keep_only(kept, count);
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

int spawn_quietly(const char *path, char *const argv[], const int kept[], unsigned count)
{
    int report[2], error = 0;

    if (pipe2(report, O_CLOEXEC) < 0)
        return -errno;
    report[1] = spawn_above_standard(report[1]);
    pid_t child = fork_quietly();
    if (child == 0) {
        if (fork_quietly() == 0)
            become_supervisor(path, argv, kept, count, report[1]);
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
