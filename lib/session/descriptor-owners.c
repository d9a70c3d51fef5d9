/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "session/descriptor-owners.h"

#define OWNERS_MAX (1u << 20)
#define PAUSE_LOOKS 20u /* after a look, so many times as long as it took, /proc is not read again */

/* Notes a descriptor if it leads to a pipe or socket, as in "pipe:[4711]". */
static void descriptor_owners_note(struct descriptor_owners *owners, pid_t pid, int directory, const char *name)
{
    char target[64];
    struct stat status;
    ssize_t length = readlinkat(directory, name, target, sizeof target - 1);

    if (length <= 0)
        return;
    target[length] = '\0';
    const char *number = strchr(target, '[');
    if (number == NULL || (strncmp(target, "pipe:", 5) != 0 && strncmp(target, "socket:", 7) != 0) ||
        fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || owners->count == OWNERS_MAX ||
        array_grow(&owners->all, owners->count, sizeof *owners->all) != 0)
        return;
    /* the permissions of the link say how the descriptor was opened: proc_pid_fd(5) */
    owners->all[owners->count++] = (struct descriptor_owner){.inode = strtoull(number + 1, NULL, 10),
                                                             .pid = pid,
                                                             .reads = (status.st_mode & S_IRUSR) != 0,
                                                             .writes = (status.st_mode & S_IWUSR) != 0};
}

static void descriptor_owners_look_into(struct descriptor_owners *owners, pid_t pid)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *list = opendir(path);
    for (const struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;)
        if (entry->d_name[0] != '.')
            descriptor_owners_note(owners, pid, dirfd(list), entry->d_name);
    if (list != NULL)
        closedir(list);
}

static void descriptor_owners_look(struct descriptor_owners *owners)
{
    DIR *list = opendir("/proc");

    owners->count = 0;
    for (const struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
        pid_t pid = atoi(entry->d_name);
        if (pid > 0 && pid != getpid())
            descriptor_owners_look_into(owners, pid);
    }
    if (list != NULL)
        closedir(list);
}

/* Returns true if a process waits for its children or for a signal, as shells and timeout(1) do. Such a process has
 * probably only passed its descriptors on, and other processes use them. Returns false if this cannot be read. The
 * names are of kernel/exit.c and kernel/signal.c, and may have a suffix of the compiler. */
static bool descriptor_owner_waits(const struct descriptor_owner *owner)
{
    static const char *const functions[] = {"do_wait", "sigsuspend", "do_sigtimedwait"};
    char path[64], text[64] = "";

    snprintf(path, sizeof path, "/proc/%d/wchan", owner->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (read(fd, text, sizeof text - 1) < 0)
        text[0] = '\0';
    close(fd);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strncmp(text, functions[i], strlen(functions[i])) == 0)
            return true;
    return false;
}

static const struct descriptor_owner *descriptor_owners_search(const struct descriptor_owners *owners, uint64_t inode,
                                                               pid_t self, bool reads, bool writes)
{
    const struct descriptor_owner *found = NULL;

    for (uint32_t i = 0; i < owners->count; i++) {
        const struct descriptor_owner *owner = &owners->all[i];
        if (owner->inode != inode || !((reads && owner->reads) || (writes && owner->writes)))
            continue;
        if (owner->pid == self)
            return owner;
        if (found == NULL || (owner->pid != found->pid && descriptor_owner_waits(found)))
            found = owner;
    }
    return found;
}

const struct descriptor_owner *descriptor_owner_find(struct descriptor_owners *owners, uint64_t inode, pid_t self,
                                                     bool reads, bool writes)
{
    const struct descriptor_owner *found = descriptor_owners_search(owners, inode, self, reads, writes);
    uint64_t began = time_now();

    if (found != NULL || began < owners->look_after)
        return found;
    descriptor_owners_look(owners);
    uint64_t ended = time_now();
    owners->look_after = ended + (ended - began) * PAUSE_LOOKS;
    return descriptor_owners_search(owners, inode, self, reads, writes);
}

void descriptor_owners_clear(struct descriptor_owners *owners)
{
    free(owners->all);
    *owners = (struct descriptor_owners){0};
}
