/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile: events become processes, threads, objects and counts.
 *
 * A profile is a set of tables that refer to each other by index. Index 0 of
 * strings is "", and index 0 of functions, locations, nodes and syscalls means
 * "none". What is counted is (thread, stack, system call); a stack is a node of
 * a tree in which each node is a location below its parent, so that a flat
 * profile is simply stacks of one frame. Addresses are kept relative to the
 * object (file offsets), hence the same code counts together wherever and in
 * however many processes it is mapped.
 *
 * Names are not known here: lib/symbol fills in location lines and functions,
 * as does a file that was saved with them.
 */
#ifndef PPROFIL_PROFILE_H
#define PPROFIL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprofil/error.h"
#include "profile/timeline.h"

struct wire_header;
struct wire_sample;

#define PROFILE_NONE 0u
#define PROFILE_BUILD_ID_MAX 64u /* bytes */

enum profile_object_kind {
    PROFILE_OBJECT_FILE = 1, /* addresses are offsets in the file */
    PROFILE_OBJECT_VDSO,     /* offsets in the kernel's object */
    PROFILE_OBJECT_ANON,     /* one per process: JIT code; addresses as mapped */
    PROFILE_OBJECT_UNKNOWN,  /* one: no mapping was there; addresses as mapped */
    PROFILE_OBJECT_MARK,     /* no code: path says why a stack ends there; address 0 */
};

struct profile_object {
    enum profile_object_kind kind;
    uint32_t path;  /* string: as the target names it; "[vdso]", "//anon", "[unknown]" */
    bool deleted;   /* the path led to this file no more when it was seen */
    bool hangs;     /* it did not answer who opened it: its path is not tried */
    bool invented;  /* addresses only tell places apart: they come from a file of names */
    uint32_t pid;   /* ANON: the process; FILE: the first that mapped it; else 0 */
    uint32_t process; /* ANON: index of the process image; else 0 */
    uint32_t build_id_size;
    uint8_t build_id[PROFILE_BUILD_ID_MAX];
    uint64_t device, inode; /* 0 where not known */
    uint64_t start, end;    /* where it was first mapped, for formats that must say */
    uint64_t offset;        /* of start in the file */
    int fd;                 /* owned; the file or a copy of it, -1 where there is none */
};

struct profile_process {
    uint32_t pid, ppid;
    uint32_t comm;       /* string */
    uint32_t generation; /* 0: first image seen under this pid; +1 at each exec */
    uint64_t start, end; /* CLOCK_MONOTONIC ns; end 0 while alive */
    int32_t status;      /* as wait(2); -1 not known or alive */
    uint64_t cpu_ns;     /* the kernel's own figure, told when it ended; else 0 */
};

struct profile_thread {
    uint32_t process; /* index */
    uint32_t tid;
    uint32_t comm; /* string */
};

struct profile_function {
    uint32_t name;        /* string: as people read it */
    uint32_t system_name; /* string: as the linker reads it */
    uint32_t object;      /* index + 1 of the object that it is in; 0: not known */
    uint32_t file;        /* string: where it is defined; "" not known */
    uint32_t line;        /* 0 not known */
};

struct profile_line {
    uint32_t function; /* index, or PROFILE_NONE */
    uint32_t file;     /* string */
    uint32_t line;     /* 0 not known */
};

/* What has been looked up of a location: a set of these bits. */
enum profile_lookup {
    PROFILE_LOOKED_NAME = 1u << 0, /* the function's name */
    PROFILE_LOOKED_LINE = 1u << 1, /* source lines too */
};

struct profile_location {
    uint32_t object; /* index */
    uint32_t looked; /* enum profile_lookup */
    uint64_t address;
    uint32_t line_count;        /* > 1: inlined, innermost first */
    struct profile_line *lines; /* owned; NULL where nothing is known */
};

struct profile_node {
    uint32_t parent;   /* index of the caller's node, or PROFILE_NONE */
    uint32_t location; /* index */
};

struct profile_syscall {
    uint32_t name;   /* string */
    int32_t number;  /* -1 where only the name is known */
    uint32_t compat; /* 1: of the 32-bit ABI */
};

/* What a thread did when it was seen. In a profile of CPU time all samples are RUNNING, but those of a while in
 * which wall mode was on. */
enum profile_state {
    PROFILE_RUNNING,         /* on a CPU */
    PROFILE_WAITING,         /* for a CPU */
    PROFILE_ASLEEP,          /* until something happens, or a signal comes */
    PROFILE_UNINTERRUPTIBLE, /* asleep, and no signal wakes it up: state D of proc_pid_stat(5) */
};
#define PROFILE_STATES (PROFILE_UNINTERRUPTIBLE + 1)

