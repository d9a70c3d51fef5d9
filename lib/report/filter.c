/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which samples count. A process is all images that ran under its number. */
#include "config.h"

#include "report/report.h"

bool report_lets_through(const struct profile *profile, const struct report_filter *filter,
                         const struct profile_sample *sample)
{
    const struct profile_thread *thread = &profile->threads[sample->thread];

    if (filter->pid != 0 && profile->processes[thread->process].pid != filter->pid)
        return false;
    if (filter->tid != 0 && thread->tid != filter->tid)
        return false;
    if (filter->process != 0 && thread->process != filter->process - 1)
        return false;
    if (filter->thread != 0 && sample->thread != filter->thread - 1)
        return false;
    if (filter->state != 0 && sample->state != filter->state - 1)
        return false;
    if (filter->syscall != 0 && sample->syscall != filter->syscall - 1)
        return false;
    if (filter->object == 0)
        return true;
    uint32_t location = profile->nodes[sample->node].location;
    return profile->locations[location].object == filter->object - 1;
}
