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

/* The same of a profile that pprofil_profile_save_with did not save: of several files it may be
 * another that is in the way. */
int complain_saving(const pprofil_profile *profile, const char *path,
                    const struct pprofil_file *file, int error);

/* Is there a format of this name, for writing or reading? */
bool is_format(const char *name);
/* Reads a profile's file for a subcommand: complains by itself, and then returns NULL. */
pprofil_profile *open_profile(const char *path, const char *format, const char *object);
pprofil_profile *open_profile_with(const char *path, const struct pprofil_file *file);
/* Prints all formats, for -f list. Returns the exit status. */
int list_formats(void);

/* A text as one field of CSV. */
void put_field(FILE *out, const char *text);
/* How libjansson prints to out. */
size_t json_flags(FILE *out);

/* How rows are chosen and printed. */
struct view {
    enum pprofil_by by;
    uint32_t limit;
    enum view_format { VIEW_TEXT, VIEW_JSON, VIEW_CSV } format;
    bool colour; /* TEXT */
    bool by_total, no_inlines;
    bool tree; /* and what follows counts, else flat rows */
    enum pprofil_tree_kind kind;
    const char *function; /* of callers and callees */
    double least;         /* share of a row, 0..1 */
    uint32_t depth;
    bool fold;
};

/* Prints a report of the profile. 0, or a negative errno where it could not be made or
 * written; pprofil_profile_problem may know more. */
int view_print(FILE *out, pprofil_profile *profile, const struct view *view);
int view_print_text(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                    const struct view *view);
int view_print_json(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                    const struct view *view);
int view_print_csv(FILE *out, pprofil_profile *profile, const pprofil_report *report,
                   const struct view *view);
int view_print_tree_text(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                         const struct view *view);
int view_print_tree_json(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                         const struct view *view);
int view_print_tree_csv(FILE *out, pprofil_profile *profile, const pprofil_tree *tree,
                        const struct view *view);

/* What texts share: what was measured, and how far to trust it; a name without what would
 * reach a terminal as a command; the colour of a share, where there are colours. */
void view_print_head(FILE *out, pprofil_profile *profile, bool colour);
void view_put_safely(FILE *out, const char *text);
const char *view_heat(double share);
#define VIEW_PLAIN "\033[0m"

/* The name of a kind of tree: "calls", "inverted", "callers", "callees". */
const char *view_kind_name(enum pprofil_tree_kind kind);

/* Finds a row grouping ("function", ...) or a format ("text", ...) by name. -1: none. */
int view_by_name(const char *name);
int view_format_name(const char *name);

/* A report as another program made it. */
struct style_view {
    const char *name; /* of the style */
    struct pprofil_style_options options;
};

/* Names of a style, complaining where there is none of this name; of an order of its rows. */
bool style_is_known(const char *name);
int style_sort_name(const char *name);

/* Prints the file at path. Returns the exit status: whatever went wrong has been said. */
int style_view_print(FILE *out, const char *path, const struct style_view *view);

/* Are colours wanted on this stream: a terminal, TERM not dumb, NO_COLOR not set? */
bool view_colour(FILE *out);

/* A number of an option, within bounds; complains by itself. */
bool parse_number(const char *option, const char *text, double lowest, double highest,
                  double *number);

/* The one line that shows a long run is alive. */
struct progress {
    bool shown;      /* a terminal is there and nobody asked for quiet */
    bool on_screen;  /* the line stands there now */
    int64_t next_ms; /* when it is due again */
};
void progress_init(struct progress *progress, bool quiet);
void progress_show(struct progress *progress, pprofil_session *session, int64_t now_ms);
void progress_clear(struct progress *progress);

#endif
