/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile: a profile in memory. Events become processes, threads, objects and counts.
 *
 * A profile is a set of tables that refer to each other by index. Index 0 of strings is "". Index 0 of functions,
 * locations, nodes, syscalls and waits means "none".
 *
 * Stacks form a tree of nodes: a node is a frame, and its parent is the frame of the caller. A stack is identified by
 * its innermost node. In a profile without call graphs each stack has one frame. Each entry of the table samples counts
 * the samples that have the same thread, stack, system call, state and wait.
 *
 * The address of code in a file is its offset in the file. So code has the same address in all processes that map it,
 * and is counted together.
 *
 * The functions here do not look up names. lib/symbol, or the reader of a saved file, sets the lines and functions of
 * locations.
 */
#ifndef PPROFIL_PROFILE_H
#define PPROFIL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprofil/error.h"
#include "profile/history.h"
#include "profile/timeline.h"

struct wire_header;
struct wire_sample;

#define PROFILE_NONE 0u
#define PROFILE_NO_SAMPLE UINT32_MAX /* samples have no entry that stands for "none" */
#define PROFILE_BUILD_ID_MAX 64u /* bytes */

enum profile_object_kind {
    PROFILE_OBJECT_FILE = 1, /* addresses are offsets in the file */
    PROFILE_OBJECT_VDSO,     /* addresses are offsets in the vDSO of the kernel */
    /* all of a process's executable memory without a file, such as JIT code. Addresses are memory addresses */
    PROFILE_OBJECT_ANON,
    /* one object for all addresses whose mapping is not known. Addresses are memory addresses */
    PROFILE_OBJECT_UNKNOWN,
    PROFILE_OBJECT_MARK, /* not code, but a mark: see profile_mark. `path` is the name of the mark; its address is 0 */
};

struct profile_object {
    enum profile_object_kind kind;
    uint32_t path;  /* index in strings: path as the target process sees it, or "[vdso]", "//anon", "[unknown]" */
    bool deleted;   /* the kernel printed " (deleted)" behind the path: the path no longer leads to this file */
    bool hangs;     /* an attempt to open the file hung, so the path is not opened again */
    /* the profile was read from a file without addresses. So the addresses in this object are invented, to tell
     * locations apart */
    bool invented;
    /* PROFILE_OBJECT_ANON: pid of the process. PROFILE_OBJECT_FILE: pid of the first process that mapped the file.
     * Otherwise 0 */
    uint32_t pid;
    uint32_t process; /* PROFILE_OBJECT_ANON: index in processes. Otherwise 0 */
    uint32_t build_id_size;
    uint8_t build_id[PROFILE_BUILD_ID_MAX];
    uint64_t device, inode; /* 0: not known */
    uint64_t start, end; /* its first mapping was at addresses [start, end). Some file formats contain this mapping */
    uint64_t offset;        /* offset in the file of the byte that was mapped at `start` */
    int fd;                 /* owned; descriptor of the file or of a copy of it; -1: none */
};

struct profile_process {
    uint32_t pid, ppid;
    uint32_t comm;       /* index in strings */
    uint32_t generation; /* distinguishes the programs that ran under one pid; 0: the first program; each exec adds 1 */
    uint64_t start, end; /* ns, see struct profile; if `end` is 0, the process is alive */
    int32_t status;      /* status in the form of wait(2); -1: alive, or not known */
    uint64_t cpu_ns;     /* CPU time of the process while it was followed; 0: not known */
    uint32_t host;       /* index in strings: the host on which the process ran; "": not known */
    uint32_t job;        /* index in strings: the job that the process was a part of; "": none, or not known */
    uint32_t rank;       /* index in strings: the rank of the process in its job, such as "3"; "": none, or not known */
};

struct profile_thread {
    uint32_t process; /* index in processes */
    uint32_t tid;
    uint32_t comm; /* index in strings */
};

struct profile_function {
    uint32_t name;        /* index in strings: name for users, demangled */
    uint32_t system_name; /* index in strings: name in the symbol table */
    uint32_t object;      /* index in objects, plus 1; 0: not known */
    uint32_t file;        /* index in strings: the source file; "": not known */
    uint32_t line;        /* line number; 0: not known */
};

struct profile_line {
    uint32_t function; /* index in functions, or PROFILE_NONE */
    uint32_t file;     /* index in strings: the source file; "": not known */
    uint32_t line;     /* line number; 0: not known */
};

