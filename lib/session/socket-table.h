/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* socket-table: the addresses of sockets, from /proc/PID/net (proc_pid_net(5)) and sock_diag(7). */
#ifndef PPROFIL_SOCKET_TABLE_H
#define PPROFIL_SOCKET_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SOCKET_ADDRESS_SIZE 112 /* bytes of an address as text, such as "[2001:db8::1]:443" or a path */

struct socket_entry {
    uint64_t inode;
    bool listens;
    bool is_unix;
    char local[SOCKET_ADDRESS_SIZE]; /* "": it has no address */
    char peer[SOCKET_ADDRESS_SIZE];  /* "": it is not connected; always "" for a UNIX socket */
};

/* An empty structure is all 0. */
struct socket_table {
    struct socket_entry *all; /* owned */
    uint32_t count;
    uint64_t namespace_id; /* network namespace whose sockets are in the table */
    uint64_t look_after;   /* /proc is not read again before this time, CLOCK_MONOTONIC, ns; 0: it was not read yet */
};

/* Returns a socket in the network namespace of a process; NULL: it is not known. The result is valid until the next
 * call. Reads /proc again if it is not found, but for at most 5 % of the time, so that the client keeps up. */
const struct socket_entry *socket_table_find(struct socket_table *table, pid_t pid, uint64_t inode);
/* Returns the socket at the other end of a connection, if it is in the table, which was just searched; NULL: it is
 * not. */
const struct socket_entry *socket_table_peer(const struct socket_table *table, const struct socket_entry *socket);
void socket_table_clear(struct socket_table *table);

/* Returns the inode of the UNIX socket to which a UNIX socket of our own network namespace is connected; 0: not
 * known. */
uint64_t socket_unix_peer(uint64_t inode);

/* Parses a line of /proc/PID/net/tcp, tcp6, udp or udp6. Returns false if it is none. */
bool socket_parse_inet(const char *line, struct socket_entry *socket);
/* Parses a line of /proc/PID/net/unix. Returns false if it is none. */
bool socket_parse_unix(const char *line, struct socket_entry *socket);

#endif
