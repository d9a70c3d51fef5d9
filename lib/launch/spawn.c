/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting the supervisor, in a caller that must not notice. */
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

#define DEBUG_NAME "supervisor" /* what PPROFIL_DEBUG begins with, and perhaps ":FILE" */
#define STACK_SIZE 65536u
#define STAYED_MAX 8 /* children of an init: spawn_quietly */

/* What the children are told. */
struct start {
    const char *path;
    char *const *argv;
    const int *kept;
    unsigned count;
    int report; /* where an errno is written to */
    bool stay;  /* the child between stays as the supervisor's parent */
    char *stack; /* of the supervisor until it execs: the end of it */
};

/* A child whose end raises no SIGCHLD, and that wait calls do not see unless they ask for such
 * children: clone(2), "__WCLONE". With CLONE_VM and CLONE_VFORK it runs in our memory while we
 * wait, as vfork's do: a copy of the page tables of a large process takes seconds, and the process
 * pays with a fault for each page that it writes to afterwards. stack: the end of its own. */
static pid_t clone_quietly(int (*body)(void *start), struct start *start, char *stack, int flags)
{
    pid_t child = clone(body, stack, flags, start);
    return child < 0 ? -errno : child;
}

/* None of the caller's, for whoever reads from its pipes waits for the last writer. */
static void keep_only(const int kept[], unsigned count)
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

static void say_error(const struct start *start, int error)
{
    ssize_t ignored = write(start->report, &error, sizeof error);
    (void)ignored;
}

/* All signals stay blocked: until the exec handlers are the caller's, and would run in its memory;
 * and the supervisor wants none of them. Not instrumented by ASan: the frame of a function that does
 * not return stays poisoned, and the stack is unmapped and its addresses are used again. */
__attribute__((no_sanitize_address)) static int become_supervisor(void *context)
{
    const struct start *start = context;

    keep_only(start->kept, start->count);
    execv(start->path, start->argv);
    say_error(start, errno);
    return 125;
}

static void reap(pid_t child)
{
    while (waitpid(child, NULL, (int)__WALL) < 0 && errno == EINTR)
        ;
}

/* To be the supervisor's parent where its orphan would be the caller's: a child that execs is an
 * ordinary one (de_thread() in fs/exec.c), and only one that does not stays unseen. */
static void be_parent_of(pid_t supervisor)
{
    descriptors_close(0);
    reap(supervisor);
}

/* The child between, whose end makes the supervisor an orphan. */
static int begin_supervisor(void *context)
{
    struct start *start = context;
    pid_t supervisor =
        clone_quietly(become_supervisor, start, start->stack, CLONE_VM | CLONE_VFORK);

    if (supervisor < 0)
        say_error(start, -supervisor);
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

/* An orphan becomes a child of the nearest reaper. Where that is the caller its wait calls
 * would find the supervisor, so it is none for a moment. */
static bool stop_reaping(void)
{
    int reaper = 0;

    return prctl(PR_GET_CHILD_SUBREAPER, (unsigned long)&reaper, 0, 0, 0) == 0 && reaper != 0 &&
           prctl(PR_SET_CHILD_SUBREAPER, 0ul, 0, 0, 0) == 0;
}

/* The same with stacks for both children, all signals blocked, and no cancellation: they share
 * the caller's memory, and whatever belongs to its thread. 0 or -errno. */
static int clone_children(struct start *start, pid_t *child)
{
    char *stacks = mmap(NULL, 2 * STACK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    sigset_t all, mask;
    int cancel;

    if (stacks == MAP_FAILED)
        return -errno;
    start->stack = stacks + STACK_SIZE;
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    /* one that stays has to have memory of its own, and the caller not to wait for it */
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

/* One that finds no place is never reaped: nobody starts so many that last. */
static void note_stayed(pid_t stayed[STAYED_MAX], pid_t child)
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
    bool init = getpid() == 1; /* all orphans are its children */
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
        error = -said; /* else it was closed by a successful exec */
    close(report[0]);
    if (child > 0 && (!init || error != 0))
        reap(child);
    else if (child > 0)
        note_stayed(stayed, child);
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
