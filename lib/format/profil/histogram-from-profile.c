/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns the exact samples of a profile into what one of the old systems would have made: counters, or the pcs of
 * samples.
 *
 * The times in a profile are in nanoseconds. They become ticks, which are whole numbers. The ticks are computed from
 * the sum of all times so far, so that rounding errors do not accumulate.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/profil/profil.h"
#include "pprofil/error.h"
#include "symbol/symbol.h"

__extension__ typedef unsigned __int128 product; /* product of a number of nanoseconds and a number of nanohertz */

#define NANO UINT64_C(1000000000)
#define NO_RATE_NS (NANO / 100) /* ns that a sample stands for, if the profile has neither times nor a rate */
#define TEXT_SIZE_MAX (UINT64_C(1) << 30)
#define USUAL_SCALE (DIALECT_ONE_TO_ONE / 2)
/* Both ends of the text are multiples of this number of bytes. With the usual scales, this number is a multiple of the
 * bytes that one counter counts. */
#define ALIGNED UINT64_C(16)

/* stands for the address of a sample whose offset in the object's file has no link address */
#define NOWHERE UINT64_MAX

/* The time that was spent at one address. */
struct spent {
    uint64_t address, ns, ticks;
};

struct spent_times {
    struct spent *list; /* owned; sorted by address */
    size_t count;
};

bool histogram_takes(const struct dialect *dialect, const struct profile_sample *sample)
{
    return sample->syscall == PROFILE_NONE || dialect->system_time;
}

uint64_t histogram_time(const struct profile *profile, const struct profile_sample *sample)
{
    const struct profile_totals *totals = &profile->totals;

    if (totals->cpu_ns > 0)
        return sample->cpu_ns;
    if (totals->wall_ns > 0)
        return sample->wall_ns;
    return sample->count * (totals->asked_hz >= 1 ? (uint64_t)(1e9 / totals->asked_hz) : NO_RATE_NS);
}

double histogram_rate(const struct profile *profile, const struct dialect *dialect, double rate_hz)
{
    if (rate_hz > 0)
        return rate_hz;
    if (profile->totals.asked_hz >= 1)
        return round(profile->totals.asked_hz);
    return round((double)NANO / (double)dialect->period_ns);
}

static int compare_addresses(const void *left, const void *right)
{
    const struct spent *a = left, *b = right;

    return a->address < b->address ? -1 : a->address > b->address;
}

/* Makes a list of the samples in an object: their addresses and times, sorted by address. Leaves out samples that the
 * dialect does not count. The addresses become link addresses; if `text` is NULL, they stay offsets in the object's
 * file. The caller frees the list. */
static int collect_times(const struct profile *profile, uint32_t object, const struct dialect *dialect,
                         const struct symbol_text *text, struct spent_times *times)
{
    times->list = calloc(profile->sample_count + 1u, sizeof *times->list);
    times->count = 0;
    if (times->list == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        uint32_t leaf = profile->nodes[sample->node].location;
        const struct profile_location *location = &profile->locations[leaf];
        struct spent spent = {.address = location->address, .ns = histogram_time(profile, sample)};
        if (location->object != object || !histogram_takes(dialect, sample) || spent.ns == 0)
            continue;
        if (text != NULL && !symbol_text_address(text, spent.address, &spent.address))
            spent.address = NOWHERE;
        times->list[times->count++] = spent;
    }
    qsort(times->list, times->count, sizeof *times->list, compare_addresses);
    return 0;
}

/* Computes the ticks of each entry from the entries' times. Returns the sum of the ticks. */
static uint64_t count_ticks(struct spent_times *times, double rate_hz)
{
    uint64_t nano_hz = (uint64_t)(rate_hz * (double)NANO), passed = 0;
    product sum = 0, second = (product)NANO * NANO;

    for (size_t i = 0; i < times->count; i++) {
        sum += (product)times->list[i].ns * nano_hz;
        uint64_t now = (uint64_t)((sum + second / 2) / second);
        times->list[i].ticks = now - passed;
        passed = now;
    }
    return passed;
}

