/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>

#include "supervisor/calls/call-memory.h"
#include "supervisor/target-memory.h"

#define ELEMENTS_AT_ONCE 32u
#define ELEMENTS_MAX 1024u /* UIO_MAXIOV */

/* Structures of 32-bit words: include/net/compat.h. */
static const struct call_layout wide_layout = {8, 16, 24, 32, 48, 56, 64};
static const struct call_layout narrow_layout = {4, 8, 12, 16, 24, 28, 32};

const struct call_layout *call_layout(const struct call_request *request)
{
    return request->narrow ? &narrow_layout : &wide_layout;
}

static int call_read_word(pid_t tid, const struct call_request *request, uint64_t address, uint64_t *word)
{
    *word = 0; /* little endian */
    return target_memory_read(tid, address, word, call_layout(request)->word);
}

uint64_t call_message_address(const struct call_request *request, uint64_t message)
{
    return request->address + message * call_layout(request)->message_size;
}

static uint64_t call_element_word(const struct call_request *request, const void *elements, unsigned index)
{
    return request->narrow ? ((const uint32_t *)elements)[index] : ((const uint64_t *)elements)[index];
}

int call_find_position(pid_t tid, const struct call_request *request, const struct call_vector *vector,
                         uint64_t done, uint64_t room, struct call_position *position)
{
    uint64_t elements[2 * ELEMENTS_AT_ONCE], distance = 0;
    size_t size = 2 * call_layout(request)->word;

    if (vector->count > ELEMENTS_MAX)
        return -EINVAL;
    *position = (struct call_position){.element = vector->count};
    for (uint64_t i = 0; i < vector->count; i++) {
        unsigned at = (unsigned)(i % ELEMENTS_AT_ONCE);
        uint64_t left = vector->count - i;
        uint64_t some = left < ELEMENTS_AT_ONCE ? left : ELEMENTS_AT_ONCE;
        if (at == 0 && target_memory_read(tid, vector->address + i * size, elements, some * size) != 0)
            return -EFAULT;
        uint64_t length = call_element_word(request, elements, 2 * at + 1);
        if (position->element == vector->count && done >= length) {
            done -= length;
            continue;
        }
        if (position->element == vector->count)
            *position = (struct call_position){.element = i, .within = done, .length = length,
                                          .base = call_element_word(request, elements, 2 * at)};
        distance += length - (i == position->element ? done : 0);
        if (distance <= room) {
            position->fitting++;
            position->fitting_bytes = distance;
        }
    }
    return 0;
}

int call_read_message(pid_t tid, const struct call_request *request, uint64_t address,
                        struct call_vector *vector, uint64_t *control)
{
    const struct call_layout *layout = call_layout(request);
    int error = call_read_word(tid, request, address + layout->message_vector, &vector->address);

    if (error == 0)
        error = call_read_word(tid, request, address + layout->message_count, &vector->count);
    return error == 0 ? call_read_word(tid, request, address + layout->message_control, control) : error;
}

int call_read_flags(pid_t tid, const struct call_request *request, uint64_t address, uint32_t *flags)
{
    return target_memory_read(tid, address + call_layout(request)->message_flags, flags, sizeof *flags);
}
