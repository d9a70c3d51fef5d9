/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile: a profile in memory. Events become processes, threads, objects and counts.
 *
 * A profile is a set of tables that refer to each other by index. Index 0 of strings is "", and index 0 of functions,
 * locations, nodes and syscalls means "none". A sample counts a thread, a stack, a system call and a state. A stack is
 * a node of a tree, whose parent is the caller's node; in a flat profile each stack is one frame. Addresses are
 * relative to the object (file offsets). So the same code counts together wherever it is mapped, and in all processes
 * that map it.
 *
 * The functions here do not look up names: lib/symbol, or the reader of a saved file, fills in lines and functions of
 * locations.
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
    PROFILE_OBJECT_VDSO,     /* addresses are offsets in the kernel's object */
    PROFILE_OBJECT_ANON,     /* one for each process: JIT code; addresses as mapped */
    PROFILE_OBJECT_UNKNOWN,  /* one for all addresses without a mapping; addresses as mapped */
    PROFILE_OBJECT_MARK,     /* no code: path says why a stack ends here; address 0 */
};

struct profile_object {
    enum profile_object_kind kind;
    uint32_t path;  /* string: as the target names it; "[vdso]", "//anon", "[unknown]" */
    bool deleted;   /* the path no longer led to this file when it was seen */
    bool hangs;     /* the file hung when it was opened: its path is not tried again */
    bool invented;  /* addresses are invented, only to distinguish locations: the file had names and no addresses */
    uint32_t pid;   /* ANON: the process; FILE: the first process that mapped it; else 0 */
    uint32_t process; /* ANON: index of the process image; else 0 */
    uint32_t build_id_size;
    uint8_t build_id[PROFILE_BUILD_ID_MAX];
    uint64_t device, inode; /* 0: not known */
    uint64_t start, end;    /* addresses [start, end) of its first mapping, for formats that need them */
    uint64_t offset;        /* offset of start in the file, bytes */
    int fd;                 /* owned; descriptor of the file or of a copy of it; -1: none */
};

struct profile_process {
    uint32_t pid, ppid;
    uint32_t comm;       /* string */
    uint32_t generation; /* 0: the first image seen with this pid; +1 at each exec */
    uint64_t start, end; /* CLOCK_MONOTONIC ns; end 0: alive */
    int32_t status;      /* as wait(2) gives it; -1: not known, or alive */
    uint64_t cpu_ns;     /* CPU time that the kernel reported when the process ended; 0: not known */
};

struct profile_thread {
    uint32_t process; /* index */
    uint32_t tid;
    uint32_t comm; /* string */
};

struct profile_function {
    uint32_t name;        /* string: as people read it */
    uint32_t system_name; /* string: as the linker reads it */
    uint32_t object;      /* index + 1 of its object; 0: not known */
    uint32_t file;        /* string: the source file; "": not known */
    uint32_t line;        /* 0: not known */
};

struct profile_line {
    uint32_t function; /* index, or PROFILE_NONE */
    uint32_t file;     /* string */
    uint32_t line;     /* 0: not known */
};

/* What has been looked up for a location: a set of these bits. */
enum profile_lookup {
    PROFILE_LOOKED_NAME = 1u << 0, /* the function's name */
    PROFILE_LOOKED_LINE = 1u << 1, /* source lines too */
};

struct profile_location {
    uint32_t object; /* index */
    uint32_t looked; /* enum profile_lookup */
    uint64_t address;
    uint32_t line_count;        /* number of lines; above 1 if functions are inlined there, the innermost first */
    struct profile_line *lines; /* owned; NULL: none is known */
};

struct profile_node {
    uint32_t parent;   /* index of the caller's node, or PROFILE_NONE */
    uint32_t location; /* index */
};

struct profile_syscall {
    uint32_t name;   /* string */
    int32_t number;  /* -1: only the name is known */
    uint32_t compat; /* 1: of the 32-bit ABI */
};

/* What a thread was doing when it was sampled. Only wall mode makes samples that are not RUNNING. */
enum profile_state {
    PROFILE_RUNNING,         /* on a CPU */
    PROFILE_WAITING,         /* ready to run, but without a CPU */
    PROFILE_ASLEEP,          /* until an event or a signal */
    PROFILE_UNINTERRUPTIBLE, /* asleep, and no signal wakes it up: state D of proc_pid_stat(5) */
};
#define PROFILE_STATES (PROFILE_UNINTERRUPTIBLE + 1)

/* The name of both the location and the system call of a thread that waits for a CPU. */
#define PROFILE_WAITING_PLACE "[waiting for a CPU]"

