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
    PPROFIL_PARSE_MAPS = 1u << 3, /* do as on kernels without PROCMAP_QUERY; for tests */
    PPROFIL_CALL_GRAPH = 1u << 4, /* record who called, not only who ran */
    PPROFIL_WARY = 1u << 5,       /* do as on kernels before 5.7; for tests */
    PPROFIL_RESTLESS = 1u << 9,   /* hand each thread from tracer to tracer all the time; for tests */
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
    size_t stack_size; /* call graph: bytes of stack looked at in a sample; 0: 16384 */
};

/* Starts a supervisor. options may be NULL. -EINVAL: an option is out of range; other errors:
 * it could not be started (pprofil_session_problem of *session says why; close it). */
int pprofil_session_open(const struct pprofil_options *options, pprofil_session **session);

/* Lets all targets go, untouched, and frees everything but a profile taken with
 * pprofil_session_take_profile. A launched program goes on, as the caller's child. */
void pprofil_session_close(pprofil_session *session);

/* What went wrong in the last call that failed, for people: one line that says what, why and
 * what to do; "" where nothing did. */
const char *pprofil_session_problem(const pprofil_session *session);

/* Starts a program (execvp rules) as a child of the caller, followed from its first
 * instruction; its descriptors, directory, environment and process group are the caller's.
 * -ENOENT, -EACCES, ... as execvp. *pid may be waited for with waitpid once
 * pprofil_session_pump has returned 1. */
int pprofil_session_launch(pprofil_session *session, char *const argv[], pid_t *pid);

/* Where a launched program's standard descriptors lead; the caller keeps them. */
struct pprofil_launch {
    size_t size;       /* sizeof(struct pprofil_launch) */
    int input, output; /* output: its standard error too */
    bool new_session;  /* setsid(2): no terminal's signals reach it */
};

/* The same, with other descriptors. */
int pprofil_session_launch_with(pprofil_session *session, char *const argv[],
                                const struct pprofil_launch *launch, pid_t *pid);

/* Seizes a running process and all its threads that may be traced; none is stopped by it.
 * -ESRCH, -EPERM, ...: there is none that may. */
int pprofil_session_attach(pprofil_session *session, pid_t pid);

/* Which threads of the process that was attached to last could not be traced, and why: one line
 * for people; "" where all could. Nothing is seen of their time, nor of their children. */
const char *pprofil_session_untraced(const pprofil_session *session);

/* Attaches to those of several processes that may be traced. Calls warn with one line for each that
 * may not, and for each of which some threads may not. 0; where there is none that may, the last
 * one's error: the problem says why, and warn has been called for the others. */
int pprofil_session_attach_all(pprofil_session *session, const pid_t *pids, unsigned count,
                               void (*warn)(void *context, const char *line), void *context);

/* Sampling begins stopped. */
int pprofil_session_start(pprofil_session *session);
int pprofil_session_stop(pprofil_session *session);

/* Forgets all counts, of the profile and of histograms, and counts on (or stays stopped). */
int pprofil_session_clear(pprofil_session *session);
bool pprofil_session_sampling(const pprofil_session *session);

/* Takes what has happened into the profile; waits up to timeout_ms (-1: for ever) for
 * something to happen. 1: the program that was launched and the processes that were attached to
 * have ended (their children, if they are followed, may live on: it does not wait any more, but
 * takes what comes of them, and pprofil_profile_process says who is alive); 0: not yet; -EPIPE:
 * the supervisor has died (the targets run on; the profile stays); -EINTR: a signal came. Call
 * it at least a few times a second. A supervisor that samples and says nothing for 10 s is asked
 * why; one that does not answer for 10 s, which are spent in this call, is killed: -EPIPE. */
int pprofil_session_pump(pprofil_session *session, int timeout_ms);

/* Readable when pprofil_session_pump would not wait. */
int pprofil_session_fd(const pprofil_session *session);

/* Ends sampling, lets all targets go, takes the last events. -EPIPE: the supervisor had died
 * before, and the last moments are missing; -ETIMEDOUT: it did not answer for 10 s, and was
 * killed. */
int pprofil_session_finish(pprofil_session *session);

/* The profile so far, owned by the session; or taken over by the caller, after finish. */
pprofil_profile *pprofil_session_profile(pprofil_session *session);
pprofil_profile *pprofil_session_take_profile(pprofil_session *session);

/* The sampling rate in force now, Hz: less than asked while the overhead budget is spent. */
double pprofil_session_rate(const pprofil_session *session);

/* Asks for another rate, or for sleeping threads too (PPROFIL_WALL), from now on. -EINVAL: the
 * rate is out of range. */
int pprofil_session_set_rate(pprofil_session *session, double hz);
int pprofil_session_set_wall(pprofil_session *session, bool wall);

