/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile.h: profiles, which are collected samples. A profile comes from a session, from a file, or from other
 * profiles. The functions in this file read, save, describe and merge profiles, and select parts of them. */
#ifndef PPROFIL_PUBLIC_PROFILE_H
#define PPROFIL_PUBLIC_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pprofil_profile pprofil_profile;

/* Frees a profile that the caller owns. profile may be NULL. */
void pprofil_profile_close(pprofil_profile *profile);

/* Returns one line of text, the reason why the last call with this profile failed. Returns "" if the reason is not
 * known. pprofil_profile_select writes a note, too. */
const char *pprofil_profile_problem(const pprofil_profile *profile);

const char *pprofil_version(void);

/* --- files ------------------------------------------------------------------------------------ */

struct pprofil_format {
    const char *name;       /* name, for example for the option -f of pprofil */
    const char *extensions; /* file name extensions with their dots, separated by spaces */
    const char *summary;    /* description, one line */
    const char *keeps;      /* what a file of this format keeps of a profile, as text; "": no text */
    const char *loses;      /* what a file of this format does not keep of a profile, as text; "": no text */
    bool readable, writable;
    bool binary; /* files of this format are not text, and so are not for a terminal */
};

/* Stores a description of the i-th format. The texts in *format are static. */
int pprofil_format_at(unsigned i, struct pprofil_format *format, size_t size);

/* Returns the name of the format that pprofil_profile_save chooses for a path: the format that has the path's
 * extension, or else "pprof". */
const char *pprofil_format_for(const char *path);

/* Returns the name of the format that has the path's extension, or NULL if no format has it. */
const char *pprofil_format_by_extension(const char *path);

/* Options for reading and writing a file. An option for reading tells the library a fact that the file does not
 * contain. */
struct pprofil_file {
    size_t size;         /* sizeof(struct pprofil_file) */
    /* name of the format. NULL: when a file is read, its contents show its format; when a file is written, the format
     * is pprofil_format_for(path) */
    const char *format;
    /* for reading a file of counters: path of the ELF file whose text was counted; NULL: not known */
    const char *object;
    /* for writing a file of counters: name of the dialect by whose rules samples are counted (pprofil-formats(5)) */
    const char *dialect;
    uint32_t scale;      /* for writing a file of counters: bytes of counters for each 65536 bytes of text; 0: 32768 */
    /* for writing folded stacks: which frame is put before the outermost function of each stack: "comm", "process",
     * "thread" or "none". NULL: "process" if the profile has several processes, otherwise "none" */
    const char *roots;
    /* for folded stacks: unit of their numbers, "samples" or "time" (microseconds); NULL: "samples" */
    const char *values;
    /* for writing a flame graph: the profile to compare with, which the caller still owns; NULL: none. If names are
     * looked up for the saved profile, they are also looked up for `baseline` */
    pprofil_profile *baseline;
    bool no_source; /* for writing a page for a browser: leave out the text of source files */
    /* for writing rows (the format clickhouse): labels of each row, as an array of a key, its value, the next key and
     * so on, with NULL at its end. A label host, job, rank or service also replaces this column. NULL: no labels */
    const char *const *labels;
};

/* Reads a saved profile. If `path` is "-", reads standard input. `file` may be NULL. -EINVAL: file->roots or
 * file->values is unknown. Further errors: those of open(2) and read(2), -ENOMEM, -EFBIG (the file is too large), and
 * those that pprofil/error.h lists for reading. */
int pprofil_profile_open(const char *path, const struct pprofil_file *file, pprofil_profile **profile);

/* Returns true if the profile was read from a file of counters. pprofil_file.object applies to such files. */
bool pprofil_profile_has_counters(const pprofil_profile *profile);

/* Returns the name of the format of the file that the profile was read from. Returns "" if it was not read from a
 * file. */
const char *pprofil_profile_format(const pprofil_profile *profile);

/* Saves a profile. If `path` is "-", writes to standard output. `file` may be NULL. At every moment the file at `path`
 * is either the old file or the complete new file. After an error it is the old file. If `symbolize` is true, first
 * looks up names and lines, which may take many seconds. If a file of the format holds only one object, the main object
 * is saved at `path`, and each other object at path.NAME. -EEXIST: one of the paths path.NAME is not a regular file,
 * and nothing was written. -EINVAL: file->roots or file->values is unknown. Further errors: those of open(2) and
 * write(2), -ENOMEM, -EOVERFLOW (the profile is too large for the format), and those that pprofil/error.h lists for
 * writing, and for comparing or merging two profiles. */
int pprofil_profile_save(pprofil_profile *profile, const char *path, const struct pprofil_file *file, bool symbolize);

/* Looks up the names and lines that pprofil_profile_save needs. The caller can then call pprofil_profile_save with
 * `symbolize` false. Errors are those of pprofil_profile_save. */
int pprofil_profile_symbolize(pprofil_profile *profile, const char *path, const struct pprofil_file *file);

