/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpprofil: sampling profiles of other processes, from outside, through ptrace.
 *
 * A session owns a supervisor process, which alone touches the targets; the library itself
 * only reads what the supervisor sends. Nothing here is thread-safe: use a session, and
 * what came from it, from one thread at a time. Functions return 0 or a negative errno
 * unless they say otherwise.
 */
#ifndef PPROFIL_H
#define PPROFIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "pprofil/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofil_session pprofil_session;
typedef struct pprofil_profile pprofil_profile;
typedef struct pprofil_report pprofil_report;
typedef struct pprofil_tree pprofil_tree;

/* --- sessions ------------------------------------------------------------------------ */

enum pprofil_flags {
    PPROFIL_WALL = 1u << 0,       /* sample sleeping threads too, without stopping them */
    PPROFIL_NO_FOLLOW = 1u << 1,  /* leave a process when it execs */
    PPROFIL_NO_INHERIT = 1u << 2, /* do not follow forked children */
    PPROFIL_PARSE_MAPS = 1u << 3, /* for tests: behave as on kernels without PROCMAP_QUERY */
    PPROFIL_CALL_GRAPH = 1u << 4, /* record who called, not only who ran */
    PPROFIL_WARY = 1u << 5,       /* for tests: behave as on kernels before 5.7 */
    PPROFIL_RESTLESS = 1u << 9,   /* for tests: hand each thread from tracer to tracer all the time */
};

#define PPROFIL_MIN_HZ 1.0
#define PPROFIL_MAX_HZ 50000.0
#define PPROFIL_MIN_STACK 1024u
#define PPROFIL_MAX_STACK (1u << 20)

struct pprofil_options {
    size_t size;      /* sizeof(struct pprofil_options): lets it grow */
    double frequency; /* samples per second of CPU time; 0: 1000 */
    double overhead;  /* percent of its CPU time that a target may lose; 0: 2 */
    uint64_t seed;    /* of the jitter; 0: any */
    unsigned flags;   /* enum pprofil_flags */
    const char *events_path; /* where all events are recorded; NULL: nowhere */
    size_t stack_size; /* call graph: a sample looks at so many bytes of stack; 0: 16384 */
};

/* Starts a supervisor. options may be NULL. -EINVAL: an option is out of range. Other errors: the supervisor could
 * not be started. Then *session is set all the same: pprofil_session_problem says why, and the caller closes it. */
int pprofil_session_open(const struct pprofil_options *options, pprofil_session **session);

/* Lets all targets go, unharmed, and frees everything. A profile that was taken with pprofil_session_take_profile
 * stays. A launched program runs on, as the caller's child. */
void pprofil_session_close(pprofil_session *session);

/* Returns one line for people about the last call that failed: what went wrong, why, and what to do. "" if no call
 * has failed. */
const char *pprofil_session_problem(const pprofil_session *session);

/* The standard descriptors of a launched program. The caller's own stay open. */
struct pprofil_launch {
    size_t size;       /* sizeof(struct pprofil_launch) */
    int input, output; /* output is its standard error, too */
    bool new_session;  /* setsid(2): no terminal's signals reach it */
};

/* Starts a program as a child of the caller, and follows it from its first instruction. The program is found as
 * execvp(3) finds it, and fails as that does: -ENOENT, -EACCES, ... It inherits the caller's descriptors, directory,
 * environment and process group. launch may be NULL: its standard descriptors are the
 * caller's, too. The caller may wait for *pid with waitpid(2) once pprofil_session_pump has returned
 * 1. */
int pprofil_session_launch(pprofil_session *session, char *const argv[], const struct pprofil_launch *launch,
                           pid_t *pid);

/* Attaches to a running process: to all its threads that may be traced. That stops none of them. -ESRCH, -EPERM, ...:
 * none of them may be traced. */
int pprofil_session_attach(pprofil_session *session, pid_t pid);

/* Returns one line for people about the last process that was attached to: which of its threads could not be traced,
 * and why. "" if all could. Nothing is seen of the time of such threads, nor of their children. */
const char *pprofil_session_untraced(const pprofil_session *session);

/* Attaches to those of several processes that may be traced. Calls warn with one line for each process that may not,
 * and for each that has threads which may not. Returns 0 if one of them may be traced. Else it returns the last one's
 * error: pprofil_session_problem says why, and warn has been called for the others. */
int pprofil_session_attach_all(pprofil_session *session, const pid_t *pids, unsigned count,
                               void (*warn)(void *context, const char *line), void *context);

/* A new session does not sample until it is started. */
int pprofil_session_start(pprofil_session *session);
int pprofil_session_stop(pprofil_session *session);

/* Sets all counts to 0, of the profile and of histograms. Sampling goes on, or stays stopped. */
int pprofil_session_clear(pprofil_session *session);
bool pprofil_session_sampling(const pprofil_session *session);

/* Waits up to timeout_ms (-1: for ever) until something happens, and adds what has happened to the profile. Call it at
 * least a few times a second. It returns
 *
 *     0        the program that was launched, or a process that was attached to, is alive
 *     1        all of them have ended. Children that are followed may live on: pprofil_profile_process says who is
 *              alive. Further calls do not wait, and still add what happens to those.
 *     -EPIPE   the supervisor has died. The targets run on, and the profile stays.
 *     -EINTR   a signal came
 *
 * If a supervisor that samples has said nothing for 10 s, this call asks it why, and waits up to 10 s for an answer.
 * Without one it kills the supervisor, and returns -EPIPE. */
