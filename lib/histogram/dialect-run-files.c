/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the contents of files from the counts of a dialect_run. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "histogram/dialect-run.h"
#include "symbol/symbol.h"

bool dialect_run_is_ranged(const struct dialect *dialect)
{
    return dialect->arithmetic == DIALECT_WORDS || dialect->arithmetic == DIALECT_CELLS || dialect->bounded_ranges;
}

static struct run_image *next_counted(struct run_image *image)
{
    while (image != NULL && (image->count == NULL || image->count->ticks == 0))
        image = image->next;
    return image;
}

static const struct run_image *image_at(const struct dialect_run *run, size_t i)
{
    const struct run_image *image = next_counted(run->images);

    while (i-- > 0)
        image = next_counted(image->next);
    return image;
}

size_t dialect_run_image_count(const struct dialect_run *run)
{
    size_t count = 0;

    for (struct run_image *image = next_counted(run->images); image != NULL; image = next_counted(image->next))
        count++;
    return count;
}

void dialect_run_image(const struct dialect_run *run, size_t i, struct dialect_run_facts *facts)
{
    const struct run_image *image = image_at(run, i);

    *facts = image->facts;
    facts->on = image->count->on;
    facts->ticks = image->count->ticks;
    facts->outside = image->count->outside;
    facts->overflows = image->count->overflows;
}

size_t dialect_run_same_object(const struct dialect_run *run, size_t image_index, size_t region)
{
    const struct run_binding *bindings = image_at(run, image_index)->bindings;
    size_t same = 0;

    for (size_t i = 0; i < region; i++)
        same += bindings[i].counters != NULL && bindings[i].object == bindings[region].object;
    return same;
}

const char *dialect_run_unseen_object(const struct dialect_run *run)
{
    for (size_t i = 0; i < run->region_count; i++)
        if (run->regions[i].object != NULL && !run->regions[i].seen)
            return run->regions[i].object;
    return NULL;
}

static uint64_t counter_at(const void *counters, uint64_t i, uint32_t size)
{
    if (size == 2)
        return ((const uint16_t *)counters)[i];
    return size == 4 ? ((const uint32_t *)counters)[i] : ((const uint64_t *)counters)[i];
}

/* Returns the address at which the counted text ends. This may be before the end of the region, because the buffer may
 * be too small for the whole region. */
static uint64_t text_covered(const struct dialect_run_options *options,
                             const struct run_binding *binding, uint64_t count)
{
    if (dialect_run_is_ranged(options->dialect) || options->scale < 2)
        return binding->high;
    return binding->low + count * options->counter_size * DIALECT_ONE_TO_ONE / options->scale;
}

static int add_histogram(const struct dialect_run_options *options, const struct run_image *image,
                         size_t i, struct histogram_file *file)
{
    const struct run_binding *binding = &image->bindings[i];
    uint64_t count = image->count->regions[i].size / options->counter_size;
    struct histogram *histogram = histogram_add(file, binding->low, text_covered(options, binding, count),
                                                options->scale, options->counter_size, count);

    if (histogram == NULL)
        return -ENOMEM;
    for (uint64_t k = 0; k < count; k++)
        histogram->counters[k] = counter_at(binding->counters, k, options->counter_size);
    return 0;
}

/* Adds an object as a module. The module's addresses are those in the memory of the process, from the first loaded byte
 * of the object to the end of its code. If the object cannot be read, uses the addresses of its first mapping. */
static int add_module(const struct profile *profile, uint32_t index, struct histogram_file *file)
{
    const struct profile_object *object = &profile->objects[index];
    const char *path = profile->strings[object->path];
    uint64_t size = object->end - object->start, address;
    struct symbol_text text;

    if (symbol_text(profile, index, &text) != 0 || !symbol_text_mapped(&text, object->offset, size, &address))
        return histogram_add_module(file, path, strlen(path), object->start, object->end);
    uint64_t bias = object->start - address;
    return histogram_add_module(file, path, strlen(path), text.base + bias, text.high + bias);
}

static int add_pcs(const struct profile *profile, const struct run_image *image, struct histogram_file *file)
{
    int error = 0;

    if (file->pointer_size == 0)
        file->pointer_size = sizeof(uint64_t);
    for (uint64_t i = 0; error == 0 && i < image->count->pcsample.count; i++)
        error = histogram_add_pcs(file, image->pcs[i], 1);
    for (uint32_t i = 0; error == 0 && i < profile->object_count; i++)
        if (profile->objects[i].kind == PROFILE_OBJECT_FILE && profile->objects[i].pid == image->facts.pid)
            error = add_module(profile, i, file);
    return error;
}

int dialect_run_histograms(const struct dialect_run *run, const struct profile *profile, size_t image_index,
                           size_t region, enum dialect_run_extent extent, struct histogram_file *file)
{
    const struct run_image *image = image_at(run, image_index);
    const struct run_binding *bindings = image->bindings, *first = &bindings[region];
    int error = 0;

    *file = (struct histogram_file){.dialect = run->options.dialect,
                                    .pointer_size = first->pointer_size,
                                    .pid = image->facts.pid,
                                    .big_endian = first->big_endian,
                                    .rate_hz = 1e9 / (double)image->count->period_ns,
                                    .ticks = image->count->ticks,
                                    .outside = image->count->outside};
    if (image->pcs != NULL)
        return region == 0 ? add_pcs(profile, image, file) : 1;
    if (first->counters == NULL)
        return 1;
    for (size_t i = 0; i < region && extent != DIALECT_RUN_REGION; i++)
        if (bindings[i].counters != NULL && (extent == DIALECT_RUN_ALL || bindings[i].object == first->object))
            return 1;
    file->object = strdup(first->path);
    if (file->object == NULL)
        return -ENOMEM;
    for (size_t i = region; error == 0 && i < run->region_count; i++)
        if (bindings[i].counters != NULL && (i == region || extent == DIALECT_RUN_ALL ||
                                             (extent == DIALECT_RUN_OBJECT && bindings[i].object == first->object)))
            error = add_histogram(&run->options, image, i, file);
    return error;
}
