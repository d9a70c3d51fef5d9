/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run: the request and the state of pprofil PROGRAM and pprofil -p PID. */
#ifndef PPROFIL_RUN_H
#define PPROFIL_RUN_H

#include <limits.h>
#include <sys/types.h>
#include <time.h>

#include "base/job-rank.h"
#include "base/name-pattern.h"
#include "forward-signals.h"
#include "left-out-children.h"
#include "lsan-note.h"
#include "options.h"

#define RUN_REGIONS_MAX 1024
#define RUN_NAME_SIZE 256

struct stat_view;

/* The options of a run that writes a file for each period. */
struct run_period_options {
    double every;     /* length of a period, seconds; 0: the run is one period */
    unsigned keep;    /* how many files stay; 0: all */
    const char *then; /* command of a shell that gets the name of each complete file; NULL: none */
};

struct run_request {
    struct pprofil_options options;
    struct report_view view;
    const char *output;
    /* name of the format of `output`; NULL: the extension of the file's name selects the format */
    const char *format;
    bool by_given; /* --by was given */
    double duration; /* seconds; 0: no limit */
    double delay;
    bool symbolize;
    struct run_period_options periods;
    struct pprofil_dialect_options dialect; /* .dialect NULL: none */
    const char *regions[RUN_REGIONS_MAX];
    bool start_stopped;
    const char *control; /* path of the socket for pprofil ctl; NULL: none */
    bool quiet, verbose;
    struct pids pids;
    struct process_search search; /* what pids was made from */
    /* borrowed: pprofil stat prints what processes have used instead of the report; NULL: it is not pprofil stat */
    const struct stat_view *stat;
    char **program; /* program to start, with its arguments; NULL: pprofil attaches to `pids` */
};

/* Reads the command line. --help and --version end pprofil. On wrong options it complains and returns false. */
bool run_options_parse(struct run_request *request, int argc, char **argv);

/* Runs or attaches, samples until the end, and delivers the profile. argv: our own command line. Returns the exit
 * status, or ends as the program has ended. */
int run_execute(const struct run_request *request, char **argv);

/* The line that shows the progress of an attached run. */
struct progress {
    bool shown;      /* standard error is a terminal, and quiet was not requested */
    bool on_screen;  /* the line is on the terminal now */
    int64_t next_ms; /* time when the line will be printed again; CLOCK_MONOTONIC */
};
void progress_init(struct progress *progress, bool quiet);
void progress_show(struct progress *progress, pprofil_session *session, int64_t now_ms);
void progress_clear(struct progress *progress);

/* What becomes of the files of a run's periods: run-periods.c. An empty struct is all 0. */
struct run_periods {
    int64_t due_ms;   /* time of the end of the period; CLOCK_MONOTONIC; 0: no period has begun */
    pid_t saver;      /* the child that saves the last period; 0: none */
    char *saving;     /* owned; the path of its file; NULL: none */
    pprofil_profile *profile; /* owned; what it saves: it is kept until the file is complete */
    pid_t command;    /* the child that runs --then; 0: none */
    char **files;     /* owned; files that are complete, and for which --then was not run; the first is the next */
    size_t file_count;
    unsigned saved;   /* how many files are complete */
    bool failed;      /* a file could not be saved, or no process could be made for --then */
    bool then_failed; /* it was said that --then has failed */
};

struct run {
    /* .output becomes the path of the file when the run has begun */
    struct run_request asked;
    char output[PATH_MAX]; /* the path that the pattern of -o has led to */
    bool reserved;         /* an empty file has been created there, so that no other run takes its number */
    const char *pattern;   /* the argument of -o before it became a path; borrowed; NULL: it was no pattern */
    time_t start_time;     /* %t: the time when the run, or its present period, began */
    unsigned number;       /* %n: the number of the present file; 0: none was chosen */
    char program_name[RUN_NAME_SIZE]; /* %e; "": not chosen yet. Later the process may have ended */
    struct job_rank rank; /* the rank of the process that is run or attached to */