/* The place, and the row of system calls, of a thread that waits for a CPU. */
#define PROFILE_WAITING_PLACE "[waiting for a CPU]"

struct profile_sample {
    uint32_t thread;  /* index */
    uint32_t node;    /* index: the leaf */
    uint32_t syscall; /* index, or PROFILE_NONE: user code */
    uint32_t state;   /* enum profile_state */
    uint64_t count;
    uint64_t cpu_ns;
    uint64_t wall_ns;
};

/* What is true of the whole run. Saved with it. */
struct profile_totals {
    uint64_t samples;       /* sum over the sample table */
    uint64_t running;       /* sum: those that found their thread running */
    uint64_t cpu_ns;        /* sum: CPU time sampled */
    uint64_t wall_ns;       /* sum: wall mode */
    uint64_t elapsed_ns;    /* of sampling */
    uint64_t target_cpu_ns; /* the target's own CPU time, from the kernel */
    uint64_t stopped_ns;
    uint64_t supervisor_cpu_ns;
    uint64_t ticks;
    uint64_t lost;         /* events */
    uint64_t throttled_ns; /* below the rate asked */
    uint64_t full_ns;      /* elapsed time in which no CPU was idle */
    uint64_t sample_cost_ns; /* CPU time that a sample took from its target, of late; 0: not known */
    uint64_t overhead_ppm;   /* that targets may lose, in millionths of their CPU time; 0: not known */
    uint64_t repaired;     /* system calls saved from EINTR */
    uint64_t continued;    /* system calls saved from coming back short */
    uint64_t cut_short;    /* system calls that came back short because of us */
    uint32_t untraced;     /* threads that could not be traced: their time is not sampled */
    uint32_t threads_seen, threads_alive;
    uint32_t processes_seen, processes_alive;
    double asked_hz;
    bool wall;              /* wall mode */
    uint64_t start_time;    /* CLOCK_REALTIME ns when sampling began; 0 not known */
};

/* Tables: read them, but let only the functions below write them. */
struct profile {
    char **strings;
    struct profile_object *objects;
    struct profile_process *processes;
    struct profile_thread *threads;
    struct profile_function *functions;
    struct profile_location *locations;
    struct profile_node *nodes;
    struct profile_syscall *syscalls;
    struct profile_sample *samples;
    uint32_t string_count, object_count, process_count, thread_count, function_count,
        location_count, node_count, syscall_count, sample_count;
    struct profile_totals totals;
    struct profile_timeline timeline; /* of events; empty where a file has none */
    uint32_t clears; /* times that all counts were forgotten */
    char *command; /* owned: what was run or attached to, for people; may be NULL */
    struct profile_index *index; /* private: hashes over the tables, live processes */
};

/* An empty profile, or NULL where there is no memory. */
struct profile *profile_new(void);
void profile_free(struct profile *profile);

/* Takes one valid event (wire_event_valid). 0, or -ENOMEM; the profile stays consistent. */
int profile_feed(struct profile *profile, const struct wire_header *event);
/* Takes a sample whose stack has been unwound: node is its leaf, or PROFILE_NONE for a stack of one frame. */
int profile_feed_sample(struct profile *profile, const struct wire_sample *event, uint32_t node);
/* The object that stands for addresses where nothing is known to be mapped. 0 or -ENOMEM. */
int profile_unknown_object(struct profile *profile, uint32_t *object);

/* Gives the profile the descriptor that wire_map.object announced; it is closed where no
 * object wants it, or has one already. fd -errno: it could not be had, and will not come;
 * -ETIMEDOUT: it hangs. */
void profile_give_object(struct profile *profile, uint32_t wire_object, int fd);

/* Gives an object that has no descriptor one, which the profile closes at its end. */
void profile_set_file(struct profile *profile, uint32_t object, int fd);

/* The object that is mapped around an address of a process that has not ended, and the
 * mapping: *start is where its *offset in the object is. False: none is known. */
bool profile_find_mapping(const struct profile *profile, uint32_t pid, uint64_t address,
                          uint32_t *object, uint64_t *start, uint64_t *offset);

/* Will the object's descriptor, which was announced, still come? */
bool profile_awaits_object(const struct profile *profile, uint32_t object);
/* Will that of any file? Names of a JIT may come at any time, or never. */
bool profile_awaits_any_file(const struct profile *profile);

/* Is this image what its process runs, as far as the events have told? */
bool profile_runs(const struct profile *profile, uint32_t process);

