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

/* Returns one line of text: the reason why the last call with this profile failed; "": not known. */
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
};

/* Stores a description of the i-th format. The texts in *format are static. */
int pprofil_format_at(unsigned i, struct pprofil_format *format, size_t size);

/* Returns the name of the format that pprofil_profile_save chooses for a path: the format that has the path's
 * extension, or else "pprof". */
const char *pprofil_format_for(const char *path);

/* Options for reading and writing a file. Options for reading are facts that the file does not contain. */
struct pprofil_file {
    size_t size;         /* sizeof(struct pprofil_file) */
    /* name of the format. NULL: the contents of a file show its format; a new file has the format
     * pprofil_format_for(path) */
    const char *format;
    const char *object;  /* reading counters: path of the ELF file whose text they count; NULL: not known */
    const char *dialect; /* writing counters: name of the dialect that counts them, as in pprofil-formats(5) */
    uint32_t scale;      /* writing counters: bytes of counters for each 65536 bytes of text; 0: 32768 */
    /* writing folded stacks: what the first frame of each stack is: "none", "comm", "process" or "thread". NULL:
     * "process" if the profile has several processes, otherwise "none" */
    const char *roots;
    const char *values;  /* folded stacks: unit of their numbers, "samples" or "time" (microseconds); NULL: samples */
    /* writing a flame graph: the profile to compare with, which the caller still owns; NULL: none. If the names of the
     * saved profile are looked up, the names of baseline are too */
    pprofil_profile *baseline;
};

/* Reads a saved profile. path "-" is standard input. file may be NULL. -EINVAL: file->roots or file->values is unknown.
 * Further errors: those of open(2) and read(2), -ENOMEM, -EFBIG (the file is too large), and those that pprofil/error.h
 * lists for reading. */
int pprofil_profile_open(const char *path, const struct pprofil_file *file, pprofil_profile **profile);

/* Returns true if the profile was read from a file of counters. pprofil_file.object applies to such files. */
bool pprofil_profile_has_counters(const pprofil_profile *profile);

/* Saves a profile. path "-" is standard output. file may be NULL. At every moment the file at path is the old file or
 * the complete new file. After an error it is the old file. symbolize: look up names and lines first, which may take
 * many seconds. If a file of the format holds only one object, the file of the main object is path, and the file of
 * each other object is path.NAME. -EEXIST: a path.NAME is not a regular file, and nothing was written. -EINVAL:
 * file->roots or file->values is unknown. Further errors: those of open(2) and write(2), -ENOMEM, -EOVERFLOW (the
 * profile is too large for the format), and those that pprofil/error.h lists for writing and for two profiles. */
int pprofil_profile_save(pprofil_profile *profile, const char *path, const struct pprofil_file *file,
                         bool symbolize);

/* Looks up the names and lines that pprofil_profile_save needs. The caller can then call pprofil_profile_save without
 * symbolize. Errors are those of pprofil_profile_save. */
int pprofil_profile_symbolize(pprofil_profile *profile, const char *path, const struct pprofil_file *file);

/* Stores in name the path of the i-th file that pprofil_profile_save would write. -ENAMETOOLONG: the path does not fit
 * into size bytes. Further errors are those of pprofil_profile_save. */
int pprofil_profile_file_at(const pprofil_profile *profile, const char *path, const struct pprofil_file *file,
                            unsigned i, char *name, size_t size);

/* Writes bytes to a file as pprofil_profile_save does. At every moment the file at path is the old file or the complete
 * new file. After an error it is the old file. Writes directly to a path that is not a regular file, such as a pipe or
 * "-". bytes must not be NULL. */
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
    bool wall;               /* the profile has elapsed times, not only CPU times */
    /* system calls that would have returned early, with only a part of their work done, and were continued */
    uint64_t continued;
    uint64_t cut_short;      /* system calls that returned early, because they could not be continued */
    uint32_t untraced;       /* threads that could not be traced; their time is not in the samples */
    uint64_t full_ns;        /* time during which no CPU was idle */
    uint64_t sample_cost_ns; /* CPU time that one sample took from its target, for recent samples; 0: not known */
    double overhead;         /* largest part of its CPU time that a target may lose to samples, 0..1; 0: not known */
    /* number of samples whose thread was running. The achieved rate is running * 1e9 / cpu_ns Hz */
    uint64_t running;
};

void pprofil_profile_totals(const pprofil_profile *profile, struct pprofil_totals *totals, size_t size);

/* Writes to text why the sampling rate was lower than requested, for example "a sample cost 63 us, for no CPU was
 * idle". advice: also write what would help, for example "; --overhead 7 would give all". Returns the length of the
 * text, as snprintf(3) does. Returns 0 if the rate was not lower, or if the reason is not known. */
int pprofil_totals_limit(const struct pprofil_totals *totals, bool advice, char *text, size_t size);

/* Returns the profiled command as text for users; "": not known. */
const char *pprofil_profile_command(const pprofil_profile *profile);
void pprofil_profile_set_command(pprofil_profile *profile, const char *command);