/* What has been looked up for a location: a set of these bits. */
enum profile_lookup {
    PROFILE_LOOKED_NAME = 1u << 0, /* the function's name */
    PROFILE_LOOKED_LINE = 1u << 1, /* source lines too */
};

struct profile_location {
    uint32_t object; /* index in objects */
    uint32_t looked; /* enum profile_lookup */
    uint64_t address;
    /* number of lines; more than 1 if functions are inlined at this address: the innermost function comes first */
    uint32_t line_count;
    struct profile_line *lines; /* owned; NULL: none is known */
};

struct profile_node {
    uint32_t parent;   /* index in nodes: the caller's node, or PROFILE_NONE */
    uint32_t location; /* index in locations */
};

struct profile_syscall {
    uint32_t name;   /* index in strings */
    int32_t number;  /* number of the system call; -1: only its name is known */
    uint32_t compat; /* 1: a system call of the 32-bit ABI */
};

/* What a sleeping thread waits for. */
struct profile_wait {
    uint32_t name;   /* index in strings: name for users */
    uint32_t holder; /* tid of the thread that holds the lock, or is to end; 0: there is none, or it is not known */
};

/* What a thread was doing when it was sampled. Only wall mode makes samples in another state than PROFILE_RUNNING. */
enum profile_state {
    PROFILE_RUNNING,         /* on a CPU */
    PROFILE_WAITING,         /* ready to run, but without a CPU */
    PROFILE_ASLEEP,          /* asleep until an event or a signal */
    PROFILE_UNINTERRUPTIBLE, /* asleep, and no signal wakes it up: state D of proc_pid_stat(5) */
};
#define PROFILE_STATES (PROFILE_UNINTERRUPTIBLE + 1)

/* In the samples of a thread that waits for a CPU, this is the name of the location, and also the name of the system
 * call. */
#define PROFILE_WAITING_PLACE "[waiting for a CPU]"

/* The name of the location of CPU time for which there are no samples, because the supervisor could take none. */
#define PROFILE_UNSAMPLED_PLACE "[not sampled]"

/* The path of the object that stands for kernel code, if nothing tells more about it. */
#define PROFILE_KERNEL "[kernel]"

struct profile_sample {
    uint32_t thread;  /* index in threads */
    uint32_t node;    /* index in nodes: the innermost node of the stack */
    uint32_t syscall; /* index in syscalls; PROFILE_NONE: user code */
    uint32_t state;   /* enum profile_state */
    uint32_t wait;    /* index in waits: what the thread waits for; PROFILE_NONE: it is not asleep, or not known */
    uint64_t count;
    uint64_t cpu_ns;
    uint64_t wall_ns;
};

/* Totals of the profile. They are saved with the profile. */
struct profile_totals {
    uint64_t samples;       /* sum of the field `count` over all entries of the table samples */
    uint64_t running;       /* number of samples whose thread was running */
    uint64_t cpu_ns;        /* sum of the field `cpu_ns` over all entries of the table samples */
    uint64_t wall_ns;       /* sum of the field `wall_ns` over all entries of the table samples */
    uint64_t elapsed_ns;    /* time during which sampling was on */
    uint64_t target_cpu_ns; /* CPU time of the targets while sampling was on, as the kernel accounts it */
    uint64_t stopped_ns;
    uint64_t supervisor_cpu_ns;
    uint64_t ticks;
    uint64_t lost;         /* number of events that were lost */
    uint64_t throttled_ns; /* elapsed time in which the sampling rate was below the requested rate */
    uint64_t full_ns;      /* elapsed time in which no CPU was idle */
    uint64_t sample_cost_ns; /* CPU time that a sample takes from its target, mean of recent samples; 0: not known */
    /* largest share of its CPU time that a target may lose to samples, in millionths; 0: not known */
    uint64_t overhead_ppm;
    uint64_t repaired;     /* system calls that would have failed with EINTR, but were restarted */
    /* system calls that would have returned early with only a part of their work done, but were continued */
    uint64_t continued;
    uint64_t cut_short;    /* system calls that returned early, because they could not be continued */
    uint32_t untraced;     /* threads that could not be traced, so that their time is not in the samples */
    uint32_t threads_seen, threads_alive;
    uint32_t processes_seen, processes_alive;
    double asked_hz;
    bool wall;              /* wall mode: sleeping threads were sampled, too */
    uint64_t start_time;    /* time when sampling began, CLOCK_REALTIME ns; 0: not known */
    /* of merged profiles: time when the sampling of the last one ended, CLOCK_REALTIME ns; elapsed_ns is then the sum
     * of theirs. 0: elapsed_ns after start_time */
    uint64_t end_time;
};

