/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * leak-note: the line that says why a program ended with LeakSanitizer's status and not its own.
 *
 * LeakSanitizer looks for leaks when the program exits, from a process of its own that traces the
 * others (sanitizer_stoptheworld_linux_libcdep.cpp in compiler-rt). Since a process has one tracer
 * it cannot where that is we, and ends the program. It waits for the process that it started all
 * the same, and that shows: whoever exits without the look for leaks, because that is switched off
 * or an error came before, has mostly waited for nobody.
 */
#ifndef PPROFIL_LEAK_NOTE_H
#define PPROFIL_LEAK_NOTE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "pprofil.h"

struct leak_note {
    char program[PATH_MAX]; /* the file that was executed first; "": not known */
    bool waited;            /* the program has waited for a process */
    int status;             /* LeakSanitizer's; 0: there is nothing to say */
};

/* The program runs. */
void leak_note_begin(struct leak_note *note, pid_t program);
/* It has ended, and nobody has waited for it. */
void leak_note_end(struct leak_note *note, pid_t program);
/* All that the profile will know is there. status: the program's, as wait(2) has it. */
void leak_note_decide(struct leak_note *note, const pprofil_profile *profile, pid_t program,
                      int status);
/* The line, after a prefix, where there is one. */
void leak_note_print(const struct leak_note *note, FILE *out, const char *prefix);

#endif
