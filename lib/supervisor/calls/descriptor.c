/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out properties of the file of a tracee's descriptor: proc_pid_fd(5), proc_pid_fdinfo(5). /proc does not show
 * the options of a socket or the settings of a terminal. They are read through a copy of the descriptor
 * (pidfd_getfd(2)). The copy exists only for some microseconds, while the tracee is stopped after a call on that file.
 * If there is no copy, descriptor->opaque is true: Linux 5.3 to 5.5 do not have pidfd_getfd, and the seccomp filter of
 * a container may forbid it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#include "supervisor/calls/descriptor.h"

#define PATH_SIZE 64
#define OPEN_THREAD O_EXCL /* PIDFD_THREAD, defined since Linux 6.9 */
#ifndef AF_SMC
#define AF_SMC 43
#endif
#ifndef IPPROTO_SMC
#define IPPROTO_SMC 256 /* Linux 6.11 */
#endif
#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262 /* Linux 5.6 */
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438 /* Linux 5.6 */
#endif
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76 /* Linux 6.5 */
#endif

/* Reads a number from /proc/PID/task/TID/fdinfo/FD. field: name of the field that contains the number, including the
 * colon. Returns 0 or -errno. */
static int descriptor_read_number(pid_t pid, pid_t tid, int fd, const char *field, int base, uint64_t *number)
{
    char path[PATH_SIZE], text[128];

    snprintf(path, sizeof path, "/proc/%d/task/%d/fdinfo/%d", pid, tid, fd);
    int info = open(path, O_RDONLY | O_CLOEXEC);
    if (info < 0)
        return -errno;
    ssize_t got = read(info, text, sizeof text - 1);
    close(info);
    if (got <= 0)
        return -EIO;
    text[got] = '\0';
    const char *at = strstr(text, field);
    if (at == NULL)
        return -EIO;
    *number = strtoull(at + strlen(field), NULL, base);
    return 0;
}

static int descriptor_read_flags(pid_t pid, pid_t tid, int fd, struct descriptor *descriptor)
{
    uint64_t flags = 0;
    int error = descriptor_read_number(pid, tid, fd, "flags:", 8, &flags);

    descriptor->nonblocking = (flags & O_NONBLOCK) != 0;
    descriptor->packets = S_ISFIFO(descriptor->type) && (flags & O_DIRECT) != 0;
    return error;
}

int descriptor_position(pid_t pid, pid_t tid, int fd, uint64_t *position)
{
    return descriptor_read_number(pid, tid, fd, "pos:", 10, position);
}

/* Reads the type, inode number and size of a file. With AT_STATX_DONT_SYNC the kernel does not ask the process that
 * serves the file system, which may be a stopped tracee. Returns 0 or -errno. */
static int descriptor_look_at_inode(int directory, const char *path, struct statx *found)
{
    int flags = AT_STATX_DONT_SYNC | AT_EMPTY_PATH;

    return statx(directory, path, flags, STATX_TYPE | STATX_INO | STATX_SIZE, found) < 0 ? -errno : 0;
}

static struct file_identity descriptor_identity(const struct statx *found)
{
    return (struct file_identity){.volume = makedev(found->stx_dev_major, found->stx_dev_minor),
                                  .inode = found->stx_ino};
}

static bool descriptor_is_same_file(const struct statx *found, const struct file_identity *file)
{
    struct file_identity other = descriptor_identity(found);

    return other.volume == file->volume && other.inode == file->inode;
}

static void descriptor_path(char path[PATH_SIZE], pid_t pid, pid_t tid, int fd)
{
    snprintf(path, PATH_SIZE, "/proc/%d/task/%d/fd/%d", pid, tid, fd);
}

static int descriptor_look_at_file(pid_t pid, pid_t tid, int fd, struct statx *found)
{
    char path[PATH_SIZE];

    descriptor_path(path, pid, tid, fd);
    return descriptor_look_at_inode(AT_FDCWD, path, found);
}

int descriptor_size(pid_t pid, pid_t tid, int fd, uint64_t *size)
{
    struct statx found;
    int error = descriptor_look_at_file(pid, tid, fd, &found);

    *size = error == 0 ? found.stx_size : 0;
    return error;
}

int descriptor_file(pid_t pid, pid_t tid, int fd, struct file_identity *file)
{
    struct statx found;
    int error = descriptor_look_at_file(pid, tid, fd, &found);

    if (error == 0)
        *file = descriptor_identity(&found);
    return error;
}

bool descriptor_is(pid_t pid, pid_t tid, int fd, const struct file_identity *file)
{
    struct statx found;

    return descriptor_look_at_file(pid, tid, fd, &found) == 0 && descriptor_is_same_file(&found, file);
}

