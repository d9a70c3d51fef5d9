/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * command: what the files of the pprofil command share. Each subcommand is one file and one
 * row of the table in main.c.
 */
#ifndef PPROFIL_COMMAND_H
#define PPROFIL_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pprofil.h"

/* Exit statuses of pprofil itself. Any other status is that of the program. */
#define EXIT_OWN_FAILURE 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand; returns the exit status */
};

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

/* Prints one line on stderr, "pprofil: ...". Returns EXIT_OWN_FAILURE. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints in one line why a profile's file could not be read or written. Returns
 * EXIT_OWN_FAILURE. */
int complain_file(const char *path, int error, bool writing);

/* Does the same for a profile that pprofil_profile_save did not save. A format may write several
 * files, and another one than path may be the cause. */
int complain_saving(const pprofil_profile *profile, const char *path,
                    const struct pprofil_file *file, int error);

/* Returns the exit status for a program that could not be started, as shells have it. */
int launch_failure_status(int error);

/* Does a format have this name, whether it is written or read? */
bool is_format(const char *name);
/* Reads a profile's file for a subcommand. On failure it complains and returns NULL. */
pprofil_profile *open_profile(const char *path, const struct pprofil_file *file);
/* Prints all formats, for -f list. Returns the exit status. */
int list_formats(void);

#endif
