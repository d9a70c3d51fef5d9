/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles calls that return EINTR and have done nothing. Decides which of these calls are begun anew. Some of them
 * would never end if ticks interrupted every attempt, so after several attempts it makes ticks wait. */
#include "config.h"

#include <errno.h>
#include <sys/syscall.h>

#include "supervisor/calls/calls-internal.h"
#include "supervisor/calls/calls.h"
#include "supervisor/regs.h"

/* After stops have broken a call BACKOFF_TIMES times in a row, ticks no longer interrupt the thread in this call. The
 * number is small, because a call may lose all its work at each of these stops. But two in a row may be chance if the
 * thread often waits. */
#define BACKOFF_TIMES 3u
#define BACKOFF_HOLD_MAX_NS (UINT64_C(1000) * BACKOFF_HOLD_NS)

/* Returns true if the call, which has returned EINTR, may be begun anew. close(2) may not: it has already freed the
 * descriptor. restart_syscall(2) may not: the kernel has forgotten which call it was to restart. Two ioctls of USB may
 * not: they may have moved data already (do_proc_bulk and do_proc_control in devio.c). Every other call that returns
 * EINTR has done nothing; only time has passed. */
static bool restart_may(const struct regs_call *call)
{
    if (call->number == call_number(call->abi, SYS_ioctl, 514, 54)) {
        uint32_t type = call->arguments[1] >> 8 & 0xff, number = call->arguments[1] & 0xff;
        return type != 'U' || (number != 0 && number != 2); /* 0 and 2: USBDEVFS_CONTROL and USBDEVFS_BULK */
    }
    return call->number != call_number(call->abi, SYS_close, 3, 6) &&
           call->number != call_number(call->abi, SYS_restart_syscall, 219, 0);
}

/* Returns true if the call is a BPF_PROG_LOAD. Such a call returns EAGAIN if a signal comes, because the verifier of
 * BPF programs then gives up: do_check in kernel/bpf/verifier.c. */
static bool restart_is_bpf_load(const struct regs_call *call)
{
    return call->number == call_number(call->abi, SYS_bpf, 321, 357) &&
           (call->lacks_first || call->arguments[0] == 5); /* BPF_PROG_LOAD */
}

bool call_is_interrupted(const struct regs_call *call)
{
    if (call->result == -EAGAIN)
        return restart_is_bpf_load(call);
    return call->result == -EINTR && restart_may(call);
}

/* Returns true only for KVM_RUN of ioctl_kvm(2), 0xae80: no work is lost, because the virtual CPU keeps the state of
 * the guest. */
bool call_undoes_nothing(const struct regs_call *call)
{
    return call->number == call_number(call->abi, SYS_ioctl, 514, 54) && (uint32_t)call->arguments[1] == 0xae80;
}

bool call_is_restarted_by_kernel(int64_t result)
{
    return result <= -512 && result >= -516; /* ERESTARTSYS to ERESTART_RESTARTBLOCK */
}

/* --- calls that are broken again and again: struct backoff -------------------------------------- */

bool backoff_note(struct backoff *backoff, int32_t syscall, uint64_t pc, uint64_t sp)
{
    bool same = backoff->syscall == syscall && backoff->pc == pc && backoff->sp == sp;

    if (!same)
        *backoff = (struct backoff){.syscall = syscall, .pc = pc, .sp = sp};
    backoff->phase = BACKOFF_NONE;
    backoff->times += backoff->times < BACKOFF_TIMES;
    return backoff->times == BACKOFF_TIMES;
}

void backoff_reset(struct backoff *backoff)
{
    *backoff = (struct backoff){.syscall = -1};
}

void backoff_begin(struct backoff *backoff)
{
    uint64_t next = backoff->hold_ns == 0 ? BACKOFF_HOLD_NS : 2 * backoff->hold_ns;

    backoff->hold_ns = next < BACKOFF_HOLD_MAX_NS ? next : BACKOFF_HOLD_MAX_NS;
    backoff->phase = BACKOFF_BEFORE_CALL;
}

bool backoff_follows(const struct backoff *backoff)
{
    return backoff->phase != BACKOFF_NONE;
}

bool backoff_holds(const struct backoff *backoff, uint64_t now)
{
    /* also true before the entry stop: an interrupt that is sent then would stop the thread immediately, and the exit
     * stop would not show that the call was interrupted */
    return backoff->phase == BACKOFF_BEFORE_CALL || (backoff->phase == BACKOFF_IN_CALL && now < backoff->until);
}

bool backoff_meets_call(struct backoff *backoff, bool interrupted, uint64_t now)
{
    bool ends = backoff->phase == BACKOFF_IN_CALL;

    backoff->phase = ends ? BACKOFF_NONE : BACKOFF_IN_CALL;
    if (!ends)
        backoff->until = now + backoff->hold_ns;
    else if (!interrupted)
        backoff->hold_ns = 0;
    return ends;
}

void backoff_end(struct backoff *backoff)
{
    backoff->phase = BACKOFF_NONE;
}
