/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decides whether a process is one of those that are searched for: see process-search.h. */
#include "config.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "process-search.h"

#define CONTAINER_ID_MIN 12u /* letters; the shortest form that docker(1) prints */
#define COMM_MAX 15 /* the kernel keeps so many letters of a name: proc_pid_comm(5) */

/* --- names --------------------------------------------------------------------------------- */

bool process_name_is_pattern(const char *text)
{
    return strpbrk(text, "*?[ ") != NULL;
}

/* Copies the last part of the path in a word of a command line, up to `end`. */
static void copy_base_name(const char *word, const char *end, char *name, size_t size)
{
    size_t length = (size_t)(end - word);

    snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), word);
    memmove(name, path_base_name(name), strlen(path_base_name(name)) + 1);
}

/* Returns true for the name of an interpreter, such as "python3.11". */
static bool name_is_interpreter(const char *name)
{
    static const char *const names[] = {"Rscript", "awk",    "bash", "bun",  "dash", "deno",   "gawk", "ksh",
                                        "lua",     "luajit", "mawk", "mono", "node", "nodejs", "perl", "php",
                                        "pypy",    "python", "ruby", "sh",   "tclsh", "wish",  "zsh"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 && name[length + strspn(name + length, "0123456789.")] == '\0')
            return true;
    }
    return false;
}

/* Returns true if a process has a name: its own, which the kernel cuts off, that of its program, or that of the script
 * that its program, an interpreter, executes. */
static bool process_is_called(const struct pprofil_candidate *process, const char *name)
{
    const char *command = process->command, *end = command + strcspn(command, " ");
    char base[sizeof process->command];

    if (strncmp(process->comm, name, COMM_MAX) == 0 && strlen(process->comm) <= strlen(name))
        return true;
    copy_base_name(command, end, base, sizeof base);
    if (strcmp(base, name) == 0)
        return true;
    if (*end == '\0' || !name_is_interpreter(base))
        return false;
    copy_base_name(end + 1, end + 1 + strcspn(end + 1, " "), base, sizeof base);
    return strcmp(base, name) == 0;
}

bool process_matches(const struct pprofil_candidate *process, const char *name)
{
    if (!process_name_is_pattern(name))
        return process_is_called(process, name);
    return fnmatch(name, process->command, 0) == 0 || fnmatch(name, process->comm, 0) == 0;
}

bool process_has_user(const struct pprofil_candidate *process, const char *user)
{
    char number[16];

    snprintf(number, sizeof number, "%u", process->uid);
    return strcmp(process->user, user) == 0 || strcmp(number, user) == 0;
}

/* --- control groups ------------------------------------------------------------------------ */

/* Returns true if a part of a path is `name`. */
static bool path_has_part(const char *path, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = path; (at = strchr(at, '/')) != NULL;) {
        at++;
        if (strncmp(at, name, length) == 0 && (at[length] == '/' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* Returns true if a path names a container whose id begins with `id`: "/ID", or "/docker-ID.scope". An id is long and
 * hexadecimal. The numbers of sessions and of pods are shorter. */
static bool path_has_container(const char *path, const char *id)
{
    size_t length = strlen(id);

    for (const char *at = path; (at = strpbrk(at, "/-")) != NULL;) {
        at++;
        size_t digits = strspn(at, "0123456789abcdef");
        if (digits >= CONTAINER_ID_MIN && (at[digits] == '\0' || strchr("./", at[digits]) != NULL) &&
            strncmp(at, id, length) == 0)
            return true;
    }
    return false;
}

static bool path_is_in(const char *path, const char *group)
{
    size_t length = strlen(group);

    while (length > 1 && group[length - 1] == '/')
        length--;
    return length == 1 || (strncmp(path, group, length) == 0 && (path[length] == '/' || path[length] == '\0'));
}

/* A line of /proc/PID/cgroup is "NUMBER:CONTROLLERS:PATH": cgroups(7). */
bool process_is_in_group(const struct pprofil_candidate *process, const struct process_search *search)
{
    char path[64], line[4096 + 256];
    bool found = false;

    snprintf(path, sizeof path, "/proc/%u/cgroup", process->pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        const char *group = strchr(line, ':');
        group = group != NULL ? strchr(group + 1, ':') : NULL;
        if (group == NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        group++;
        found = (search->cgroup == NULL || (search->cgroup[0] == '/' ? path_is_in(group, search->cgroup)
                                                                     : path_has_part(group, search->cgroup))) &&
                (search->container == NULL || path_has_container(group, search->container));
    }
    if (file != NULL)
        fclose(file);
    return found;
}