/* Sets [*low, *high) to the range of text from the first sample to the last. Returns false if no sample has an
 * address. */
static bool sampled_text(const struct spent_times *times, uint64_t *low, uint64_t *high)
{
    size_t count = times->count;

    while (count > 0 && times->list[count - 1].address == NOWHERE)
        count--;
    if (count == 0)
        return false;
    *low = times->list[0].address;
    *high = times->list[count - 1].address + 1;
    return true;
}

static void count_times(const struct spent_times *times, const struct dialect *dialect,
                        const struct dialect_region *region, struct histogram_file *file, struct histogram *histogram)
{
    struct dialect_kernel kernel = {
        .low = histogram->low, .high = histogram->high, .cells = histogram->count};
    bool cells = dialect->arithmetic == DIALECT_CELLS;

    for (size_t i = 0; i < times->count; i++) {
        const struct spent *spent = &times->list[i];
        uint64_t index = DIALECT_CELL_OUTSIDE;
        bool inside = spent->address >= histogram->low && spent->address < histogram->high;
        if (cells && inside)
            index = dialect_cell(dialect, &kernel, spent->address);
        if (cells ? index != DIALECT_CELL_OUTSIDE
                  : inside && dialect_index(dialect, region, histogram->counter_size, spent->address, false, &index))
            histogram->counters[index] += spent->ticks;
        else
            file->outside += spent->ticks;
    }
}

static int make_histogram(const struct spent_times *times, const struct dialect *dialect,
                          uint32_t scale, uint64_t low, uint64_t high, struct histogram_file *file)
{
    bool fixed = dialect->arithmetic == DIALECT_WORDS || dialect->arithmetic == DIALECT_CELLS;
    unsigned counter_size = dialect->counter_size;
    struct dialect_region region = {.offset = low, .scale = scale};

    if (scale == 0 || fixed)
        region.scale = USUAL_SCALE;
    if (dialect_is_off(dialect, region.scale) || dialect_check(dialect, &region) != 0)
        return PPROFIL_ERROR_OFF;
    if (high - low > TEXT_SIZE_MAX)
        return -EFBIG;
    region.size = dialect_room(dialect, region.scale, counter_size, high - low);
    if (region.size / counter_size > HISTOGRAM_COUNTERS_MAX)
        return -EFBIG;
    struct histogram *histogram =
        histogram_add(file, low, high, region.scale, counter_size, region.size / counter_size);
    if (histogram == NULL)
        return -ENOMEM;
    count_times(times, dialect, &region, file, histogram);
    return 0;
}

static int make_pcs(const struct spent_times *times, struct histogram_file *file)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i < times->count; i++)
        if (times->list[i].address != NOWHERE)
            error = histogram_add_pcs(file, times->list[i].address, times->list[i].ticks);
        else
            file->outside += times->list[i].ticks;
    return error;
}

static int make_counters(const struct spent_times *times, const struct symbol_text *text, uint32_t scale,
                         struct histogram_file *file)
{
    uint64_t low, high;

    if (file->dialect->arithmetic == DIALECT_RAW)
        return make_pcs(times, file);
    if (text != NULL && text->high - text->low <= TEXT_SIZE_MAX) {
        low = text->low;
        high = text->high;
    } else if (!sampled_text(times, &low, &high)) {
        return PPROFIL_ERROR_NO_SAMPLES;
    }
    low &= ~(ALIGNED - 1);
    high = high > UINT64_MAX - ALIGNED ? high & ~(ALIGNED - 1) : (high + ALIGNED - 1) & ~(ALIGNED - 1);
    return make_histogram(times, file->dialect, scale, low, high, file);
}

