/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts CPU time: turns it into ticks, and adds them to counters in buffers, which may be in another process. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"

static int read_own(void *context, uint64_t address, void *to, size_t size)
{
    (void)context;
    memcpy(to, (const void *)(uintptr_t)address, size);
    return 0;
}

static int write_own(void *context, uint64_t address, const void *from, size_t size)
{
    (void)context;
    memcpy((void *)(uintptr_t)address, from, size);
    return 0;
}

const struct dialect_memory dialect_own_memory = {.read = read_own, .write = write_own};

static size_t count_size(size_t regions)
{
    return sizeof(struct dialect_count) + regions * (sizeof(struct dialect_region) + sizeof(struct dialect_buffer));
}

struct dialect_count *dialect_count_new(const struct dialect *dialect, unsigned counter_size,
                                        const struct dialect_region *regions, const uint64_t *addresses,
                                        size_t region_count)
{
    if (region_count > SIZE_MAX / 128)
        return NULL;
    struct dialect_count *count = calloc(1, count_size(region_count));
    if (count == NULL)
        return NULL;

    count->dialect = dialect;
    count->counter_size = counter_size != 0 ? counter_size : dialect->counter_size;
    count->on = true;
    count->period_ns = dialect->period_ns;
    count->region_count = region_count;
    count->buffers = (struct dialect_buffer *)&count->regions[region_count];
    for (size_t i = 0; i < region_count; i++) {
        count->regions[i] = regions[i];
        count->buffers[i].address = addresses[i];
    }
    return count;
}

struct dialect_count *dialect_count_copy(const struct dialect_count *count)
{
    size_t size = count_size(count->region_count);
    struct dialect_count *copy = malloc(size);

    if (copy == NULL)
        return NULL;
    memcpy(copy, count, size);
    copy->buffers = (struct dialect_buffer *)&copy->regions[copy->region_count];
    return copy;
}

/* A counter of 2, 4 or 8 bytes, in the byte order of the machine. */
union counter {
    uint16_t two;
    uint32_t four;
    uint64_t eight;
};

static int count_read(const struct dialect_memory *memory, uint64_t address, unsigned size, uint64_t *value)
{
    union counter counter;
    int error = memory->read(memory->context, address, &counter, size);

    if (error == 0)
        *value = size == 2 ? counter.two : size == 4 ? counter.four : counter.eight;
    return error;
}

static int count_write(const struct dialect_memory *memory, uint64_t address, unsigned size, uint64_t value)
{
    union counter counter;

    if (size == 2)
        counter.two = (uint16_t)value;
    else if (size == 4)
        counter.four = (uint32_t)value;
    else
        counter.eight = value;
    return memory->write(memory->context, address, &counter, size);
}

/* Adds `full`, a number of ticks that found their counter full, to the sum at the address count->told in the program's
 * memory. Ignores errors, because an error only makes this sum too small. */
static void count_tell(const struct dialect_count *count, const struct dialect_memory *memory, uint64_t full)
{
    uint64_t sum;

    if (memory->read(memory->context, count->told, &sum, sizeof sum) != 0)
        return;
    sum += full;
    memory->write(memory->context, count->told, &sum, sizeof sum);
}

/* Adds ticks to the counter at an address. Returns 0, or the error of reading or writing the memory. */
static int count_add(struct dialect_count *count, const struct dialect_memory *memory, uint64_t address, unsigned size,
                     uint64_t ticks)
{
    uint64_t value, full;
    int error = count_read(memory, address, size, &value);

    if (error != 0)
        return error;
    count->on = dialect_add(count->dialect->overflow, size, &value, ticks, &full) != DIALECT_STOPPED;
    count->overflows += full;
    if (full > 0 && count->told != 0)
        count_tell(count, memory, full);
    return count->on ? count_write(memory, address, size, value) : 0;
}

/* For the Nintendo 64: chooses the first region that contains the pc. If there is no such region, or if its histogram
 * has no counter for the pc, chooses the overflow bin. */
static size_t count_choose_words(const struct dialect_count *count, uint64_t pc, uint64_t *index)
{
    for (size_t i = 0; i < count->region_count; i++) {
        const struct dialect_region *region = &count->regions[i];
        if (pc < region->low || pc >= region->high)
            continue;
        return dialect_index(count->dialect, region, count->counter_size, pc, false, index) ? i : DIALECT_OVERFLOW_BIN;
    }
    return DIALECT_OVERFLOW_BIN;
}

static size_t count_choose_cell(const struct dialect_count *count, uint64_t pc, uint64_t *index)
{
    for (size_t i = 0; i < count->region_count; i++) {
        const struct dialect_region *region = &count->regions[i];
        struct dialect_kernel kernel = {
            .low = region->low, .high = region->high, .cells = region->size / count->counter_size};
        *index = dialect_cell(count->dialect, &kernel, pc);
        if (*index != DIALECT_CELL_OUTSIDE || (pc >= kernel.low && pc < kernel.high))
            return *index != DIALECT_CELL_OUTSIDE ? i : DIALECT_NO_REGION;
    }
    return DIALECT_NO_REGION;
}

static size_t count_choose(const struct dialect_count *count, uint64_t pc, uint64_t *index)
{
    if (count->dialect->arithmetic == DIALECT_WORDS)
        return count_choose_words(count, pc, index);
    if (count->dialect->arithmetic == DIALECT_CELLS)
        return count_choose_cell(count, pc, index);
    return dialect_choose(count->dialect, count->regions, count->region_count, count->counter_size, pc, index);
}

static void count_pcs(struct dialect_count *count, const struct dialect_memory *memory, uint64_t pc, uint64_t ticks)
{
    unsigned size = count->counter_size;
    uint64_t place = count->pcsample.count;
    uint64_t stored = dialect_pcsample_tick(&count->pcsample, ticks);

    for (uint64_t i = 0; i < stored; i++)
        if (count_write(memory, count->array + (place + i) * size, size, pc) != 0) {
            dialect_pcsample_fault(&count->pcsample, stored - i);
            break;
        }
    if (stored < ticks)
        count->overflows += ticks - stored;
    count->on = count->pcsample.on;
}

static void count_ticks(struct dialect_count *count, const struct dialect_memory *memory, uint64_t pc, uint64_t ticks)
{
    uint64_t index = 0;
    int error = 0;
    size_t chosen = count_choose(count, pc, &index);

    if (chosen < count->region_count) {
        const struct dialect_buffer *buffer = &count->buffers[chosen];
        if (!buffer->off)
            error = count_add(count, memory, buffer->address + index * count->counter_size, count->counter_size, ticks);
        if (error != 0)
            count->buffers[chosen].off = true;
    } else {
        count->outside += ticks;
        if (chosen == DIALECT_OVERFLOW_BIN && count->overflow != 0)
            error = count_add(count, memory, count->overflow, sizeof(uint32_t), ticks);
    }
    if (error != 0 && count->dialect->fault == DIALECT_FAULT_STOPS)
        count->on = false;
}

void dialect_count_cpu(struct dialect_count *count, const struct dialect_memory *memory, uint64_t pc, bool in_system,
                       uint64_t cpu_ns)
{
    if (!count->on || (in_system && !count->dialect->system_time))
        return;
    count->owed_ns += cpu_ns;
    uint64_t ticks = count->owed_ns / count->period_ns;
    if (ticks == 0)
        return;
    count->owed_ns -= ticks * count->period_ns;
    count->ticks += ticks;
    if (count->dialect->arithmetic == DIALECT_RAW)
        count_pcs(count, memory, pc, ticks);
    else
        count_ticks(count, memory, pc, ticks);
}