/* --- control by others ---------------------------------------------------------------- */

/*
 * A running session obeys "start", "stop", "startclr" (clear and start), "flush" and "status"
 * from other processes of the same user, or root. They find it by a socket in the file system,
 * if there is one (path; mode 0600), and by the number of this process or of one of its targets.
 * Requests are served in pprofil_session_pump. flush is called for "flush" (NULL: it is an error)
 * and returns 0 or -errno. Targets that come later have to be made known. -EADDRINUSE: another session
 * listens there; -EEXIST: path is no socket.
 */
int pprofil_session_control(pprofil_session *session, const char *path,
                            int (*flush)(void *context), void *context);

/* Makes it obey by the numbers of the targets that it has now. */
void pprofil_session_control_targets(pprofil_session *session);

/* Sends a command to the session at target (a path or a process number) and waits for its
 * answer, of which status has several lines. 0; -EREMOTEIO: the session says no, and answer
 * says why; -ENOENT, -ECONNREFUSED: nobody is there; -EPERM: it is another user's. */
int pprofil_control_send(const char *target, const char *command, char *answer, size_t size);

/* --- histograms: the profil family, from outside -------------------------------------- */

/*
 * The caller's own buffers are filled, while pprofil_session_pump is called, with the program
 * counters of a process by the rules of one of the old systems: pprofil-dialects(7) has them.
 * pid is a process of the session, followed already or not; 0 stands for all its processes,
 * which then count together. A call replaces the one before for the same pid. Buffers belong to
 * the caller, hold counters in this machine's byte order, may be read and written between calls
 * of pprofil_session_pump, and must stay until the next call for the pid, pprofil_profil_stop or
 * the session's end. Counting stands still while the session is stopped. exec ends it; a child's
 * counts are its own.
 */

/* A stretch of text and the counters for it, as profil(2) takes them; where high is not 0 only
 * addresses [low, high) count, as in the extended form of OSF/1. */
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
    uint32_t *overflow; /* counts what no region takes; NULL: nothing does */
    /* Time in the kernel by system call, not by address: call n counts as text at PPROFIL_CALL_ADDRESS(n), and time
     * in the program as outside. */
    bool by_call;
};

/* Behind the cells that the kprof device has for totals. */
#define PPROFIL_CALL_ADDRESS(n) (((uint64_t)(n) + 6) * 8)
#define PPROFIL_CALL_NUMBERS 1024 /* and more than any system call's */

/* Counts by any dialect that has counters. -EINVAL: no such dialect, or it refuses a region. */
int pprofil_profil_regions(pprofil_session *session, pid_t pid,
                           const struct pprofil_histogram *histogram);

/* One region, the dialect's own counters. Scales that the dialect takes as "off" stop. */
int pprofil_profil(pprofil_session *session, pid_t pid, const char *dialect, void *buffer,
                   size_t size, uint64_t offset, uint32_t scale);

/* IRIX's sprofil(2): regions in any order; offset 0 and scale 2 make the overflow bin.
 * counter_size 2 or 4. No regions: stop. */
int pprofil_sprofil(pprofil_session *session, pid_t pid, const struct pprofil_region *regions,
                    size_t count, unsigned counter_size);

/* Solaris's pcsample(2): addresses are stored until the array is full; 0 elements stop. What
 * the array of the call before got, or -EINVAL (count is negative), ... */
int64_t pprofil_pcsample(pprofil_session *session, pid_t pid, uint64_t samples[], int64_t count);

int pprofil_profil_stop(pprofil_session *session, pid_t pid);

struct pprofil_histogram_state {
    bool on;            /* still counting */
    uint64_t ticks;     /* all */
    uint64_t outside;   /* ticks that no region took */
    uint64_t overflows; /* ticks that found their counter full, or were refused and ended it */
    uint64_t stored;    /* pcsample: elements */
    /* only where a file was written: */
    uint64_t cut;        /* counters that hold less than was counted: the file's are too narrow */
    int32_t pid;         /* whose it is */
    const char *program; /* name of that process, as the kernel has it; valid during the call */
};

/* -ENOENT: nothing was asked for with this pid. */
int pprofil_histogram_state(const pprofil_session *session, pid_t pid,
                            struct pprofil_histogram_state *state, size_t size);

/* The i-th dialect's name, whose rules they are, and the CPU time of its tick; -ENOENT past the
 * last. Any of the pointers may be NULL. */
int pprofil_dialect_at(unsigned i, const char **name, const char **system, uint64_t *period_ns);

/*
 * A whole session counted by one dialect, live, as that system would have: each image of each
 * process has histograms of its own; a forked child goes on with a copy of its parent's where
 * the dialect has that.
 */
