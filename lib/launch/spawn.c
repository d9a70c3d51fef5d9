/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts the supervisor without any effect on the caller. The caller clones a child, which clones the supervisor and
 * then ends. The supervisor, now an orphan, becomes a child of init.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "launch/spawn.h"

#define DEBUG_NAME "supervisor" /* PPROFIL_DEBUG is this name, or this name and ":FILE" */
#define STACK_SIZE 65536u
#define STAYED_MAX 8 /* if the caller is init: how many children spawn_quietly can remember, to reap them later */

/* What the first child and the supervisor need. */
struct start {
    const char *path;
    char *const *argv;
    const int *kept;
    unsigned count;
    int report;  /* writing end of a pipe, to which a child writes its errno if it fails */
    bool stay;   /* the first child waits for the end of the supervisor, and so stays its parent */
    char *stack; /* end of the stack that the supervisor uses until its exec */
};

/* Clones a child whose end raises no SIGCHLD. Wait calls find the child only with __WCLONE or __WALL: clone(2). flags:
 * with CLONE_VM and CLONE_VFORK the child runs in the memory of the caller, and the caller waits, as after vfork(2).
 * Otherwise the child gets a copy of the page tables. In a large process this takes seconds, and then each page to
 * which the process writes causes a page fault. stack: the end of the child's stack. */
static pid_t clone_quietly(int (*body)(void *start), struct start *start, char *stack, int flags)
{
    pid_t child = clone(body, stack, flags, start);
    return child < 0 ? -errno : child;
}

/* Makes the coming exec close all descriptors except those in `kept` and the standard descriptors. The standard
 * descriptors become /dev/null. Another descriptor could be the writing end of a pipe of the caller. If it stayed open,
 * the reader of the pipe would wait until the supervisor ends. */
static void keep_descriptors(const int kept[], unsigned count)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd < 3 && null >= 0; fd++)
        if (fd != null)
            dup2(null, fd);
    descriptors_close_at_exec(0);
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        fcntl(fd, F_SETFD, 0);
    for (unsigned i = 0; i < count; i++)
        fcntl(kept[i], F_SETFD, 0);
}

static void report_error(const struct start *start, int error)
{
    ssize_t ignored = write(start->report, &error, sizeof error);
    (void)ignored;
}

/* Becomes the supervisor. All signals stay blocked. Before the exec a signal would run handlers of the caller, in the
 * memory of the caller. After the exec the supervisor uses no signals. This function does not return, so ASan would
 * leave its stack frame poisoned, and later report errors for other memory at the same addresses. So ASan must not
 * instrument this function. */
__attribute__((no_sanitize_address)) static int become_supervisor(void *context)
{
    const struct start *start = context;

    keep_descriptors(start->kept, start->count);
    execv(start->path, start->argv);
    report_error(start, errno);
    return 125;
}

static void reap(pid_t child)
{
    while (waitpid(child, NULL, (int)__WALL) < 0 && errno == EINTR)
        ;
}

/* Makes the first child stay the supervisor's parent until the supervisor ends. Otherwise the supervisor would become a
 * child of the caller, which is init. After its exec the supervisor is an ordinary child, which any wait call of its
 * parent finds (de_thread() in fs/exec.c). The first child does not exec, so ordinary wait calls of the caller do not
 * find the first child. */
static void be_parent_of(pid_t supervisor)
{
    descriptors_close(0);
    reap(supervisor);
}

/* Runs in the first child: clones the supervisor. The end of the first child makes the supervisor an orphan. */
static int begin_supervisor(void *context)
{
    struct start *start = context;
    pid_t supervisor = clone_quietly(become_supervisor, start, start->stack, CLONE_VM | CLONE_VFORK);

    if (supervisor < 0)
        report_error(start, -supervisor);
    else if (start->stay)
        be_parent_of(supervisor);
    return 0;
}

int spawn_above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    return above < 0 ? -error : above;
}

/* Makes the caller stop being a subreaper, until the end of spawn_quietly. An orphan becomes a child of the nearest
 * subreaper. If that were the caller, the wait calls of the caller would find the supervisor. Returns true if the
 * caller was a subreaper. */
static bool stop_reaping(void)
{
    int reaper = 0;

    return prctl(PR_GET_CHILD_SUBREAPER, (unsigned long)&reaper, 0, 0, 0) == 0 && reaper != 0 &&
           prctl(PR_SET_CHILD_SUBREAPER, 0ul, 0, 0, 0) == 0;
}

/* Clones the first child, which clones the supervisor. Each of them gets its own stack. The children share the memory
 * of the caller, including the data of the calling thread. So while they start, all signals are blocked, and this
 * thread cannot be cancelled. Returns 0 or a negative errno. */
static int clone_children(struct start *start, pid_t *child)
{
    char *stacks = mmap(NULL, 2 * STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    sigset_t all, mask;
    int cancel;

    if (stacks == MAP_FAILED)
        return -errno;
    start->stack = stacks + STACK_SIZE;
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    /* if the first child stays, it needs its own memory, and the caller must not wait until it ends */
    *child = clone_quietly(begin_supervisor, start, stacks + 2 * STACK_SIZE,
                           start->stay ? 0 : CLONE_VM | CLONE_VFORK);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_setcancelstate(cancel, NULL);
    munmap(stacks, 2 * STACK_SIZE);
    return *child < 0 ? *child : 0;
}

static void reap_ended(pid_t stayed[STAYED_MAX])
{
    for (unsigned i = 0; i < STAYED_MAX; i++)
        if (stayed[i] > 0 && waitpid(stayed[i], NULL, (int)__WCLONE | WNOHANG) != 0)
            stayed[i] = 0;
}

/* Remembers a child, to reap it later. If the array is full, the child is not remembered, and never reaped. More than
 * STAYED_MAX supervisors at the same time are not expected. */
static void remember_child(pid_t stayed[STAYED_MAX], pid_t child)
{
    for (unsigned i = 0; i < STAYED_MAX; i++)
        if (stayed[i] == 0) {
            stayed[i] = child;
            return;
        }
}

int spawn_quietly(const char *path, char *const argv[], const int kept[], unsigned count)
{
    static pid_t stayed[STAYED_MAX];
    bool init = getpid() == 1; /* all orphans become children of init */
    struct start start = {.path = path, .argv = argv, .kept = kept, .count = count, .stay = init};
    int report[2], said = 0;
    pid_t child = 0;

    reap_ended(stayed);
    if (pipe2(report, O_CLOEXEC) < 0)
        return -errno;
    start.report = report[1] = spawn_above_standard(report[1]);
    bool reaper = !init && stop_reaping();
    int error = clone_children(&start, &child);
    close(report[1]);
    if (error == 0 && read(report[0], &said, sizeof said) == (ssize_t)sizeof said)
        error = -said; /* if the exec succeeded, it closed the pipe, and nothing was read */
    close(report[0]);
    if (child > 0 && (!init || error != 0))
        reap(child);
    else if (child > 0)
        remember_child(stayed, child);
    if (reaper)
        prctl(PR_SET_CHILD_SUBREAPER, 1ul, 0, 0, 0);
    return error;
}

int spawn_open_debug_log(int *fd)
{
    const char *what = secure_getenv("PPROFIL_DEBUG");
    size_t length = strlen(DEBUG_NAME);

    *fd = -1;
    if (what == NULL || strncmp(what, DEBUG_NAME, length) != 0)
        return 0;
    if (what[length] == ':')
        *fd = spawn_above_standard(
            open(what + length + 1, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666));
    else if (what[length] == '\0')
        *fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    else
        return 0;
    return *fd < 0 ? -errno : 0;
}