int pprofil_session_pump(pprofil_session *session, int timeout_ms);

/* Returns a descriptor, which the session owns. poll(2) finds it readable when pprofil_session_pump would not wait. */
int pprofil_session_fd(const pprofil_session *session);

/* Ends sampling, lets all targets go, and takes the last events. -EPIPE: the supervisor had died before, and the last
 * moments are missing. -ETIMEDOUT: the supervisor did not answer for 10 s, and was killed. */
int pprofil_session_finish(pprofil_session *session);

/* Returns the profile so far. The session owns it. After pprofil_session_finish the caller may take it over. */
pprofil_profile *pprofil_session_profile(pprofil_session *session);
pprofil_profile *pprofil_session_take_profile(pprofil_session *session);

/* Returns the present sampling rate, Hz. It is lower than what was asked for while the overhead budget is spent. */
double pprofil_session_rate(const pprofil_session *session);

/* From now on sampling has another rate, or takes sleeping threads, too (PPROFIL_WALL). -EINVAL: the rate is out of
 * range. */
int pprofil_session_set_rate(pprofil_session *session, double hz);
int pprofil_session_set_wall(pprofil_session *session, bool wall);

/* --- control by others ---------------------------------------------------------------- */

/*
 * A running session obeys "start", "stop", "startclr" (clear and start), "flush" and "status" from other processes of
 * the same user, or root. They find it by the number of this process or of one of its targets, and by a socket in the
 * file system (path; mode 0600; NULL: there is none). pprofil_session_pump serves the requests. For "flush" it calls
 * flush, which returns 0 or -errno (NULL: the request is an error). pprofil_session_control_targets makes targets known
 * that come later. -EADDRINUSE: another session listens there. -EEXIST: path is no socket.
 */
int pprofil_session_control(pprofil_session *session, const char *path,
                            int (*flush)(void *context), void *context);

/* Others find the session by the numbers of its present targets, too. */
void pprofil_session_control_targets(pprofil_session *session);

/* Sends a command to the session at target, a path or a process number, and waits for the answer. That of "status" has
 * several lines. PPROFIL_ERROR_REFUSED: the session refuses, and answer says why. -ENOENT, -ECONNREFUSED: there is no session.
 * -EPERM: it is another user's. */
int pprofil_control_send(const char *target, const char *command, char *answer, size_t size);

/* --- histograms: the profil family, from outside -------------------------------------- */

/*
 * The program counters of a process are counted in the caller's own buffers, by the rules of one of the old systems:
 * pprofil-dialects(7) has them. pprofil_session_pump does that. pid is a process of the session, followed already or
 * not. 0 stands for all its processes, which then count together. A call replaces the last one for the same pid.
 *
 * The buffers belong to the caller, and hold counters in this machine's byte order. The caller may read and write them
 * between calls of pprofil_session_pump. They must stay until the next call for the pid, pprofil_profil_stop or the
 * session's end. While the session is stopped nothing is counted. An exec ends the counting. The counts of a child are
 * its own.
 */

/* A stretch of text and the counters for it, as profil(2) takes them. If high is not 0, only addresses [low, high)
 * count, as in the extended form of OSF/1. */
struct pprofil_region {
    void *buffer;
    size_t size;      /* of buffer, bytes */
    uint64_t offset;  /* lowest address, in the process */
    uint64_t low, high;
    uint32_t scale;
};

struct pprofil_histogram {
    size_t size;         /* sizeof(struct pprofil_histogram) */
    const char *dialect; /* "solaris", "bsd44", ...: pprofil-dialects(7) */
    unsigned counter_size; /* bytes: 2, 4 or 8; 0: the dialect's */
    uint64_t period_ns;  /* CPU time of a tick; 0: the dialect's */
    const struct pprofil_region *regions;
    size_t region_count;
    uint32_t *overflow; /* counts the ticks that no region takes; NULL: nothing does */
    /* Counts time in the kernel by system call, not by address. Call n counts as text at PPROFIL_CALL_ADDRESS(n). Time
     * in the program counts as outside. */
    bool by_call;
};

/* Behind the cells that the kprof device has for totals. */
#define PPROFIL_CALL_ADDRESS(n) (((uint64_t)(n) + 6) * 8)
#define PPROFIL_CALL_NUMBERS 1024 /* no system call has a larger number */

/* Counts by any dialect that has counters. -EINVAL: there is no such dialect, or it refuses a region. */
int pprofil_profil_regions(pprofil_session *session, pid_t pid,
                           const struct pprofil_histogram *histogram);

/* Counts in one region, with the dialect's own counters. A scale that the dialect takes as "off" stops the counting. */
int pprofil_profil(pprofil_session *session, pid_t pid, const char *dialect, void *buffer,
                   size_t size, uint64_t offset, uint32_t scale);

/* Counts as IRIX's sprofil(2): the regions may have any order, and one with offset 0 and scale 2 is the overflow bin.
 * counter_size is 2 or 4, bytes. No regions: the counting stops. */
int pprofil_sprofil(pprofil_session *session, pid_t pid, const struct pprofil_region *regions,
                    size_t count, unsigned counter_size);

/* Stores addresses as Solaris's pcsample(2) until the array is full. count is its elements; 0 stops. Returns how many
 * addresses the array of the last call has got. -EINVAL: count is negative. */
int64_t pprofil_pcsample(pprofil_session *session, pid_t pid, uint64_t samples[], int64_t count);

int pprofil_profil_stop(pprofil_session *session, pid_t pid);