struct pprofil_dialect_options {
    size_t size; /* sizeof(struct pprofil_dialect_options) */
    const char *dialect;
    const char *const *regions; /* "OBJECT", "LO-HI" (of the program) or "OBJECT:LO-HI", */
    size_t region_count;        /* addresses as linked, in hex; none: all the program's code */
    unsigned counter_size;      /* bytes: 2, 4 or 8; 0: the dialect's */
    bool scaled;                /* scale is given */
    uint32_t scale;             /* else 0x8000, with wider counters 0x10000 */
    uint64_t buffer_size;       /* bytes; 0: what the text needs */
    uint64_t period_ns;         /* 0: the dialect's */
    const char *format;         /* that will be written, to be checked; NULL: the system's own */
};

/* To be called before anything is launched or attached. -EINVAL and a problem: no such dialect,
 * or it refuses something. */
int pprofil_session_dialect(pprofil_session *session,
                            const struct pprofil_dialect_options *options);

/* Writes what was counted so far: of the first image to path (NULL: the name that the system
 * gave to its file), of others to path.PID, and of further objects, where a file has one, to
 * path.OBJECT. format NULL: the system's own. wrote (may be NULL) is told of each file.
 * -ENODATA and a problem: nothing was counted. */
int pprofil_session_save_dialect(pprofil_session *session, const char *path, const char *format,
                                 void (*wrote)(void *context, const char *path,
                                               const struct pprofil_histogram_state *state),
                                 void *context);

/* --- profiles ------------------------------------------------------------------------ */

struct pprofil_totals {
    uint64_t samples;
    uint64_t cpu_ns;        /* CPU time that the samples stand for */
    uint64_t wall_ns;       /* wall mode: elapsed time that they stand for */
    uint64_t elapsed_ns;    /* of sampling */
    uint64_t target_cpu_ns; /* the targets' own CPU time, as the kernel counts it */
    uint64_t stopped_ns;    /* sum over threads of the time they were held stopped */
    uint64_t supervisor_cpu_ns;
    uint64_t lost;          /* events dropped */
    uint64_t throttled_ns;  /* spent below the rate asked */
    uint64_t repaired;      /* system calls restarted that would have failed with EINTR */
    uint32_t threads_seen, threads_alive;
    uint32_t processes_seen, processes_alive;
    double asked_hz;
    bool wall;
    uint64_t continued;     /* system calls continued that would have come back short */
    uint64_t cut_short;     /* system calls that came back short, for they could not be continued */
    uint32_t untraced; /* threads that could not be traced, and of whose time nothing is seen */
    uint64_t full_ns;        /* elapsed time in which no CPU was idle */
    uint64_t sample_cost_ns; /* CPU time that a sample took from its target, of late; 0: not known */
    double overhead;         /* share of its CPU time that a target may lose to samples; 0: not known */
    uint64_t running; /* samples that found their thread running: running * 1e9 / cpu_ns is the rate achieved, Hz */
};

/* Writes into text why fewer samples were taken than asked for: "a sample cost 63 us, for no CPU was idle". With
 * advice also: "; --overhead 7 would give all". Returns its length, as snprintf(3) does; 0: as many were taken,
 * or it is not known why not. */
int pprofil_totals_limit(const struct pprofil_totals *totals, bool advice, char *text, size_t size);

/* Reads a saved profile. -EBADMSG: damaged; -ENOEXEC: not a format we know; of perf.data,
 * -ESPIPE: written for a pipe; -EPFNOSUPPORT: in the other byte order; -EPROTONOSUPPORT:
 * compressed. */
int pprofil_profile_open(const char *path, pprofil_profile **profile);

/* What a file cannot say of itself, or how one is to be made. */
struct pprofil_file {
    size_t size;         /* sizeof(struct pprofil_file): lets it grow */
    const char *format;  /* its name; NULL: reading, what the file shows to be; writing, as
                            pprofil_profile_save chooses */
    const char *object;  /* reading counters: the ELF file whose text they count; NULL: not known */
    const char *dialect; /* writing counters: by whose rules, pprofil-formats(5) */
    uint32_t scale;      /* writing counters: bytes of them for 65536 bytes of text; 0: 32768 */
    const char *roots;   /* writing folded stacks: whose they are, as their first frame: "none",
                            "comm", "process" or "thread"; NULL: process, where there are several */
    const char *values;  /* of folded stacks: "samples" or "time" (microseconds); NULL: samples */
    pprofil_profile *baseline; /* writing a flame graph: what to compare with, stays the caller's
                                  and is given names too; NULL: nothing */
};

/* The same, told more; "-" is standard input. -EINVAL: no such format, or it cannot be read, or
 * there are no such values; -ELIBACC: the object cannot be opened; -ELIBBAD: it is no ELF file. */
int pprofil_profile_open_with(const char *path, const struct pprofil_file *file,
                              pprofil_profile **profile);