/*
 * All code may read the tables. Only the functions below change them.
 *
 * Times of processes, of the history and of the timeline are ns of CLOCK_REALTIME, so that profiles of several machines
 * can be merged. But events have times of CLOCK_MONOTONIC, so that no time is lost or counted twice when somebody sets
 * the clock. `clock_offset` is the difference. It is read when the profile begins, and again when a period begins. The
 * time in which the machine is suspended is not counted.
 */
struct profile {
    char **strings;
    struct profile_object *objects;
    struct profile_process *processes;
    struct profile_thread *threads;
    struct profile_function *functions;
    struct profile_location *locations;
    struct profile_node *nodes;
    struct profile_syscall *syscalls;
    struct profile_wait *waits;
    struct profile_sample *samples;
    uint32_t string_count, object_count, process_count, thread_count, function_count,
        location_count, node_count, syscall_count, wait_count, sample_count;
    struct profile_totals totals;
    struct profile_timeline timeline; /* empty if the profile was read from a file without a timeline */
    struct profile_history history;   /* empty if the profile was read from a file without times of samples */
    uint64_t clock_offset; /* ns to be added to the times of events */
    uint32_t clears; /* number of calls of profile_clear */
    uint32_t host;   /* index in strings: the host of the processes that events report; "": not known */
    char *command; /* owned; the command that was profiled, as text for users; NULL: not known */
    /* owned; only for lib/profile: the hash indexes of the tables, and the processes that are alive */
    struct profile_index *index;
};

/* Returns an empty profile, which the caller frees; NULL: no memory. */
struct profile *profile_new(void);
void profile_free(struct profile *profile);

/* Returns when slot 0 of the history begins, CLOCK_REALTIME ns; 0: not known. With a delayed start of the sampling,
 * this is earlier than totals.start_time. If the times of the history count from the start of a machine, it is
 * totals.start_time. */
uint64_t profile_history_start(const struct profile *profile);

/* Returns when the sampling of a profile, or of the last of merged ones, ended, CLOCK_REALTIME ns, and not before
 * start_time; 0: not known. */
uint64_t profile_end_time(const struct profile_totals *totals);

/* Adds one event that wire_event_valid has accepted. Returns 0, -ENOMEM or -EOVERFLOW. The profile is consistent even
 * after an error. */
int profile_feed(struct profile *profile, const struct wire_header *event);
/* Adds a sample whose stack has been unwound. node: index of the innermost node of the stack; PROFILE_NONE: the only
 * frame of the stack is the pc. */
int profile_feed_sample(struct profile *profile, const struct wire_sample *event, uint32_t node);
/* Finds or adds the object for all addresses whose mapping is not known. Returns 0, -ENOMEM or -EOVERFLOW. */
int profile_unknown_object(struct profile *profile, uint32_t *object);

/* Takes over fd, a descriptor of an object. Closes fd if the object already has a descriptor. wire_object: id of the
 * object, as in wire_map.object. A negative fd is an error: no descriptor of this object will come. -ETIMEDOUT: an
 * attempt to open the file hung. */
void profile_give_object(struct profile *profile, uint32_t wire_object, int fd);

/* Takes over fd, a descriptor of an object's file. Closes fd if the object already has a descriptor. */
void profile_set_file(struct profile *profile, uint32_t object, int fd);

/* Finds the mapping that contains an address of a live process. Stores the object, the start address of the mapping,
 * and the offset in the object of the byte that is mapped at this start address. Returns false if no mapping is known
 * there. */
bool profile_find_mapping(const struct profile *profile, uint32_t pid, uint64_t address,
                          uint32_t *object, uint64_t *start, uint64_t *offset);

/* Returns true if an event has announced a descriptor for the object, and the descriptor has not come yet. */
bool profile_awaits_object(const struct profile *profile, uint32_t object);
/* Returns true if a descriptor was announced for at least one object, and has not come yet. The files in which
 * processes store the names of JIT code are ignored, because they may come at any time, or never. */
bool profile_awaits_any_file(const struct profile *profile);

/* Returns true if the process has neither ended nor executed another program, as far as the events so far tell.
 * process: index in the table processes. */
bool profile_runs(const struct profile *profile, uint32_t process);

/* Finds the entry in the table processes for the program that a live process runs now. Returns false if no live process
 * with this pid is known. */
bool profile_find_process(const struct profile *profile, uint32_t pid, uint32_t *process);

