/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Begins and ends the counting in one histogram of a program, after checks of its offset and its buffer. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "compat/compat.h"
#include "compat/own-maps.h"
#include "dialect/dialect.h"

/* Returns how many bytes of text a buffer of `size` bytes covers at this scale; UINT64_MAX: all text. */
static uint64_t histogram_reach(const struct dialect *dialect, uint64_t size, uint32_t scale)
{
    bool all = (dialect->two_is_all && scale == 2) || scale == 0;

    return all || size > UINT64_MAX / DIALECT_ONE_TO_ONE ? UINT64_MAX : size * DIALECT_ONE_TO_ONE / scale;
}

bool compat_check_buffer(const char *call, uint64_t address, uint64_t size)
{
    if (!compat_is_debugged() && !compat_is_strict())
        return true;
    if (size == 0)
        compat_say(call, "the buffer has 0 bytes: nothing is counted");
    if (own_maps_writable(address, size))
        return true;
    compat_say(call, "the buffer of %" PRIu64 " bytes at 0x%" PRIx64 " cannot be written", size, address);
    return false;
}

bool compat_check_region(const struct compat_call *call, struct wire_profil_region *region, uint64_t reach)
{
    uint64_t given = region->offset;

    switch (offset_complete(&region->offset, reach, (uintptr_t)call->caller)) {
    case OFFSET_AS_GIVEN:
        break;
    case OFFSET_COMPLETED:
        compat_say(call->name, "offset 0x%" PRIx64 " is taken for 0x%" PRIx64, given, region->offset);
        break;
    case OFFSET_AMBIGUOUS:
        compat_warn(call->name,
                    "offset 0x%" PRIx64 " may be in several objects: nothing is counted; link with -no-pie, or "
                    "give the whole address",
                    given);
        break;
    case OFFSET_NOWHERE:
        compat_warn(call->name, "offset 0x%" PRIx64 " is in no text of this program: nothing is counted", given);
        break;
    case OFFSET_NOWHERE_YET:
        compat_say(call->name, "offset 0x%" PRIx64 " is in no text of this program now", given);
        break;
    }
    return compat_check_buffer(call->name, region->buffer, region->size);
}

int compat_profil(const struct compat_call *call, const void *buffer, size_t size, uint64_t offset, uint32_t scale,
                  bool is_checked)
{
    const struct dialect *dialect = dialect_find(call->dialect);
    struct wire_profil_region region = {
        .buffer = (uintptr_t)buffer, .size = size, .offset = offset, .scale = scale};
    struct wire_profil request = {.op = WIRE_PROFIL_COUNT,
                                  .scope = call->scope,
                                  .counter_size = call->counter_size,
                                  .regions = (uintptr_t)&region,
                                  .region_count = 1};
    struct compat_guard guard;
    int error;

    if (dialect_is_off(dialect, scale))
        return compat_stop(call->name, call->scope);
    compat_enter(&guard);
    if (!compat_check_region(call, &region, histogram_reach(dialect, size, scale)) && is_checked) {
        compat_stop(call->name, call->scope);
        error = -EFAULT;
    } else {
        snprintf(request.dialect, sizeof request.dialect, "%s", call->dialect);
        error = compat_ask(call->name, &request, NULL);
    }
    compat_leave(&guard);
    return error;
}

int compat_stop(const char *call, enum wire_profil_scope scope)
{
    const struct wire_profil request = {.op = WIRE_PROFIL_STOP, .scope = scope};

    return compat_ask(call, &request, NULL);
}
