/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes numbers and whole files. Files are read and not mapped: if another process truncated a mapped file,
 * access to it would raise SIGBUS. A regular file is replaced as a whole, so that nobody sees an incomplete one. A file
 * that cannot be replaced is overwritten in place.
 */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output-path.h"
#include "base/regular-file.h"
#include "format/bytes.h"

/* --- reading ------------------------------------------------------------------------- */

struct bytes bytes_of(const unsigned char *bytes, size_t size, uint32_t pointer_size, bool big_endian)
{
    return (struct bytes){
        .at = bytes, .end = bytes + size, .pointer_size = pointer_size, .big_endian = big_endian};
}

uint64_t bytes_left(const struct bytes *bytes)
{
    return (uint64_t)(bytes->end - bytes->at);
}

const unsigned char *bytes_take(struct bytes *bytes, uint64_t size)
{
    const unsigned char *taken = bytes->at;

    if (size > bytes_left(bytes)) {
        bytes->missing = true;
        return NULL;
    }
    bytes->at += size;
    return taken;
}

uint64_t bytes_get(struct bytes *bytes, unsigned size)
{
    const unsigned char *taken = bytes_take(bytes, size);
    uint64_t number = 0;

    if (taken == NULL)
        return 0;
    if (size == sizeof number && !bytes->big_endian) { /* the usual case in large files */
        memcpy(&number, taken, sizeof number);
        return le64toh(number);
    }
    for (unsigned i = 0; i < size; i++)
        number = number << 8 | taken[bytes->big_endian ? i : size - 1 - i];
    return number;
}

uint64_t bytes_get_pointer(struct bytes *bytes)
{
    return bytes_get(bytes, bytes->pointer_size);
}

/* Reads a whole file. Sets *size to the number of bytes read. If the file shrinks while it is read, there are fewer
 * bytes than its size at the start. If the file grows, the bytes after its old end are not read. */
static int load_descriptor(int fd, unsigned char **bytes, size_t *size)
{
    struct stat status;
    ssize_t got = 1;

    if (fstat(fd, &status) < 0)
        return -errno;
    if (status.st_size > BYTES_SIZE_MAX)
        return -EFBIG;
    size_t room = (size_t)status.st_size;
    unsigned char *whole = malloc(room + 1);
    if (whole == NULL)
        return -ENOMEM;
    for (*size = 0; *size < room && got > 0; *size += (size_t)got) {
        got = read(fd, whole + *size, room - *size);
        if (got < 0) {
            int error = -errno;
            free(whole);
            return error;
        }
    }
    *bytes = whole;
    return 0;
}

int bytes_descriptor(const char *path)
{
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const prefixes[] = {"/dev/fd/", "/proc/self/fd/"};

    for (int i = 0; i < 3; i++)
        if (strcmp(path, names[i]) == 0)
            return i;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        const char *digits = path + length;
        if (strncmp(path, prefixes[i], length) == 0 && *digits != '\0' && strlen(digits) < 9 &&
            strspn(digits, "0123456789") == strlen(digits))
            return atoi(digits);
    }
    return -1;
}

int bytes_load(const char *path, unsigned char **bytes, size_t *size)
{
    int fd = regular_file_open(path, 0);
    if (fd < 0)
        return fd;

    int error = load_descriptor(fd, bytes, size);
    close(fd);
    return error;
}

/* --- writing ------------------------------------------------------------------------- */

void bytes_begin(struct bytes_out *out, int fd, uint32_t pointer_size, bool big_endian)
{
    out->fd = fd;
    out->passed = 0;
    out->error = 0;
    out->pointer_size = pointer_size;
    out->big_endian = big_endian;
    out->used = 0;
}

static void bytes_flush(struct bytes_out *out)
{
    size_t done = 0;

    while (out->fd >= 0 && out->error == 0 && done < out->used) {
        ssize_t wrote = write(out->fd, out->buffer + done, out->used - done);
        if (wrote < 0 && errno != EINTR)
            out->error = -errno;
        if (wrote > 0)
            done += (size_t)wrote;
    }
    out->passed += out->used;
    out->used = 0;
}

uint64_t bytes_put_so_far(const struct bytes_out *out)
{
    return out->passed + out->used;
}

void bytes_put_all(struct bytes_out *out, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;

    while (size > 0) {
        size_t room = sizeof out->buffer - out->used, piece = size < room ? size : room;
        memcpy(out->buffer + out->used, from, piece);
        out->used += piece;
        from += piece;
        size -= piece;
        if (out->used == sizeof out->buffer)
            bytes_flush(out);
    }
}

void bytes_put(struct bytes_out *out, uint64_t number, unsigned size)
{
    unsigned char bytes[8];

    if (size < 8 && number >> (8 * size) != 0 && out->error == 0)
        out->error = PPROFIL_ERROR_ADDRESSES;
    for (unsigned i = 0; i < size; i++)
        bytes[out->big_endian ? size - 1 - i : i] = (unsigned char)(number >> (8 * i));
    bytes_put_all(out, bytes, size);
}

