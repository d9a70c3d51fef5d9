/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Profiles as pprofil.h shows them: structures of the rooms below are copied into public ones, so that they can change
 * without breaking programs.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "format/format.h"
#include "launch/file-opener.h"
#include "symbol/symbol.h"

int api_need_symbolizer(struct pprofil_profile *profile)
{
    if (profile->symbolizer == NULL)
        profile->symbolizer = symbolizer_new(profile->profile);
    return profile->symbolizer == NULL ? -ENOMEM : 0;
}

/* What the caller's structure, perhaps an older one, says. */
static struct pprofil_file api_profile_told(const struct pprofil_file *file)
{
    struct pprofil_file all = {0};

    if (file != NULL)
        api_copy(&all, sizeof all, file, file->size);
    return all;
}

/* What formats with options are told: -EINVAL where there is no such choice. */
static int choose_options(const struct pprofil_file *file, struct format_options *options)
{
    static const char *const roots[] = {
        [FORMAT_ROOTS_NONE] = "none",
        [FORMAT_ROOTS_COMM] = "comm",
        [FORMAT_ROOTS_PROCESS] = "process",
        [FORMAT_ROOTS_THREAD] = "thread",
    };

    *options = (struct format_options){.object = file->object, .scale = file->scale};
    for (unsigned i = FORMAT_ROOTS_NONE; file->roots != NULL && i <= FORMAT_ROOTS_THREAD; i++)
        if (strcmp(file->roots, roots[i]) == 0)
            options->roots = (enum format_roots)i;
    if (file->roots != NULL && options->roots == FORMAT_ROOTS_ANY)
        return -EINVAL;
    options->time = file->values != NULL && strcmp(file->values, "time") == 0;
    return file->values == NULL || options->time || strcmp(file->values, "samples") == 0 ? 0
                                                                                         : -EINVAL;
}

int pprofil_profile_open(const char *path, const struct pprofil_file *file, pprofil_profile **result)
{
    struct pprofil_file how = api_profile_told(file);
    const struct format *format = how.format != NULL ? format_by_name(how.format) : NULL;
    struct format_options options;

    if (how.format != NULL && format == NULL)
        return PPROFIL_ERROR_UNREADABLE;
    if (choose_options(&how, &options) != 0)
        return -EINVAL;
    struct pprofil_profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL)
        return -ENOMEM;
    int error = format_read_file_as(path, format, &options, &profile->profile);
    if (error != 0) {
        free(profile);
        return error;
    }
    profile->counters = format_is_of_counters(format, path);
    *result = profile;
    return 0;
}

bool pprofil_profile_has_counters(const pprofil_profile *profile)
{
    return profile->counters;
}

void pprofil_profile_close(pprofil_profile *profile)
{
    if (profile == NULL)
        return;
    symbolizer_free(profile->symbolizer);
    profile_free(profile->profile);
    free(profile->selected);
    free(profile);
}

static int name_all(struct pprofil_profile *profile)
{
    int error = api_need_symbolizer(profile);

    if (error == 0)
        error = symbolizer_look_up_all(profile->symbolizer, PROFILE_LOOKED_LINE);
    for (uint32_t i = 1; error == 0 && i < profile->profile->location_count; i++)
        error = symbolizer_define(profile->symbolizer, i);
    return error;
}

/* 0, or PPROFIL_ERROR_UNWRITABLE, PPROFIL_ERROR_DIALECT, -EINVAL as pprofil_profile_save. */
static int how_to_save(const char *path, const struct pprofil_file *file,
                       const struct format **format, struct format_options *options)
{
    struct pprofil_file how = api_profile_told(file);

    *format = format_by_name(how.format != NULL ? how.format : pprofil_format_for(path));
    if (*format == NULL || !format_writable(*format))
        return PPROFIL_ERROR_UNWRITABLE;
    if (choose_options(&how, options) != 0)
        return -EINVAL;
    if (how.dialect != NULL && (options->dialect = dialect_find(how.dialect)) == NULL)
        return PPROFIL_ERROR_DIALECT;
    return 0;
}

/* Counters have no names: those who read them look into the object. */
static int name_for(pprofil_profile *profile, const struct pprofil_file *how,
                    const struct format *format)
{
    int error = format->codec == NULL ? name_all(profile) : 0;

    return error == 0 && how->baseline != NULL ? name_all(how->baseline) : error;
}

int pprofil_profile_symbolize(pprofil_profile *profile, const char *path,
                              const struct pprofil_file *file)
{
    const struct format *format;
    struct format_options options;
    const struct pprofil_file how = api_profile_told(file);
    int error = how_to_save(path, file, &format, &options);

    return error == 0 ? name_for(profile, &how, format) : error;
}

