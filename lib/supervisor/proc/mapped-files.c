/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens the files that a target maps, as the target sees them. There are three ways to open a file: /proc/PID/map_files
 * for any file, even a deleted one, but only with privileges; /proc/PID/exe for the program itself, even if it is
 * deleted; and the path below /proc/PID/root. Opening a file may hang, so these functions are called in an opener
 * process (opener.h).
 *
 * A program that makes code at run time may write the names of that code to a file: a jitdump, or /tmp/perf-PID.map. A
 * process maps its jitdump so that profilers find it. Either file may be created long after the first such code runs.
 * So we look for both again and again as long as the process lives, and once more for perf-PID.map after the process
 * has ended. A perf-PID.map may be left over from another process with the same pid, so it is used only if it was
 * written since this process began.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/regular-file.h"
#include "supervisor/proc/mapped-files.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/target-memory.h"
#include "wire/open-request.h"

#define VDSO_SIZE_MAX 65536u /* bytes; a vDSO has two or three pages */
#define SECOND UINT64_C(1000000000)
/* two times may differ by this much, ns, because the kernel rounds the start times of processes and the times of files
 * to clock ticks */
#define SLACK (SECOND / 10)

/* Opens a path below the root directory of the process. Returns a descriptor or -errno. */
static int mapped_file_open_in_root(pid_t pid, const char *path, uint64_t inode)
{
    char root[32];

    snprintf(root, sizeof root, "/proc/%d/root", pid);
    int tree = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (tree < 0)
        return -errno;
    int fd = regular_file_open_below(tree, path, inode);
    close(tree);
    return fd;
}

bool mapped_file_is_program(pid_t pid, const char *name)
{
    char link[32], path[PATH_MAX];

    snprintf(link, sizeof link, "/proc/%d/exe", pid);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    return strcmp(path, name) == 0;
}

/* Opens a mapped file. Checks by the inode number that it is the right file. Does not compare the device number,
 * because on overlay and btrfs, /proc/PID/maps shows another device number than stat(2). Opens /proc/PID/exe only if
 * the mapped file is the program. For other files this would be useless, and would hang if the file system of the
 * program hangs. */
static int mapped_file_open_mapping(const struct open_request *wanted)
{
    char path[96];

    snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", wanted->pid,
             (unsigned long)wanted->start, (unsigned long)wanted->end);
    int fd = regular_file_open(path, wanted->inode);
    if (fd < 0 && mapped_file_is_program(wanted->pid, wanted->path)) {
        snprintf(path, sizeof path, "/proc/%d/exe", wanted->pid);
        fd = regular_file_open(path, wanted->inode);
    }
    if (fd < 0)
        fd = mapped_file_open_in_root(wanted->pid, wanted->path, wanted->inode);
    return fd < 0 ? regular_file_open(wanted->path, wanted->inode) : fd;
}

/* --- a JIT's names --------------------------------------------------------------------- */

/* Parses a line of /proc/PID/maps. If the mapped file is a jitdump of this process, stores the addresses, inode number
 * and path of the mapping in *dump, and returns true. Otherwise returns false. inner: pid that the process has in its
 * own PID namespace. */
static bool mapped_file_is_jitdump(char *line, long inner, struct open_request *dump)
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

static int mapped_file_open_jitdump(pid_t pid, long inner)
{
    struct open_request dump = {.kind = OPEN_MAPPING, .pid = pid};
    char path[32], line[1024];
    bool found = false;

    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    if (maps == NULL)
        return -1;
    while (!found && fgets(line, sizeof line, maps) != NULL)
        found = mapped_file_is_jitdump(line, inner, &dump);
    fclose(maps);
    return found ? mapped_file_open_mapping(&dump) : -1;
}

static uint64_t mapped_file_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

/* Returns the time at which the process began, CLOCK_REALTIME in ns; 0: the process is gone. */
static uint64_t mapped_file_process_start(pid_t pid)
{
    struct timespec now, up;
    uint64_t ticks = procfs_start_time(pid);

    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    return ticks == 0 ? 0
                      : mapped_file_ns(&now) - mapped_file_ns(&up) + ticks * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* fd: descriptor of a perf-PID.map, or -errno. began: time at which the process began, CLOCK_REALTIME in ns. If the
 * file was written after that time, returns `fd`. Otherwise closes it and returns -ESTALE. If `fd` is -errno, returns
 * it. */
static int mapped_file_take_if_written_since(int fd, uint64_t began)
{
    struct stat status;

    if (fd < 0 || (fstat(fd, &status) == 0 && mapped_file_ns(&status.st_mtim) + SLACK >= began))
        return fd;
    close(fd);
    return -ESTALE;
}

void mapped_file_request_jit_names(pid_t pid, struct open_request *wanted)
{
    long inner = procfs_status_number(pid, "NSpid:");

    *wanted =
        (struct open_request){.kind = OPEN_JIT_NAMES, .pid = pid, .began = mapped_file_process_start(pid)};
    snprintf(wanted->path, sizeof wanted->path, "/tmp/perf-%ld.map", inner > 0 ? inner : pid);
}

static int mapped_file_open_jit_names(const struct open_request *wanted)
{
    uint64_t began = mapped_file_process_start(wanted->pid);
    uint64_t apart = began > wanted->began ? began - wanted->began : wanted->began - began;

    if (wanted->began == 0)
        return -ESRCH;
    if (apart > SLACK) /* the process has ended, and its pid is free or belongs to another process now */
        return mapped_file_take_if_written_since(regular_file_open(wanted->path, 0), wanted->began);
    long inner = procfs_status_number(wanted->pid, "NSpid:");
    int fd = mapped_file_open_jitdump(wanted->pid, inner > 0 ? inner : wanted->pid);
    if (fd < 0)
        fd = mapped_file_take_if_written_since(mapped_file_open_in_root(wanted->pid, wanted->path, 0), wanted->began);
    return fd < 0 ? -EAGAIN : fd;
}

int mapped_file_copy_vdso(const struct open_request *wanted)
{
    unsigned char image[VDSO_SIZE_MAX];
    size_t size = wanted->end - wanted->start;

    if (size > sizeof image)
        return -EFBIG;
    if (target_memory_read(wanted->pid, wanted->start, image, size) != 0)
        return -ESRCH;
    int fd = memfd_create("vdso", MFD_CLOEXEC);
    if (fd >= 0 && write(fd, image, size) == (ssize_t)size)
        return fd;
    int error = errno;
    if (fd >= 0)
        close(fd);
    return -error;
}

int mapped_file_open(const struct open_request *wanted)
{
    switch (wanted->kind) {
    case OPEN_PATH:
        return regular_file_open(wanted->path, wanted->inode);
    case OPEN_MAPPING:
        return mapped_file_open_mapping(wanted);
    case OPEN_JIT_NAMES:
        return mapped_file_open_jit_names(wanted);
    default:
        return -EINVAL;
    }
}
