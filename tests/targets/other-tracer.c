/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes with threads that cannot be traced. Most of these threads have a tracer already, which is a child of the
 * process. Each program prints "ready" when its threads are traced:
 *
 *   other-tracer short SECONDS    a traced thread works in spend_there all the time. Other threads work in spend_here
 *                                 for 5 ms each. Their CPU time is printed at the end, "cpu NS"
 *   other-tracer births SECONDS   a traced thread makes another thread, which works in spend_here
 *   other-tracer leader SECONDS   a traced thread leads the process. Another works in spend_here, and ends the process
 *                                 with status 3
 *   other-tracer exec SECONDS     a traced thread leads the process. Another executes "other-tracer own SECONDS" after
 *                                 three seconds of CPU time
 *   other-tracer stuck SECONDS    a traced thread sleeps, and its tracer makes no wait calls. At SIGUSR1 another thread
 *                                 executes "other-tracer own SECONDS": the exec waits for that tracer
 *   other-tracer all SECONDS      works in spend_here; its only thread is traced
 *   other-tracer own SECONDS      works in spend_here; nobody traces it
 *   other-tracer rights SECONDS   a thread of user 0 works in spend_there, one of user 65534 in spend_here; nobody
 *                                 traces them
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clocks.h"

static char **arguments;
static double seconds;
/* Two pipes. Threads that want to be traced write their IDs to `asked`. For each ID, `answered` returns 1 if the thread
 * is traced now, otherwise 0. */
static int asked[2] = {-1, -1}, answered[2] = {-1, -1};

#define SPENDER(name, constant)                                                                   \
    __attribute__((noinline)) static void name(double cpu_seconds)                                \
    {                                                                                             \
        volatile unsigned long sum = constant;                                                    \
        double end = cpu_now() + cpu_seconds;                                  \
        while (cpu_now() < end)                                                \
            for (int i = 0; i < 20000; i++)                                                       \
                sum = sum * 2862933555777941757ul + constant;                                     \
    }
SPENDER(spend_here, 1)
SPENDER(spend_there, 3)

static pthread_t start(void *(*body)(void *))
{
    pthread_t thread;

    pthread_create(&thread, NULL, body, NULL);
    return thread;
}

/* Seizes each thread that asks for it, and continues the thread at each stop. If `heedless` is true, makes no wait
 * calls, so no thread is continued. */
static void trace_others(bool heedless)
{
    pid_t tid;
    int status;

    if (!heedless) /* an exec ends this tracer's parent thread, but a heedless tracer must survive */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(asked[1]);
    while (read(asked[0], &tid, sizeof tid) == (ssize_t)sizeof tid) {
        char answer = ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0;
        if (write(answered[1], &answer, 1) != 1)
            break;
    }
    if (heedless) {
        sleep(60);
        _exit(0);
    }
    while ((tid = waitpid(-1, &status, __WALL)) > 0)
        if (WIFSTOPPED(status))
            ptrace(PTRACE_CONT, tid, NULL, status >> 16 == 0 ? (long)WSTOPSIG(status) : 0L);
    _exit(0);
}

static void begin_tracer(bool heedless)
{
    pid_t tracer;

    if (pipe(asked) < 0 || pipe(answered) < 0 || (tracer = fork()) < 0)
        exit(1);
    if (tracer == 0)
        trace_others(heedless);
    prctl(PR_SET_PTRACER, (unsigned long)tracer, 0, 0, 0);
}

static void be_traced(void)
{
    pid_t tid = (pid_t)syscall(SYS_gettid);
    char answer = 0;

    if (write(asked[1], &tid, sizeof tid) != (ssize_t)sizeof tid || read(answered[0], &answer, 1) != 1 || answer != 1)
        exit(1);
}

static void be_ready(void)
{
    close(asked[1]); /* no more threads ask to be traced */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    puts("ready");
    fflush(stdout);
}

static void *work(void *unused)
{
    spend_here(seconds);
    return unused;
}

static void *work_traced(void *unused)
{
    be_traced();
    be_ready();
    spend_there(1e9);
    return unused;
}

static void *work_there(void *unused)
{
    spend_there(seconds);
    return unused;
}

/* Uses system calls, because setresuid of the C library changes all threads. */
static void *work_as_nobody(void *unused)
{
    if (syscall(SYS_setresgid, 65534, 65534, 65534) != 0 || syscall(SYS_setresuid, 65534, 65534, 65534) != 0)
        exit(1);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* the change of the user has made the process undumpable */
    be_ready();
    return work(unused);
}

static void *short_work(void *unused)
{
    spend_here(0.005);
    return unused;
}

static void run_short(void)
{
    double spent = 0, end = now() + seconds;

    start(work_traced);
    while (now() < end) {
        pthread_join(start(short_work), NULL);
        spent += 0.005;
        usleep(20000);
    }
    printf("cpu %.0f\n", spent * 1e9);
}

static void *give_birth(void *unused)
{
    be_traced();
    be_ready();
    usleep(500000); /* gives a tracer time to attach before the next thread is born */
    pthread_join(start(work), NULL);
    return unused;
}

static void *work_and_end(void *unused)
{
    be_ready();
    spend_here(seconds);
    exit(3);
    return unused;
}

static void execute_own(void)
{
    char own[] = "own";

    arguments[1] = own;
    execv("/proc/self/exe", arguments);
}

static void *work_and_execute(void *unused)
{
    be_ready();
    spend_here(3);
    execute_own();
    return unused;
}

static void *sleep_traced(void *unused)
{
    be_traced();
    be_ready();
    for (;;)
        pause();
    return unused;
}

static void *execute_when_told(void *unused)
{
    sigset_t signals;
    int number;

    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigwait(&signals, &number);
    execute_own();
    return unused;
}

static void block_usr1(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    arguments = argv;
    seconds = atof(argv[2]);
    if (strcmp(argv[1], "own") == 0) {
        spend_here(seconds);
        return 0;
    }
    if (strcmp(argv[1], "rights") == 0) {
        start(work_there);
        work_as_nobody(NULL);
        return 0;
    }
    begin_tracer(strcmp(argv[1], "stuck") == 0);
    if (strcmp(argv[1], "short") == 0) {
        run_short();
    } else if (strcmp(argv[1], "births") == 0) {
        pthread_join(start(give_birth), NULL);
    } else if (strcmp(argv[1], "stuck") == 0) {
        block_usr1();
        start(execute_when_told);
        pthread_join(start(sleep_traced), NULL);
    } else if (strcmp(argv[1], "all") == 0) {
        be_traced();
        be_ready();
        spend_here(seconds);
    } else {
        be_traced();
        start(strcmp(argv[1], "leader") == 0 ? work_and_end : work_and_execute);
        for (;;)
            pause();
    }
    return 0;
}
