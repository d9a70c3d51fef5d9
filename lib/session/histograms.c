/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Histograms in the caller's buffers, as pprofil/histogram.h declares them. When the session reads the event of a
 * sample, the session counts the sample in the histogram of the sample's process, and in the histogram of all
 * processes.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"

static struct session_histogram **histogram_link(const struct pprofil_session *session, pid_t pid)
{
    struct session_histogram **link = (struct session_histogram **)&session->histograms;

    while (*link != NULL && (*link)->pid != pid)
        link = &(*link)->next;
    return link;
}

static void histograms_drop(struct session_histogram **link)
{
    struct session_histogram *gone = *link;

    *link = gone->next;
    free(gone->count);
    free(gone);
}

void session_histograms_free(struct pprofil_session *session)
{
    while (session->histograms != NULL)
        histograms_drop(&session->histograms);
}

/* Makes *count the histogram of a pid, and frees the histogram that the pid had before. After this call *count belongs
 * to the session, even if the call fails. Returns 0 or -ENOMEM. */
static int histograms_put(struct pprofil_session *session, pid_t pid, struct dialect_count *count, bool by_call)
{
    struct session_histogram **link = histogram_link(session, pid);

    if (*link != NULL) {
        free((*link)->count);
        (*link)->count = count;
        (*link)->ended = false;
        (*link)->by_call = by_call;
        return 0;
    }
    struct session_histogram *entry = calloc(1, sizeof *entry);
    if (entry == NULL) {
        free(count);
        return -ENOMEM;
    }
    entry->pid = pid;
    entry->count = count;
    entry->by_call = by_call;
    *link = entry;
    return 0;
}

static uint64_t histogram_address(const struct session_histogram *entry, const struct wire_sample *sample)
{
    if (!entry->by_call)
        return sample->pc;
    /* 32-bit programs number their system calls in another way, so their system calls are not counted */
    bool known = sample->syscall >= 0 && (sample->flags & WIRE_SAMPLE_COMPAT) == 0;
    return known ? PPROFIL_CALL_ADDRESS(sample->syscall) : UINT64_MAX;
}

void session_histograms_feed(struct pprofil_session *session, const struct wire_header *event)
{
    const struct wire_sample *sample = (const struct wire_sample *)event;
    const struct wire_task *task = (const struct wire_task *)event;

    for (struct session_histogram *entry = session->histograms; entry != NULL; entry = entry->next) {
        if (event->type == WIRE_SAMPLE && (sample->flags & WIRE_SAMPLE_UNSAMPLED) == 0 &&
            (entry->pid == 0 || (uint32_t)entry->pid == sample->pid))
            dialect_count_cpu(entry->count, &dialect_own_memory, histogram_address(entry, sample), sample->syscall >= 0,
                              sample->cpu_ns);
        if (event->type == WIRE_EXEC && entry->pid != 0 && (uint32_t)entry->pid == task->pid)
            entry->ended = true;
        if (entry->ended)
            entry->count->on = false;
    }
}

/* Sets all counts to 0. If the counting had ended because a counter or an array was full, it begins again. If an exec
 * had ended the counting (`ended`), it does not begin again. */
static void histogram_clear(struct dialect_count *count, bool ended)
{
    count->on = !ended;
    count->pcsample.on = count->dialect->arithmetic == DIALECT_RAW && !ended;
    for (size_t i = 0; i < count->region_count; i++)
        memset((void *)(uintptr_t)count->buffers[i].address, 0, count->regions[i].size);
    if (count->overflow != 0)
        memset((void *)(uintptr_t)count->overflow, 0, sizeof(uint32_t));
    count->pcsample.room += count->pcsample.count;
    count->pcsample.count = 0;
    count->owed_ns = count->ticks = count->outside = count->overflows = 0;
}

void session_histograms_clear(struct pprofil_session *session)
{
    for (struct session_histogram *entry = session->histograms; entry != NULL; entry = entry->next)
        histogram_clear(entry->count, entry->ended);
}

/* Converts the caller's regions to the regions of lib/dialect. Returns 1 if the scales of all regions mean "off";
 * otherwise 0 or a negative error. */
static int dialect_regions(const struct dialect *dialect, const struct pprofil_histogram *histogram,
                           struct dialect_region *regions, uint64_t *addresses)
{
    bool off = histogram->region_count > 0;

    for (size_t i = 0; i < histogram->region_count; i++) {
        const struct pprofil_region *from = &histogram->regions[i];
        regions[i] = (struct dialect_region){.offset = from->offset,
                                             .size = from->buffer == NULL ? 0 : from->size,
                                             .low = from->low,
                                             .high = from->high,
                                             .scale = from->scale};
        addresses[i] = (uintptr_t)from->buffer;
        int error = dialect_check(dialect, &regions[i]);
        if (error != 0)
            return error;
        off = off && dialect_is_off(dialect, from->scale);
    }
    if (dialect->bounded_ranges) {
        int error = dialect_check_ranges(regions, histogram->region_count);
        if (error != 0)
            return error;
    }
    return off ? 1 : 0;
}

