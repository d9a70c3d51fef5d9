/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles: what was sampled. A profile comes from a session, from a file, or from other profiles. */
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

/* Frees a profile that the caller owns. It may be NULL. */
void pprofil_profile_close(pprofil_profile *profile);

/* Returns one line for people: why the last call with this profile failed. Returns "" if that is not known. */
const char *pprofil_profile_problem(const pprofil_profile *profile);

const char *pprofil_version(void);

/* --- files ------------------------------------------------------------------------------------ */

struct pprofil_format {
    const char *name;       /* as -f takes it */
    const char *extensions; /* with their dots, separated by spaces */
    const char *summary;    /* one line for people */
    const char *keeps;      /* what of a profile is there again when it was written and is read; "": nothing to say */
    const char *loses;      /* what of it is not */
    bool readable, writable;
};

/* Tells what the i-th format is. The texts are static. */
int pprofil_format_at(unsigned i, struct pprofil_format *format, size_t size);

/* Returns the name of the format that pprofil_profile_save chooses for a path: the one with the path's extension, or
 * pprofil's own. */
const char *pprofil_format_for(const char *path);

/* What a file does not say of itself when it is read, and how it is to be made when it is written. */
struct pprofil_file {
    size_t size;         /* sizeof(struct pprofil_file) */
    const char *format;  /* its name; NULL: reading, what the contents show; writing, pprofil_format_for(path) */
    const char *object;  /* reading counters: path of the ELF file whose text they count; NULL: not known */
    const char *dialect; /* writing counters: by whose rules, as in pprofil-formats(5) */
    uint32_t scale;      /* writing counters: bytes of counters for 65536 bytes of text; 0: 32768 */
    const char *roots;   /* writing folded stacks: what the first frame names: "none", "comm", "process" or "thread";
                          * NULL: the process if there are several */
    const char *values;  /* folded stacks: their numbers are "samples" or "time" (microseconds); NULL: samples */
    pprofil_profile *baseline; /* writing a flame graph: what it is compared with. Its names are looked up if those of
                                * the profile are; it stays the caller's. NULL: nothing */
};

/* Reads a saved profile. path "-" is standard input. file may be NULL. -EINVAL: file->values is none of the two.
 * Further errors: those of open(2) and read(2), -ENOMEM, -EFBIG (the file is larger than is read), and those that
 * pprofil/error.h lists for reading. */
int pprofil_profile_open(const char *path, const struct pprofil_file *file, pprofil_profile **profile);

/* Returns true if the profile was read from a file of counters, to which pprofil_file.object applies. */
bool pprofil_profile_has_counters(const pprofil_profile *profile);

/* Saves a profile. path "-" is standard output. file may be NULL. The file at path is at every instant the old one or
 * the whole new one; after an error it is the old one. symbolize: names and lines are looked up first, which may take
 * long. A file of counters holds one object: that of the main object is path, and that of another one path.NAME.
 * -EEXIST: path.NAME is not a regular file, and nothing was written. -EINVAL: file->roots or file->values is unknown.
 * Further errors: those of open(2) and write(2), -ENOMEM, -EOVERFLOW (the profile is too large for the format), and
 * those that pprofil/error.h lists for writing and for two profiles. */
int pprofil_profile_save(pprofil_profile *profile, const char *path, const struct pprofil_file *file,
                         bool symbolize);

/* Looks up the names and lines that pprofil_profile_save would look up, so that it need not do so. Errors are those of
 * pprofil_profile_save. */
int pprofil_profile_symbolize(pprofil_profile *profile, const char *path, const struct pprofil_file *file);

/* Stores in name the path of the i-th file that pprofil_profile_save would write. It fails as that would. */
int pprofil_profile_file_at(const pprofil_profile *profile, const char *path, const struct pprofil_file *file,
                            unsigned i, char *name, size_t size);

/* Writes any bytes as profiles are written: the file at path is at every instant the old one or the whole new one, and
 * after an error the old one. A path that is not a regular file (a pipe, "-") is written to directly. bytes may not be
 * NULL. */
int pprofil_write_file(const char *path, const void *bytes, size_t size);

/* --- what a profile says ---------------------------------------------------------------------- */

struct pprofil_totals {
    uint64_t samples;
    uint64_t cpu_ns;        /* CPU time that the samples stand for */
    uint64_t wall_ns;       /* PPROFIL_WALL: elapsed time that the samples stand for */
    uint64_t elapsed_ns;    /* time in which samples were taken */
    uint64_t target_cpu_ns; /* CPU time of the targets meanwhile, as the kernel accounts it */
    uint64_t stopped_ns;    /* time that threads were held stopped, summed over threads */
    uint64_t supervisor_cpu_ns;
    uint64_t lost;          /* events that were dropped, because the ring was full */
    uint64_t throttled_ns;  /* time in which the rate was lower than what was asked for */
    uint64_t repaired;      /* system calls that would have failed with EINTR, and were restarted */
    uint32_t threads_seen, threads_alive;
    uint32_t processes_seen, processes_alive;
    double asked_hz;         /* sampling rate that was asked for */
    bool wall;               /* times are elapsed times */
    uint64_t continued;      /* system calls that would have returned too little, and were continued */
    uint64_t cut_short;      /* system calls that returned too little, because they could not be continued */
    uint32_t untraced;       /* threads that could not be traced, and whose time was not seen */
    uint64_t full_ns;        /* time in which no CPU was idle */
    uint64_t sample_cost_ns; /* CPU time that a sample took from its target, lately; 0: not known */
    double overhead;         /* part of its CPU time that a target may lose to samples, 0..1; 0: not known */
    uint64_t running;        /* samples that found their thread running. The rate achieved is running * 1e9 / cpu_ns */
};

