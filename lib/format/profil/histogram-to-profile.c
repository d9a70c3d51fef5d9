/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns counters into a profile: each counter that is not 0 becomes a sample at the lowest address that it counts. If
 * the object's file is on this machine, the address becomes an offset in this file. So the function at the address can
 * be looked up as in other profiles.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "format/profil/profil.h"
#include "format/profile-builder.h"
#include "launch/file-opener.h"
#include "pprofil/error.h"
#include "symbol/symbol.h"

#define USUAL_HZ 100.0         /* ticks per second of nearly all the old systems */
#define SAMPLES_MAX (1u << 25) /* limit for the number of samples, so that a hostile file cannot use all memory */

/* An object of the profile that is made, and its addresses in the histogram file. */
struct target {
    /* the object's addresses in the histogram file; not set if the file has no modules (then it has only one object) */
    uint64_t start, end;
    uint64_t shift;      /* an address in the histogram file plus `shift` is the link address */
    uint32_t object;     /* index of the object in the profile */
    bool known;          /* the object's file could be read, so the field `text` is set */
    struct symbol_text text;
};

struct conversion {
    const struct histogram_file *file;
    struct profile *profile;
    struct profile_sample sample; /* the fields that are the same in all samples */
    double ns;                    /* ns in a tick */
    /* index + 1 of the object for addresses that are in no target; 0: there is no such object yet */
    uint32_t nowhere;
};

static double rate_of(const struct histogram_file *file)
{
    if (file->rate_hz > 0)
        return file->rate_hz;
    return file->dialect != NULL ? 1e9 / (double)file->dialect->period_ns : USUAL_HZ;
}

/* --- objects ----------------------------------------------------------------------------- */

/* Adds an object of which only the name is known. Addresses in it stay as they are in the histogram file. */
static int add_unknown(struct conversion *conversion, const char *name, uint32_t *index)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_UNKNOWN, .fd = -1};
    int error = profile_string(conversion->profile, name, &object.path);

    return error == 0 ? profile_object(conversion->profile, &object, index) : error;
}

/* Adds an object whose file is at path. The profile keeps this file open. The object is added even if the file cannot
 * be read, because its path shows the user which file is meant. */
static int add_file(struct conversion *conversion, const char *path, struct target *target)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = file_opener_open(path, 0)};
    struct stat status;
    int error = profile_string(conversion->profile, path, &object.path);

    if (object.fd < 0)
        object.fd = -1;
    else if (symbol_text_of_file(object.fd, path, &target->text) == 0)
        target->known = true;
    if (target->known && fstat(object.fd, &status) == 0) {
        object.device = status.st_dev;
        object.inode = status.st_ino;
        object.build_id_size = target->text.build_id_size;
        memcpy(object.build_id, target->text.build_id, target->text.build_id_size);
    } else if (object.fd >= 0) {
        close(object.fd);
        object.fd = -1;
    }
    uint32_t before = conversion->profile->object_count;
    if (error == 0)
        error = profile_object(conversion->profile, &object, &target->object);
    if (object.fd >= 0 && (error != 0 || conversion->profile->object_count == before))
        close(object.fd);
    return error;
}

static int add_module(struct conversion *conversion, const struct histogram_module *module, struct target *target)
{
    int error = add_file(conversion, module->path, target);

    target->start = module->start;
    target->end = module->end;
    target->shift = (target->known ? target->text.base : 0) - module->start;
    return error;
}

static int add_only_object(struct conversion *conversion, struct target *target)
{
    const char *path = conversion->file->object;

    if (path == NULL)
        return add_unknown(conversion, "[text]", &target->object);
    int error = add_file(conversion, path, target);
    if (target->known && conversion->file->from_text)
        target->shift = target->text.low & ~UINT64_C(15);
    return error;
}

/* --- samples ----------------------------------------------------------------------------- */

static int add_sample(struct conversion *conversion, uint32_t object, uint64_t address, uint64_t count)
{
    struct profile_sample sample = conversion->sample;
    double ns = round((double)count * conversion->ns);
    uint32_t location;

    if (conversion->profile->sample_count == SAMPLES_MAX)
        return -EFBIG;
    int error = profile_location(conversion->profile, object, address, &location);
    sample.count = count;
    sample.cpu_ns = ns < (double)INT64_MAX ? (uint64_t)ns : INT64_MAX;
    if (error == 0)
        error = profile_node(conversion->profile, PROFILE_NONE, location, &sample.node);
    return error == 0 ? builder_count_sample(conversion->profile, &sample) : error;
}

