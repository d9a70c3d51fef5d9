/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * debuginfo: finds the separate debug file of an ELF file, for the names and lines of lib/symbol and for the frame
 * descriptions of lib/unwind. Nothing is asked of a server here; lib/symbol does that, because it may take long.
 *
 * What is found may be hostile. It is a regular file, it is identified as far as the ELF file allows, and it unpacks to
 * a bounded size. Nothing else may be assumed.
 *
 * The files in lib/debuginfo: debug-file.c finds the file, unpacked-size.c says whether libdw may read it, and
 * debug-package.c says what would bring it.
 */
#ifndef PPROFIL_DEBUGINFO_H
#define PPROFIL_DEBUGINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known about a debug file. All pointers are borrowed. It is identified by its build-id, or, if that is not
 * known, by the checksum in .gnu_debuglink. If neither is known, any file of the name is taken. */
struct debug_file_wanted {
    const char *file; /* path of the ELF file; NULL: not known, so no name is looked for */
    const char *link; /* name or absolute path of the debug file; NULL: it has the name of the ELF file + ".debug" */
    const uint8_t *build_id;
    size_t build_id_size; /* bytes; 0: the build-id is not known */
    bool has_crc;
    uint32_t crc;
};

/* Finds a debug file on this machine. Looks where gdb looks (gdb's manual, "Separate Debug Files"): in the directory of
 * the ELF file, in its subdirectory .debug, in the directory of the same path below /usr/lib/debug, and by build-id in
 * /usr/lib/debug/.build-id; then in the cache of debuginfod (debuginfod-find(1), "CACHE"). Returns a descriptor, and
 * sets *name to the path of the file; the caller owns both. -1: no such file was found, and *name is NULL. */
int debug_file_find(const struct debug_file_wanted *wanted, char **name);

/* Returns the path of an open file, as the kernel knows it (proc_pid_fd(5)). The caller frees it. NULL: not known. */
char *debug_file_path_of(int fd);

/* Checks whether libdw may read a file. libdw unpacks whole compressed sections into memory.
 * Returns 0, -EFBIG (the unpacked sections would take too much memory), -ENOEXEC (it is no ELF
 * file), or another -errno (the file cannot be read). */
int elf_check_unpacked_size(int fd);

/* Returns whether libdwfl could ask servers: it loads libdebuginfod, which is in the same directory as libdw. */
bool debug_package_has_client(void);

/* Writes what would bring the debug information of a file that has none, in a few words for people: "install libc6-dbg,
 * or set DEBUGINFOD_URLS=...". The path is that of the file, as profiles have it. If the file is not one of the system,
 * the text is `of_own`. The text may be cut off at `size` bytes. May read all lists of dpkg, some 10 MB. */
void debug_package_advice(const char *path, bool has_build_id, const char *of_own, char *text, size_t size);

#endif
