/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that profiles itself notices nothing but the counts. It has no new child, signal or descriptor, and its
 * system calls are not interrupted. profil(2) works in any state of the program.
 */
#include <fcntl.h>
#include <pcsample.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "check.h"

#define LONG_NS (200 * MS)
#define SHORT_NS (80 * MS)
#define PERIOD_NS 1e7

extern char **environ;

static unsigned short counters[4096];

static void start(void)
{
    profil(counters, sizeof counters, region(), 2);
}

static void stop(void)
{
    profil(NULL, 0, 0, 0);
}

/* Turns counting on for LONG_NS of CPU time, and checks the number of ticks. */
static void expect_counting(const char *name)
{
    struct stretch since = now();
    unsigned before = counters[0];

    start();
    burn(spin_first, LONG_NS);
    stop();
    expect_ticks(name, counters[0] - before, since, PERIOD_NS);
}

static void expect_no_child(const char *name)
{
    errno = 0;
    expect(name, waitpid(-1, NULL, 0) == -1 && errno == ECHILD, "errno %d", errno);
    errno = 0;
    expect("with __WALL", wait4(-1, NULL, __WALL, NULL) == -1 && errno == ECHILD, "errno %d", errno);
}

static volatile sig_atomic_t child_signals;

static void on_child(int signal)
{
    (void)signal;
    child_signals++;
}

static void check_children(void)
{
    struct sigaction action = {.sa_handler = on_child};

    sigaction(SIGCHLD, &action, NULL);
    start();
    expect_no_child("while it counts");
    burn(spin_first, SHORT_NS);
    stop();
    expect_no_child("when it has stopped");
    expect_left("gone");
    expect_no_child("when the supervisor is gone");
    expect("no SIGCHLD", child_signals == 0, "%d", (int)child_signals);
    pid_t child = fork();
    if (child == 0)
        _exit(3);
    int status = 0;
    expect("own children are found", waitpid(-1, &status, 0) == child && WEXITSTATUS(status) == 3,
           "%#x", (unsigned)status);
    expect("and tell of it", child_signals == 1, "%d", (int)child_signals);
}

static void check_reaper(void)
{
    int reaper = 0;

    prctl(PR_SET_CHILD_SUBREAPER, 1ul, 0, 0, 0);
    start();
    expect_no_child("a reaper of orphans does not get the supervisor");
    prctl(PR_GET_CHILD_SUBREAPER, (unsigned long)&reaper, 0, 0, 0);
    expect("and stays one", reaper == 1, "%d", reaper);
    stop();
    expect_left("gone");
    expect_no_child("nor its end");
}

/* Runs as the first process of a PID namespace. */
static void check_init(void)
{
    struct sigaction action = {.sa_handler = on_child};

    expect("is init", getpid() == 1, "%d", (int)getpid());
    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < 2; i++) {
        expect_counting("init counts");
        errno = 0;
        expect("init has no child to wait for", waitpid(-1, NULL, 0) == -1 && errno == ECHILD, "errno %d", errno);
        expect_left("gone");
    }
    expect("no SIGCHLD", child_signals == 0, "%d", (int)child_signals);
}

static void check_ignored(void)
{
    signal(SIGCHLD, SIG_IGN);
    expect_counting("SIGCHLD ignored");
    expect_no_child("SIGCHLD ignored");
}

static int interrupted;

static void *sleep_in_call(void *which)
{
    const struct timespec nap = {.tv_nsec = 3000000};
    struct timespec until;
    struct epoll_event event;
    sem_t semaphore;
    int number = *(const int *)which, ends[2] = {-1, -1}, epoll = epoll_create1(EPOLL_CLOEXEC);

    sem_init(&semaphore, 0, 0);
    if (pipe(ends) != 0)
        abort();
    for (int i = 0; i < 100; i++) {
        int result = 0;
        char byte = 0;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec = (until.tv_nsec + 3000000) % 1000000000;
        switch (number) {
        case 0:
            result = nanosleep(&nap, NULL);
            break;
        case 1:
            result = epoll_wait(epoll, &event, 1, 3);
            break;
        case 2:
            result = sem_timedwait(&semaphore, &until) == 0 || errno == ETIMEDOUT ? 0 : -1;
            break;
        default:
            result = write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1 ? 0 : -1;
        }
        if (result < 0 && errno == EINTR)
            __atomic_add_fetch(&interrupted, 1, __ATOMIC_RELAXED);
        spin_second(CHUNK / 10);
    }
    return NULL;
}

static void check_eintr(void)
{
    static const int numbers[] = {0, 1, 2, 3};
    pthread_t threads[4];

    start();
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, sleep_in_call, (void *)&numbers[i]);
    for (int i = 0; i < 20; i++) { /* starts and stops must not interrupt the calls either */
        burn(spin_first, 10 * MS);
        stop();
        start();
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    stop();
    expect("no call is interrupted", interrupted == 0, "%d are", interrupted);
}

