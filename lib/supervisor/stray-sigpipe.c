/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A SIGPIPE that only the rest of a call raises: see stray-sigpipe.h. */
#include "config.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "supervisor/proc/procfs.h"
#include "supervisor/stray-sigpipe.h"

#define STRAY_MASK (UINT64_C(1) << (SIGPIPE - 1))

void stray_sigpipe_begin(struct stray_sigpipe *stray, pid_t tid)
{
    stray->was_pending = procfs_signal_is_pending(tid, SIGPIPE);
    stray->is_pending = false;
}

static void stray_unblock(struct stray_sigpipe *stray, pid_t tid)
{
    uint64_t all_others = ~STRAY_MASK; /* or one of them might come first */

    if (ptrace(PTRACE_GETSIGMASK, tid, sizeof stray->mask, &stray->mask) == 0 && (stray->mask & STRAY_MASK) != 0)
        stray->is_unblocked = ptrace(PTRACE_SETSIGMASK, tid, sizeof all_others, &all_others) == 0;
}

static void stray_restore_mask(struct stray_sigpipe *stray, pid_t tid)
{
    if (stray->is_unblocked)
        ptrace(PTRACE_SETSIGMASK, tid, sizeof stray->mask, &stray->mask);
    stray->is_unblocked = false;
}

void stray_sigpipe_look(struct stray_sigpipe *stray, pid_t tid)
{
    stray->is_pending = !stray->was_pending && procfs_signal_is_pending(tid, SIGPIPE);
    if (!stray->is_pending)
        stray_restore_mask(stray, tid);
    else if (!stray->is_unblocked)
        stray_unblock(stray, tid);
}

/* The kernel sends it as if the process had (SEND_SIG_NOINFO); what a thread sends by tgkill(2) is SI_TKILL. */
static bool stray_is_sent_by_kernel(pid_t tid)
{
    siginfo_t info;

    return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 && info.si_code == SI_USER;
}

bool stray_sigpipe_take(struct stray_sigpipe *stray, pid_t tid, int signal)
{
    bool takes = stray->is_pending && signal == SIGPIPE && stray_is_sent_by_kernel(tid);

    stray_restore_mask(stray, tid);
    if (signal == SIGPIPE)
        stray->is_pending = false;
    return takes;
}

void stray_sigpipe_pause(struct stray_sigpipe *stray, pid_t tid)
{
    stray_restore_mask(stray, tid);
}