/* Stores in `name` the path of the i-th file that pprofil_profile_save would write. -ENAMETOOLONG: the path is longer
 * than `size` bytes. Further errors are those of pprofil_profile_save. */
int pprofil_profile_file_at(const pprofil_profile *profile, const char *path, const struct pprofil_file *file,
                            unsigned i, char *name, size_t size);

/* Writes `size` bytes to a file as pprofil_profile_save does. At every moment the file at `path` is either the old file
 * or the complete new file. After an error it is the old file. If `path` is "-" or is not a regular file, for example a
 * pipe, writes to it directly. `bytes` must not be NULL. */
int pprofil_write_file(const char *path, const void *bytes, size_t size);

/* --- what a profile contains ------------------------------------------------------------------ */

struct pprofil_totals {
    uint64_t samples;
    uint64_t cpu_ns;        /* CPU time that the samples represent */
    uint64_t wall_ns;       /* PPROFIL_WALL: elapsed time that the samples represent */
    uint64_t elapsed_ns;    /* time during which sampling was on */
    uint64_t target_cpu_ns; /* CPU time of the targets while sampling was on, as the kernel accounts it */
    uint64_t stopped_ns;    /* time during which the supervisor held threads stopped, summed over threads */
    uint64_t supervisor_cpu_ns;
    uint64_t lost;          /* events that were dropped because the ring was full */
    uint64_t throttled_ns;  /* time during which the rate was lower than the requested rate */
    uint64_t repaired;      /* system calls that would have failed with EINTR, and were restarted */
    uint32_t threads_seen, threads_alive;
    uint32_t processes_seen, processes_alive;
    double asked_hz;         /* requested sampling rate, Hz */
    bool wall;               /* the samples represent elapsed time too, not only CPU time */
    /* system calls that would have returned early, with only a part of their work done, and were continued */
    uint64_t continued;
    uint64_t cut_short;      /* system calls that returned early, because they could not be continued */
    uint32_t untraced;       /* threads that could not be traced; their time is not in the samples */
    uint64_t full_ns;        /* time during which no CPU was idle */
    uint64_t sample_cost_ns; /* mean CPU time that a recent sample took from its target; 0: not known */
    double overhead;         /* largest part of a target's CPU time that samples may take, 0..1; 0: not known */
    /* number of samples that found their thread running. The achieved sampling rate is running * 1e9 / cpu_ns Hz */
    uint64_t running;
    uint64_t start_ns;       /* UNIX time when the sampling began, ns; 0: not known */
    /* UNIX time when it ended, ns; 0: not known. Of merged profiles, elapsed_ns is the sum, and this is the end of the
     * last one */
    uint64_t end_ns;
};

void pprofil_profile_totals(const pprofil_profile *profile, struct pprofil_totals *totals, size_t size);

/* Writes to `text` why the sampling rate was lower than requested, for example "a sample cost 63 us, for no CPU was
 * idle". If `advice` is true, also writes what would help, for example "; --overhead 7 would give all". Returns the
 * length of the text, as snprintf(3) does. Returns 0 if the rate was not lower than requested, or if the reason is not
 * known. */
int pprofil_totals_limit(const struct pprofil_totals *totals, bool advice, char *text, size_t size);

/* Returns the profiled command as a text for users. Returns "" if the command is not known. */
const char *pprofil_profile_command(const pprofil_profile *profile);
void pprofil_profile_set_command(pprofil_profile *profile, const char *command);

/* Sets pprofil_totals.start_ns, for a profile that does not know it. */
void pprofil_profile_set_start(pprofil_profile *profile, uint64_t start_ns);

/* Returns true if any sample has more than one frame. */
bool pprofil_profile_has_stacks(const pprofil_profile *profile);

/* Stores the i-th reason why stacks are incomplete, such as "[truncated]". *share: the time of the stacks with this
 * reason, as a share of the time of all stacks, 0..1. Reasons are sorted by share, largest first.
 * PPROFIL_ERROR_NO_STACKS: the profile has no stacks. */
int pprofil_profile_incomplete(const pprofil_profile *profile, unsigned i, const char **why, double *share);

/* Stores the i-th object whose functions have no names, or no source lines: its path, the reason and what to do about
 * it ("no source lines; compile with -g"), and its share of the whole time, 0..1.
 * Objects are sorted by share, largest first. The caller calls this function after it has made a report by function. */
int pprofil_profile_nameless(pprofil_profile *profile, unsigned i, const char **path, const char **why, double *share);

/* A process while it ran one program. If a process executed several programs, the list of processes has an entry for
 * each of them. */
struct pprofil_process {
    uint32_t pid, ppid;
    uint32_t image;    /* which program of this process it is: 0 for the first program, 1 for the next, and so on */
    bool alive;        /* the process is alive, and still runs this program */
    /* how the process ended, as a status of wait(2); -1: the process is alive, or the status is not known */
    int32_t status;
    const char *comm;  /* name in the kernel (comm) */
    uint64_t id;       /* id of the process's row in reports by process */
    char command[256]; /* arguments of a live process, from /proc; "": the process has ended, or has no arguments */
    const char *host, *job, *rank; /* where it ran, and its part of a job; "": not known */
};

