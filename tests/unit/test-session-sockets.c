/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of /proc/PID/net, and a UNIX socket's peer, which the kernel tells. */
#include "config.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/descriptor-owners.h"
#include "session/socket-table.h"

Test(sockets, lines)
{
    struct socket_entry socket;

    cr_assert(
        socket_parse_inet("   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        "
                          "0 12345 1 0000000000000000 100 0 0 10 0\n",
                          &socket));
    cr_expect_str_eq(socket.local, "127.0.0.1:8080");
    cr_expect_str_eq(socket.peer, "");
    cr_expect(socket.listens);
    cr_expect_eq(socket.inode, 12345);
    cr_assert(socket_parse_inet("  12: B80D0120000000000000000001000000:01BB "
                                "0000000000000000FFFF00000100000A:D431 01 0:0 0:0 0 1000 0 77 1\n",
                                &socket));
    cr_expect_str_eq(socket.local, "[2001:db8::1]:443");
    cr_expect_str_eq(socket.peer, "10.0.0.1:54321", "an address of IPv4 in IPv6");
    cr_expect_not(socket.listens);
    cr_assert(socket_parse_unix("0000000000000000: 00000002 00000000 00010000 0001 01 20345 /run/a b.sock\n", &socket));
    cr_expect_str_eq(socket.local, "/run/a b.sock");
    cr_expect(socket.listens && socket.is_unix);
    cr_assert(socket_parse_unix("0000000000000000: 00000003 00000000 00000000 0001 03 20346\n", &socket));
    cr_expect_str_eq(socket.local, "");
    cr_expect_eq(socket.inode, 20346);
    static const char *const wrong[] = {"",
                                        "\n",
                                        "  sl  local_address rem_address   st\n",
                                        "Num       RefCount Protocol\n",
                                        "0: 0100007F:1F90 x:0 0A 0 0 0 0 0 5\n",
                                        "0: 01:1F90 01:0 0A 0 0 0 0 0 5\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_not(socket_parse_inet(wrong[i], &socket), "%s", wrong[i]);
    cr_expect_not(socket_parse_unix("Num       RefCount Protocol Flags    Type St Inode Path\n", &socket));
}

static uint64_t inode_of(int fd)
{
    struct stat status;

    cr_assert_eq(fstat(fd, &status), 0);
    return status.st_ino;
}

Test(sockets, peer_of_a_unix_socket)
{
    struct socket_table table = {0};
    int fds[2];

    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    uint64_t peer = socket_unix_peer(inode_of(fds[0]));
    if (peer == 0)
        cr_skip("this kernel has no UNIX_DIAG");
    cr_expect_eq(peer, inode_of(fds[1]));
    const struct socket_entry *found = socket_table_find(&table, getpid(), inode_of(fds[0]));
    cr_assert_not_null(found);
    cr_expect(found->is_unix);
    cr_expect_null(socket_table_peer(&table, found));
    socket_table_clear(&table);
    close(fds[0]);
    close(fds[1]);
    cr_expect_eq(socket_unix_peer(peer), 0);
}

Test(sockets, owners_of_a_pipe)
{
    struct descriptor_owners owners = {0};
    int fds[2];

    cr_assert_eq(pipe(fds), 0);
    pid_t child = fork();
    if (child == 0) {
        close(fds[1]);
        pause();
        _exit(0);
    }
    const struct descriptor_owner *reader = descriptor_owner_find(&owners, inode_of(fds[0]), child, true, false);
    cr_expect(reader != NULL && reader->pid == child && reader->reads && !reader->writes);
    cr_expect_null(descriptor_owner_find(&owners, 1, 0, true, true));
    kill(child, SIGKILL);
    descriptor_owners_clear(&owners);
    close(fds[0]);
    close(fds[1]);
}
