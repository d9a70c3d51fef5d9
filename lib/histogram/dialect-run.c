/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts the events of a session in the histograms of a dialect_run. A region is an object and a range of link-time
 * addresses in it. The WIRE_MAP event of an object comes before the first sample in the object. From this event
 * feed_map computes the region's addresses in the process.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "histogram/dialect-run.h"
#include "symbol/symbol.h"
#include "wire/wire.h"

#define ALIGNMENT 16u           /* alignment of both ends of a region for which the caller gave no addresses, bytes */
#define DEFAULT_PCS (1u << 20)  /* number of elements of a pcsample array if the caller gave no size */
#define BUFFER_SIZE_MAX (UINT64_C(1) << 32)

/* --- options ------------------------------------------------------------------------------- */

/* Reads LO-HI in hexadecimal. Returns false if the text has another form, if more text follows, or if the range is
 * empty or larger than BUFFER_SIZE_MAX. */
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

/* Returns true if the text looks like a range, well-formed or not. */
static bool is_like_range(const char *text)
{
    return strchr(text, '-') != NULL && strspn(text, "0123456789abcdefABCDEFxX-") == strlen(text);
}

/* Returns the name of a region's object, which the caller frees. A path is resolved, because mapped files have absolute
 * paths without symbolic links. */
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

