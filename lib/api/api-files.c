/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of pprofil.h that read and save files of profiles, and that list formats. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "format/bytes.h"
#include "format/format.h"

/* --- formats --------------------------------------------------------------------------------- */

const char *pprofil_format_for(const char *path)
{
    const struct format *format = format_by_path(path);

    return (format != NULL ? format : &format_pprof)->name;
}

const char *pprofil_format_by_extension(const char *path)
{
    const struct format *format = format_by_path(path);

    return format != NULL ? format->name : NULL;
}

int pprofil_format_at(unsigned i, struct pprofil_format *description, size_t size)
{
    const struct format *format = format_at(i);

    if (format == NULL)
        return -ENOENT;
    struct pprofil_format all = {
        .name = format->name,
        .extensions = format->extensions,
        .summary = format->summary,
        .keeps = format->keeps != NULL ? format->keeps : "",
        .loses = format->loses != NULL ? format->loses : "",
        .readable = format_readable(format),
        .writable = format_writable(format),
        .binary = format->binary || format->codec != NULL,
    };
    api_copy(description, size, &all, sizeof all);
    return 0;
}

/* --- files ----------------------------------------------------------------------------------- */

/* Copies the options of the caller. If the caller gave none (`file` is NULL), all options are 0. */
static struct pprofil_file file_options(const struct pprofil_file *file)
{
    struct pprofil_file all = {0};

    if (file != NULL)
        api_copy(&all, sizeof all, file, file->size);
    return all;
}

/* Converts the options to those of lib/format. Returns 0, or -EINVAL if file->roots or file->values is unknown. */
static int format_options_of(const struct pprofil_file *file, struct format_options *options)
{
    static const char *const roots[] = {
        [FORMAT_ROOTS_NONE] = "none",
        [FORMAT_ROOTS_COMM] = "comm",
        [FORMAT_ROOTS_PROCESS] = "process",
        [FORMAT_ROOTS_THREAD] = "thread",
    };

    *options = (struct format_options){
        .object = file->object, .scale = file->scale, .no_source = file->no_source, .labels = file->labels};
    for (unsigned i = FORMAT_ROOTS_NONE; file->roots != NULL && i <= FORMAT_ROOTS_THREAD; i++)
        if (strcmp(file->roots, roots[i]) == 0)
            options->roots = (enum format_roots)i;
    if (file->roots != NULL && options->roots == FORMAT_ROOTS_ANY)
        return -EINVAL;
    options->time = file->values != NULL && strcmp(file->values, "time") == 0;
    return file->values == NULL || options->time || strcmp(file->values, "samples") == 0 ? 0 : -EINVAL;
}

int pprofil_profile_open(const char *path, const struct pprofil_file *file, pprofil_profile **result)
{
    struct pprofil_file how = file_options(file);
    const struct format *format = how.format != NULL ? format_by_name(how.format) : NULL;
    struct format_options options;

    if (how.format != NULL && format == NULL)
        return PPROFIL_ERROR_UNREADABLE;
    if (format_options_of(&how, &options) != 0)
        return -EINVAL;
    struct pprofil_profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL)
        return -ENOMEM;
    options.found = &format;
    int error = format_read_file_as(path, format, &options, &profile->profile);
    if (error != 0) {
        free(profile);
        return error;
    }
    profile->counters = format->codec != NULL;
    profile->format = format->name;
    *result = profile;
    return 0;
}

static int symbolize_all(struct pprofil_profile *profile)
{
    int error = api_need_symbolizer(profile);

    if (error == 0)
        error = symbolizer_look_up_all(profile->symbolizer, PROFILE_LOOKED_LINE);
    for (uint32_t i = 1; error == 0 && i < profile->profile->location_count; i++)
        error = symbolizer_define(profile->symbolizer, i);
    return error;
}

/* Finds the format in which a file is to be written, and the options of the format. Returns 0,
 * PPROFIL_ERROR_UNWRITABLE, PPROFIL_ERROR_DIALECT or -EINVAL. */
static int format_to_write(const char *path, const struct pprofil_file *file,
                       const struct format **format, struct format_options *options)
{
    struct pprofil_file how = file_options(file);

    *format = format_by_name(how.format != NULL ? how.format : pprofil_format_for(path));
    if (*format == NULL || !format_writable(*format))
        return PPROFIL_ERROR_UNWRITABLE;
    if (format_options_of(&how, options) != 0)
        return -EINVAL;
    if (how.dialect != NULL && (options->dialect = dialect_find(how.dialect)) == NULL)
        return PPROFIL_ERROR_DIALECT;
    return 0;
}

/* Looks up the names that the format writes. Files of counters contain no names; programs that read such files get the
 * names from the object. */
static int symbolize_for(pprofil_profile *profile, const struct pprofil_file *how, const struct format *format)
{
    int error = format->codec == NULL ? symbolize_all(profile) : 0;

    return error == 0 && how->baseline != NULL ? symbolize_all(how->baseline) : error;
}

int pprofil_profile_symbolize(pprofil_profile *profile, const char *path, const struct pprofil_file *file)
{
    const struct format *format;
    struct format_options options;
    const struct pprofil_file how = file_options(file);
    int error = format_to_write(path, file, &format, &options);

    return error == 0 ? symbolize_for(profile, &how, format) : error;
}

int pprofil_profile_save(pprofil_profile *profile, const char *path, const struct pprofil_file *file, bool symbolize)
{
    const struct format *format;
    struct format_options options;
    const struct pprofil_file how = file_options(file);
    int error = format_to_write(path, file, &format, &options);

    if (error == 0)
        error = profile_number_generations(profile->profile);
    if (error == 0 && symbolize)
        error = symbolize_for(profile, &how, format);
    if (how.baseline != NULL)
        options.baseline = how.baseline->profile;
    return error == 0 ? format_write_file_as(format, path, profile->profile, &options) : error;
}

int pprofil_write_file(const char *path, const void *bytes, size_t size)
{
    return bytes_save(path, bytes, size);
}

int pprofil_profile_file_at(const pprofil_profile *profile, const char *path,
                            const struct pprofil_file *file, unsigned i, char *name, size_t size)
{
    const struct format *format;
    struct format_options options;
    char whole[PATH_MAX];
    int error = format_to_write(path, file, &format, &options);

    if (error == 0)
        error = format_file_at(format, path, profile->profile, &options, i, whole);
    if (error == 0 && strlen(whole) >= size)
        error = -ENAMETOOLONG;
    if (error == 0)
        strcpy(name, whole);
    return error;
}