static void check_processes(void)
{
    char *shell[] = {(char *)"sh", (char *)"-c", (char *)"exit 5", NULL}, text[16] = "";
    int status = 0;
    pid_t child;

    start();
    expect("system", WEXITSTATUS(system("exit 3")) == 3, "another status");
    FILE *stream = popen("echo hello", "r");
    expect("popen", stream != NULL && fgets(text, sizeof text, stream) != NULL && strcmp(text, "hello\n") == 0,
           "read '%s'", text);
    expect("pclose", stream != NULL && pclose(stream) == 0, "%s", strerror(errno));
    expect("posix_spawn",
           posix_spawnp(&child, "sh", NULL, NULL, shell, environ) == 0 &&
               waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5,
           "status %#x", (unsigned)status);
    stop();
}

static int lowest_free(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(fd);
    return fd;
}

static void check_descriptors(void)
{
    int before = lowest_free();

    start();
    expect("lowest free descriptor", lowest_free() == before, "%d", lowest_free());
    burn(spin_first, SHORT_NS);
    for (int fd = 3; fd < 100; fd++)
        close(fd);
    stop();
    expect("when stopped", lowest_free() <= before, "%d", lowest_free());
    expect_counting("after all descriptors were closed");
}

static void check_closed(void)
{
    int saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100);

    for (int fd = 0; fd < 3; fd++)
        close(fd);
    struct stretch since = now();
    start();
    int lowest = lowest_free();
    burn(spin_first, LONG_NS);
    stop();
    dup2(saved, STDOUT_FILENO);
    expect("lowest free descriptor is 0", lowest == 0, "%d", lowest);
    expect_ticks("standard descriptors closed", counters[0], since, PERIOD_NS);
}

/* Starting the supervisor must not copy the page tables of a large process. After a copy, the next write to each page
 * faults. */
static void check_memory(void)
{
    const size_t size = 64u << 20, page = (size_t)sysconf(_SC_PAGESIZE);
    struct rusage before, after;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    madvise(memory, size, MADV_NOHUGEPAGE);
    memset(memory, 1, size);
    start();
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; i < size; i += page)
        memory[i]++;
    getrusage(RUSAGE_SELF, &after);
    stop();
    long faults = after.ru_minflt - before.ru_minflt;
    expect("pages are written without faults", faults < (long)(size / page / 4), "%ld of %zu", faults, size / page);
}

static pid_t own_pid;
static volatile sig_atomic_t elsewhere;

static void note_process(int signal)
{
    (void)signal;
    elsewhere = elsewhere || syscall(SYS_getpid) != own_pid;
}

/* The process group gets signals while the supervisor starts. Handlers must run only in the program, and the supervisor
 * must survive. */
static void check_signals(void)
{
    setpgid(0, 0);
    own_pid = getpid();
    signal(SIGUSR1, SIG_IGN);
    pid_t sender = fork();
    while (sender == 0 && getppid() == own_pid)
        kill(0, SIGUSR1);
    if (sender == 0)
        _exit(0);
    signal(SIGUSR1, note_process);
    usleep(10000);
    long result = pcsample((uintptr_t *)counters, 5);
    expect("started amid signals", result >= 0, "%ld, errno %d", result, errno);
    pcsample(NULL, 0);
    signal(SIGUSR1, SIG_IGN);
    kill(sender, SIGKILL);
    waitpid(sender, NULL, 0);
    expect("handlers run in the program only", !elsewhere, "%d", (int)elsewhere);
}

/* If no process may be traced, pcsample fails with EPERM, profil counts nothing, and the program goes on. */
static void check_refused(void)
{
    errno = 0;
    long result = pcsample((uintptr_t *)counters, 5);
    expect("pcsample fails", result == -1 && errno == EPERM, "%ld, errno %d", result, errno);
    start();
    burn(spin_first, SHORT_NS);
    expect("nothing counts", counters[0] == 0, "%u", counters[0]);
    stop();
    expect_no_child("refused");
}

/* With the argument "on", the program profiles itself; with "off", it does not. Its output must be the same in both
 * cases. */
static void check_output(void)
{
    bool on = arguments[2] != NULL && strcmp(arguments[2], "on") == 0;
    unsigned sum = 0;

    if (on)
        start();
    for (unsigned i = 0; i < 1000; i++)
        sum = sum * 31 + i;
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    int status = 0;
    pid_t got = wait(&status);
    printf("%u %d %d %d\n", sum, got == child, WEXITSTATUS(status), lowest_free());
    if (on)
        stop();
}

int main(int argc, char **argv)
{
    static const struct check checks[] = {{"children", check_children},
                                          {"reaper", check_reaper},
                                          {"ignored", check_ignored},
                                          {"eintr", check_eintr},
                                          {"processes", check_processes},
                                          {"descriptors", check_descriptors},
                                          {"closed", check_closed},
                                          {"memory", check_memory},
                                          {"signals", check_signals},
                                          {"init", check_init},
                                          {"refused", check_refused},
                                          {"output", check_output},
                                          {0}};

    return run_checks(checks, argc, argv);
}