void pprofil_profile_close(pprofil_profile *profile);

/* Was it read from a file of counters, for which pprofil_file.object counts? */
bool pprofil_profile_has_counters(const pprofil_profile *profile);

/* Saves it; format: a name (NULL: by the path's extension, else the native one). The file at
 * path is at every instant the old one or the whole new one. symbolize: add names and lines
 * first, which may take long. -EINVAL: no such format, or it cannot be written. */
int pprofil_profile_save(pprofil_profile *profile, const char *path, const char *format,
                         bool symbolize);

/* The same, told more; "-" is standard output. Formats of counters hold one object: the main one's
 * file is path, that of another object path.NAME. -EEXIST: what has such a name is no file, and
 * nothing was written; -ENODATA: there are no samples to write; -EDOM: the format cannot hold what
 * the dialect makes; -EOVERFLOW: nor such addresses; -ENOTSUP: no such dialect; -EINVAL: also no
 * such roots or values; -EXDEV: the baseline is of elapsed time, or only the profile is. */
int pprofil_profile_save_with(pprofil_profile *profile, const char *path,
                              const struct pprofil_file *file, bool symbolize);

/* Looks up the names and lines that pprofil_profile_save_with would, which may take long; saving
 * then finds them known. Errors are its own. */
int pprofil_profile_symbolize(pprofil_profile *profile, const char *path,
                              const struct pprofil_file *file);

/* Writes a file of one's own, a report perhaps, as profiles are written: the file at path is at
 * every instant the old one or the whole new one, and after an error as it was. What is no regular
 * file (a pipe, "-") is written directly. bytes may not be NULL. */
int pprofil_write_file(const char *path, const void *bytes, size_t size);

/* The name of the i-th file that pprofil_profile_save_with would write. -ENOENT past the last;
 * other errors: it would fail by them. */
int pprofil_profile_file_at(const pprofil_profile *profile, const char *path,
                            const struct pprofil_file *file, unsigned i, char *name, size_t size);

/* The name of the format that pprofil_profile_save chooses for a path. */
const char *pprofil_format_for(const char *path);

void pprofil_profile_totals(const pprofil_profile *profile, struct pprofil_totals *totals,
                            size_t size);

/* What was profiled, for people. */
void pprofil_profile_set_command(pprofil_profile *profile, const char *command);
const char *pprofil_profile_command(const pprofil_profile *profile);

/* One profile of several: an empty one, to which others are added, in any order. */
enum pprofil_merging {
    PPROFIL_MERGE_CPU = 1u << 0, /* of profiles of elapsed time only what was CPU time */
};
int pprofil_profile_new(pprofil_profile **profile);
/* Objects are joined by their build-ids, processes by number, parent, name and the instant at
 * which they began; counts and times add up, whatever the rates were. from stays as it is. -EXDEV:
 * the one is of elapsed time and the other is not, and nothing was changed; -ENOMEM, -EOVERFLOW
 * (sums too large): into is of no use any more. */
int pprofil_profile_merge(pprofil_profile *into, const pprofil_profile *from, unsigned how);

/* The i-th format's name, extensions and summary; -ENOENT past the last. Any of the
 * pointers may be NULL. */
int pprofil_format_at(unsigned i, const char **name, const char **extensions,
                      const char **summary, bool *writable);

/* The same and more; texts are static. -ENOENT past the last. */
struct pprofil_format {
    const char *name, *extensions, *summary;
    const char *keeps, *loses; /* what of a profile comes back when it is written and read */
    bool readable, writable;
};
int pprofil_format_describe(unsigned i, struct pprofil_format *format, size_t size);

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
    uint64_t id;    /* not 0; the same row of a later report by the same thing has the same */
    bool pending;   /* pprofil_live_report: the name, or line, is still being looked up */
    const char *hottest; /* pprofil_live_report BY_THREAD, BY_PROCESS: its function with the most
                          * time; else "" */
    /* Of samples that have it anywhere on their stack, each counted once, where
     * pprofil_report_has_totals; else 0. */
    uint64_t total_samples, total_ns;
    double total_share, total_error95;
};

/* Rows of a profile, largest first; limit 0: all. Strings live as long as the profile. */
int pprofil_report_new(pprofil_profile *profile, enum pprofil_by by, uint32_t limit,
                       pprofil_report **report);

struct pprofil_report_options {
    size_t size; /* sizeof(struct pprofil_report_options): lets it grow */
    enum pprofil_by by;
    uint32_t limit;   /* rows; 0: all */
    bool totals;      /* where the profile has stacks, and rows are code: totals too, and rows for
                       * functions that only call others, or were inlined */
    bool by_total;    /* the largest total first */
    bool no_inlines;  /* totals: functions that were inlined count for their caller */
};

