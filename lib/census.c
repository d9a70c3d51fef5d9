/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Histograms of a run. Regions are named by objects and link-time addresses; where they lie in
 * a process is known when a sample in the object comes, after its mapping.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "census.h"

#define ALIGNMENT 16u           /* of text that is not given by addresses */
#define DEFAULT_PCS (1u << 20)  /* elements of a pcsample array */
#define LARGEST_BUFFER (UINT64_C(1) << 32)

/* A region in one image. */
struct binding {
    void *counters; /* owned; NULL: its text has not been seen */
    uint64_t low, high;
    uint32_t object, pointer_size;
    bool big_endian;
    const char *path; /* borrowed from the profile */
};

struct image {
    struct census_image_facts facts;
    bool live;
    struct dialect_count *count; /* owned; NULL: a child that does not count */
    struct binding *bindings;    /* owned; one for each region */
    uint64_t *pcs;               /* owned; pcsample */
    struct image *next;
};

struct census {
    struct census_options options;
    struct census_region *regions; /* owned */
    size_t region_count;
    struct image *images; /* owned; in order */
};

/* --- options ------------------------------------------------------------------------------- */

static bool parse_range(const char *text, uint64_t *low, uint64_t *high)
{
    char *end;

    *low = strtoull(text, &end, 16);
    if (end == text || *end != '-')
        return false;
    text = end + 1;
    *high = strtoull(text, &end, 16);
    return end != text && *end == '\0' && *low < *high;
}

int census_parse_region(const char *text, struct census_region *region)
{
    const char *colon = strrchr(text, ':');

    *region = (struct census_region){0};
    if (parse_range(text, &region->low, &region->high))
        return 0;
    size_t length = strlen(text);
    if (colon != NULL && parse_range(colon + 1, &region->low, &region->high))
        length = (size_t)(colon - text);
    else
        region->low = region->high = 0;
    if (length == 0)
        return -EINVAL;
    region->object = strndup(text, length);
    return region->object == NULL ? -ENOMEM : 0;
}

static void free_regions(struct census_region *regions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(regions[i].object);
    free(regions);
}

int census_new(const struct census_options *options, struct census_region *regions, size_t count,
              struct census **result)
{
    struct census *census = calloc(1, sizeof *census);

    if (count == 0)
        regions = calloc(1, sizeof *regions);
    if (census == NULL || regions == NULL) {
        free_regions(regions, count);
        free(census);
        return -ENOMEM;
    }
    census->options = *options;
    census->regions = regions;
    census->region_count = count == 0 ? 1 : count;
    if (census->options.counter_size == 0)
        census->options.counter_size = options->dialect->counter_size;
    if (census->options.counter_size == 0)
        census->options.counter_size = sizeof(uint64_t); /* a pc */
    if (!options->scaled)
        census->options.scale = census->options.counter_size == 2 ? DIALECT_ONE_TO_ONE / 2
                                                                : DIALECT_ONE_TO_ONE;
    *result = census;
    return 0;
}

/* --- images -------------------------------------------------------------------------------- */

static void free_image(const struct census *census, struct image *image)
{
    for (size_t i = 0; image->bindings != NULL && i < census->region_count; i++)
        free(image->bindings[i].counters);
    free(image->bindings);
    free(image->pcs);
    free(image->count);
    free(image);
}

void census_free(struct census *census)
{
    if (census == NULL)
        return;
    for (struct image *image = census->images, *next; image != NULL; image = next) {
        next = image->next;
        free_image(census, image);
    }
    free_regions(census->regions, census->region_count);
    free(census);
}

static struct image *find_live(const struct census *census, uint32_t pid)
{
    struct image *image = census->images;

    while (image != NULL && !(image->live && image->facts.pid == pid))
        image = image->next;
    return image;
}

static void append(struct census *census, struct image *image)
{
    struct image **link = &census->images;

    while (*link != NULL) {
        if ((*link)->facts.pid == image->facts.pid)
            image->facts.generation = (*link)->facts.generation + 1;
        link = &(*link)->next;
    }
    *link = image;
}

static uint64_t pcs_room(const struct census_options *options)
{
    return options->size == 0 ? DEFAULT_PCS : options->size / sizeof(uint64_t);
}

/* Text that is nowhere: what is not bound takes no pc. */
static struct dialect_count *new_count(const struct census *census)
{
    const struct census_options *options = &census->options;
    struct dialect_region *nowhere = calloc(census->region_count, sizeof *nowhere);
    uint64_t *addresses = calloc(census->region_count, sizeof *addresses);
    struct dialect_count *count = NULL;

