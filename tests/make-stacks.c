/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * make-stacks FILE: reads stacks from standard input, and saves a profile of them. A line is "PID PROCESS TID THREAD
 * main;f;g COUNT". tests/unit/build-stacks.h describes the form of a stack.
 */
#include "config.h"

#include "unit/build-stacks.h"

#include "format/format.h"

static uint32_t find_thread(struct profile *profile, uint32_t pid, const char *process, uint32_t tid, const char *comm)
{
    for (uint32_t i = 0; i < profile->thread_count; i++)
        if (profile->threads[i].tid == tid && profile->processes[profile->threads[i].process].pid == pid)
            return i;
    return stacks_thread(profile, pid, process, tid, comm);
}

int main(int argc, char **argv)
{
    struct profile *profile = profile_new();
    char process[64], comm[64], folded[4096];
    unsigned pid, tid;
    unsigned long count;

    if (argc != 2 || profile == NULL)
        return 2;
    while (scanf("%u %63s %u %63s %4095s %lu", &pid, process, &tid, comm, folded, &count) == 6)
        stacks_add(profile, find_thread(profile, pid, process, tid, comm), folded, count);
    profile->totals.threads_seen = profile->thread_count;
    profile->totals.processes_seen = profile->process_count;
    profile->totals.elapsed_ns = 1;
    profile->command = strdup("./prog");
    int error = format_write_file(format_by_name("pprof"), argv[1], profile);
    profile_free(profile);
    return error == 0 ? 0 : 1;
}