/* The same, told more. */
int pprofil_report_new_with(pprofil_profile *profile, const struct pprofil_report_options *options,
                            pprofil_report **report);
bool pprofil_report_has_totals(const pprofil_report *report);
void pprofil_report_free(pprofil_report *report);
uint32_t pprofil_report_count(const pprofil_report *report);
/* Rows there would be without the limit, and the ns in those that it cut. */
uint32_t pprofil_report_all(const pprofil_report *report, uint64_t *rest_ns);
void pprofil_report_row(const pprofil_report *report, uint32_t i, struct pprofil_row *row,
                        size_t size);

/* The i-th object whose functions have no names, largest first: its path, why, and the
 * share of its time in the whole. -ENOENT past the last. After a report by function. */
int pprofil_profile_nameless(pprofil_profile *profile, unsigned i, const char **path,
                             const char **why, double *share);

/* --- stacks: who calls whom ---------------------------------------------------------- */

/* The i-th reason why stacks end before their beginning ("[truncated]"), largest first, and the
 * share of the time of such stacks; -ENOENT past the last; -ENODATA: the profile has no stacks. */
int pprofil_profile_incomplete(const pprofil_profile *profile, unsigned i, const char **why,
                               double *share);
/* Has any sample more than one frame? */
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
    const char *function; /* CALLERS, CALLEES: a name, or a pattern as in pprofil_selection; of
                           * stacks that have it more than once the outermost call counts */
    double least;         /* share of the whole, 0..1, that a row must have */
    uint32_t depth;       /* levels; 0: all */
    uint32_t limit;       /* rows, the largest; 0: all */
    bool no_inlines;      /* functions that were inlined count for their caller */
    bool fold;            /* a function that calls itself directly is one row */
};

#define PPROFIL_TREE_TOP UINT32_MAX

/* A row; those below it follow it, largest first. */
struct pprofil_tree_row {
    /* self: samples, ns, share, error95; and with all that it calls: total. Bottom-up the total is
     * that of the function above all by this way, and self the part in which it itself ran. */
    struct pprofil_row row; /* its id is of the way to it: the same in a later tree of the kind */
    uint32_t parent; /* row; PPROFIL_TREE_TOP: none */
    uint32_t depth;  /* 0: none above */
    uint32_t indent; /* as depth, but that the only row below its parent is as far in as that */
    uint32_t below;  /* how many are directly below it in the profile, shown or not */
    uint32_t cut;    /* not 0: this is no function, but so many that are not shown */
    bool last;       /* no other of its parent's follows */
    bool inlined;    /* into its caller */
};

struct pprofil_tree_totals {
    uint32_t all;         /* rows that there would be without bounds; bottom-up: so far as seen */
    uint64_t samples, ns; /* of the profile: what shares are of */
    uint64_t root_samples, root_ns; /* CALLERS, CALLEES: of stacks with the function */
    uint64_t again_ns;    /* of stacks that have it more than once */
    uint64_t rest_ns;     /* time that no row shows as its own */
};

/* 0; -EINVAL: function is no pattern, or rows cannot be such; -ENOENT: there is no such function
 * (pprofil_profile_problem says it, and what there is); -EOVERFLOW: the profile is too large.
 * Strings live as long as the profile. */
int pprofil_tree_new(pprofil_profile *profile, const struct pprofil_tree_options *options,
                     pprofil_tree **tree);
void pprofil_tree_free(pprofil_tree *tree);
uint32_t pprofil_tree_count(const pprofil_tree *tree);
void pprofil_tree_row(const pprofil_tree *tree, uint32_t i, struct pprofil_tree_row *row,
                      size_t size);
void pprofil_tree_totals(const pprofil_tree *tree, struct pprofil_tree_totals *totals,
                         size_t size);

/* --- selections: a part of a profile ------------------------------------------------- */

/* What a sample must be to belong to the part: all of these. NULL, 0: no matter. Names are the
 * whole name, or the name without its parameters, or, where there is no such, a POSIX extended
 * regular expression that is found in it. */
struct pprofil_selection {
    size_t size; /* sizeof(struct pprofil_selection): lets it grow */
    const uint32_t *pids;
    size_t pid_count;
    const char *comm;     /* the process's name */
    const char *thread;   /* the thread's name, or number */
    const char *object;   /* what runs is in it: its path, or the last part of that */
    const char *function; /* what runs */
    const char *focus;    /* a function that is on the stack */
    const char *ignore;   /* a function that is not on the stack */
    bool no_inlines;      /* functions that were inlined count for their caller */
};

/* Is anything asked for? */
bool pprofil_selection_any(const struct pprofil_selection *selection);

/* The part as a profile of its own, to be reported or saved as any other, and closed by the
 * caller; the whole stays as it is. Its command says what was selected. -EINVAL: no pattern;
 * -ENOENT: the profile has nothing of such a name; pprofil_profile_problem of the whole says
 * which. It may well be empty: nothing is all of what was asked for. */