struct pprofil_histogram_state {
    bool on;            /* still counting */
    uint64_t ticks;     /* all */
    uint64_t outside;   /* ticks that no region took */
    uint64_t overflows; /* ticks that found their counter full, or were refused and ended the counting */
    uint64_t stored;    /* pcsample: elements */
    /* Only of a file that was written: */
    uint64_t cut;        /* counters that hold less than was counted, for those of the file are too narrow */
    int32_t pid;         /* the process that it is of */
    const char *program; /* name of that process, as the kernel has it; valid during the call */
};

/* -ENOENT: nothing counts for this pid. */
int pprofil_histogram_state(const pprofil_session *session, pid_t pid,
                            struct pprofil_histogram_state *state, size_t size);

/* Tells the i-th dialect's name, the system whose rules it has, and the CPU time of its tick. -ENOENT past the last.
 * Any of the pointers may be NULL. */
int pprofil_dialect_at(unsigned i, const char **name, const char **system, uint64_t *period_ns);

/*
 * A whole session may count by one dialect, as that system would have counted. Each image of each process has
 * histograms of its own. If the dialect has that, a forked child goes on with a copy of its parent's.
 */
struct pprofil_dialect_options {
    size_t size; /* sizeof(struct pprofil_dialect_options) */
    const char *dialect;
    /* "OBJECT", "LO-HI" (of the program) or "OBJECT:LO-HI". Addresses are as linked, in hex. */
    const char *const *regions;
    size_t region_count;        /* 0: all the program's code */
    unsigned counter_size;      /* bytes: 2, 4 or 8; 0: the dialect's */
    bool scaled;                /* scale is given */
    uint32_t scale;             /* else 0x8000, with wider counters 0x10000 */
    uint64_t buffer_size;       /* bytes; 0: what the text needs */
    uint64_t period_ns;         /* 0: the dialect's */
    const char *format;         /* that will be written; NULL: the system's own */
};

/* To be called before a program is launched and before a process is attached to. -EINVAL: there is no such dialect, or
 * it refuses something; pprofil_session_problem says what. */
int pprofil_session_dialect(pprofil_session *session,
                            const struct pprofil_dialect_options *options);

/* Writes what was counted so far. The first image's file is path (NULL: the name that the system gave to it); files of
 * others are path.PID. If the format holds one object, files of further objects are path.OBJECT. format NULL: the
 * system's own. wrote is called for each file; it may be NULL. -ENODATA: nothing was counted, and
 * pprofil_session_problem says why. */
int pprofil_session_save_dialect(pprofil_session *session, const char *path, const char *format,
                                 void (*wrote)(void *context, const char *path,
                                               const struct pprofil_histogram_state *state),
                                 void *context);

/* --- profiles ------------------------------------------------------------------------ */

struct pprofil_totals {
    uint64_t samples;
    uint64_t cpu_ns;        /* CPU time that the samples stand for */
    uint64_t wall_ns;       /* wall mode: elapsed time that the samples stand for */
    uint64_t elapsed_ns;    /* of sampling */
    uint64_t target_cpu_ns; /* the targets' own CPU time, as the kernel counts it */
    uint64_t stopped_ns;    /* sum over threads of the time they were held stopped */
    uint64_t supervisor_cpu_ns;
    uint64_t lost;          /* events dropped */
    uint64_t throttled_ns;  /* elapsed time in which the rate was below what was asked for */
    uint64_t repaired;      /* system calls that would have failed with EINTR, and were restarted */
    uint32_t threads_seen, threads_alive;
    uint32_t processes_seen, processes_alive;
    double asked_hz;
    bool wall;
    uint64_t continued;     /* system calls that would have come back short, and were continued */
    uint64_t cut_short;     /* system calls that came back short, for they could not be continued */
    uint32_t untraced; /* threads that could not be traced; nothing is seen of their time */
    uint64_t full_ns;        /* elapsed time in which no CPU was idle */
    uint64_t sample_cost_ns; /* CPU time that a sample took from its target, of late; 0: not known */
    double overhead;         /* share of its CPU time that a target may lose to samples; 0: not known */
    uint64_t running; /* samples that found their thread running; running * 1e9 / cpu_ns is the rate achieved, Hz */
};

/* Writes into text why fewer samples were taken than were asked for: "a sample cost 63 us, for no CPU was idle". With
 * advice it also writes: "; --overhead 7 would give all". Returns the length, as snprintf(3) does. 0: as many were
 * taken as were asked for, or it is not known why not. */
int pprofil_totals_limit(const struct pprofil_totals *totals, bool advice, char *text, size_t size);

/* Reading: what a file does not say of itself. Writing: how it is to be made. */
struct pprofil_file {
    size_t size;         /* sizeof(struct pprofil_file): lets it grow */
    const char *format;  /* its name; NULL: reading, what the file looks like; writing, what
                            pprofil_profile_save chooses */
    const char *object;  /* reading counters: the ELF file whose text they count; NULL: not known */
    const char *dialect; /* writing counters: by whose rules, pprofil-formats(5) */
    uint32_t scale;      /* writing counters: bytes of them for 65536 bytes of text; 0: 32768 */
    const char *roots;   /* writing folded stacks: the first frame says whose they are: "none", "comm",
                            "process" or "thread"; NULL: process, if there are several */
    const char *values;  /* of folded stacks: "samples" or "time" (microseconds); NULL: samples */
    pprofil_profile *baseline; /* writing a flame graph: it is compared with this, which gets names, too, and
                                  stays the caller's; NULL: it is compared with nothing */
};

