/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A path in a profile may lead anywhere by now: what it leads to is compared before it is used. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/object-file.h"

int object_file_path(const char *path)
{
    struct stat status;
    char through[64];
    int fd = -EINVAL, place = open(path, O_PATH | O_CLOEXEC);

    if (place < 0)
        return -errno;
    if (fstat(place, &status) == 0 && S_ISREG(status.st_mode)) {
        snprintf(through, sizeof through, "/proc/self/fd/%d", place);
        fd = open(through, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        if (fd < 0)
            fd = -errno;
    }
    close(place);
    return fd;
}

/* The device is not compared: overlay and btrfs show another one in maps than in stat. */
static bool same_file(int fd, const struct profile_object *object)
{
    struct stat status;

    return object->inode == 0 || (fstat(fd, &status) == 0 && status.st_ino == object->inode);
}

/* Takes the ELF file from a descriptor if it is the one that was mapped. */
static int try_file(const struct profile_object *object, int fd, const char *path, bool certain,
                    struct elf_object **elf)
{
    int error = elf_object_open(fd, path, object->build_id, object->build_id_size, elf);

    if (error != 0)
        return error;
    if (certain ||
        (object->build_id_size > 0 ? elf_object_is(*elf, object->build_id, object->build_id_size)
                                   : same_file(fd, object)))
        return 0;
    elf_object_close(*elf);
    *elf = NULL;
    return -ESTALE;
}

int object_file_open(const struct profile *profile, uint32_t index, struct elf_object **elf)
{
    const struct profile_object *object = &profile->objects[index];
    const char *path = profile->strings[object->path];
    int error = -ENOENT;

    *elf = NULL;
    if (object->fd >= 0) {
        error = try_file(object, object->fd, path, true, elf);
    } else if (!object->deleted && object->kind == PROFILE_OBJECT_FILE) {
        int fd = object_file_path(path);
        error = fd < 0 ? fd : try_file(object, fd, path, false, elf);
        if (fd >= 0)
            close(fd);
    }
    if (error != 0 && object->build_id_size > 0 &&
        elf_object_open(-1, path, object->build_id, object->build_id_size, elf) == 0)
        error = 0;
    return error;
}
