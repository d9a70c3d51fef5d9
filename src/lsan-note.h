/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lsan-note: prints a line that says why a program ended with LeakSanitizer's status instead of its own.
 *
 * LeakSanitizer looks for leaks when the program exits. It does so from a process of its own that traces the program's
 * threads (sanitizer_stoptheworld_linux_libcdep.cpp in compiler-rt). A process can have only one tracer. If pprofil is
 * the tracer, LeakSanitizer cannot look for leaks, and ends the program with LeakSanitizer's status. By then the
 * program has waited for LeakSanitizer's process. If leak detection is off, or if the program ends in another way than
 * by exit(3), LeakSanitizer starts no process, and usually the program has not waited for any process. So the line is
 * printed only if the program has waited for a process.
 */
#ifndef PPROFIL_LSAN_NOTE_H
#define PPROFIL_LSAN_NOTE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "pprofil.h"

struct lsan_note {
    char program[PATH_MAX]; /* path of the program's file at its start; "": unknown */
    bool waited;            /* the program has waited for a child process */
    int status;             /* LeakSanitizer's exit status; 0: there is nothing to print */
};

/* Notes which file the program executes. Call it just after the program's start. */
void lsan_note_begin(struct lsan_note *note, pid_t program);
/* Notes whether the program waited for processes. Call it after the program's end, and before
 * wait(2) takes the status. */
void lsan_note_end(struct lsan_note *note, pid_t program);
/* Decides whether there is a line to print. Call it when the profile is complete. `status` is the
 * program's wait status (wait(2)). */
void lsan_note_decide(struct lsan_note *note, const pprofil_profile *profile, pid_t program, int status);
/* If there is a line to print, prints the prefix and the line. */
void lsan_note_print(const struct lsan_note *note, FILE *out, const char *prefix);

#endif