void pprofil_profile_totals(const pprofil_profile *profile, struct pprofil_totals *totals, size_t size);

/* Writes into text why fewer samples were taken than were asked for: "a sample cost 63 us, for no CPU was idle". advice
 * adds what would help: "; --overhead 7 would give all". Returns the length, as snprintf(3) does. 0: as many were taken
 * as were asked for, or the reason is not known. */
int pprofil_totals_limit(const struct pprofil_totals *totals, bool advice, char *text, size_t size);

/* The command that was profiled, for people; "": not known. */
const char *pprofil_profile_command(const pprofil_profile *profile);
void pprofil_profile_set_command(pprofil_profile *profile, const char *command);

/* Returns true if any sample has more than one frame. */
bool pprofil_profile_has_stacks(const pprofil_profile *profile);

/* Tells the i-th reason why stacks are incomplete ("[truncated]"), and the share of the time of such stacks, 0..1, in
 * descending order. PPROFIL_ERROR_NO_STACKS. */
int pprofil_profile_incomplete(const pprofil_profile *profile, unsigned i, const char **why, double *share);

/* Tells the i-th object whose functions have no names: its path, why it has none, and its share of the whole time,
 * 0..1, in descending order. To be called after a report by function. */
int pprofil_profile_nameless(pprofil_profile *profile, unsigned i, const char **path, const char **why,
                             double *share);

/* A process of a profile, running one program. A process that has executed several programs is in the list once for
 * each of them. */
struct pprofil_process {
    uint32_t pid, ppid;
    uint32_t image;    /* number of the program in this process, from 0 */
    bool alive;        /* the process is alive, and still runs this program */
    int32_t status;    /* of a process that has ended, as wait(2) has it; else -1 */
    const char *comm;  /* name, as the kernel has it */
    uint64_t id;       /* of its row BY_PROCESS; 0: it has no samples yet */
    char command[256]; /* the arguments of a process that is alive, from /proc; else "" */
};

/* Tells the i-th process, oldest first. It reads /proc only if size covers command. */
int pprofil_profile_process(const pprofil_profile *profile, uint32_t i, struct pprofil_process *process,
                            size_t size);

/* LeakSanitizer looks for leaks by tracing its own process. A process has one tracer, so this fails while the session
 * traces the process, and LeakSanitizer then ends it with a status of its own. Returns that status: 1 if it is a part
 * of AddressSanitizer, 23 if it is used by itself. Returns 0 if it is neither in a file that the process mapped nor in
 * program, the path of a file (NULL: none). */
int pprofil_profile_leak_check(const pprofil_profile *profile, pid_t pid, const char *program);

/* --- profiles made of others ---------------------------------------------------------------- */

/* Makes an empty profile, for pprofil_profile_merge. */
int pprofil_profile_new(pprofil_profile **profile);

enum pprofil_merging {
    PPROFIL_MERGE_CPU = 1u << 0, /* take only the CPU time from profiles of elapsed time */
};

/* Adds a profile to another one, which pprofil_profile_new has made. The order in which several are added does not
 * matter. Counts and times add up, whatever the sampling rates were. Two objects are the same if their build-ids
 * are; two processes if their numbers, parents, names and start times are. how: enum pprofil_merging.
 * PPROFIL_ERROR_MIXED_TIMES: nothing was changed. -ENOMEM, -EOVERFLOW (sums are too large): into can only be closed. */
int pprofil_profile_merge(pprofil_profile *into, const pprofil_profile *from, unsigned how);

/* A sample belongs to a part if it meets all conditions that are given (not NULL, not 0). A name is the whole name, or
 * the name without its parameters. If no name equals it, it is a POSIX extended regular expression that is searched in
 * names. */
struct pprofil_selection {
    size_t size; /* sizeof(struct pprofil_selection) */
    const uint32_t *pids;
    size_t pid_count;
    const char *comm;     /* name of the process */
    const char *thread;   /* name of the thread, or its number */
    const char *object;   /* path of the object that runs, or the last component of it */
    const char *function; /* the function that runs */
    const char *focus;    /* a function that is on the stack */
    const char *ignore;   /* a function that is not on the stack */
    bool no_inlines;      /* functions that were inlined count for their caller */
};

/* Returns true if the selection has any condition. */
bool pprofil_selection_any(const struct pprofil_selection *selection);

/* Makes a profile of a part. The caller closes it; it can be reported and saved as any other, and its command says what
 * was selected. The whole stays as it is. The part is empty if no sample meets all conditions. -EINVAL: a condition is
 * no regular expression. -ENOENT: the profile has nothing of such a name. pprofil_profile_problem of the whole says
 * which. */
int pprofil_profile_select(pprofil_profile *profile, const struct pprofil_selection *selection,
                           pprofil_profile **part);

/* Tells about a part what was selected ("--comm make --focus main"), its share of the whole's time, 0..1, and the
 * number of samples of the whole. PPROFIL_ERROR_NO_SELECTION: the profile is not a part. */
int pprofil_profile_selected(const pprofil_profile *profile, const char **what, double *share,
                             uint64_t *of_samples);

#ifdef __cplusplus
}
#endif

#endif
