/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* process-search: finds the processes that the options -p NAME, -a, -u, --cgroup, --container and --children mean. */
#ifndef PPROFIL_PROCESS_SEARCH_H
#define PPROFIL_PROCESS_SEARCH_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "pids.h"
#include "pprofil.h"

#define PROCESS_NAMES_MAX 64
#define PROCESS_NAMES_SIZE 4096 /* bytes */

/* What is searched for. All words but the names are borrowed from the command line. */
struct process_search {
    struct pids *pids; /* processes that are given by number; the processes that are found are added to them */
    const char *names[PROCESS_NAMES_MAX]; /* names, or patterns as in fnmatch(3) */
    unsigned name_count;
    char text[PROCESS_NAMES_SIZE]; /* the names are here */
    size_t text_size;
    const char *user;      /* name or number of their user; NULL: any */
    const char *cgroup;    /* path of their control group, or name of a part of the path; NULL: any */
    const char *container; /* beginning of the id of their container; NULL: any */
    bool all;              /* all processes that the caller may attach to */
    bool children;         /* also all descendants */
};

/* The options, as a child parser of argp. Its input is a struct process_search. */
extern const struct argp process_search_argp;

/* Adds an argument of -p: numbers and names with commas between them, or one pattern with blanks or signs of
 * fnmatch(3). If it is none of these, complains and ends pprofil. */
void process_search_add(struct process_search *search, const char *text);

/* Returns true if any processes are asked for. */
bool process_search_any(const struct process_search *search);

/* Finds the processes, and adds them to search->pids. Complains and returns false if there is no such process, if one
 * that is given by number does not meet the conditions, or if there are more than PIDS_MAX. Unless `quiet` is set, says
 * which processes are left out because they refuse. */
bool process_search_find(struct process_search *search, bool quiet);

/* Writes what was asked for, as command options such as "-p nginx", for people. */
void process_search_describe(const struct process_search *search, char *text, size_t size);

/* --- process-match.c: one process -------------------------------------------------------------- */

/* Returns true if a name is a pattern as in fnmatch(3), and not the name of a process. */
bool process_name_is_pattern(const char *name);
/* Returns true if a process has this name, or if its name or its command line matches the pattern. */
bool process_matches(const struct pprofil_candidate *process, const char *name);
/* user: a name or a number */
bool process_has_user(const struct pprofil_candidate *process, const char *user);
/* Returns true if a process is in the control group and the container that are searched for. */
bool process_is_in_group(const struct pprofil_candidate *process, const struct process_search *search);

#endif