/* The image that runs under this pid now; false: none is known. */
bool profile_find_process(const struct profile *profile, uint32_t pid, uint32_t *process);

/* The thread of a process that has this number now; false: none is known. */
bool profile_find_thread(const struct profile *profile, uint32_t process, uint32_t tid,
                         uint32_t *thread);

/* Forgets all counts, keeps what is known about processes and mappings. */
void profile_clear(struct profile *profile);

/*
 * Building, for readers of saved files and for lib/symbol. Each finds or adds an entry and
 * stores its index in *index (never NULL). 0, or -ENOMEM, or -EOVERFLOW past 2^32 - 2.
 */
int profile_string(struct profile *profile, const char *text, uint32_t *index);
int profile_function(struct profile *profile, const struct profile_function *function,
                     uint32_t *index);
/* Says where a function is defined that was added without that. Adding it once more, still
 * without, makes another one: lib/symbol adds each symbol once. */
void profile_define_function(struct profile *profile, uint32_t function, uint32_t file,
                             uint32_t line);
/* Objects are the same if their build-ids are (else device, inode and path; ANON: process). */
int profile_object(struct profile *profile, const struct profile_object *object, uint32_t *index);
int profile_add_process(struct profile *profile, const struct profile_process *process,
                        uint32_t *index);
int profile_add_thread(struct profile *profile, const struct profile_thread *thread,
                       uint32_t *index);
int profile_location(struct profile *profile, uint32_t object, uint64_t address, uint32_t *index);
/* The location that stands for the callers that are not known: "[truncated]". It has a
 * function of that name, and is the outermost of its stacks. */
int profile_mark(struct profile *profile, const char *why, uint32_t *location);
int profile_node(struct profile *profile, uint32_t parent, uint32_t location, uint32_t *index);
int profile_syscall(struct profile *profile, const char *name, int32_t number, uint32_t compat,
                    uint32_t *index);
/* Returns what people, and files, call a state: "asleep". */
const char *profile_state_name(enum profile_state state);
/* Returns the state of that name; PROFILE_RUNNING where there is none. */
enum profile_state profile_state_named(const char *name);
/* Does a sample belong to the mode of its profile? A profile of CPU time may have sleepers: wall mode may have been on
 * for a part of the run. */
static inline bool profile_counts_sample(const struct profile *profile, const struct profile_sample *sample)
{
    return profile->totals.wall || sample->state == PROFILE_RUNNING;
}

/* Adds to the sample with this thread, node, syscall and state; totals follow. */
int profile_count(struct profile *profile, const struct profile_sample *sample);
/* Replaces a location's lines by a copy of these and adds to its looked bits. */
int profile_set_lines(struct profile *profile, uint32_t location, const struct profile_line *lines,
                      uint32_t count, uint32_t looked);
/* Makes a location one that has not been looked up. */
void profile_forget_lines(struct profile *profile, uint32_t location);

/* The samples that are to be kept (a flag for each), with all that they need, as a profile of
 * its own, the caller's. Totals of samples, threads and processes are its own, the others those of
 * the whole run. Only if all are kept there is a time line. 0 or -ENOMEM. */
int profile_extract(const struct profile *profile, const bool *keep, struct profile **part);

/* The name of a system call of this machine (compat: of its 32-bit ABI), or NULL. */
const char *profile_syscall_name(int32_t number, bool compat);

enum profile_merging {
    PROFILE_MERGE_CPU = 1u << 0, /* of profiles in wall mode only what was CPU time */
};

/*
 * Adds all that from has to into; in whatever order profiles are added, the result is the same but
 * for the order of its tables.
 *
 * Objects are the same as profile_object has it, by their build-ids above all. Processes are the
 * same where number, parent, name and beginning (CLOCK_MONOTONIC, in ns) are; what has no
 * beginning, as in other programs' files, never is, unless it has no number either. Numbers that
 * several processes have get generations, oldest first, so that they stay apart. Of a place that
 * both know, the fuller names count.
 *
 * Counts and times add up, those of the run too; the rate is the lowest, the start the earliest.
 * So do time lines, each slot at its time (CLOCK_MONOTONIC); a profile without one adds nothing.
 * Rates need not be equal: each sample carries the time that it stands for.
 *
 * 0, and where it fails into is of no use any more: -ENOMEM, -EOVERFLOW (sums too large); but
 * PPROFIL_ERROR_MIXED_TIMES: one is of elapsed time and the other of CPU time, and nothing was changed.
 */
int profile_merge(struct profile *into, const struct profile *from, unsigned how);

#endif
