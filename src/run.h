/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run: pprofil PROGRAM and pprofil -p PID: what was asked for, and the state of the run. */
#ifndef PPROFIL_RUN_H
#define PPROFIL_RUN_H

#include <sys/types.h>

#include "forward-signals.h"
#include "lsan-note.h"
#include "options.h"

#define RUN_REGIONS_MAX 1024

struct run_request {
    struct pprofil_options options;
    struct report_view view;
    const char *output;
    const char *format; /* name of the output's format */
    const char *by;
    double duration; /* seconds; 0: no limit */
    double delay;
    bool symbolize;
    struct pprofil_dialect_options dialect; /* .dialect NULL: none */
    const char *regions[RUN_REGIONS_MAX];
    bool start_stopped;
    const char *control; /* path of the socket for pprofil ctl; NULL: none */
    bool quiet, verbose;
    struct pids pids;
    char **program; /* NULL: pids are attached to */
};

/* Reads the command line. --help and --version end the program. On wrong options it complains
 * and returns false. */
bool run_options_parse(struct run_request *request, int argc, char **argv);

/* The line that shows that a long run is alive. */
struct progress {
    bool shown;      /* there is a terminal, and nobody asked for quiet */
    bool on_screen;  /* the line is on the terminal now */
    int64_t next_ms; /* when it is printed again */
};
void progress_init(struct progress *progress, bool quiet);
void progress_show(struct progress *progress, pprofil_session *session, int64_t now_ms);
void progress_clear(struct progress *progress);

struct run {
    struct run_request asked;

    pprofil_session *session;
    struct forward forward;
    struct lsan_note lsan_note;
    char **argv; /* our own command line */
    pid_t child;
    bool ended; /* the child has ended, with status; status -1: it is not known */
    int status;
    bool started;
    bool left;   /* we were told to end, and the child runs on */
    bool broken; /* the supervisor has died */
    int64_t start_ms, checkpoint_ms;
    struct progress progress;
};

/* --- run-output.c -------------------------------------------------------------------------- */

/* May the output be written while the run goes on? Only if it can be written again. */
bool run_may_save_early(const struct run_request *asked);
/* Saves what was sampled so far, without names, because it may take long to look them up.
 * context: struct run. Returns 0 or a negative error. */
int run_save_so_far(void *context);
/* Saves what was sampled so far when that is due, every ten seconds. run_checkpoint_later sets
 * the time. */
void run_checkpoint_later(struct run *run);
void run_checkpoint_when_due(struct run *run);
/* Saves or prints the profile when the session has ended. Returns the exit status. */
int run_deliver(struct run *run);

#endif