    for (size_t i = 0; nowhere != NULL && i < census->region_count; i++)
        nowhere[i] = (struct dialect_region){
            .offset = UINT64_MAX, .low = UINT64_MAX, .high = UINT64_MAX, .scale = options->scale};
    if (nowhere != NULL && addresses != NULL)
        count = dialect_count_new(options->dialect, options->counter_size, nowhere, addresses,
                                  census->region_count);
    free(nowhere);
    free(addresses);
    if (count != NULL && options->period_ns != 0)
        count->period_ns = options->period_ns;
    return count;
}

static struct image *new_image(struct census *census, uint32_t pid, bool counts)
{
    struct image *image = calloc(1, sizeof *image);
    bool raw = census->options.dialect->arithmetic == DIALECT_RAW;

    if (image == NULL)
        return NULL;
    image->facts.pid = pid;
    image->live = true;
    image->bindings = calloc(census->region_count, sizeof *image->bindings);
    image->count = counts ? new_count(census) : NULL;
    if (counts && raw)
        image->pcs = calloc(pcs_room(&census->options), sizeof *image->pcs);
    if (image->bindings == NULL || (counts && image->count == NULL) ||
        (counts && raw && image->pcs == NULL)) {
        free_image(census, image);
        return NULL;
    }
    if (counts && raw) {
        image->count->array = (uintptr_t)image->pcs;
        image->count->pcsample.room = pcs_room(&census->options);
        image->count->pcsample.on = true;
    }
    append(census, image);
    return image;
}

/* A child goes on with a copy of its parent's counts, where the dialect has that. */
static int fork_image(struct census *census, uint32_t pid, const struct image *parent)
{
    bool counts = parent->count != NULL && parent->count->on &&
                  census->options.dialect->fork == DIALECT_CHILD_COUNTS;
    struct image *image = new_image(census, pid, counts);

    if (image == NULL)
        return -ENOMEM;
    if (!counts)
        return 0;
    struct dialect_count *count = dialect_count_copy(parent->count);
    if (count == NULL)
        return -ENOMEM;
    free(image->count);
    image->count = count;
    count->array = (uintptr_t)image->pcs;
    if (image->pcs != NULL)
        memcpy(image->pcs, parent->pcs, count->pcsample.count * sizeof *image->pcs);
    for (size_t i = 0; i < census->region_count; i++) {
        const struct binding *from = &parent->bindings[i];
        if (from->counters == NULL)
            continue;
        image->bindings[i] = *from;
        image->bindings[i].counters = malloc(count->regions[i].size + sizeof(uint64_t));
        if (image->bindings[i].counters == NULL)
            return -ENOMEM;
        memcpy(image->bindings[i].counters, from->counters, count->regions[i].size);
        count->buffers[i].address = (uintptr_t)image->bindings[i].counters;
    }
    return 0;
}

/* --- binding ------------------------------------------------------------------------------- */

static bool wants(const struct census_region *region, const struct wire_map *map)
{
    const char *slash = strrchr(map->name, '/');

    if (map->kind != WIRE_MAP_FILE)
        return false;
    if (region->object == NULL)
        return map->flags & WIRE_MAP_PROGRAM;
    return strcmp(map->name, region->object) == 0 ||
           (slash != NULL && strcmp(slash + 1, region->object) == 0);
}

/* Does the dialect know where text ends, or only how large the buffer is? */
static bool is_ranged(const struct dialect *dialect)
{
    return dialect->arithmetic == DIALECT_WORDS || dialect->arithmetic == DIALECT_CELLS ||
           strcmp(dialect->name, "osf1x") == 0;
}

static uint64_t buffer_size(const struct census_options *options, uint64_t text)
{
    uint64_t size = options->size;

    if (size == 0 && options->dialect->arithmetic == DIALECT_CELLS)
        size = text / 8 * options->counter_size;
    else if (size == 0)
        size = dialect_room(options->dialect, options->scale, options->counter_size, text);
    return size - size % options->counter_size;
}

/* runtime: what has to be added to link-time addresses in this process. */
static int bind(const struct census *census, struct image *image, size_t i, uint64_t runtime)
{
    const struct census_options *options = &census->options;
    struct binding *binding = &image->bindings[i];
    uint64_t size = buffer_size(options, binding->high - binding->low);

    if (size > LARGEST_BUFFER)
        return -EFBIG;
    binding->counters = calloc(1, size + sizeof(uint64_t));
    if (binding->counters == NULL)
        return -ENOMEM;
    struct dialect_region *region = &image->count->regions[i];
    *region = (struct dialect_region){
        .offset = binding->low + runtime, .size = size, .scale = options->scale};
    if (is_ranged(options->dialect)) {
        region->low = binding->low + runtime;
        region->high = binding->high + runtime;
    }
    image->count->buffers[i].address = (uintptr_t)binding->counters;
    return 0;
}

