/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procfs-text: parses the text of files of /proc. The functions have no side effects. */
#ifndef PPROFIL_PROCFS_TEXT_H
#define PPROFIL_PROCFS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum procfs_doing {
    PROCFS_RUNNING,  /* on a CPU, or waiting for one */
    /* neither on a CPU nor waiting for one. If the file that was read is "stat" or "status", `syscall` is
     * WIRE_NO_SYSCALL, and `pc` and `sp` are 0 */
    PROCFS_SLEEPING,
    PROCFS_GONE,
};

#define PROCFS_ARGUMENTS 4u

struct procfs_state {
    enum procfs_doing doing;
    /* number of the system call in which the task sleeps; WIRE_PAGE_FAULT if it sleeps in a page fault; WIRE_NO_SYSCALL
     * if unknown */
    int32_t syscall;
    uint64_t pc, sp;
    uint64_t arguments[PROCFS_ARGUMENTS]; /* the first arguments of the system call; 0 if unknown */
};

/* The fields of /proc/PID/task/TID/schedstat: Documentation/scheduler/sched-stats.rst. */
struct procfs_cpu {
    /* how long the task was on a CPU; while it runs, this may be too low by up to one tick of the scheduler */
    uint64_t run_ns;
    uint64_t wait_ns; /* how long the task waited for a CPU; each wait is added when it ends */
    uint64_t turns;   /* how often the task got a CPU */
};

/* When a task was last on a CPU: /proc/TID/sched, proc_sched_show_task in kernel/sched/debug.c. */
struct procfs_last_run {
    /* The time, on the clock of the scheduler of that CPU, ns. While the task runs, this may be too early by up to one
     * tick of the scheduler. Each CPU has a clock of its own */
    uint64_t at;
    uint64_t run_ns; /* how long the task was on a CPU in its life, up to the time `at` */
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
    char name[4096]; /* name of the file as in /proc/PID/maps; "": an anonymous mapping */
};

/* text: a line of /proc/TID/stat, proc_pid_stat(5). Returns a pointer to the space before field `number`, which must be
 * 3 or more; NULL: there is no such field. Works with any character in field 2, the name of the task. */
const char *procfs_find_stat_field(const char *text, int number);
/* Returns the letter for the state of the task in a line of /proc/TID/stat; 'X': there is none. */
char procfs_parse_stat_letter(const char *text);

/* Finds the line that begins with `name` in the text of /proc/TID/status, proc_pid_status(5). Returns the beginning of
 * that line; NULL: there is no such line. Ignores the first line, which contains the task's name. */
const char *procfs_find_status_field(const char *text, const char *name);
/* Returns the letter for the state of the task in the text of /proc/TID/status; 'X': there is none. */
char procfs_parse_status_letter(const char *text);
/* Returns the set of signals after `name` in these lines of /proc/TID/status; bit N - 1 is signal N. The set is empty
 * if `name` is not there, or if `lines` is NULL. */
uint64_t procfs_parse_signals(const char *lines, const char *name);

/* Parses decimal numbers, separated by blanks and not negative, at the beginning of a text. Returns the last of these
 * numbers; -1: there is none. */
long procfs_parse_last_number(const char *text);

/* Parses the text of /proc/TID/sched. Returns false if it does not contain the figures. */
bool procfs_parse_last_run(const char *text, struct procfs_last_run *run);

/* Returns what a task is doing whose state has this letter in proc_pid_stat(5). */
enum procfs_doing procfs_doing_by_letter(char letter);

/* Returns true if all fields are equal. */
bool procfs_state_equals(const struct procfs_state *one, const struct procfs_state *other);

/* Parses the text of /proc/TID/syscall into *state. The text is "running", "-1 sp pc", or "nr a0 a1 a2 a3 a4 a5 sp pc"
 * (fs/proc/base.c): number and arguments of a system call, stack pointer and pc. Fields of *state whose value the text
 * does not contain stay as they are. */
void procfs_parse_syscall(const char *text, struct procfs_state *state);

/* Reads a0, the first argument of the system call, from the text of /proc/TID/syscall. Returns false if the text shows
 * no call. */
bool procfs_parse_first_argument(const char *text, uint64_t *argument);

/* Parses the text of /proc/TID/schedstat (Documentation/scheduler/sched-stats.rst). If a number is missing, sets its
 * field to 0. */
void procfs_parse_schedstat(const char *text, struct procfs_cpu *cpu);

/* text: /proc/TID/stack, which has a line "[<0>] NAME+0xOFFSET/0xSIZE" for each function, the innermost first, with the
 * name of the module behind it if the function is in one (proc_pid_stack() in fs/proc/base.c). Replaces the text by the
 * names of the first `most` functions, each with a NUL at its end. Ignores lines without a name, and a last line that
 * is cut off. Sets *size to the size of all these names, bytes. Returns how many names there are. */
unsigned procfs_parse_kernel_stack(char *text, unsigned most, size_t *size);

/* Parses a line of /proc/PID/maps, proc_pid_maps(5): "start-end perms offset major:minor inode name". Sets
 * details->build_id_size to 0. Returns false if the line has another format. */
bool procfs_parse_mapping(const char *line, struct mapping_details *details, bool *executable);

/* line: a line of /proc/PID/mountinfo, proc_pid_mountinfo(5). Returns true if the line is about this device. Then also
 * sets *may_hang, to true if another process or another machine serves the files on the device, otherwise to false. */
bool procfs_parse_mount(const char *line, uint32_t major, uint32_t minor, bool *may_hang);

/* Returns true if "cpu" is in a list of controllers of control groups. The list has commas between its elements:
 * cgroups(7). */
bool procfs_lists_cpu(const char *list);

#endif
