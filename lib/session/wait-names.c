/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "launch/file-opener.h"
#include "session/proc.h"
#include "session/wait-names.h"
#include "symbol/symbol.h"

/* --- the other ends of pipes and sockets ----------------------------------------------------- */

/* Writes the name and pid of a process, as in "cat 4711"; "": not known. */
static void wait_name_process(const struct descriptor_owner *owner, char *text, size_t size)
{
    text[0] = '\0';
    if (owner == NULL)
        return;
    const struct proc_status status = proc_read_status(owner->pid);
    snprintf(text, size, "%s %d", status.name, owner->pid);
}

/* Returns the process at the other end; NULL: not known, or the process itself. If several processes have this end
 * open, children have usually inherited it from the process that uses it. */
static const struct descriptor_owner *wait_other_end(struct wait_names *names, uint64_t inode, uint32_t pid, bool reads,
                                                     bool writes)
{
    const struct descriptor_owner *owner = descriptor_owner_find(&names->owners, inode, (pid_t)pid, reads, writes);

    return owner != NULL && owner->pid != (pid_t)pid ? owner : NULL;
}

/* Returns how a descriptor of a process may be used, by the permissions of its link: proc_pid_fd(5). */
static mode_t wait_descriptor_mode(uint32_t pid, int fd)
{
    char path[64];
    struct stat status;

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/fd/%d", pid, fd);
    return lstat(path, &status) == 0 ? status.st_mode : 0;
}

static bool wait_name_pipe(struct wait_names *names, uint32_t pid, int fd, uint64_t inode, char *text, size_t size)
{
    mode_t mode = wait_descriptor_mode(pid, fd);
    bool reads = (mode & S_IRUSR) != 0, writes = (mode & S_IWUSR) != 0;
    char process[64];

    wait_name_process(wait_other_end(names, inode, pid, writes, reads), process, sizeof process);
    if (process[0] == '\0')
        return false;
    snprintf(text, size, "pipe %s %s", reads ? "from" : "to", process);
    return true;
}

static bool wait_name_unix(struct wait_names *names, uint32_t pid, const struct socket_entry *socket, char *text,
                           size_t size)
{
    uint64_t peer = socket->listens ? 0 : socket_unix_peer(socket->inode);
    char process[64] = "";

    if (peer != 0)
        wait_name_process(wait_other_end(names, peer, pid, true, true), process, sizeof process);
    if (socket->listens)
        snprintf(text, size, "listening socket %s", socket->local);
    else if (process[0] != '\0')
        snprintf(text, size, "socket to %s", process);
    else if (socket->local[0] != '\0')
        snprintf(text, size, "socket %s", socket->local);
    else
        return false;
    return true;
}

static bool wait_name_socket(struct wait_names *names, uint32_t pid, uint64_t inode, char *text, size_t size)
{
    const struct socket_entry *socket = socket_table_find(&names->sockets, (pid_t)pid, inode);
    char process[64];

    if (socket == NULL)
        return false;
    if (socket->is_unix)
        return wait_name_unix(names, pid, socket, text, size);
    const struct socket_entry *peer = socket_table_peer(&names->sockets, socket);
    wait_name_process(peer != NULL ? wait_other_end(names, peer->inode, pid, true, true) : NULL, process,
                      sizeof process);
    if (socket->listens)
        snprintf(text, size, "listening socket %s", socket->local);
    else if (socket->peer[0] != '\0')
        snprintf(text, size, "socket to %s%s%s", socket->peer, process[0] != '\0' ? ", " : "", process);
    else
        snprintf(text, size, "socket %s", socket->local[0] != '\0' ? socket->local : "without an address");
    return true;
}

/* Writes a text like that of an event, with a name if one is found. */
static void wait_name_file(struct wait_names *names, uint32_t pid, const char *text, char *to)
{
    const char *target = strchr(text, ' ');
    int fd = atoi(text), length = snprintf(to, WIRE_WAIT_FILE_SIZE, "%d ", fd);
    char *name = to + length;
    size_t room = WIRE_WAIT_FILE_SIZE - (size_t)length;
    uint64_t inode;

    if (target != NULL && sscanf(target, " pipe:[%" SCNu64, &inode) == 1 &&
        wait_name_pipe(names, pid, fd, inode, name, room))
        return;
    if (target != NULL && sscanf(target, " socket:[%" SCNu64, &inode) == 1 &&
        wait_name_socket(names, pid, inode, name, room))
        return;
    snprintf(to, WIRE_WAIT_FILE_SIZE, "%s", text);
}

/* --- the variables of locks ------------------------------------------------------------------- */

/* Returns the descriptor of the file with this path and inode that the profile has; -1: it has none. */
static int wait_object_file(const struct profile *profile, const char *path, uint64_t inode)
{
    for (uint32_t i = 0; i < profile->object_count; i++) {
        const struct profile_object *object = &profile->objects[i];
        if (object->fd >= 0 && object->inode == inode && strcmp(profile->strings[object->path], path) == 0)
            return object->fd;
    }
    return -1;
}

/* A mapped file: where its first mapping begins, and where the last one ends. */
struct mapped_file {
    uint64_t start, offset, inode, end; /* inode 0: there is none */
    char path[4096];
};

/* Takes the next line of /proc/PID/maps. The memory of variables without initial value has no file, and comes directly
 * behind the mappings of its file. Returns true if the line is the mapping of the address. */
