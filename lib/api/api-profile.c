/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of pprofil.h that describe a whole profile (totals, stacks, problems), and the functions that merge
 * profiles. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "launch/file-opener.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

int api_need_symbolizer(struct pprofil_profile *profile)
{
    if (profile->symbolizer == NULL)
        profile->symbolizer = symbolizer_new(profile->profile);
    return profile->symbolizer == NULL ? -ENOMEM : 0;
}

const char *pprofil_version(void)
{
    return PACKAGE_VERSION;
}

const char *pprofil_profile_problem(const pprofil_profile *profile)
{
    return profile->problem;
}

bool pprofil_profile_has_counters(const pprofil_profile *profile)
{
    return profile->counters;
}

const char *pprofil_profile_format(const pprofil_profile *profile)
{
    return profile->format != NULL ? profile->format : "";
}

void pprofil_profile_set_command(pprofil_profile *profile, const char *command)
{
    char *copy = strdup(command);

    if (copy == NULL)
        return;
    free(profile->profile->command);
    profile->profile->command = copy;
}

const char *pprofil_profile_command(const pprofil_profile *profile)
{
    return profile->profile->command != NULL ? profile->profile->command : "";
}

void pprofil_profile_set_start(pprofil_profile *profile, uint64_t start_ns)
{
    profile->profile->totals.start_time = start_ns;
}

/* Returns true for objects such as "[vdso]" and "[outside]", which are not files. */
static bool is_no_file(const struct profile *profile, uint32_t object)
{
    return profile->strings[profile->objects[object].path][0] == '[';
}

/* Sums the time (ns) in each object whose names or lines cannot be read. Returns an array that is indexed like
 * profile->objects; NULL: no memory. The caller frees the array. *total: time of all samples, ns. */
static uint64_t *sum_nameless(const struct pprofil_profile *profile, uint64_t *total)
{
    const struct profile *data = profile->profile;
    uint64_t *sums = calloc(data->object_count + 1u, sizeof *sums);

    *total = 0;
    for (uint32_t i = 0; sums != NULL && i < data->sample_count; i++) {
        const struct profile_sample *sample = &data->samples[i];
        const struct profile_node *leaf = &data->nodes[sample->node];
        uint64_t ns = data->totals.wall ? sample->wall_ns : sample->cpu_ns;
        uint32_t object = data->locations[leaf->location].object;
        *total += ns;
        if (symbolizer_lacks(profile->symbolizer, object) && !is_no_file(data, object))
            sums[object] += ns;
    }
    return sums;
}

int pprofil_profile_nameless(pprofil_profile *profile, unsigned i, const char **path, const char **why, double *share)
{
    const struct profile *data = profile->profile;
    uint64_t total, *sums;
    uint32_t best = 0;

    if (api_need_symbolizer(profile) != 0 || (sums = sum_nameless(profile, &total)) == NULL)
        return -ENOMEM;
    for (unsigned rank = 0; rank <= i; rank++) {
        if (rank > 0)
            sums[best] = 0;
        for (uint32_t object = 0; object < data->object_count; object++)
            if (sums[object] > sums[best])
                best = object;
    }
    uint64_t ns = sums[best];
    free(sums);
    if (ns == 0)
        return -ENOENT;
    *path = data->strings[data->objects[best].path];
    *why = symbolizer_missing(profile->symbolizer, best);
    *share = (double)ns / (double)total;
    return 0;
}

/* --- stacks ------------------------------------------------------------------------------ */

bool pprofil_profile_has_stacks(const pprofil_profile *profile)
{
    return report_has_stacks(profile->profile);
}

int pprofil_profile_incomplete(const pprofil_profile *profile, unsigned i, const char **why, double *share)
{
    struct report_stacks stacks;
    int error = report_stacks(profile->profile, &stacks);

    if (error == 0 && !stacks.any)
        error = PPROFIL_ERROR_NO_STACKS;
    else if (error == 0 && i >= stacks.mark_count)
        error = -ENOENT;
    if (error == 0) {
        *why = stacks.marks[i].why;
        *share = stacks.ns == 0 ? 0 : (double)stacks.marks[i].ns / (double)stacks.ns;
    }
    report_stacks_clear(&stacks);
    return error;
}