    pprofil_session *session;
    struct forward forward;
    struct lsan_note lsan_note;
    struct left_out_children left_out;
    char **argv; /* our own command line */
    pid_t child;
    /* `ended`: the child has ended. `status`: wait status of the child; -1: unknown */
    bool ended;
    int status;
    bool started;
    bool left;   /* pprofil was asked to end, and the child runs on */
    bool broken; /* the supervisor has died */
    int64_t start_ms, checkpoint_ms;
    struct progress progress;
    struct run_periods periods;
};

/* --- run-output-name.c: -o, whose argument may be a pattern (base/name-pattern.h) ------------- */

/* Checks, before anything is started or attached to, whether the output can be written, because an error at the end of
 * a long run comes too late. Returns 0, or complains and returns the exit status. */
int run_output_check(struct run *run);
/* Writes the name of the program that is run or attached to; of several processes, that of the first. */
void run_program_name(const struct run_request *asked, char name[RUN_NAME_SIZE]);
/* Replaces a pattern by the path that it leads to, when the process is known. */
void run_output_choose(struct run *run);
/* Returns the path of the file of the last period, which the caller frees, and chooses that of the next one. Returns
 * NULL if there is no memory; then nothing has changed. */
char *run_output_next(struct run *run);
/* Fills in what the pattern of -o stands for. program and host: room for names, which *values refers to. */
void run_output_values(const struct run *run, char program[RUN_NAME_SIZE], char host[RUN_NAME_SIZE],
                       struct name_pattern_values *values);
/* Removes the file that was created for the run's number, if nothing was written to it. */
void run_output_release(struct run *run);

/* --- run-job.c: a run that is one of the ranks of a job ---------------------------------------- */

/* Finds out which rank of a job the run is, and checks that the ranks do not write the same file. If a program is
 * started, only rank 0 prints something, except for errors. Returns 0, or complains and returns the exit status. */
int run_job_check(struct run *run);
/* Says at the end, in rank 0 of several, how to see all ranks. */
void run_job_tell(const struct run *run);

/* --- run-periods.c: --every, --keep and --then ------------------------------------------------- */

/* Ends the period if its time has come, and a child process saves it. Runs --then for files that are complete. */
void run_periods_serve(struct run *run);
/* A child process has ended. status: as from waitpid(2). */
void run_periods_note_end(struct run *run, pid_t pid, int status);
/* The run has ended, and its last file is complete if `saved` is true. Waits for the children, and runs --then for the
 * files that are left. Returns 0, or EXIT_OWN_FAILURE if a file could not be saved, or if no process could be made for
 * --then. */
int run_periods_finish(struct run *run, bool saved);

/* --- run-output.c -------------------------------------------------------------------------- */


/* Returns true if the output may be written before the end of the run, too. A file can be written
 * again later. A pipe can be written only once, so it is written at the end. */
bool run_may_save_early(const struct run_request *asked);
/* Saves what was sampled so far. Names are left out, because it may take long to look them up.
 * `context` points to a struct run. Returns 0 or a negative error. */
int run_save_so_far(void *context);
/* run_checkpoint_when_due saves what was sampled so far, if that is due. run_checkpoint_later makes
 * the next save due in ten seconds. */
void run_checkpoint_later(struct run *run);
void run_checkpoint_when_due(struct run *run);
/* Opens the stream for the report of a run, and sets view->colour and view->columns for it. A run that has started a
 * program prints to standard error, because standard output is the program's. A run that has attached prints to
 * standard output. The caller closes the stream. Returns NULL if it has complained. */
FILE *run_open_report(const struct run_request *asked, struct report_view *view);
/* cmd-stat.c: prints what the processes have used. Sorts `usages`. Returns the exit status. */
int stat_deliver(const struct run_request *run, pprofil_profile *profile, struct pprofil_usage *usages, uint32_t count);
/* Saves a profile with names to a path. Returns 0, or complains and returns the exit status. */
int run_save_to(const struct run *run, pprofil_profile *profile, const char *path);
/* Saves or prints the profile after the end of sampling. Returns the exit status. */
int run_deliver(struct run *run);

#endif
