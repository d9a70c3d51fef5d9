/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of supervisor/calls: what is left of calls that were cut short. The memory of the test itself serves as the
 * target's memory. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/calls/calls.h"
#include "supervisor/proc/procfs.h"

#define PIPE_SIZE 65536 /* pipe(7) */

static uint64_t address(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static struct regs_call make(int32_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, int64_t result)
{
    return (struct regs_call){
        .abi = REGS_ABI_NATIVE, .number = number, .arguments = {a, b, c, d, 0, 0}, .result = result};
}

/* Builds the next piece of a call, that is, a call for a part of what is left. Returns 1 if there is a piece, 0 if
 * nothing is left, or -errno. `part` is the value of progress.part. */
static int next(const struct regs_call *call, bool is_socket, uint64_t part, struct regs_call *piece)
{
    struct call_request request;
    struct call_progress progress = {.done = (uint64_t)call->result, .part = part};

    cr_assert(call_decode(getpid(), call, &request));
    request.target.is_socket = request.target.is_stream = is_socket;
    int64_t asked = call_next_piece(getpid(), call, &request, &progress, piece);
    return asked > 0 ? 1 : (int)asked;
}

Test(calls, rest_of_a_buffer)
{
    char bytes[100];
    struct regs_call piece, call = make(SYS_write, 7, address(bytes), 100, 0, 30);

    cr_assert_eq(next(&call, false, 0, &piece), 1);
    cr_assert_eq(piece.number, SYS_write);
    cr_assert_eq(piece.arguments[0], 7);
    cr_assert_eq(piece.arguments[1], address(bytes + 30));
    cr_assert_eq(piece.arguments[2], 70);
    call.result = 100;
    cr_assert_eq(next(&call, false, 0, &piece), 0);
}

Test(calls, a_socket_gets_sends_that_raise_no_signal)
{
    char bytes[100];
    struct regs_call piece, call = make(SYS_write, 7, address(bytes), 100, 0, 30);

    cr_assert_eq(next(&call, true, 0, &piece), 1);
    cr_assert_eq(piece.number, SYS_sendto);
    cr_assert_eq(piece.arguments[3], MSG_NOSIGNAL);
    cr_assert_eq(piece.arguments[4], 0);
}

Test(calls, rest_of_an_element_of_a_vector)
{
    char bytes[100];
    const struct iovec vector[] = {{bytes, 10}, {bytes + 10, 0}, {bytes + 20, 50}};
    struct regs_call piece, call = make(SYS_pwritev, 7, address(vector), 3, 1000, 15);

    cr_assert_eq(next(&call, false, 0, &piece), 1);
    cr_assert_eq(piece.number, SYS_pwrite64);
    cr_assert_eq(piece.arguments[1], address(bytes + 25));
    cr_assert_eq(piece.arguments[2], 45);
    cr_assert_eq(piece.arguments[3], 1015);
    call.result = 60;
    cr_assert_eq(next(&call, false, 0, &piece), 0);
}

Test(calls, elements_behind_the_one_that_was_cut)
{
    char bytes[100];
    const struct iovec vector[] = {{bytes, 10}, {bytes + 10, 20}, {bytes + 30, 30}};
    struct regs_call piece, call = make(SYS_pwritev, 7, address(vector), 3, 1000, 10);

    cr_assert_eq(next(&call, false, 0, &piece), 1);
    cr_assert_eq(piece.number, SYS_pwritev);
    cr_assert_eq(piece.arguments[1], address(vector + 1));
    cr_assert_eq(piece.arguments[2], 2);
    cr_assert_eq(piece.arguments[3], 1010);
    cr_assert_eq(next(&call, true, 0, &piece), 1);
    cr_assert_eq(piece.number, SYS_sendto);
}

/* The call was cut after 1000 bytes. The pages of the pipe have 64 bytes. */
Test(calls, a_piece_ends_with_the_page_of_the_pipe_that_it_begins_in)
{
    static char bytes[2000];
    const struct iovec vector[] = {{bytes, 1030},        {bytes + 1030, 4},   {bytes + 1034, 0},
                                   {bytes + 1034, 29},   {bytes + 1063, 10},  {bytes + 1073, 100},
                                   {bytes + 1173, 27},   {bytes + 1200, 800}};
    const struct { int32_t number; uint64_t size; } expected[] = {
        {SYS_write, 30}, /* the rest of the first element; 34 bytes of the pipe's page are still free */
        {SYS_writev, 33}, /* three elements, one of which is empty */
        {SYS_write, 1}, /* the first byte of the next element, which fills the page */
        {SYS_write, 9}, /* the rest of that element */
        {SYS_write, 55}, {SYS_write, 45}, {SYS_write, 19}, {SYS_write, 8}, {SYS_write, 56},
        {SYS_write, 744},
    };
    struct regs_call piece, call = make(SYS_writev, 7, address(vector), 8, 0, 1000);
    struct call_request request;
    struct call_progress progress = {.done = 1000};

    cr_assert(call_decode(getpid(), &call, &request));
    request.target.pipe_page = 64;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int64_t asked = call_next_piece(getpid(), &call, &request, &progress, &piece);
        cr_assert_eq(piece.number, expected[i].number, "piece %zu", i);
        cr_assert_eq((uint64_t)asked, expected[i].size, "piece %zu: %lld", i, (long long)asked);
        if (piece.number == SYS_write)
            cr_assert_eq(piece.arguments[1], address(bytes) + progress.done);
        progress.done += (uint64_t)asked;
    }
    cr_assert_eq(progress.done, 2000);
    cr_assert_eq(call_next_piece(getpid(), &call, &request, &progress, &piece), 0);
}