/* Reads a saved profile. "-" is standard input. file may be NULL. -EINVAL: there are no such values. The other errors
 * are those of the file itself, -ENOMEM, -EFBIG (it is larger than is read), and those that pprofil/error.h has for
 * reading. */
int pprofil_profile_open(const char *path, const struct pprofil_file *file, pprofil_profile **profile);
void pprofil_profile_close(pprofil_profile *profile);

/* Returns true if it was read from a file of counters. Only for those pprofil_file.object counts. */
bool pprofil_profile_has_counters(const pprofil_profile *profile);

/* Saves a profile. "-" is standard output. file may be NULL. The file at path is at every instant the old one or the
 * whole new one. symbolize: names and lines are looked up first, which may take long. Formats of counters hold one
 * object: path is the main object's file, and path.NAME that of another one. -EEXIST: what has such a name is no file;
 * nothing was written. -EINVAL: there are no such roots, or values. The other errors are those of the file itself,
 * -ENOMEM, and those that pprofil/error.h has for writing, and PPROFIL_ERROR_MIXED_TIMES. */
int pprofil_profile_save(pprofil_profile *profile, const char *path, const struct pprofil_file *file,
                         bool symbolize);

/* Looks up the names and lines that pprofil_profile_save would look up, which may take long. That need not do it
 * then. Errors are those of pprofil_profile_save. */
int pprofil_profile_symbolize(pprofil_profile *profile, const char *path,
                              const struct pprofil_file *file);

/* Writes any bytes as profiles are written: the file at path is at every instant the old one or the whole new one, and
 * after an error the old one. What is no regular file (a pipe, "-") is written directly. bytes may not be NULL. */
int pprofil_write_file(const char *path, const void *bytes, size_t size);

/* Writes the name of the i-th file that pprofil_profile_save would write into name. -ENOENT past the last. It
 * fails as pprofil_profile_save would. */
int pprofil_profile_file_at(const pprofil_profile *profile, const char *path,
                            const struct pprofil_file *file, unsigned i, char *name, size_t size);

/* Returns the name of the format that pprofil_profile_save chooses for a path. */
const char *pprofil_format_for(const char *path);

void pprofil_profile_totals(const pprofil_profile *profile, struct pprofil_totals *totals,
                            size_t size);

/* The command that was profiled, for people. */
void pprofil_profile_set_command(pprofil_profile *profile, const char *command);
const char *pprofil_profile_command(const pprofil_profile *profile);

/* Several profiles become one: others are added to an empty one, in any order. */
enum pprofil_merging {
    PPROFIL_MERGE_CPU = 1u << 0, /* takes only what was CPU time from profiles of elapsed time */
};
int pprofil_profile_new(pprofil_profile **profile);
/* Adds from to into. from stays as it is. Objects are the same if their build-ids are; processes, if their numbers,
 * parents, names and the instants at which they began are. Counts and times add up, whatever the rates were. PPROFIL_ERROR_MIXED_TIMES:
 * one of the two is of elapsed time, and the other is not; nothing was changed. -ENOMEM, and -EOVERFLOW (sums are too
 * large): into is of no use any more. */
int pprofil_profile_merge(pprofil_profile *into, const pprofil_profile *from, unsigned how);

/* Tells what the i-th format is. The texts are static. -ENOENT past the last. */
struct pprofil_format {
    const char *name, *extensions, *summary;
    const char *keeps, *loses; /* what of a profile is there again when it was written and is read */
    bool readable, writable;
};
int pprofil_format_at(unsigned i, struct pprofil_format *format, size_t size);

/* --- reports ------------------------------------------------------------------------- */

enum pprofil_by {
    PPROFIL_BY_FUNCTION,
    PPROFIL_BY_OBJECT,
    PPROFIL_BY_LINE,
    PPROFIL_BY_THREAD,
    PPROFIL_BY_PROCESS,
    PPROFIL_BY_SYSCALL,
    PPROFIL_BY_STATE, /* "running", "waiting for a CPU", "asleep", "uninterruptible" */
};

struct pprofil_row {
    const char *name;   /* function, path, file, thread's or process's name, system call, state */
    const char *object; /* file name of the object; "" where rows are no code */
    const char *file;   /* "" not known */
    uint32_t line;      /* 0 not known */
    uint32_t pid, tid;  /* BY_THREAD, BY_PROCESS */
    uint64_t samples;
    uint64_t ns;    /* CPU time; elapsed time in wall mode */
    double share;   /* 0..1 of the whole */
    double error95; /* half the width of the 95 % confidence interval of share */
    uint64_t id;    /* not 0; the same row has the same id in a later report by the same thing */
    bool pending;   /* pprofil_live_report: the name, or line, is still being looked up */
    const char *hottest; /* pprofil_live_report BY_THREAD, BY_PROCESS: its function with the most
                          * time; else "" */
    /* Samples that have it anywhere on their stack; each counts once. 0 unless pprofil_report_has_totals. */
    uint64_t total_samples, total_ns;
    double total_share, total_error95;
};

struct pprofil_report_options {
    size_t size; /* sizeof(struct pprofil_report_options): lets it grow */
    enum pprofil_by by;
    uint32_t limit;   /* rows; 0: all */
    bool totals;      /* if the profile has stacks, and rows are code: with totals, and with rows for
                       * functions that only call others, or were inlined */
    bool by_total;    /* the largest total first */
    bool no_inlines;  /* totals: functions that were inlined count for their caller */
};

/* Makes the rows of a profile, largest first. options may be NULL: all functions. Strings live as long as the profile.
 * The caller frees *report with pprofil_report_free. -EINVAL: there are no such rows. */
