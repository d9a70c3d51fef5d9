/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads files of /proc, thousands of times a second. So files are kept open and read with pread, text is parsed where
 * it was read, and only the functions for children and for threads allocate memory. If descriptors are scarce, a file
 * is opened for a single read, and then closed. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/proc/procfs.h"
#include "wire/wire.h"

#define PATH_SIZE 64
/* procfs_read_status_field reads this many bytes from the beginning of the field on, or up to the end of the file. So
 * callers can also parse the fields that follow */
#define STATUS_LINES 512

void procfs_task_init(struct procfs_task *task, pid_t pid, pid_t tid)
{
    *task = (struct procfs_task){.pid = pid, .tid = tid, .doing_fd = -1, .schedstat_fd = -1,
                                 .stat_fd = -1, .sched_fd = -1};
}

static void procfs_close_if_open(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void procfs_task_close(struct procfs_task *task)
{
    procfs_close_if_open(&task->doing_fd);
    procfs_close_if_open(&task->schedstat_fd);
    procfs_close_if_open(&task->stat_fd);
    procfs_close_if_open(&task->sched_fd);
}

static ssize_t procfs_read_text(int fd, char *text, size_t size)
{
    ssize_t got = pread(fd, text, size - 1, 0);
    if (got < 0)
        return -errno;
    text[got] = '\0';
    return got;
}

ssize_t procfs_read_file(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t got = procfs_read_text(fd, text, size);
    close(fd);
    return got;
}

/* How many descriptors are reserved for files that must be opened in any case. Files of threads are not kept open if
 * only these are free. */
#define SPARE_DESCRIPTORS 64

/* Returns the largest number of descriptors that we may have; -1: there is no limit. */
static long procfs_limit_of_descriptors(void)
{
    /* read only once, because the limit does not change after main.c has raised it, before any file is opened */
    static long limit;

    if (limit == 0)
        limit = sysconf(_SC_OPEN_MAX);
    return limit;
}

bool procfs_may_keep(int fd)
{
    long limit = procfs_limit_of_descriptors();

    return limit < 0 || fd < limit - SPARE_DESCRIPTORS;
}

/* The kernel assigns the lowest free descriptor, so a high number shows that many descriptors are in use. */
void procfs_task_close_if_scarce(struct procfs_task *task)
{
    long limit = procfs_limit_of_descriptors();

    if (limit >= 0 && (task->doing_fd > limit / 2 || task->schedstat_fd > limit / 2 || task->sched_fd > limit / 2))
        procfs_task_close(task);
}

/* Reads a task's file through descriptor *kept. If *kept is -1, opens the file, and keeps it open in *kept if
 * descriptors are not scarce. Returns how many bytes it read, or -errno. */
static ssize_t procfs_read_kept(const struct procfs_task *task, int *kept, const char *name, char *text, size_t size)
{
    char path[PATH_SIZE];
    int fd = *kept;

    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/task/%d/%s", task->pid, task->tid, name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return -errno;
        if (procfs_may_keep(fd))
            *kept = fd;
    }
    ssize_t got = procfs_read_text(fd, text, size);
    if (fd != *kept)
        close(fd);
    return got;
}

/* Finds out what a task that may soon exec is doing. Reading "syscall" may make us wait during an exec. So "syscall" is
 * read only if the task is in state S: then it is hardly ever in the middle of an exec. */
static void procfs_look_at_may_exec(struct procfs_task *task, struct procfs_state *state)
{
    char text[512];
    int once = -1;
    ssize_t got = procfs_read_kept(task, &task->doing_fd, "status", text, sizeof text);
    char letter = got > 0 ? procfs_parse_status_letter(text) : 'X';

    state->doing = procfs_doing_by_letter(letter);
    if (letter == 'S' && task->asks_calls && !task->coarse && !(task->wary && task->multithreaded))
        got = procfs_read_kept(task, &once, "syscall", text, sizeof text);
    if (once >= 0 && got > 0)
        procfs_parse_syscall(text, state);
    procfs_close_if_open(&once);
}

void procfs_task_will_not_exec(struct procfs_task *task)
{
    procfs_close_if_open(&task->doing_fd);
    task->may_exec = false;
}

void procfs_look(struct procfs_task *task, struct procfs_state *state)
{
    char text[512];
    ssize_t got = -EACCES;

    *state = (struct procfs_state){.doing = PROCFS_GONE, .syscall = WIRE_NO_SYSCALL};
    if (task->may_exec) {
        procfs_look_at_may_exec(task, state);
        return;
    }
    if (task->wary && task->multithreaded && !task->coarse) {
        procfs_close_if_open(&task->doing_fd);
        task->coarse = true;
    }
    if (!task->coarse)
        got = procfs_read_kept(task, &task->doing_fd, "syscall", text, sizeof text);
    if (got == -EACCES || got == -EPERM || got == -ENOSYS) {
        if (!task->coarse)
            procfs_close_if_open(&task->doing_fd);
        task->coarse = true;
        got = procfs_read_kept(task, &task->doing_fd, "stat", text, sizeof text);
    }
    if (got <= 0)
        return;
    if (task->coarse)
        state->doing = procfs_doing_by_letter(procfs_parse_stat_letter(text));
    else
        procfs_parse_syscall(text, state);
}