int dialect_run_parse_region(const char *text, struct dialect_run_region *region)
{
    const char *colon = strrchr(text, ':');
    size_t length = strlen(text);

    *region = (struct dialect_run_region){0};
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

static void free_regions(struct dialect_run_region *regions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(regions[i].object);
    free(regions);
}

int dialect_run_new(const struct dialect_run_options *options, struct dialect_run_region *regions, size_t count,
                    struct dialect_run **result)
{
    struct dialect_run *run = calloc(1, sizeof *run);

    if (count == 0)
        regions = calloc(1, sizeof *regions);
    if (run == NULL || regions == NULL) {
        free_regions(regions, count);
        free(run);
        return -ENOMEM;
    }
    run->options = *options;
    run->regions = regions;
    run->region_count = count == 0 ? 1 : count;
    if (run->options.counter_size == 0)
        run->options.counter_size = options->dialect->counter_size;
    if (run->options.counter_size == 0)
        run->options.counter_size = sizeof(uint64_t); /* with DIALECT_RAW the buffer has pcs, not counters */
    if (!options->scaled)
        run->options.scale = run->options.counter_size == 2 ? DIALECT_ONE_TO_ONE / 2 : DIALECT_ONE_TO_ONE;
    *result = run;
    return 0;
}

/* --- images -------------------------------------------------------------------------------- */

static void free_image(const struct dialect_run *run, struct run_image *image)
{
    for (size_t i = 0; image->bindings != NULL && i < run->region_count; i++)
        free(image->bindings[i].counters);
    free(image->bindings);
    free(image->pcs);
    free(image->count);
    free(image);
}

void dialect_run_free(struct dialect_run *run)
{
    if (run == NULL)
        return;
    for (struct run_image *image = run->images, *next; image != NULL; image = next) {
        next = image->next;
        free_image(run, image);
    }
    free_regions(run->regions, run->region_count);
    free(run);
}

static struct run_image **live_link(struct dialect_run *run, uint32_t pid)
{
    struct run_image **link = &run->live[pid % DIALECT_RUN_BUCKETS];

    while (*link != NULL && (*link)->facts.pid != pid)
        link = &(*link)->live_next;
    return link;
}

static void append_image(struct dialect_run *run, struct run_image *image)
{
    struct run_image **bucket = &run->live[image->facts.pid % DIALECT_RUN_BUCKETS];

    for (const struct run_image *other = run->images; other != NULL; other = other->next)
        if (other->facts.pid == image->facts.pid)
            image->facts.generation = other->facts.generation + 1;
    *(run->last == NULL ? &run->images : &run->last->next) = image;
    run->last = image;
    image->live_next = *bucket;
    *bucket = image;
}

/* Ends the image of a process. An image without a tick is freed, because a target may start thousands of short
 * processes. */
static void end_image(struct dialect_run *run, uint32_t pid)
{
    struct run_image **live = live_link(run, pid), *image = *live, *before = NULL;

    if (image == NULL)
        return;
    *live = image->live_next;
    if (image->count != NULL && image->count->ticks > 0)
        return;
    for (struct run_image **link = &run->images; *link != image; link = &(*link)->next)
        before = *link;
    *(before == NULL ? &run->images : &before->next) = image->next;
    if (run->last == image)
        run->last = before;
    free_image(run, image);
}

static uint64_t pcs_room(const struct dialect_run_options *options)
{
    return options->size == 0 ? DEFAULT_PCS : options->size / sizeof(uint64_t);
}

/* Returns a dialect_count that counts no pc until bind_region sets the addresses of its regions. */
static struct dialect_count *new_count(const struct dialect_run *run)
{
    const struct dialect_run_options *options = &run->options;
    struct dialect_region *nowhere = calloc(run->region_count, sizeof *nowhere);
    uint64_t *addresses = calloc(run->region_count, sizeof *addresses);
    struct dialect_count *count = NULL;

    for (size_t i = 0; nowhere != NULL && i < run->region_count; i++)
        nowhere[i] = (struct dialect_region){
            .offset = UINT64_MAX, .low = UINT64_MAX, .high = UINT64_MAX, .scale = options->scale};
    if (nowhere != NULL && addresses != NULL)
        count = dialect_count_new(options->dialect, options->counter_size, nowhere, addresses, run->region_count);
    free(nowhere);
    free(addresses);
    if (count != NULL && options->period_ns != 0)
        count->period_ns = options->period_ns;
    return count;
}

static struct run_image *new_image(struct dialect_run *run, uint32_t pid, bool counts)
{
    struct run_image *image = calloc(1, sizeof *image);
    bool raw = run->options.dialect->arithmetic == DIALECT_RAW;

    if (image == NULL)
        return NULL;
    image->facts.pid = pid;
    image->facts.process = PROFILE_NONE;
    image->bindings = calloc(run->region_count, sizeof *image->bindings);
    image->count = counts ? new_count(run) : NULL;
    if (counts && raw)
        image->pcs = calloc(pcs_room(&run->options), sizeof *image->pcs);
    if (image->bindings == NULL || (counts && image->count == NULL) || (counts && raw && image->pcs == NULL)) {
        free_image(run, image);
        return NULL;
    }
    if (counts && raw) {
        image->count->array = (uintptr_t)image->pcs;
        image->count->pcsample.room = pcs_room(&run->options);
        image->count->pcsample.on = true;
    }
    append_image(run, image);
    return image;
}

/* Makes the image of a forked child. If children count in this dialect, the image begins with a copy of the parent's
 * counts. */
static int fork_image(struct dialect_run *run, uint32_t pid, const struct run_image *parent)
{
    bool counts = parent->count != NULL && parent->count->on && run->options.dialect->fork == DIALECT_CHILD_COUNTS;
    struct run_image *image = new_image(run, pid, counts);

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
    for (size_t i = 0; i < run->region_count; i++) {
        const struct run_binding *from = &parent->bindings[i];
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

static bool is_mapped_by(const struct dialect_run_region *region, const struct wire_map *map)
{
    if (map->kind != WIRE_MAP_FILE)
        return false;
    if (region->object == NULL)
        return map->flags & WIRE_MAP_PROGRAM;
    return path_is_called(map->name, region->object);
}

static uint64_t region_buffer_size(const struct dialect_run_options *options, uint64_t text)
{
    uint64_t size = options->size;

    if (size == 0 && options->dialect->arithmetic == DIALECT_CELLS)
        size = text / 8 * options->counter_size;
    else if (size == 0)
        size = dialect_room(options->dialect, options->scale, options->counter_size, text);
    return size - size % options->counter_size;
}

/* Allocates the counters of a region. `runtime`: an address in the process minus its link-time address. */
static int bind_region(const struct dialect_run *run, struct run_image *image, size_t i, uint64_t runtime)
{
    const struct dialect_run_options *options = &run->options;
    struct run_binding *binding = &image->bindings[i];
    uint64_t size = region_buffer_size(options, binding->high - binding->low);

    if (size > BUFFER_SIZE_MAX)
        return -EFBIG;
    binding->counters = calloc(1, size + sizeof(uint64_t));
    if (binding->counters == NULL)
        return -ENOMEM;
    struct dialect_region *region = &image->count->regions[i];
    *region = (struct dialect_region){
        .offset = binding->low + runtime, .size = size, .scale = options->scale};
    if (dialect_run_is_ranged(options->dialect)) {
        region->low = binding->low + runtime;
        region->high = binding->high + runtime;
    }
    image->count->buffers[i].address = (uintptr_t)binding->counters;
    return 0;
}

static int feed_map(struct dialect_run *run, const struct profile *profile, const struct wire_map *map)
{
    struct run_image *image = *live_link(run, map->pid);
    uint64_t start, offset, address;
    struct symbol_text text;
    bool read = false;
    int error = 0;

    if (image == NULL)
        image = new_image(run, map->pid, true);
    if (image == NULL)
        return -ENOMEM;
    for (size_t i = 0; error == 0 && image->count != NULL && i < run->region_count; i++) {
        struct dialect_run_region *region = &run->regions[i];
        struct run_binding *binding = &image->bindings[i];
        region->seen = region->seen || is_mapped_by(region, map);
        if (binding->counters != NULL || !is_mapped_by(region, map) ||
            !profile_find_mapping(profile, map->pid, map->start, &binding->object, &start, &offset))
            continue;
        if (!read && symbol_text(profile, binding->object, &text) != 0)
            return 0; /* the object cannot be read, so its link-time addresses are not known */
        read = true;
        if (!symbol_text_mapped(&text, offset, map->end - start, &address))
            continue;
        binding->path = profile->strings[profile->objects[binding->object].path];
        binding->pointer_size = text.pointer_size;
        binding->big_endian = text.big_endian;
        binding->low = region->high != 0 ? region->low : text.low & ~(uint64_t)(ALIGNMENT - 1);
        binding->high = region->high != 0 ? region->high : (text.high | (ALIGNMENT - 1)) + 1;
        error = bind_region(run, image, i, start - address);
    }
    return error;
}

/* --- events -------------------------------------------------------------------------------- */

int dialect_run_feed(struct dialect_run *run, const struct profile *profile, const struct wire_header *event)
{
    const struct wire_sample *sample = (const struct wire_sample *)event;
    const struct wire_fork *fork = (const struct wire_fork *)event;
    const struct wire_task *task = (const struct wire_task *)event;
    const struct wire_exit *end = (const struct wire_exit *)event;
    struct run_image *image;

    switch (event->type) {
    case WIRE_SAMPLE:
        image = *live_link(run, sample->pid);
        if (image == NULL && (image = new_image(run, sample->pid, true)) == NULL)
            return -ENOMEM;
        if (image->facts.process == PROFILE_NONE)
            profile_find_process(profile, sample->pid, &image->facts.process);
        if (image->count != NULL && (sample->flags & WIRE_SAMPLE_UNSAMPLED) == 0)
            dialect_count_cpu(image->count, &dialect_own_memory, sample->pc, sample->syscall >= 0, sample->cpu_ns);
        return 0;
    case WIRE_MAP:
        return feed_map(run, profile, (const struct wire_map *)event);
    case WIRE_FORK:
        image = fork->ppid == 0 ? NULL : *live_link(run, fork->ppid);
        return image == NULL ? 0 : fork_image(run, fork->pid, image);
    case WIRE_EXEC:
        end_image(run, task->pid);
        return 0;
    case WIRE_EXIT:
        if (end->pid == end->tid)
            end_image(run, end->pid);
        return 0;
    }
    return 0;
}

void dialect_run_clear(struct dialect_run *run)
{
    for (struct run_image *image = run->images; image != NULL; image = image->next) {
        struct dialect_count *count = image->count;
        if (count == NULL)
            continue;
        for (size_t i = 0; i < run->region_count; i++)
            if (image->bindings[i].counters != NULL)
                memset(image->bindings[i].counters, 0, count->regions[i].size);
        count->on = true; /* if a full counter had ended the counting, the counting begins again */
        count->pcsample.on = image->pcs != NULL;
        count->pcsample.room += count->pcsample.count;
        count->pcsample.count = 0;
        count->owed_ns = count->ticks = count->outside = count->overflows = 0;
    }
}