Test(calls, no_more_bytes_than_one_call_moves)
{
    char bytes[100];
    struct regs_call piece, call = make(SYS_write, 7, address(bytes), 0x80000000u, 0, 0x7fffefff);

    cr_assert_eq(next(&call, false, 0, &piece), 1);
    cr_assert_eq(piece.arguments[2], 1);
    call.result = 0x7ffff000;
    cr_assert_eq(next(&call, false, 0, &piece), 0);
}

Test(calls, a_vector_of_32_bits)
{
    const uint32_t vector[] = {1000, 10, 2000, 20};
    struct regs_call piece, call = make(146, 7, address(vector), 2, 0, 12);

    call.abi = REGS_ABI_I386;
    cr_assert_eq(next(&call, false, 0, &piece), 1);
    cr_assert_eq(piece.number, 4);
    cr_assert_eq(piece.arguments[1], 2002);
    cr_assert_eq(piece.arguments[2], 18);
}

Test(calls, what_is_looked_at_is_looked_at_from_its_beginning)
{
    char bytes[100];
    struct regs_call piece, call = make(SYS_recvfrom, 7, address(bytes), 100, MSG_PEEK | MSG_WAITALL, 30);

    cr_assert_eq(next(&call, true, 0, &piece), 1);
    cr_assert_eq(piece.arguments[1], address(bytes));
    cr_assert_eq(piece.arguments[2], 100);
}

Test(calls, a_message_with_room_for_descriptors_is_not_continued)
{
    char bytes[100], control[100];
    struct iovec vector = {bytes, 100};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control};
    struct regs_call piece, call = make(SYS_recvmsg, 7, address(&message), MSG_WAITALL, 0, 30);

    cr_assert_eq(next(&call, true, 0, &piece), -EOPNOTSUPP);
    message.msg_control = NULL;
    cr_assert_eq(next(&call, true, 0, &piece), 1);
    cr_assert_eq(piece.number, SYS_recvfrom);
}

/* The first message was cut after 4 of 10 bytes, and the following bytes were received into the second message. */
Test(calls, bytes_behind_a_message_that_was_cut_move_up)
{
    char first[11] = "abcd......", second[11] = "efghijkl..";
    struct iovec vectors[] = {{first, 10}, {second, 10}};
    struct mmsghdr messages[] = {{{.msg_iov = &vectors[0], .msg_iovlen = 1}, 4},
                                 {{.msg_iov = &vectors[1], .msg_iovlen = 1}, 8}};
    struct regs_call call = make(SYS_recvmmsg, 7, address(messages), 2, MSG_WAITALL, 2);
    struct call_request request;
    struct call_progress progress;

    cr_assert(call_decode(getpid(), &call, &request));
    request.target.is_socket = request.target.is_stream = true;
    cr_assert_eq(call_first_progress(getpid(), &call, &request, &progress), 0);
    cr_assert_str_eq(first, "abcdefghij");
    cr_assert_eq(strncmp(second, "kl", 2), 0);
    cr_assert_eq(messages[0].msg_len, 10);
    cr_assert_eq(messages[1].msg_len, 2);
    cr_assert_eq(progress.done, 1);
    cr_assert_eq(progress.part, 2);
}