int pprofil_report_new(pprofil_profile *profile, const struct pprofil_report_options *options,
                       pprofil_report **report);
bool pprofil_report_has_totals(const pprofil_report *report);
void pprofil_report_free(pprofil_report *report);
uint32_t pprofil_report_count(const pprofil_report *report);
/* Returns how many rows there would be without the limit. *rest_ns: the time in those that it has left out. */
uint32_t pprofil_report_all(const pprofil_report *report, uint64_t *rest_ns);
void pprofil_report_row(const pprofil_report *report, uint32_t i, struct pprofil_row *row,
                        size_t size);

/* Tells the i-th object whose functions have no names, largest first: its path, why it has none, and its share of the
 * whole time. -ENOENT past the last. To be called after a report by function. */
int pprofil_profile_nameless(pprofil_profile *profile, unsigned i, const char **path,
                             const char **why, double *share);

/* --- stacks: who calls whom ---------------------------------------------------------- */

/* Tells the i-th reason why stacks are not whole ("[truncated]"), and the share of the time of such stacks, largest
 * first. -ENOENT past the last. -ENODATA: the profile has no stacks. */
int pprofil_profile_incomplete(const pprofil_profile *profile, unsigned i, const char **why,
                               double *share);
/* Returns true if any sample has more than one frame. */
bool pprofil_profile_has_stacks(const pprofil_profile *profile);

enum pprofil_tree_kind {
    PPROFIL_TREE_CALLS,    /* top-down, from where threads begin */
    PPROFIL_TREE_INVERTED, /* bottom-up, from what runs: below each its callers */
    PPROFIL_TREE_CALLERS,  /* bottom-up, from functions of a name */
    PPROFIL_TREE_CALLEES,  /* top-down, from functions of a name */
};

struct pprofil_tree_options {
    size_t size; /* sizeof(struct pprofil_tree_options): lets it grow */
    enum pprofil_tree_kind kind;
    enum pprofil_by by;   /* what rows are: functions, lines or objects */
    const char *function; /* CALLERS, CALLEES: a name, or a pattern as in pprofil_selection. If a stack has
                           * it more than once, the outermost call counts */
    double least;         /* share of the whole, 0..1, that a row must have */
    uint32_t depth;       /* levels; 0: all */
    uint32_t limit;       /* rows, the largest; 0: all */
    bool no_inlines;      /* functions that were inlined count for their caller */
    bool fold;            /* a function that calls itself directly is one row */
};

#define PPROFIL_TREE_TOP UINT32_MAX

/* A row; those below it follow it, largest first. */
struct pprofil_tree_row {
    /* Its samples, ns, share and error95 are what it ran itself; its totals are with all that it calls. Bottom-up the
     * total is that of the function at the top of the tree, as far as it was called in this way, and samples, ns and
     * share are the part in which that function ran itself. The same way to it has the same id in a later tree of the
     * same kind. */
    struct pprofil_row row;
    uint32_t parent; /* row; PPROFIL_TREE_TOP: none */
    uint32_t depth;  /* 0: none above */
    uint32_t indent; /* as depth; but the only row below a parent is no further in than that */
    uint32_t below;  /* rows that are directly below it in the profile, shown or not */
    uint32_t cut;    /* not 0: the row is no function, but stands for so many that are not shown */
    bool last;       /* no further row of the same parent follows */
    bool inlined;    /* it was inlined into its caller */
};

struct pprofil_tree_totals {
    uint32_t all;         /* rows that there would be without bounds; bottom-up: as far as they were made */
    uint64_t samples, ns; /* of the profile: what shares are of */
    uint64_t root_samples, root_ns; /* CALLERS, CALLEES: of stacks with the function */
    uint64_t again_ns;    /* CALLERS, CALLEES: of stacks that have it more than once */
    uint64_t rest_ns;     /* time that no row shows as its own */
};

/* Makes a call tree. Strings live as long as the profile. The caller frees *tree with pprofil_tree_free. -EINVAL:
 * function is no pattern, or rows cannot be such. -ENOENT: there is no such function; pprofil_profile_problem says so,
 * and which there are. -EOVERFLOW: the profile is too large. */
int pprofil_tree_new(pprofil_profile *profile, const struct pprofil_tree_options *options,
                     pprofil_tree **tree);
void pprofil_tree_free(pprofil_tree *tree);
uint32_t pprofil_tree_count(const pprofil_tree *tree);
void pprofil_tree_row(const pprofil_tree *tree, uint32_t i, struct pprofil_tree_row *row,
                      size_t size);
void pprofil_tree_totals(const pprofil_tree *tree, struct pprofil_tree_totals *totals,
                         size_t size);

/* --- selections: a part of a profile ------------------------------------------------- */

/* A sample belongs to the part if all of these hold for it. NULL, 0: this does not matter. A name is the whole name, or
 * the name without its parameters. If there is no such name it is a POSIX extended regular expression, which is found
 * in the name. */
struct pprofil_selection {
    size_t size; /* sizeof(struct pprofil_selection): lets it grow */
    const uint32_t *pids;
    size_t pid_count;
    const char *comm;     /* the process's name */
    const char *thread;   /* the thread's name, or number */
    const char *object;   /* the object that runs: its path, or the last part of that */
    const char *function; /* the function that runs */
    const char *focus;    /* a function that is on the stack */
    const char *ignore;   /* a function that is not on the stack */
    bool no_inlines;      /* functions that were inlined count for their caller */
};