/* Finds the thread that has this tid in a process now. Returns false if no such thread is known. */
bool profile_find_thread(const struct profile *profile, uint32_t process, uint32_t tid, uint32_t *thread);

/* Sets the host of all processes that later events report. Returns 0, -ENOMEM or -EOVERFLOW. */
int profile_set_host(struct profile *profile, const char *host);
/* Sets the job and the rank of a live process. Processes that it makes inherit them. rank: less than 0: none. Does
 * nothing if no live process with this pid is known. Returns 0, -ENOMEM or -EOVERFLOW. */
int profile_set_rank(struct profile *profile, uint32_t pid, const char *job, int32_t rank);

/* Where entries of a profile are in the profile that continues it (profile_end_period). Element i of an array is the
 * new index of entry i, plus 1; 0: the entry is gone. */
struct profile_moves {
    uint32_t *objects, *processes, *locations; /* owned */
    uint32_t object_count, process_count, location_count;
};
void profile_moves_clear(struct profile_moves *moves);

/* Ends a period of sampling. *ended gets all that was sampled so far, and the caller frees it. *profile goes on without
 * samples, but with what later events may refer to: the processes, threads and mappings that are alive, the files
 * except old ones that nobody has mapped, and the stacks of sleeping threads. Its tables have new indexes: see *moves,
 * which the caller clears in any case. start_time: time of the beginning of the new period, CLOCK_REALTIME ns;
 * clock_offset: of the new period, see struct profile. Returns 0, -ENOMEM or -EOVERFLOW; after an error, *profile has
 * not changed. */
int profile_end_period(struct profile *profile, uint64_t start_time, uint64_t clock_offset, struct profile **ended,
                       struct profile_moves *moves);

/* Removes all samples, and sets the totals that belong to samples to 0. Processes, threads, objects and mappings
 * stay. */
void profile_clear(struct profile *profile);

/*
 * The functions below are for readers of saved files and for lib/symbol. Functions that have a parameter `index` find
 * or add an entry, and store its index in *index. `index` must not be NULL. profile_add_process and profile_add_thread
 * always add an entry. These functions return 0, -ENOMEM, or -EOVERFLOW if the table would have more than 2^32 - 2
 * entries.
 */
int profile_string(struct profile *profile, const char *text, uint32_t *index);
int profile_function(struct profile *profile, const struct profile_function *function, uint32_t *index);
/* Sets the source file and the line where a function is defined, if they were not known when the function was added.
 * After this, a call of profile_function without file and line adds a second entry for the same function. lib/symbol
 * avoids this: it adds each symbol only once. */
void profile_define_function(struct profile *profile, uint32_t function, uint32_t file, uint32_t line);
/* Finds or adds an object. Two objects are the same if they are of one kind and their build-ids are equal. If they have
 * no build-ids, their device, inode and path must be equal. But two objects of kind PROFILE_OBJECT_ANON are the same if
 * they belong to the same process. */
int profile_object(struct profile *profile, const struct profile_object *object, uint32_t *index);
/* Returns true for the object that stands for kernel code (PROFILE_KERNEL). */
bool profile_is_kernel(const struct profile *profile, uint32_t object);
/* Returns true for the object of the mark of this name (profile_mark). */
bool profile_is_mark(const struct profile *profile, uint32_t object, const char *name);
int profile_add_process(struct profile *profile, const struct profile_process *process, uint32_t *index);
int profile_add_thread(struct profile *profile, const struct profile_thread *thread, uint32_t *index);
int profile_location(struct profile *profile, uint32_t object, uint64_t address, uint32_t *index);
/* Finds or adds a mark: a location that is not code. A mark is the outermost frame of a stack. It shows why the callers
 * are not known, or that the thread waited for a CPU. why: name of the mark, such as "[truncated]". */
int profile_mark(struct profile *profile, const char *why, uint32_t *location);
int profile_node(struct profile *profile, uint32_t parent, uint32_t location, uint32_t *index);
int profile_syscall(struct profile *profile, const char *name, int32_t number, uint32_t compat, uint32_t *index);
/* `holder`: as in struct profile_wait. */
int profile_wait(struct profile *profile, const char *name, uint32_t holder, uint32_t *index);
/* Returns the length of a wait's name without who holds the lock, in bytes: 8 for "lock 0x1, held by worker 12". */
size_t profile_wait_lock_length(const char *name);
/* Returns the name of a state, such as "asleep", for users and for files. */
const char *profile_state_name(enum profile_state state);
/* Returns the state with this name. If no state has this name, returns PROFILE_RUNNING. */
enum profile_state profile_state_named(const char *name);
/* Returns true if reports include a sample. A profile of CPU time may have samples of sleeping threads, because wall
 * mode may have been on for a part of the run. Reports leave out these samples. */
