/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out when a tracer got its CPU, and how long it has waited for a CPU. */
#include "config.h"

#include <unistd.h>

#include "base/clock.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/supervisor.h"
#include "supervisor/tracer-cpus.h"

/* If the time since an earlier moment is longer by at most STAYED_NS than the CPU time that the tracer has used since
 * then, the tracer has kept its CPU, ns. */
#define STAYED_NS 5000u

struct procfs_task *tracer_files(struct tracer *tracer)
{
    if (tracer->files.tid != tracer->wakeup.tid)
        procfs_task_init(&tracer->files, getpid(), tracer->wakeup.tid);
    return &tracer->files;
}

uint64_t tracer_read_wait(struct tracer *tracer)
{
    struct procfs_cpu cpu;

    return procfs_read_cpu(tracer_files(tracer), &cpu) == 0 ? cpu.wait_ns : 0;
}

bool tracer_read_clock(struct tracer *tracer)
{
    uint64_t before_at = tracer->clock.at, before_ns = tracer->clock.cpu_ns;

    uint64_t called_at = time_now();
    tracer->clock.cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
    tracer->clock.at = time_now();
    if (tracer->clock.call_ns == 0 || tracer->clock.at - called_at < tracer->clock.call_ns)
        tracer->clock.call_ns = tracer->clock.at - called_at;
    return tracer->clock.at - before_at > tracer->clock.cpu_ns - before_ns + STAYED_NS;
}

void tracer_note_cpu(struct tracer *tracer)
{
    uint64_t before_at = tracer->clock.at, before_ns = tracer->clock.cpu_ns;
    bool gave_up_cpu = tracer_read_clock(tracer);

    if (!gave_up_cpu && tracer->sleep.cpu_at != 0)
        return;
    uint64_t used = tracer->clock.cpu_ns - before_ns, awake = tracer->sleep.began_at - before_at;
    tracer->sleep.cpu_at = before_at == 0 ? 0 : tracer->clock.at - (used > awake ? used - awake : 0);
}
