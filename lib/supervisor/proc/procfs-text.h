/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procfs-text: parses the text of files of /proc. The functions have no side effects. */
#ifndef PPROFIL_PROCFS_TEXT_H
#define PPROFIL_PROCFS_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum procfs_doing {
    PROCFS_RUNNING,  /* on a CPU, or waiting for one */
    PROCFS_SLEEPING, /* blocked. If only "stat" or "status" was read, syscall is WIRE_NO_SYSCALL, and pc and sp are 0 */
    PROCFS_GONE,
};

struct procfs_state {
    enum procfs_doing doing;
    /* number of the system call in which the task sleeps, WIRE_PAGE_FAULT, or WIRE_NO_SYSCALL if unknown */
    int32_t syscall;
    uint64_t pc, sp;
};

/* The fields of /proc/PID/task/TID/schedstat: Documentation/scheduler/sched-stats.rst. */
struct procfs_cpu {
    uint64_t run_ns;  /* time on a CPU; up to one scheduler tick too low while the task runs */
    uint64_t wait_ns; /* time that the task waited for a CPU; a wait is added when it ends */
    uint64_t turns;   /* number of times that the task got a CPU */
};

/* A mapping. Two mappings are the same if all these fields are equal. */
struct mapping {
    uint64_t start, end;
    uint64_t offset;
    uint64_t inode;
    uint32_t dev_major, dev_minor;
};

/* The details of a mapping that are sent to the client. */
struct mapping_details {
    struct mapping mapping;
    unsigned char build_id[64];
    uint32_t build_id_size;
    char name[4096]; /* as /proc/PID/maps prints it; "": anonymous */
};

/* Returns a pointer to the space before field `number` (3 or more) in a line of stat, proc_pid_stat(5). NULL: there is
 * no such field. Field 2, the task's name, may contain any character. */
const char *procfs_find_stat_field(const char *text, int number);
/* Returns the letter of the task's state in a line of stat; 'X': there is none. */
char procfs_parse_stat_letter(const char *text);

/* Finds the line that begins with name in a text of status, proc_pid_status(5). Returns the beginning of that line;
 * NULL: there is no such line. Ignores the first line, which contains the task's name. */
const char *procfs_find_status_field(const char *text, const char *name);
/* Returns the letter of the task's state in a text of status; 'X': there is none. */
char procfs_parse_status_letter(const char *text);
/* Returns the set of signals that follows name in these lines of status; bit N - 1 is signal N. The set is empty if
 * name is not there, or if lines is NULL. */
uint64_t procfs_parse_signals(const char *lines, const char *name);

/* Parses the decimal numbers at the beginning of a text. They are separated by blanks, and not negative. Returns the
 * last number; -1: there is none. */
long procfs_parse_last_number(const char *text);

/* Returns what a task with this state letter (proc_pid_stat(5)) is doing. */
enum procfs_doing procfs_doing_by_letter(char letter);

/* Parses "running", "-1 sp pc", or "nr a0 a1 a2 a3 a4 a5 sp pc" (fs/proc/base.c) into *state. Fields that the text does
 * not contain stay as they are. */
void procfs_parse_syscall(const char *text, struct procfs_state *state);

/* Reads a0 from a text such as procfs_parse_syscall parses. Returns false if the text shows no call. */
bool procfs_parse_first_argument(const char *text, uint64_t *argument);

/* Parses a line of schedstat (Documentation/scheduler/sched-stats.rst). A missing number is 0. */
void procfs_parse_schedstat(const char *text, struct procfs_cpu *cpu);

/* Parses a line of maps, proc_pid_maps(5): "start-end perms offset major:minor inode name". Sets details->build_id_size
 * to 0. Returns false if the line has another format. */
bool procfs_parse_mapping(const char *line, struct mapping_details *details, bool *executable);

/* Returns true if a line of mountinfo, proc_pid_mountinfo(5), belongs to this device. Then sets *may_hang to true if
 * another process or another machine serves the files of the device, otherwise to false. */
bool procfs_parse_mount(const char *line, uint32_t major, uint32_t minor, bool *may_hang);

/* Returns true if "cpu" is in a list of controllers, with commas between them: cgroups(7). */
bool procfs_lists_cpu(const char *list);

#endif