/* Returns true if anything is asked for. */
bool pprofil_selection_any(const struct pprofil_selection *selection);

/* Makes a profile of the part. It can be reported and saved as any other, and the caller closes it. The whole stays as
 * it is. The part's command says what was selected. If no sample is all that was asked for, the part is empty. -EINVAL:
 * something is no pattern. -ENOENT: the profile has nothing of such a name. pprofil_profile_problem of the whole says
 * which. */
int pprofil_profile_select(pprofil_profile *profile, const struct pprofil_selection *selection,
                           pprofil_profile **part);

/* Tells of a part what was selected ("--comm make --focus main"), its share of the whole's time, and the whole's
 * samples. -ENODATA: the profile is no part. */
int pprofil_profile_selected(const pprofil_profile *profile, const char **what, double *share,
                             uint64_t *of_samples);

/* Returns one line for people: why the last call with this profile failed. "" if that is not known. */
const char *pprofil_profile_problem(const pprofil_profile *profile);

/* --- diffs: two profiles, function by function ------------------------------------------ */

enum pprofil_diff_by {
    PPROFIL_DIFF_SHARE,         /* of the profile's whole, 0..1 */
    PPROFIL_DIFF_TIME,          /* seconds: CPU time, or elapsed time in wall mode */
    PPROFIL_DIFF_TIME_A_SECOND, /* seconds in each second of sampling */
};

struct pprofil_diff_options {
    size_t size; /* sizeof(struct pprofil_diff_options): lets it grow */
    enum pprofil_diff_by by;
    uint32_t limit; /* rows; 0: all */
    double least;   /* a significant change is at least so much of the old whole, 0..1 */
};

/* One quantity: [0] in the old profile, [1] in the new one. */
struct pprofil_change {
    uint64_t samples[2], ns[2];
    double share[2];  /* of the whole, 0..1 */
    double value[2];  /* what is compared: enum pprofil_diff_by */
    double change;    /* of value: new - old */
    double low, high; /* its 95 % confidence interval; infinite where there is none */
    double p;         /* the chance of such a change by chance alone; 1 where nothing is compared */
    double q;         /* the lowest rate of false discoveries at which this change counts as one that is found */
    bool significant; /* q is at most 0.05 */
};

struct pprofil_diff_row {
    const char *name;      /* function */
    const char *object[2]; /* last component of its path; "": it has no samples there */
    struct pprofil_change self;
    struct pprofil_change total; /* with what it called; all 0 without stacks */
};

struct pprofil_diff_totals {
    uint32_t rows;        /* before the limit */
    uint32_t significant; /* rows whose self or total has changed significantly */
    bool stacks;          /* the profiles have stacks, so rows have totals */
    bool wall;            /* times are elapsed time */
    struct pprofil_change whole; /* its values are times, also if shares are compared */
};

/* Compares two profiles. pprofil-diff(1) has the tests. Strings live as long as the profiles. options may be NULL.
 * PPROFIL_ERROR_MIXED_TIMES: one profile is of elapsed time, and the other is not. -ENODATA: PPROFIL_DIFF_TIME_A_SECOND was asked for, and
 * a profile does not say how long it took. */
typedef struct pprofil_diff pprofil_diff;
int pprofil_diff_new(pprofil_profile *old_profile, pprofil_profile *new_profile,
                     const struct pprofil_diff_options *options, pprofil_diff **diff);
void pprofil_diff_free(pprofil_diff *diff);
uint32_t pprofil_diff_count(const pprofil_diff *diff);
/* Significant rows first, then by the size of the change. */
void pprofil_diff_row(const pprofil_diff *diff, uint32_t i, struct pprofil_diff_row *row,
                      size_t size);
void pprofil_diff_totals(const pprofil_diff *diff, struct pprofil_diff_totals *totals, size_t size);

/* --- live: a session while it runs ----------------------------------------------------- */

/*
 * Reports of a session that is sampling. They are cheap enough for several in a second, and have no effect on the
 * sampling. Sums are made in the caller's thread. A thread of the library reads files, looks up names and disassembles
 * code. A row whose name has not been looked up yet is pending, and has its object's name. A later report has its own.
 */
typedef struct pprofil_live pprofil_live;

/* The session must outlive it. 0, -ENOMEM, or -EAGAIN: there is no thread to be had. */
int pprofil_live_open(pprofil_session *session, pprofil_live **live);
void pprofil_live_close(pprofil_live *live);

/* Only samples of what is not 0 count. Ids are those of rows. */
struct pprofil_filter {
    size_t size;       /* sizeof(struct pprofil_filter) */
    uint32_t pid, tid; /* the process, in all its images; the thread */
    uint64_t object;   /* a row of a report BY_OBJECT */
    uint64_t syscall;  /* a row of a report BY_SYSCALL */
    uint64_t process;  /* a row of a report BY_PROCESS: one image */
    uint64_t thread;   /* a row of a report BY_THREAD: of one image */
    uint64_t state;    /* a row of a report BY_STATE */
};

/* Makes all rows, largest first, of the counts since the start, or since the last clear. If there are stacks, rows of
 * code have totals. Shares are of what the filter lets through. filter may be NULL. 0, -ENOMEM, or -EINVAL: there are
 * no such rows. */
int pprofil_live_report(pprofil_live *live, enum pprofil_by by,
                        const struct pprofil_filter *filter, pprofil_report **report);

