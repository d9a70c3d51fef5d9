/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procfs-text: what the text of the files of /proc says. Pure. */
#ifndef PPROFIL_PROCFS_TEXT_H
#define PPROFIL_PROCFS_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum procfs_doing {
    PROCFS_RUNNING,  /* on a CPU, or waiting for one */
    PROCFS_SLEEPING, /* blocked: call, pc and sp are known (all 0 where only "stat" could be read) */
    PROCFS_GONE,
};

struct procfs_state {
    enum procfs_doing doing;
    int32_t syscall; /* its number, WIRE_PAGE_FAULT, or WIRE_NO_SYSCALL where it is not known */
    uint64_t pc, sp;
};

/* /proc/PID/task/TID/schedstat: Documentation/scheduler/sched-stats.rst. */
struct procfs_cpu {
    uint64_t run_ns;  /* time on a CPU; lags by up to one scheduler tick while it runs */
    uint64_t wait_ns; /* time runnable without a CPU; a wait counts when it has ended */
    uint64_t turns;   /* number of times that it got a CPU */
};

/* One mapping: the members that decide whether two are the same. */
struct mapping {
    uint64_t start, end;
    uint64_t offset;
    uint64_t inode;
    uint32_t dev_major, dev_minor;
};

/* What the client needs to know about a mapping that is new to it. */
struct mapping_details {
    struct mapping mapping;
    unsigned char build_id[64];
    uint32_t build_id_size;
    char name[4096]; /* as /proc/PID/maps prints it; "": anonymous */
};

/* Returns the space before field `number` (3 or more) in a line of stat, proc_pid_stat(5). NULL: there is no such
 * field. A task's name, field 2, may hold anything. */
const char *procfs_find_stat_field(const char *text, int number);
/* Returns the letter of a task's state in a line of stat; 'X': there is none. */
char procfs_parse_stat_letter(const char *text);

/* Returns the beginning of the line of status, proc_pid_status(5), that begins with name. The first line, which is the
 * task's name, is left out. NULL: there is no such line. */
const char *procfs_find_status_field(const char *text, const char *name);
/* Returns the letter of a task's state in status; 'X': there is none. */
char procfs_parse_status_letter(const char *text);
/* Returns the set of signals that stands after name somewhere in these lines of status: bit signal - 1. Empty where
 * name is not there, and where lines is NULL. */
uint64_t procfs_parse_signals(const char *lines, const char *name);

/* Returns the last number of the first line of a text that begins with decimal numbers, none negative, between blanks;
 * -1: there is none. */
long procfs_parse_last_number(const char *text);

/* Returns what a task with this state letter of proc_pid_stat(5) does. */
enum procfs_doing procfs_doing_by_letter(char letter);

/* Parses "running", "-1 sp pc", or "nr a0 a1 a2 a3 a4 a5 sp pc" (fs/proc/base.c) into *state. What the text does not
 * say stays as it is. */
void procfs_parse_syscall(const char *text, struct procfs_state *state);

/* Reads a0 of such a text. Returns false if it shows no call. */
bool procfs_parse_first_argument(const char *text, uint64_t *argument);

/* Parses a line of schedstat (Documentation/scheduler/sched-stats.rst). A number that is not there is 0. */
void procfs_parse_schedstat(const char *text, struct procfs_cpu *cpu);

/* Parses a line of maps, proc_pid_maps(5): "start-end perms offset major:minor inode name". It has no build-id. Returns
 * false if the line is no such line. */
bool procfs_parse_mapping(const char *line, struct mapping_details *details, bool *executable);

/* Returns true if a line of mountinfo, proc_pid_mountinfo(5), is about this device. Sets *may_hang: another process, or
 * another machine, serves its files. */
bool procfs_parse_mount(const char *line, uint32_t major, uint32_t minor, bool *may_hang);

/* Returns true if "cpu" is in a list of controllers, with commas between them: cgroups(7). */
bool procfs_lists_cpu(const char *list);

#endif
