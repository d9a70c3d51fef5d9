/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shows what blocking calls return when a signal with a handler interrupts them.
 *
 *   interrupted-transfers [ROUNDS [NAME]]     all calls, or those whose name begins with NAME
 *
 * A helper process sends the signal when a random number of bytes has arrived, and then moves no bytes until the call
 * has returned. Prints one line for each call. "NAME EXCESS": the call returned EXCESS bytes more than that number.
 * "NAME error": the call failed. "NAME missed COUNT": the handler ran COUNT times, not once. "NAME wrong signal": the
 * handler got a wrong sender or number. Without a tracer, the excess of some calls is always the same. The excess of
 * the other calls differs from round to round, with a certain distribution. A tracer must change neither.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "blocking-calls.h"

#define POLL_US 50
#define STEP 4096                       /* bytes; each number of bytes here is a multiple of STEP */
/* The signal comes after fewer bytes than this. So the call still has more bytes to move than a socket or a pipe
 * holds. */
#define SIGNAL_MAX (BLOCKING_SIZE / 2)
#define BUFFER 65536                    /* buffer size of a socket, bytes */
#define UNTOUCHED 0x5a                  /* value of a byte before the call changes it */

/* Memory that the caller and the helper share. */
static struct shared {
    atomic_long round;    /* last round that the helper has begun */
    atomic_long begun;    /* last round whose call has begun */
    atomic_long returned; /* last round whose call has returned */
    atomic_long result;   /* what the last call returned: bytes, or -1 */
    atomic_long done;     /* last round whose bytes have all been received */
} * shared;

static const char *wanted_name = "";
static long rounds = 100;
static volatile sig_atomic_t handled, handled_wrong;
static volatile long current_round;
static pid_t caller, helper;

/* Returns SIGUSR1 in even rounds and a real-time signal in odd ones. The kernel queues several instances of a real-time
 * signal, but only one of SIGUSR1. */
static int signal_of_round(long round)
{
    return round % 2 == 0 ? SIGUSR1 : SIGRTMIN;
}

static void send_signal(long round)
{
    sigqueue(caller, signal_of_round(round), (union sigval){.sival_int = (int)round});
}

static void handle(int signal, siginfo_t *info, void *context)
{
    (void)context;
    handled++;
    handled_wrong |= signal != signal_of_round(current_round) || info->si_code != SI_QUEUE ||
                     info->si_pid != helper || info->si_value.sival_int != (int)current_round;
}

static void await_round(const atomic_long *number, long round)
{
    while (atomic_load(number) < round)
        usleep(POLL_US);
}

/* Returns how many bytes are moved before the signal of a round. The number is the same in each run of the program, so
 * that runs can be compared. */
static size_t bytes_before_signal(long round)
{
    uint64_t hash = (uint64_t)(round + 1) * 0x9e3779b97f4a7c15u;

    return STEP * (size_t)((hash >> 32) % (SIGNAL_MAX / STEP));
}

static void report(const char *name, long round, ssize_t result)
{
    if (handled_wrong)
        printf("%s wrong signal\n", name);
    else if (handled != 1)
        printf("%s missed %d\n", name, (int)handled);
    else if (result < 0)
        printf("%s error\n", name);
    else
        printf("%s %zd\n", name, result - (ssize_t)bytes_before_signal(round));
    handled = handled_wrong = 0;
}

