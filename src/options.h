/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options: reads the options that several subcommands have in common, reads arguments of options, and opens profiles
 * for subcommands. */
#ifndef PPROFIL_OPTIONS_H
#define PPROFIL_OPTIONS_H

#include <argp.h>

#include "process-search.h"
#include "report.h"

/* --- formats ------------------------------------------------------------------------------- */

/* Returns the name of the file format that is meant by `name`. If `name` is "list", prints all formats and ends
 * pprofil. */
const char *format_option(const char *option, const char *name);
/* Stores the description of the format that has this name. Returns false if there is none. */
bool output_format_find(const char *name, struct pprofil_format *format);
/* Checks whether a profile can be saved at `path`, in the format `name`; NULL: the path's extension says which format.
 * Returns 0, or complains and returns the exit status. */
int output_format_check(const char *path, const char *name);
/* Returns true if a file at `path` is a terminal; "-": standard output is. */
bool output_is_terminal(const char *path);
/* Prints a list of all formats, for -f list. Returns the exit status. */
int list_formats(void);

/* --- what is profiled, and how ------------------------------------------------------------- */

/* Keys of long options. The keys of a subcommand's own options begin with TARGET_KEY_END. */
enum target_key {
    TARGET_KEY_NO_FOLLOW = 256,
    TARGET_KEY_NO_INHERIT,
    TARGET_KEY_OVERHEAD,
    TARGET_KEY_STACK_SIZE,
    TARGET_KEY_NO_PYTHON,
    TARGET_KEY_KERNEL,
    TARGET_KEY_END,
};

/* Pointers to the variables that target_option_parse sets. */
struct target_options {
    struct pprofil_options *options;
    char ***program;
};

/* Parses one option or argument for argp: --no-follow, --no-inherit, -F, -w, -g, --overhead,
 * --stack-size, --no-python, --kernel, and the program. All words after the program are the program's arguments.
 * Returns ARGP_ERR_UNKNOWN for any other key. */
error_t target_option_parse(const struct target_options *target, int key, char *argument, struct argp_state *state);

/* --- rows ---------------------------------------------------------------------------------- */

/* Reads the argument of --by: a grouping, or two with a comma between them. If it is neither, complains and ends
 * pprofil. */
void by_option(const char *argument, struct report_view *view);
/* Checks whether two groupings can be printed in the format that was asked for. Returns 0, or complains and returns the
 * exit status. */
int by_check(const struct report_view *view);

/* --- a profile, or a part of it ------------------------------------------------------------ */

/* Reads a profile's file for a subcommand. The caller closes the profile. On failure it complains and returns NULL. */
pprofil_profile *open_profile(const char *path, const struct pprofil_file *file);

struct selection_request {
    /* .object is the argument of --object; for a file that has only counters, it is the object that they count */
    struct pprofil_selection selection;
    struct pids pids;
    const char *format; /* name of the format of the files; NULL: pprofil recognizes it */
};

/* The option --input-format, and those that select a part of a profile, such as --pid and --from, as a child parser of
 * argp. Each subcommand that reads profiles uses this child parser. Its input is a struct selection_request. */
extern const struct argp_child selection_children[];

/* Parses FILE, the only operand of a subcommand, for argp. If it is missing, complains and ends pprofil. Returns
 * ARGP_ERR_UNKNOWN for any other key, and for a second operand. */
error_t file_operand_parse(int key, char *argument, const char *command, const char **path);

/* Reads a profile's file and selects the requested part of the profile. The caller closes the profile. On failure it
 * complains and returns NULL. */
pprofil_profile *selection_open(const struct selection_request *request, const char *path);

/* Replaces *profile by its requested part, and closes the whole profile. If no part was requested, does nothing. On
 * failure it complains and returns false. */
bool selection_apply(const struct selection_request *request, const char *path, pprofil_profile **profile);

#endif