/* Returns a copy of a descriptor of the thread; -1: none. The caller closes the copy. Before Linux 6.9, the descriptor
 * is looked up in the descriptor table of the process. If the thread has a table of its own, the copy may then refer to
 * another file. So the file of the copy is compared with `expected`. */
static int descriptor_copy(pid_t pid, pid_t tid, int fd, const struct file_identity *expected)
{
    struct statx found;
    int process = (int)syscall(SYS_pidfd_open, tid, OPEN_THREAD);

    if (process < 0)
        process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process < 0)
        return -1;
    int copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
    close(process);
    if (copy < 0)
        return -1;
    if (descriptor_look_at_inode(copy, "", &found) == 0 && descriptor_is_same_file(&found, expected))
        return copy;
    close(copy);
    return -1;
}

static uint64_t descriptor_socket_limit(int copy, int option)
{
    struct timeval limit;
    socklen_t size = sizeof limit;

    if (getsockopt(copy, SOL_SOCKET, option, &limit, &size) < 0)
        return 0;
    return (uint64_t)limit.tv_sec * 1000000000 + (uint64_t)limit.tv_usec * 1000;
}

static int descriptor_socket_option(int copy, int option, int otherwise)
{
    int value = otherwise;
    socklen_t size = sizeof value;

    return getsockopt(copy, SOL_SOCKET, option, &value, &size) == 0 ? value : otherwise;
}

static bool descriptor_copy_is_at_mark(int copy)
{
    int mark = 0;

    return ioctl(copy, SIOCATMARK, &mark) == 0 && mark != 0;
}

/* Returns true for a socket that transfers a stream of bytes, and on which a receive can wait for all the bytes that it
 * was asked for (its recvmsg uses sock_rcvlowat). A socket of SCTP may also have type SOCK_STREAM, but returns one
 * message at a time: sctp_recvmsg in net/sctp/socket.c. */
static bool descriptor_is_byte_stream(int copy, int domain)
{
    int protocol;

    if (descriptor_socket_option(copy, SO_TYPE, -1) != SOCK_STREAM)
        return false;
    if (domain != AF_INET && domain != AF_INET6)
        return domain == AF_UNIX || domain == AF_VSOCK || domain == AF_SMC || domain == AF_TIPC ||
               domain == AF_BLUETOOTH || domain == AF_CAIF;
    protocol = descriptor_socket_option(copy, SO_PROTOCOL, -1);
    return protocol == IPPROTO_TCP || protocol == IPPROTO_MPTCP || protocol == IPPROTO_SMC;
}

static void descriptor_look_at_socket(int copy, struct descriptor *descriptor)
{
    int domain = descriptor_socket_option(copy, SO_DOMAIN, -1);

    descriptor->local = domain == AF_UNIX;
    descriptor->stream = descriptor_is_byte_stream(copy, domain);
    /* SO_RCVLOWAT can also be set on a socket that transfers messages, but has no effect there */
    int low_mark = descriptor->stream ? descriptor_socket_option(copy, SO_RCVLOWAT, 0) : 0;
    descriptor->read_min = low_mark > 1 ? (uint64_t)low_mark : 0;
    descriptor->peek_advances = descriptor_socket_option(copy, SO_PEEK_OFF, -1) >= 0;
    descriptor->passes_credentials = descriptor->local && (descriptor_socket_option(copy, SO_PASSCRED, 0) != 0 ||
                                                           descriptor_socket_option(copy, SO_PASSPIDFD, 0) != 0);
    descriptor->at_mark = descriptor->stream && descriptor_copy_is_at_mark(copy);
    descriptor->send_limit_ns = descriptor_socket_limit(copy, SO_SNDTIMEO);
    descriptor->receive_limit_ns = descriptor_socket_limit(copy, SO_RCVTIMEO);
}

/* Looks at a socket whose descriptor cannot be copied. The options of such a socket cannot be read, but an extended
 * attribute contains the name of its protocol (sockfs_xattr_get in net/socket.c). The names are those in the kernel's
 * struct proto. Before Linux 5.15 all sockets of AF_UNIX have the name "UNIX". */
static void descriptor_look_at_protocol(pid_t pid, pid_t tid, int fd, struct descriptor *descriptor)
{
    static const char *const streams[] = {"TCP", "TCPv6", "MPTCP", "MPTCPv6", "UNIX-STREAM", "SMC", "SMC6"};
    char path[PATH_SIZE], name[PATH_SIZE];

    descriptor_path(path, pid, tid, fd);
    ssize_t length = getxattr(path, "system.sockprotoname", name, sizeof name - 1);
    name[length > 0 ? length : 0] = '\0';
    descriptor->local = strncmp(name, "UNIX", 4) == 0;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (strcmp(name, streams[i]) == 0)
            descriptor->stream = true;
}

