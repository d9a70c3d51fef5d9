/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts the signals that this process gets, until a file exists or two minutes have passed:
 *
 *   count-signals FILE [WORD...]
 *
 * Prints "ready PID" first, and at the end "got NAME COUNT ..." for all signals that came. Words:
 *   ignore         TERM, INT, HUP and QUIT are ignored
 *   block          all are blocked until the end
 *   wait           all are blocked, and sigtimedwait takes them
 *   fd             all are blocked, and read from a signalfd
 *   group          the process leaves its process group
 *   session        the process leaves its session
 *   threads        all threads but the first sleep
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define LIFE_S 120

static const struct {
    int number;
    const char *name;
} kinds[] = {
    {SIGTERM, "TERM"}, {SIGINT, "INT"},   {SIGHUP, "HUP"},     {SIGQUIT, "QUIT"}, {SIGUSR1, "USR1"},
    {SIGUSR2, "USR2"}, {SIGALRM, "ALRM"}, {SIGWINCH, "WINCH"}, {SIGCONT, "CONT"}, {40, "RT40"},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static volatile sig_atomic_t got[65];

static void count(int signal)
{
    got[signal]++;
}

static bool has(char **words, const char *word)
{
    for (; *words != NULL; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

static void *sleep_on(void *context)
{
    for (;;)
        pause();
    return context;
}

/* Waits for up to 50 ms, and takes blocked signals if the words "wait" or "fd" were given. */
static void turn(const sigset_t *all, bool waits, int fd)
{
    const struct timespec short_time = {.tv_nsec = 50000000};
    struct signalfd_siginfo news;
    int signal;

    if (waits && (signal = sigtimedwait(all, NULL, &short_time)) > 0)
        count(signal);
    else if (!waits)
        nanosleep(&short_time, NULL);
    while (fd >= 0 && read(fd, &news, sizeof news) == (ssize_t)sizeof news)
        count((int)news.ssi_signo);
}

int main(int argc, char **argv)
{
    sigset_t all;
    pthread_t thread;

    if (argc < 2)
        return 2;
    sigemptyset(&all);
    for (size_t i = 0; i < KINDS; i++) {
        bool ignored = i < 4 && has(argv, "ignore");
        sigaddset(&all, kinds[i].number);
        sigaction(kinds[i].number, &(struct sigaction){.sa_handler = ignored ? SIG_IGN : count}, NULL);
    }
    bool waits = has(argv, "wait"), reads = has(argv, "fd");
    if (has(argv, "block") || waits || reads)
        sigprocmask(SIG_BLOCK, &all, NULL);
    int fd = reads ? signalfd(-1, &all, SFD_NONBLOCK) : -1;
    if (has(argv, "group"))
        setpgid(0, 0);
    if (has(argv, "session"))
        setsid();
    for (int i = 0; has(argv, "threads") && i < THREADS; i++)
        pthread_create(&thread, NULL, sleep_on, NULL);
    printf("ready %d\n", (int)getpid());
    fflush(stdout);
    for (time_t end = time(NULL) + LIFE_S; access(argv[1], F_OK) < 0 && time(NULL) < end;)
        turn(&all, waits, fd);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    printf("got");
    for (size_t i = 0; i < KINDS; i++)
        if (got[kinds[i].number] > 0)
            printf(" %s %d", kinds[i].name, (int)got[kinds[i].number]);
    printf("\n");
    return 0;
}
