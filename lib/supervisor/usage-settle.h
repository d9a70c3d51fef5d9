/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usage-settle: what is kept of what a process has used, and the figures that are computed from it at the end.
 *
 * Some counts of a zombie can only be read together with those of the children for which the process has waited: its
 * I/O, its maximum resident set size, and the split of its CPU time. The kernel adds a child's counts to its parent's
 * when the parent reaps it. So the sums of the children that have ended here are subtracted, if the numbers of page
 * faults prove that these are the children for which the process has waited.
 */
#ifndef PPROFIL_USAGE_SETTLE_H
#define PPROFIL_USAGE_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/proc/procfs-usage.h"
#include "wire/wire.h"

/* What a thread has used; each value may be WIRE_UNKNOWN. */
struct thread_usage {
    uint64_t run_delay_ns;           /* how long it waited for a CPU */
    uint64_t voluntary, involuntary; /* context switches */
};

/* What processes have used together with the children for which they have waited. */
struct usage_sums {
    uint64_t user_us, system_us;
    uint64_t minor_faults, major_faults;
    uint64_t max_rss_kb; /* the largest of all */
    struct procfs_io io;
};

struct process_usage {
    int io_fd;              /* owned: what procfs_open_io returned */
    uint32_t threads;       /* how many threads the process has had */
    bool incomplete;        /* the end of a thread was missed, or a thread could not be traced */
    bool left_out;          /* the process is not followed, so no usage is reported */
    bool attached;          /* the process was not followed from its beginning, and was not launched */
    uint64_t launch_rss_kb; /* largest resident set that a launched process may have before its exec; 0: not launched */
    /* base_cpu_ns, base: the counts that were reached before the process was followed */
    uint64_t base_cpu_ns;
    struct procfs_usage base;
    struct thread_usage ended;  /* sum of the threads that have ended */
    struct usage_sums children; /* sum of the children that have ended */
    bool settled;               /* `figures` are final */
    struct wire_usage figures;
};

/* Returns by how much a count is larger than `base`; 0 if it is not. If one of them is WIRE_UNKNOWN, returns that. */
uint64_t usage_since(uint64_t count, uint64_t base);
/* Makes all figures unknown that may be. */
void usage_forget_figures(struct wire_usage *figures);
/* Computes usage->figures from what was read at the end, except the figures that are sums of the threads. cpu_ns: CPU
 * time of the process since its beginning, or WIRE_UNKNOWN. both: what wait(2) reports for the process and the children
 * for which it has waited; NULL: the process lives. max_rss_kb: maximum resident set size of a process that lives; 0:
 * not known. */
void usage_settle(struct process_usage *usage, const struct procfs_usage *end, uint64_t cpu_ns,
                  const struct usage_sums *both, uint64_t max_rss_kb);

#endif
