/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of a run's output: checks it early, and makes it from the pattern of -o when the process is known. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/job-rank.h"
#include "base/name-pattern.h"
#include "base/output-path.h"
#include "base/path.h"
#include "output-stream.h"
#include "run.h"

#define PID_LONGEST 4194304 /* the kernel's limit for pids: proc_sys_kernel(5), pid_max */
#define NUMBER_TRIES_MAX 1000000u
#define SAME_TIME_MAX 7200 /* seconds by which %t may be later than the time, if names are taken */

static bool run_output_is_pattern(const struct run_request *asked)
{
    return asked->output != NULL && strchr(asked->output, '%') != NULL;
}

void run_program_name(const struct run_request *asked, char name[RUN_NAME_SIZE])
{
    char path[64];

    name[0] = '\0';
    if (asked->program != NULL) {
        snprintf(name, RUN_NAME_SIZE, "%s", path_base_name(asked->program[0]));
        return;
    }
    snprintf(path, sizeof path, "/proc/%d/comm", (int)asked->pids.pids[0]);
    FILE *comm = fopen(path, "re");
    size_t length = comm != NULL ? fread(name, 1, RUN_NAME_SIZE - 1, comm) : 0;
    name[length > 0 ? length - 1 : 0] = '\0'; /* without the newline at the end; there may be others in the name */
    if (comm != NULL)
        fclose(comm);
}

void run_output_values(const struct run *run, char program[RUN_NAME_SIZE], char host[RUN_NAME_SIZE],
                       struct name_pattern_values *values)
{
    if (run->program_name[0] != '\0')
        snprintf(program, RUN_NAME_SIZE, "%s", run->program_name);
    else
        run_program_name(&run->asked, program);
    host[0] = host[RUN_NAME_SIZE - 1] = '\0';
    gethostname(host, RUN_NAME_SIZE - 1);
    *values = (struct name_pattern_values){.pid = run->asked.program != NULL ? run->child : run->asked.pids.pids[0],
                                           .program = program,
                                           .host = host,
                                           .job = run->rank.job,
                                           .time = run->start_time,
                                           .rank = run->rank.rank};
}

/* Writes the path with this number to `path`. pid: 0: that of the run. Returns 0 or -ENAMETOOLONG. */
static int run_output_expand(const struct run *run, const char *pattern, pid_t pid, unsigned number,
                             char path[PATH_MAX])
{
    char program[RUN_NAME_SIZE], host[RUN_NAME_SIZE];
    struct name_pattern_values values;

    run_output_values(run, program, host, &values);
    values.number = number;
    if (pid != 0)
        values.pid = pid;
    return name_pattern_expand(pattern, &values, path, PATH_MAX);
}

/* Checks that everything is known for which the pattern has a letter. */
static int run_output_check_letters(const struct run *run)
{
    const char *pattern = run->asked.output, *wrong = name_pattern_find_wrong(pattern);

    if (wrong != NULL)
        return complain("-o %s: %.2s is unknown; known are %s", pattern, wrong, NAME_PATTERN_KNOWN);
    if (name_pattern_has(pattern, 'r') && run->rank.rank < 0)
        return complain("-o %s: %%r is the rank in a job, but " JOB_LAUNCHERS " did not start this", pattern);
    if (name_pattern_has(pattern, 'j') && run->rank.job[0] == '\0')
        return complain("-o %s: %%j is the name of a job, but the environment has none", pattern);
    return 0;
}

/* Checks the pattern, and writes a path like those to which it leads to run->output. */
static int run_output_check_pattern(struct run *run)
{
    struct stat status;

    if (run_output_check_letters(run) != 0)
        return EXIT_OWN_FAILURE;
    /* %e may end with an extension that the pattern does not have */
    if (run->asked.format == NULL && run->asked.dialect.dialect == NULL)
        run->asked.format = pprofil_format_for(run->asked.output);
    int error = run_output_expand(run, run->asked.output, PID_LONGEST, 1, run->output);
    for (unsigned number = 2; error == 0 && name_pattern_has(run->asked.output, 'n') && number <= NUMBER_TRIES_MAX &&
                              lstat(run->output, &status) == 0;
         number++)
        error = run_output_expand(run, run->asked.output, PID_LONGEST, number, run->output);
    return error == 0 ? 0 : complain_file(run->asked.output, error, true);
}

int run_output_check(struct run *run)
{
    const char *path = run->asked.output;

    run->start_time = time(NULL);
    if (path == NULL)
        return 0;
    /* the format of a dialect does not depend on the name of the file */
    if (run->asked.dialect.dialect == NULL && output_format_check(path, run->asked.format) != 0)
        return EXIT_OWN_FAILURE;
    if (run_output_is_pattern(&run->asked) && run_output_check_pattern(run) != 0)
        return EXIT_OWN_FAILURE;
    if (run_output_is_pattern(&run->asked))
        path = run->output;
    return output_check(path);
}

/* Makes the path of the pattern, and creates the file if its name has a number. An error is not reported here: saving
 * to the path has the same error and reports it. There is one exception: if NUMBER_TRIES_MAX numbers in a row are
 * taken, saving replaces the file of the last one. */
static void run_output_make(struct run *run)
{
    bool numbered = name_pattern_has(run->pattern, 'n');
    int error = -EEXIST;

    for (unsigned tries = 0; error == -EEXIST && tries < NUMBER_TRIES_MAX; tries++) {
        run->number++;
        error = run_output_expand(run, run->pattern, 0, run->number, run->output);
        if (error == 0 && numbered)
            error = output_path_create(run->output);
    }
    run->reserved = numbered && error == 0;
    run->asked.output = run->output;
}

void run_output_choose(struct run *run)
{
    if (!run_output_is_pattern(&run->asked))
        return;
    run->pattern = run->asked.output;
    run_program_name(&run->asked, run->program_name);
    run_output_make(run);
}

/* Returns true if the path of the pattern is taken, by an earlier period or another run. */
static bool run_output_is_taken(struct run *run)
{
    struct stat status;

    return run_output_expand(run, run->pattern, 0, run->number, run->output) == 0 && lstat(run->output, &status) == 0;
}

char *run_output_next(struct run *run)
{
    char *last = strdup(run->output);

    if (last == NULL)
        return NULL;
    time_t now = time(NULL);
    run->start_time = now > run->start_time ? now : run->start_time + 1;
    /* two periods may begin in one second, and an hour of local time may come twice */
    if (name_pattern_has(run->pattern, 't') && !name_pattern_has(run->pattern, 'n'))
        for (int more = 0; more < SAME_TIME_MAX && run_output_is_taken(run); more++)
            run->start_time++;
    run_output_make(run);
    return last;
}

void run_output_release(struct run *run)
{
    struct stat status;

    if (run->reserved && lstat(run->output, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        unlink(run->output);
    run->reserved = false;
}