/* Finds out from the device number and from sysfs whether a device is a terminal:
 * Documentation/admin-guide/devices.txt. Makes no ioctl on the device itself, because its driver may be a program
 * (CUSE), possibly even a stopped tracee. */
static bool descriptor_is_terminal_device(dev_t device)
{
    char path[PATH_SIZE], subsystem[256];
    unsigned number = major(device);

    if (number == 4 || number == 5 || (number >= 128 && number <= 143))
        return true;
    snprintf(path, sizeof path, "/sys/dev/char/%u:%u/subsystem", number, minor(device));
    ssize_t length = readlink(path, subsystem, sizeof subsystem);
    return length > 4 && memcmp(subsystem + length - 4, "/tty", 4) == 0;
}

/* Reads the settings of a terminal. If TIME is 0, a read waits for MIN bytes: termios(3), "Noncanonical mode". The
 * master of a pseudo-terminal shows the settings of the slave (tty_mode_ioctl), but a read of the master waits only for
 * one byte. */
static void descriptor_look_at_terminal(int copy, struct descriptor *descriptor)
{
    struct termios settings;
    unsigned slave;

    descriptor->terminal = tcgetattr(copy, &settings) == 0;
    if (!descriptor->terminal || ioctl(copy, TIOCGPTN, &slave) == 0)
        return;
    if ((settings.c_lflag & ICANON) == 0 && settings.c_cc[VTIME] == 0 && settings.c_cc[VMIN] > 1)
        descriptor->read_min = settings.c_cc[VMIN];
}

int descriptor_look(pid_t pid, pid_t tid, int fd, struct descriptor *descriptor)
{
    struct statx found;

    *descriptor = (struct descriptor){0};
    int error = descriptor_look_at_file(pid, tid, fd, &found);
    if (error != 0)
        return error;
    mode_t mode = found.stx_mode;
    descriptor->file = descriptor_identity(&found);
    descriptor->type = mode & S_IFMT;
    descriptor->device = makedev(found.stx_rdev_major, found.stx_rdev_minor);
    if (!S_ISSOCK(mode) && !S_ISFIFO(mode) && !S_ISCHR(mode))
        return 0;
    error = descriptor_read_flags(pid, tid, fd, descriptor);
    if (error != 0)
        return error;
    bool terminal = S_ISCHR(mode) && descriptor_is_terminal_device(descriptor->device);
    if ((descriptor->nonblocking && !terminal) || (!S_ISSOCK(mode) && !terminal))
        return 0;
    int copy = descriptor_copy(pid, tid, fd, &descriptor->file);
    descriptor->opaque = copy < 0;
    if (descriptor->opaque && terminal)
        descriptor->terminal = true;
    else if (descriptor->opaque)
        descriptor_look_at_protocol(pid, tid, fd, descriptor);
    else if (terminal)
        descriptor_look_at_terminal(copy, descriptor);
    else
        descriptor_look_at_socket(copy, descriptor);
    if (copy >= 0)
        close(copy);
    return 0;
}

/* Opens the pipe to which descriptor `fd` of the tracee refers, for reading; used if `fd` cannot be copied. Returns a
 * new descriptor, which the caller soon closes; -1: the pipe cannot be opened. */
static int descriptor_open_pipe(pid_t pid, pid_t tid, int fd, const struct file_identity *file)
{
    char path[PATH_SIZE];
    struct statx found;

    if (descriptor_look_at_file(pid, tid, fd, &found) != 0 || !S_ISFIFO(found.stx_mode) ||
        !descriptor_is_same_file(&found, file))
        return -1;
    descriptor_path(path, pid, tid, fd);
    /* O_NOCTTY: the target may have replaced the pipe by a terminal meanwhile */
    return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

uint64_t descriptor_readable(pid_t pid, pid_t tid, int fd, const struct file_identity *file)
{
    int readable = 0, copy = descriptor_copy(pid, tid, fd, file);

    if (copy < 0)
        copy = descriptor_open_pipe(pid, tid, fd, file);
    if (copy < 0 || ioctl(copy, FIONREAD, &readable) < 0)
        readable = 0;
    if (copy >= 0)
        close(copy);
    return (uint64_t)readable;
}

bool descriptor_is_at_mark(pid_t pid, pid_t tid, int fd, const struct file_identity *file)
{
    int copy = descriptor_copy(pid, tid, fd, file);
    bool at_mark = copy >= 0 && descriptor_copy_is_at_mark(copy);

    if (copy >= 0)
        close(copy);
    return at_mark;
}

void descriptor_clear_error(pid_t pid, pid_t tid, int fd, const struct file_identity *file)
{
    int error, copy = descriptor_copy(pid, tid, fd, file);
    socklen_t size = sizeof error;

    if (copy < 0)
        return;
    getsockopt(copy, SOL_SOCKET, SO_ERROR, &error, &size);
    close(copy);
}
