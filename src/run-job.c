/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run that is one of the ranks of a job: the launcher has started pprofil as often as the job has ranks, and each
 * pprofil starts the program once. The ranks share a terminal, so only rank 0 prints.
 */
#include "config.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/name-pattern.h"
#include "run.h"

/* Returns true if the ranks of a job would write the same file. Numbers of processes may be equal on two hosts, but
 * seldom are, and a job on one host needs no more. */
static bool run_job_shares_output(const struct run *run)
{
    const char *output = run->asked.output;

    return output != NULL && run_may_save_early(&run->asked) && !name_pattern_has(output, 'r') &&
           !name_pattern_has(output, 'p') && !name_pattern_has(output, 'n');
}

/* Complains if the output is a picture of all ranks, of which this pprofil sees only one. */
static int run_job_check_format(const struct run *run, bool first)
{
    const char *output = run->asked.output, *format = run->asked.format;

    if (output == NULL || strcmp(format != NULL ? format : pprofil_format_for(output), "rank-heat-svg") != 0)
        return 0;
    return !first ? EXIT_OWN_FAILURE
                  : complain("-o %s: this picture needs all ranks; save them with -o 'NAME-%%r.pb.gz', and then use "
                             "pprofil merge -o FILE.ranks.svg NAME-*", output);
}

int run_job_check(struct run *run)
{
    bool starts = run->asked.program != NULL;
    const char *output = run->asked.output != NULL ? run->asked.output : "";

    run->rank.rank = -1;
    if (starts) /* the program will inherit pprofil's environment */
        run->rank = job_rank_of_process(getpid());
    else if (name_pattern_has(output, 'r') || name_pattern_has(output, 'j')) /* not without need, for it may hang */
        run->rank = job_rank_of_process(run->asked.pids.pids[0]);
    if (!starts || run->rank.count < 2)
        return 0;
    bool first = run->rank.rank == 0;
    run->asked.quiet = run->asked.quiet || !first;
    int status = run_job_check_format(run, first);
    if (status != 0 || !run_job_shares_output(run))
        return status;
    return !first ? EXIT_OWN_FAILURE
                  : complain("-o %s: all %d ranks of this job would write this file; add %%r, the rank, to the name",
                             run->asked.output, (int)run->rank.count);
}

/* Writes the pattern that a shell replaces by the files of all ranks. Returns false if the shell would read other
 * characters of it as something special. */
static bool run_job_glob(const struct run *run, char glob[PATH_MAX])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:@,*";
    char program[RUN_NAME_SIZE];
    const struct name_pattern_values values = {.program = program, .host = "", .job = run->rank.job, .glob = true};

    run_program_name(&run->asked, program);
    return name_pattern_expand(run->pattern, &values, glob, PATH_MAX) == 0 && glob[strspn(glob, plain)] == '\0';
}

/* Returns true if the output is a file of a format that has the ranks of processes. */
static bool run_job_keeps_rank(const struct run *run)
{
    const char *output = run->asked.output;
    const char *format = run->asked.format != NULL ? run->asked.format : pprofil_format_for(output);

    return run->pattern != NULL && (strcmp(format, "pprof") == 0 || strcmp(format, "json") == 0);
}

void run_job_tell(const struct run *run)
{
    int count = (int)run->rank.count;
    char glob[PATH_MAX];

    if (run->asked.program == NULL || count < 2 || run->asked.quiet)
        return;
    if (run->asked.output == NULL)
        complain("this is rank 0 of %d; -o 'NAME-%%r.pb.gz' saves the profiles of all ranks", count);
    else if (!run_job_keeps_rank(run))
        return;
    else if (run_job_glob(run, glob))
        complain("this is rank 0 of %d; compare all ranks with: pprofil report --imbalance %s", count, glob);
    else
        complain("this is rank 0 of %d; pprofil report --imbalance compares the files of all ranks", count);
}