struct profile_sample {
    uint32_t thread;  /* index */
    uint32_t node;    /* index: the innermost frame */
    uint32_t syscall; /* index, or PROFILE_NONE: user code */
    uint32_t state;   /* enum profile_state */
    uint64_t count;
    uint64_t cpu_ns;
    uint64_t wall_ns;
};

/* Figures of the whole run, which are saved with the profile. */
struct profile_totals {
    uint64_t samples;       /* sum over the sample table */
    uint64_t running;       /* sum: samples whose thread was running */
    uint64_t cpu_ns;        /* sum: CPU time sampled */
    uint64_t wall_ns;       /* sum: elapsed time sampled in wall mode */
    uint64_t elapsed_ns;    /* time for which sampling was on */
    uint64_t target_cpu_ns; /* the target's own CPU time, from the kernel */
    uint64_t stopped_ns;
    uint64_t supervisor_cpu_ns;
    uint64_t ticks;
    uint64_t lost;         /* number of events that were lost */
    uint64_t throttled_ns; /* elapsed time in which the rate was below the requested one */
    uint64_t full_ns;      /* elapsed time in which no CPU was idle */
    uint64_t sample_cost_ns; /* CPU time that a recent sample took from its target; 0: not known */
    uint64_t overhead_ppm;   /* limit of what targets lose, in millionths of their CPU time; 0: not known */
    uint64_t repaired;     /* system calls restarted that would have failed with EINTR */
    uint64_t continued;    /* system calls continued that would have returned early, with a part of their work done */
    uint64_t cut_short;    /* system calls that returned early because of us */
    uint32_t untraced;     /* threads that could not be traced: their time is not sampled */
    uint32_t threads_seen, threads_alive;
    uint32_t processes_seen, processes_alive;
    double asked_hz;
    bool wall;              /* wall mode */
    uint64_t start_time;    /* CLOCK_REALTIME ns when sampling began; 0: not known */
};

/* Anybody may read the tables; only the functions below write them. */
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
    struct profile_timeline timeline; /* empty if the profile was read from a file without one */
    uint32_t clears; /* how often profile_clear was called */
    char *command; /* owned: what was run or attached to, for people; or NULL */
    struct profile_index *index; /* private: hashes over the tables, and the live processes */
};

/* Returns an empty profile, which the caller frees; NULL: no memory. */
struct profile *profile_new(void);
void profile_free(struct profile *profile);

/* Adds one event that wire_event_valid has accepted. Returns 0 or -ENOMEM; the profile is consistent in any case. */
int profile_feed(struct profile *profile, const struct wire_header *event);
/* Adds a sample whose stack has been unwound. node: its innermost frame; PROFILE_NONE: the pc is its only frame. */
int profile_feed_sample(struct profile *profile, const struct wire_sample *event, uint32_t node);
/* Finds or adds the object of all addresses without a known mapping. Returns 0 or -ENOMEM. */
int profile_unknown_object(struct profile *profile, uint32_t *object);

/* Takes over the descriptor that wire_map.object announced, and closes it if no object needs it. A negative fd is an
 * error: no descriptor will come; -ETIMEDOUT: the file hangs. */
void profile_give_object(struct profile *profile, uint32_t wire_object, int fd);

/* Takes over a descriptor of an object's file, and closes it if the object already has one. */
void profile_set_file(struct profile *profile, uint32_t object, int fd);

/* Finds the mapping around an address of a live process: its object, its start, and the offset of the start in the
 * object. False: no mapping is known there. */
bool profile_find_mapping(const struct profile *profile, uint32_t pid, uint64_t address,
                          uint32_t *object, uint64_t *start, uint64_t *offset);

/* Returns true if a descriptor was announced for the object, and has not come yet. */
bool profile_awaits_object(const struct profile *profile, uint32_t object);
/* Returns true if a descriptor was announced for any object and has not come yet. JIT code is left out, because its
 * names may come at any time, or never. */
bool profile_awaits_any_file(const struct profile *profile);

/* Is this the image that its process runs now, according to the events so far? */
bool profile_runs(const struct profile *profile, uint32_t process);

/* Finds the image that the process with this pid runs now. False: none is known. */
bool profile_find_process(const struct profile *profile, uint32_t pid, uint32_t *process);

/* Finds the live thread of a process with this tid. False: none is known. */
bool profile_find_thread(const struct profile *profile, uint32_t process, uint32_t tid,
                         uint32_t *thread);