/* Bytes that are already in their place must not be written. Here they cannot be written: their page is read-only. */
Test(calls, bytes_of_messages_that_are_whole_are_not_written)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *whole = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), part[11] = "abcdefgh..";
    struct iovec vectors[] = {{whole, page}, {part, 10}};
    struct mmsghdr messages[] = {{{.msg_iov = &vectors[0], .msg_iovlen = 1}, (unsigned)page},
                                 {{.msg_iov = &vectors[1], .msg_iovlen = 1}, 8}};
    struct regs_call call = make(SYS_recvmmsg, 7, address(messages), 2, MSG_WAITALL, 2);
    struct call_request request;
    struct call_progress progress;

    cr_assert(whole != MAP_FAILED && call_decode(getpid(), &call, &request));
    request.target.is_socket = request.target.is_stream = true;
    cr_assert_eq(call_first_progress(getpid(), &call, &request, &progress), 0);
    cr_assert_eq(messages[0].msg_len, page);
    cr_assert_eq(messages[1].msg_len, 8);
    cr_assert_eq(progress.done, 1);
    cr_assert_eq(progress.part, 8);
}

Test(calls, datagrams_are_as_long_as_they_are)
{
    char first[11] = "abcd......", second[11] = "efghijkl..";
    struct iovec vectors[] = {{first, 10}, {second, 10}};
    struct mmsghdr messages[] = {{{.msg_iov = &vectors[0], .msg_iovlen = 1}, 4},
                                 {{.msg_iov = &vectors[1], .msg_iovlen = 1}, 8}};
    struct regs_call call = make(SYS_recvmmsg, 7, address(messages), 2, MSG_WAITALL, 2);
    struct call_request request;
    struct call_progress progress;

    cr_assert(call_decode(getpid(), &call, &request));
    cr_assert_eq(call_first_progress(getpid(), &call, &request, &progress), 0);
    cr_assert_str_eq(first, "abcd......");
    cr_assert_eq(progress.done, 2);
    cr_assert_eq(progress.part, 0);
}

/* Here target.is_stream is false, because the supervisor may not know that a local socket is a stream: before Linux
 * 5.15, only a copy of the descriptor shows it, and it may be impossible to copy the descriptor. */
Test(calls, a_send_that_ends_within_a_message_goes_on_there)
{
    char bytes[20];
    struct iovec vectors[] = {{bytes, 10}, {bytes + 10, 10}};
    struct mmsghdr messages[] = {{{.msg_iov = &vectors[0], .msg_iovlen = 1}, 10},
                                 {{.msg_iov = &vectors[1], .msg_iovlen = 1}, 4}};
    struct regs_call call = make(SYS_sendmmsg, 7, address(messages), 2, 0, 2);
    struct call_request request;
    struct call_progress progress;

    cr_assert(call_decode(getpid(), &call, &request));
    cr_assert_eq(call_first_progress(getpid(), &call, &request, &progress), 0);
    cr_assert(progress.done == 1 && progress.part == 4);
    messages[1].msg_len = 10;
    cr_assert_eq(call_first_progress(getpid(), &call, &request, &progress), 0);
    cr_assert(progress.done == 2 && progress.part == 0, "all of it was sent");
}

Test(calls, close_and_usb_transfers_do_not_begin_anew)
{
    struct regs_call call = make(SYS_epoll_pwait, 3, 0, 1, 10, -EINTR);

    cr_assert(call_is_interrupted(&call));
    call.number = SYS_close;
    cr_assert_not(call_is_interrupted(&call));
    call.abi = REGS_ABI_I386;
    call.number = 3;
    cr_assert(call_is_interrupted(&call)); /* read */
    call.number = 6;
    cr_assert_not(call_is_interrupted(&call));
    call.abi = REGS_ABI_X32;
    call.number = 3;
    cr_assert_not(call_is_interrupted(&call));
    call = make(SYS_ioctl, 3, 0xc0185502, 0, 0, -EINTR); /* USBDEVFS_BULK */
    cr_assert_not(call_is_interrupted(&call));
    call = make(SYS_bpf, 5, 0, 0, 0, -EAGAIN); /* BPF_PROG_LOAD */
    cr_assert(call_is_interrupted(&call));
    call.number = SYS_read;
    cr_assert_not(call_is_interrupted(&call));
}

