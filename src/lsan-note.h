/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lsan-note: the line that says why a program ended with LeakSanitizer's status and not its own.
 *
 * LeakSanitizer looks for leaks when the program exits, from a process of its own that traces the
 * others (sanitizer_stoptheworld_linux_libcdep.cpp in compiler-rt). A process can have one tracer.
 * Where pprofil is the tracer, LeakSanitizer cannot look, and ends the program with a status of its
 * own. It has waited for its own process then. A program that exits without that look (it is
 * switched off, or an error came before) has mostly waited for no process.
 */
#ifndef PPROFIL_LSAN_NOTE_H
#define PPROFIL_LSAN_NOTE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "pprofil.h"

struct lsan_note {
    char program[PATH_MAX]; /* the file that was executed first; "": not known */
    bool waited;            /* the program has waited for a process of its own */
    int status;             /* LeakSanitizer's; 0: there is nothing to say */
};

/* Notes which file the program executes. To be called when the program has just been started. */
void lsan_note_begin(struct lsan_note *note, pid_t program);
/* Notes whether the program waited for processes. To be called when it has ended, and before
 * wait(2) takes it. */
void lsan_note_end(struct lsan_note *note, pid_t program);
/* Decides whether there is a line to print. To be called when the profile is complete. status:
 * that of the program, as wait(2) has it. */
void lsan_note_decide(struct lsan_note *note, const pprofil_profile *profile, pid_t program,
                      int status);
/* Prints the prefix and the line, or nothing. */
void lsan_note_print(const struct lsan_note *note, FILE *out, const char *prefix);

#endif
