/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out which program a process runs, and what is in the program's file. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/utf8.h"
#include "launch/file-opener.h"
#include "pprofil.h"
#include "script/script.h"
#include "session/proc.h"
#include "symbol/symbol.h"
#include "unwind/unwind.h"

#define PATH_SIZE 4096

/* Reads the target of a link below /proc/PID. Returns false if it cannot be read. */
static bool program_read_link(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    ssize_t length = readlink(path, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static bool program_is_in_other_namespace(pid_t pid)
{
    static const char *const kinds[] = {"ns/user", "ns/pid", "ns/mnt"};
    char theirs[64], ours[64];

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (program_read_link(pid, kinds[i], theirs, sizeof theirs) &&
            program_read_link(getpid(), kinds[i], ours, sizeof ours) && strcmp(theirs, ours) != 0)
            return true;
    return false;
}

static void program_look_at_file(pid_t pid, struct pprofil_program *program)
{
    struct script_interpreter python;
    struct symbol_sections sections;
    char path[32];

    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    int fd = file_opener_open(path, 0);
    program->error = fd < 0 ? fd : symbol_sections_read(fd, &sections);
    if (program->error == 0) {
        program->bits = sections.bits;
        program->symbols = sections.symbols;
        program->lines = sections.lines;
        program->go = unwind_file_has_go(fd);
        if (script_find_interpreter(fd, program->path, &python))
            program->python = python.version;
    }
    if (fd >= 0)
        close(fd);
}

/* Looks for a Python interpreter in a file that the process has mapped. */
static void program_look_at_library(pid_t pid, const char *path, uint64_t inode, struct pprofil_program *program)
{
    struct script_interpreter python;
    char below[PATH_SIZE + 32];

    snprintf(below, sizeof below, "/proc/%d/root%s", pid, path);
    int fd = file_opener_open(below, inode);
    if (fd < 0)
        return;
    if (script_find_interpreter(fd, path, &python))
        program->python = python.version;
    close(fd);
}

static void program_look_for_libpython(pid_t pid, struct pprofil_program *program)
{
    char name[64], flags[8], *line = NULL;
    size_t room = 0;

    snprintf(name, sizeof name, "/proc/%d/maps", pid);
    FILE *maps = fopen(name, "re");
    while (maps != NULL && program->python == 0 && getline(&line, &room, maps) > 0) {
        uint64_t inode;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%*s %7s %*s %*s %" SCNu64 " %n", flags, &inode, &at) == 2 && at > 0 && line[at] == '/' &&
            strchr(flags, 'x') != NULL && strncmp(path_base_name(line + at), "libpython", 9) == 0)
            program_look_at_library(pid, line + at, inode, program);
    }
    free(line);
    if (maps != NULL)
        fclose(maps);
}

int pprofil_program_of(pid_t pid, struct pprofil_program *program, size_t size)
{
    struct proc_status status = proc_read_status(pid);
    struct pprofil_program found = {0};

    if (status.state == 0 || status.state == 'Z' || status.kernel_thread)
        return -ESRCH;
    if (program_read_link(pid, "exe", found.path, sizeof found.path))
        program_look_at_file(pid, &found);
    else
        found.error = -errno;
    if (found.error == 0 && found.python == 0)
        program_look_for_libpython(pid, &found);
    found.other_namespace = program_is_in_other_namespace(pid);
    utf8_make_harmless(found.path, "");
    memcpy(program, &found, size < sizeof found ? size : sizeof found);
    return 0;
}