int pprofil_profile_select(pprofil_profile *profile, const struct pprofil_selection *selection,
                           pprofil_profile **part);

/* Of a part: what was selected ("--comm make --focus main"), and its share of the whole's time
 * and samples; of others -ENODATA. */
int pprofil_profile_selected(const pprofil_profile *profile, const char **what, double *share,
                             uint64_t *of_samples);

/* Why the last call with this profile failed, for people, in one line; "" where that is not
 * known. */
const char *pprofil_profile_problem(const pprofil_profile *profile);
/* --- diffs: two profiles, function by function ------------------------------------------ */

enum pprofil_diff_by {
    PPROFIL_DIFF_SHARE,         /* of the profile's whole, 0..1 */
    PPROFIL_DIFF_TIME,          /* seconds: CPU time, or elapsed time in wall mode */
    PPROFIL_DIFF_TIME_A_SECOND, /* the same in each second of sampling */
};

struct pprofil_diff_options {
    size_t size; /* sizeof(struct pprofil_diff_options): lets it grow */
    enum pprofil_diff_by by;
    uint32_t limit; /* rows; 0: all */
    double least;   /* part of the old whole, 0..1, that a significant change must have */
};

/* One quantity, in the old profile [0] and the new one [1]. */
struct pprofil_change {
    uint64_t samples[2], ns[2];
    double share[2];  /* of the whole, 0..1 */
    double value[2];  /* that is compared: enum pprofil_diff_by says what */
    double change;    /* of value: new - old */
    double low, high; /* its 95 % confidence interval; infinite where there is none */
    double p;         /* how likely as much is by chance; 1 where nothing is compared */
    double q;         /* the rate of false discoveries at which this is one */
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
    uint32_t significant; /* of these, by self or total */
    bool stacks;          /* there are some, and so a total */
    bool wall;            /* times are elapsed time */
    struct pprofil_change whole; /* its values are times, also where shares are compared */
};

/* pprofil-diff(1) has the tests. Strings live as long as the profiles. options may be NULL.
 * -EXDEV: one profile is of elapsed time and the other is not; -ENODATA: by
 * PPROFIL_DIFF_TIME_A_SECOND, and a profile does not say how long it took. */
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
 * Reports of a session that is sampling, cheap enough for several in a second, and without any
 * effect on the sampling: sums are made in the caller's thread, files are read, names looked up
 * and code disassembled by a thread of the library's own. What has not been looked up yet is
 * shown by its object, as pending, and called by its name in a later report.
 */
typedef struct pprofil_live pprofil_live;

/* The session must outlive it. 0 or -ENOMEM, -EAGAIN (no thread). */
int pprofil_live_open(pprofil_session *session, pprofil_live **live);
void pprofil_live_close(pprofil_live *live);

/* What counts: everything where all are 0. Ids are those of rows. */
struct pprofil_filter {
    size_t size;       /* sizeof(struct pprofil_filter) */
    uint32_t pid, tid; /* only this process (all its images), this thread */
    uint64_t object;   /* only this row of a report BY_OBJECT */
    uint64_t syscall;  /* only this row of a report BY_SYSCALL */
    uint64_t process;  /* only this row of a report BY_PROCESS: one image */
    uint64_t thread;   /* only this row of a report BY_THREAD: of one image */
    uint64_t state;    /* only this row of a report BY_STATE */
};

/* All rows, largest first, of the counts since the start (or the last clear); with totals, where
 * there are stacks and rows are code. Shares are of what the filter lets through. filter may be NULL. 0 or -ENOMEM. */
int pprofil_live_report(pprofil_live *live, enum pprofil_by by,
                        const struct pprofil_filter *filter, pprofil_report **report);

/* A place in a live call tree. */
struct pprofil_live_call {
    const char *name, *object; /* of the function; as in struct pprofil_row */
    uint64_t id;       /* not 0; the same place in a later tree of its kind has the same */
    uint64_t function; /* id of its row BY_FUNCTION; 0: pending */
    uint32_t parent;   /* index of what calls it (of CALLERS: of what it calls); UINT32_MAX: none */
    uint32_t below;    /* functions that are directly below it, in the tree or not */
    uint64_t samples, ns;             /* its own; of CALLERS: 0 */
    uint64_t total_samples, total_ns; /* with what it called; of CALLERS: of the function that the
                                       * tree is of, when called in this way */
    bool pending;      /* its name is still being looked up */
};
struct pprofil_live_tree_options {
    size_t size; /* sizeof(struct pprofil_live_tree_options): lets it grow */
    enum pprofil_tree_kind kind; /* CALLS; CALLERS or CALLEES of a function */
    uint64_t function;           /* of these: the id of its row BY_FUNCTION */
    uint32_t limit;              /* places; 0: 4096 */
};
typedef struct pprofil_live_tree pprofil_live_tree;

