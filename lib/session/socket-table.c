/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "session/socket-table.h"

#define SOCKETS_MAX (1u << 17)
#define PAUSE_LOOKS 20u         /* after a look, so many times as long as it took, /proc is not read again */
#define TCP_LISTEN 0x0a         /* include/net/tcp_states.h */
#define UNIX_LISTENS (1u << 16) /* SO_ACCEPTCON in the column Flags: include/linux/net.h */

/* --- lines of /proc -------------------------------------------------------------------------- */

/* Writes an address, of which the kernel prints each 32-bit word as a number: "0100007F:1F90". "": it is 0. */
static bool socket_parse_address(const char *text, char address[SOCKET_ADDRESS_SIZE])
{
    uint32_t words[4];
    unsigned port;
    char host[INET6_ADDRSTRLEN];
    size_t digits = strspn(text, "0123456789ABCDEF");

    if ((digits != 8 && digits != 32) || text[digits] != ':' || sscanf(text + digits, ":%4x", &port) != 1)
        return false;
    for (size_t i = 0; i < digits / 8; i++) {
        char word[9];
        snprintf(word, sizeof word, "%.8s", text + 8 * i);
        words[i] = (uint32_t)strtoul(word, NULL, 16);
    }
    bool is_mapped = digits == 32 && words[0] == 0 && words[1] == 0 && words[2] == htonl(0xffff);
    bool is_v6 = digits == 32 && !is_mapped;
    inet_ntop(is_v6 ? AF_INET6 : AF_INET, is_mapped ? &words[3] : words, host, sizeof host);
    snprintf(address, SOCKET_ADDRESS_SIZE, is_v6 ? "[%s]:%u" : "%s:%u", host, port);
    if (port == 0)
        address[0] = '\0';
    return true;
}

/* A line is "sl: local peer state tx:rx tr:when retries uid timeout inode ...". */
bool socket_parse_inet(const char *line, struct socket_entry *socket)
{
    char local[64], peer[64];
    unsigned state;

    *socket = (struct socket_entry){0};
    if (sscanf(line, " %*d: %63s %63s %x %*s %*s %*s %*s %*s %" SCNu64, local, peer, &state, &socket->inode) != 4 ||
        !socket_parse_address(local, socket->local) || !socket_parse_address(peer, socket->peer))
        return false;
    socket->listens = state == TCP_LISTEN;
    return true;
}

/* A line is "Num: RefCount Protocol Flags Type St Inode Path". */
bool socket_parse_unix(const char *line, struct socket_entry *socket)
{
    unsigned flags;

    *socket = (struct socket_entry){.is_unix = true};
    if (sscanf(line, "%*x: %*x %*x %x %*x %*x %" SCNu64 " %111[^\n]", &flags, &socket->inode, socket->local) < 2)
        return false;
    socket->listens = (flags & UNIX_LISTENS) != 0;
    return true;
}

/* --- the table ------------------------------------------------------------------------------- */

static void socket_table_read(struct socket_table *table, pid_t pid, const char *name,
                              bool (*parse)(const char *line, struct socket_entry *socket))
{
    char path[64], *line = NULL;
    size_t size = 0;

    snprintf(path, sizeof path, "/proc/%d/net/%s", pid, name);
    FILE *file = fopen(path, "re");
    while (file != NULL && getline(&line, &size, file) > 0) {
        struct socket_entry socket;
        if (parse(line, &socket) && socket.inode != 0 && table->count < SOCKETS_MAX &&
            array_grow(&table->all, table->count, sizeof *table->all) == 0)
            table->all[table->count++] = socket;
    }
    free(line);
    if (file != NULL)
        fclose(file);
}

static void socket_table_look(struct socket_table *table, pid_t pid)
{
    table->count = 0;
    socket_table_read(table, pid, "unix", socket_parse_unix);
    socket_table_read(table, pid, "tcp", socket_parse_inet);
    socket_table_read(table, pid, "tcp6", socket_parse_inet);
    socket_table_read(table, pid, "udp", socket_parse_inet);
    socket_table_read(table, pid, "udp6", socket_parse_inet);
}

