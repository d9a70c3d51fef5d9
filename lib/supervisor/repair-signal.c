/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles signals that come while we continue a call by pieces (shorter calls that do the rest). Holds some of these
 * signals until the next piece begins. Removes a SIGPIPE that a piece has raised, if one whole call would not have
 * raised it. See repair.h. */
#include "config.h"

#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "supervisor/debug-log.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/repair.h"
#include "supervisor/supervisor.h"

#define SIGRTMIN_OF_KERNEL 32 /* glibc's SIGRTMIN is higher, because glibc uses the first real-time signals itself */
#define STRAY_MASK (UINT64_C(1) << (SIGPIPE - 1))

/* --- signals that are held ----------------------------------------------------------------------- */

/* Returns true if the signal may be held. The signal of a fault may not: it must come at the instruction that caused
 * it. A signal of job control may not: if it were sent again, the kernel would remove other signals from the queue
 * (prepare_signal in kernel/signal.c). */
static bool held_signal_may_hold(int signal)
{
    static const int others[] = {SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,  SIGTRAP, SIGSYS,
                                 SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (signal == others[i])
            return false;
    return true;
}

bool held_signal_is_free(struct held_signal *held, pid_t tid)
{
    if (held->is_queued && !procfs_signal_is_pending(tid, held->info.si_signo)) {
        /* meanwhile the program has begun to ignore the signal by sigaction(2), which removes pending signals from the
         * queue */
        held->info.si_signo = 0;
        held->is_queued = false;
    }
    return held->info.si_signo == 0;
}

bool held_signal_hold(struct held_signal *held, pid_t tid, int signal)
{
    if (!held_signal_is_free(held, tid) || !held_signal_may_hold(signal))
        return false;
    if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &held->info) != 0)
        held->info.si_signo = 0;
    held->is_queued = false;
    return held->info.si_signo != 0;
}

bool held_signal_waits(const struct held_signal *held)
{
    return held->info.si_signo != 0 && !held->is_queued;
}

int held_signal_take(struct held_signal *held)
{
    if (!held_signal_waits(held))
        return 0;
    held->is_queued = true;
    return held->info.si_signo;
}

void held_signal_send(struct tracee *tracee, pid_t pid)
{
    struct held_signal *held = &tracee->repair.held;
    int signal = held_signal_take(held);

    if (signal == 0)
        return;
    if (tgkill(pid, tracee->tid, signal) == 0)
        debug_log(tracee->tracer, "send %d %d", tracee->tid, signal);
    else
        /* the kernel does not permit it, because we may have CAP_SYS_PTRACE without CAP_KILL */
        held->is_queued = false;
}

/* Returns true if this is a held signal that we have sent again. There are two ways to send it:
 * - The thread is at a syscall-stop, and we pass the signal when we resume it. Then ptrace_report_syscall in the kernel
 *   sends the signal. si_code is SI_KERNEL, or SI_USER if the kernel had no memory for a siginfo_t.
 * - held_signal_send sends the signal. si_code is SI_TKILL. */
static bool held_signal_is_sent_again(const siginfo_t *info)
{
    return ((info->si_code == SI_KERNEL || info->si_code == SI_USER) && info->si_pid == 0) ||
           (info->si_code == SI_TKILL && info->si_pid == getpid());
}

/* Several real-time signals with the same number may be pending. If the first of them was held and sent again, it is
 * delivered after the others. To restore the order, the first signal that is delivered gets the siginfo_t of the held
 * signal, and each later one gets the original siginfo_t of the signal before it. */
bool held_signal_restore(struct held_signal *held, pid_t tid, int signal)
{
    siginfo_t info;

    if (held->info.si_signo != signal || !held->is_queued || ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0)
        return false;
    bool is_ours = held_signal_is_sent_again(&info);
    /* true if this is another real-time signal with the same number, which is delivered before the one that we sent
     * again. Then ours is still pending, unless a sigaction(2) has emptied the queue */
    bool comes_before = !is_ours && signal >= SIGRTMIN_OF_KERNEL && procfs_signal_is_pending(tid, signal);
    if (is_ours || comes_before)
        ptrace(PTRACE_SETSIGINFO, tid, NULL, &held->info);
    if (comes_before) {
        held->info = info;
        return true;
    }
    held->info.si_signo = 0;
    held->is_queued = false;
    return is_ours;
}

/* --- SIGPIPE --------------------------------------------------------------------------------- */

void stray_sigpipe_begin(struct tracee *tracee)
{
    struct stray_sigpipe *stray = &tracee->repair.sigpipe;

    stray->was_pending = procfs_signal_is_pending(tracee->tid, SIGPIPE);
    stray->is_pending = false;
}

static void stray_sigpipe_unblock(struct tracee *tracee)
{
    struct stray_sigpipe *stray = &tracee->repair.sigpipe;
    /* with this mask, all signals except SIGPIPE are blocked, so SIGPIPE is delivered first */
    uint64_t all_others = ~STRAY_MASK;

    if (ptrace(PTRACE_GETSIGMASK, tracee->tid, sizeof stray->mask, &stray->mask) != 0 ||
        (stray->mask & STRAY_MASK) == 0)
        return;
    stray->is_unblocked = ptrace(PTRACE_SETSIGMASK, tracee->tid, sizeof all_others, &all_others) == 0;
    if (stray->is_unblocked)
        debug_log(tracee->tracer, "mask %d %llx", tracee->tid, (unsigned long long)all_others);
}

void stray_sigpipe_restore_mask(struct tracee *tracee)
{
    struct stray_sigpipe *stray = &tracee->repair.sigpipe;

    if (!stray->is_unblocked)
        return;
    stray->is_unblocked = false;
    if (ptrace(PTRACE_SETSIGMASK, tracee->tid, sizeof stray->mask, &stray->mask) == 0)
        debug_log(tracee->tracer, "mask %d %llx", tracee->tid, (unsigned long long)stray->mask);
}

void stray_sigpipe_look(struct tracee *tracee)
{
    struct stray_sigpipe *stray = &tracee->repair.sigpipe;

    stray->is_pending = !stray->was_pending && procfs_signal_is_pending(tracee->tid, SIGPIPE);
    if (!stray->is_pending)
        stray_sigpipe_restore_mask(tracee);
    else if (!stray->is_unblocked)
        stray_sigpipe_unblock(tracee);
}

/* To be called at the signal-delivery stop of a SIGPIPE. Returns true if the kernel has sent it for a write. Then
 * si_code is SI_USER (SEND_SIG_NOINFO). If a thread has sent it by tgkill(2), si_code is SI_TKILL. */
static bool stray_sigpipe_is_sent_by_kernel(pid_t tid)
{
    siginfo_t info;

    return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 && info.si_code == SI_USER;
}

bool stray_sigpipe_take(struct tracee *tracee, int signal)
{
    struct stray_sigpipe *stray = &tracee->repair.sigpipe;
    bool takes = stray->is_pending && signal == SIGPIPE && stray_sigpipe_is_sent_by_kernel(tracee->tid);

    stray_sigpipe_restore_mask(tracee);
    if (signal == SIGPIPE)
        stray->is_pending = false;
    if (takes)
        debug_log(tracee->tracer, "drop %d %d", tracee->tid, signal);
    return takes;
}
