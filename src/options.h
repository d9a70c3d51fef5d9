/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options: the options, and the arguments of options, that several subcommands have in common. */
#ifndef PPROFIL_OPTIONS_H
#define PPROFIL_OPTIONS_H

#include <argp.h>

#include "report.h"

/* --- arguments: a wrong one is complained of, and ends the program ------------------------- */

/* A number within bounds. */
double number_option(const char *option, const char *text, double lowest, double highest);
/* A whole number from 0 to 10^9: of rows, or of levels. */
uint32_t count_option(const char *option, const char *text);
/* The name of a format of files. "list" prints all formats and ends the program. */
const char *format_option(const char *option, const char *name);
/* Returns how rows are printed: the argument of -f. */
enum report_format report_format_option(const char *text);

/* --- what is profiled ---------------------------------------------------------------------- */

#define PIDS_MAX 1024

struct pids {
    pid_t pids[PIDS_MAX];
    unsigned count;
};

/* Adds process numbers with commas between them. False: the text is something else, or they are more than PIDS_MAX. */
bool pids_parse(struct pids *pids, const char *text);

/* Keys of long options. A subcommand's own keys begin with the last. */
enum target_key {
    TARGET_KEY_NO_FOLLOW = 256,
    TARGET_KEY_NO_INHERIT,
    TARGET_KEY_END,
};

/* Where target_option_parse stores what it reads. */
struct target_options {
    struct pprofil_options *options;
    struct pids *pids;
    char ***program;
};

/* Reads -p, --no-follow, --no-inherit, and the program, whose arguments end ours. Returns ARGP_ERR_UNKNOWN for any
 * other key. */
error_t target_option_parse(const struct target_options *target, int key, char *argument, struct argp_state *state);

/* --- a part of a profile ------------------------------------------------------------------- */

struct selection_request {
    struct pprofil_selection selection; /* .object: --object, also for a file of counters */
    struct pids pids;
};

/* The only child of the parser of a subcommand that reads profiles: --pid, --comm, --thread, --object, --function,
 * --focus, --ignore. Its input is a struct selection_request. */
extern const struct argp_child selection_children[];

/* Reads a profile's file and takes the part. format NULL: the file shows its format. Complains and returns NULL where
 * that fails. */
pprofil_profile *selection_open(const struct selection_request *request, const char *path, const char *format);

/* Replaces the whole profile, which is closed, by the part. A request for all of it changes nothing. Complains and
 * returns false where that fails. */
bool selection_apply(const struct selection_request *request, const char *path, pprofil_profile **profile);

#endif
