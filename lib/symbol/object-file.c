/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A path in a profile may lead anywhere by now: what it leads to is compared before it is used. */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "launch/file-opener.h"
#include "symbol/object-file.h"

int object_file_path(const char *path)
{
    return file_opener_open(path, 0);
}

/* Takes the ELF file from a descriptor if it has the build-id of the one that was mapped. */
static int try_file(const struct profile_object *object, int fd, const char *path, bool certain,
                    struct elf_object **elf)
{
    int error = elf_object_open(fd, path, object->build_id, object->build_id_size, elf);

    if (error != 0)
        return error;
    if (certain || object->build_id_size == 0 ||
        elf_object_is(*elf, object->build_id, object->build_id_size))
        return 0;
    elf_object_close(*elf);
    *elf = NULL;
    return -ESTALE;
}

int object_file_open(const struct profile *profile, uint32_t index, struct elf_object **elf)
{
    const struct profile_object *object = &profile->objects[index];
    const char *path = profile->strings[object->path];
    int error = object->hangs ? -ETIMEDOUT : -ENOENT;

    *elf = NULL;
    if (object->fd >= 0) {
        error = try_file(object, object->fd, path, true, elf);
    } else if (!object->deleted && !object->hangs && object->kind == PROFILE_OBJECT_FILE) {
        /* the device is not compared: overlay and btrfs show another one in maps than in stat */
        int fd = file_opener_open(path, object->build_id_size > 0 ? 0 : object->inode);
        error = fd < 0 ? fd : try_file(object, fd, path, false, elf);
        if (fd >= 0)
            close(fd);
    }
    if (error != 0 && object->build_id_size > 0 &&
        elf_object_open(-1, path, object->build_id, object->build_id_size, elf) == 0)
        error = 0;
    return error;
}
