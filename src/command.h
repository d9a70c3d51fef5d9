/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * command: declarations that the files of the pprofil command share. Each subcommand is one file
 * and one row of the table in main.c.
 */
#ifndef PPROFIL_COMMAND_H
#define PPROFIL_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pprofil.h"

/* Exit statuses for failures of pprofil itself. Without such a failure, pprofil PROGRAM has the
 * program's exit status. */
#define EXIT_OWN_FAILURE 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

struct argp;

struct command {
    const char *name;
    const char *summary;
    /* argv[0] is the subcommand; returns the exit status */
    int (*run)(int argc, char **argv);
    const struct argp *argp; /* its options */
};

/* Returns a row of the table of subcommands, or NULL if `i` is too large. */
const struct command *command_at(unsigned i);
/* Returns the subcommand of this name, or NULL. */
const struct command *command_by_name(const char *name);

/* Finds a subcommand that the user may have meant by the name of a program that was not found. Writes the command line
 * to `hint`, which has room for `size` bytes. Returns false if there is none. */
bool command_hint(const char *program, char *hint, size_t size);

int command_run(int argc, char **argv);
int command_top(int argc, char **argv);
int command_report(int argc, char **argv);
int command_ctl(int argc, char **argv);
int command_kprof(int argc, char **argv);
int command_gperf(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_annotate(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_view(int argc, char **argv);
int command_web(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_push(int argc, char **argv);
int command_help(int argc, char **argv);
int command_stat(int argc, char **argv);

/* run_argp has the options of pprofil PROGRAM and pprofil -p PID. */
extern const struct argp run_argp, top_argp, view_argp, web_argp, doctor_argp, report_argp, ctl_argp, kprof_argp,
    gperf_argp, convert_argp, annotate_argp, diff_argp, merge_argp, push_argp, help_argp, stat_argp;

/* --- output-stream.c: messages --------------------------------------------------------------- */

/* Prints one line on stderr: "pprofil: " and the message. Returns EXIT_OWN_FAILURE. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on, each line of complain begins with this path, and with the number of a line in it if that is not 0. If
 * `path` is NULL, lines have their usual beginning again. The path is borrowed. */
void complain_about(const char *path, unsigned line);

/* Prints one line that says why a profile's file could not be read. If `writing` is true, the line
 * says why it could not be written. Returns EXIT_OWN_FAILURE. */
int complain_file(const char *path, int error, bool writing);

/* Prints one line that says why pprofil_profile_save failed. A format may write several files, so
 * another file than the one at `path` may be the cause. Returns EXIT_OWN_FAILURE. */
int complain_saving(const pprofil_profile *profile, const char *path, const struct pprofil_file *file, int error);

/* Returns the exit status that a shell would give for a program that could not be started. */
int launch_failure_status(int error);

#endif