static int feed_map(struct census *census, const struct profile *profile,
                    const struct wire_map *map)
{
    struct image *image = find_live(census, map->pid);
    uint64_t start, offset, address;
    struct symbol_text text;
    bool read = false;
    int error = 0;

    if (image == NULL)
        image = new_image(census, map->pid, true);
    if (image == NULL)
        return -ENOMEM;
    for (size_t i = 0; error == 0 && image->count != NULL && i < census->region_count; i++) {
        const struct census_region *region = &census->regions[i];
        struct binding *binding = &image->bindings[i];
        if (binding->counters != NULL || !wants(region, map) ||
            !profile_find_mapping(profile, map->pid, map->start, &binding->object, &start,
                                  &offset))
            continue;
        if (!read && symbol_text(profile, binding->object, &text) != 0)
            return 0; /* unreadable: nothing says which addresses these are */
        read = true;
        if (!symbol_text_mapped(&text, offset, map->end - start, &address))
            continue;
        binding->path = profile->strings[profile->objects[binding->object].path];
        binding->pointer_size = text.pointer_size;
        binding->big_endian = text.big_endian;
        binding->low = region->high != 0 ? region->low : text.low & ~(uint64_t)(ALIGNMENT - 1);
        binding->high =
            region->high != 0 ? region->high : (text.high | (ALIGNMENT - 1)) + 1;
        error = bind(census, image, i, start - address);
    }
    return error;
}

/* --- events -------------------------------------------------------------------------------- */

int census_feed(struct census *census, const struct profile *profile,
               const struct wire_header *event)
{
    const struct wire_sample *sample = (const struct wire_sample *)event;
    const struct wire_fork *fork = (const struct wire_fork *)event;
    const struct wire_task *task = (const struct wire_task *)event;
    const struct wire_exit *end = (const struct wire_exit *)event;
    struct image *image;

    switch (event->type) {
    case WIRE_SAMPLE:
        image = find_live(census, sample->pid);
        if (image == NULL && (image = new_image(census, sample->pid, true)) == NULL)
            return -ENOMEM;
        if (image->count != NULL)
            dialect_count_cpu(image->count, &dialect_own_memory, sample->pc,
                              sample->syscall >= 0, sample->cpu_ns);
        return 0;
    case WIRE_MAP:
        return feed_map(census, profile, (const struct wire_map *)event);
    case WIRE_FORK:
        image = fork->ppid == 0 ? NULL : find_live(census, fork->ppid);
        return image == NULL ? 0 : fork_image(census, fork->pid, image);
    case WIRE_EXEC:
        if ((image = find_live(census, task->pid)) != NULL)
            image->live = false;
        return 0;
    case WIRE_EXIT:
        if (end->pid == end->tid && (image = find_live(census, end->pid)) != NULL)
            image->live = false;
        return 0;
    }
    return 0;
}

void census_clear(struct census *census)
{
    for (struct image *image = census->images; image != NULL; image = image->next) {
        struct dialect_count *count = image->count;
        if (count == NULL)
            continue;
        for (size_t i = 0; i < census->region_count; i++)
            if (image->bindings[i].counters != NULL)
                memset(image->bindings[i].counters, 0, count->regions[i].size);
        count->pcsample.room += count->pcsample.count;
        count->pcsample.count = 0;
        count->owed_ns = count->ticks = count->outside = count->overflows = 0;
    }
}

/* --- results ------------------------------------------------------------------------------- */

static struct image *counted(struct image *image)
{
    while (image != NULL && (image->count == NULL || image->count->ticks == 0))
        image = image->next;
    return image;
}

static const struct image *image_at(const struct census *census, size_t i)
{
    const struct image *image = counted(census->images);

    while (i-- > 0)
        image = counted(image->next);
    return image;
}

size_t census_images(const struct census *census)
{
    size_t count = 0;

    for (struct image *image = counted(census->images); image != NULL;
         image = counted(image->next))
        count++;
    return count;
}

void census_image(const struct census *census, size_t i, struct census_image_facts *facts)
{
    const struct image *image = image_at(census, i);

    *facts = image->facts;
    facts->on = image->count->on;
    facts->ticks = image->count->ticks;
    facts->outside = image->count->outside;
    facts->overflows = image->count->overflows;
}