/* A place in a live call tree. */
struct pprofil_live_call {
    const char *name, *object; /* of the function; as in struct pprofil_row */
    uint64_t id;       /* not 0; the same place has the same id in a later tree of the same kind */
    uint64_t function; /* id of its row BY_FUNCTION; 0: pending */
    uint32_t parent;   /* index of its caller (in a tree of CALLERS: of what it calls); UINT32_MAX: none */
    uint32_t below;    /* functions that are directly below it, whether they are in the tree or not */
    uint64_t samples, ns;             /* its own; in a tree of CALLERS 0 */
    uint64_t total_samples, total_ns; /* with what it called. In a tree of CALLERS: of the function that the tree is
                                       * of, as far as it was called in this way */
    bool pending;      /* its name is still being looked up */
};
struct pprofil_live_tree_options {
    size_t size; /* sizeof(struct pprofil_live_tree_options): lets it grow */
    enum pprofil_tree_kind kind; /* CALLS, or CALLERS or CALLEES of a function */
    uint64_t function;           /* CALLERS, CALLEES: the id of its row BY_FUNCTION */
    uint32_t limit;              /* places; 0: 4096 */
};
typedef struct pprofil_live_tree pprofil_live_tree;

/* Makes a tree of who calls whom, since the start. It has the largest places, up to the limit, largest first; so
 * parents come before their children. Of calls of a function within itself only the outermost counts. The cost grows
 * with the limit, and little with the profile. filter may be NULL. Strings live as long as the profile. 0, -ENOMEM, or
 * -EINVAL: there is no such kind. */
int pprofil_live_tree_new(pprofil_live *live, const struct pprofil_live_tree_options *options,
                          const struct pprofil_filter *filter, pprofil_live_tree **tree);
void pprofil_live_tree_free(pprofil_live_tree *tree);
uint32_t pprofil_live_tree_count(const pprofil_live_tree *tree);
void pprofil_live_tree_at(const pprofil_live_tree *tree, uint32_t i, struct pprofil_live_call *call,
                          size_t size);
/* Returns the time of all that the filter lets through, ns: the whole that shares are of. *tree_ns: the time in the
 * tree. */
uint64_t pprofil_live_tree_ns(const pprofil_live_tree *tree, uint64_t *tree_ns);

/* Asks where the function of a row is defined, for somebody looks at the row. */
void pprofil_live_define(pprofil_live *live, enum pprofil_by by, uint64_t id);

/* Takes names that have come, and asks for those that are missing, as each report does. Returns how many places have no
 * name yet. */
uint32_t pprofil_live_pending(pprofil_live *live);

/* A row of a function's code. Rows are instructions in the order of their addresses. If there is a source, its lines
 * are rows, too, each before the instructions that were made of it. */
struct pprofil_code_row {
    bool source;      /* a source line; else an instruction */
    const char *text; /* the line without its newline; or the instruction, disassembled or as bytes in hex */
    uint64_t address; /* of an instruction, as linked */
    const char *file; /* of a source line */
    uint32_t line;    /* of a source line; of an instruction: the line that it belongs to; 0: not known */
    uint64_t samples; /* of a source line: of its instructions up to the next source line */
    uint64_t ns;
    bool newer; /* of a source line: its file is newer than the program, so the program was made of another one */
    uint64_t total_samples, total_ns; /* with what was called from there; without stacks as samples and ns */
    uint32_t target; /* of an instruction: the row that it jumps to, as index + 1; 0: none in this code, or not known */
    const char *inlined; /* the innermost function that this was inlined from; "": none */
};
typedef struct pprofil_code pprofil_code;

/* Makes the code of the function of a row BY_FUNCTION or BY_LINE, with its counts so far. The caller frees *code with
 * pprofil_code_free. Texts live as long as live. -EAGAIN: the code is being read; ask again. -ENODATA: there is none,
 * and pprofil_live_problem says why. */
int pprofil_live_code(pprofil_live *live, enum pprofil_by by, uint64_t id,
                      const struct pprofil_filter *filter, pprofil_code **code);
const char *pprofil_live_problem(const pprofil_live *live);
uint32_t pprofil_code_count(const pprofil_code *code);
void pprofil_code_row(const pprofil_code *code, uint32_t i, struct pprofil_code_row *row,
                      size_t size);
void pprofil_code_free(pprofil_code *code);

/* What is known of a function's code as a whole. */
struct pprofil_code_about {
    const char *object;  /* path */
    uint64_t start, end; /* addresses as linked */
    uint64_t samples, ns, total_samples, total_ns;
};
void pprofil_code_about(const pprofil_code *code, struct pprofil_code_about *about, size_t size);
/* Tells the i-th file that its lines are in: its path, whether it could be read, and whether it is newer than the
 * program. -ENOENT past the last. */
int pprofil_code_source(const pprofil_code *code, uint32_t i, const char **path, bool *found,
                        bool *newer);
/* Returns a line of the i-th file, whether code was made of it or not; NULL: there is no such line. */
const char *pprofil_code_line(const pprofil_code *code, uint32_t i, uint32_t line);

/* Finds the functions that a pattern means, those too that were only on stacks. These are the first of the following
 * that there are:
 *
 *     functions whose name is the pattern, or whose object and name are, as "OBJECT:NAME"
 *     functions whose name without its parameters is the pattern
 *     functions whose name has the pattern as a part
 *     functions in whose name the pattern is found as a POSIX extended regular expression
 *
 * -EINVAL: it is no such expression. Then, and if there is no such function, pprofil_profile_problem says so. */
int pprofil_profile_find(pprofil_profile *profile, const char *pattern, pprofil_report **report);

