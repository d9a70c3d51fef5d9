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

/* pprofil's own exit statuses; else it is the program's. */
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

/* One line on stderr, "pprofil: ...". Returns EXIT_OWN_FAILURE. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What went wrong with a profile's file, in one line. Returns EXIT_OWN_FAILURE. */
int complain_file(const char *path, int error, bool writing);

/* The same of a profile that pprofil_profile_save did not save: of several files it may be
 * another that is in the way. */
int complain_saving(const pprofil_profile *profile, const char *path,
                    const struct pprofil_file *file, int error);

/* Is there a format of this name, for writing or reading? */
bool is_format(const char *name);
/* Reads a profile's file for a subcommand: complains by itself, and then returns NULL. */
pprofil_profile *open_profile(const char *path, const struct pprofil_file *file);
/* Prints all formats, for -f list. Returns the exit status. */
int list_formats(void);

#endif
