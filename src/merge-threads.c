/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merges files in several threads. Each thread takes the next file, adds it to a profile of its own, and closes it. At
 * the end, the profiles of the threads are merged. Merging gives the same result in any order, so it does not matter
 * which thread took which file. The memory that is needed is that of the threads' profiles and of a file for each.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "merge.h"

struct merge_shared {
    const struct merge_work *work;
    _Atomic size_t next, left_out;
    _Atomic bool failed; /* a thread has complained, and all threads end */
};

struct merge_thread {
    struct merge_shared *shared;
    pprofil_profile *merged; /* owned */
    pthread_t thread;
};

unsigned merge_threads_best(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    return cpus < 1 ? 1 : cpus > MERGE_THREADS_MAX ? MERGE_THREADS_MAX : (unsigned)cpus;
}

/* path: the file of *profile; NULL: it is the profile of a thread. */
static int merge_add(const struct merge_work *work, pprofil_profile *into, const pprofil_profile *profile,
                     const char *path)
{
    int error = pprofil_profile_merge(into, profile, work->how);

    if (path == NULL)
        path = "merge";
    if (error == PPROFIL_ERROR_MIXED_TIMES)
        return complain("%s: some profiles are of elapsed time, others of CPU time; --cpu merges the CPU time of all",
                        path);
    if (error == -EOVERFLOW)
        return complain("%s: with this profile the sums overflow", path);
    return error == 0 ? 0 : complain_file(path, error, false);
}

static void *merge_thread_run(void *argument)
{
    struct merge_thread *thread = argument;
    struct merge_shared *shared = thread->shared;
    const struct merge_work *work = shared->work;
    const struct pprofil_file file = {.size = sizeof file,
                                      .format = work->selection->format,
                                      .object = work->selection->selection.object};
    size_t i;

    while (!shared->failed && (i = atomic_fetch_add(&shared->next, 1)) < work->inputs->count) {
        const char *path = work->inputs->paths[i];
        pprofil_profile *profile = open_profile(path, &file);
        if (profile == NULL) {
            shared->left_out++;
            continue;
        }
        if (merge_add(work, thread->merged, profile, path) != 0)
            shared->failed = true;
        pprofil_profile_close(profile);
    }
    return NULL;
}

/* Starts as many threads as possible, and runs one in the caller's. */
static int merge_threads_run(struct merge_shared *shared, struct merge_thread *threads, unsigned count)
{
    unsigned started = 1;
    int error = 0;

    for (unsigned i = 0; error == 0 && i < count; i++) {
        threads[i].shared = shared;
        error = pprofil_profile_new(&threads[i].merged);
    }
    if (error != 0)
        return complain_file("merge", error, false);
    while (started < count && pthread_create(&threads[started].thread, NULL, merge_thread_run, &threads[started]) == 0)
        started++;
    merge_thread_run(&threads[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(threads[i].thread, NULL);
    return shared->failed ? EXIT_OWN_FAILURE : 0;
}

/* Replaces *merged by its requested part. Returns 0, or complains and returns EXIT_OWN_FAILURE. */
static int merge_select(const struct merge_work *work, pprofil_profile **merged)
{
    char count[32];

    snprintf(count, sizeof count, "%zu files", work->inputs->count);
    return selection_apply(work->selection, work->inputs->count == 1 ? work->inputs->paths[0] : count, merged)
               ? 0
               : EXIT_OWN_FAILURE;
}

int merge_run(const struct merge_work *work, pprofil_profile **merged, size_t *left_out)
{
    struct merge_shared shared = {.work = work};
    struct merge_thread threads[MERGE_THREADS_MAX] = {0};
    unsigned count = work->threads;

    if (count > work->inputs->count)
        count = (unsigned)work->inputs->count;
    int status = merge_threads_run(&shared, threads, count);
    for (unsigned i = 1; i < count; i++) {
        if (status == 0)
            status = merge_add(work, threads[0].merged, threads[i].merged, NULL);
        pprofil_profile_close(threads[i].merged);
    }
    *merged = threads[0].merged;
    *left_out = shared.left_out;
    return status == 0 && *left_out < work->inputs->count ? merge_select(work, merged) : status;
}
