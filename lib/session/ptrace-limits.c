/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads in /proc what limits the tracing of other processes: Yama, capabilities, seccomp filters, namespaces, and the
 * options of /proc itself. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "pprofil.h"
#include "session/proc.h"
#include "session/session.h"

/* The inode numbers of the first namespaces of a machine: enum init_ns_ino in include/uapi/linux/nsfs.h. */
#define FIRST_USER_NAMESPACE 0xeffffffdul
#define FIRST_PID_NAMESPACE 0xeffffffcul

int ptrace_limits_yama_scope(void)
{
    char text[16];

    return proc_read(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", text, sizeof text) > 0
               ? (int)strtol(text, NULL, 10)
               : -1;
}

bool ptrace_limits_may_trace_all(const struct proc_status *own)
{
    return (own->effective >> CAP_SYS_PTRACE & 1) != 0;
}

/* Returns true if the namespace is not the first one of its kind. Its name is like "user:[4026531837]". */
static bool limits_is_other_namespace(const char *path, unsigned long first)
{
    char name[64];
    ssize_t length = readlink(path, name, sizeof name - 1);

    if (length <= 0)
        return false;
    name[length] = '\0';
    const char *number = strchr(name, '[');
    return number != NULL && strtoul(number + 1, NULL, 10) != first;
}

static void limits_read_uid_map(char map[], size_t size)
{
    char text[256];
    unsigned long inside, outside, count;

    if (proc_read(AT_FDCWD, "/proc/self/uid_map", text, sizeof text) > 0 &&
        sscanf(text, "%lu %lu %lu", &inside, &outside, &count) == 3)
        snprintf(map, size, "%lu %lu %lu", inside, outside, count);
}

/* Finds the option in a line of /proc/self/mountinfo. The fifth field is the mount point, and the options of the file
 * system are at the end of the line: proc_pid_mountinfo(5). */
static void limits_parse_mount(const char *line, char hidepid[], size_t size)
{
    static const char option[] = "hidepid=";
    char point[64];
    const char *found = strstr(line, option);

    if (sscanf(line, "%*s %*s %*s %*s %63s", point) != 1 || strcmp(point, "/proc") != 0)
        return;
    hidepid[0] = '\0'; /* this mount is on top of those of the lines before */
    if (found != NULL)
        snprintf(hidepid, size, "%.*s", (int)strcspn(found + strlen(option), ", \n"), found + strlen(option));
}

static void limits_read_hidepid(char hidepid[], size_t size)
{
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char *line = NULL;
    size_t room = 0;

    while (mounts != NULL && getline(&line, &room, mounts) > 0)
        limits_parse_mount(line, hidepid, size);
    free(line);
    if (mounts != NULL)
        fclose(mounts);
}

static void limits_find_container(char container[], size_t size)
{
    static const char *const files[] = {"/.dockerenv", "/run/.containerenv"};
    const char *named = getenv("container"); /* systemd's convention, "The Container Interface" */

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (access(files[i], F_OK) == 0) {
            snprintf(container, size, "%s", files[i]);
            return;
        }
    if (named != NULL && named[0] != '\0')
        snprintf(container, size, "container=%s", named);
    utf8_make_harmless(container, "");
}

int pprofil_ptrace_limits(struct pprofil_ptrace_limits *limits, size_t size)
{
    struct proc_status own = proc_read_status(getpid());
    struct pprofil_ptrace_limits found = {
        .yama_scope = ptrace_limits_yama_scope(),
        .seccomp = own.seccomp,
        .cap_sys_ptrace = ptrace_limits_may_trace_all(&own),
        .no_new_privs = own.no_new_privs,
        .user_namespace = limits_is_other_namespace("/proc/self/ns/user", FIRST_USER_NAMESPACE),
        .pid_namespace = limits_is_other_namespace("/proc/self/ns/pid", FIRST_PID_NAMESPACE),
    };

    if (own.state == 0)
        return -ENOENT;
    limits_read_uid_map(found.uid_map, sizeof found.uid_map);
    limits_read_hidepid(found.hidepid, sizeof found.hidepid);
    limits_find_container(found.container, sizeof found.container);
    memcpy(limits, &found, size < sizeof found ? size : sizeof found);
    return 0;
}