static inline bool profile_counts_sample(const struct profile *profile, const struct profile_sample *sample)
{
    return profile->totals.wall || sample->state == PROFILE_RUNNING;
}

/* For readers of files: makes room in the indexes for about `count` entries of the table samples in all, so that
 * adding them takes less time. Returns 0 or -ENOMEM. */
int profile_expect_samples(struct profile *profile, uint32_t count);
/* Adds the count and the times of a sample to the entry of the table samples that has the same thread, node, syscall,
 * state and wait. If there is no such entry, adds one. Also adds the count and the times to the totals. Returns 0,
 * -ENOMEM or -EOVERFLOW. */
int profile_count(struct profile *profile, const struct profile_sample *sample);
/* Does what profile_count does, and sets *index to the index of the entry. */
int profile_count_entry(struct profile *profile, const struct profile_sample *sample, uint32_t *index);
/* Counts a sample that was taken at `time` (ns, see struct profile), and adds it to the history. Returns as
 * profile_count does. */
int profile_count_at(struct profile *profile, const struct profile_sample *sample, uint64_t time);
/* Finds the entry of the table samples that has the thread, node, syscall, state and wait of a sample. Returns its
 * index, or PROFILE_NO_SAMPLE. */
uint32_t profile_find_sample(const struct profile *profile, const struct profile_sample *sample);
/* Copies the table samples to `samples`, with the counts and times of a range of time. */
void profile_samples_in(const struct profile *profile, struct history_range range, struct profile_sample *samples);
/* Replaces the lines of a location by a copy of `lines`, an array of `count` elements. Also sets the bits of the
 * parameter `looked` in the field of the same name. Returns 0 or -ENOMEM. */
int profile_set_lines(struct profile *profile, uint32_t location, const struct profile_line *lines,
                      uint32_t count, uint32_t looked);
/* Removes the lines of a location, so that they are looked up again. */
void profile_forget_lines(struct profile *profile, uint32_t location);

/* A part of a profile. */
struct profile_part {
    const bool *keep; /* indexed by sample: true if the part has this sample */
    bool ranged;      /* the part has only what was sampled in the range of time `range` */
    struct history_range range;
};

/* Makes a new profile, *result. It contains a part of the samples, and all entries of other tables that these samples
 * refer to. The caller frees *result. The totals of samples, threads and processes in *result are computed from its own
 * tables. Its other totals are copies of the totals of `profile`; if the part has a range of time, the totals that
 * belong to the whole run are 0. *result has a timeline if all samples are kept, or if the profile has a history.
 * Returns 0, -ENOMEM or -EOVERFLOW. */
int profile_extract(const struct profile *profile, const struct profile_part *part, struct profile **result);

/* Returns the name of a system call of this machine. compat: true if the number is from the machine's 32-bit ABI. NULL:
 * there is no such system call. */
const char *profile_syscall_name(int32_t number, bool compat);

enum profile_merging {
    PROFILE_MERGE_CPU = 1u << 0, /* if a profile has elapsed times, take only its CPU times */
};

/*
 * Adds the profile `from` to the profile `into`. If several profiles are merged in another order, only the order of
 * entries in the tables changes.
 *
 * profile_object says which objects are the same. Processes are the same if their pid, parent, name, start, host, job
 * and rank are equal. Processes that were read from files of other programs have start 0. Such processes are the same
 * only if their pid is also 0. After the last profile was merged, the caller calls profile_number_generations. If both
 * profiles have names for a location, the result has the more detailed names.
 *
 * Counts, times and totals are added. The result has the lower asked_hz, the earlier start_time, and the later end.
 * Timelines are added slot by slot, by their times. A profile without a timeline adds nothing to them. The rates may
 * differ, because each sample contains the time that it represents.
 *
 * Returns 0 or an error. PPROFIL_ERROR_MIXED_TIMES: one profile has elapsed times and the other has CPU times; nothing
 * was changed. -ENOMEM, -EOVERFLOW (a sum is too large): the caller must free `into`.
 */
int profile_merge(struct profile *into, const struct profile *from, unsigned how);

/* Numbers the generations of processes with the same pid again, oldest first, if merging has left equal ones. Returns 0
 * or -ENOMEM. */
int profile_number_generations(struct profile *profile);

#endif
