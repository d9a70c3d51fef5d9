/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges the processes and threads of two profiles. If both profiles have the same process or thread, it becomes one
 * entry. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/merge-tasks.h"
#include "profile/profile-internal.h"

/* --- processes ------------------------------------------------------------------------- */

static uint32_t merge_hash_process(const struct profile_process *process, uint32_t comm)
{
    return hash_pair(hash_pair(process->pid, process->start), comm);
}

static bool merge_is_same_process(const struct merger *merger, const struct profile_process *a,
                                  const struct profile_process *b)
{
    return a->pid == b->pid && a->ppid == b->ppid && a->start == b->start && a->comm == merger->strings[b->comm] &&
           a->host == merger->strings[b->host] && a->job == merger->strings[b->job] &&
           a->rank == merger->strings[b->rank] && (a->start != 0 || a->pid == 0);
}

static void merge_join_process(struct profile_process *into, const struct profile_process *from)
{
    into->end = merge_greater(into->end, from->end);
    into->cpu_ns = merge_greater(into->cpu_ns, from->cpu_ns);
    if (from->status > into->status)
        into->status = from->status;
}

static int merge_process(struct merger *merger, uint32_t i)
{
    struct profile_process process = merger->from->processes[i];
    struct hash_index *known = &merger->into->index->known_processes;
    uint32_t comm = merger->strings[process.comm], hash = merge_hash_process(&process, comm);
    uint32_t at = hash, found;

    while ((found = hash_next(known, hash, &at)) != HASH_NONE) {
        struct profile_process *other = &merger->into->processes[found];
        if (!merge_is_same_process(merger, other, &process))
            continue;
        merge_join_process(other, &process);
        merger->processes[i] = found;
        merger->joined[i] = true;
        /* no other process of the profile `from` may join this process: the processes of one profile are distinct.
         * merge_remember_joined adds it again */
        hash_remove(known, hash, found);
        return 0;
    }
    process.comm = comm;
    process.host = merger->strings[process.host];
    process.job = merger->strings[process.job];
    process.rank = merger->strings[process.rank];
    merger->into->index->unnumbered = true;
    return profile_add_process(merger->into, &process, &merger->processes[i]);
}

static int merge_remember(struct profile *profile, uint32_t process)
{
    const struct profile_process *entry = &profile->processes[process];

    return hash_add(&profile->index->known_processes, merge_hash_process(entry, entry->comm), process);
}

static int merge_remember_joined(struct merger *merger)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < merger->from->process_count; i++)
        if (merger->joined[i])
            error = merge_remember(merger->into, merger->processes[i]);
    return error;
}

int merge_processes(struct merger *merger)
{
    struct profile_index *index = merger->into->index;
    int error = 0;

    while (error == 0 && index->known_process_count < merger->into->process_count)
        error = merge_remember(merger->into, index->known_process_count++);
    for (uint32_t i = 0; error == 0 && i < merger->from->process_count; i++)
        error = merge_process(merger, i);
    return error == 0 ? merge_remember_joined(merger) : error;
}

/* Compares two processes by pid, then by host, then by start time, then by name, then by the fields generation, job and
 * rank. */
static int merge_compare_processes(const void *left, const void *right, void *context)
{
    const struct profile *profile = context;
    const struct profile_process *a = &profile->processes[*(const uint32_t *)left];
    const struct profile_process *b = &profile->processes[*(const uint32_t *)right];
    int result = merge_order(a->pid, b->pid);

    if (result == 0)
        result = strcmp(merge_text(profile, a->host), merge_text(profile, b->host));
    if (result == 0)
        result = merge_order(a->start, b->start);
    if (result == 0)
        result = strcmp(merge_text(profile, a->comm), merge_text(profile, b->comm));
    if (result == 0)
        result = merge_order(a->generation, b->generation);
    if (result == 0)
        result = strcmp(merge_text(profile, a->job), merge_text(profile, b->job));
    return result != 0 ? result : strcmp(merge_text(profile, a->rank), merge_text(profile, b->rank));
}

static bool merge_repeats_generation(const struct profile *profile, const uint32_t *same, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (profile->processes[same[i]].generation <= profile->processes[same[i - 1]].generation)
            return true;
    return false;
}

int profile_number_generations(struct profile *profile)
{
    uint32_t count = profile->process_count, *sorted;

    if (!profile->index->unnumbered)
        return 0;
    sorted = calloc(count + 1u, sizeof *sorted);
    if (sorted == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = i;
    qsort_r(sorted, count, sizeof *sorted, merge_compare_processes, profile);
    for (uint32_t first = 0, next; first < count; first = next) {
        uint32_t pid = profile->processes[sorted[first]].pid;
        for (next = first + 1; next < count && profile->processes[sorted[next]].pid == pid; next++)
            ;
        if (!merge_repeats_generation(profile, sorted + first, next - first))
            continue;
        for (uint32_t i = first; i < next; i++)
            profile->processes[sorted[i]].generation = i - first;
    }
    profile->index->unnumbered = false;
    free(sorted);
    return 0;
}

/* --- threads --------------------------------------------------------------------------- */

static uint32_t merge_hash_thread(const struct profile_thread *thread)
{
    return hash_pair(hash_pair(thread->process, thread->tid), thread->comm);
}

static int merge_thread(struct merger *merger, uint32_t i)
{
    const struct hash_index *known = &merger->into->index->known_threads;
    const struct profile_thread *from = &merger->from->threads[i];
    struct profile_thread thread = {
        .process = merger->processes[from->process], .tid = from->tid, .comm = merger->strings[from->comm]};
    uint32_t hash = merge_hash_thread(&thread), at = hash, found;

    while (merger->joined[from->process] && (found = hash_next(known, hash, &at)) != HASH_NONE) {
        const struct profile_thread *other = &merger->into->threads[found];
        if (other->process == thread.process && other->tid == thread.tid && other->comm == thread.comm) {
            merger->threads[i] = found;
            merger->joined_thread_count += merger->from->processes[from->process].pid != 0;
            return 0;
        }
    }
    return profile_add_thread(merger->into, &thread, &merger->threads[i]);
}

int merge_threads(struct merger *merger)
{
    struct profile_index *index = merger->into->index;
    int error = 0;

    for (; error == 0 && index->known_thread_count < merger->into->thread_count; index->known_thread_count++)
        error = hash_add(&index->known_threads, merge_hash_thread(&merger->into->threads[index->known_thread_count]),
                         index->known_thread_count);
    for (uint32_t i = 0; error == 0 && i < merger->from->thread_count; i++)
        error = merge_thread(merger, i);
    return error;
}
