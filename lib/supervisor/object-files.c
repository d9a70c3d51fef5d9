/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files behind mappings, opened where the target sees them: through /proc/PID/map_files (any
 * file, deleted ones too, but only for the privileged), /proc/PID/exe (the program, deleted or
 * not), or /proc/PID/root and the path.
 *
 * Names of code made at run time are in a jitdump, which its process maps to show it, or in
 * /tmp/perf-PID.map. Either may be made long after the first code runs, so it is looked for as
 * long as the process lives, and once more when it has ended. A map may be left over from another
 * process with this pid: it is taken if it was written since this one began.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/supervisor.h"

#define VDSO_MOST 65536u        /* bytes; it has two or three pages */
#define SECOND UINT64_C(1000000000)
#define FIRST_PAUSE (SECOND / 100) /* between looks for a JIT's names; doubled up to LAST_PAUSE */
#define LAST_PAUSE SECOND
#define SLACK (SECOND / 10) /* of the kernel's times, which go in ticks */

/* Opens a path for reading if it is the file that is wanted. A FIFO or a device in its place
 * is never opened. */
static int open_if_same(const char *path, const struct object_request *wanted)
{
    struct stat status;
    char through[64];
    int fd = -1, place = open(path, O_PATH | O_CLOEXEC);

    if (place < 0)
        return -1;
    /* the device may differ: overlay and btrfs show another one in maps than in stat */
    if (fstat(place, &status) == 0 && S_ISREG(status.st_mode) &&
        (wanted->inode == OBJECT_JIT_NAMES || status.st_ino == wanted->inode)) {
        snprintf(through, sizeof through, "/proc/self/fd/%d", place);
        fd = open(through, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    }
    close(place);
    return fd;
}

static int open_mapped(const struct object_request *wanted)
{
    char path[sizeof wanted->path + 64];

    snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", wanted->pid,
             (unsigned long)wanted->start, (unsigned long)wanted->end);
    int fd = open_if_same(path, wanted);
    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/exe", wanted->pid);
        fd = open_if_same(path, wanted);
    }
    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/root%s", wanted->pid, wanted->path);
        fd = open_if_same(path, wanted);
    }
    return fd < 0 ? open_if_same(wanted->path, wanted) : fd;
}

/* --- a JIT's names --------------------------------------------------------------------- */

/* A mapping's inode and path, from a line of maps, if it is of a jitdump of this process. */
static bool is_jitdump(char *line, long inner, struct object_request *dump)
{
    char base[48];
    unsigned long start, end;
    unsigned long long inode;
    int at = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%lx-%lx %*s %*s %*s %llu %n", &start, &end, &inode, &at) < 3 || at == 0)
        return false;
    snprintf(base, sizeof base, "/jit-%ld.dump", inner);
    const char *found = strstr(line + at, base);
    if (found == NULL || (found[strlen(base)] != '\0' && found[strlen(base)] != ' '))
        return false;
    dump->start = start;
    dump->end = end;
    dump->inode = inode;
    snprintf(dump->path, sizeof dump->path, "%s", line + at);
    return true;
}

static int open_jitdump(pid_t pid, long inner)
{
    struct object_request dump = {.pid = pid};
    char path[32], line[1024];
    bool found = false;

    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    if (maps == NULL)
        return -1;
    while (!found && fgets(line, sizeof line, maps) != NULL)
        found = is_jitdump(line, inner, &dump);
    fclose(maps);
    return found ? open_mapped(&dump) : -1;
}

static uint64_t nanoseconds(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

/* CLOCK_REALTIME ns; 0: it is gone. */
static uint64_t process_began(pid_t pid)
{
    struct timespec now, up;
    uint64_t ticks = procfs_began(pid);

    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    return ticks == 0 ? 0
                      : nanoseconds(&now) - nanoseconds(&up) +
                            ticks * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Opens a map, if it was written since its process began. */
static int open_written_since(const char *path, const struct object_request *wanted)
{
    struct stat status;
    int fd = open_if_same(path, wanted);

    if (fd < 0 || (fstat(fd, &status) == 0 && nanoseconds(&status.st_mtim) + SLACK >= wanted->began))
        return fd;
    close(fd);
    return -1;
}

static int open_jit_names(struct object_request *wanted)
{
    char path[sizeof wanted->path + 32];
    uint64_t began = process_began(wanted->pid);
    if (wanted->began == 0)
        wanted->began = began;
    uint64_t apart = began > wanted->began ? began - wanted->began : wanted->began - began;

    wanted->due = 0;
    if (wanted->began == 0 || apart > SLACK) /* it has ended */
        return wanted->path[0] == '\0' ? -1 : open_written_since(wanted->path, wanted);
    long inner = procfs_status_number(wanted->pid, "NSpid:");
    if (inner <= 0)
        inner = wanted->pid;
    snprintf(wanted->path, sizeof wanted->path, "/tmp/perf-%ld.map", inner);
    snprintf(path, sizeof path, "/proc/%d/root%s", wanted->pid, wanted->path);
    int fd = open_jitdump(wanted->pid, inner);
    if (fd < 0)
        fd = open_written_since(path, wanted);
    if (fd >= 0)
        return fd;
    wanted->pause = wanted->pause == 0 ? FIRST_PAUSE : wanted->pause * 2;
    if (wanted->pause > LAST_PAUSE)
        wanted->pause = LAST_PAUSE;
    wanted->due = time_now() + wanted->pause;
    return -1;
}

static int copy_vdso(const struct object_request *wanted)
{
    unsigned char image[VDSO_MOST];
    size_t size = wanted->end - wanted->start;

    if (size > sizeof image)
        return -1;
    struct iovec local = {.iov_base = image, .iov_len = size};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)wanted->start, .iov_len = size};
    if (process_vm_readv(wanted->pid, &local, 1, &remote, 1, 0) != (ssize_t)size)
        return -1;
    int fd = memfd_create("vdso", MFD_CLOEXEC);
    if (fd >= 0 && write(fd, image, size) != (ssize_t)size) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int object_open(struct object_request *wanted)
{
    if (wanted->inode == OBJECT_JIT_NAMES)
        return open_jit_names(wanted);
    if (wanted->inode == OBJECT_VDSO)
        return copy_vdso(wanted);
    return open_mapped(wanted);
}
