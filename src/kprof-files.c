/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kpctl, a FIFO. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kprof.h"

/* Obeys one command. Returns the length of its word; 0: it is none. */
static size_t kprof_control_obey_one(struct kprof *kprof, const char *command)
{
    size_t length = 0;
    int error = -EINVAL;

    if (strncmp(command, "startclr", 8) == 0) {
        length = 8;
        error = pprofil_session_clear(kprof->session);
        if (error == 0 && !pprofil_session_sampling(kprof->session))
            error = pprofil_session_start(kprof->session);
    } else if (strncmp(command, "start", 5) == 0) {
        length = 5;
        error = pprofil_session_sampling(kprof->session) ? 0 : pprofil_session_start(kprof->session);
    } else if (strncmp(command, "stop", 4) == 0) {
        length = 4;
        error = pprofil_session_sampling(kprof->session) ? pprofil_session_stop(kprof->session) : 0;
    }
    if (error == -EINVAL)
        complain("kpctl: bad process or channel control request");
    else if (error != 0)
        complain("kpctl: %s", pprofil_session_problem(kprof->session));
    return length;
}

/* A FIFO does not tell writes apart: commands without a line's end run into each other. */
static void kprof_control_obey(struct kprof *kprof, const char *line)
{
    size_t length;

    do {
        length = kprof_control_obey_one(kprof, line);
        line += length;
    } while (length > 0 && (strncmp(line, "start", 5) == 0 || strncmp(line, "stop", 4) == 0));
}

/* A write is one request, or several lines of them. */
void kprof_control_read(struct kprof *kprof)
{
    char text[PIPE_BUF + 1];
    ssize_t got;

    while ((got = read(kprof->control_fd, text, PIPE_BUF)) > 0) {
        text[got] = '\0';
        for (char *line = text, *next; line != NULL && *line != '\0'; line = next) {
            next = strchr(line, '\n');
            if (next != NULL)
                *next++ = '\0';
            kprof_control_obey(kprof, line);
        }
    }
}

/* Opens the FIFO, and nothing that was put in its place. */
static int kprof_control_open(const struct kprof *kprof, int how)
{
    struct stat status;
    int fd = openat(kprof->directory_fd, KPROF_CONTROL, how | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
        return fd;
    close(fd);
    return -EEXIST;
}

int kprof_control_make(struct kprof *kprof)
{
    struct stat status;

    bool there = fstatat(kprof->directory_fd, KPROF_CONTROL, &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && S_ISSOCK(status.st_mode))
        unlinkat(kprof->directory_fd, KPROF_CONTROL, 0); /* what a guard has put there */
    if (there && S_ISFIFO(status.st_mode)) {
        int other = kprof_control_open(kprof, O_WRONLY);
        if (other >= 0) {
            close(other);
            return complain("%s: another pprofil serves it", kprof->control);
        }
        unlinkat(kprof->directory_fd, KPROF_CONTROL, 0); /* of one that was killed */
    }
    if (mkfifoat(kprof->directory_fd, KPROF_CONTROL, 0600) < 0)
        return complain("%s: cannot make it: %s", kprof->control, strerror(errno));
    /* our own writing end keeps it from ending when a writer goes */
    int fd = kprof_control_open(kprof, O_RDWR);
    if (fd < 0)
        return complain("%s: cannot open it: %s", kprof->control, strerror(-fd));
    kprof->control_fd = fd;
    return 0;
}
