/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * object-file: which file on this machine an object of a profile is. The descriptor that the
 * supervisor sent is the very file that was mapped; a path may lead to another by now, and
 * then its build-id or inode tells.
 */
#ifndef PPROFIL_OBJECT_FILE_H
#define PPROFIL_OBJECT_FILE_H

#include "profile/profile.h"
#include "symbol/elf-object.h"

/* Opens a file that a path in somebody's file names: a regular one, never a FIFO or a device.
 * The descriptor or -errno, as file_opener_open gives it. */
int object_file_path(const char *path);

/* Opens the ELF file of an object of kind FILE or VDSO. 0 or -errno: -ENOENT: it is gone,
 * -ESTALE: another took its place, -ENOEXEC: it is no ELF file, -ETIMEDOUT: it hangs. */
int object_file_open(const struct profile *profile, uint32_t object, struct elf_object **elf);

#endif