void bytes_put_pointer(struct bytes_out *out, uint64_t number)
{
    bytes_put(out, number, out->pointer_size);
}

void bytes_put_zeros(struct bytes_out *out, uint64_t count)
{
    static const unsigned char zeros[4096];

    for (; count > 0 && out->error == 0; count -= count < sizeof zeros ? count : sizeof zeros)
        bytes_put_all(out, zeros, count < sizeof zeros ? (size_t)count : sizeof zeros);
}

int bytes_finish(struct bytes_out *out)
{
    bytes_flush(out);
    return out->error;
}

/* --- whole files --------------------------------------------------------------------- */

/* If a path stands for an open descriptor of this process, returns this descriptor, else -1. The caller writes to the
 * descriptor and does not open the path. To open /dev/fd/N would be wrong: a regular file would be written from offset
 * 0 again, and a socket cannot be opened. */
static int own_descriptor(const char *path)
{
    return strcmp(path, "-") == 0 ? STDOUT_FILENO : bytes_descriptor(path);
}

static int write_directly(const struct output_path *place, bytes_writer *write_contents, const void *contents)
{
    int fd = output_path_open_found(place);
    if (fd < 0)
        return fd;

    int error = write_contents(fd, contents);
    if (close(fd) < 0 && error == 0)
        error = -errno;
    return error;
}

/* Creates a temporary file in the directory of the file that is to be written. It has the permissions of the old file,
 * or those of a new file if there is no old one. Its name does not contain place->name, which may already have the
 * maximum length. */
static int create_beside(const struct output_path *place, char temporary[NAME_MAX + 1])
{
    mode_t mode = place->exists ? place->status.st_mode & 0777 : 0666;
    int fd = -1;

    for (unsigned attempt = 0; fd < 0 && attempt < 1000; attempt++) {
        snprintf(temporary, NAME_MAX + 1, OUTPUT_PART_PREFIX "%d-%u", (int)getpid(), attempt);
        fd = openat(place->directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            return -errno;
    }
    if (fd < 0)
        return -EEXIST;
    /* restores the permissions that the umask removed; a file system without permissions may refuse this */
    if (place->exists && fchmod(fd, mode) < 0 && errno != EPERM) {
        int error = -errno;
        close(fd);
        unlinkat(place->directory, temporary, 0);
        return error;
    }
    return fd;
}

static int write_atomically(const struct output_path *place, bytes_writer *write_contents, const void *contents)
{
    char temporary[NAME_MAX + 1];
    int fd = create_beside(place, temporary);
    if (fd < 0)
        return fd;

    int error = write_contents(fd, contents);
    if (error == 0 && fsync(fd) < 0)
        error = -errno;
    if (close(fd) < 0 && error == 0)
        error = -errno;
    if (error == 0 && renameat(place->directory, temporary, place->directory, place->name) < 0)
        error = -errno;
    if (error != 0)
        unlinkat(place->directory, temporary, 0);
    return error;
}

static int write_at(const struct output_path *place, bytes_writer *write_contents, const void *contents, bool *regular)
{
    if (place->exists && S_ISDIR(place->status.st_mode))
        return -EISDIR;
    if (place->exists && !S_ISREG(place->status.st_mode))
        return write_directly(place, write_contents, contents);
    *regular = true;
    int error = write_atomically(place, write_contents, contents);
    /* These errors mean that the old file cannot be replaced. EACCES: the directory is not writable. EPERM: the
     * directory is sticky, and the file belongs to another user. EBUSY: the file is a mount point. */
    bool denied = error == -EACCES || error == -EPERM || error == -EBUSY;
    return denied && place->exists ? write_directly(place, write_contents, contents) : error;
}

int bytes_write_file(const char *path, bytes_writer *write_contents, const void *contents, bool *regular)
{
    struct output_path place;

    *regular = false;
    int fd = own_descriptor(path);
    /* writers of text would take this for a lack of memory; a standard output that was closed is such a descriptor */
    if (fd >= 0 && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return -EBADF;
    if (fd >= 0)
        return write_contents(fd, contents);
    int error = output_path_find(path, &place);
    if (error != 0)
        return error;
    error = write_at(&place, write_contents, contents, regular);
    output_path_close(&place);
    return error;
}

/* Bytes in memory, to be written to a file. */
struct piece {
    const void *bytes;
    size_t size;
};

static int write_piece(int fd, const void *contents)
{
    const struct piece *piece = contents;
    struct bytes_out out;

    bytes_begin(&out, fd, 0, false);
    bytes_put_all(&out, piece->bytes, piece->size);
    return bytes_finish(&out);
}

int bytes_save(const char *path, const void *bytes, size_t size)
{
    const struct piece piece = {.bytes = bytes, .size = size};
    bool regular;

    return bytes_write_file(path, write_piece, &piece, &regular);
}
