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
    mode_t type;             /* S_IFMT of it */
    dev_t device;            /* of a device file */
    bool nonblocking;
    bool opaque;             /* a socket or a terminal that cannot be copied: only terminal, and of a socket whose
                              * protocol has a name of its own local and stream, are found out of what follows */
    bool stream;             /* a socket without bounds of messages, which heeds MSG_WAITALL and SO_RCVLOWAT */
    bool terminal;
    bool packets;            /* a pipe that keeps writes apart: O_DIRECT of pipe(2) */
    bool local;              /* a socket of AF_UNIX */
    bool passes_credentials;       /* a local socket that joins nothing of different senders: SO_PASSCRED of unix(7) */
    bool peek_advances;           /* a socket on which each MSG_PEEK goes on where the last ended: SO_PEEK_OFF */
    bool at_mark;            /* a socket that has come to urgent data: sockatmark(3) */
    uint64_t send_limit_ns, receive_limit_ns; /* of a socket; 0: none */
    uint64_t read_min;       /* bytes that a read waits for; 0: for any */
};

/* 0 or -errno. Takes some microseconds. Of one that does not block, but for a terminal, only file, type, device,
 * packets and nonblocking are found out: no call on it is continued. */
int descriptor_look(pid_t pid, pid_t tid, int fd, struct descriptor *descriptor);

/* Which file it stands for. 0 or -errno. */
int descriptor_file(pid_t pid, pid_t tid, int fd, struct file_identity *file);

/* A regular file's size, and the position of the descriptor in it, bytes. 0 or -errno. */
int descriptor_size(pid_t pid, pid_t tid, int fd, uint64_t *size);
int descriptor_position(pid_t pid, pid_t tid, int fd, uint64_t *position);

/* How many bytes are in that pipe; 0, too, where it cannot be told. It waits for the pipe's lock. */
uint64_t descriptor_readable(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Has a socket come to urgent data: sockatmark(3)? */
bool descriptor_is_at_mark(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Takes the pending error of a socket away (SO_ERROR in socket(7)). A recvmmsg(2) that was interrupted after some
 * messages leaves ERESTARTSYS there for the next call, which would return it: 512, an error that no program knows
 * (do_recvmmsg in net/socket.c). If the call ended by another error just as we stopped it, that one is lost. Nothing
 * is taken away from an opaque socket. */
void descriptor_clear_error(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

/* Does a descriptor still stand for that file? Another thread may have closed it, or put another one in
 * its place: dup2(2). */
bool descriptor_is(pid_t pid, pid_t tid, int fd, const struct file_identity *file);

#endif
