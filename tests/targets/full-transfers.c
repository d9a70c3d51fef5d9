/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes blocking calls. Each moves all the bytes that it was asked to move, unless a signal comes. Counts the calls
 * that moved fewer bytes, and the calls whose bytes were wrong. A tracer must leave both counts at 0: "NAME short 0 of
 * 150, wrong 0".
 *
 *   full-transfers [ROUNDS [NAME]]     all calls, or those whose name begins with NAME
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blocking-calls.h"

#define SIZE BLOCKING_SIZE

static const char *wanted_name = "";
static long rounds = 100;
static int failures;

static void report(const char *name, long shorts, long calls, long wrong)
{
    printf("%s short %ld of %ld, wrong %ld\n", name, shorts, calls, wrong);
    fflush(stdout);
    failures += shorts + wrong > 0;
}

/* --- sending: a child receives, and its status says whether all was right ---------------- */

/* Forks a process that reads the stream and checks it. If `to_the_end` is true, it reads until the stream ends. A
 * terminal has no such end, and loses bytes when it is closed. */
static pid_t start_receiver(int fd, int other, uint64_t expected, bool to_the_end)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    close(other);
    uint64_t got = 0;
    unsigned step = 0;
    bool right = true;
    while (to_the_end || got < expected) {
        ssize_t some = read(fd, room, 1000 + step++ % 7 * 9000);
        if (some <= 0)
            break;
        right = right && is_pattern(room, (size_t)some, got);
        got += (uint64_t)some;
    }
    _exit(right && got == expected ? 0 : 1);
}

static void try_sender(const struct blocking_call *sender)
{
    bool terminal = blocking_is_terminal(sender);
    int end[2], status = 0;
    long shorts = 0;

    sender->make(end);
    pid_t receiver = start_receiver(end[0], end[1], (uint64_t)rounds * SIZE, !terminal);
    close(end[0]);
    for (long i = 0; i < rounds; i++)
        shorts += sender->call(end[1]) != SIZE;
    if (!terminal)
        close(end[1]);
    else if (shorts > 0)
        kill(receiver, SIGKILL); /* the receiver would wait for the missing bytes for ever */
    waitpid(receiver, &status, 0);
    if (terminal)
        close(end[1]);
    report(sender->name, shorts, rounds, status != 0);
}

/* --- receiving: a child sends ------------------------------------------------------------- */

static pid_t start_sender(int fd, int other, uint64_t size)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    close(other);
    for (uint64_t sent = 0; sent < size;) {
        size_t at = (size_t)(sent % SIZE), some = SIZE - at < 5000 ? SIZE - at : 5000;
        ssize_t wrote = write(fd, pattern + at, some);
        if (wrote <= 0)
            _exit(1);
        sent += (uint64_t)wrote;
    }
    _exit(0);
}

static void try_receiver(const struct blocking_call *receiver)
{
    int end[2];
    long shorts = 0, wrong = 0;

    receiver->make(end);
    pid_t child = start_sender(end[1], end[0], (uint64_t)rounds * SIZE);
    close(end[1]);
    for (long i = 0; i < rounds; i++) {
        memset(room, 0, SIZE);
        bool whole = receiver->call(end[0]) == SIZE;
        shorts += !whole;
        wrong += whole && memcmp(room, pattern, SIZE) != 0;
        if (!whole)
            break; /* the following bytes would be at a wrong offset */
    }
    close(end[0]);
    waitpid(child, NULL, 0);
    report(receiver->name, shorts, rounds, wrong);
}

/* --- without a descriptor ------------------------------------------------------------------- */

static void try_alone(const struct blocking_call *call)
{
    long shorts = 0, wrong = 0;

    for (long i = 0; i < rounds; i++) {
        bool whole = call->alone() == SIZE;
        shorts += !whole;
        wrong += whole && call->copies && memcmp(room, pattern, SIZE) != 0;
    }
    report(call->name, shorts, rounds, wrong);
}

static void try_all(int kind, void (*attempt)(const struct blocking_call *))
{
    for (const struct blocking_call *call = blocking_calls(kind); call->name != NULL; call++)
        if (strncmp(call->name, wanted_name, strlen(wanted_name)) == 0)
            attempt(call);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = atol(argv[1]);
    if (argc > 2)
        wanted_name = argv[2];
    blocking_init();
    try_all(BLOCKING_SENDERS, try_sender);
    try_all(BLOCKING_RECEIVERS, try_receiver);
    try_all(BLOCKING_ALONE, try_alone);
    return failures > 0;
}