static int check_histogram(const struct pprofil_histogram *histogram, const struct dialect *dialect)
{
    unsigned size = histogram->counter_size;

    if (dialect == NULL || dialect->arithmetic == DIALECT_RAW)
        return -EINVAL;
    if (size != 0 && size != 2 && size != 4 && size != 8)
        return -EINVAL;
    return histogram->region_count > WIRE_PROFIL_REGIONS_MAX ? -E2BIG : 0;
}

int pprofil_profil_regions(pprofil_session *session, pid_t pid, const struct pprofil_histogram *asked)
{
    struct pprofil_histogram histogram = {0};
    struct dialect_count *count = NULL;

    memcpy(&histogram, asked, asked->size < sizeof histogram ? asked->size : sizeof histogram);
    const struct dialect *dialect = histogram.dialect == NULL ? NULL : dialect_find(histogram.dialect);
    int error = check_histogram(&histogram, dialect);
    if (error != 0)
        return error;
    size_t room = histogram.region_count + 1;
    struct dialect_region *regions = calloc(room, sizeof *regions);
    uint64_t *addresses = calloc(room, sizeof *addresses);
    error = regions == NULL || addresses == NULL ? -ENOMEM : dialect_regions(dialect, &histogram, regions, addresses);
    if (error == 0) {
        count = dialect_count_new(dialect, histogram.counter_size, regions, addresses, histogram.region_count);
        error = count == NULL ? -ENOMEM : 0;
    }
    free(regions);
    free(addresses);
    if (error > 0)
        return pprofil_profil_stop(session, pid);
    if (error != 0)
        return error;
    count->overflow = (uintptr_t)histogram.overflow;
    if (histogram.period_ns != 0)
        count->period_ns = histogram.period_ns;
    return histograms_put(session, pid, count, histogram.by_call);
}

int pprofil_profil(pprofil_session *session, pid_t pid, const char *dialect, void *buffer,
                   size_t size, uint64_t offset, uint32_t scale)
{
    const struct pprofil_region region = {
        .buffer = buffer, .size = size, .offset = offset, .scale = scale};
    const struct pprofil_histogram histogram = {
        .size = sizeof histogram, .dialect = dialect, .regions = &region, .region_count = 1};

    return pprofil_profil_regions(session, pid, &histogram);
}

int pprofil_sprofil(pprofil_session *session, pid_t pid, const struct pprofil_region *regions,
                    size_t count, unsigned counter_size)
{
    const struct pprofil_histogram histogram = {.size = sizeof histogram,
                                                .dialect = "irix-sprofil",
                                                .counter_size = counter_size,
                                                .regions = regions,
                                                .region_count = count};

    if (count == 0)
        return pprofil_profil_stop(session, pid);
    return counter_size == 2 || counter_size == 4 ? pprofil_profil_regions(session, pid, &histogram) : -EINVAL;
}

int64_t pprofil_pcsample(pprofil_session *session, pid_t pid, uint64_t samples[], int64_t room)
{
    const struct session_histogram *before = *histogram_link(session, pid);
    struct dialect_pcsample state = {0};

    if (before != NULL)
        state = before->count->pcsample;
    int64_t stored = dialect_pcsample_call(&state, room);
    if (stored < 0)
        return stored;
    struct dialect_count *count = dialect_count_new(dialect_find("pcsample"), sizeof *samples, NULL, NULL, 0);
    if (count == NULL)
        return -ENOMEM;
    count->pcsample = state;
    count->array = (uintptr_t)samples;
    int error = histograms_put(session, pid, count, false);
    return error != 0 ? error : stored;
}

int pprofil_profil_stop(pprofil_session *session, pid_t pid)
{
    struct session_histogram **link = histogram_link(session, pid);

    if (*link != NULL)
        histograms_drop(link);
    return 0;
}

int pprofil_histogram_state(const pprofil_session *session, pid_t pid,
                            struct pprofil_histogram_state *state, size_t size)
{
    const struct session_histogram *entry = *histogram_link(session, pid);

    if (entry == NULL)
        return -ENOENT;
    const struct dialect_count *count = entry->count;
    const struct pprofil_histogram_state all = {.on = count->on,
                                                .ticks = count->ticks,
                                                .outside = count->outside,
                                                .overflows = count->overflows,
                                                .stored = count->pcsample.count};
    memcpy(state, &all, size < sizeof all ? size : sizeof all);
    return 0;
}

int pprofil_dialect_at(unsigned i, const char **name, const char **system, uint64_t *period_ns)
{
    const struct dialect *dialect = dialect_at(i);

    if (dialect == NULL)
        return -ENOENT;
    if (name != NULL)
        *name = dialect->name;
    if (system != NULL)
        *system = dialect->system;
    if (period_ns != NULL)
        *period_ns = dialect->period_ns;
    return 0;
}