/* Who calls whom, since the start: so many places of the tree as the limit says, the largest, the
 * largest first, so that parents come before their children. Of a function the outermost calls
 * count. What it costs grows with the limit, and little with the profile. filter may be NULL.
 * Strings live as long as the profile. 0, -ENOMEM, or -EINVAL: there is no such kind. */
int pprofil_live_tree_new(pprofil_live *live, const struct pprofil_live_tree_options *options,
                          const struct pprofil_filter *filter, pprofil_live_tree **tree);
void pprofil_live_tree_free(pprofil_live_tree *tree);
uint32_t pprofil_live_tree_count(const pprofil_live_tree *tree);
void pprofil_live_tree_at(const pprofil_live_tree *tree, uint32_t i, struct pprofil_live_call *call,
                          size_t size);
/* Time of all that the filter lets through, of which shares are; and of what the tree has. */
uint64_t pprofil_live_tree_ns(const pprofil_live_tree *tree, uint64_t *tree_ns);

/* This row is being looked at: find out where its function is defined. */
void pprofil_live_define(pprofil_live *live, enum pprofil_by by, uint64_t id);

/* Takes names that have come, asks for those that are missing, as each report does. Places still
 * without a name. */
uint32_t pprofil_live_pending(pprofil_live *live);

/* A function's code: source lines, where there is a source, each followed by the instructions
 * made of it, in the order of addresses. */
struct pprofil_code_row {
    bool source;      /* a source line; else an instruction */
    const char *text; /* of the line, without its newline; disassembled, or bytes in hex */
    uint64_t address; /* instruction: as linked */
    const char *file; /* source */
    uint32_t line;    /* source; instruction: the line it belongs to, 0 not known */
    uint64_t samples; /* of a source line: those of its instructions until the next one */
    uint64_t ns;
    bool newer; /* source: its file was written after the program's, which was made of another */
    uint64_t total_samples, total_ns; /* with what was called from there; the same without stacks */
    uint32_t target; /* instruction: where it jumps to, as an index + 1 of these rows; 0: nowhere in
                      * this code, or not known */
    const char *inlined; /* the function that this was inlined from, the innermost; "" none */
};
typedef struct pprofil_code pprofil_code;

/* The code of a row BY_FUNCTION (or BY_LINE: of the function around it), with its counts so far.
 * -EAGAIN: it is being read, ask again; -ENODATA: there is none to be had, and
 * pprofil_live_problem says why. The caller frees it; texts live as long as live. */
int pprofil_live_code(pprofil_live *live, enum pprofil_by by, uint64_t id,
                      const struct pprofil_filter *filter, pprofil_code **code);
const char *pprofil_live_problem(const pprofil_live *live);
uint32_t pprofil_code_count(const pprofil_code *code);
void pprofil_code_row(const pprofil_code *code, uint32_t i, struct pprofil_code_row *row,
                      size_t size);
void pprofil_code_free(pprofil_code *code);

/* The whole of it. */
struct pprofil_code_about {
    const char *object;  /* path */
    uint64_t start, end; /* addresses as linked */
    uint64_t samples, ns, total_samples, total_ns;
};
void pprofil_code_about(const pprofil_code *code, struct pprofil_code_about *about, size_t size);
/* The i-th file that its lines are in, whether it is there to be read, and whether it was written
 * after the program's; -ENOENT past the last. One of its lines, also one that no code was made of;
 * NULL: there is none. */
int pprofil_code_source(const pprofil_code *code, uint32_t i, const char **path, bool *found,
                        bool *newer);
const char *pprofil_code_line(const pprofil_code *code, uint32_t i, uint32_t line);

/* The functions that a pattern means, also those that were only on stacks: those of this very name,
 * or of "OBJECT:NAME"; else those that are so without their parameters; else those that it is a part
 * of; else those in which it is found as a POSIX extended regular expression. -EINVAL: it is no
 * such; then, and where there is none, pprofil_profile_problem says so. */
int pprofil_profile_find(pprofil_profile *profile, const char *pattern, pprofil_report **report);

/* The code of a row BY_FUNCTION of a saved profile, in blocks, those with the most time first:
 * several where a compiler split the function, or files have functions of the same name. Where
 * there is none, problem says why. Codes are the annotation's, and are freed with it; both live
 * no longer than the profile. -ENOENT: no such row. */
typedef struct pprofil_annotation pprofil_annotation;
int pprofil_annotate(pprofil_profile *profile, uint64_t id, pprofil_annotation **annotation);
void pprofil_annotation_free(pprofil_annotation *annotation);
const char *pprofil_annotation_problem(const pprofil_annotation *annotation);
/* NULL past the last. */
const pprofil_code *pprofil_annotation_code(const pprofil_annotation *annotation, uint32_t i);

