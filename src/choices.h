/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* choices: the words that an option can have as its argument. Parsers, --help and completions of shells use the same
 * lists. A word may be shortened, and may have synonyms. For a wrong word the most similar one is proposed. */
#ifndef PPROFIL_CHOICES_H
#define PPROFIL_CHOICES_H

#include <stddef.h>

/* A word that people who know other tools may write instead of the name. */
struct choice_synonym {
    const char *word, *name;
};

struct choices {
    const char *placeholder;               /* name of the argument in --help, such as "WHAT" */
    const char *(*at)(unsigned i);         /* returns the i-th name, or NULL if `i` is too large */
    const struct choice_synonym *synonyms; /* ends with a word that is NULL; NULL: there are no synonyms */
    /* what the names are, and where they are listed; NULL: the names are so few that messages list them */
    const char *what, *see;
};

enum { CHOICES_UNKNOWN = -1, CHOICES_AMBIGUOUS = -2 };

/* Returns the index of the name that is meant by `word`: the name itself, a synonym of it, or the beginning of the
 * name or else of a synonym, if only one name begins so. Returns CHOICES_UNKNOWN or CHOICES_AMBIGUOUS if no name, or
 * more than one, is meant. */
int choices_find(const struct choices *choices, const char *word);

/* Returns the name that is most similar to `word`, or that has the most similar synonym. Returns NULL if all names are
 * different from it. */
const char *choices_nearest(const struct choices *choices, const char *word);

/* Return the index or the name that `word` means. If it means none, they complain and end pprofil. */
int choice_option(const char *option, const struct choices *choices, const char *word);
const char *choice_option_name(const char *option, const struct choices *choices, const char *word);

/* Writes the names to `text`, which has room for `size` bytes: "a, b and c", if `last` is " and ". */
void choices_list(const struct choices *choices, const char *last, char *text, size_t size);

/* --- option-choices.c: the lists ----------------------------------------------------------- */

/* The indexes of these names are those of enum pprofil_by, enum report_names, enum report_format and enum
 * choice_order. */
extern const struct choices choices_groupings, choices_names, choices_report_formats, choices_orders;
/* The indexes of these names are those of pprofil_format_at, pprofil_style_at and pprofil_dialect_at. choices_formats
 * also has the word "list". */
extern const struct choices choices_formats, choices_styles, choices_dialects;
extern const struct choices choices_roots, choices_values, choices_control, choices_shells;

/* The indexes of these names are those of command_at. */
extern const struct choices choices_commands;

/* The outputs of pprofil diff */
enum diff_format { DIFF_TEXT, DIFF_JSON, DIFF_CSV, DIFF_MARKDOWN, DIFF_JUNIT };
extern const struct choices choices_diff_formats;

/* The outputs of pprofil doctor */
enum doctor_format { DOCTOR_TEXT, DOCTOR_JSON };
extern const struct choices choices_doctor_formats;

/* The kinds of servers that pprofil push knows */
enum push_server { PUSH_PYROSCOPE, PUSH_PARCA, PUSH_RAW };
extern const struct choices choices_push_servers;

/* The orders of rows. The first four are those of enum pprofil_sort. */
enum choice_order { CHOICE_ORDER_SELF = 4, CHOICE_ORDER_TOTAL };

/* Returns a list, or NULL if `i` is too large. */
const struct choices *choices_at(unsigned i);

/* Returns the list with this placeholder, which is `length` bytes long, or NULL. */
const struct choices *choices_by_placeholder(const char *placeholder, size_t length);

/* A filter of argp for texts of --help. In a text like "rows: {WHAT}" it replaces {WHAT} by the names of the list with
 * this placeholder. Returns other texts as they are. */
char *choices_help(int key, const char *text, void *input);

#endif
