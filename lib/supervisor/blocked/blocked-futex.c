/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds out for which lock a thread waits, and which thread holds it.
 *
 * The word of a lock is known in these cases:
 *
 *     futex(2): a lock with priority inheritance. The word contains the tid of the holder
 *     glibc, a robust mutex, and musl, every mutex: as above, and the waiter has passed the word as its value
 *     glibc, any other mutex: nptl/lowlevellock.h: the word is 2, so waiters pass the value 2;
 *         sysdeps/nptl/bits/struct_mutex.h: the tid of the holder is 8 bytes behind the word
 *     glibc, a read-write lock: sysdeps/nptl/bits/struct_rwlock.h: most waiters sleep on two words within it, with the
 *         values of nptl/pthread_rwlock_common.c. The tid of a writer is in the lock; readers are only counted
 *     pthread_join(3): the word contains the tid of the thread until it has ended
 *
 * A word of another kind of lock may by chance look like one of these. So the holder must be a thread of the process,
 * or, for a futex that processes share, a thread that is traced.
 */
#include "config.h"

#include <linux/futex.h>

#include "supervisor/blocked/blocked.h"
#include "supervisor/supervisor.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13 /* since Linux 5.14 */
#endif
#define GLIBC_LOCKED_WITH_WAITERS 2u
#define GLIBC_OWNER_WORD 2u /* index of __owner in pthread_mutex_t, in words; __lock is the first one */
/* a process in a PID namespace has its own numbers for threads; at most so many threads are asked for theirs */
#define NAMESPACE_THREADS_MAX 128u

/* Returns the tid by which we know the thread of the process that has the number `tid` in its own PID namespace; 0:
 * there is none. */
static pid_t blocked_thread_by_own_number(const struct process *process, pid_t tid)
{
    unsigned left = NAMESPACE_THREADS_MAX;

    for (const struct tracee *other = process->tracees; other != NULL && left > 0; other = other->process_next, left--)
        if (other->tid == tid)
            return tid;
    if (procfs_status_number(process->pid, "NSpid:") == process->pid) /* it has the same numbers as we */
        return procfs_is_thread(process->pid, tid) ? tid : 0;
    left = NAMESPACE_THREADS_MAX;
    for (const struct tracee *other = process->tracees; other != NULL && left > 0; other = other->process_next, left--)
        if (procfs_status_number(other->tid, "NSpid:") == tid)
            return other->tid;
    return 0;
}

/* The first words of pthread_rwlock_t, as words of 32 bits. */
enum rwlock_word {
    RWLOCK_READERS, /* flags, and above them the number of readers */
    RWLOCK_WRITERS,
    RWLOCK_PHASE_FUTEX,
    RWLOCK_WRITERS_FUTEX,
    RWLOCK_PAD3,
    RWLOCK_PAD4,
    RWLOCK_WRITER, /* tid of the writer that holds the lock */
    RWLOCK_WORDS,
};
#define RWLOCK_WRITE_PHASE 1u
#define RWLOCK_WRITE_LOCKED 2u
#define RWLOCK_READERS_SHIFT 3u
#define RWLOCK_FUTEX_USED 2u

static bool blocked_set_holder(struct blocked *blocked, const struct tracee *waiter, uint32_t number, bool is_private)
{
    pid_t tid = blocked_thread_by_own_number(waiter->process, (pid_t)number);

    if (tid == 0 && !is_private && tracee_find(&waiter->tracer->tracees, (pid_t)number) != NULL)
        tid = (pid_t)number;
    if (tid == 0 || tid == waiter->tid)
        return false;
    blocked->holder = (uint32_t)tid;
    return true;
}

/* Returns true if a thread that passes this value waits for a lock. Stores the number of the thread that holds the
 * lock; 0: none holds it at this moment, or the lock does not say it. */
static bool blocked_is_lock(pid_t tid, uint64_t address, unsigned operation, uint32_t value, uint32_t *number)
{
    uint32_t words[GLIBC_OWNER_WORD + 1];
    bool inherits = operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2;
    bool marked = operation == FUTEX_WAIT && (value & FUTEX_WAITERS) != 0;

    *number = 0;
    if (inherits || marked) {
        if (blocked_read_memory(tid, address, words, sizeof *words) == 0)
            *number = words[0] & FUTEX_TID_MASK;
        return true;
    }
    if (value != GLIBC_LOCKED_WITH_WAITERS || (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET))
        return false;
    if (blocked_read_memory(tid, address, words, sizeof words) == 0 && words[0] == GLIBC_LOCKED_WITH_WAITERS)
        *number = words[GLIBC_OWNER_WORD];
    return true;
}

