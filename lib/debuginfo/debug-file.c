/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the separate debug file of an ELF file, by name or by build-id.
 *
 * libdwfl and gdb would open any file that has the name. But opening a FIFO would block, and a small file may unpack to
 * more than all memory. So the search is made here.
 */
#include "config.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/path.h"
#include "debuginfo/debuginfo.h"
#include "launch/file-opener.h"

#define SYSTEM_DIRECTORY "/usr/lib/debug"
#define CRC_PIECE 65536u     /* how many bytes are read at a time */
#define BUILD_ID_MIN 2u      /* bytes; the first byte of a build-id is a directory's name, the others a file's */
#define BUILD_ID_MAX 64u

/* --- is it the wanted file? ------------------------------------------------------------------- */

static bool has_crc(int fd, uint32_t wanted)
{
    unsigned char *bytes = malloc(CRC_PIECE);
    uLong crc = crc32(0, NULL, 0);
    ssize_t got = -1;

    for (off_t at = 0; bytes != NULL && (got = pread(fd, bytes, CRC_PIECE, at)) > 0; at += got)
        crc = crc32(crc, bytes, (uInt)got);
    free(bytes);
    return got == 0 && crc == wanted;
}

static bool has_build_id(int fd, const struct debug_file_wanted *wanted)
{
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const void *build_id;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &build_id);
    bool same = size > 0 && (size_t)size == wanted->build_id_size &&
                memcmp(build_id, wanted->build_id, (size_t)size) == 0;

    elf_end(elf);
    return same;
}

static bool is_wanted(int fd, const struct debug_file_wanted *wanted)
{
    if (elf_check_unpacked_size(fd) != 0)
        return false;
    if (wanted->build_id_size > 0)
        return has_build_id(fd, wanted);
    return !wanted->has_crc || has_crc(fd, wanted->crc);
}

/* Returns a descriptor of the file at `path` if that is the wanted file; otherwise -1. */
static int try_path(const char *path, const struct debug_file_wanted *wanted)
{
    /* a link may be the name of the ELF file itself, but a file is not its own debug file */
    int fd = wanted->file != NULL && strcmp(path, wanted->file) == 0 ? -1 : file_opener_open(path, 0);

    if (fd < 0)
        return -1;
    if (is_wanted(fd, wanted))
        return fd;
    close(fd);
    return -1;
}

/* --- where it may be -------------------------------------------------------------------------- */

static int find_by_name(const struct debug_file_wanted *wanted, char path[static PATH_MAX])
{
    static const char *const patterns[] = {"%.*s/%s", "%.*s/.debug/%s", SYSTEM_DIRECTORY "%.*s/%s"};
    const char *file = wanted->file, *slash = strrchr(file, '/'), *directory = slash == NULL ? "." : file;
    int size = slash == NULL ? 1 : (int)(slash - file), fd = -1;
    char usual[NAME_MAX + 1];

    if (wanted->link != NULL && wanted->link[0] == '/') {
        snprintf(path, PATH_MAX, "%s", wanted->link);
        return try_path(path, wanted);
    }
    snprintf(usual, sizeof usual, "%s.debug", path_base_name(file));
    for (size_t i = 0; fd < 0 && i < sizeof patterns / sizeof *patterns; i++) {
        snprintf(path, PATH_MAX, patterns[i], size, directory, wanted->link != NULL ? wanted->link : usual);
        fd = try_path(path, wanted);
    }
    return fd;
}

/* Writes the path of the directory in which debuginfod's client keeps files. Returns its length; 0: not known. */
static int put_cache_directory(char path[static PATH_MAX])
{
    static const char *const places[][2] = {
        {"DEBUGINFOD_CACHE_PATH", ""}, {"XDG_CACHE_HOME", "/debuginfod_client"}, {"HOME", "/.cache/debuginfod_client"}};

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *value = getenv(places[i][0]);
        if (value != NULL && value[0] == '/')
            return snprintf(path, PATH_MAX, "%s%s", value, places[i][1]);
    }
    return 0;
}

static int find_by_build_id(const struct debug_file_wanted *wanted, char path[static PATH_MAX])
{
    char hex[2 * BUILD_ID_MAX + 1];

    if (wanted->build_id_size < BUILD_ID_MIN || wanted->build_id_size > BUILD_ID_MAX)
        return -1;
    for (size_t i = 0; i < wanted->build_id_size; i++)
        snprintf(hex + 2 * i, 3, "%02x", wanted->build_id[i]);
    snprintf(path, PATH_MAX, SYSTEM_DIRECTORY "/.build-id/%.2s/%s.debug", hex, hex + 2);
    int fd = try_path(path, wanted);
    if (fd >= 0)
        return fd;
    int length = put_cache_directory(path);
    if (length <= 0 || length >= PATH_MAX)
        return -1;
    snprintf(path + length, PATH_MAX - (size_t)length, "/%s/debuginfo", hex);
    return try_path(path, wanted);
}

int debug_file_find(const struct debug_file_wanted *wanted, char **name)
{
    char path[PATH_MAX];
    int fd = wanted->file != NULL ? find_by_name(wanted, path) : -1;

    if (fd < 0)
        fd = find_by_build_id(wanted, path);
    *name = fd < 0 ? NULL : strdup(path);
    if (fd >= 0 && *name == NULL) {
        close(fd);
        fd = -1;
    }
    return fd;
}

char *debug_file_path_of(int fd)
{
    char link[32], path[PATH_MAX];

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path);
    return size > 0 && size < (ssize_t)sizeof path ? strndup(path, (size_t)size) : NULL;
}