int procfs_first_argument(const struct procfs_task *task, uint64_t *argument)
{
    char text[512];
    int kept = -1;

    if (task->wary && task->multithreaded)
        return -EBUSY;
    ssize_t got = procfs_read_kept(task, &kept, "syscall", text, sizeof text);
    procfs_close_if_open(&kept);
    if (got <= 0)
        return got < 0 ? (int)got : -ESRCH;
    return procfs_parse_first_argument(text, argument) ? 0 : -ENODATA;
}

int procfs_read_cpu(struct procfs_task *task, struct procfs_cpu *cpu)
{
    char text[96];
    ssize_t got = procfs_read_kept(task, &task->schedstat_fd, "schedstat", text, sizeof text);

    if (got <= 0)
        return got < 0 ? (int)got : -ESRCH;
    procfs_parse_schedstat(text, cpu);
    return 0;
}

int procfs_read_last_run(struct procfs_task *task, struct procfs_last_run *run)
{
    char text[512];
    ssize_t got = procfs_read_kept(task, &task->sched_fd, "sched", text, sizeof text);

    if (got <= 0)
        return got < 0 ? (int)got : -ESRCH;
    return procfs_parse_last_run(text, run) ? 0 : -ENODATA;
}

bool procfs_sleep_goes_on(struct procfs_task *task, const struct procfs_state *state, const struct procfs_cpu *cpu)
{
    struct procfs_state after;
    struct procfs_cpu turns = {0};

    procfs_look(task, &after);
    procfs_read_cpu(task, &turns);
    return procfs_state_equals(&after, state) && turns.turns == cpu->turns;
}

int procfs_last_cpu(struct procfs_task *task, bool stopped)
{
    char text[512];
    ssize_t got = task->may_exec && !stopped ? 0 : procfs_read_kept(task, &task->stat_fd, "stat", text, sizeof text);
    const char *at = got > 0 ? procfs_find_stat_field(text, 39) : NULL;

    return at != NULL ? atoi(at) : -1;
}

char procfs_state_letter(const struct procfs_task *task)
{
    char text[512];
    int kept = task->coarse || task->may_exec ? task->doing_fd : task->stat_fd, fd = kept;
    ssize_t got = procfs_read_kept(task, &fd, task->may_exec ? "status" : "stat", text, sizeof text);

    if (fd != kept)
        close(fd); /* not kept open: each time the task sleeps, its letter is read only once */
    if (got <= 0)
        return '\0';
    return task->may_exec ? procfs_parse_status_letter(text) : procfs_parse_stat_letter(text);
}

/* The returned number is a hash of the auxiliary vector, getauxval(3). This vector contains the addresses of the
 * program, of AT_RANDOM and of the vDSO, which the kernel randomizes at each exec. */
uint64_t procfs_exec_id(pid_t pid)
{
    char path[PATH_SIZE];
    uint64_t words[64], image = 0;

    snprintf(path, sizeof path, "/proc/%d/auxv", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, words, sizeof words) : 0;
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < got / (ssize_t)sizeof *words; i++)
        image = (image ^ words[i]) * 0x100000001b3u;
    return image;
}

