/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "base/hash.h"
#include "supervisor/blocked/blocked.h"
#include "supervisor/emit.h"
#include "supervisor/supervisor.h"

static bool blocked_describe_child(struct blocked *blocked, bool any, uint64_t pid)
{
    blocked->kind = WIRE_WAIT_CHILD;
    blocked->number = any ? 0 : (int32_t)pid;
    return true;
}

/* Who holds the lock of a file is in /proc/locks. But while that is read, the kernel blocks all locks of files of the
 * machine: locks_start in fs/locks.c. */
static bool blocked_describe_file_lock(struct blocked *blocked, pid_t pid, pid_t tid, int fd)
{
    bool is_known = blocked_describe_file(blocked, pid, tid, fd);

    blocked->kind = WIRE_WAIT_FILE_LOCK;
    return is_known;
}

static bool blocked_describe_kind(struct blocked *blocked, uint32_t kind, uint64_t number)
{
    blocked->kind = kind;
    blocked->number = (int32_t)number;
    return true;
}

/* Fills in waits->found. Returns false if it cannot be found out. */
static bool blocked_describe(struct waits *waits, struct tracee *tracee, const struct procfs_state *state)
{
    struct blocked *blocked = &waits->found;
    const struct blocked_call call = blocked_call_by_number(state->syscall);
    const uint64_t *arguments = state->arguments + call.argument;
    pid_t pid = tracee->process->pid, tid = tracee->tid;

    blocked->kind = blocked->holder = blocked->file_count = blocked->size = 0;
    blocked->changes = false;
    blocked->address = 0;
    blocked->number = 0;
    if (state->syscall == WIRE_PAGE_FAULT)
        return blocked_describe_kind(blocked, WIRE_WAIT_PAGE, 0);
    switch (call.way) {
    case BLOCKED_FILE:
        return blocked_describe_file(blocked, pid, tid, (int)*arguments);
    case BLOCKED_FLOCK:
        return blocked_describe_file_lock(blocked, pid, tid, (int)*arguments);
    case BLOCKED_FCNTL:
        return arguments[1] == F_SETLKW || arguments[1] == F_OFD_SETLKW
                   ? blocked_describe_file_lock(blocked, pid, tid, (int)*arguments)
                   : blocked_describe_file(blocked, pid, tid, (int)*arguments);
    case BLOCKED_POLL:
        return blocked_describe_poll(blocked, pid, tid, arguments);
    case BLOCKED_SELECT:
        return blocked_describe_select(blocked, pid, tid, arguments);
    case BLOCKED_EPOLL:
        return blocked_describe_epoll(waits, tracee, arguments);
    case BLOCKED_PATH:
        return blocked_describe_path(blocked, tid, *arguments);
    case BLOCKED_FUTEX:
        return blocked_describe_futex(blocked, tracee, arguments);
    case BLOCKED_FUTEX2:
        return blocked_describe_futex2(blocked, tracee, arguments);
    case BLOCKED_CHILD:
        return blocked_describe_child(blocked, (int32_t)*arguments <= 0, *arguments);
    case BLOCKED_CHILD_ID:
        return blocked_describe_child(blocked, arguments[0] != P_PID, arguments[1]);
    case BLOCKED_IPC:
        return blocked_describe_kind(blocked, WIRE_WAIT_IPC, *arguments);
    case BLOCKED_TIME:
        return blocked_describe_kind(blocked, WIRE_WAIT_TIME, 0);
    case BLOCKED_SIGNAL:
        return blocked_describe_kind(blocked, WIRE_WAIT_SIGNAL, 0);
    default:
        return false;
    }
}

/* Returns true if what was found is right: if more was read than the state of the tracee, it must still be in that
 * state. */
static bool blocked_is_settled(const struct blocked *found, struct tracee *tracee, const struct procfs_state *state,
                               const struct procfs_cpu *cpu)
{
    switch (found->kind) {
    case WIRE_WAIT_CHILD:
    case WIRE_WAIT_TIME:
    case WIRE_WAIT_SIGNAL:
    case WIRE_WAIT_IPC:
    case WIRE_WAIT_PAGE:
        return true;
    default:
        return procfs_sleep_goes_on(&tracee->files, state, cpu);
    }
}

/* Gives what was found its id. The same address is another variable after an exec. Returns 0 if the ring is full. */
static uint16_t blocked_intern(struct supervisor *supervisor, const struct process *process)
{
    struct waits *waits = &supervisor->waits;
    const struct blocked *found = &waits->found;
    const uint64_t numbers[] = {(uint64_t)process->pid, process->program_at, found->kind,
                                found->holder,          found->address,      (uint64_t)found->number};
    uint64_t hash = hash_fnv(hash_fnv(HASH_FNV_START, numbers, sizeof numbers), found->files, found->size);
    bool known;
    uint16_t id = wire_ids_find(&waits->ids, hash, &known);

    if (known)
        return id;
    if (!emit_wait(supervisor, id, process->pid, found))
        return 0;
    wire_ids_add(&waits->ids, hash, id);
    return id;
}

uint16_t blocked_on(struct supervisor *supervisor, struct tracee *tracee, const struct procfs_state *state,
                    const struct procfs_cpu *cpu)
{
    struct waits *waits = &supervisor->waits;
    uint16_t id = 0;

    /* the call of a stopped tracee is over, and a continued call is not the program's own */
    if ((tracee->sleep.letter != 'S' && tracee->sleep.letter != 'D') || tracee->state == TRACEE_CONTINUING ||
        state->pc == 0)
        return 0;
    if (wire_sleep_id_holds(&tracee->sleep.wait, &waits->ids, cpu->turns))
        return tracee->sleep.wait.id;
    /* the pc is known only if "syscall" was read. What is read here waits for an exec only if reading "syscall" does */
    if (blocked_describe(waits, tracee, state) && blocked_is_settled(&waits->found, tracee, state, cpu))
        id = blocked_intern(supervisor, tracee->process);
    wire_sleep_id_set(&tracee->sleep.wait, &waits->ids, id, waits->found.changes ? 0 : cpu->turns);
    return id;
}
