/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the program file of the supervisor. In a build that is not installed, the supervisor is beside the program.
 * That place is searched first, because an older supervisor may be installed. But if a program was copied to /tmp,
 * another user may have put a supervisor beside it. So a supervisor beside the program is only trusted if no stranger
 * can have put it there. A stranger is a user who could not change the program itself.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/spawn.h"

static bool is_trusted_owner(uid_t owner, const struct stat *program)
{
    return owner == 0 || owner == geteuid() || owner == program->st_uid;
}

/* Returns true if no stranger can replace files in a directory. In a sticky directory strangers can add files, but they
 * can neither replace nor remove files of other users. */
static bool is_trusted_directory(const char *path, const struct stat *program)
{
    struct stat status;

    return stat(path, &status) == 0 && is_trusted_owner(status.st_uid, program) &&
           (!(status.st_mode & S_IWOTH) || (status.st_mode & S_ISVTX));
}

/* Returns true if no stranger can have written a file. If a group may write the file, the same group must also be
 * allowed to write the program. With a umask of 002 the group may write all files of a build. */
static bool is_trusted_file(const struct stat *status, const struct stat *program)
{
    bool same_group = status->st_gid == program->st_gid && (program->st_mode & S_IWGRP);

    return S_ISREG(status->st_mode) && is_trusted_owner(status->st_uid, program) &&
           !(status->st_mode & S_IWOTH) && (!(status->st_mode & S_IWGRP) || same_group);
}

/* Searches a directory, whose path ends with a slash, for a trusted supervisor. Returns true if it finds one. If the
 * supervisor there is not trusted, stores its path in found->passed_over. */
static bool find_in(const char *directory, const struct stat *program, struct spawn_supervisor *found)
{
    struct stat status;
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s%s", directory, SPAWN_SUPERVISOR) >= (int)sizeof path ||
        lstat(path, &status) < 0 || access(path, X_OK) < 0)
        return false;
    if (is_trusted_directory(directory, program) && is_trusted_file(&status, program)) {
        memcpy(found->path, path, sizeof path);
        return true;
    }
    memcpy(found->passed_over, path, sizeof path);
    return false;
}

/* Searches the program's directory. If that is .libs, in which libtool builds programs, also searches the directory
 * above it. */
static bool find_beside(struct spawn_supervisor *found)
{
    static const char libtool[] = "/.libs/";
    char self[PATH_MAX], above[PATH_MAX + 3];
    struct stat program;

    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    while (length > 0 && self[length - 1] != '/')
        length--;
    if (length <= 0 || stat("/proc/self/exe", &program) < 0)
        return false;
    self[length] = '\0';
    if (strcmp(self, BINDIR "/") == 0)
        return false;
    if (find_in(self, &program, found))
        return true;
    size_t end = strlen(libtool);
    if ((size_t)length < end || strcmp(self + (size_t)length - end, libtool) != 0)
        return false;
    snprintf(above, sizeof above, "%s../", self);
    return find_in(above, &program, found);
}

void spawn_find_supervisor(bool beside, struct spawn_supervisor *found)
{
    const char *named = secure_getenv("PPROFIL_SUPERVISE");

    found->passed_over[0] = '\0';
    if (named != NULL)
        snprintf(found->path, sizeof found->path, "%s", named);
    else if (!beside || !find_beside(found))
        snprintf(found->path, sizeof found->path, "%s/%s", LIBEXECDIR, SPAWN_SUPERVISOR);
}
