/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * config-options: options that the user wants always, from the file $XDG_CONFIG_HOME/pprofil/options, or else
 * ~/.config/pprofil/options, and from the environment variable PPROFIL_OPTIONS.
 *
 * A line of the file has a command and options of it: "report --by line". The command "run" is pprofil PROGRAM and
 * pprofil -p PID. PPROFIL_OPTIONS has only options, for "run". Words are quoted as in a shell, but nothing is expanded.
 * A word that begins with # begins a comment.
 */
#ifndef PPROFIL_CONFIG_OPTIONS_H
#define PPROFIL_CONFIG_OPTIONS_H

#include <limits.h>
#include <stdbool.h>

struct config_line {
    const char *path; /* of the file, or "PPROFIL_OPTIONS" */
    unsigned number;  /* of the line in the file; 0: it is from the variable */
    char **words;     /* words[0] is the command; NULL after the last one */
    int count;
};

struct config_options {
    struct config_line *lines; /* what comes later wins */
    unsigned count;
    char path[PATH_MAX];
    char *text, *variable; /* the words point into them */
};

/* Reads the lines for a command. A file that another user could have written is not used, which a message says. If a
 * line is wrong, complains and ends pprofil. Nothing is read if PPROFIL_NO_CONFIG is set and not empty. The options
 * stay allocated until pprofil ends, because results of parsers point into them. */
void config_options_read(const char *command, struct config_options *options);

/* Splits a line into words. Changes the line, into which the words point. The array is NULL after the last word, and
 * belongs to the caller. Returns the number of words, -EINVAL if a quote is not closed, or -ENOMEM. */
int config_split(char *line, char ***words);

#endif