size_t census_regions(const struct census *census)
{
    return census->region_count;
}

size_t census_same_object(const struct census *census, size_t image_index, size_t region)
{
    const struct binding *bindings = image_at(census, image_index)->bindings;
    size_t same = 0;

    for (size_t i = 0; i < region; i++)
        same += bindings[i].counters != NULL && bindings[i].object == bindings[region].object;
    return same;
}

const struct dialect *census_dialect(const struct census *census)
{
    return census->options.dialect;
}

static uint64_t counter_at(const void *counters, uint64_t i, uint32_t size)
{
    if (size == 2)
        return ((const uint16_t *)counters)[i];
    return size == 4 ? ((const uint32_t *)counters)[i] : ((const uint64_t *)counters)[i];
}

/* Text that the counters reach: the buffer may be smaller than the text wants. */
static uint64_t reach(const struct census_options *options, const struct binding *binding,
                      uint64_t count)
{
    if (is_ranged(options->dialect) || options->scale < 2)
        return binding->high;
    return binding->low + count * options->counter_size * DIALECT_ONE_TO_ONE / options->scale;
}

static int add_histogram(const struct census_options *options, const struct image *image, size_t i,
                         struct histogram_file *file)
{
    const struct binding *binding = &image->bindings[i];
    uint64_t count = image->count->regions[i].size / options->counter_size;
    struct histogram *histogram =
        histogram_add(file, binding->low, reach(options, binding, count), options->scale,
                      options->counter_size, count);

    if (histogram == NULL)
        return -ENOMEM;
    for (uint64_t k = 0; k < count; k++)
        histogram->counters[k] = counter_at(binding->counters, k, options->counter_size);
    return 0;
}

/* An object as it lies in memory, from the first byte that is loaded to the end of its code. */
static int add_module(const struct profile *profile, uint32_t index, struct histogram_file *file)
{
    const struct profile_object *object = &profile->objects[index];
    const char *path = profile->strings[object->path];
    uint64_t size = object->end - object->start, address;
    struct symbol_text text;

    if (symbol_text(profile, index, &text) != 0 ||
        !symbol_text_mapped(&text, object->offset, size, &address))
        return histogram_add_module(file, path, strlen(path), object->start, object->end);
    uint64_t bias = object->start - address;
    return histogram_add_module(file, path, strlen(path), text.base + bias, text.high + bias);
}

static int add_pcs(const struct profile *profile, const struct image *image,
                   struct histogram_file *file)
{
    int error = 0;

    file->pointer_size = sizeof(uint64_t);
    for (uint64_t i = 0; error == 0 && i < image->count->pcsample.count; i++)
        error = histogram_add_pcs(file, image->pcs[i], 1);
    for (uint32_t i = 0; error == 0 && i < profile->object_count; i++)
        if (profile->objects[i].kind == PROFILE_OBJECT_FILE &&
            profile->objects[i].pid == image->facts.pid)
            error = add_module(profile, i, file);
    return error;
}

int census_histograms(const struct census *census, const struct profile *profile,
                     size_t image_index, size_t region, enum census_extent extent,
                     struct histogram_file *file)
{
    const struct image *image = image_at(census, image_index);
    const struct binding *bindings = image->bindings, *first = &bindings[region];
    int error = 0;

    *file = (struct histogram_file){.dialect = census->options.dialect,
                                    .pointer_size = first->pointer_size,
                                    .big_endian = first->big_endian,
                                    .rate_hz = 1e9 / (double)image->count->period_ns,
                                    .ticks = image->count->ticks,
                                    .outside = image->count->outside};
    if (image->pcs != NULL)
        return region == 0 ? add_pcs(profile, image, file) : -EEXIST;
    if (first->counters == NULL)
        return -ENODATA;
    for (size_t i = 0; i < region && extent != CENSUS_REGION; i++)
        if (bindings[i].counters != NULL &&
            (extent == CENSUS_ALL || bindings[i].object == first->object))
            return -EEXIST;
    file->object = strdup(first->path);
    if (file->object == NULL)
        return -ENOMEM;
    for (size_t i = region; error == 0 && i < census->region_count; i++)
        if (bindings[i].counters != NULL &&
            (i == region || extent == CENSUS_ALL ||
             (extent == CENSUS_OBJECT && bindings[i].object == first->object)))
            error = add_histogram(&census->options, image, i, file);
    return error;
}