uint64_t procfs_start_time(pid_t pid)
{
    char path[PATH_SIZE], text[512];

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    ssize_t got = procfs_read_file(path, text, sizeof text);
    const char *at = got > 0 ? procfs_find_stat_field(text, 22) : NULL;
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

int procfs_read_comm(pid_t pid, pid_t tid, char comm[16])
{
    char path[PATH_SIZE], text[32];

    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", pid, tid);
    ssize_t got = procfs_read_file(path, text, sizeof text);
    if (got < 0)
        return (int)got;
    text[strcspn(text, "\n")] = '\0';
    snprintf(comm, 16, "%.15s", text);
    return 0;
}

/* Reads /proc/TID/status into `text`, until `text` contains the field `name` and the STATUS_LINES bytes that begin with
 * it, or the file ends. Returns a pointer to the value of the field in `text`; NULL: there is no such field. The line
 * with the task's groups may be very long, so the file is read in parts. The end of each part is searched again
 * together with the next part, because the field may be in both. */
static const char *procfs_read_status_field(pid_t tid, const char *name, char *text, size_t size)
{
    char path[PATH_SIZE];
    const char *field = NULL;
    size_t kept = 0;
    bool more = true;

    snprintf(path, sizeof path, "/proc/%d/status", tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && field == NULL && more) {
        ssize_t got = read(fd, text + kept, size - 1 - kept);
        size_t end = kept + (size_t)(got > 0 ? got : 0);
        text[end] = '\0';
        more = end == size - 1;
        field = procfs_find_status_field(text, name);
        if (field != NULL && more && text + end - field < STATUS_LINES)
            field = NULL;
        if (field == NULL && more)
            memmove(text, text + end - STATUS_LINES, STATUS_LINES);
        kept = STATUS_LINES;
    }
    if (fd >= 0)
        close(fd);
    return field != NULL ? field + strlen(name) : NULL;
}

long procfs_status_number(pid_t tid, const char *name)
{
    char text[4096];
    const char *numbers = procfs_read_status_field(tid, name, text, sizeof text);

    return numbers != NULL ? procfs_parse_last_number(numbers) : -1;
}

int procfs_read_switches(pid_t tid, uint64_t *voluntary, uint64_t *involuntary)
{
    char text[4096];
    const char *field = procfs_read_status_field(tid, "voluntary_ctxt_switches:", text, sizeof text);
    const char *next = field != NULL ? procfs_find_status_field(field, "nonvoluntary_ctxt_switches:") : NULL;

    if (next == NULL)
        return -ESRCH;
    *voluntary = strtoull(field, NULL, 10);
    *involuntary = strtoull(next + strlen("nonvoluntary_ctxt_switches:"), NULL, 10);
    return 0;
}

bool procfs_ignores_signal(pid_t tid, int signal)
{
    char text[4096];
    uint64_t bit = UINT64_C(1) << (signal - 1);
    const char *ignored = procfs_read_status_field(tid, "SigIgn:", text, sizeof text);

    if (ignored == NULL)
        return false;
    if ((strtoull(ignored, NULL, 16) & bit) != 0)
        return true;
    if ((procfs_parse_signals(ignored, "SigCgt:") & bit) != 0 || signal == SIGSTOP)
        return false;
    bool by_default = signal == SIGCHLD || signal == SIGCONT || signal == SIGWINCH || signal == SIGURG;
    return by_default || procfs_status_number(tid, "NStgid:") == 1;
}

bool procfs_signal_waits(pid_t tid, bool with_sigcont)
{
    char text[4096];
    const char *lines = procfs_read_status_field(tid, "SigQ:", text, sizeof text);
    uint64_t pending = procfs_parse_signals(lines, "SigPnd:") | procfs_parse_signals(lines, "ShdPnd:");
    uint64_t blocked = procfs_parse_signals(lines, "SigBlk:");

    if (with_sigcont)
        blocked &= ~(UINT64_C(1) << (SIGCONT - 1));
    return (pending & ~blocked) != 0;
}

bool procfs_signal_is_pending(pid_t tid, int signal)
{
    char text[4096];
    const char *lines = procfs_read_status_field(tid, "SigQ:", text, sizeof text);

    return (procfs_parse_signals(lines, "SigPnd:") & UINT64_C(1) << (signal - 1)) != 0;
}

int procfs_file_size_limit(pid_t tid, uint64_t *limit)
{
    static const char name[] = "Max file size";
    char path[PATH_SIZE], text[4096], *end;

    snprintf(path, sizeof path, "/proc/%d/limits", tid);
    ssize_t got = procfs_read_file(path, text, sizeof text);
    const char *at = got > 0 ? strstr(text, name) : NULL;
    if (at == NULL)
        return got < 0 ? (int)got : -EIO;
    at += strlen(name);
    *limit = strtoull(at, &end, 10);
    if (end == at)
        *limit = UINT64_MAX; /* "unlimited" */
    return 0;
}

/* /proc/PID/task/TID/children lists the children of a thread, the oldest first: proc(5). */
unsigned procfs_newest_children(pid_t pid, pid_t tid, pid_t children[], unsigned room)
{
    char path[PATH_SIZE];
    unsigned count = 0;
    int child;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, tid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    for (; fscanf(file, "%d", &child) == 1; count++)
        children[count % room] = child;
    fclose(file);
    return count < room ? count : room;
}

bool procfs_is_thread(pid_t pid, pid_t tid)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "/proc/%d/task/%d", pid, tid);
    return access(path, F_OK) == 0;
}

bool procfs_has_ended(pid_t pid, pid_t tid)
{
    struct procfs_task task;
    struct procfs_state state;

    procfs_task_init(&task, pid, tid);
    task.may_exec = true; /* so that procfs_look reads "status", which does not wait for an exec */
    procfs_look(&task, &state);
    procfs_task_close(&task);
    return state.doing == PROCFS_GONE;
}

int procfs_each_thread(pid_t pid, int (*seen)(void *context, pid_t tid), void *context)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *directory = opendir(path);
    if (directory == NULL)
        return errno == ENOENT ? -ESRCH : -errno;
    int error = 0;
    for (const struct dirent *entry; error == 0 && (entry = readdir(directory)) != NULL;) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid > 0)
            error = seen(context, tid);
    }
    closedir(directory);
    return error;
}
