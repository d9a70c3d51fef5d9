/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edges: each case tries once, and returns true if all is as it is without a tracer. */
#ifndef PPROFIL_TEST_EDGES_H
#define PPROFIL_TEST_EDGES_H

#include <stdbool.h>
#include <sys/types.h>

/* edges.c: monotonic time, s; and sets SO_RCVTIMEO or SO_SNDTIMEO to so many us */
double now(void);
void limit_socket(int fd, int option, suseconds_t limit);
/* shared with child processes: how late one of them was, in seconds */
double *shared_time(void);
/* late: a step of this try came too late, so the try may go wrong without a tracer, too */
void note_lateness(bool late);
/* forks a process that reads from fd up to its end, 4 KiB at a time, and has not the other end */
pid_t reader_of_all(int fd, int other);

/* edges-signals.c: calls that signals meet, and time limits that they may not change */
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

/* edges-short.c: calls that are short by themselves, or may be continued only in one way */
bool try_no_wait(void);
bool try_time_of_messages(void);
bool try_control_of_messages(void);
bool try_call_behind_hole(void);
bool try_records(void);
bool try_low_mark(void);
bool try_low_mark_of_messages(void);
bool try_terminal_master(void);
bool try_largest_write(void);
bool try_replaced_file(void);
bool try_filtered(void);

/* edges-bounds.c: calls on files and pipes, and sends, that end at a bound of their own */
bool try_copy_to_limit(void);
bool try_append_to_itself(void);
bool try_most_messages(void);
bool try_packets(void);
/* makes a file without a name of so many bytes */
int temporary_file(off_t size);

/* edges-sent.c: signals that another process sends */
bool try_two_signals(void);
bool try_first_process(void);
bool try_ignored_stop(void);
bool try_time_amid_signals(void);
/* are all that another process sends amid writes handled? */
bool gets_signals(const int *signals, int count);

/* edges-receive.c: receives that do */
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

/* edges-sigpipe.c: who gets SIGPIPE */
bool try_no_sigpipe(void);
bool try_sigpipe_afterwards(void);
bool try_blocked_sigpipe(void);
bool try_sent_sigpipe(void);

#endif
