/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One histogram of a program's: what can be told about it before anything is counted. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "compat/compat.h"
#include "compat/offset.h"
#include "compat/own-maps.h"
#include "dialect/dialect.h"

/* Bytes of text that a buffer covers from the offset on. */
static uint64_t histogram_reach(const struct dialect *dialect, uint64_t size, uint32_t scale)
{
    bool all = (dialect->two_is_all && scale == 2) || scale == 0;

    return all || size > UINT64_MAX / DIALECT_ONE_TO_ONE ? UINT64_MAX : size * DIALECT_ONE_TO_ONE / scale;
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
    }
    if (!compat_is_debugged() && !compat_is_strict())
        return true;
    if (region->size == 0)
        compat_say(call->name, "the buffer has 0 bytes: nothing is counted");
    if (own_maps_writable(region->buffer, region->size))
        return true;
    compat_say(call->name, "the buffer of %" PRIu64 " bytes at 0x%" PRIx64 " cannot be written", region->size,
               region->buffer);
    return false;
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

    if (dialect_is_off(dialect, scale))
        return compat_stop(call->scope);
    bool writable = compat_check_region(call, &region, histogram_reach(dialect, size, scale));
    if (!writable && is_checked) {
        compat_stop(call->scope);
        return -EFAULT;
    }
    snprintf(request.dialect, sizeof request.dialect, "%s", call->dialect);
    return compat_ask(call->name, &request, NULL);
}

int compat_stop(enum wire_profil_scope scope)
{
    const struct wire_profil request = {.op = WIRE_PROFIL_STOP, .scope = scope};

    return compat_ask("profil", &request, NULL);
}
