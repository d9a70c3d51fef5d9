/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes profiles and counters to files. A regular file is replaced as a whole, so that nobody sees an incomplete one.
 * A file that cannot be replaced is overwritten in place.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output-path.h"
#include "base/path.h"
#include "format/format.h"
#include "format/profil/profil.h"

/* Returns the descriptor of this process that a path stands for, or -1. The caller writes to this descriptor and does
 * not open the path. Opening /dev/fd/N would begin at the start of a file, and fails for a socket. */
static int own_descriptor(const char *path)
{
    return strcmp(path, "-") == 0 ? STDOUT_FILENO : bytes_descriptor(path);
}

/* The contents to be written to one file. */
struct job {
    const struct format *format;
    const struct profile *profile;
    const struct format_options *options;
    uint32_t object; /* index of the object, if the format has a codec */
    const struct histogram_file *histograms; /* counters to write instead of a profile; else NULL */
    const void *bytes; /* bytes to write instead of a profile; else NULL */
    size_t size;
};

static int write_bytes(int fd, const void *bytes, size_t size)
{
    struct bytes_out out;

    bytes_begin(&out, fd, 0, false);
    bytes_put_all(&out, bytes, size);
    return bytes_finish(&out);
}

static int write_job(const struct job *job, int fd)
{
    if (job->bytes != NULL)
        return write_bytes(fd, job->bytes, job->size);
    if (job->histograms != NULL)
        return job->format->codec->write(fd, job->histograms);
    if (job->format->codec != NULL)
        return codec_write(job->format->codec, fd, job->options, job->profile, job->object);
    if (job->format->write_with != NULL)
        return job->format->write_with(fd, job->profile, job->options);
    if (job->options->baseline != NULL)
        return job->format->compare(fd, job->options->baseline, job->profile);
    return job->format->write(fd, job->profile);
}

static int write_directly(const struct job *job, const struct output_path *place)
{
    int fd = output_path_open_found(place);
    if (fd < 0)
        return fd;

    int error = write_job(job, fd);
    if (close(fd) < 0 && error == 0)
        error = -errno;
    return error;
}

/* Creates a temporary file in the same directory, with the permissions that the old file has or a new file would get.
 * Its name does not contain the name of the file, which may already have the greatest possible length. */
