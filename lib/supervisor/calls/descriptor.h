/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* descriptor: finds out properties of a file that a tracee has open. */
#ifndef PPROFIL_DESCRIPTOR_H
#define PPROFIL_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Identifies a file. */
struct file_identity {
    dev_t volume;
    uint64_t inode;
};

/* Properties of a file that a tracee has open. */
struct descriptor {
    struct file_identity file;
    mode_t type;  /* file type: S_IFMT bits of its mode */
    dev_t device; /* device number of a device file */
    bool nonblocking;
    /* true for a socket or a terminal whose descriptor cannot be copied, so that its options or settings are not known.
     * Then `terminal` is the only valid field below; for a socket, also `local` and `stream`, if the name of the
     * protocol shows them */
    bool opaque;
    /* a socket that transfers a stream of bytes instead of messages, and that obeys MSG_WAITALL and SO_RCVLOWAT */
    bool stream;
    bool terminal;
    bool packets;            /* a pipe in which each write is a packet of its own (O_DIRECT of pipe(2)) */
    bool local;              /* a socket of AF_UNIX */
    /* a local socket on which no receive returns data of two senders (SO_PASSCRED of unix(7)) */
    bool passes_credentials;
    /* a socket on which a receive with MSG_PEEK begins where the former one ended (SO_PEEK_OFF) */
    bool peek_advances;
    bool at_mark;            /* a socket on which the reader has reached urgent data (sockatmark(3)) */
    uint64_t send_limit_ns, receive_limit_ns; /* time limits of a socket; 0: none */
    /* a read waits until it has at least this number of bytes; 0: it does not wait for a certain number */
    uint64_t read_min;
};

/* Fills *descriptor in. Takes some microseconds. For a nonblocking file that is no terminal, fills in only `file`,
 * `type`, `device`, `packets` and `nonblocking`: the other fields are not needed. Returns 0 or -errno. */
int descriptor_look(pid_t pid, pid_t tid, int fd, struct descriptor *descriptor);

/* Finds out to which file a descriptor refers, and sets *file to the identity of that file. Returns 0 or -errno. */
int descriptor_file(pid_t pid, pid_t tid, int fd, struct file_identity *file);

/* descriptor_size reads the size of a regular file, and descriptor_position the position of a descriptor in its file;
 * both in bytes. They return 0 or -errno. */
int descriptor_size(pid_t pid, pid_t tid, int fd, uint64_t *size);
int descriptor_position(pid_t pid, pid_t tid, int fd, uint64_t *position);

/* Returns how many bytes are in a pipe; 0 also if their number cannot be read. Waits for the lock of the pipe. */
uint64_t descriptor_readable(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Returns true if the reader of a socket has reached urgent data: sockatmark(3). */
bool descriptor_is_at_mark(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Clears the pending error of a socket (SO_ERROR in socket(7)). If a recvmmsg(2) was interrupted after some messages,
 * it has stored the error ERESTARTSYS in the socket (do_recvmmsg in net/socket.c). The next call on the socket would
 * return this error, 512, which no program expects. If another error ended the recvmmsg at the moment at which we
 * stopped it, that error is lost. Does nothing to a socket whose descriptor cannot be copied. */
void descriptor_clear_error(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Returns true if the descriptor still refers to this file. Another thread may have closed or replaced it: dup2(2). */
bool descriptor_is(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

#endif
