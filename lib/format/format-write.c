/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes profiles and counters to files (bytes_write_file). A format whose files hold only one object makes a file for
 * each object.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output-path.h"
#include "base/path.h"
#include "format/format.h"
#include "format/profil/profil.h"

/* What is to be written to one file. */
struct job {
    const struct format *format;
    const struct profile *profile;
    const struct format_options *options;
    uint32_t object; /* index of the object, if the format has a codec */
    const struct histogram_file *histograms; /* counters to write; NULL: the profile is written */
};

static int write_job(int fd, const void *contents)
{
    const struct job *job = contents;

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

static const char *object_base_name(const struct profile *profile, uint32_t object)
{
    return path_base_name(profile->strings[profile->objects[object].path]);
}

/* Makes the path of file number `part`, which is at least 1: "gmon.out.libm.so.6". If another object with the same base
 * name comes before this one, the path ends with a number: "gmon.out.libm.so.6.2". Returns 0 or -ENAMETOOLONG. */
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

/* Checks the paths of all files except the first. The user did not choose these paths. So if a file exists at such a
 * path, it is overwritten only if it is a regular file. */
static int check_parts(const struct job *job, const char *path, const uint32_t *objects, size_t count)
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
            error = bytes_write_file(i > 0 ? name : path, write_job, job, &regular);
        /* if there is a .meta file, it describes the old file, which has just been replaced */
        if (error == 0 && regular)
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
    return bytes_write_file(path, write_job, &job, &regular);
}

int format_write_file(const struct format *format, const char *path, const struct profile *profile)
{
    return format_write_file_as(format, path, profile, &(struct format_options){0});
}

int format_write_histograms(const struct format *format, const char *path, const struct histogram_file *histograms)
{
    const struct job job = {.format = format, .histograms = histograms};
    bool regular;

    return format->codec == NULL ? PPROFIL_ERROR_UNWRITABLE : bytes_write_file(path, write_job, &job, &regular);
}