static int create_beside(const struct output_path *place, char temporary[NAME_MAX + 1])
{
    mode_t mode = place->exists ? place->status.st_mode & 0777 : 0666;
    int fd = -1;

    for (unsigned attempt = 0; fd < 0 && attempt < 1000; attempt++) {
        snprintf(temporary, NAME_MAX + 1, ".pprofil-%d-%u", (int)getpid(), attempt);
        fd = openat(place->directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            return -errno;
    }
    if (fd < 0)
        return -EEXIST;
    /* restores the bits that the umask removed; a file system without permissions may refuse this */
    if (place->exists && fchmod(fd, mode) < 0 && errno != EPERM) {
        int error = -errno;
        close(fd);
        unlinkat(place->directory, temporary, 0);
        return error;
    }
    return fd;
}

static int write_atomically(const struct job *job, const struct output_path *place)
{
    char temporary[NAME_MAX + 1];
    int fd = create_beside(place, temporary);
    if (fd < 0)
        return fd;

    int error = write_job(job, fd);
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

static int write_at(const struct job *job, const struct output_path *place, bool *regular)
{
    if (place->exists && S_ISDIR(place->status.st_mode))
        return -EISDIR;
    if (place->exists && !S_ISREG(place->status.st_mode))
        return write_directly(job, place);
    *regular = true;
    int error = write_atomically(job, place);
    /* the directory is not writable, or is sticky and the file is another user's, or the file is a mount point */
    bool denied = error == -EACCES || error == -EPERM || error == -EBUSY;
    return denied && place->exists ? write_directly(job, place) : error;
}

/* Writes a job to a path, and follows symbolic links. *regular: is the file a regular one? */
static int write_file(const struct job *job, const char *path, bool *regular)
{
    struct output_path place;

    *regular = false;
    if (own_descriptor(path) >= 0)
        return write_job(job, own_descriptor(path));
    int error = output_path_find(path, &place);
    if (error != 0)
        return error;
    error = write_at(job, &place, regular);
    output_path_close(&place);
    return error;
}

static const char *object_base_name(const struct profile *profile, uint32_t object)
{
    return path_base_name(profile->strings[profile->objects[object].path]);
}

/* Makes the path of the part-th file: "gmon.out.libm.so.6", or "gmon.out.libm.so.6.2" for a second object with this
 * base name. Returns 0 or -ENAMETOOLONG. */
static int name_part(const struct profile *profile, const char *path, const uint32_t *objects,
                     size_t part, char name[PATH_MAX])
{
    const char *base = object_base_name(profile, objects[part]);
    unsigned same = 1;

    for (size_t i = 1; i < part; i++)
        same += strcmp(object_base_name(profile, objects[i]), base) == 0;
    int length = same == 1 ? snprintf(name, PATH_MAX, "%s.%s", path, base)
                           : snprintf(name, PATH_MAX, "%s.%s.%u", path, base, same);
    return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int format_file_at(const struct format *format, const char *path, const struct profile *profile,
                   const struct format_options *options, size_t part, char name[PATH_MAX])
{
    uint32_t *objects = NULL;
    size_t count = 1;
    int error = 0;

    if (format->codec != NULL)
        error = codec_objects(format->codec, options, profile, &objects, &count);
    if (error == 0 && part >= count)
        error = -ENOENT;
    if (error == 0 && part > 0)
        error = name_part(profile, path, objects, part, name);
    else if (error == 0 && snprintf(name, PATH_MAX, "%s", path) >= PATH_MAX)
        error = -ENAMETOOLONG;
    free(objects);
    return error;
}

static int check_part(const char *name)
{
    struct output_path place;
    int error = output_path_find(name, &place);

    if (error == 0 && place.exists && !S_ISREG(place.status.st_mode))
        error = -EEXIST;
    output_path_close(&place);
    return error;
}

/* Checks the names of all files but the first, which the user did not choose. Nothing but a regular file may be
 * overwritten there. */
static int check_parts(const struct job *job, const char *path, const uint32_t *objects,
                       size_t count)
{
    char name[PATH_MAX];
    int error = 0;

    for (size_t i = 1; error == 0 && i < count; i++) {
        error = name_part(job->profile, path, objects, i, name);
        if (error == 0)
            error = check_part(name);
    }
    return error;
}

static int write_parts(struct job *job, const char *path)
{
    char name[PATH_MAX];
    uint32_t *objects;
    size_t count;
    bool regular = true;
    int error = codec_objects(job->format->codec, job->options, job->profile, &objects, &count);

    if (error != 0)
        return error;
    error = check_parts(job, path, objects, count);
    for (size_t i = 0; error == 0 && regular && i < count; i++) {
        job->object = objects[i];
        if (i > 0)
            error = name_part(job->profile, path, objects, i, name);
        if (error == 0)
            error = write_file(job, i > 0 ? name : path, &regular);
        if (error == 0 && regular) /* the .meta file described the old file */
            meta_remove(i > 0 ? name : path);
    }
    free(objects);
    return error;
}

int format_write_file_as(const struct format *format, const char *path,
                         const struct profile *profile, const struct format_options *options)
{
    struct job job = {.format = format, .profile = profile, .options = options};
    bool regular;

    if (!format_writable(format))
        return PPROFIL_ERROR_UNWRITABLE;
    if (options->baseline != NULL && format->compare == NULL)
        return PPROFIL_ERROR_NO_COMPARISON;
    if (format->codec != NULL)
        return write_parts(&job, path);
    return write_file(&job, path, &regular);
}

int format_write_file(const struct format *format, const char *path, const struct profile *profile)
{
    return format_write_file_as(format, path, profile, &(struct format_options){0});
}

int format_write_histograms(const struct format *format, const char *path,
                            const struct histogram_file *histograms)
{
    const struct job job = {.format = format, .histograms = histograms};
    bool regular;

    return format->codec == NULL ? PPROFIL_ERROR_UNWRITABLE : write_file(&job, path, &regular);
}

int format_write_bytes(const char *path, const void *bytes, size_t size)
{
    const struct job job = {.bytes = bytes, .size = size};
    bool regular;

    return write_file(&job, path, &regular);
}
