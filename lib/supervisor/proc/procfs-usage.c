/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/proc/procfs-text.h"
#include "supervisor/proc/procfs-usage.h"
#include "supervisor/proc/procfs.h"

#define PATH_SIZE 64

static void procfs_parse_name(const char *text, char comm[16])
{
    const char *begin = strchr(text, '('), *end = strrchr(text, ')');
    int length = begin != NULL && end > begin ? (int)(end - begin - 1) : 0;

    snprintf(comm, 16, "%.*s", length, length > 0 ? begin + 1 : "");
}

bool procfs_parse_usage(const char *text, struct procfs_usage *usage)
{
    const char *from_parent = procfs_find_stat_field(text, 4), *from_faults = procfs_find_stat_field(text, 10);
    unsigned long long counts[6];

    /* the fields minflt, cminflt, majflt, cmajflt, utime, stime */
    if (from_parent == NULL || from_faults == NULL ||
        sscanf(from_faults, "%llu %llu %llu %llu %llu %llu", &counts[0], &counts[1], &counts[2], &counts[3], &counts[4],
               &counts[5]) != 6)
        return false;
    procfs_parse_name(text, usage->comm);
    usage->parent = atoi(from_parent);
    usage->minor_faults = counts[0];
    usage->children_minor_faults = counts[1];
    usage->major_faults = counts[2];
    usage->children_major_faults = counts[3];
    usage->user_ticks = counts[4];
    usage->system_ticks = counts[5];
    return true;
}

bool procfs_parse_io(const char *text, struct procfs_io *io)
{
    static const char *const names[] = {"rchar:", "wchar:", "syscr:", "syscw:", "read_bytes:", "write_bytes:"};
    uint64_t *values[] = {&io->read_bytes,  &io->written_bytes,      &io->read_calls,
                          &io->write_calls, &io->storage_read_bytes, &io->storage_written_bytes};

    io->known = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *field = strncmp(text, names[i], strlen(names[i])) == 0 ? text
                                                                           : procfs_find_status_field(text, names[i]);
        if (field == NULL)
            io->known = false;
        else
            *values[i] = strtoull(field + strlen(names[i]), NULL, 10);
    }
    return io->known;
}

int procfs_read_usage(pid_t pid, struct procfs_usage *usage)
{
    char path[PATH_SIZE], text[1024];

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    ssize_t got = procfs_read_file(path, text, sizeof text);
    if (got < 0)
        return (int)got;
    return procfs_parse_usage(text, usage) ? 0 : -ESRCH;
}

int procfs_open_io(pid_t pid)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "/proc/%d/io", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || procfs_may_keep(fd))
        return fd;
    close(fd);
    return -1;
}

void procfs_read_io(pid_t pid, int fd, struct procfs_io *io)
{
    char path[PATH_SIZE], text[512];

    *io = (struct procfs_io){0};
    snprintf(path, sizeof path, "/proc/%d/io", pid);
    ssize_t got = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : procfs_read_file(path, text, sizeof text);
    if (got <= 0)
        return;
    text[got] = '\0';
    procfs_parse_io(text, io);
}
