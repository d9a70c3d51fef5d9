/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls that a tracer must not restart or continue. Some of them are ended by a signal with a handler, or by a
 * time limit. Others return less than was asked for, even without a tracer. Each case is tried for some time, and
 * prints "NAME wrong 0 of 20, late 0". Without a tracer no try goes wrong. A try is late if it goes wrong and one of
 * its processes got no CPU in time. Late tries are not among the 20.
 *
 *   edge-cases [NAME]     all cases, or those whose name begins with NAME
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "edge-cases.h"

void limit_socket(int fd, int option, suseconds_t limit)
{
    const struct timeval time = {.tv_sec = limit / 1000000, .tv_usec = limit % 1000000};

    setsockopt(fd, SOL_SOCKET, option, &time, sizeof time);
}

double *shared_time(void)
{
    static double *time;

    if (time == NULL)
        time = mmap(NULL, sizeof *time, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return time;
}

static bool was_late;

void note_lateness(bool late)
{
    was_late = late;
}

pid_t reader_of_all(int fd, int other)
{
    static char room[4096];
    pid_t child = fork();

    if (child != 0)
        return child;
    close(other);
    while (read(fd, room, sizeof room) > 0)
        ;
    _exit(0);
}

static const struct edge {
    const char *name;
    bool (*try)(void);
    double seconds;
} edges[] = {
    {"handled-signal", try_handled_signal, 1},
    {"signals-in-receive", try_signals_in_receive, 1},
    {"signals-in-epoll", try_signals_in_epoll, 1},
    {"signals-in-events", try_signals_in_events, 1},
    {"signals-in-ring", try_signals_in_ring, 1},
    {"stop-in-handler", try_stop_in_handler, 1},
    {"two-signals", try_two_signals, 1},
    {"first-process", try_first_process, 1},
    {"ignored-stop", try_ignored_stop, 1},
    {"peek", try_peek, 0.5},
    {"limit-of-receive", try_limit_of_receive, 1.2},
    {"limit-after-part", try_limit_after_part, 3},
    {"limit-of-send", try_limit_of_send, 4},
    {"limit-of-tcp-send", try_limit_of_tcp_send, 2},
    {"no-wait", try_no_wait, 1},
    {"time-of-messages", try_time_of_messages, 3},
    {"messages-control", try_control_of_messages, 2},
    {"call-behind-hole", try_call_behind_hole, 1},
    {"low-mark", try_low_mark, 2},
    {"messages-low-mark", try_low_mark_of_messages, 1},
    {"terminal-master", try_terminal_master, 1},
    {"largest-write", try_largest_write, 0.1},
    {"replaced-file", try_replaced_file, 3},
    {"records", try_records, 1},
    {"filtered", try_filtered, 2},
    {"copy-to-limit", try_copy_to_limit, 1},
    {"append-to-itself", try_append_to_itself, 1},
    {"no-sigpipe", try_no_sigpipe, 1},
    {"sigpipe-afterwards", try_sigpipe_afterwards, 1},
    {"sigpipe-blocked", try_blocked_sigpipe, 1},
    {"sigpipe-sent", try_sent_sigpipe, 1},
    {"urgent-mark", try_urgent_mark, 1},
    {"urgent-low-mark", try_low_mark_at_urgent, 1},
    {"peek-offset", try_peek_offset, 1},
    {"peek-local", try_local_peek, 1},
    {"told-sender", try_told_sender, 1},
    {"descriptors", try_descriptors, 1},
    {"mark-between", try_mark_between_elements, 1},
    {"mark-messages", try_mark_between_messages, 1},
    {"blocked-continue", try_blocked_continue, 1},
    {"messages-time", try_time_for_messages, 1},
    {"messages-signal", try_time_amid_signals, 1.2},
    {"messages-end", try_end_of_messages, 1},
    {"most-messages", try_most_messages, 1},
    {"messages-limit", try_limit_of_each_message, 2.5},
    {"packets", try_packets, 1},
};

static void run(const struct edge *edge)
{
    long wrong = 0, late = 0, tries = 0;

    for (double end = now() + edge->seconds; now() < end; tries++) {
        was_late = false;
        bool right = edge->try();
        late += !right && was_late;
        wrong += !right && !was_late;
    }
    printf("%s wrong %ld of %ld, late %ld\n", edge->name, wrong, tries - late, late);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "";

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (strncmp(edges[i].name, wanted, strlen(wanted)) == 0)
            run(&edges[i]);
    return 0;
}
