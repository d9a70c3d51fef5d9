/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fills the lists of a histogram_file, and computes what several formats need. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/profil/profil.h"

void histogram_file_clear(struct histogram_file *file)
{
    for (size_t i = 0; i < file->histogram_count; i++)
        free(file->histograms[i].counters);
    for (size_t i = 0; i < file->module_count; i++)
        free(file->modules[i].path);
    free(file->histograms);
    free(file->pcs);
    free(file->arcs);
    free(file->calls);
    free(file->blocks);
    free(file->modules);
    free(file->object);
    *file = (struct histogram_file){0};
}

struct histogram *histogram_add(struct histogram_file *file, uint64_t low, uint64_t high,
                                uint32_t scale, uint32_t counter_size, uint64_t count)
{
    if (count > HISTOGRAM_COUNTERS_MAX ||
        array_grow(&file->histograms, file->histogram_count, sizeof *file->histograms) != 0)
        return NULL;
    uint64_t *counters = calloc(count + 1, sizeof *counters);
    if (counters == NULL)
        return NULL;
    struct histogram *histogram = &file->histograms[file->histogram_count++];
    *histogram = (struct histogram){.low = low,
                                    .high = high,
                                    .scale = scale,
                                    .counter_size = counter_size,
                                    .count = count,
                                    .counters = counters};
    return histogram;
}

int histogram_add_arc(struct histogram_file *file, uint64_t from, uint64_t self, uint64_t count)
{
    int error = array_grow(&file->arcs, file->arc_count, sizeof *file->arcs);

    if (error == 0)
        file->arcs[file->arc_count++] = (struct histogram_arc){.from = from, .self = self, .count = count};
    return error;
}

int histogram_add_calls(struct histogram_file *file, uint64_t pc, uint64_t count)
{
    int error = array_grow(&file->calls, file->calls_count, sizeof *file->calls);

    if (error == 0)
        file->calls[file->calls_count++] = (struct histogram_calls){.pc = pc, .count = count};
    return error;
}

int histogram_add_block(struct histogram_file *file, uint64_t pc, uint64_t count)
{
    int error = array_grow(&file->blocks, file->block_count, sizeof *file->blocks);

    if (error == 0)
        file->blocks[file->block_count++] = (struct histogram_calls){.pc = pc, .count = count};
    return error;
}

int histogram_add_module(struct histogram_file *file, const char *path, size_t length, uint64_t start, uint64_t end)
{
    int error = array_grow(&file->modules, file->module_count, sizeof *file->modules);
    char *copy = error == 0 ? strndup(path, length) : NULL;

    if (copy == NULL)
        return -ENOMEM;
    file->modules[file->module_count++] = (struct histogram_module){.path = copy, .start = start, .end = end};
    return 0;
}

int histogram_add_pcs(struct histogram_file *file, uint64_t pc, uint64_t times)
{
    if (times > HISTOGRAM_PCS_MAX - file->pc_count)
        return -EFBIG;
    for (; times > 0; times--) {
        int error = array_grow(&file->pcs, file->pc_count, sizeof *file->pcs);
        if (error != 0)
            return error;
        file->pcs[file->pc_count++] = pc;
    }
    return 0;
}

/* This is computed in single precision, as monstartup() does. Otherwise the scale could differ from the one with which
 * the program was counted. */
uint32_t histogram_scale(uint64_t bytes, uint64_t text)
{
    if (bytes >= text)
        return DIALECT_ONE_TO_ONE;
    return (uint32_t)((float)bytes / (float)text * (float)DIALECT_ONE_TO_ONE);
}

const struct histogram *histogram_single(const struct histogram_file *file, uint32_t each)
{
    const struct histogram *histogram = file->histograms;

    if (file->histogram_count != 1)
        return NULL;
    if (each != 0 && ((histogram->high - histogram->low) / each != histogram->count ||
                      (histogram->high - histogram->low) % each != 0))
        return NULL;
    return histogram;
}

uint64_t histogram_cut(const struct histogram_file *file, uint32_t counter_size, uint64_t count)
{
    enum dialect_overflow overflow = file->dialect != NULL ? file->dialect->overflow : DIALECT_SATURATES;
    uint64_t counter = 0, full;

    /* DIALECT_STOPS means that all counting ended when the first counter was full, so no counter has more than
     * INT16_MAX ticks */
    if (dialect_add(overflow, counter_size, &counter, count, &full) == DIALECT_STOPPED ||
        (overflow == DIALECT_STOPS && counter != count))
        return INT16_MAX;
    return counter;
}

uint64_t histogram_cut_count(const struct histogram_file *file, uint32_t counter_size)
{
    uint64_t cut = 0;

    for (size_t i = 0; i < file->histogram_count; i++)
        for (uint64_t j = 0; j < file->histograms[i].count; j++)
            cut += histogram_cut(file, counter_size, file->histograms[i].counters[j]) !=
                   file->histograms[i].counters[j];
    return cut;
}

bool histogram_has_memory_addresses(const struct histogram_file *file)
{
    return file->dialect != NULL &&
           (file->dialect->arithmetic == DIALECT_RAW || file->dialect->arithmetic == DIALECT_WORDS);
}