/* Makes the code of a row BY_FUNCTION of a saved profile, in blocks, those with the most time first. There are several
 * blocks if a compiler has split the function, or if files have functions of the same name. If there is no block,
 * pprofil_annotation_problem says why. The blocks belong to the annotation, and are freed with it. The profile must
 * outlive it. -ENOENT: there is no such row. */
typedef struct pprofil_annotation pprofil_annotation;
int pprofil_annotate(pprofil_profile *profile, uint64_t id, pprofil_annotation **annotation);
void pprofil_annotation_free(pprofil_annotation *annotation);
const char *pprofil_annotation_problem(const pprofil_annotation *annotation);
/* Returns the i-th block; NULL past the last. */
const pprofil_code *pprofil_annotation_code(const pprofil_annotation *annotation, uint32_t i);

/* --- tasks: what is there to be profiled, and what it is doing -------------------------- */

/* A thread of a session's processes, as /proc has it now. */
struct pprofil_task {
    uint32_t pid, tid;
    char comm[32];
    char state;              /* of proc(5): R, S, D, T, t, Z, ... */
    int32_t syscall;         /* the system call that it sleeps in; -1: none, or it cannot be known */
    const char *syscall_name; /* "" for -1 */
    uint64_t cpu_ns;         /* CPU time since it began */
    uint64_t id;             /* of its row BY_THREAD; 0: there is none yet */
    const char *name;        /* of that row; lives as long as the profile; "": there is none yet */
};

/* Lists all threads that are alive, sorted by pid and tid. If there are more than 64, a call looks only at some of
 * those that sleep: the system call that such a thread sleeps in may be what one of the last 8 calls has found. The
 * caller frees the array with free(3). */
int pprofil_session_tasks(pprofil_session *session, struct pprofil_task **tasks, uint32_t *count);

/* A process of a profile. If it has executed programs, one image of it. */
struct pprofil_process {
    uint32_t pid, ppid;
    uint32_t image; /* 0: the first that was seen */
    bool alive;     /* the process is alive, and in this image */
    int32_t status; /* of a process that has ended, as wait(2) has it; else -1 */
    const char *comm;
    uint64_t id;       /* of its row BY_PROCESS; 0: there is none yet */
    char command[256]; /* the arguments of a process that is alive, from /proc; else "" */
};

/* Tells the i-th process, oldest first. -ENOENT past the last. If size leaves out command, no file is read. */
int pprofil_profile_process(const pprofil_profile *profile, uint32_t i,
                            struct pprofil_process *process, size_t size);

/* LeakSanitizer traces its process to look for leaks. A process has only one tracer. So it cannot work while we trace
 * the process, and ends that with a status of its own. Returns this status: 1 for a part of AddressSanitizer, 23 for
 * LeakSanitizer by itself. Returns 0 if neither a file that the profile has of this process is built with it, nor
 * program: the path of another file (NULL: there is none). */
int pprofil_profile_leak_check(const pprofil_profile *profile, pid_t pid, const char *program);

/* A process of this machine that a session may be able to attach to. */
struct pprofil_candidate {
    uint32_t pid, ppid, uid, threads;
    uint64_t cpu_ns; /* CPU time since it began */
    char user[32];
    char comm[32];
    char command[256]; /* its arguments; "" for a kernel thread */
    char refused[160]; /* why it may not be attached to; "": it may */
};

/* Lists all processes but our own, sorted by pid. The caller frees the array with free(3). */
int pprofil_candidates(struct pprofil_candidate **candidates, uint32_t *count);

/* --- styles: the reports of older systems' own programs ------------------------------- */

enum pprofil_sort { PPROFIL_SORT_TIME, PPROFIL_SORT_CALLS, PPROFIL_SORT_ADDRESS, PPROFIL_SORT_NAME };
enum pprofil_addresses { PPROFIL_ADDRESSES_NONE, PPROFIL_ADDRESSES_OCTAL, PPROFIL_ADDRESSES_HEX };
enum pprofil_unit { PPROFIL_UNIT_PERCENT, PPROFIL_UNIT_COUNTS, PPROFIL_UNIT_MILLISECONDS };

struct pprofil_style_options {
    size_t size;        /* sizeof(struct pprofil_style_options): lets it grow */
    const char *format; /* of the file; NULL: what it looks like */
    const char *object; /* of counters: the path of the ELF file whose text was counted. Of a profile: the object
                         * that is shown, by its path or the last part of that. NULL: the program */
    enum pprofil_sort sort;
    enum pprofil_addresses addresses;
    bool no_header;
    bool zeros; /* with rows that have neither time nor calls */
    enum pprofil_unit unit; /* style gperf: what the rows show */
    double threshold;       /* style gperf: rows below it, in that unit, are left out */
    const char *meta;       /* the contents of FILE.meta, for a file that has none: pprofil-formats(5); NULL: nothing */
};

/* Tells the i-th style's name and summary. -ENOENT past the last. Either pointer may be NULL. */
int pprofil_style_at(unsigned i, const char **name, const char **summary);

/* Prints a saved profile, or an older system's file of counters, as that system's own program did. options may be NULL.
 * A style ignores options that its program did not have. -ENODATA: the file cannot be printed, and errors has got the
 * reason in that program's words. -EINVAL: there is no such style. -ENXIO: the profile has no such object. Other errors
 * are those of pprofil_profile_open. */
int pprofil_style_print(const char *path, const char *style,
                        const struct pprofil_style_options *options, FILE *out, FILE *errors);

const char *pprofil_version(void);

#ifdef __cplusplus
}
#endif

#endif
