/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kpdata must be whole and up to date whenever it is opened, though nobody tells us that it will be: we hold a lease on
 * it, so an open waits until we have obeyed what was written to kpctl before, brought the file up to date and let go
 * (fcntl(2), "Leases"). The next one to open it gets another file, so nobody's data change while they are read.
 */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "kprof.h"

#define BUCKET_LOG 3 /* of the bytes of text of a bucket */

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

/* Fills the file under the temporary name, of which fd is, and renames it to kpdata. Keeps fd if it has a lease. */
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

/* Puts a new kpdata in the place of the one there is, with a lease on it if that can be had. The lease on the former
 * one ends afterwards: a reader that waits for that may open kpdata again at once, and must find the new one. */
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

/* kpdata has no room to say that its cells are of calls. It stays when we end, as kpdata does. 0 or -errno. */
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