int pprofil_profile_leak_check(const pprofil_profile *profile, pid_t pid, const char *program)
{
    const struct profile *data = profile->profile;
    int fd = program == NULL ? -1 : file_opener_open(program, 0);
    int status = fd < 0 ? 0 : leak_check_status(fd);

    if (fd >= 0)
        close(fd);
    for (uint32_t i = 0; i < data->object_count && status == 0; i++) {
        const struct profile_object *object = &data->objects[i];
        if (object->kind == PROFILE_OBJECT_FILE && (pid_t)object->pid == pid && object->fd >= 0)
            status = leak_check_status(object->fd);
    }
    return status;
}

/* --- totals ---------------------------------------------------------------------------------- */

void pprofil_profile_totals(const pprofil_profile *profile, struct pprofil_totals *totals, size_t size)
{
    const struct profile_totals *from = &profile->profile->totals;
    struct pprofil_totals all = {
        .samples = from->samples,
        .cpu_ns = from->cpu_ns,
        .wall_ns = from->wall_ns,
        .elapsed_ns = from->elapsed_ns,
        .target_cpu_ns = from->target_cpu_ns,
        .stopped_ns = from->stopped_ns,
        .supervisor_cpu_ns = from->supervisor_cpu_ns,
        .lost = from->lost,
        .throttled_ns = from->throttled_ns,
        .repaired = from->repaired,
        .threads_seen = from->threads_seen,
        .threads_alive = from->threads_alive,
        .processes_seen = from->processes_seen,
        .processes_alive = from->processes_alive,
        .asked_hz = from->asked_hz,
        .wall = from->wall,
        .continued = from->continued,
        .cut_short = from->cut_short,
        .untraced = from->untraced,
        .full_ns = from->full_ns,
        .sample_cost_ns = from->sample_cost_ns,
        .overhead = (double)from->overhead_ppm / 1e6,
        .running = from->running,
        .start_ns = from->start_time,
        .end_ns = profile_end_time(from),
    };
    api_copy(totals, size, &all, sizeof all);
}

/* 0..1; a low sampling rate is reported only if it lasted for more than this part of the elapsed time */
#define THROTTLED_MIN 0.01
#define ADVISED_MAX 20.0   /* percent; a larger overhead is not recommended */

/* Writes which overhead would be enough for the requested rate. If this overhead is more than ADVISED_MAX,
 * multiplies the present overhead by 2.5, and writes which rate the product would allow. If the product is more than
 * ADVISED_MAX too, writes nothing. */
static void totals_advise(const struct pprofil_totals *totals, char *text, size_t size)
{
    double cost = (double)totals->sample_cost_ns / 1e9, needed = ceil(100 * totals->asked_hz * cost);
    double more = ceil(250 * totals->overhead);
    double hz = more / 100 / cost;

    if (needed <= ADVISED_MAX)
        snprintf(text, size, "; --overhead %.0f would give all", needed);
    else if (more <= ADVISED_MAX)
        snprintf(text, size, "; --overhead %.0f would give about %.0f", more,
                 hz < 100 ? round(hz) : round(hz / 10) * 10);
}

int pprofil_totals_limit(const struct pprofil_totals *totals, bool advice, char *text, size_t size)
{
    bool throttled = (double)totals->throttled_ns > THROTTLED_MIN * (double)totals->elapsed_ns;
    bool costly = totals->asked_hz * (double)totals->sample_cost_ns / 1e9 > totals->overhead;
    bool full = totals->full_ns > totals->elapsed_ns / 2;
    char why[64], cure[64] = "";

    if (!throttled || !costly || totals->overhead <= 0)
        return 0;
    snprintf(why, sizeof why, "a sample cost %.0f us%s", (double)totals->sample_cost_ns / 1e3,
             full ? ", for no CPU was idle" : "");
    if (advice)
        totals_advise(totals, cure, sizeof cure);
    return snprintf(text, size, "%s%s", why, cure);
}

/* --- merging ----------------------------------------------------------------------------- */

int pprofil_profile_new(pprofil_profile **result)
{
    struct pprofil_profile *profile = calloc(1, sizeof *profile);

    if (profile == NULL)
        return -ENOMEM;
    profile->profile = profile_new();
    if (profile->profile == NULL) {
        free(profile);
        return -ENOMEM;
    }
    *result = profile;
    return 0;
}

int pprofil_profile_merge(pprofil_profile *into, const pprofil_profile *from, unsigned how)
{
    return profile_merge(into->profile, from->profile, (how & PPROFIL_MERGE_CPU) != 0 ? PROFILE_MERGE_CPU : 0);
}
