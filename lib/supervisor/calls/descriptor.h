/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* descriptor: a file that a tracee has open. */
#ifndef PPROFIL_DESCRIPTOR_H
#define PPROFIL_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Which file a descriptor stands for. */
struct file_identity {
    dev_t volume;
    uint64_t inode;
};

/* A file that a tracee has open. */
struct descriptor {
    struct file_identity file;
    mode_t type;  /* the file type: S_IFMT bits of its mode */
    dev_t device; /* the number of a device file */
    bool nonblocking;
    /* a socket or a terminal that cannot be copied: of the members below only terminal is found out, and for a socket
     * whose protocol has a name of its own local and stream */
    bool opaque;
    bool stream; /* a socket that does not keep messages apart, and that heeds MSG_WAITALL and SO_RCVLOWAT */
    bool terminal;
    bool packets;            /* a pipe that keeps writes apart: O_DIRECT of pipe(2) */
    bool local;              /* a socket of AF_UNIX */
    bool passes_credentials; /* a local socket that joins nothing of different senders: SO_PASSCRED of unix(7) */
    bool peek_advances;      /* a socket on which each MSG_PEEK goes on where the last one ended: SO_PEEK_OFF */
    bool at_mark;            /* a socket that has come to urgent data: sockatmark(3) */
    uint64_t send_limit_ns, receive_limit_ns; /* time limits of a socket; 0: none */
    uint64_t read_min;                        /* the number of bytes that a read waits for; 0: for any number */
};

/* Finds out what the descriptor stands for. Takes some microseconds. For a file that does not block, unless it is a
 * terminal, only file, type, device, packets and nonblocking are found out: no call on such a file is continued.
 * Returns 0 or -errno. */
int descriptor_look(pid_t pid, pid_t tid, int fd, struct descriptor *descriptor);

/* Finds out which file the descriptor stands for. Returns 0 or -errno. */
int descriptor_file(pid_t pid, pid_t tid, int fd, struct file_identity *file);

/* Read the size of a regular file, and the position of the descriptor in it, bytes. Return 0 or -errno. */
int descriptor_size(pid_t pid, pid_t tid, int fd, uint64_t *size);
int descriptor_position(pid_t pid, pid_t tid, int fd, uint64_t *position);

/* Returns how many bytes are in that pipe; 0 also where that cannot be told. Waits for the lock of the pipe. */
uint64_t descriptor_readable(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Returns true if a socket has come to urgent data: sockatmark(3). */
bool descriptor_is_at_mark(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Takes the pending error of a socket away (SO_ERROR in socket(7)). A recvmmsg(2) that was interrupted after some
 * messages leaves ERESTARTSYS there for the next call, which would return it: 512, an error that no program knows
 * (do_recvmmsg in net/socket.c). If the call ended by another error just as we stopped it, that error is lost. Nothing
 * is taken away from an opaque socket. */
void descriptor_clear_error(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Returns true if a descriptor still stands for that file. Another thread may have closed it, or put another one in its
 * place: dup2(2). */
bool descriptor_is(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

#endif
