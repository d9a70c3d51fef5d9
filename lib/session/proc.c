/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads and parses files of /proc. A process chooses its own name and arguments, so names and arguments may contain any
 * bytes. Only the numbers are reliable. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "session/proc.h"

ssize_t proc_read(int directory, const char *path, char *text, size_t size)
{
    int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t got = read(fd, text, size - 1);
    int error = errno;
    close(fd);
    if (got < 0)
        return -error;
    text[got] = '\0';
    return got;
}

int proc_parse_stat(const char *text, struct proc_stat *stat)
{
    const char *name = strchr(text, '('), *end = strrchr(text, ')'); /* the name may contain a ')' */
    uint64_t user, system;
    static long ticks; /* clock ticks per second; times in "stat" are in clock ticks */

    if (ticks == 0)
        ticks = sysconf(_SC_CLK_TCK);
    if (name == NULL || end == NULL || end < name)
        return -EPROTO;
    snprintf(stat->comm, sizeof stat->comm, "%.*s", (int)(end - name - 1), name + 1);
    utf8_make_harmless(stat->comm, "");
    if (sscanf(end + 1,
               " %c %" SCNu32 " %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64 " %*d %*d %*d %*d %" SCNu32,
               &stat->state, &stat->ppid, &user, &system, &stat->threads) != 5)
        return -EPROTO;
    stat->cpu_ns = (user + system) * (UINT64_C(1000000000) / (uint64_t)ticks);
    return 0;
}

/* Returns the value of the line that begins with `name`, or "" if there is no such line. The first line contains the
 * program's name, which may contain any text, even a field's name. So only a match at the beginning of a line
 * counts. */
static const char *status_field(const char *text, const char *name)
{
    const char *line = strstr(text, name);

    while (line != NULL && line != text && line[-1] != '\n')
        line = strstr(line + 1, name);
    return line == NULL ? "" : line + strlen(name) + strspn(line + strlen(name), " \t");
}

struct proc_status proc_read_status(pid_t pid)
{
    struct proc_status status = {.uid = -1, .seccomp = -1};
    char path[64], text[4096];

    snprintf(path, sizeof path, "/proc/%d/status", pid);
    if (proc_read(AT_FDCWD, path, text, sizeof text) < 0)
        return status;
    snprintf(status.name, sizeof status.name, "%.*s", (int)strcspn(status_field(text, "Name:"), "\n"),
             status_field(text, "Name:"));
    utf8_make_harmless(status.name, "");
    status.state = *status_field(text, "State:");
    status.tracer = strtol(status_field(text, "TracerPid:"), NULL, 10);
    char *next;
    strtol(status_field(text, "Uid:"), &next, 10);
    status.uid = strtol(next, NULL, 10);
    status.permitted = strtoull(status_field(text, "CapPrm:"), NULL, 16);
    status.effective = strtoull(status_field(text, "CapEff:"), NULL, 16);
    status.no_new_privs = *status_field(text, "NoNewPrivs:") == '1';
    if (*status_field(text, "Seccomp:") != '\0')
        status.seccomp = (int)strtol(status_field(text, "Seccomp:"), NULL, 10);
    /* a kernel thread has no memory of its own, so its file "status" has no line VmSize */
    status.kernel_thread = strstr(text, "\nVmSize:") == NULL && status.state != 'Z';
    return status;
}

void proc_command(uint32_t pid, char *text, size_t size)
{
    char path[64];

    text[0] = '\0';
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/cmdline", pid);
    ssize_t length = proc_read(AT_FDCWD, path, text, size);
    for (ssize_t i = 0; i < length; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
    utf8_make_harmless(text, "");
}