static const struct socket_entry *socket_table_search(const struct socket_table *table, uint64_t inode)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->all[i].inode == inode)
            return &table->all[i];
    return NULL;
}

/* Returns a number that is different for each network namespace; 0: not known. */
static uint64_t socket_namespace(pid_t pid)
{
    char path[64];
    struct stat status;

    snprintf(path, sizeof path, "/proc/%d/ns/net", pid);
    return stat(path, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

const struct socket_entry *socket_table_find(struct socket_table *table, pid_t pid, uint64_t inode)
{
    uint64_t namespace_id = socket_namespace(pid);
    bool same = namespace_id == table->namespace_id && table->look_after != 0;
    const struct socket_entry *found = same ? socket_table_search(table, inode) : NULL;
    uint64_t began = time_now();

    if (found != NULL || (same && began < table->look_after))
        return found;
    table->namespace_id = namespace_id;
    socket_table_look(table, pid);
    uint64_t ended = time_now();
    table->look_after = ended + (ended - began) * PAUSE_LOOKS;
    return socket_table_search(table, inode);
}

const struct socket_entry *socket_table_peer(const struct socket_table *table, const struct socket_entry *socket)
{
    for (uint32_t i = 0; i < table->count && socket->peer[0] != '\0'; i++)
        if (strcmp(table->all[i].local, socket->peer) == 0 && strcmp(table->all[i].peer, socket->local) == 0)
            return &table->all[i];
    return NULL;
}

void socket_table_clear(struct socket_table *table)
{
    free(table->all);
    *table = (struct socket_table){0};
}

/* --- UNIX sockets ---------------------------------------------------------------------------- */

/* Finds the attribute UNIX_DIAG_PEER in an answer. */
static uint64_t socket_diag_peer(const struct nlmsghdr *answer, size_t size)
{
    size_t head = NLMSG_LENGTH(sizeof(struct unix_diag_msg));
    const char *at = (const char *)answer + NLMSG_ALIGN(head);

    if (size < head || answer->nlmsg_len > size || answer->nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return 0;
    for (size_t left = answer->nlmsg_len - NLMSG_ALIGN(head); left >= sizeof(struct nlattr);) {
        const struct nlattr *attribute = (const struct nlattr *)at;
        size_t step = NLA_ALIGN(attribute->nla_len);
        if (attribute->nla_len < sizeof *attribute || step > left)
            return 0;
        if (attribute->nla_type == UNIX_DIAG_PEER && attribute->nla_len >= NLA_HDRLEN + sizeof(uint32_t)) {
            uint32_t inode;
            memcpy(&inode, at + NLA_HDRLEN, sizeof inode);
            return inode;
        }
        at += step;
        left -= step;
    }
    return 0;
}

uint64_t socket_unix_peer(uint64_t inode)
{
    struct {
        struct nlmsghdr head;
        struct unix_diag_req request;
    } question = {
        .head = {.nlmsg_len = sizeof question, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .request = {.sdiag_family = AF_UNIX,
                    .udiag_states = UINT32_MAX,
                    .udiag_ino = (uint32_t)inode,
                    .udiag_show = UDIAG_SHOW_PEER,
                    .udiag_cookie = {UINT32_MAX, UINT32_MAX}}};
    union {
        struct nlmsghdr head;
        char bytes[1024];
    } answer;
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    ssize_t got = -1;

    if (fd >= 0 && send(fd, &question, sizeof question, 0) == (ssize_t)sizeof question)
        got = recv(fd, &answer, sizeof answer, MSG_DONTWAIT);
    if (fd >= 0)
        close(fd);
    return got > 0 ? socket_diag_peer(&answer.head, (size_t)got) : 0;
}
