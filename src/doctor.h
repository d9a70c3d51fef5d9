/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * doctor: pprofil doctor, which finds out what works on this machine. Each check is a row of a table, and what a check
 * has found is one or two lines of text. cmd-doctor.c runs the groups of checks in this order:
 *
 *     doctor-tracing.c    which processes may be traced, and what decides that
 *     doctor-kernel.c     features of the kernel, and what pprofil does without them
 *     doctor-costs.c      clocks, wake-ups, context switches, samples; the sampling rates within the budget
 *     doctor-parts.c      optional parts of pprofil, the terminal
 *     doctor-process.c    one process, if -p gives one
 *
 * doctor-sampling.c profiles busy children. All other files use its measurements.
 */
#ifndef PPROFIL_DOCTOR_H
#define PPROFIL_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pprofil.h"

#define DOCTOR_TEXT_SIZE 512
#define DOCTOR_NUMBERS_MAX 6

#define DOCTOR_DEFAULT_HZ 1000.0 /* the rate that is sampled if none is asked for: pprofil_options */

enum verdict { VERDICT_YES, VERDICT_LIMITED, VERDICT_NO };

/* What a check has found. */
struct finding {
    enum verdict verdict;
    char fact[DOCTOR_TEXT_SIZE]; /* "": there is nothing to say */
    char why[DOCTOR_TEXT_SIZE];  /* reason and cure; "" if the verdict is VERDICT_YES */
    struct {
        const char *name; /* NULL: the list ends here */
        double value;
    } numbers[DOCTOR_NUMBERS_MAX]; /* for JSON */
};

/* The results of profiling busy children. */
struct sampling {
    int error;                      /* 0, or the negative error of the session */
    char problem[DOCTOR_TEXT_SIZE]; /* the reason of the error */
    unsigned children;
    struct pprofil_totals totals;
};

struct doctor {
    pid_t pid;                           /* the process of -p; 0: none */
    const struct check *check;           /* the check that is being made; a function may make several */
    struct pprofil_ptrace_limits limits; /* as pprofil_ptrace_limits has found them */
    struct sampling one;                 /* one launched child */
    struct sampling attached;            /* one child that was not launched, but attached to */
    struct sampling all;                 /* a launched child for each CPU */
    bool attaches;                       /* the process of -p could be attached to */
    struct pprofil_program program;      /* the program of that process */
    bool program_known;                  /* its file could be read */
};

struct check {
    const char *name; /* for JSON */
    /* Fills in the finding, in which everything is 0. */
    void (*run)(struct doctor *doctor, struct finding *finding);
};

struct check_group {
    const char *name, *title;
    const struct check *checks; /* ends with a check without a name */
};

extern const struct check_group doctor_tracing, doctor_kernel, doctor_costs, doctor_parts, doctor_process;

/* --- cmd-doctor.c: findings ------------------------------------------------------------------- */

/* Store the verdict and the fact. */
void finding_yes(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_limited(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_no(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Stores the reason and the cure. */
void finding_why(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a number, unless there are DOCTOR_NUMBERS_MAX already. `name` is borrowed. */
void finding_number(struct finding *finding, const char *name, double value);

/* --- doctor-sampling.c: children, and profiles of them ------------------------------------------- */

/* Forks a child that calls body(context), and then exits with the result. The child is killed when this process ends in
 * any way. Returns its pid or a negative errno. */
pid_t child_begin(int (*body)(void *context), void *context);
/* Kills a child, and waits for it. */
void child_end(pid_t child);
/* Waits for a child that exits by itself. Returns its exit status; -1: it did not exit. */
int child_await(pid_t child);

/* Uses CPU time until the process is killed; parent: the process whose end also ends this one. This is what the hidden
 * option --busy of pprofil doctor does. */
int child_be_busy(pid_t parent);

/* Returns the number of CPUs on which this process may run. */
unsigned sampling_cpu_count(void);

/* Launches children that use CPU time, and profiles them for `seconds`. */
void sampling_launch(struct sampling *sampling, unsigned children, double seconds);
/* Forks a child that uses CPU time, attaches to it, and profiles it for `seconds`. */
void sampling_attach(struct sampling *sampling, double seconds);

/* The measurements return -1 if they are not known. The rates and costs are means. */
double sampling_rate_hz(const struct sampling *sampling);    /* achieved rate, samples in a second of CPU time */
double sampling_cost_ns(const struct sampling *sampling);    /* CPU time that a sample takes from its target */
double sampling_full_share(const struct sampling *sampling); /* share of the time in which no CPU was idle, 0..1 */

#endif
