/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compares the Python stacks that pprofil reads with those that the interpreter itself shows.
 *
 *     python-stacks PYTHON ROUNDS python-stacks.py WORK
 *
 * Runs the script, and stops one of its threads in each round. Reads the thread's stack as the supervisor does. Then it
 * sends the thread a signal, whose handler, faulthandler's, prints the stack from inside. The thread executes no other
 * instruction between the two. Prints how many stacks are equal: frame by frame the function, the file and the line.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "script/script.h"
#include "supervisor/python/python.h"
#include "supervisor/regs.h"

#define THREADS_MAX 64
#define TEXT_MAX 65536
#define SHOWN_MAX 5 /* so many different stacks are printed */

static pid_t target;
static struct python_runtime *runtime;
static struct python_reader *reader;
static struct profile *profile;
static struct script_codes *codes;

static struct traced {
    pid_t tid;
    struct python_thread python;
} * threads[THREADS_MAX];
static unsigned thread_count;

static void die(const char *what)
{
    fprintf(stderr, "python-stacks: %s: %s\n", what, strerror(errno));
    if (target > 0)
        kill(target, SIGKILL);
    exit(2);
}

/* --- the target --------------------------------------------------------------------------------------- */

/* Starts the script. Returns the descriptor from which faulthandler's output can be read. */
static int start(char *const argv[])
{
    char number[16], byte;
    int pipes[2];

    if (pipe(pipes) < 0)
        die("pipe");
    snprintf(number, sizeof number, "%d", pipes[1]);
    target = fork();
    if (target == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(pipes[0]);
        execl(argv[1], argv[1], argv[3], argv[4], number, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    do
        if (read(pipes[0], &byte, 1) != 1)
            die("the script does not begin");
    while (byte != '\n');
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    return pipes[0];
}

/* Finds the interpreter in the mapped files of the target. */
static void find_runtime(void)
{
    char path[64], line[8192];
    struct script_interpreter interpreter;
    uint64_t address = 0;

    snprintf(path, sizeof path, "/proc/%d/maps", target);
    FILE *maps = fopen(path, "r");
    while (maps != NULL && address == 0 && fgets(line, sizeof line, maps) != NULL) {
        unsigned long long from, offset;
        char flags[8], file[4096] = "";
        if (sscanf(line, "%llx-%*x %7s %llx %*s %*s %4095[^\n]", &from, flags, &offset, file) < 4 || flags[2] != 'x')
            continue;
        int fd = open(file, O_RDONLY);
        if (fd >= 0 && script_find_interpreter(fd, file, &interpreter))
            script_runtime_address(&interpreter, from, offset, &address);
        if (fd >= 0)
            close(fd);
    }
    if (maps == NULL || address == 0)
        die("no interpreter found");
    fclose(maps);
    python_runtime_free(runtime);
    runtime = python_runtime_new(address, interpreter.version);
    python_runtime_check(runtime, target);
    if (runtime->check != PYTHON_GOOD)
        die("the interpreter's layout is wrong");
}

/* Returns one of the target's threads, which is seized. NULL: it has ended. */
static struct traced *choose_thread(unsigned round)
{
    char path[64];
    pid_t tids[THREADS_MAX];
    unsigned count = 0;
    struct dirent *entry;

    snprintf(path, sizeof path, "/proc/%d/task", target);
    DIR *directory = opendir(path);
    while (directory != NULL && count < THREADS_MAX && (entry = readdir(directory)) != NULL)
        if (entry->d_name[0] != '.')
            tids[count++] = atoi(entry->d_name);
    if (directory == NULL || count == 0)
        die("the script has ended");
    closedir(directory);
    pid_t tid = tids[round % count];
    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i]->tid == tid)
            return threads[i];
    if (thread_count == THREADS_MAX || ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) < 0)
        return NULL;
    struct traced *thread = threads[thread_count++] = calloc(1, sizeof *thread);
    thread->tid = tid;
    thread->python.inner_tid = (uint32_t)tid;
    return thread;
}

/* Waits for a stop. Returns its status. */
static int await_stop(pid_t tid)
{
    int status;

    if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status)) {
        fprintf(stderr, "python-stacks: thread %d has ended: status %x\n", tid, (unsigned)status);
        exit(2);
    }
    return status;
}

/* Lets the stopped thread run faulthandler's handler, up to its end. Returns false if the handler has crashed: it
 * follows pointers that may not be valid just then. x86-64 answers a bad address with SIGBUS if the stack's registers
 * hold it. */
static bool run_handler(pid_t tid)
{
    struct regs regs;
    int signal = 0;

    syscall(SYS_tgkill, target, tid, SIGUSR1);
    for (bool handling = false;;) {
        ptrace(handling ? PTRACE_SYSCALL : PTRACE_CONT, tid, NULL, (long)signal);
        int status = await_stop(tid);
        signal = WSTOPSIG(status);
        handling = handling || signal == SIGUSR1;
        if (signal == SIGSEGV || signal == SIGBUS)
            return false;
        if (signal != (SIGTRAP | 0x80)) {
            signal = status >> 16 != 0 ? 0 : signal;
            continue;
        }
        signal = 0;
        if (regs_read(tid, &regs) == 0 && regs.syscall == SYS_rt_sigreturn)
            break;
    }
    ptrace(PTRACE_CONT, tid, NULL, 0L);
    return true;
}

/* --- two texts of a stack -------------------------------------------------------------------------------- */

