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
    /* a socket or a terminal whose descriptor cannot be copied. Then only terminal is valid among the fields below. For
     * a socket, local and stream are also valid, as far as the name of the protocol shows them */
    bool opaque;
    bool stream; /* a socket that does not keep messages apart, and that obeys MSG_WAITALL and SO_RCVLOWAT */
    bool terminal;
    bool packets;            /* a pipe that keeps writes apart: O_DIRECT of pipe(2) */
    bool local;              /* a socket of AF_UNIX */
    bool passes_credentials; /* a local socket that keeps data of different senders apart: SO_PASSCRED of unix(7) */
    bool peek_advances;      /* a socket on which each MSG_PEEK continues where the last one ended: SO_PEEK_OFF */
    bool at_mark;            /* a socket that has reached urgent data: sockatmark(3) */
    uint64_t send_limit_ns, receive_limit_ns; /* time limits of a socket; 0: none */
    uint64_t read_min;                        /* number of bytes that a read waits for; 0: a read returns any number */
};

/* Fills *descriptor in. Takes some microseconds. For a nonblocking file that is no terminal, finds out only file, type,
 * device, packets and nonblocking, because no other property is needed. Returns 0 or -errno. */
int descriptor_look(pid_t pid, pid_t tid, int fd, struct descriptor *descriptor);

/* Identifies the file of a descriptor. Returns 0 or -errno. */
int descriptor_file(pid_t pid, pid_t tid, int fd, struct file_identity *file);

/* Reads the size of a regular file, bytes. Returns 0 or -errno. descriptor_position reads the position of the
 * descriptor in its file in the same way. */
int descriptor_size(pid_t pid, pid_t tid, int fd, uint64_t *size);
int descriptor_position(pid_t pid, pid_t tid, int fd, uint64_t *position);

/* Returns the number of bytes in a pipe; 0 also if the number cannot be read. Waits for the lock of the pipe. */
uint64_t descriptor_readable(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Returns true if a socket has reached urgent data: sockatmark(3). */
bool descriptor_is_at_mark(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Clears the pending error of a socket (SO_ERROR in socket(7)). A recvmmsg(2) that was interrupted after some messages
 * leaves ERESTARTSYS in the socket (do_recvmmsg in net/socket.c). The next call on the socket would return 512, an
 * error that no program expects. If another error ended the recvmmsg just as we stopped it, that error is lost. Does
 * nothing to a socket whose descriptor cannot be copied. */
void descriptor_clear_error(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Returns true if the descriptor still refers to this file. Another thread may have closed or replaced it: dup2(2). */
bool descriptor_is(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

#endif
