/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run: pprofil PROGRAM and pprofil -p PID: what was asked for, and what is known of the run. */
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
    const char *format; /* of the output file */
    const char *by;
    double duration; /* seconds, 0: no limit */
    double delay;
    bool symbolize;
    struct pprofil_dialect_options dialect; /* .dialect NULL: none */
    const char *regions[RUN_REGIONS_MAX];
    bool start_stopped;
    const char *control; /* path of a socket; NULL: none */
    bool quiet, verbose;
    struct pids pids;
    char **program; /* NULL: attach */
};

/* Reads the command line; --help and --version end the program. False: it makes no sense,
 * and that has been said. */
bool run_options_parse(struct run_request *request, int argc, char **argv);

/* The one line that shows a long run is alive. */
struct progress {
    bool shown;      /* a terminal is there and nobody asked for quiet */
    bool on_screen;  /* the line stands there now */
    int64_t next_ms; /* when it is due again */
};
void progress_init(struct progress *progress, bool quiet);
void progress_show(struct progress *progress, pprofil_session *session, int64_t now_ms);
void progress_clear(struct progress *progress);

struct run {
    struct run_request asked;

    pprofil_session *session;
    struct forward forward;
    struct lsan_note lsan_note;
    char **argv; /* our own */
    pid_t child;
    bool ended; /* the child, with this status; -1: it is not known */
    int status;
    bool started;
    bool left;   /* we were told to end, and the child goes on */
    bool broken; /* the supervisor has died */
    int64_t start_ms, checkpoint_ms;
    struct progress progress;
};

/* --- run-output.c -------------------------------------------------------------------------- */

/* May the file be written while the run goes on? One that can be written again may. */
bool run_may_save_early(const struct run_request *asked);
/* Saves what was sampled so far, without names: to look them up may take long. context:
 * struct run. 0 or a negative error. */
int run_save_so_far(void *context);
/* Saves it every ten seconds, the first time ten seconds after run_checkpoint_later. */
void run_checkpoint_later(struct run *run);
void run_checkpoint_when_due(struct run *run);
/* Saves or prints what was sampled, once the session has ended. Returns the exit status. */
int run_deliver(struct run *run);

#endif
