/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A SIGPIPE that only the rest of a call raises: see stray-sigpipe.h. */
#include "config.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "supervisor/debug-log.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/stray-sigpipe.h"
#include "supervisor/supervisor.h"

#define STRAY_MASK (UINT64_C(1) << (SIGPIPE - 1))

void stray_sigpipe_begin(struct tracee *tracee)
{
    struct stray_sigpipe *stray = &tracee->repair.sigpipe;

    stray->was_pending = procfs_signal_is_pending(tracee->tid, SIGPIPE);
    stray->is_pending = false;
}

static void stray_unblock(struct tracee *tracee)
{
    struct stray_sigpipe *stray = &tracee->repair.sigpipe;
    uint64_t all_others = ~STRAY_MASK; /* or one of them might come first */

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
        stray_unblock(tracee);
}

/* The kernel sends it as if the process had (SEND_SIG_NOINFO); what a thread sends by tgkill(2) is SI_TKILL. */
static bool stray_is_sent_by_kernel(pid_t tid)
{
    siginfo_t info;

    return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 && info.si_code == SI_USER;
}

bool stray_sigpipe_take(struct tracee *tracee, int signal)
{
    struct stray_sigpipe *stray = &tracee->repair.sigpipe;
    bool takes = stray->is_pending && signal == SIGPIPE && stray_is_sent_by_kernel(tracee->tid);

    stray_sigpipe_restore_mask(tracee);
    if (signal == SIGPIPE)
        stray->is_pending = false;
    if (takes)
        debug_log(tracee->tracer, "drop %d %d", tracee->tid, signal);
    return takes;
}
