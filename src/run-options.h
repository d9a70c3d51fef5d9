/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run-options: what a command line that profiles something asks for. */
#ifndef PPROFIL_RUN_OPTIONS_H
#define PPROFIL_RUN_OPTIONS_H

#include <sys/types.h>

#include "pids.h"
#include "report.h"

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

#endif