Test(calls, time_limits)
{
    const struct timespec half = {.tv_nsec = 500000000};
    struct regs_call call = make(SYS_epoll_pwait, 3, 0, 1, 10, -EINTR);
    uint64_t limit;
    int64_t result;

    cr_assert(call_time_limit(getpid(), getpid(), &call, &limit, &result));
    cr_assert_eq(limit, 10000000);
    cr_assert_eq(result, 0);
    call.arguments[3] = (uint32_t)-1;
    cr_assert(call_time_limit(getpid(), getpid(), &call, &limit, &result));
    cr_assert_eq(limit, CALL_NO_LIMIT);
    call = make(SYS_semtimedop, 3, 0, 1, address(&half), -EINTR);
    cr_assert(call_time_limit(getpid(), getpid(), &call, &limit, &result));
    cr_assert_eq(limit, 500000000);
    cr_assert_eq(result, -EAGAIN);
    call.abi = REGS_ABI_I386;
    call.number = 256; /* epoll_wait */
    call.arguments[3] = 10;
    cr_assert(call_time_limit(getpid(), getpid(), &call, &limit, &result));
    cr_assert_eq(limit, 10000000);
    const uint64_t padded[] = {1, UINT64_C(0xf7e1000000000000) | 500000000};
    call.number = 421; /* rt_sigtimedwait_time64 */
    call.arguments[2] = address(padded);
    cr_assert(call_time_limit(getpid(), getpid(), &call, &limit, &result));
    cr_assert_eq(limit, 1500000000);
    call.number = 117; /* ipc */
    call.arguments[0] = 4; /* SEMTIMEDOP */
    const int32_t narrow_half[] = {0, 500000000};
    call.arguments[5] = address(narrow_half);
    cr_assert(call_time_limit(getpid(), getpid(), &call, &limit, &result));
    cr_assert_eq(limit, 500000000);
    cr_assert_eq(result, -EAGAIN);
    call.abi = REGS_ABI_NATIVE;
    call.number = SYS_accept;
    cr_assert_not(call_time_limit(getpid(), getpid(), &call, &limit, &result));
}

/* Makes a child that waits in write(2) on a full pipe, and seizes the child. Sets *fd to the child's descriptor of the
 * pipe. */
static pid_t start_writer(int *fd)
{
    const char bytes[4096] = {0};
    int end[2], full = 0;

    cr_assert_eq(pipe(end), 0);
    *fd = end[1];
    pid_t child = fork();
    if (child == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* the child ends with this process, even if the test fails */
    while (child == 0)
        syscall(SYS_write, end[1], bytes, sizeof bytes);
    cr_assert_eq(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
    while (full < PIPE_SIZE && ioctl(end[0], FIONREAD, &full) == 0)
        usleep(10000);
    usleep(100000); /* until the child waits in write(2) */
    return child;
}

static void interrupt(pid_t child, struct regs *regs)
{
    int status;

    cr_assert_eq(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
    cr_assert_eq(waitpid(child, &status, __WALL), child);
    cr_assert_eq(regs_read(child, regs), 0);
}

static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, __WALL);
}

Test(calls, what_a_stop_shows_of_a_call)
{
    int fd;
    pid_t child = start_writer(&fd);
    struct procfs_task files;
    struct regs_call call;
    struct regs regs;

    interrupt(child, &regs);
    procfs_task_init(&files, child, child);
    cr_assert(regs_call(child, &regs, &call));
    cr_assert(call_is_restarted_by_kernel(call.result));
    cr_assert_eq(regs_complete_call(&files, &call), 0);
    cr_assert_not(call.lacks_first);
    cr_assert_eq(call.number, SYS_write);
    cr_assert_eq(call.arguments[0], fd);
    cr_assert_eq(call.arguments[2], 4096);
    end_child(child);
}

#ifdef __x86_64__
/* To begin a call anew, the kernel sets the pc back to the call's instruction, and rax to the call's number
 * (arch_do_signal_or_restart). If the thread is interrupted again before it runs, it stops with these registers. The
 * number of write is 1, so rax looks as if write had returned 1. */
Test(calls, a_call_that_is_about_to_begin_anew_has_not_returned)
{
    int fd;
    pid_t child = start_writer(&fd);
    struct regs_call call;
    struct regs regs;

    interrupt(child, &regs);
    cr_assert_eq(regs_set_result(child, SYS_write), 0);
    cr_assert_eq(regs_read(child, &regs), 0);
    cr_assert(regs_call(child, &regs, &call), "one byte written");
    cr_assert_eq(ptrace(PTRACE_POKEUSER, child, offsetof(struct user, regs.rip), regs.pc - 2), 0);
    cr_assert_eq(regs_read(child, &regs), 0);
    cr_assert_not(regs_call(child, &regs, &call), "about to begin anew");
    cr_assert_eq(regs_set_result(child, SIGUSR1), 0);
    cr_assert_eq(ptrace(PTRACE_POKEUSER, child, offsetof(struct user, regs.rip), start_writer), 0);
    cr_assert_eq(regs_read(child, &regs), 0);
    cr_assert_not(regs_call(child, &regs, &call), "at a handler, as of a 32-bit program");
    end_child(child);
}
#endif