static void start_helper(void (*help)(int fd), int fd, int other)
{
    *shared = (struct shared){.round = -1, .begun = -1, .returned = -1, .done = -1};
    fflush(stdout);
    helper = fork();
    if (helper != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (other >= 0)
        close(other);
    for (long round = 0; round < rounds; round++)
        help(fd);
    _exit(0);
}

/* Moves the bytes between the offsets `from` and `to` in the stream of this round. Returns `to`. */
static size_t move(int fd, bool receive, size_t from, size_t to)
{
    static unsigned char bytes[STEP];

    while (from < to) {
        size_t some = to - from < STEP ? to - from : STEP;
        ssize_t moved = receive ? read(fd, bytes, some) : write(fd, pattern + from, some);
        if (moved <= 0)
            _exit(1);
        if (receive && !is_pattern(bytes, (size_t)moved, from)) {
            printf("wrong bytes at %zu\n", from);
            fflush(stdout);
        }
        from += (size_t)moved;
    }
    return from;
}

static long begin_round(void)
{
    long round = atomic_load(&shared->done) + 1;

    atomic_store(&shared->round, round);
    return round;
}

/* If the caller got no CPU for a while, the signal may have come before the call, so it does not end the call.
 * Therefore another signal is sent each second. */
static void await_return(long round)
{
    for (int polls = 1; atomic_load(&shared->returned) < round; polls++) {
        usleep(POLL_US);
        if (polls % (1000000 / POLL_US) == 0)
            send_signal(round);
    }
}

static void end_round(int fd, bool receive, size_t moved, long round)
{
    await_return(round);
    long result = atomic_load(&shared->result);
    if (receive)
        move(fd, true, moved, result < 0 ? moved : (size_t)result);
    atomic_store(&shared->done, round);
}

static void receive_and_signal(int fd)
{
    long round = begin_round();
    size_t moved = move(fd, true, 0, bytes_before_signal(round) + STEP);

    send_signal(round);
    end_round(fd, true, moved, round);
}

static void send_and_signal(int fd)
{
    long round = begin_round();
    await_round(&shared->begun, round);
    size_t moved = move(fd, false, 0, bytes_before_signal(round) + STEP);
    usleep(1000); /* 1 ms, in which the call receives all these bytes */
    send_signal(round);
    end_round(fd, false, moved, round);
}

static unsigned char *const *watched;

static void watch_and_signal(int unused)
{
    long round = begin_round();
    const volatile unsigned char *byte = *watched + bytes_before_signal(round);

    (void)unused;
    await_round(&shared->begun, round);
    while (*byte == UNTOUCHED && atomic_load(&shared->returned) < round)
        ;
    send_signal(round);
    end_round(-1, false, 0, round);
}

/* Makes one call, tells the helper what the call returned, and prints the result. */
static void call_once(const struct blocking_call *call, int fd, long round)
{
    current_round = round;
    atomic_store(&shared->begun, round);
    ssize_t result = call->alone != NULL ? call->alone() : call->call(fd);

    atomic_store(&shared->result, result);
    atomic_store(&shared->returned, round);
    await_round(&shared->done, round); /* by then the helper has sent the signal */
    report(call->name, round, result);
}

static void set_buffers(const int end[2])
{
    const int size = BUFFER;

    setsockopt(end[0], SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt(end[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

static void try_sender(const struct blocking_call *call)
{
    int end[2];

    if (blocking_is_terminal(call))
        return;
    call->make(end);
    set_buffers(end);
    start_helper(receive_and_signal, end[0], end[1]);
    for (long round = 0; round < rounds; round++) {
        await_round(&shared->round, round);
        call_once(call, end[1], round);
    }
    close(end[0]);
    close(end[1]);
}

static void try_receiver(const struct blocking_call *call)
{
    int end[2];

    if (call->goes_on)
        return;
    call->make(end);
    start_helper(send_and_signal, end[1], end[0]);
    for (long round = 0; round < rounds; round++) {
        await_round(&shared->round, round);
        call_once(call, end[0], round);
    }
    close(end[0]);
    close(end[1]);
}

static void try_alone(const struct blocking_call *call)
{
    if (call->changes == NULL)
        return;
    watched = call->changes;
    start_helper(watch_and_signal, -1, -1);
    for (long round = 0; round < rounds; round++) {
        await_round(&shared->round, round);
        memset(*call->changes, UNTOUCHED, BLOCKING_SIZE);
        call_once(call, -1, round);
    }
}

static void try_all(int kind, void (*attempt)(const struct blocking_call *))
{
    for (const struct blocking_call *call = blocking_calls(kind); call->name != NULL; call++)
        if (strncmp(call->name, wanted_name, strlen(wanted_name)) == 0)
            attempt(call);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};

    if (argc > 1)
        rounds = atol(argv[1]);
    if (argc > 2)
        wanted_name = argv[2];
    signal(SIGCHLD, SIG_IGN);
    sigaction(signal_of_round(0), &action, NULL);
    sigaction(signal_of_round(1), &action, NULL);
    caller = getpid();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    blocking_init();
    try_all(BLOCKING_SENDERS, try_sender);
    try_all(BLOCKING_RECEIVERS, try_receiver);
    try_all(BLOCKING_ALONE, try_alone);
    return 0;
}