/* Returns true if the words are those of a lock on which somebody sleeps at `sleeps_at`, with this value. */
static bool blocked_are_rwlock(const uint32_t *words, enum rwlock_word sleeps_at, uint32_t value)
{
    bool is_written = (words[RWLOCK_READERS] & RWLOCK_WRITE_PHASE) != 0;
    bool first_writer_waits = sleeps_at == RWLOCK_PHASE_FUTEX && value == RWLOCK_FUTEX_USED;

    if (words[sleeps_at] != value || words[RWLOCK_PAD3] != 0 || words[RWLOCK_PAD4] != 0 ||
        (words[RWLOCK_READERS] & RWLOCK_WRITE_LOCKED) == 0)
        return false;
    if (!first_writer_waits && value != (RWLOCK_FUTEX_USED | 1u))
        return false;
    if (is_written)
        return !first_writer_waits && words[RWLOCK_WRITER] != 0;
    /* readers hold the lock, and writers wait for them */
    return (first_writer_waits || sleeps_at == RWLOCK_WRITERS_FUTEX) && words[RWLOCK_WRITER] == 0 &&
           words[RWLOCK_READERS] >> RWLOCK_READERS_SHIFT > 0;
}

/* Returns true if the thread waits for a read-write lock. Then *address becomes that of the lock, and *number that of
 * the thread that writes; 0: readers hold the lock. */
static bool blocked_is_rwlock(pid_t tid, uint64_t *address, unsigned operation, uint32_t value, uint32_t *number)
{
    static const enum rwlock_word places[] = {RWLOCK_WRITERS_FUTEX, RWLOCK_PHASE_FUTEX};
    uint32_t words[RWLOCK_WORDS];

    if ((operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) || (value & RWLOCK_FUTEX_USED) == 0 || value > 3)
        return false;
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        uint64_t lock = *address - places[i] * sizeof *words;
        if (blocked_read_memory(tid, lock, words, sizeof words) != 0 || !blocked_are_rwlock(words, places[i], value))
            continue;
        *address = lock;
        *number = words[RWLOCK_WRITER];
        return true;
    }
    return false;
}

/* Returns true if the thread waits for the end of another one: the kernel clears the word then, for all processes. */
static bool blocked_joins(pid_t tid, uint64_t address, unsigned operation, uint32_t value)
{
    uint32_t word;

    return (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && value > GLIBC_LOCKED_WITH_WAITERS &&
           blocked_read_memory(tid, address, &word, sizeof word) == 0 && word == value;
}

static bool blocked_describe_word(struct blocked *blocked, const struct tracee *tracee, uint64_t address,
                                  unsigned operation, bool is_private, uint32_t value)
{
    uint32_t number;

    blocked->address = address;
    blocked->kind = WIRE_WAIT_FUTEX;
    /* a lock that is just being handed over may not look like one */
    blocked->changes = value == GLIBC_LOCKED_WITH_WAITERS || value == (RWLOCK_FUTEX_USED | 1u);
    bool is_lock = blocked_is_lock(tracee->tid, address, operation, value, &number);
    if (number == 0 && blocked_is_rwlock(tracee->tid, &blocked->address, operation, value, &number))
        is_lock = true;
    if (is_lock) {
        blocked->kind = WIRE_WAIT_LOCK;
        blocked->changes = true;
        if (number != 0)
            blocked_set_holder(blocked, tracee, number, is_private);
    } else if (!is_private && blocked_joins(tracee->tid, address, operation, value) &&
               blocked_set_holder(blocked, tracee, value, true)) {
        blocked->kind = WIRE_WAIT_THREAD;
        blocked->address = 0;
    }
    return true;
}

bool blocked_describe_futex(struct blocked *blocked, const struct tracee *tracee, const uint64_t *arguments)
{
    return blocked_describe_word(blocked, tracee, arguments[0], (unsigned)arguments[1] & (unsigned)FUTEX_CMD_MASK,
                                 (arguments[1] & FUTEX_PRIVATE_FLAG) != 0, (uint32_t)arguments[2]);
}

bool blocked_describe_futex2(struct blocked *blocked, const struct tracee *tracee, const uint64_t *arguments)
{
    /* FUTEX2_PRIVATE is the same bit, and this call has only one operation */
    return blocked_describe_word(blocked, tracee, arguments[0], FUTEX_WAIT, (arguments[3] & FUTEX_PRIVATE_FLAG) != 0,
                                 (uint32_t)arguments[1]);
}
