/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of system calls in which threads wait, and of what their arguments say. */
#include "config.h"

#include <sys/syscall.h>

#include "supervisor/blocked/blocked.h"

/* newer than the kernel headers of some distributions; the number is the same on all machines */
#define CALL_FUTEX_WAIT 455

struct known_call {
    int32_t number;
    struct blocked_call call;
};

static const struct known_call known_calls[] = {
    {SYS_read, {BLOCKED_FILE, 0}},
    {SYS_write, {BLOCKED_FILE, 0}},
    {SYS_pread64, {BLOCKED_FILE, 0}},
    {SYS_pwrite64, {BLOCKED_FILE, 0}},
    {SYS_readv, {BLOCKED_FILE, 0}},
    {SYS_writev, {BLOCKED_FILE, 0}},
    {SYS_preadv, {BLOCKED_FILE, 0}},
    {SYS_pwritev, {BLOCKED_FILE, 0}},
    {SYS_preadv2, {BLOCKED_FILE, 0}},
    {SYS_pwritev2, {BLOCKED_FILE, 0}},
    {SYS_recvfrom, {BLOCKED_FILE, 0}},
    {SYS_recvmsg, {BLOCKED_FILE, 0}},
    {SYS_recvmmsg, {BLOCKED_FILE, 0}},
    {SYS_sendto, {BLOCKED_FILE, 0}},
    {SYS_sendmsg, {BLOCKED_FILE, 0}},
    {SYS_sendmmsg, {BLOCKED_FILE, 0}},
    {SYS_accept, {BLOCKED_FILE, 0}},
    {SYS_accept4, {BLOCKED_FILE, 0}},
    {SYS_connect, {BLOCKED_FILE, 0}},
    {SYS_shutdown, {BLOCKED_FILE, 0}},
    {SYS_sendfile, {BLOCKED_FILE, 1}},
    {SYS_splice, {BLOCKED_FILE, 0}},
    {SYS_tee, {BLOCKED_FILE, 0}},
    {SYS_vmsplice, {BLOCKED_FILE, 0}},
    {SYS_copy_file_range, {BLOCKED_FILE, 0}},
    {SYS_flock, {BLOCKED_FLOCK, 0}},
    {SYS_fcntl, {BLOCKED_FCNTL, 0}},
    {SYS_ioctl, {BLOCKED_FILE, 0}},
    {SYS_fsync, {BLOCKED_FILE, 0}},
    {SYS_fdatasync, {BLOCKED_FILE, 0}},
    {SYS_syncfs, {BLOCKED_FILE, 0}},
    {SYS_sync_file_range, {BLOCKED_FILE, 0}},
    {SYS_fallocate, {BLOCKED_FILE, 0}},
    {SYS_ftruncate, {BLOCKED_FILE, 0}},
    {SYS_getdents64, {BLOCKED_FILE, 0}},
    {SYS_fstat, {BLOCKED_FILE, 0}},
    {SYS_mq_timedsend, {BLOCKED_FILE, 0}},
    {SYS_mq_timedreceive, {BLOCKED_FILE, 0}},
    {SYS_io_uring_enter, {BLOCKED_FILE, 0}},
    {SYS_ppoll, {BLOCKED_POLL, 0}},
    {SYS_pselect6, {BLOCKED_SELECT, 0}},
    {SYS_epoll_pwait, {BLOCKED_EPOLL, 0}},
    {SYS_epoll_pwait2, {BLOCKED_EPOLL, 0}},
    {SYS_openat, {BLOCKED_PATH, 1}},
    {SYS_newfstatat, {BLOCKED_PATH, 1}},
    {SYS_statx, {BLOCKED_PATH, 1}},
    {SYS_unlinkat, {BLOCKED_PATH, 1}},
    {SYS_mkdirat, {BLOCKED_PATH, 1}},
    {SYS_renameat2, {BLOCKED_PATH, 1}},
    {SYS_readlinkat, {BLOCKED_PATH, 1}},
    {SYS_faccessat, {BLOCKED_PATH, 1}},
    {SYS_faccessat2, {BLOCKED_PATH, 1}},
    {SYS_truncate, {BLOCKED_PATH, 0}},
    {SYS_execve, {BLOCKED_PATH, 0}},
    {SYS_futex, {BLOCKED_FUTEX, 0}},
    {CALL_FUTEX_WAIT, {BLOCKED_FUTEX2, 0}},
    {SYS_wait4, {BLOCKED_CHILD, 0}},
    {SYS_waitid, {BLOCKED_CHILD_ID, 0}},
    {SYS_msgrcv, {BLOCKED_IPC, 0}},
    {SYS_msgsnd, {BLOCKED_IPC, 0}},
    {SYS_semop, {BLOCKED_IPC, 0}},
    {SYS_semtimedop, {BLOCKED_IPC, 0}},
    {SYS_nanosleep, {BLOCKED_TIME, 0}},
    {SYS_clock_nanosleep, {BLOCKED_TIME, 0}},
    {SYS_rt_sigsuspend, {BLOCKED_SIGNAL, 0}},
    {SYS_rt_sigtimedwait, {BLOCKED_SIGNAL, 0}},
#ifdef __x86_64__ /* newer machines have only the calls above */
    {SYS_poll, {BLOCKED_POLL, 0}},
    {SYS_select, {BLOCKED_SELECT, 0}},
    {SYS_epoll_wait, {BLOCKED_EPOLL, 0}},
    {SYS_open, {BLOCKED_PATH, 0}},
    {SYS_stat, {BLOCKED_PATH, 0}},
    {SYS_lstat, {BLOCKED_PATH, 0}},
    {SYS_access, {BLOCKED_PATH, 0}},
    {SYS_unlink, {BLOCKED_PATH, 0}},
    {SYS_mkdir, {BLOCKED_PATH, 0}},
    {SYS_rmdir, {BLOCKED_PATH, 0}},
    {SYS_rename, {BLOCKED_PATH, 0}},
    {SYS_readlink, {BLOCKED_PATH, 0}},
    {SYS_pause, {BLOCKED_SIGNAL, 0}},
#endif
};

struct blocked_call blocked_call_by_number(int32_t number)
{
    for (size_t i = 0; i < sizeof known_calls / sizeof *known_calls; i++)
        if (known_calls[i].number == number)
            return known_calls[i].call;
    return (struct blocked_call){BLOCKED_UNKNOWN, 0};
}