/* Adds ticks at an address that is in no object. */
static int add_stray(struct conversion *conversion, uint64_t address, uint64_t count)
{
    uint32_t object = conversion->nowhere - 1;

    if (conversion->nowhere == 0) {
        int error = add_unknown(conversion, "[unknown]", &object);
        if (error != 0)
            return error;
        conversion->nowhere = object + 1;
    }
    return add_sample(conversion, object, address, count);
}

static int add_ticks(struct conversion *conversion, const struct target *target, uint64_t address, uint64_t count)
{
    uint64_t own = address + target->shift, offset = own;

    if (target->known && !symbol_text_offset(&target->text, own, &offset))
        return add_stray(conversion, address, count);
    return add_sample(conversion, target->object, offset, count);
}

static int add_histogram(struct conversion *conversion, const struct target *target, const struct histogram *histogram)
{
    static const struct dialect plain = {.arithmetic = DIALECT_BYTES};
    const struct dialect *dialect = conversion->file->dialect;
    int error = 0;

    if (dialect == NULL || dialect->arithmetic == DIALECT_RAW)
        dialect = &plain;
    for (uint64_t i = 0; error == 0 && i < histogram->count; i++) {
        if (histogram->counters[i] == 0)
            continue;
        uint64_t distance = dialect_lowest(dialect, histogram->scale, histogram->counter_size, i);
        /* with a very small scale, no address belongs to this counter. Its ticks go to the start of the text */
        if (distance == UINT64_MAX)
            distance = 0;
        error = add_ticks(conversion, target, histogram->low + distance, histogram->counters[i]);
    }
    return error;
}

/* Adds the ticks of a histogram whose text is in no module, all at one address. */
static int add_elsewhere(struct conversion *conversion, const struct histogram *histogram)
{
    uint64_t ticks = 0;

    for (uint64_t i = 0; i < histogram->count; i++)
        ticks += histogram->counters[i];
    return ticks > 0 ? add_stray(conversion, histogram->low, ticks) : 0;
}

/* Compares two targets by `start`. Targets are sorted so that find_target is fast: a file may have thousands of modules
 * and millions of pcs. */
static int compare_targets(const void *left, const void *right)
{
    const struct target *a = left, *b = right;

    return a->start < b->start ? -1 : a->start > b->start;
}

