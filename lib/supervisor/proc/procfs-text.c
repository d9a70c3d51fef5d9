/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/proc/procfs-text.h"
#include "wire/wire.h"

const char *procfs_find_stat_field(const char *text, int number)
{
    const char *at = strrchr(text, ')');

    for (int field = 2; at != NULL && field < number; field++)
        at = strchr(at + 1, ' ');
    return at;
}

char procfs_parse_stat_letter(const char *text)
{
    const char *after = strrchr(text, ')'); /* the last ')', because the task's name may contain any character */

    return after != NULL && after[1] == ' ' ? after[2] : 'X';
}

const char *procfs_find_status_field(const char *text, const char *name)
{
    const char *field = strstr(text, name);

    while (field != NULL && (field == text || field[-1] != '\n'))
        field = strstr(field + 1, name);
    return field;
}

char procfs_parse_status_letter(const char *text)
{
    static const char name[] = "State:\t";
    const char *field = procfs_find_status_field(text, name);

    return field != NULL ? field[sizeof name - 1] : 'X';
}

bool procfs_state_equals(const struct procfs_state *one, const struct procfs_state *other)
{
    return one->doing == other->doing && one->syscall == other->syscall && one->sp == other->sp &&
           one->pc == other->pc && memcmp(one->arguments, other->arguments, sizeof one->arguments) == 0;
}

enum procfs_doing procfs_doing_by_letter(char letter)
{
    if (letter == 'R')
        return PROCFS_RUNNING;
    return letter == 'Z' || letter == 'X' || letter == 'x' ? PROCFS_GONE : PROCFS_SLEEPING;
}

void procfs_parse_syscall(const char *text, struct procfs_state *state)
{
    if (text[0] == 'r') {
        state->doing = PROCFS_RUNNING;
        return;
    }
    char *next;
    long number = strtol(text, &next, 10);
    if (next == text) {
        state->doing = PROCFS_GONE;
        return;
    }
    state->doing = PROCFS_SLEEPING;
    state->syscall = number >= 0 ? (int32_t)number : WIRE_PAGE_FAULT;
    for (unsigned i = 0; number >= 0 && i < PROCFS_ARGUMENTS; i++)
        state->arguments[i] = strtoull(next, &next, 16);
    const char *last = strrchr(text, ' ');
    if (last == NULL)
        return;
    state->pc = strtoull(last + 1, NULL, 16);
    while (last > text && last[-1] != ' ')
        last--;
    state->sp = strtoull(last, NULL, 16);
    if (state->pc == 0)
        state->doing = PROCFS_GONE; /* the pc is 0 because the task has no stack any more, as it is ending */
}

bool procfs_parse_first_argument(const char *text, uint64_t *argument)
{
    char *next;

    if (strtol(text, &next, 10) < 0 || next == text || strncmp(next, " 0x", 3) != 0)
        return false;
    *argument = strtoull(next, NULL, 16);
    return true;
}

void procfs_parse_schedstat(const char *text, struct procfs_cpu *cpu)
{
    char *next;

    cpu->run_ns = strtoull(text, &next, 10);
    cpu->wait_ns = strtoull(next, &next, 10);
    cpu->turns = strtoull(next, NULL, 10);
}

/* Parses a line of /proc/TID/sched, such as "se.exec_start  :  55544433.550902": ms with 6 decimals. Returns false if
 * there is no such line. */
static bool procfs_parse_sched_ns(const char *text, const char *name, uint64_t *ns)
{
    const char *at = strstr(text, name);
    char *next;

    at = at != NULL ? strchr(at, ':') : NULL;
    if (at == NULL)
        return false;
    uint64_t ms = strtoull(at + 1, &next, 10);
    if (*next != '.')
        return false;
    *ns = ms * 1000000u + strtoull(next + 1, NULL, 10);
    return true;
}

bool procfs_parse_last_run(const char *text, struct procfs_last_run *run)
{
    return procfs_parse_sched_ns(text, "\nse.exec_start ", &run->at) &&
           procfs_parse_sched_ns(text, "\nse.sum_exec_runtime ", &run->run_ns);
}

long procfs_parse_last_number(const char *text)
{
    long number = -1;
    char *next;

    for (text += strspn(text, " \t"); *text >= '0' && *text <= '9'; text = next + strspn(next, " \t"))
        number = strtol(text, &next, 10);
    return number;
}

uint64_t procfs_parse_signals(const char *lines, const char *name)
{
    const char *field = lines != NULL ? strstr(lines, name) : NULL;

    return field != NULL ? strtoull(field + strlen(name), NULL, 16) : 0;
}

unsigned procfs_parse_kernel_stack(char *text, unsigned most, size_t *size)
{
    unsigned count = 0;
    char *to = text;

    for (char *line = text, *end; count < most && (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char *name = strchr(line, ' ');
        size_t length = name != NULL && name < end ? strcspn(++name, "+ \n") : 0;
        if (length == 0 || name[length] != '+')
            continue;
        memmove(to, name, length);
        to[length] = '\0';
        to += length + 1;
        count++;
    }
    *size = (size_t)(to - text);
    return count;
}

/* Replaces "\012" by a newline. The kernel escapes only newlines in these paths (seq_file_path() in fs/seq_file.c). */
static void procfs_restore_newlines(char *path)
{
    char *to = path;

    for (const char *from = path; *from != '\0'; to++) {
        bool newline = strncmp(from, "\\012", 4) == 0;
        *to = newline ? '\n' : *from;
        from += newline ? 4 : 1;
    }
    *to = '\0';
}

bool procfs_parse_mapping(const char *line, struct mapping_details *details, bool *executable)
{
    struct mapping *mapping = &details->mapping;
    unsigned long start, end, offset, inode;
    unsigned major, minor;
    char permissions[8];
    int name = 0;

    if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %n", &start, &end, permissions, &offset, &major,
               &minor, &inode, &name) < 7)
        return false;
    *mapping = (struct mapping){.start = start,
                                .end = end,
                                .offset = offset,
                                .inode = inode,
                                .dev_major = major,
                                .dev_minor = minor};
    snprintf(details->name, sizeof details->name, "%s", line + name);
    details->name[strcspn(details->name, "\n")] = '\0';
    procfs_restore_newlines(details->name);
    details->build_id_size = 0;
    *executable = permissions[2] == 'x';
    return true;
}

/* Returns true for the type of a file system that another process or machine serves. type: points to the type in a line
 * of /proc/PID/mountinfo, such as "fuse.sshfs", "fuseblk" or "nfs4". It is enough if the type begins with one of the
 * names below. */
static bool procfs_is_remote(const char *type)
{
    static const char *const remote[] = {"fuse", "virtiofs", "nfs",  "cifs",   "smb",     "9p",
                                         "ceph", "afs",      "coda", "lustre", "orangefs"};

    for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
        if (strncmp(type, remote[i], strlen(remote[i])) == 0)
            return true;
    return false;
}

bool procfs_parse_mount(const char *line, uint32_t major, uint32_t minor, bool *may_hang)
{
    unsigned line_major, line_minor;

    if (sscanf(line, "%*d %*d %u:%u", &line_major, &line_minor) != 2 || line_major != major || line_minor != minor)
        return false;
    const char *type = strstr(line, " - ");
    *may_hang = type == NULL || procfs_is_remote(type + 3);
    return true;
}

bool procfs_lists_cpu(const char *list)
{
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcmp(at, "cpu") == 0 || strncmp(at, "cpu,", 4) == 0)
            return true;
    }
    return false;
}
