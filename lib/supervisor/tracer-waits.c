/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a tracer itself fares on CPUs that are full. */
#include "config.h"

#include <sys/resource.h>
#include <unistd.h>

#include "supervisor/proc/procfs.h"
#include "supervisor/tracer.h"

uint64_t tracer_read_wait(struct tracer *tracer)
{
    struct procfs_cpu cpu;

    if (tracer->files.tid != tracer->wakeup.tid)
        procfs_task_init(&tracer->files, getpid(), tracer->wakeup.tid);
    return procfs_read_cpu(&tracer->files, &cpu) == 0 ? cpu.wait_ns : 0;
}

bool tracer_was_preempted(struct tracer *tracer)
{
    struct rusage usage = {0};
    long before = tracer->preemptions;

    getrusage(RUSAGE_THREAD, &usage);
    tracer->preemptions = usage.ru_nivcsw;
    return tracer->preemptions != before;
}