int pprofil_profile_save(pprofil_profile *profile, const char *path, const struct pprofil_file *file,
                         bool symbolize)
{
    const struct format *format;
    struct format_options options;
    const struct pprofil_file how = api_profile_told(file);
    int error = how_to_save(path, file, &format, &options);

    if (error == 0 && symbolize)
        error = name_for(profile, &how, format);
    if (how.baseline != NULL)
        options.baseline = how.baseline->profile;
    return error == 0 ? format_write_file_as(format, path, profile->profile, &options) : error;
}

int pprofil_write_file(const char *path, const void *bytes, size_t size)
{
    return format_write_bytes(path, bytes, size);
}

int pprofil_profile_file_at(const pprofil_profile *profile, const char *path,
                            const struct pprofil_file *file, unsigned i, char *name, size_t size)
{
    const struct format *format;
    struct format_options options;
    char whole[PATH_MAX];
    int error = how_to_save(path, file, &format, &options);

    if (error == 0)
        error = format_file_at(format, path, profile->profile, &options, i, whole);
    if (error == 0 && strlen(whole) >= size)
        error = -ENAMETOOLONG;
    if (error == 0)
        strcpy(name, whole);
    return error;
}

void pprofil_profile_set_command(pprofil_profile *profile, const char *command)
{
    char *copy = strdup(command);

    if (copy == NULL)
        return;
    free(profile->profile->command);
    profile->profile->command = copy;
}

const char *pprofil_profile_command(const pprofil_profile *profile)
{
    return profile->profile->command != NULL ? profile->profile->command : "";
}

/* "[vdso]", "[outside]": no file is missing. */
static bool is_no_file(const struct profile *profile, uint32_t object)
{
    return profile->strings[profile->objects[object].path][0] == '[';
}

/* The time in each file that gave no names; the caller frees. */
static uint64_t *sum_nameless(const struct pprofil_profile *profile, uint64_t *total)
{
    const struct profile *data = profile->profile;
    uint64_t *sums = calloc(data->object_count + 1u, sizeof *sums);

    *total = 0;
    for (uint32_t i = 0; sums != NULL && i < data->sample_count; i++) {
        const struct profile_sample *sample = &data->samples[i];
        const struct profile_node *leaf = &data->nodes[sample->node];
        uint64_t ns = data->totals.wall ? sample->wall_ns : sample->cpu_ns;
        uint32_t object = data->locations[leaf->location].object;
        *total += ns;
        if (symbolizer_problem(profile->symbolizer, object) != NULL && !is_no_file(data, object))
            sums[object] += ns;
    }
    return sums;
}

int pprofil_profile_nameless(pprofil_profile *profile, unsigned i, const char **path,
                             const char **why, double *share)
{
    const struct profile *data = profile->profile;
    uint64_t total, *sums;
    uint32_t best = 0;

    if (api_need_symbolizer(profile) != 0 || (sums = sum_nameless(profile, &total)) == NULL)
        return -ENOMEM;
    for (unsigned rank = 0; rank <= i; rank++) {
        if (rank > 0)
            sums[best] = 0;
        for (uint32_t object = 0; object < data->object_count; object++)
            if (sums[object] > sums[best])
                best = object;
    }
    uint64_t ns = sums[best];
    free(sums);
    if (ns == 0)
        return -ENOENT;
    *path = data->strings[data->objects[best].path];
    *why = symbolizer_problem(profile->symbolizer, best);
    *share = (double)ns / (double)total;
    return 0;
}

const char *pprofil_version(void)
{
    return PACKAGE_VERSION;
}

const char *pprofil_profile_problem(const pprofil_profile *profile)
{
    return profile->problem;
}

/* --- stacks ------------------------------------------------------------------------------ */

bool pprofil_profile_has_stacks(const pprofil_profile *profile)
{
    return report_has_stacks(profile->profile);
}

int pprofil_profile_incomplete(const pprofil_profile *profile, unsigned i, const char **why,
                               double *share)
{
    struct report_stacks stacks;
    int error = report_stacks(profile->profile, &stacks);

    if (error == 0 && !stacks.any)
        error = PPROFIL_ERROR_NO_STACKS;
    else if (error == 0 && i >= stacks.mark_count)
        error = -ENOENT;
    if (error == 0) {
        *why = stacks.marks[i].why;
        *share = stacks.ns == 0 ? 0 : (double)stacks.marks[i].ns / (double)stacks.ns;
    }
    report_stacks_clear(&stacks);
    return error;
}

int pprofil_profile_leak_check(const pprofil_profile *profile, pid_t pid, const char *program)
{
    const struct profile *data = profile->profile;
    int fd = program == NULL ? -1 : file_opener_open(program, 0);
    int status = fd < 0 ? 0 : leak_check_status(fd);

    if (fd >= 0)
        close(fd);
    for (uint32_t i = 0; i < data->object_count && status == 0; i++) {
        const struct profile_object *object = &data->objects[i];
        if (object->kind == PROFILE_OBJECT_FILE && (pid_t)object->pid == pid && object->fd >= 0)
            status = leak_check_status(object->fd);
    }
    return status;
}
