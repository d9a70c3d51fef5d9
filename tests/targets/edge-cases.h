/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edge-cases: each function tries its case once, and returns true if the calls behaved as they do without a tracer. */
#ifndef PPROFIL_TEST_EDGES_H
#define PPROFIL_TEST_EDGES_H

#include <stdbool.h>
#include <sys/types.h>

#include "clocks.h"

/* edge-cases.c: sets SO_RCVTIMEO or SO_SNDTIMEO to `limit`, in us */
void limit_socket(int fd, int option, suseconds_t limit);
/* returns a pointer to a time in seconds that child processes share; always the same pointer */
double *shared_time(void);
/* `late` says that a step of this try came so late that the try may go wrong without a tracer, too */
void note_lateness(bool late);
/* forks a process that closes the descriptor `other`, and reads from fd up to its end, 4 KiB at a time */
pid_t reader_of_all(int fd, int other);

/* edge-cases-limits.c: calls that signals interrupt, and time limits that signals may not change */
bool try_handled_signal(void);
bool try_signals_in_receive(void);
bool try_signals_in_epoll(void);
bool try_signals_in_events(void);
bool try_signals_in_ring(void);
bool try_stop_in_handler(void);
bool try_peek(void);
bool try_limit_of_receive(void);
bool try_limit_after_part(void);
bool try_limit_of_send(void);
bool try_limit_of_tcp_send(void);
/* connects a pair of TCP sockets on the loopback */
bool connect_tcp(int pair[2]);

/* edge-cases-short.c: calls that return less than was asked for, and calls that a tracer may continue only in a certain
 * way */
bool try_no_wait(void);
bool try_time_of_messages(void);
bool try_control_of_messages(void);
bool try_call_behind_hole(void);
bool try_records(void);
bool try_low_mark(void);
bool try_low_mark_of_messages(void);
bool try_terminal_master(void);
bool try_filtered(void);

/* edge-cases-files.c: calls on files and pipes, and calls that send messages, with limits that the kernel enforces */
bool try_copy_to_limit(void);
bool try_append_to_itself(void);
bool try_most_messages(void);
bool try_packets(void);
bool try_largest_write(void);
bool try_replaced_file(void);
/* makes a file without a name; size in bytes */
int temporary_file(off_t size);

/* edge-cases-signals.c: signals that other processes send, and when SIGPIPE comes */
bool try_two_signals(void);
bool try_first_process(void);
bool try_ignored_stop(void);
bool try_time_amid_signals(void);
bool try_no_sigpipe(void);
bool try_sigpipe_afterwards(void);
bool try_blocked_sigpipe(void);
bool try_sent_sigpipe(void);

/* edge-cases-receive.c: receives that end before they have all bytes, even without a tracer */
bool try_urgent_mark(void);
bool try_low_mark_at_urgent(void);
bool try_peek_offset(void);
bool try_local_peek(void);
bool try_told_sender(void);
bool try_descriptors(void);
bool try_mark_between_elements(void);
bool try_mark_between_messages(void);
bool try_blocked_continue(void);
bool try_end_of_messages(void);
bool try_limit_of_each_message(void);
bool try_time_for_messages(void);

#endif