/* Writes the stack that was read: a line for each frame. */
static void print_read(char *text, size_t size)
{
    const struct wire_python *frames = python_reader_frames(reader);
    size_t used = 0, codes_size;
    unsigned char *at = (void *)python_reader_codes(reader, &codes_size), *end = at + codes_size;

    for (; at < end; at += ((struct wire_header *)at)->size)
        script_codes_add(codes, (const void *)at);
    python_reader_settle(reader, false);
    text[0] = '\0';
    for (uint32_t i = 0; frames != NULL && i < frames->count && i < 100 && used < size; i++) {
        uint32_t location;
        if (script_codes_location(codes, &frames->frames[i], &location) != 0)
            die("no memory");
        if (location == PROFILE_NONE)
            continue;
        const struct profile_line *line = profile->locations[location].lines;
        const char *name = profile->strings[profile->functions[line->function].name], *last = strrchr(name, '.');
        used += (size_t)snprintf(text + used, size - used, "  File \"%s\", line %u in %s\n",
                                 profile->strings[line->file], line->line, last != NULL ? last + 1 : name);
    }
}

/* Returns true if the line shows a frame of Python code. faulthandler also shows some frames of the interpreter's own,
 * which sys._current_frames leaves out. */
static bool is_frame(const char *line)
{
    return strncmp(line, "  File ", 7) == 0 && strcmp(line, "  File \"__init__\", line ??? in __init__") != 0 &&
           strstr(line, " in <interpreter trampoline>") == NULL;
}

/* Reads what faulthandler has printed, and leaves out all lines but those of frames. */
static void read_printed(int fd, char *text, size_t size)
{
    static char all[TEXT_MAX];
    ssize_t got = read(fd, all, sizeof all - 1);
    size_t used = 0;

    text[0] = '\0';
    all[got > 0 ? got : 0] = '\0';
    for (char *line = strtok(all, "\n"); line != NULL && used < size; line = strtok(NULL, "\n"))
        if (is_frame(line))
            used += (size_t)snprintf(text + used, size - used, "%s\n", line);
}

static int compare_times(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double now_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Compares two stacks line by line. The interpreter shows no line number for the first instructions of a function. From
 * 3.14 on, faulthandler ends behind __init__ if a frame of the interpreter's own has called it. */
static bool is_same(const char *ours, const char *theirs)
{
    static const char unknown[] = ", line ???", init[] = " in __init__\n";
    size_t length = strlen(theirs);
    bool cut = length > strlen(init) && strcmp(theirs + length - strlen(init), init) == 0;

    while (*ours != '\0' && *theirs != '\0') {
        if (strncmp(theirs, unknown, strlen(unknown)) == 0) {
            theirs += strlen(unknown);
            ours += strcspn(ours, "0123456789");
            ours += strspn(ours, "0123456789");
        }
        if (*ours++ != *theirs++)
            return false;
    }
    return *theirs == '\0' && (*ours == '\0' || cut);
}

struct result {
    /* refused: faulthandler has shown no frame, because it does not trust what it finds just then */
    unsigned done, same, crashes, refused, shown;
    double *times; /* how long each reading took, us */
};

/* Compares one stack. Returns false if faulthandler has crashed. */
static bool compare_one(struct traced *thread, int fd, struct result *result)
{
    static char ours[TEXT_MAX], theirs[TEXT_MAX];

    ptrace(PTRACE_INTERRUPT, thread->tid, NULL, 0L);
    while (await_stop(thread->tid) >> 16 != PTRACE_EVENT_STOP)
        ptrace(PTRACE_CONT, thread->tid, NULL, 0L);
    double before = now_us();
    python_reader_take(reader, runtime, &thread->python, thread->tid);
    double took = now_us() - before;
    print_read(ours, sizeof ours);
    if (!run_handler(thread->tid))
        return false;
    read_printed(fd, theirs, sizeof theirs);
    if (theirs[0] == '\0' && ours[0] != '\0') {
        result->refused++;
        return true;
    }
    bool same = is_same(ours, theirs);
    if (!same && result->shown++ < SHOWN_MAX)
        printf("# read:\n%s# printed:\n%s", ours, theirs);
    result->times[result->done++] = took;
    result->same += same;
    return true;
}

/* Kills the script, and starts it again. Returns the descriptor from which faulthandler's output can be read. */
static int restart(char *const argv[], int fd)
{
    if (target > 0) {
        kill(target, SIGKILL);
        while (waitpid(-1, NULL, __WALL) > 0)
            ;
        close(fd);
    }
    while (thread_count > 0)
        free(threads[--thread_count]);
    fd = start(argv);
    find_runtime();
    return fd;
}

int main(int argc, char *argv[])
{
    struct result result = {0};

    if (argc != 5)
        return 2;
    const unsigned rounds = (unsigned)atoi(argv[2]);
    result.times = calloc(rounds + 1, sizeof *result.times);
    profile = profile_new();
    codes = profile != NULL ? script_codes_new(profile) : NULL;
    reader = python_reader_new(1);
    if (result.times == NULL || codes == NULL || reader == NULL)
        die("no memory");
    int fd = restart(argv, -1);
    for (unsigned round = 0; result.done < rounds && round < 3 * rounds; round++) {
        const struct timespec pause = {0, 200000 + round * 7919 % 1000 * 1000};
        struct traced *thread = choose_thread(round);
        nanosleep(&pause, NULL);
        if (thread != NULL && !compare_one(thread, fd, &result)) {
            result.crashes++;
            fd = restart(argv, fd);
        }
    }
    kill(target, SIGKILL);
    qsort(result.times, result.done, sizeof *result.times, compare_times);
    printf("%u of %u stacks are the same; read in %.1f us (median), %.1f us (nine of ten); faulthandler crashed %u "
           "times, showed nothing %u times\n",
           result.same, result.done, result.times[result.done / 2], result.times[result.done * 9 / 10], result.crashes,
           result.refused);
    free(result.times);
    return 0;
}