/* Stores the i-th process, oldest first. Reads /proc only if the caller's structure is large enough for the field
 * command. */
int pprofil_profile_process(const pprofil_profile *profile, uint32_t i, struct pprofil_process *process, size_t size);

/* LeakSanitizer finds leaks by tracing its own process. A process can have only one tracer, so LeakSanitizer fails
 * while a session traces the process. LeakSanitizer then ends the process with a special exit status. This function
 * searches for LeakSanitizer in the file at the path `program` (if `program` is not NULL), and in the files that the
 * process has mapped. Returns the special exit status: 1 if LeakSanitizer is a part of AddressSanitizer, 23 if it is
 * used alone. Returns 0 if no file contains LeakSanitizer. */
int pprofil_profile_leak_check(const pprofil_profile *profile, pid_t pid, const char *program);

/* --- profiles made of others ---------------------------------------------------------------- */

/* Makes an empty profile, for pprofil_profile_merge. */
int pprofil_profile_new(pprofil_profile **profile);

enum pprofil_merging {
    PPROFIL_MERGE_CPU = 1u << 0, /* add only the CPU time of profiles that have elapsed times */
};

/* Adds the profile *from to the profile *into, which pprofil_profile_new must have made. Several profiles can be added
 * in any order. Counts and times are added, even if the sampling rates differ. Objects with equal build-ids become one
 * object. Processes with equal pids, parents, names and start times become one process. `how`: enum pprofil_merging.
 * PPROFIL_ERROR_MIXED_TIMES: nothing was changed. -ENOMEM, -EOVERFLOW (a sum is too large): *into is no longer useful,
 * and the caller can only close it. */
int pprofil_profile_merge(pprofil_profile *into, const pprofil_profile *from, unsigned how);

/* Conditions that select samples. A sample is selected if it meets all conditions. A field that is NULL or 0 sets no
 * condition. A condition that is a name is searched for in four ways, in this order, until one way finds a name: as a
 * whole name, as a name without its parameters, as a part of names, and as a POSIX extended regular expression in
 * names. */
struct pprofil_selection {
    size_t size; /* sizeof(struct pprofil_selection) */
    const uint32_t *pids;
    size_t pid_count;
    const char *comm;     /* name of the process (comm) */
    const char *thread;   /* name of the thread, or its number (tid) */
    const char *object;   /* path of the object whose code runs, or the last component of that path */
    const char *function; /* name of the function that runs */
    const char *focus;    /* name of a function that must be on the stack */
    const char *ignore;   /* name of a function that must not be on the stack */
    bool no_inlines;      /* an inlined function counts as a part of its caller */
    /* the samples that were taken in a range of time, ns since the profile begins; to_ns 0: until its end. The file
     * must say when its samples were taken; pprofil's own files do, and those of perf record */
    uint64_t from_ns, to_ns;
    /* ids of rows (struct pprofil_row) in reports by process, by thread and by object of the same profile */
    uint64_t process_row, thread_row, object_row;
    const char *wait;  /* what a sleeping thread waits for */
    uint64_t wait_row; /* as process_row, in a report by wait */
    /* the samples of all rows with exactly this name in reports by object, thread, process, system call, state, host,
     * job or rank of any profile; `row_by` is an enum pprofil_by. An object's name is the last component of its path.
     * If no row has this name, the part is empty */
    const char *row_name;
    int row_by;
    const char *host, *job, *rank; /* the host on which a process ran; its job, and its rank in the job */
};

/* Returns true if the selection has any condition. */
bool pprofil_selection_any(const struct pprofil_selection *selection);

/* Makes a new profile, *part, from the samples that meet the conditions. *profile still has all samples. The caller
 * closes *part. *part can be reported and saved like any profile, and its command contains the conditions. If no
 * sample meets all conditions, *part is empty. -EINVAL: a condition is not a valid regular expression, or rows of
 * `row_by` are not found by name. -ENOENT: a
 * condition matches no name in the profile. After these two errors, pprofil_profile_problem(profile) says which
 * condition failed. After 0 it says which condition is not a valid regular expression, but a part of names. */
int pprofil_profile_select(pprofil_profile *profile, const struct pprofil_selection *selection, pprofil_profile **part);

/* Describes a profile that pprofil_profile_select made as a part of another profile. *what: the conditions as command
 * options, for example "--comm make --focus main". *share: the part's share of the time of the whole profile, 0..1.
 * *of_samples: number of samples of the whole profile. PPROFIL_ERROR_NO_SELECTION: pprofil_profile_select did not make
 * this profile. */
int pprofil_profile_selected(const pprofil_profile *profile, const char **what, double *share, uint64_t *of_samples);

#ifdef __cplusplus
}
#endif

#endif
