/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Histograms of a run. Regions are named by objects and link-time addresses; where they lie in
 * a process is known when a sample in the object comes, after its mapping.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "histogram/census-internal.h"
#include "symbol/symbol.h"

#define ALIGNMENT 16u           /* of text that is not given by addresses */
#define DEFAULT_PCS (1u << 20)  /* elements of a pcsample array */
#define BUFFER_SIZE_MAX (UINT64_C(1) << 32)

/* --- options ------------------------------------------------------------------------------- */

/* LO-HI in hex, and nothing else. */
static bool parse_range(const char *text, uint64_t *low, uint64_t *high)
{
    char *end;

    errno = 0;
    if (!isxdigit((unsigned char)*text))
        return false;
    *low = strtoull(text, &end, 16);
    if (*end != '-' || !isxdigit((unsigned char)end[1]))
        return false;
    *high = strtoull(end + 1, &end, 16);
    return errno == 0 && *end == '\0' && *low < *high && *high - *low <= BUFFER_SIZE_MAX;
}

/* Was a range meant, well-formed or not? */
static bool is_like_range(const char *text)
{
    return strchr(text, '-') != NULL && strspn(text, "0123456789abcdefABCDEFxX-") == strlen(text);
}

/* Mapped files have absolute paths without links in them. */
static char *object_name(const char *text, size_t length)
{
    char *name = strndup(text, length), *real = NULL;

    if (name != NULL && strchr(name, '/') != NULL)
        real = realpath(name, NULL);
    if (real == NULL)
        return name;
    free(name);
    return real;
}

int census_parse_region(const char *text, struct census_region *region)
{
    const char *colon = strrchr(text, ':');
    size_t length = strlen(text);

    *region = (struct census_region){0};
    if (is_like_range(text))
        return parse_range(text, &region->low, &region->high) ? 0 : -EINVAL;
    if (colon != NULL && (colon[1] == '\0' || is_like_range(colon + 1))) {
        if (!parse_range(colon + 1, &region->low, &region->high))
            return -EINVAL;
        length = (size_t)(colon - text);
    }
    if (length == 0)
        return -EINVAL;
    region->object = object_name(text, length);
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

static struct image **live_link(struct census *census, uint32_t pid)
{
    struct image **link = &census->live[pid % CENSUS_BUCKETS];

    while (*link != NULL && (*link)->facts.pid != pid)
        link = &(*link)->live_next;
    return link;
}

static void census_append(struct census *census, struct image *image)
{
    struct image **bucket = &census->live[image->facts.pid % CENSUS_BUCKETS];

    for (const struct image *other = census->images; other != NULL; other = other->next)
        if (other->facts.pid == image->facts.pid)
            image->facts.generation = other->facts.generation + 1;
    *(census->last == NULL ? &census->images : &census->last->next) = image;
    census->last = image;
    image->live_next = *bucket;
    *bucket = image;
}

/* One without ticks is of no interest any more, and storms leave thousands of them. */
static void end_image(struct census *census, uint32_t pid)
{
    struct image **live = live_link(census, pid), *image = *live, *before = NULL;

    if (image == NULL)
        return;
    *live = image->live_next;
    if (image->count != NULL && image->count->ticks > 0)
        return;
    for (struct image **link = &census->images; *link != image; link = &(*link)->next)
        before = *link;
    *(before == NULL ? &census->images : &before->next) = image->next;
    if (census->last == image)
        census->last = before;
    free_image(census, image);
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
    image->facts.process = PROFILE_NONE;
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
    census_append(census, image);
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

static bool census_wants(const struct census_region *region, const struct wire_map *map)
{
    if (map->kind != WIRE_MAP_FILE)
        return false;
    if (region->object == NULL)
        return map->flags & WIRE_MAP_PROGRAM;
    return path_is_called(map->name, region->object);
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
static int census_bind(const struct census *census, struct image *image, size_t i, uint64_t runtime)
{
    const struct census_options *options = &census->options;
    struct binding *binding = &image->bindings[i];
    uint64_t size = buffer_size(options, binding->high - binding->low);

    if (size > BUFFER_SIZE_MAX)
        return -EFBIG;
    binding->counters = calloc(1, size + sizeof(uint64_t));
    if (binding->counters == NULL)
        return -ENOMEM;
    struct dialect_region *region = &image->count->regions[i];
    *region = (struct dialect_region){
        .offset = binding->low + runtime, .size = size, .scale = options->scale};
    if (census_is_ranged(options->dialect)) {
        region->low = binding->low + runtime;
        region->high = binding->high + runtime;
    }
    image->count->buffers[i].address = (uintptr_t)binding->counters;
    return 0;
}

static int feed_map(struct census *census, const struct profile *profile,
                    const struct wire_map *map)
{
    struct image *image = *live_link(census, map->pid);
    uint64_t start, offset, address;
    struct symbol_text text;
    bool read = false;
    int error = 0;

    if (image == NULL)
        image = new_image(census, map->pid, true);
    if (image == NULL)
        return -ENOMEM;
    for (size_t i = 0; error == 0 && image->count != NULL && i < census->region_count; i++) {
        struct census_region *region = &census->regions[i];
        struct binding *binding = &image->bindings[i];
        region->seen = region->seen || census_wants(region, map);
        if (binding->counters != NULL || !census_wants(region, map) ||
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
        error = census_bind(census, image, i, start - address);
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
        image = *live_link(census, sample->pid);
        if (image == NULL && (image = new_image(census, sample->pid, true)) == NULL)
            return -ENOMEM;
        if (image->facts.process == PROFILE_NONE)
            profile_find_process(profile, sample->pid, &image->facts.process);
        if (image->count != NULL)
            dialect_count_cpu(image->count, &dialect_own_memory, sample->pc,
                              sample->syscall >= 0, sample->cpu_ns);
        return 0;
    case WIRE_MAP:
        return feed_map(census, profile, (const struct wire_map *)event);
    case WIRE_FORK:
        image = fork->ppid == 0 ? NULL : *live_link(census, fork->ppid);
        return image == NULL ? 0 : fork_image(census, fork->pid, image);
    case WIRE_EXEC:
        end_image(census, task->pid);
        return 0;
    case WIRE_EXIT:
        if (end->pid == end->tid)
            end_image(census, end->pid);
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
        count->on = true; /* what was full is empty */
        count->pcsample.on = image->pcs != NULL;
        count->pcsample.room += count->pcsample.count;
        count->pcsample.count = 0;
        count->owed_ns = count->ticks = count->outside = count->overflows = 0;
    }
}
