/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options: the options, and the arguments of options, that several subcommands have in common. */
#ifndef PPROFIL_OPTIONS_H
#define PPROFIL_OPTIONS_H

#include <argp.h>

#include "report.h"

/* --- arguments: a wrong one is complained of, and ends the program ------------------------- */

/* A number within bounds. */
double number_option(const char *option, const char *text, double lowest, double highest);
/* A whole number from 0 to 10^9, for rows and levels. */
uint32_t count_option(const char *option, const char *text);
/* The name of a format of files. "list" prints all formats and ends the program. */
const char *format_option(const char *option, const char *name);
/* The argument of -f: how rows are printed. */
enum report_format report_format_option(const char *text);

/* --- what is profiled, and how ------------------------------------------------------------- */

#define PIDS_MAX 1024

struct pids {
    pid_t pids[PIDS_MAX];
    unsigned count;
};

/* Adds process numbers with commas between them. Returns false if the text is anything else, or
 * for more than PIDS_MAX of them. */
bool pids_parse(struct pids *pids, const char *text);

/* Keys of long options. The keys of a subcommand begin with TARGET_KEY_END. */
enum target_key {
    TARGET_KEY_NO_FOLLOW = 256,
    TARGET_KEY_NO_INHERIT,
    TARGET_KEY_OVERHEAD,
    TARGET_KEY_STACK_SIZE,
    TARGET_KEY_END,
};

/* Where target_option_parse stores what it reads. */
struct target_options {
    struct pprofil_options *options;
    struct pids *pids;
    char ***program;
};

/* Reads -p, --no-follow, --no-inherit, -F, -w, -g, --overhead, --stack-size, and the program, whose
 * arguments end ours. Returns ARGP_ERR_UNKNOWN for any other key. */
error_t target_option_parse(const struct target_options *target, int key, char *argument, struct argp_state *state);

/* --- a part of a profile ------------------------------------------------------------------- */

struct selection_request {
    struct pprofil_selection selection; /* .object: the argument of --object, also for a file of counters */
    struct pids pids;
};

/* The options --pid, --comm, --thread, --object, --function, --focus and --ignore: the child of
 * the parser of each subcommand that reads profiles. Its input is a struct selection_request. */
extern const struct argp_child selection_children[];

/* Reads a profile's file and takes the part that was asked for. format NULL: it is recognized by
 * the file. On failure it complains and returns NULL. */
pprofil_profile *selection_open(const struct selection_request *request, const char *path, const char *format);

/* Replaces *profile by the part that was asked for, and closes the whole. If the whole was asked
 * for, nothing changes. On failure it complains and returns false. */
bool selection_apply(const struct selection_request *request, const char *path, pprofil_profile **profile);

#endif
