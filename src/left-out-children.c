/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the children that -p leaves out, and what CPU time they use: see left-out-children.h. */
#include "config.h"

#include <glob.h>
#include <stdio.h>
#include <unistd.h>

#include "base/proc-stat.h"
#include "command.h"
#include "left-out-children.h"

#define BUSY_MIN 0.1 /* seconds of CPU time; less is not worth a message */

/* Reads the start time and the CPU time of a process. Returns false if it has ended. */
static bool left_out_read(pid_t pid, struct left_out_child *child)
{
    char text[PROC_STAT_SIZE];
    const char *rest = proc_stat_read(pid, text);
    unsigned long long user, system;

    /* the fields 14 (utime), 15 (stime) and 22 (starttime); the first one here is number 3 */
    if (rest == NULL || sscanf(rest,
                               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %llu",
                               &user, &system, &child->start) != 3)
        return false;
    child->pid = pid;
    child->ticks = user + system;
    return true;
}

static bool left_out_has(const struct left_out_children *left_out, const struct pids *pids, pid_t pid)
{
    for (unsigned i = 0; i < left_out->count; i++)
        if (left_out->children[i].pid == pid)
            return true;
    return pids_have(pids, pid);
}

/* Adds the children of a process. "children" of each of its threads has their numbers: proc_tid_children(5). Some
 * kernels lack this file; nothing is found there. A list of all processes is not used, because it has their command
 * lines, and reading that of a process may wait, for example for its file system. */
static void left_out_add_of(struct left_out_children *left_out, const struct pids *pids, pid_t parent)
{
    char path[64];
    glob_t threads;
    int pid;

    snprintf(path, sizeof path, "/proc/%d/task/*/children", (int)parent);
    if (glob(path, GLOB_NOSORT, NULL, &threads) != 0)
        return;
    for (size_t i = 0; i < threads.gl_pathc; i++) {
        FILE *file = fopen(threads.gl_pathv[i], "re");
        while (file != NULL && fscanf(file, "%d", &pid) == 1)
            if (left_out->count < LEFT_OUT_MAX && !left_out_has(left_out, pids, pid) &&
                left_out_read(pid, &left_out->children[left_out->count]))
                left_out->count++;
        if (file != NULL)
            fclose(file);
    }
    globfree(&threads);
}

void left_out_find(struct left_out_children *left_out, const struct pids *pids)
{
    left_out->count = 0;
    for (unsigned i = 0; i < pids->count; i++)
        left_out_add_of(left_out, pids, pids->pids[i]);
    for (unsigned i = 0; i < left_out->count; i++) /* the count grows meanwhile: children of children */
        left_out_add_of(left_out, pids, left_out->children[i].pid);
}

void left_out_say(const struct left_out_children *left_out)
{
    if (left_out->count == 1)
        complain("a child process that runs already is left out; --children takes it, too");
    else if (left_out->count > 1)
        complain("%u child processes that run already are left out; --children takes them, too", left_out->count);
}

void left_out_say_busy(const struct left_out_children *left_out, uint64_t profiled_ns)
{
    double seconds = 0, profiled = (double)profiled_ns / 1e9;

    for (unsigned i = 0; i < left_out->count; i++) {
        const struct left_out_child *before = &left_out->children[i];
        struct left_out_child now;
        if (left_out_read(before->pid, &now) && now.start == before->start && now.ticks > before->ticks)
            seconds += (double)(now.ticks - before->ticks) / (double)sysconf(_SC_CLK_TCK);
    }
    if (seconds >= BUSY_MIN && seconds > profiled)
        complain("child processes that are left out used %.1f s of CPU time, and what is profiled used %.1f s; "
                 "--children takes them, too",
                 seconds, profiled);
}