int histogram_from_profile(const struct profile *profile, uint32_t object, const struct dialect *dialect,
                           uint32_t scale, double rate_hz, struct histogram_file *file)
{
    struct symbol_text text;
    struct spent_times times;
    bool known = symbol_text(profile, object, &text) == 0;
    int error = collect_times(profile, object, dialect, known ? &text : NULL, &times);

    if (error != 0)
        return error;
    file->dialect = dialect;
    file->pointer_size = known ? text.pointer_size : sizeof(void *);
    file->big_endian = known && text.big_endian;
    file->rate_hz = histogram_rate(profile, dialect, rate_hz);
    file->ticks = count_ticks(&times, file->rate_hz);
    file->object = strdup(profile->strings[profile->objects[object].path]);
    error = file->object == NULL ? -ENOMEM : make_counters(&times, known ? &text : NULL, scale, file);
    free(times.list);
    return error;
}

/* --- all objects in one file ------------------------------------------------------------- */

#define PAGE UINT64_C(4096)

/* The addresses [base, base + size) of an object, and the address `to` to which they are moved. */
struct move {
    uint64_t base, size;
    uint64_t to;
};

/* Sets move->base and move->size to the range of the object's addresses, as they are in `times`. Sets move->to to the
 * address at which this range was mapped. Returns false if no sample in the object has an address. */
static bool mapped_at(const struct profile_object *object, const struct spent_times *times,
                      const struct symbol_text *text, struct move *move)
{
    bool relative = object->kind == PROFILE_OBJECT_FILE || object->kind == PROFILE_OBJECT_VDSO;
    uint64_t high, address;

    if (!sampled_text(times, &move->base, &high))
        return false;
    move->base = text != NULL ? text->base : relative ? 0 : move->base & ~(PAGE - 1);
    move->size = (text != NULL ? text->high : high) - move->base;
    move->to = relative ? object->start - object->offset : move->base;
    if (text != NULL && symbol_text_address(text, object->offset, &address))
        move->to = object->start - (address - move->base);
    return true;
}

/* If the object would overlap one of the modules that are in the file already, or if its address is not valid, moves it
 * above all of them. */
static void move_if_taken(const struct histogram_file *file, struct move *move)
{
    bool taken = move->to == 0 || move->to > UINT64_MAX - move->size;
    uint64_t top = 0;

    for (size_t i = 0; i < file->module_count; i++) {
        const struct histogram_module *module = &file->modules[i];
        if (module->end > top)
            top = module->end;
        taken |= move->to < module->end && module->start < move->to + move->size;
    }
    if (taken)
        move->to = (top + 2 * PAGE - 1) & ~(PAGE - 1);
}

static int add_object(const struct profile *profile, uint32_t index, struct histogram_file *file)
{
    const struct profile_object *object = &profile->objects[index];
    const char *path = profile->strings[object->path];
    struct symbol_text text;
    struct spent_times times;
    struct move move;
    bool known = symbol_text(profile, index, &text) == 0;
    int error = collect_times(profile, index, file->dialect, known ? &text : NULL, &times);
    uint64_t ticks = error == 0 ? count_ticks(&times, file->rate_hz) : 0;

    if (ticks > 0 && mapped_at(object, &times, known ? &text : NULL, &move)) {
        move_if_taken(file, &move);
        for (size_t i = 0; i < times.count; i++)
            if (times.list[i].address != NOWHERE)
                times.list[i].address += move.to - move.base;
        if (known && file->module_count == 0)
            file->big_endian = text.big_endian;
        error = histogram_add_module(file, path, strlen(path), move.to, move.to + move.size);
        if (error == 0)
            error = make_pcs(&times, file);
    }
    file->ticks += ticks;
    free(times.list);
    return error;
}

int histogram_modules_from_profile(const struct profile *profile, const struct dialect *dialect,
                                   double rate_hz, struct histogram_file *file)
{
    int error = 0;

    file->dialect = dialect;
    file->pointer_size = sizeof(void *);
    file->rate_hz = histogram_rate(profile, dialect, rate_hz);
    for (uint32_t i = 0; error == 0 && i < profile->object_count; i++)
        if (profile->objects[i].kind != PROFILE_OBJECT_MARK && !profile->objects[i].invented)
            error = add_object(profile, i, file);
    return error;
}