static bool wait_take_mapping(struct mapped_file *file, const char *line, uint64_t address)
{
    uint64_t start, end, offset, inode;
    int at = 0;

    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64 " %n", &start, &end, &offset, &inode, &at) <
        4)
        return false;
    if (inode != 0 && inode != file->inode) {
        *file = (struct mapped_file){.start = start, .offset = offset, .inode = inode};
        snprintf(file->path, sizeof file->path, "%.*s", (int)strcspn(line + at, "\n"), line + at);
    } else if (inode == 0 && start != file->end) {
        file->inode = 0;
    }
    file->end = end;
    return address >= start && address < end;
}

/* Finds the mapped file to whose data an address belongs. */
static bool wait_find_mapped_file(uint32_t pid, uint64_t address, struct mapped_file *file)
{
    char path[64], *line = NULL;
    size_t size = 0;
    bool found = false;

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/maps", pid);
    FILE *maps = fopen(path, "re");
    while (maps != NULL && !found && getline(&line, &size, maps) > 0)
        found = wait_take_mapping(file, line, address);
    free(line);
    if (maps != NULL)
        fclose(maps);
    return found && file->inode != 0;
}

/* Writes what a thread waits for, given the variable in which it is. Python's interpreter has one lock in its variable
 * _PyRuntime: the GIL, which is a condition variable with a mutex (pycore_runtime.h and pycore_gil.h of CPython 3.7 to
 * 3.14). All words of the condition variable get one name. The mutex gets another one, because a thread that holds the
 * mutex need not hold the GIL. */
static void wait_name_variable(const char *variable, const char *path, bool is_lock, char *name, size_t size)
{
    static const char runtime[] = "_PyRuntime+";

    if (strncmp(variable, runtime, sizeof runtime - 1) == 0)
        variable = is_lock ? "of the GIL" : "GIL";
    snprintf(name, size, "%s in %.80s", variable, path_base_name(path));
}

static bool wait_find_variable(const struct profile *profile, const struct wire_wait *event, char *name, size_t size)
{
    struct mapped_file file = {0};
    char variable[96], path[4200];

    if (!wait_find_mapped_file(event->pid, event->address, &file))
        return false;
    int known = wait_object_file(profile, file.path, file.inode), opened = -1;
    if (known < 0) { /* no code of the file was sampled yet */
        snprintf(path, sizeof path, "/proc/%" PRIu32 "/root%s", event->pid, file.path);
        opened = file_opener_open(path, file.inode);
    }
    int fd = known >= 0 ? known : opened;
    bool found = fd >= 0 && symbol_find_variable(fd, file.start, file.offset, event->address, variable,
                                                 sizeof variable);
    if (opened >= 0)
        close(opened);
    if (found)
        wait_name_variable(variable, file.path, event->kind == WIRE_WAIT_LOCK, name, size);
    return found;
}

/* Returns the name of the variable in which the lock or futex of an event is; "": there is none. */
static const char *wait_variable(struct wait_names *names, const struct profile *profile,
                                 const struct wire_wait *event)
{
    uint32_t pid = event->pid;
    uint64_t address = event->address;
    unsigned at = 0;

    while (at < WAIT_VARIABLES && (names->variables[at].pid != pid || names->variables[at].address != address))
        at++;
    if (at < WAIT_VARIABLES)
        return names->variables[at].name;
    at = names->next_variable++ % WAIT_VARIABLES;
    names->variables[at].pid = pid;
    names->variables[at].address = address;
    if (!wait_find_variable(profile, event, names->variables[at].name, sizeof names->variables[at].name))
        names->variables[at].name[0] = '\0';
    return names->variables[at].name;
}

/* --- events ----------------------------------------------------------------------------------- */

static size_t wait_name_files(struct wait_names *names, const struct wire_wait *event, char *to)
{
    const char *text = event->files;
    size_t used = 0;

    for (uint32_t i = 0; i < event->file_count; i++, text += strlen(text) + 1) {
        wait_name_file(names, event->pid, text, to + used);
        used += strlen(to + used) + 1;
    }
    return used;
}

const struct wire_wait *wait_names_find(struct wait_names *names, const struct profile *profile,
                                        const struct wire_wait *event)
{
    size_t room = sizeof *event + WIRE_WAIT_FILES_MAX * WIRE_WAIT_FILE_SIZE, used = 0;

    if (event->kind == WIRE_WAIT_PATH || (event->file_count == 0 && event->address == 0))
        return event;
    if (names->event == NULL)
        names->event = malloc(room);
    if (names->event == NULL)
        return event;
    *names->event = *event;
    if (event->address == 0) {
        used = wait_name_files(names, event, names->event->files);
    } else {
        const char *variable = wait_variable(names, profile, event);
        names->event->file_count = *variable != '\0';
        used = (size_t)snprintf(names->event->files, WIRE_WAIT_FILE_SIZE, "%s", variable) + 1;
    }
    names->event->header.size = (uint32_t)(sizeof *event + used + 7) / 8 * 8;
    return names->event;
}

void wait_names_forget_process(struct wait_names *names, uint32_t pid)
{
    for (unsigned i = 0; i < WAIT_VARIABLES; i++)
        if (names->variables[i].pid == pid)
            names->variables[i].pid = 0;
}

void wait_names_clear(struct wait_names *names)
{
    descriptor_owners_clear(&names->owners);
    socket_table_clear(&names->sockets);
    free(names->event);
    names->event = NULL;
}