/* Returns true if any sample has more than one frame. */
bool pprofil_profile_has_stacks(const pprofil_profile *profile);

/* Stores the i-th reason why stacks are incomplete, such as "[truncated]". *share: share of the stacks with this reason
 * in the time of all stacks, 0..1. Reasons are sorted by share, largest first. PPROFIL_ERROR_NO_STACKS: the profile has
 * no stacks. */
int pprofil_profile_incomplete(const pprofil_profile *profile, unsigned i, const char **why, double *share);

/* Stores the i-th object whose functions have no names: its path, the reason, and its share of the whole time, 0..1.
 * Objects are sorted by share, largest first. Call this after a report by function. */
int pprofil_profile_nameless(pprofil_profile *profile, unsigned i, const char **path, const char **why,
                             double *share);

/* A process of a profile while the process runs one program. The list of processes has an entry for each program that a
 * process executed. */
struct pprofil_process {
    uint32_t pid, ppid;
    uint32_t image;    /* number of the program within this process, from 0 */
    bool alive;        /* the process is alive, and still runs this program */
    int32_t status;    /* status of a process that has ended, as wait(2) returns it; -1: alive or not known */
    const char *comm;  /* name in the kernel (comm) */
    uint64_t id;       /* id of its row BY_PROCESS */
    char command[256]; /* arguments of a live process, from /proc; "": the process has ended, or has no arguments */
};

/* Stores the i-th process, oldest first. Reads /proc only if size covers command. */
int pprofil_profile_process(const pprofil_profile *profile, uint32_t i, struct pprofil_process *process,
                            size_t size);

/* LeakSanitizer finds leaks by tracing its own process. A process can have only one tracer, so LeakSanitizer fails
 * while a session traces the process. LeakSanitizer then ends the process with a special status. This function searches
 * for LeakSanitizer in the file at the path program (NULL: none), and in the files that the process has mapped. Returns
 * the special status: 1 if LeakSanitizer is a part of AddressSanitizer, 23 if it is used alone. Returns 0 if no file
 * contains LeakSanitizer. */
int pprofil_profile_leak_check(const pprofil_profile *profile, pid_t pid, const char *program);

/* --- profiles made of others ---------------------------------------------------------------- */

/* Makes an empty profile, for pprofil_profile_merge. */
int pprofil_profile_new(pprofil_profile **profile);

enum pprofil_merging {
    PPROFIL_MERGE_CPU = 1u << 0, /* add only the CPU time of profiles that have elapsed times */
};

/* Adds *from to *into, which pprofil_profile_new must have made. Several profiles can be added in any order. Counts and
 * times are added, even if the sampling rates differ. Objects with equal build-ids become one object. Processes with
 * equal numbers, parents, names and start times become one process. how: enum pprofil_merging.
 * PPROFIL_ERROR_MIXED_TIMES: nothing was changed. -ENOMEM, -EOVERFLOW (a sum is too large): the caller can only close
 * *into. */
int pprofil_profile_merge(pprofil_profile *into, const pprofil_profile *from, unsigned how);

/* Conditions that select samples. A sample is selected if it meets all conditions; NULL or 0 is no condition. A
 * condition that is a name is searched for in four ways, until one way finds a name: as a whole name, as a name without
 * its parameters, as a part of names, and as a POSIX extended regular expression in names. */
struct pprofil_selection {
    size_t size; /* sizeof(struct pprofil_selection) */
    const uint32_t *pids;
    size_t pid_count;
    const char *comm;     /* name of the process (comm) */
    const char *thread;   /* name of the thread, or its number (tid) */
    const char *object;   /* path of the object that runs, or the last component of that path */
    const char *function; /* name of the function that runs */
    const char *focus;    /* name of a function that must be on the stack */
    const char *ignore;   /* name of a function that must not be on the stack */
    bool no_inlines;      /* an inlined function counts as a part of its caller */
};

/* Returns true if the selection has any condition. */
bool pprofil_selection_any(const struct pprofil_selection *selection);

/* Makes a profile, *part, from the samples that meet the conditions. The caller closes *part. Other functions can
 * report and save *part like any profile. The command of *part contains the conditions. *profile keeps all samples. If
 * no sample meets all conditions, *part is empty. -EINVAL: a condition is not a valid regular expression. -ENOENT: the
 * profile has no such name. After -EINVAL and -ENOENT, pprofil_profile_problem(profile) names the condition that
 * failed. */
int pprofil_profile_select(pprofil_profile *profile, const struct pprofil_selection *selection,
                           pprofil_profile **part);

/* Describes a part that pprofil_profile_select made. *what: the conditions as command options, for example "--comm make
 * --focus main". *share: the part's share of the time of the whole profile, 0..1. *of_samples: number of samples of the
 * whole profile. PPROFIL_ERROR_NO_SELECTION: the profile is not a part. */
int pprofil_profile_selected(const pprofil_profile *profile, const char **what, double *share,
                             uint64_t *of_samples);

#ifdef __cplusplus
}
#endif

#endif