/* Forgets all counts. What is known about processes and mappings stays. */
void profile_clear(struct profile *profile);

/*
 * For readers of saved files and for lib/symbol. Each of these finds or adds an entry and writes its index to *index,
 * which must not be NULL. Returns 0, -ENOMEM, or -EOVERFLOW past 2^32 - 2 entries.
 */
int profile_string(struct profile *profile, const char *text, uint32_t *index);
int profile_function(struct profile *profile, const struct profile_function *function,
                     uint32_t *index);
/* Sets where a function is defined, which was not known when it was added. If the same function is then added again
 * without a place, that makes a second entry; lib/symbol adds each symbol only once. */
void profile_define_function(struct profile *profile, uint32_t function, uint32_t file,
                             uint32_t line);
/* Two objects are the same if they are of one kind and their build-ids are equal. Without build-ids, their device,
 * inode and path must be equal. Objects of kind ANON are the same if they belong to one process. */
int profile_object(struct profile *profile, const struct profile_object *object, uint32_t *index);
int profile_add_process(struct profile *profile, const struct profile_process *process,
                        uint32_t *index);
int profile_add_thread(struct profile *profile, const struct profile_thread *thread,
                       uint32_t *index);
int profile_location(struct profile *profile, uint32_t object, uint64_t address, uint32_t *index);
/* Finds or adds a mark, a location that is no code. It is the outermost frame of its stacks. It replaces callers that
 * are not known, or is a wait for a CPU. why: its name, such as "[truncated]". */
int profile_mark(struct profile *profile, const char *why, uint32_t *location);
int profile_node(struct profile *profile, uint32_t parent, uint32_t location, uint32_t *index);
int profile_syscall(struct profile *profile, const char *name, int32_t number, uint32_t compat,
                    uint32_t *index);
/* Returns the name of a state for people and files, such as "asleep". */
const char *profile_state_name(enum profile_state state);
/* Returns the state of this name; PROFILE_RUNNING if there is none. */
enum profile_state profile_state_named(const char *name);
/* Returns true if a sample belongs to the mode of its profile. A profile of CPU time may have samples of sleeping
 * threads, because wall mode may have been on for a part of the run. */
static inline bool profile_counts_sample(const struct profile *profile, const struct profile_sample *sample)
{
    return profile->totals.wall || sample->state == PROFILE_RUNNING;
}

/* Adds counts and times to the sample with the same thread, node, syscall and state, and to the totals. */
int profile_count(struct profile *profile, const struct profile_sample *sample);
/* Replaces the lines of a location by a copy of these, and adds to its looked bits. */
int profile_set_lines(struct profile *profile, uint32_t location, const struct profile_line *lines,
                      uint32_t count, uint32_t looked);
/* Resets a location to one that has not been looked up. */
void profile_forget_lines(struct profile *profile, uint32_t location);

/* Makes a profile of the samples whose entry in keep is true, with all entries that they refer to. The caller frees
 * *part. Its totals of samples, threads and processes are its own; all others are those of the whole run. It has a
 * timeline only if all samples are kept. Returns 0 or -ENOMEM. */
int profile_extract(const struct profile *profile, const bool *keep, struct profile **part);

/* Returns the name of a system call of this machine or, if compat, of its 32-bit ABI. NULL: there is none. */
const char *profile_syscall_name(int32_t number, bool compat);

enum profile_merging {
    PROFILE_MERGE_CPU = 1u << 0, /* take only the CPU time of profiles in wall mode */
};

/*
 * Merges from into into. The order in which profiles are merged changes only the order of the tables.
 *
 * Objects are the same by the rule of profile_object. Processes are the same if their pid, parent, name and start
 * (CLOCK_MONOTONIC ns) are equal. Files of other programs have processes without a start: such a process is the same as
 * another one only if it has no pid either. Processes that share a pid get generations, oldest first, so that they stay
 * distinct. If both profiles have names for a location, the more detailed names are taken.
 *
 * Counts and times are added, those of the run too. The rate becomes the lower of the two, the start the earlier.
 * Timelines are added slot by slot, by their times (CLOCK_MONOTONIC); a profile without a timeline adds nothing. Rates
 * need not be equal, because each sample has the time that it represents.
 *
 * Returns 0; PPROFIL_ERROR_MIXED_TIMES: one profile is of elapsed time and the other of CPU time, and nothing has
 * changed; -ENOMEM, or -EOVERFLOW if sums are too large: the caller can only free into.
 */
int profile_merge(struct profile *into, const struct profile *from, unsigned how);

#endif
