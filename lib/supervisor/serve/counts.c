/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts samples in a target's own memory, for programs that call profil(2) or a related function. If writing to that
 * memory fails, counting ends by the rules of the program's dialect, that is, of its variant of profil. The target does
 * not notice this. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"
#include "supervisor/serve/serve.h"
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"
#include "wire/wire.h"

/* value of counts.tid and counts.maker before the fork, when the child has no thread id yet */
#define FORKING_THREAD (-1)

static int counts_read(void *context, uint64_t address, void *to, size_t size)
{
    const pid_t *tid = context;

    return target_memory_read(*tid, address, to, size);
}

static int counts_write(void *context, uint64_t address, const void *from, size_t size)
{
    const pid_t *tid = context;

    return target_memory_write(*tid, address, from, size);
}

static struct counts *counts_at(const struct process *process, pid_t place)
{
    struct counts *entry = process->counts;

    while (entry != NULL && entry->tid != place)
        entry = entry->next;
    return entry;
}

struct dialect_count *counts_of(const struct process *process, pid_t tid)
{
    const struct counts *own = counts_at(process, tid);
    const struct counts *all = own == NULL ? counts_at(process, COUNTS_ALL_THREADS) : own;

    return all == NULL ? NULL : all->count;
}

struct dialect_count *counts_of_all(const struct process *process)
{
    const struct counts *all = counts_at(process, COUNTS_ALL_THREADS);

    return all != NULL && all->count->on ? all->count : NULL;
}

bool counts_has_own(const struct process *process, pid_t tid)
{
    return counts_at(process, tid) != NULL;
}

static bool counts_has_thread(const struct process *process, pid_t tid)
{
    const struct tracee *tracee = process->tracees;

    while (tracee != NULL && tracee->tid != tid)
        tracee = tracee->process_next;
    return tracee != NULL;
}

pid_t counts_place(const struct process *process, pid_t caller, enum wire_profil_scope scope, const char *dialect)
{
    const struct counts *all = counts_at(process, COUNTS_ALL_THREADS);

    if (scope == WIRE_PROFIL_OWN_THREAD)
        return caller;
    if (scope == WIRE_PROFIL_ALL_THREADS || all == NULL || !all->count->on || all->maker == caller)
        return COUNTS_ALL_THREADS;
    bool same_form = all->count->dialect == dialect_find(dialect);
    return same_form || !counts_has_thread(process, all->maker) ? COUNTS_ALL_THREADS : caller;
}

static void counts_drop(struct process *process, struct counts *gone)
{
    struct counts **link = &process->counts;

    while (*link != gone)
        link = &(*link)->next;
    *link = gone->next;
    process->count_owed_ns = gone->count->owed_ns;
    free(gone->count);
    free(gone);
}

int counts_put(struct process *process, pid_t place, pid_t maker, struct dialect_count *count)
{
    struct counts *entry = malloc(sizeof *entry), *former;

    if (entry == NULL) {
        free(count);
        return -ENOMEM;
    }
    /* if a thread starts a count for all threads, the count for that thread alone ends, too */
    while ((former = counts_at(process, place)) != NULL ||
           (place == COUNTS_ALL_THREADS && (former = counts_at(process, maker)) != NULL))
        counts_drop(process, former);
    count->owed_ns = process->count_owed_ns % count->period_ns;
    /* the next count begins with an owed_ns that is larger by 0.618 of a period, modulo the period: steps of the golden
     * ratio spread these values evenly */
    process->count_owed_ns = count->owed_ns + (uint64_t)((double)count->period_ns * 0.618);
    *entry = (struct counts){.next = process->counts, .tid = place, .maker = maker, .count = count};
    process->counts = entry;
    return 0;
}

void counts_stop(struct process *process, pid_t caller, enum wire_profil_scope scope)
{
    struct counts *own = counts_at(process, caller), *all = counts_at(process, COUNTS_ALL_THREADS);

    if (scope == WIRE_PROFIL_OWN_FORM && own == NULL && all != NULL && all->maker == caller)
        own = all;
    if (scope != WIRE_PROFIL_ALL_THREADS && own != NULL)
        counts_drop(process, own);
    else if (scope != WIRE_PROFIL_OWN_THREAD)
        counts_clear(process);
}

void counts_forget_thread(struct process *process, pid_t tid)
{
    struct counts *own = process->counts == NULL ? NULL : counts_at(process, tid);

    if (own != NULL)
        counts_drop(process, own);
}

void counts_clear(struct process *process)
{
    while (process->counts != NULL)
        counts_drop(process, process->counts);
}

void counts_free(struct counts *counts)
{
    while (counts != NULL) {
        struct counts *next = counts->next;
        free(counts->count);
        free(counts);
        counts = next;
    }
}

void counts_sample(struct tracee *tracee, const struct wire_sample *sample)
{
    /* the memory is accessed through this thread, which still exists, because it is stopped; any other thread may have
     * ended */
    pid_t tid = tracee->tid;
    const struct dialect_memory memory = {
        .read = counts_read, .write = counts_write, .context = &tid};
    struct dialect_count *count = counts_of(tracee->process, tid);

    if (count != NULL)
        dialect_count_cpu(count, &memory, sample->pc, sample->syscall >= 0, sample->cpu_ns);
}

/* Copies the count `from`, sets counts.tid of the copy to `tid`, and puts it at the head of `list`. Returns the new
 * list; or the old one, without a copy, if memory is short. */
static struct counts *counts_add_copy(struct counts *list, const struct counts *from, pid_t tid)
{
    struct counts *entry = malloc(sizeof *entry);
    struct dialect_count *count = entry == NULL ? NULL : dialect_count_copy(from->count);

    if (count == NULL) {
        free(entry);
        return list;
    }
    *entry = (struct counts){.next = list, .tid = tid, .maker = FORKING_THREAD, .count = count};
    return entry;
}

struct counts *counts_inherited(const struct process *parent, pid_t tid)
{
    struct counts *list = NULL;

    for (const struct counts *entry = parent->counts; entry != NULL; entry = entry->next) {
        const struct dialect_count *count = entry->count;
        if (count->dialect->fork == DIALECT_CHILD_STOPS || (entry->tid != COUNTS_ALL_THREADS && entry->tid != tid))
            continue;
        /* a count that is off is also inherited if a later call of pcsample must still return how many samples it
         * has */
        if (count->on || count->pcsample.count > 0)
            list = counts_add_copy(list, entry, entry->tid == tid ? FORKING_THREAD : COUNTS_ALL_THREADS);
    }
    return list;
}

void counts_draw_owed(struct process *process, uint64_t drawn)
{
    process->count_owed_ns = drawn;
    for (struct counts *entry = process->counts; entry != NULL; entry = entry->next)
        entry->count->owed_ns = drawn % entry->count->period_ns;
}

void counts_give(struct process *child, struct counts *inherited)
{
    for (struct counts *entry = inherited; entry != NULL; entry = entry->next) {
        entry->maker = child->pid;
        if (entry->tid == FORKING_THREAD)
            entry->tid = child->pid;
    }
    counts_clear(child);
    child->counts = inherited;
}

double counts_rate(const struct process *process)
{
    double hz = 0;

    for (const struct counts *entry = process->counts; entry != NULL; entry = entry->next)
        if (entry->count->on && 1e9 / (double)entry->count->period_ns > hz)
            hz = 1e9 / (double)entry->count->period_ns;
    return hz;
}