/* --- tasks: what is there to be profiled, and what it is doing -------------------------- */

/* A thread of a session's processes, as /proc has it now. */
struct pprofil_task {
    uint32_t pid, tid;
    char comm[32];
    char state;              /* of proc(5): R, S, D, T, t, Z, ... */
    int32_t syscall;         /* that it sleeps in; -1: none, or not to be known */
    const char *syscall_name; /* "" for -1 */
    uint64_t cpu_ns;         /* its CPU time since it began */
    uint64_t id;             /* of its row BY_THREAD, once that has samples; 0: not known yet */
    const char *name;        /* of that row: lives as long as the profile; "" not known yet */
};

/* All threads that are alive, by pid and tid. Of more than 64 those that sleep are looked at in
 * turn: what such a one sleeps in may be as old as 8 calls. The caller frees the array with
 * free(3). */
int pprofil_session_tasks(pprofil_session *session, struct pprofil_task **tasks, uint32_t *count);

/* A process of a profile; one image of it, where it execed. */
struct pprofil_process {
    uint32_t pid, ppid;
    uint32_t image; /* 0: the first that was seen */
    bool alive;     /* and in this image */
    int32_t status; /* of a process that ended, as wait(2) has it; else -1 */
    const char *comm;
    uint64_t id;       /* of its row BY_PROCESS, once that has samples */
    char command[256]; /* its arguments, from /proc, while it is alive; else "" */
};

/* The i-th process, oldest first; -ENOENT past the last. Where size leaves out command, no file is
 * read. */
int pprofil_profile_process(const pprofil_profile *profile, uint32_t i,
                            struct pprofil_process *process, size_t size);

/* LeakSanitizer traces its process to look for leaks, and a process has one tracer: where that is we
 * it cannot work, and ends the process with this status: 1 as a part of AddressSanitizer, 23 by
 * itself. 0: no file that the profile has of this process is built with it, nor is program, the path
 * of another one (NULL: there is none). */
int pprofil_profile_leak_check(const pprofil_profile *profile, pid_t pid, const char *program);

/* A process of this machine that one might attach to. */
struct pprofil_candidate {
    uint32_t pid, ppid, uid, threads;
    uint64_t cpu_ns; /* CPU time since it began */
    char user[32];
    char comm[32];
    char command[256]; /* its arguments; "" for a kernel thread */
    char refused[160]; /* why one may not attach to it; "": one may */
};

/* All processes but our own, by pid. The caller frees the array with free(3). */
int pprofil_candidates(struct pprofil_candidate **candidates, uint32_t *count);

/* --- styles: the reports of older systems' own programs ------------------------------- */

enum pprofil_sort { PPROFIL_SORT_TIME, PPROFIL_SORT_CALLS, PPROFIL_SORT_ADDRESS, PPROFIL_SORT_NAME };
enum pprofil_addresses { PPROFIL_ADDRESSES_NONE, PPROFIL_ADDRESSES_OCTAL, PPROFIL_ADDRESSES_HEX };
enum pprofil_unit { PPROFIL_UNIT_PERCENT, PPROFIL_UNIT_COUNTS, PPROFIL_UNIT_MILLISECONDS };

struct pprofil_style_options {
    size_t size;        /* sizeof(struct pprofil_style_options): lets it grow */
    const char *format; /* of the file; NULL: what it looks like */
    const char *object; /* path of the ELF file whose text was counted; of a profile, the object
                         * to show, by its path or the last part of that. NULL: the program */
    enum pprofil_sort sort;
    enum pprofil_addresses addresses;
    bool no_header;
    bool zeros; /* rows without time and calls too */
    enum pprofil_unit unit; /* of style gperf: what its rows show */
    double threshold;       /* of style gperf: rows below it, in that unit, are left out */
    const char *meta;       /* what is in FILE.meta, for a file that has none: pprofil-formats(5); NULL: nothing */
};

/* The i-th style's name and summary; -ENOENT past the last. Either pointer may be NULL. */
int pprofil_style_at(unsigned i, const char **name, const char **summary);

/* Prints a saved profile, or an older system's file of counters, as that system's own program
 * did. options may be NULL; a style takes no notice of options that its program did not have.
 * -ENODATA: it cannot be printed, and errors has been told why in that program's words; -EINVAL:
 * no such style; -ENXIO: the profile has no such object; -ENOEXEC, -EBADMSG, ...: as
 * pprofil_profile_open. */
int pprofil_style_print(const char *path, const char *style,
                        const struct pprofil_style_options *options, FILE *out, FILE *errors);

const char *pprofil_version(void);

#ifdef __cplusplus
}
#endif

#endif
