/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes blocks of 1 MiB into a pipe whose reader is slow. Each write begins after the bytes that the last write wrote,
 * as in careful programs. A short write is unexplained if no handler of a signal has run. If the reader gets wrong
 * bytes, a write has returned a wrong number. Prints "calls 100 short 3 unexplained 0 wrong 0".
 *
 *   short-writes SECONDS [SIGNAL MICROSECONDS]
 *
 * A child sends SIGNAL once every MICROSECONDS. USR1 has a handler, WINCH is ignored.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clocks.h"

#define BLOCK (1u << 20)
#define READ_SIZE 16384
#define READ_PAUSE_US 200

static unsigned char block[BLOCK], got[READ_SIZE];
static volatile sig_atomic_t handled;

static void handle(int signal)
{
    (void)signal;
    handled++;
}

/* Forks the reader. The reader's exit status is 0 if the stream consists of copies of the block. */
static pid_t start_reader(const int end[2])
{
    pid_t child = fork();
    size_t at = 0;
    bool right = true;

    if (child != 0)
        return child;
    close(end[1]);
    for (ssize_t some; (some = read(end[0], got, sizeof got)) > 0; usleep(READ_PAUSE_US))
        for (ssize_t i = 0; i < some; i++) {
            right = right && got[i] == block[at];
            at = (at + 1) % BLOCK;
        }
    _exit(right ? 0 : 1);
}

static pid_t start_sender(const char *name, useconds_t period)
{
    pid_t parent = getpid(), child = fork();
    int signal = strcmp(name, "USR1") == 0 ? SIGUSR1 : SIGWINCH;

    while (child == 0) {
        usleep(period);
        if (getppid() != parent || kill(parent, signal) < 0)
            _exit(0);
    }
    return child;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    long calls = 0, shorts = 0, unexplained = 0;
    int end[2], status = 0;
    size_t at = 0;

    for (size_t i = 0; i < BLOCK; i++)
        block[i] = (unsigned char)(i * 2654435761u >> 13);
    if (pipe(end) < 0)
        return 2;
    pid_t reader = start_reader(end);
    close(end[0]);
    sigaction(SIGUSR1, &action, NULL);
    pid_t sender = argc > 3 ? start_sender(argv[2], (useconds_t)atoi(argv[3])) : 0;
    for (double until = now() + (argc > 1 ? atof(argv[1]) : 1); now() < until; calls++) {
        sig_atomic_t before = handled;
        ssize_t wrote = write(end[1], block + at, BLOCK - at);
        bool whole = wrote == (ssize_t)(BLOCK - at);
        shorts += !whole;
        unexplained += !whole && handled == before;
        if (wrote < 0 && (errno != EINTR || handled == before))
            return 3;
        at = (at + (wrote > 0 ? (size_t)wrote : 0)) % BLOCK;
    }
    if (sender > 0) {
        kill(sender, SIGKILL);
        waitpid(sender, NULL, 0);
    }
    close(end[1]);
    waitpid(reader, &status, 0);
    printf("calls %ld short %ld unexplained %ld wrong %d\n", calls, shorts, unexplained, status != 0);
    return unexplained > 0 || status != 0;
}
