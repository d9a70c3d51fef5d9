/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of pprofil kprof: kpctl, a FIFO for commands, and kpdata with the counts.
 *
 * kpdata must be complete and current whenever a reader opens it, but pprofil does not learn in advance that a reader
 * will open it. So pprofil holds a lease on kpdata (fcntl(2), "Leases"), which makes the reader's open(2) wait.
 * Meanwhile pprofil obeys the commands in kpctl, brings kpdata up to date, and gives up the lease. The next reader to
 * open kpdata gets another file, so that data do not change while they are read.
 */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kprof.h"

#define BUCKET_LOG 3 /* each cell of kpdata counts the samples in 2^BUCKET_LOG bytes of machine code */

/* --- kpctl ----------------------------------------------------------------------------------- */

/* Obeys the command at the beginning of a text. Returns the length of the command's name, or 0 if
 * the text begins with no known command. */
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

/* Obeys the commands of a line. If two commands are written to a FIFO one after the other, the
 * reader may get them in one line, without a separator. */
static void kprof_control_obey(struct kprof *kprof, const char *line)
{
    size_t length;

    do {
        length = kprof_control_obey_one(kprof, line);
        line += length;
    } while (length > 0 && (strncmp(line, "start", 5) == 0 || strncmp(line, "stop", 4) == 0));
}

/* Reads kpctl and obeys its commands. Each write to kpctl has one command, or several commands on
 * lines of their own. */
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

/* Opens the FIFO. Returns a descriptor, -EEXIST if the file of this name is no FIFO, or -errno. */
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
        unlinkat(kprof->directory_fd, KPROF_CONTROL, 0); /* a guard has put the socket there */
    if (there && S_ISFIFO(status.st_mode)) {
        int other = kprof_control_open(kprof, O_WRONLY);
        if (other >= 0) {
            close(other);
            return complain("%s: another pprofil serves it", kprof->control);
        }
        unlinkat(kprof->directory_fd, KPROF_CONTROL, 0); /* a server that was killed has left the FIFO there */
    }
    if (mkfifoat(kprof->directory_fd, KPROF_CONTROL, 0600) < 0)
        return complain("%s: cannot make it: %s", kprof->control, strerror(errno));
    /* pprofil has the FIFO open for writing, too, so that a read does not return the end of the
     * file when the last other writer has closed it */
    int fd = kprof_control_open(kprof, O_RDWR);
    if (fd < 0)
        return complain("%s: cannot open it: %s", kprof->control, strerror(-fd));
    kprof->control_fd = fd;
    return 0;
}

/* --- kpdata ---------------------------------------------------------------------------------- */

int kprof_data_write(const struct kprof *kprof, int fd)
{
    struct pprofil_histogram_state state = {0};
    uint32_t block[1024];
    size_t done = 0;

    pprofil_histogram_state(kprof->session, kprof->pid, &state, sizeof state);
    const uint32_t special[KPROF_SPECIAL_CELLS] = {
        (uint32_t)state.ticks,        (uint32_t)state.outside, (uint32_t)(1e6 / kprof->hz),
        (uint32_t)kprof->cell_count, KPROF_CELL,                    BUCKET_LOG};
    while (done < kprof->cell_count) {
        size_t count = 0;
        for (; count < sizeof block / KPROF_CELL && done + count < kprof->cell_count; count++)
            block[count] = htobe32(done + count < KPROF_SPECIAL_CELLS ? special[done + count]
                                                                      : kprof->cells[done + count]);
        ssize_t written = pwrite(fd, block, count * KPROF_CELL, (off_t)(done * KPROF_CELL));
        if (written != (ssize_t)(count * KPROF_CELL))
            return written < 0 ? -errno : -ENOSPC;
        done += count;
    }
    return 0;
}

/* Writes the counts to the file with the descriptor `fd` and the name `temporary`, and renames this
 * file to kpdata. If the file has a lease, `fd` stays open. Otherwise `fd` is closed. */
static int kprof_data_publish(struct kprof *kprof, int fd, const char *temporary)
{
    int place = kprof->directory_fd;
    int error = kprof_data_write(kprof, fd);

    if (error == 0 && fcntl(fd, F_SETLEASE, F_WRLCK) == 0)
        kprof->leased_fd = fd;
    if (error == 0 && renameat(place, temporary, place, KPROF_DATA) < 0)
        error = -errno;
    if (error != 0)
        unlinkat(place, temporary, 0);
    if (kprof->leased_fd != fd || error != 0) {
        close(fd);
        kprof->leased_fd = -1;
    }
    return error;
}

/* Replaces kpdata by a new file, with a lease on it if possible. The lease on the former file ends last, because a
 * reader that has waited for the end of this lease may open kpdata again immediately, and must find the new file. */
int kprof_data_replace(struct kprof *kprof)
{
    char temporary[32];
    int former_fd = kprof->leased_fd;

    kprof->leased_fd = -1;
    snprintf(temporary, sizeof temporary, ".kpdata-%d", (int)getpid());
    unlinkat(kprof->directory_fd, temporary, 0);
    int fd = openat(kprof->directory_fd, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int error = fd < 0 ? -errno : kprof_data_publish(kprof, fd, temporary);
    if (former_fd >= 0)
        close(former_fd);
    return error;
}

/* Writes kpdata.meta if the cells count system calls, because kpdata itself cannot show that. Otherwise removes the
 * file. kpdata.meta remains after the end of the server, as kpdata does. Returns 0 or -errno. */
int kprof_data_write_meta(const struct kprof *kprof)
{
    char text[128];

    unlinkat(kprof->directory_fd, KPROF_DATA ".meta", 0);
    if (!kprof->by_call)
        return 0;
    int fd = openat(kprof->directory_fd, KPROF_DATA ".meta", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int error = fd < 0 ? -errno : 0;
    int length = snprintf(text, sizeof text, "# what kpdata has no room for: pprofil-formats(5)\ncalls %zu\n",
                          kprof->cell_count);
    if (error == 0 && write(fd, text, (size_t)length) != length)
        error = -ENOSPC;
    if (fd >= 0)
        close(fd);
    return error;
}