static const struct target *find_target(const struct target *targets, size_t count, uint64_t pc)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (targets[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && pc < targets[low - 1].end ? &targets[low - 1] : NULL;
}

static int add_modules(struct conversion *conversion)
{
    const struct histogram_file *file = conversion->file;
    struct target *targets = calloc(file->module_count, sizeof *targets);
    int error = targets == NULL ? -ENOMEM : 0;

    for (size_t i = 0; error == 0 && i < file->module_count; i++)
        error = add_module(conversion, &file->modules[i], &targets[i]);
    if (error == 0)
        qsort(targets, file->module_count, sizeof *targets, compare_targets);
    for (size_t i = 0; error == 0 && i < file->histogram_count; i++) {
        const struct histogram *histogram = &file->histograms[i];
        const struct target *target = find_target(targets, file->module_count, histogram->low);
        error = target != NULL ? add_histogram(conversion, target, histogram) : add_elsewhere(conversion, histogram);
    }
    for (size_t i = 0; error == 0 && i < file->pc_count; i++) {
        const struct target *target = find_target(targets, file->module_count, file->pcs[i]);
        error = target != NULL ? add_ticks(conversion, target, file->pcs[i], 1)
                               : add_stray(conversion, file->pcs[i], 1);
    }
    free(targets);
    return error;
}

/* Returns true if the address where the object was loaded is not known: the object is position-independent, the file
 * has addresses in memory, and none of these addresses is in the object. */
static bool is_elsewhere(const struct conversion *conversion, const struct target *target)
{
    uint32_t count = conversion->profile->sample_count;
    bool strays_only = histogram_has_memory_addresses(conversion->file) && conversion->nowhere != 0 && count > 0;

    for (uint32_t i = 0; strays_only && i < count; i++) {
        const struct profile_node *node = &conversion->profile->nodes[conversion->profile->samples[i].node];
        strays_only = conversion->profile->locations[node->location].object == conversion->nowhere - 1;
    }
    return strays_only && target->known && target->text.base == 0;
}

static int add_only_target(struct conversion *conversion)
{
    const struct histogram_file *file = conversion->file;
    struct target target = {0};
    int error = add_only_object(conversion, &target);

    for (size_t i = 0; error == 0 && i < file->histogram_count; i++)
        error = add_histogram(conversion, &target, &file->histograms[i]);
    for (size_t i = 0; error == 0 && i < file->pc_count; i++)
        error = add_ticks(conversion, &target, file->pcs[i], 1);
    if (error == 0 && is_elsewhere(conversion, &target))
        error = PPROFIL_ERROR_LOAD_ADDRESS;
    return error;
}

/* --- system calls ------------------------------------------------------------------------ */

const char *histogram_call_name(uint64_t cell, char text[HISTOGRAM_CALL_NAME])
{
    int32_t number = (int32_t)(cell - DIALECT_CELL_SPECIALS);
    const char *name = profile_syscall_name(number, false);

    if (name != NULL)
        return name;
    snprintf(text, HISTOGRAM_CALL_NAME, "syscall_%d", number);
    return text;
}

/* Adds the ticks that a cell counts for a system call. The system call becomes a function of the kernel, and the sample
 * has the number of the call. */
static int add_call(struct builder *builder, uint32_t object, const struct histogram *histogram, uint64_t cell,
                    const struct profile_sample *like, double tick_ns)
{
    char text[HISTOGRAM_CALL_NAME];
    struct profile_sample sample = *like;
    struct profile_line line = {0};
    uint32_t location;

    const char *name = histogram_call_name(cell, text);
    sample.count = histogram->counters[cell];
    sample.cpu_ns = (uint64_t)((double)sample.count * tick_ns);
    int error = profile_syscall(builder->profile, name, (int32_t)(cell - DIALECT_CELL_SPECIALS), 0, &sample.syscall);
    if (error == 0)
        error = builder_function(builder, object, name, "", 0, &line.function);
    if (error == 0)
        error = builder_location(builder, object, &line, 1, &location);
    if (error == 0)
        error = profile_node(builder->profile, PROFILE_NONE, location, &sample.node);
    return error == 0 ? builder_count_sample(builder->profile, &sample) : error;
}

static int add_calls(const struct histogram_file *file, struct profile *profile, const struct profile_sample *like,
                     double tick_ns)
{
    struct builder builder = {.profile = profile};
    uint32_t object;
    int error = builder_object(&builder, "[kernel]", &object);

    for (size_t i = 0; error == 0 && i < file->histogram_count; i++)
        for (uint64_t cell = DIALECT_CELL_SPECIALS; error == 0 && cell < file->histograms[i].count; cell++)
            if (file->histograms[i].counters[cell] > 0)
                error = add_call(&builder, object, &file->histograms[i], cell, like, tick_ns);
    memo_free(&builder.memo);
    return error;
}

/* --- the whole --------------------------------------------------------------------------- */

/* Adds the ticks whose pc was outside of the text. Their addresses are not known. */
static int add_outside(struct conversion *conversion)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .deleted = true, .fd = -1};
    uint32_t index;
    int error = profile_string(conversion->profile, "[outside]", &object.path);

    if (error == 0)
        error = profile_object(conversion->profile, &object, &index);
    return error == 0 ? add_sample(conversion, index, 0, conversion->file->outside) : error;
}

static int add_process(struct conversion *conversion)
{
    struct profile_process process = {.status = -1};
    struct profile_thread thread = {0};
    const char *name = conversion->file->object != NULL ? path_base_name(conversion->file->object) : "";
    int error = profile_string(conversion->profile, name, &process.comm);

    if (error == 0)
        error = profile_add_process(conversion->profile, &process, &thread.process);
    thread.comm = process.comm;
    if (error == 0)
        error = profile_add_thread(conversion->profile, &thread, &conversion->sample.thread);
    conversion->profile->totals.processes_seen = conversion->profile->totals.threads_seen = 1;
    return error;
}

int histogram_to_profile(const struct histogram_file *file, struct profile *profile)
{
    struct conversion conversion = {.file = file, .profile = profile, .ns = 1e9 / rate_of(file)};
    int error = add_process(&conversion);

    profile->totals.asked_hz = rate_of(file);
    if (error == 0 && file->by_call)
        error = add_calls(file, profile, &conversion.sample, conversion.ns);
    else if (error == 0)
        error = file->module_count > 0 ? add_modules(&conversion) : add_only_target(&conversion);
    if (error == 0 && file->outside > 0)
        error = add_outside(&conversion);
    return error;
}
