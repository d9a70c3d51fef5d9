/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns files of the profil family into profiles, and profiles into such files. In most of these formats, a file has
 * the counters of only one object. So several files are written, one for each object in which time was spent.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "format/profil/profil.h"
#include "launch/file-opener.h"
#include "symbol/symbol.h"

/* --- reading ----------------------------------------------------------------------------- */

/* Returns 0 if the object that the user has chosen is an ELF file, else an error. This is not checked for an object
 * that only the counter file mentions, because it may be missing. */
static int check_object(const char *path)
{
    struct symbol_text text;
    int fd = file_opener_open(path, 0);

    if (fd < 0)
        return PPROFIL_ERROR_NO_OBJECT;
    int error = symbol_text_of_file(fd, path, &text);
    close(fd);
    return error == 0 ? 0 : PPROFIL_ERROR_NOT_ELF;
}

/* Returns the first module that has the same base name as the object. If there is none, returns the module that
 * contains the start of the first histogram, or the first pc if there are no histograms. Returns NULL if there is no
 * such module either. */
static struct histogram_module *choose_module(const struct histogram_file *file, const char *object)
{
    uint64_t counted = file->histogram_count > 0 ? file->histograms[0].low : file->pc_count > 0 ? file->pcs[0] : 0;
    struct histogram_module *chosen = NULL;

    for (size_t i = 0; i < file->module_count; i++)
        if (strcmp(path_base_name(file->modules[i].path), path_base_name(object)) == 0)
            return &file->modules[i];
        else if (counted >= file->modules[i].start && counted < file->modules[i].end)
            chosen = &file->modules[i];
    return chosen;
}

/* Replaces the path of a module by a path that the user has given, because the file of the module may have been moved
 * since it was counted. */
static int replace_module(struct histogram_file *file, const char *object)
{
    struct histogram_module *module = choose_module(file, object);
    char *copy = module == NULL ? NULL : strdup(object);

    if (module == NULL)
        return 0;
    if (copy == NULL)
        return -ENOMEM;
    free(module->path);
    module->path = copy;
    return 0;
}

int codec_load(const struct codec *codec, const char *path, const char *name, const char *object,
               struct histogram_file *file)
{
    unsigned char *bytes = NULL;
    size_t size;
    int error = bytes_load(path, &bytes, &size);

    if (error == 0)
        error = codec->read(bytes, size, file);
    if (error == 0)
        error = meta_read(name, bytes, size, file);
    free(bytes);
    if (error == 0 && object != NULL && (file->object = strdup(object)) == NULL)
        error = -ENOMEM;
    return error == 0 && object != NULL ? replace_module(file, object) : error;
}

int codec_read(const struct codec *codec, const char *path, const char *name, const char *object,
               struct profile *profile)
{
    struct histogram_file file = {0};
    int error = object != NULL ? check_object(object) : 0;

    if (error == 0)
        error = codec_load(codec, path, name, object, &file);
    if (error == 0)
        error = histogram_to_profile(&file, profile);
    histogram_file_clear(&file);
    return error;
}

bool codec_plausible(uint64_t low, uint64_t high, uint64_t counter_bytes)
{
    uint64_t text = high - low;

    return low < high && text <= UINT32_MAX && counter_bytes >= text / 64 &&
           counter_bytes <= text + 16 && counter_bytes > 0;
}

/* --- writing ----------------------------------------------------------------------------- */

static const struct dialect *choose_dialect(const struct codec *codec, const struct format_options *options)
{
    return options->dialect != NULL ? options->dialect : dialect_find(codec->dialect);
}

/* Returns an array with an element for each object: the time, in ns, of the samples in the object that the dialect
 * counts. The caller frees the array. Returns NULL if there is no memory. */
static uint64_t *sum_objects(const struct profile *profile, const struct dialect *dialect)
{
    uint64_t *sums = calloc(profile->object_count + 1u, sizeof *sums);

    for (uint32_t i = 0; sums != NULL && i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        uint32_t object = profile->locations[profile->nodes[sample->node].location].object;
        if (histogram_takes(dialect, sample) && !profile->objects[object].invented)
            sums[object] += histogram_time(profile, sample);
    }
    return sums;
}

static bool is_file(const struct profile *profile, uint32_t object)
{
    const struct profile_object *what = &profile->objects[object];

    return (what->kind == PROFILE_OBJECT_FILE || what->kind == PROFILE_OBJECT_VDSO) && !what->invented;
}

/* Returns the name of the first process that has samples. The processes before it have none: they may only have
 * launched the program. */
static const char *first_comm(const struct profile *profile)
{
    uint32_t first = profile->process_count;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        uint32_t process = profile->threads[profile->samples[i].thread].process;
        if (process < first)
            first = process;
    }
    return first < profile->process_count ? profile->strings[profile->processes[first].comm] : "";
}

/* Returns 2 if the object is the program, 1 if it is another file, and 0 if it is code in no file. The name of the
 * program begins with comm. It may be longer, because the kernel cuts comm to 15 characters. */
static int rank_object(const struct profile *profile, uint32_t object, const char *comm)
{
    const char *name = path_base_name(profile->strings[profile->objects[object].path]);

    if (profile->objects[object].kind == PROFILE_OBJECT_FILE && is_file(profile, object) && comm[0] != '\0' &&
        strncmp(name, comm, strlen(comm)) == 0)
        return 2;
    return is_file(profile, object);
}

static int find_main(const struct profile *profile, const uint64_t *sums, uint32_t *found)
{
    const char *comm = first_comm(profile);
    int best = -1;

    for (uint32_t i = 0; i < profile->object_count; i++) {
        int own = rank_object(profile, i, comm);
        if (sums[i] == 0 && own < 1)
            continue;
        if (own > best || (own == best && sums[i] > sums[*found])) {
            best = own;
            *found = i;
        }
    }
    return best < 0 ? PPROFIL_ERROR_NO_SAMPLES : 0;
}

int codec_objects(const struct codec *codec, const struct format_options *options,
                  const struct profile *profile, uint32_t **result, size_t *count)
{
    const struct dialect *dialect = choose_dialect(codec, options);
    double tick_ns = 1e9 / histogram_rate(profile, dialect, codec->rate_hz);
    uint64_t *sums = sum_objects(profile, dialect);
    uint32_t *objects = calloc(profile->object_count + 1u, sizeof *objects), program;
    int error = sums == NULL || objects == NULL ? -ENOMEM : find_main(profile, sums, &program);

    if (error == 0) {
        objects[0] = program;
        *count = 1;
        for (uint32_t i = 0; !codec->whole && i < profile->object_count; i++)
            if (i != program && (double)sums[i] >= tick_ns / 2 && is_file(profile, i))
                objects[(*count)++] = i;
    }
    free(sums);
    if (error != 0)
        free(objects);
    else
        *result = objects;
    return error;
}

int codec_write(const struct codec *codec, int fd, const struct format_options *options,
                const struct profile *profile, uint32_t object)
{
    const struct dialect *dialect = choose_dialect(codec, options);
    struct histogram_file file = {0};
    int error = codec->whole ? histogram_modules_from_profile(profile, dialect, codec->rate_hz, &file)
                             : histogram_from_profile(profile, object, dialect, options->scale, codec->rate_hz, &file);

    /* in some dialects a full counter continues from 0. The dialect's rule for full counters is used only if the user
     * named a dialect */
    file.dialect = options->dialect;
    if (error == 0)
        error = codec->write(fd, &file);
    histogram_file_clear(&file);
    return error;
}
